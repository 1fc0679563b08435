"""Counts folded from plays, and simulations with the chunks they are made of."""

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _
from uuid_utils.compat import uuid7

from forsale_api.clubs.models import Club


class FoldLock(models.Model):
    """One row; whoever folds plays into counts holds it, so that two workers never fold the same play."""


class FoldedPlay(models.Model):
    """What a play has given to the counts, so that an edit or deletion takes back exactly that.

    `contribution` is null where the play gives nothing (deleted); else its key and values, see `services.contribution`.
    """

    play_id = models.UUIDField(primary_key=True)
    version = models.PositiveIntegerField()
    contribution = models.JSONField(null=True)


class Block(models.Model):
    """What scores are counted under: figures of different blocks are never pooled.

    The moments are integer sums over plays, for standard errors over plays (seats of one play are not independent):
    of each play's sum of totals, and of banknotes where every seat's are known.
    """

    club = models.ForeignKey(Club, on_delete=models.CASCADE, related_name="+")
    game = models.CharField(max_length=30)
    edition = models.CharField(max_length=30)
    variant = models.CharField(max_length=40)
    player_count = models.PositiveSmallIntegerField()
    counts = models.BooleanField()
    day = models.DateField()
    plays = models.IntegerField(default=0)
    totals_sum = models.BigIntegerField(default=0)
    totals_square = models.BigIntegerField(default=0)
    banknotes_plays = models.IntegerField(default=0)
    banknotes_sum = models.BigIntegerField(default=0)
    banknotes_square = models.BigIntegerField(default=0)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["club", "game", "edition", "variant", "player_count", "counts", "day"],
                name="block_once",
            ),
            models.CheckConstraint(condition=Q(plays__gte=0, banknotes_plays__gte=0), name="block_not_negative"),
        ]
        indexes = [models.Index(fields=["game", "edition", "variant", "player_count", "counts", "day"])]


class Measure(models.TextChoices):
    TOTAL = "total"
    WINNING_TOTAL = "winning_total"
    MARGIN = "margin"
    BANKNOTES = "banknotes"
    DECIDED_BY = "decided_by"  # the value is an index into plays.models.DECISIONS


class Count(models.Model):
    """How often a value of a measure occurred in a block."""

    block = models.ForeignKey(Block, on_delete=models.CASCADE, related_name="counts_of_values")
    measure = models.CharField(max_length=20, choices=Measure)
    value = models.IntegerField()
    n = models.IntegerField(default=0)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["block", "measure", "value"], name="count_once"),
            models.CheckConstraint(condition=Q(n__gte=0), name="count_not_negative"),
        ]


class Status(models.TextChoices):
    QUEUED = "queued", _("queued")
    RUNNING = "running", _("running")
    PAUSED = "paused", _("paused")
    FINISHED = "finished", _("finished")
    CANCELLED = "cancelled", _("cancelled")
    FAILED = "failed", _("failed")


class SimulationResult(models.Model):
    """Integer counts of a request's games, by what decides them: engine, rule numbers, bots, seed. Kept for ever.

    `key` is a hash of all that; the same request later finds its games here. `summary` is `Summary.to_bytes()`.
    """

    key = models.CharField(max_length=64, unique=True)
    games = models.BigIntegerField(default=0)
    complete = models.BooleanField(default=False)
    summary = models.BinaryField(null=True)
    updated_at = models.DateTimeField(auto_now=True)


class Simulation(models.Model):
    """A batch of games played by bots, as requested."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    requester = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="simulations"
    )
    game = models.CharField(max_length=30)
    edition = models.CharField(max_length=30)
    variant = models.CharField(max_length=40)
    player_count = models.PositiveSmallIntegerField()
    bots = models.JSONField()
    games = models.BigIntegerField()
    seed = models.BigIntegerField()
    opener = models.PositiveSmallIntegerField(null=True, blank=True, help_text=_("Null: random"))
    reference = models.BooleanField(default=False, help_text=_("What recorded scores are shown beside"))
    status = models.CharField(max_length=10, choices=Status, default=Status.QUEUED)
    error = models.TextField(blank=True)
    games_done = models.BigIntegerField(default=0)
    result = models.ForeignKey(SimulationResult, on_delete=models.PROTECT, related_name="simulations")
    created_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(status__in=Status.values), name="simulation_status_known"),
            models.CheckConstraint(
                condition=Q(games__gte=1, games_done__gte=0, games_done__lte=F("games")),
                name="simulation_games",
            ),
            models.UniqueConstraint(
                fields=["game", "edition", "variant", "player_count"],
                condition=Q(reference=True),
                name="one_reference_per_block",
            ),
        ]
        indexes = [models.Index(fields=["status", "created_at"]), models.Index(fields=["created_at", "id"])]


class Chunk(models.Model):
    """A range of a simulation's games: leased, run, stored once."""

    simulation = models.ForeignKey(Simulation, on_delete=models.CASCADE, related_name="chunks")
    number = models.PositiveIntegerField()
    first_game = models.BigIntegerField()
    games = models.BigIntegerField()
    done = models.BooleanField(default=False)
    attempts = models.PositiveSmallIntegerField(default=0)
    lease = models.UUIDField(null=True)
    leased_until = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["simulation", "number"], name="chunk_once"),
            models.CheckConstraint(condition=Q(games__gte=1), name="chunk_has_games"),
        ]
        indexes = [models.Index(fields=["simulation", "done", "number"])]
