"""Counts folded from plays, and simulations with the chunks they are made of."""

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _
from uuid_utils.compat import uuid7

from forsale_api.clubs.models import Club, Player
from forsale_api.plays.models import Play


class FoldLock(models.Model):
    """One row; whoever folds plays into counts holds it, so that two workers never fold the same play."""

    folded_at = models.DateTimeField(null=True, help_text=_("When the counts last changed"))
    # What the pools were added up from (`stats.pools.Stamp`).
    pooled_folded_at = models.DateTimeField(null=True, editable=False)
    pooled_clubs = models.IntegerField(default=0, editable=False)
    pooled_changed = models.DateTimeField(null=True, editable=False)


class FoldedPlay(models.Model):
    """What a play has given to the counts, so that an edit or deletion takes back exactly that.

    `gives` is `folding.Gift.as_json()`; a play that gives nothing (deleted) has no row.
    """

    play_id = models.UUIDField(primary_key=True)
    club = models.ForeignKey(Club, on_delete=models.CASCADE, related_name="+")
    gives = models.JSONField()


class Block(models.Model):
    """What scores are counted under: figures of different blocks are never pooled.

    Every play is in two blocks: that of its day, for ranges of dates, and that of all days (`day` null), so that the
    usual question, which names no dates, reads few rows.
    """

    club = models.ForeignKey(Club, on_delete=models.CASCADE, related_name="+")
    game = models.CharField(max_length=30)
    edition = models.CharField(max_length=30)
    variant = models.CharField(max_length=40)
    player_count = models.PositiveSmallIntegerField()
    counts = models.BooleanField()
    day = models.DateField(null=True)
    plays = models.IntegerField(default=0)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["club", "game", "edition", "variant", "player_count", "counts", "day"],
                condition=Q(day__isnull=False),
                name="block_once_a_day",
            ),
            models.UniqueConstraint(
                fields=["club", "game", "edition", "variant", "player_count", "counts"],
                condition=Q(day__isnull=True),
                name="block_once_for_all_days",
            ),
            models.CheckConstraint(condition=Q(plays__gte=0), name="block_not_negative"),
        ]
        indexes = [models.Index(fields=["game", "edition", "variant", "player_count", "day"])]


class Measure(models.TextChoices):
    """What is counted. `part` of a count is 0 except where said."""

    TOTAL = "total"  # by seat
    WINNING_TOTAL = "winning_total"  # by play
    MARGIN = "margin"  # by play
    BANKNOTES = "banknotes"  # by seat that knows them
    DECIDED_BY = "decided_by"  # by play; the value is an index into plays.models.DECISIONS
    # Sums over the seats of a play, for standard errors over plays: seats of one play are not independent.
    # The part is the number of seats that are summed.
    TABLE_TOTAL = "table_total"
    TABLE_BANKNOTES = "table_banknotes"
    # The part is the position in turn order, 1 the opener; from plays that know their first seat.
    POSITION_TOTAL = "position_total"
    POSITION_BANKNOTES = "position_banknotes"
    POSITION_WIN = "position_win"  # the value is the number of seats that share the win
    # The part is the house; from plays with a record.
    PRICE = "price"
    CHEQUE = "cheque"


class Count(models.Model):
    """How often a value of a measure occurred in a block. Money in thousands of dollars."""

    block = models.ForeignKey(Block, on_delete=models.CASCADE, related_name="counts_of_values", db_index=False)
    measure = models.CharField(max_length=20, choices=Measure)
    part = models.PositiveSmallIntegerField(default=0)
    value = models.IntegerField()
    n = models.IntegerField(default=0)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["block", "measure", "part", "value"], name="count_once"),
            models.CheckConstraint(condition=Q(n__gte=0), name="count_not_negative"),
        ]


class Pool(models.Model):
    """Counts of one kind and measure over all clubs whose figures everybody may see, of all days (`stats.pools`).

    `cells` is {part: {value: n}}; the measure "" has none and says that there are plays.
    """

    game = models.CharField(max_length=30)
    edition = models.CharField(max_length=30)
    variant = models.CharField(max_length=40)
    player_count = models.PositiveSmallIntegerField()
    asked = models.CharField(max_length=10, help_text=_("Which plays: true, counted ones; all"))
    measure = models.CharField(max_length=20, blank=True)
    plays = models.IntegerField()
    cells = models.JSONField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["game", "edition", "variant", "player_count", "asked", "measure"], name="pool_once"
            )
        ]


class Rating(models.Model):
    """What is believed of a player's skill after a play, on OpenSkill's scale (`stats.ratings`)."""

    play = models.ForeignKey(Play, on_delete=models.CASCADE, related_name="+", db_index=False)
    player = models.ForeignKey(Player, on_delete=models.CASCADE, related_name="+", db_index=False)
    game = models.CharField(max_length=30)
    played_on = models.DateField()
    mu = models.FloatField()
    sigma = models.FloatField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["play", "player"], name="rating_once_a_play"),
            models.CheckConstraint(condition=Q(sigma__gt=0), name="rating_is_unsure"),
        ]
        indexes = [models.Index(fields=["player", "game", "played_on", "play"], name="rating_over_time")]


class Won(models.Model):
    """What some counted plays of a player come to.

    `credit` is in sixtieths of a win, so that a win shared by up to six is a whole number.
    """

    player = models.ForeignKey(Player, on_delete=models.CASCADE, related_name="+")
    game = models.CharField(max_length=30)
    plays = models.IntegerField()
    wins = models.IntegerField(help_text=_("Alone"))
    shared_wins = models.IntegerField()
    credit = models.IntegerField()
    totals = models.IntegerField(help_text=_("Their sum"))
    squares = models.BigIntegerField(help_text=_("Sum of the totals’ squares"))

    class Meta:
        abstract = True


class Tally(Won):
    """The counted plays of one kind in one month, for boards between two dates; kept with the ratings."""

    edition = models.CharField(max_length=30)
    variant = models.CharField(max_length=40)
    player_count = models.PositiveSmallIntegerField()
    month = models.DateField(help_text=_("Its first day"))

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["player", "game", "edition", "variant", "player_count", "month"], name="tally_once_a_month"
            ),
            models.CheckConstraint(condition=Q(plays__gte=1), name="tally_has_plays"),
        ]
        indexes = [models.Index(fields=["game", "month"], name="tally_of_months")]


class Standing(Won):
    """All counted plays of a player that a question without dates is about, in the order of the board.

    There is one for each edition, variant and number of players, and for each of them left out ("" or 0: all of them),
    so that the first of a board are read from an index, however many players there are. `luck` is what luck alone
    would win, in sixtieths too; `adjusted` what boards are ranked by (`ratings.adjusted_share`).
    """

    edition = models.CharField(max_length=30, blank=True)
    variant = models.CharField(max_length=40, blank=True)
    player_count = models.PositiveSmallIntegerField()
    luck = models.IntegerField()
    adjusted = models.FloatField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["player", "game", "edition", "variant", "player_count"], name="standing_once"
            ),
            models.CheckConstraint(condition=Q(plays__gte=1), name="standing_has_plays"),
        ]
        indexes = [
            models.Index(
                "game", "edition", "variant", "player_count", F("adjusted").desc(), F("plays").desc(), "player",
                name="standing_in_order",
            )
        ]  # fmt: skip


class RatingDue(models.Model):
    """A club whose ratings in a game are out of date, and from which day on."""

    club = models.ForeignKey(Club, on_delete=models.CASCADE, related_name="+")
    game = models.CharField(max_length=30)
    since = models.DateField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["club", "game"], name="rating_due_once")]


class Status(models.TextChoices):
    QUEUED = "queued", _("queued")
    RUNNING = "running", _("running")
    PAUSED = "paused", _("paused")
    FINISHED = "finished", _("finished")
    CANCELLED = "cancelled", _("cancelled")
    FAILED = "failed", _("failed")


class SimulationResult(models.Model):
    """The counts of a simulation's games so far; once complete, of every later request for the same games.

    `key` is `Setting.key`: engine, rule numbers, bots by their policies, seed and opener. `summary` is
    `Summary.to_bytes()`, null before the first game.
    """

    key = models.CharField(max_length=64)
    engine = models.CharField(max_length=20)
    games = models.BigIntegerField(default=0)
    complete = models.BooleanField(default=False)
    summary = models.BinaryField(null=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["key", "games"], condition=Q(complete=True), name="result_stored_once"),
        ]


class Simulation(models.Model):
    """A batch of games played by bots, as requested.

    Games are handed out to chunks in order: those below `next_game` are counted in the result or in a chunk's hands.
    """

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    requester = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="simulations"
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
    body_hash = models.CharField(max_length=64, blank=True, editable=False)  # of the POST that brought its own id

    status = models.CharField(max_length=10, choices=Status, default=Status.QUEUED)
    error = models.TextField(blank=True)
    result = models.ForeignKey(SimulationResult, on_delete=models.PROTECT, related_name="simulations")
    games_done = models.BigIntegerField(default=0)
    next_game = models.BigIntegerField(default=0)
    chunk_games = models.PositiveIntegerField(default=0, help_text=_("Games of the next chunk, from the speed so far"))
    pace = models.JSONField(default=list, editable=False)  # the last seconds, as [clock in s, games done]

    created_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True, blank=True)
    running_since = models.DateTimeField(null=True, blank=True)
    ran_seconds = models.FloatField(default=0, help_text=_("Before `running_since`: pauses do not count"))
    finished_at = models.DateTimeField(null=True, blank=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(status__in=Status.values), name="simulation_status_known"),
            models.CheckConstraint(
                condition=Q(games__gte=1, games_done__gte=0, games_done__lte=F("next_game"), next_game__lte=F("games")),
                name="simulation_games",
            ),
            models.CheckConstraint(
                condition=~Q(status=Status.FINISHED) | Q(games_done=F("games")), name="finished_simulation_is_whole"
            ),
            models.UniqueConstraint(
                fields=["game", "edition", "variant", "player_count"],
                condition=Q(reference=True),
                name="one_reference_per_block",
            ),
        ]
        indexes = [models.Index(fields=["status", "created_at"]), models.Index(fields=["created_at", "id"])]

    def __str__(self) -> str:
        return f"{self.game} {self.edition} {self.variant} {self.player_count} {self.id}"


class Chunk(models.Model):
    """A range of a simulation's games that is out: waiting for a worker, or leased by one. Stored, it is gone."""

    simulation = models.ForeignKey(Simulation, on_delete=models.CASCADE, related_name="chunks")
    first_game = models.BigIntegerField()
    games = models.BigIntegerField()
    enqueued_at = models.DateTimeField()
    lease = models.UUIDField(null=True)
    leased_until = models.DateTimeField(null=True)
    worker = models.CharField(max_length=100, blank=True, help_text=_("Host and process that hold the lease"))
    attempts = models.PositiveSmallIntegerField(default=0, help_text=_("Leases taken"))
    errors = models.PositiveSmallIntegerField(default=0, help_text=_("Attempts that raised"))

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["simulation", "first_game"], name="chunk_once"),
            models.CheckConstraint(condition=Q(games__gte=1), name="chunk_has_games"),
            models.CheckConstraint(
                condition=Q(lease__isnull=True, leased_until__isnull=True)
                | Q(lease__isnull=False, leased_until__isnull=False),
                name="chunk_leased_until",
            ),
        ]


class LeagueRun(models.Model):
    """A league of bots, as requested (`league.League`); its rounds are handed out in order."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    requester = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="leagues"
    )
    game = models.CharField(max_length=30)
    edition = models.CharField(max_length=30)
    variant = models.CharField(max_length=40)
    player_count = models.PositiveSmallIntegerField()
    bots = models.JSONField()
    tables = models.CharField(max_length=10)
    rounds = models.PositiveIntegerField()
    deals = models.PositiveBigIntegerField()
    seed = models.BigIntegerField()
    engine = models.CharField(max_length=20)
    made_by = models.JSONField(default=dict)  # `League.made_by` when it was asked for
    body_hash = models.CharField(max_length=64, blank=True, editable=False)  # of the POST that brought its own id

    status = models.CharField(max_length=10, choices=Status, default=Status.QUEUED)
    error = models.TextField(blank=True)
    next_round = models.PositiveIntegerField(default=0)
    rounds_done = models.PositiveIntegerField(default=0)

    created_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(status__in=Status.values), name="league_status_known"),
            models.CheckConstraint(
                condition=Q(rounds_done__lte=F("next_round"), next_round__lte=F("rounds")), name="league_rounds"
            ),
            models.CheckConstraint(
                condition=~Q(status=Status.FINISHED) | Q(rounds_done=F("rounds")), name="finished_league_is_whole"
            ),
        ]
        indexes = [models.Index(fields=["status", "created_at"]), models.Index(fields=["created_at", "id"])]

    def __str__(self) -> str:
        return f"{self.game} {self.edition} {self.variant} {self.player_count} {self.id}"


class LeagueRound(models.Model):
    """A round of a league: `results` (see `league.play_round`) once it is played, until then in a worker's hands.

    Whoever plays it gets the same results, so no lease needs to be proved: the first to store them stores them.
    """

    league = models.ForeignKey(LeagueRun, on_delete=models.CASCADE, related_name="played_rounds")
    number = models.PositiveIntegerField()
    results = models.JSONField(null=True)
    leased_until = models.DateTimeField(null=True)
    worker = models.CharField(max_length=100, blank=True)
    attempts = models.PositiveSmallIntegerField(default=0)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["league", "number"], name="round_once")]


class OpenedGame(models.Model):
    """The record of one game of a simulation whose bots think long, kept for whoever looks next (`stats.opened`)."""

    key = models.CharField(max_length=64, help_text=_("The key of the simulation’s result"))
    index = models.BigIntegerField(help_text=_("The game’s number in it, from 0"))
    record = models.JSONField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["key", "index"], name="opened_game_once")]


class PricedTable(models.Model):
    """What taking a table's best house gains over passing: the sums of the deals played so far (`fair_price.sums_of`).

    `key` is of the engine and the table, whoever asks for it.
    """

    key = models.CharField(max_length=64, unique=True)
    table = models.JSONField()
    sums = models.JSONField(null=True)
    deals = models.PositiveIntegerField(default=0)
    complete = models.BooleanField(default=False)
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)
