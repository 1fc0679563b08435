"""What happened: plays with their seats, who changed what, and which plays the statistics must look at again.

Keys without an index of their own (`db_index=False`) are the first column of another: each index costs every write.
"""

from django.conf import settings
from django.core.serializers.json import DjangoJSONEncoder
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _
from uuid_utils.compat import uuid7

from forsale_api.clubs.models import Club, Player

LEVELS = ("total", "sheet", "cards", "record")
DECISIONS = ("total", "banknotes", "largest_category", "shared", "reported", "unknown")


class Play(models.Model):
    """One game played at a table. Seats and record are facts; level, ranks and winners are derived by the rules."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    club = models.ForeignKey(Club, on_delete=models.CASCADE, related_name="plays", db_index=False)
    game = models.CharField(max_length=30)
    edition = models.CharField(max_length=30)
    variant = models.CharField(max_length=40)
    player_count = models.PositiveSmallIntegerField()
    played_on = models.DateField(help_text=_("The club's local calendar date"))
    played_at = models.TimeField(null=True, blank=True)
    location = models.CharField(max_length=200, blank=True)
    duration_minutes = models.PositiveSmallIntegerField(null=True, blank=True)
    notes = models.TextField(max_length=5000, blank=True)
    first_seat = models.PositiveSmallIntegerField(null=True, blank=True)
    record = models.JSONField(null=True, blank=True)
    reported_winners = models.JSONField(default=list, blank=True)
    source = models.CharField(max_length=50, null=True, blank=True)  # noqa: DJ001  null means none, for the unique constraint
    source_id = models.CharField(max_length=200, null=True, blank=True)  # noqa: DJ001
    counts = models.BooleanField(default=True)
    not_counted_reason = models.CharField(max_length=300, blank=True)

    level = models.CharField(max_length=10)
    decided_by = models.CharField(max_length=20)
    impossible = models.BooleanField(default=False, help_text=_("No legal game gives this sheet"))
    findings = models.JSONField(
        default=list, blank=True
    )  # code, severity, seats, and the message's template and params
    held_back = models.BooleanField(
        default=False, help_text=_("Does not count for its impossible sheet alone; corrected, it counts again")
    )

    body_hash = models.CharField(max_length=64, blank=True, editable=False)  # of the POST that brought its own id
    recorder = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    version = models.PositiveIntegerField(default=1)
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField()
    deleted_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(player_count__range=(2, 6)), name="play_player_count"),
            models.CheckConstraint(
                condition=Q(held_back=False) | Q(impossible=True, counts=False), name="play_held_back_with_reason"
            ),
            models.CheckConstraint(
                condition=Q(counts=False) | Q(not_counted_reason=""), name="play_reason_only_if_not_counted"
            ),
            models.CheckConstraint(condition=Q(level__in=LEVELS), name="play_level_known"),
            models.CheckConstraint(condition=Q(decided_by__in=DECISIONS), name="play_decision_known"),
            models.CheckConstraint(
                condition=Q(first_seat__isnull=True) | Q(first_seat__gte=1, first_seat__lte=F("player_count")),
                name="play_first_seat_at_table",
            ),
            models.CheckConstraint(
                condition=Q(source__isnull=True, source_id__isnull=True)
                | Q(source__isnull=False, source_id__isnull=False),
                name="play_source_with_id",
            ),
            models.UniqueConstraint(fields=["club", "source", "source_id"], name="play_source_once_per_club"),
        ]
        indexes = [
            models.Index(fields=["club", "played_on", "id"]),
            models.Index(fields=["club", "updated_at", "id"]),
            models.Index(fields=["played_on", "id"]),
            models.Index(fields=["player_count", "played_on", "id"]),  # the rare among the many, latest first
            models.Index(fields=["variant", "played_on", "id"]),
            models.Index(fields=["played_on"], condition=Q(counts=False), name="play_not_counted"),
            models.Index(fields=["created_at", "id"]),
            models.Index(fields=["updated_at", "id"]),
        ]

    def __str__(self) -> str:
        return f"{self.game} {self.played_on} {self.id}"


class Seat(models.Model):
    """A player's place in a play, numbered 1..n clockwise. Money in thousands of dollars."""

    play = models.ForeignKey(Play, on_delete=models.CASCADE, related_name="seats", db_index=False)
    seat = models.PositiveSmallIntegerField()
    player = models.ForeignKey(Player, on_delete=models.PROTECT, related_name="seats")
    cheques = models.SmallIntegerField(null=True)
    banknotes = models.SmallIntegerField(null=True)
    cheque_cards = models.JSONField(null=True)
    points = models.SmallIntegerField(null=True)
    largest_category = models.SmallIntegerField(null=True)
    total = models.SmallIntegerField()
    rank = models.PositiveSmallIntegerField()
    is_winner = models.BooleanField()

    class Meta:
        ordering = ["play", "seat"]
        constraints = [
            models.UniqueConstraint(fields=["play", "seat"], name="seat_once"),
            models.UniqueConstraint(fields=["play", "player"], name="player_sits_once"),
            models.CheckConstraint(condition=Q(seat__range=(1, 6)), name="seat_number"),
            models.CheckConstraint(condition=Q(rank__range=(1, 6)), name="seat_rank"),
            models.CheckConstraint(
                condition=Q(is_winner=True, rank=1) | Q(is_winner=False, rank__gt=1),
                name="seat_winner_is_rank_one",
            ),
            models.CheckConstraint(
                condition=Q(cheques__isnull=True) | Q(banknotes__isnull=True) | Q(total=F("cheques") + F("banknotes")),
                name="seat_total_adds_up",
            ),
            models.CheckConstraint(
                condition=Q(cheques__isnull=True, banknotes__isnull=True)
                | Q(cheques__isnull=False, cheques__gte=0, banknotes__isnull=False, banknotes__gte=0),
                name="seat_money_known_and_not_negative",
            ),
        ]


class PlayChange(models.Model):
    """Who changed what, and when; never edited. Those not yet `announced` are the outbox of whoever tells others.

    `after` of the creation holds the facts of the play but its record; a change holds, before and after, the facts
    that differ, so that every earlier state can be rebuilt from the present one. Deleting and restoring hold none.
    """

    play = models.ForeignKey(Play, on_delete=models.CASCADE, related_name="changes", db_index=False)
    version = models.PositiveIntegerField()
    action = models.CharField(max_length=10, choices=[(a, a) for a in ("created", "changed", "deleted", "restored")])
    user = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    at = models.DateTimeField(auto_now_add=True)
    before = models.JSONField(null=True, encoder=DjangoJSONEncoder)
    after = models.JSONField(null=True, encoder=DjangoJSONEncoder)
    announced = models.BooleanField(default=False, editable=False)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["play", "version"], name="change_version_once")]
        indexes = [models.Index(fields=["id"], condition=Q(announced=False), name="change_to_announce")]


class PlayToFold(models.Model):
    """The outbox of the statistics: a play that changed and waits to be folded into the counts.

    Written in the transaction of the change, so that no change is ever missed; read and removed by `stats`.
    """

    play_id = models.UUIDField()
    created_at = models.DateTimeField(auto_now_add=True)
