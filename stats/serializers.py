"""The JSON of statistics and simulations: parameters and bodies that come in, and what goes out."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext_lazy as _
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from forsale_api import rules
from forsale_api.api.fields import (
    CharField,
    DateField,
    IntegerField,
    QueryBooleanField,
    QueryIntegerField,
    QuerySerializer,
    StrictSerializer,
    UUIDField,
)
from forsale_api.api.paging import PageQuery
from forsale_api.plays.models import DECISIONS
from forsale_api.plays.serializers import (
    EDITIONS,
    GAMES,
    VARIANTS,
    RecordField,
    ScoreSerializer,
    SeatScoreSerializer,
    score_as_json,
)
from forsale_api.rules.for_sale import EDITIONS as FOR_SALE_EDITIONS
from forsale_api.rules.for_sale import VARIANTS as FOR_SALE_VARIANTS
from stats import opened, services
from stats.bots import BOTS
from stats.models import Simulation, Status
from stats.simulation import LARGEST_SEED, MOST_GAMES
from stats.summary import DECISIONS as SIMULATED_DECISIONS

DATA = ("recorded", "simulated")


# ---- what comes in ----------------------------------------------------------------------------------


class KindQuery(QuerySerializer):
    """What figures are never pooled over; left out, there is a block for each."""

    game = serializers.ChoiceField(choices=GAMES, required=False)
    edition = serializers.ChoiceField(choices=EDITIONS, required=False)
    variant = serializers.ChoiceField(choices=VARIANTS, required=False)
    player_count = QueryIntegerField(required=False, min_value=2, max_value=6)


class PlayerQuery(KindQuery):
    """Which plays count; dates are inclusive."""

    played_after = DateField(required=False)
    played_before = DateField(required=False)
    counts = serializers.ChoiceField(
        choices=["true", "all"], required=False, help_text=_("all: plays that do not count as well")
    )


class BlockQuery(PlayerQuery):
    """The filters of figures by block."""

    data = serializers.ChoiceField(  # type: ignore[assignment]  # the field hides what a bound serializer has
        choices=DATA, required=False, help_text=_("recorded, unless said")
    )
    club = serializers.CharField(required=False, max_length=50, help_text=_("A slug; without it, all clubs in public"))


class ScoreQuery(BlockQuery):
    """The filters of score distributions."""

    player = UUIDField(required=False, help_text=_("Plays this player sat in; totals and banknotes are theirs"))
    simulation = UUIDField(required=False, help_text=_("Instead of the reference simulations; goes with simulated"))


class LeaderQuery(PlayerQuery):
    """The filters of the leader board. Its game is For Sale unless said."""

    club = serializers.CharField(required=False, max_length=50)
    min_plays = QueryIntegerField(required=False, min_value=1, max_value=1_000_000)
    limit = QueryIntegerField(required=False, min_value=1, max_value=200)


class ActivityQuery(PlayerQuery):
    """Which club's months, and which plays count."""

    club = serializers.CharField(max_length=50)


class SimulationListQuery(PageQuery, KindQuery):
    """The filters of the list of simulations, newest first."""

    status = serializers.ChoiceField(choices=Status.values, required=False)
    mine = QueryBooleanField(required=False, help_text=_("true: those you asked for"))


@extend_schema_field({"type": "integer", "minimum": 1, "maximum": MOST_GAMES})
class GamesField(IntegerField):
    """How many games; the limit is a setting, and the refusal names it."""


@extend_schema_field(
    {"oneOf": [{"type": "string", "const": "random"}, {"type": "integer", "minimum": 1, "maximum": 6}]}
)
class OpenerField(serializers.Field[Any, Any, Any, Any]):
    """`random` or a seat from 1."""

    default_error_messages = {"invalid": _("“random” or the number of a seat is needed.")}

    def to_internal_value(self, data: Any) -> Any:
        if data != "random" and (isinstance(data, bool) or not isinstance(data, int)):
            self.fail("invalid")
        return data

    def to_representation(self, value: Any) -> Any:
        return value


# What is on offer is documented here and refused by the simulator, whose refusal names it.
SIMULATED_GAMES, SIMULATED_EDITIONS = [services.SIMULATED_GAME], list(FOR_SALE_EDITIONS)


@extend_schema_field({"type": "string", "enum": SIMULATED_GAMES})
class GameField(CharField):
    """The slug of a game that can be simulated."""


@extend_schema_field({"type": "string", "enum": SIMULATED_EDITIONS})
class EditionField(CharField):
    """The slug of an edition."""


@extend_schema_field({"type": "string", "enum": list(FOR_SALE_VARIANTS)})
class VariantField(CharField):
    """The slug of a variant."""


@extend_schema_field({"type": "string", "enum": list(BOTS)})
class BotField(CharField):
    """The slug of a bot."""


@extend_schema_field({"type": "integer", "minimum": 3, "maximum": 6})
class PlayerCountField(IntegerField):
    """How many seats."""


class SimulationBody(StrictSerializer):
    """A request for a simulation. Which values are allowed is for the simulator, which names them."""

    id = UUIDField(required=False, help_text=_("Your own, to be able to repeat the request safely"))
    game = GameField(max_length=30)
    edition = EditionField(max_length=30, required=False)
    variant = VariantField(max_length=40, required=False)
    player_count = PlayerCountField()
    bots = serializers.ListField(child=BotField(max_length=50), max_length=50, help_text=_("One per seat"))
    games = GamesField(min_value=None, max_value=None)
    seed = IntegerField(min_value=0, max_value=LARGEST_SEED, required=False, help_text=_("Drawn if left out"))
    opener = OpenerField(required=False)


# ---- what goes out ----------------------------------------------------------------------------------


def simulation_as_json(simulation: Simulation, user: Any) -> dict[str, Any]:
    """A simulation for a reader: the request, how far it is, and whether the reader may control it."""
    speed, eta = services.games_per_second(simulation), services.eta_seconds(simulation)
    return {
        "id": simulation.pk,
        **services.request_of(simulation),
        "status": simulation.status,
        "error": simulation.error,
        "games_done": simulation.games_done,
        "games_per_second": None if speed is None else round(speed, 1),
        "eta_seconds": None if eta is None else round(eta, 1),
        "engine": simulation.result.engine,
        "reference": simulation.reference,
        "yours": simulation.requester_id is not None and simulation.requester_id == user.pk,
        "created_at": simulation.created_at,
        "started_at": simulation.started_at,
        "finished_at": simulation.finished_at,
    }


def game_as_json(simulation: Simulation, index: int, record: Mapping[str, Any]) -> dict[str, Any]:
    """A simulated game: what was asked for, whose game this is, how it ended, and its moves."""
    score = score_as_json(rules.GAMES[simulation.game], opened.score_of(simulation, record))
    kind = {name: value for name, value in services.request_of(simulation).items() if name != "games"}
    seats = [{**seat, "bot": bot} for seat, bot in zip(score["seats"], simulation.bots, strict=True)]
    return {"simulation": simulation.pk, "game_index": index, **kind, **score, "seats": seats, "record": record}


class BarSerializer(serializers.Serializer[Any]):
    score = serializers.IntegerField()
    count = serializers.IntegerField()


class QuantilesSerializer(serializers.Serializer[Any]):
    """The smallest score whose cumulative share reaches q."""

    p05 = serializers.IntegerField(allow_null=True)
    p25 = serializers.IntegerField(allow_null=True)
    p75 = serializers.IntegerField(allow_null=True)
    p95 = serializers.IntegerField(allow_null=True)


class DistributionSerializer(serializers.Serializer[Any]):
    """A distribution, in thousands of dollars (or points): `n` is the number of values, `se` is over plays."""

    n = serializers.IntegerField()
    mean = serializers.FloatField(allow_null=True)
    se = serializers.FloatField(allow_null=True)
    sd = serializers.FloatField(allow_null=True)
    median = serializers.IntegerField(allow_null=True)
    median_interval = serializers.ListField(
        child=serializers.IntegerField(), min_length=2, max_length=2, allow_null=True
    )
    quantiles = QuantilesSerializer()
    histogram = BarSerializer(many=True)


class ShareSerializer(serializers.Serializer[Any]):
    """A share with its 95 % interval."""

    value = serializers.FloatField(allow_null=True)
    low = serializers.FloatField(allow_null=True)
    high = serializers.FloatField(allow_null=True)
    n = serializers.IntegerField()


class MeanSerializer(serializers.Serializer[Any]):
    n = serializers.IntegerField()
    mean = serializers.FloatField(allow_null=True)
    se = serializers.FloatField(allow_null=True)


def _counts_of(name: str, words: tuple[str, ...]) -> type[serializers.Serializer[Any]]:
    return type(name, (serializers.Serializer,), {word: serializers.IntegerField() for word in words})


DecidedBySerializer = _counts_of("DecidedBySerializer", DECISIONS)
SimulatedDecidedBySerializer = _counts_of("SimulatedDecidedBySerializer", SIMULATED_DECISIONS)


class KindSerializer(serializers.Serializer[Any]):
    """One block; the last fields are there where it is simulated, and say by whom and how much of it is done."""

    game = serializers.ChoiceField(choices=GAMES)
    edition = serializers.ChoiceField(choices=EDITIONS)
    variant = serializers.ChoiceField(choices=VARIANTS)
    player_count = serializers.IntegerField()
    plays = serializers.IntegerField()
    simulation = serializers.UUIDField(required=False)
    bots = serializers.ListField(child=serializers.CharField(), required=False)
    seed = serializers.IntegerField(required=False)
    opener = OpenerField(required=False)
    games = serializers.IntegerField(required=False, help_text=_("Done so far"))
    games_requested = serializers.IntegerField(required=False)
    complete = serializers.BooleanField(required=False)
    engine = serializers.CharField(required=False)


class ScoreBlockSerializer(KindSerializer):
    total = DistributionSerializer()
    winning_total = DistributionSerializer()
    margin = DistributionSerializer()
    banknotes = DistributionSerializer()
    decided_by = DecidedBySerializer()


class WinsSerializer(serializers.Serializer[Any]):
    wins = serializers.IntegerField(help_text=_("Alone"))
    shared_wins = serializers.IntegerField()
    win_share = ShareSerializer()


class PlayerBlockSerializer(ScoreBlockSerializer, WinsSerializer):
    """A player's block: totals and banknotes are theirs, the rest is of the plays they sat in."""


class PositionSerializer(serializers.Serializer[Any]):
    """A position in turn order; 1 opens the first auction."""

    position = serializers.IntegerField()
    win_share = ShareSerializer()


class RecordedPositionSerializer(PositionSerializer):
    total = DistributionSerializer(allow_null=True)
    banknotes = DistributionSerializer(allow_null=True)


class PositionBlockSerializer(KindSerializer):
    positions = RecordedPositionSerializer(many=True)


class HouseSerializer(serializers.Serializer[Any]):
    """Thousands of dollars paid for a house, and of the cheque it fetched."""

    house = serializers.IntegerField()
    price = MeanSerializer()
    cheque = MeanSerializer()


class HouseBlockSerializer(KindSerializer):
    houses = HouseSerializer(many=True)


class NamedPlayerSerializer(serializers.Serializer[Any]):
    id = serializers.UUIDField()
    name = serializers.CharField()
    club = serializers.CharField()


class MeanTotalSerializer(MeanSerializer):
    low = serializers.FloatField(allow_null=True, help_text=_("Lower end of its 95 per cent interval"))
    high = serializers.FloatField(allow_null=True)


class RatingSerializer(serializers.Serializer[Any]):
    """A rating by OpenSkill (25 to begin with), its standard deviation and its 95 % interval."""

    value = serializers.FloatField()
    sigma = serializers.FloatField()
    low = serializers.FloatField()
    high = serializers.FloatField()


class LeaderSerializer(WinsSerializer):
    player = NamedPlayerSerializer()
    plays = serializers.IntegerField()
    expected_share = serializers.FloatField(help_text=_("What luck alone would win at tables of these sizes"))
    adjusted_share = serializers.FloatField(
        help_text=_("What the order follows: the share of wins if `lucky_plays` more plays had gone as luck has it")
    )
    mean_total = MeanTotalSerializer()
    rating = RatingSerializer(allow_null=True, help_text=_("After the last counted play; null before it"))


class SittingSerializer(serializers.Serializer[Any]):
    """A play as one player remembers it."""

    play = serializers.UUIDField()
    played_on = serializers.DateField()
    game = serializers.ChoiceField(choices=GAMES)
    edition = serializers.ChoiceField(choices=EDITIONS)
    variant = serializers.ChoiceField(choices=VARIANTS)
    player_count = serializers.IntegerField()
    total = serializers.IntegerField()
    rank = serializers.IntegerField()
    is_winner = serializers.BooleanField()


class PlacedSerializer(serializers.Serializer[Any]):
    """How often the player was placed ahead of others of the table, behind them, or level with them."""

    ahead = serializers.IntegerField()
    behind = serializers.IntegerField()
    level = serializers.IntegerField()


class OpponentSerializer(PlacedSerializer):
    player = NamedPlayerSerializer()
    plays = serializers.IntegerField()
    ahead_share = ShareSerializer(help_text=_("Placed ahead; level counts half"))


class RatedPlaySerializer(RatingSerializer):
    play = serializers.UUIDField()
    played_on = serializers.DateField()


class PlaysOfKindSerializer(serializers.Serializer[Any]):
    game = serializers.ChoiceField(choices=GAMES)
    edition = serializers.ChoiceField(choices=EDITIONS)
    variant = serializers.ChoiceField(choices=VARIANTS)
    player_count = serializers.IntegerField()
    plays = serializers.IntegerField()


class MonthSerializer(serializers.Serializer[Any]):
    month = serializers.CharField(help_text=_("Year and month, 2026-11"))
    plays = serializers.IntegerField()
    days = serializers.IntegerField(help_text=_("On how many days something was played"))
    kinds = PlaysOfKindSerializer(many=True)


class _Answer(serializers.Serializer[Any]):
    filters = serializers.DictField(help_text=_("The filters in force; null does not narrow"))
    as_of = serializers.DateTimeField(help_text=_("When these figures last changed"))


class ScoresSerializer(_Answer):
    results = ScoreBlockSerializer(many=True)


class PositionsSerializer(_Answer):
    results = PositionBlockSerializer(many=True)


class HousesSerializer(_Answer):
    results = HouseBlockSerializer(many=True)


class LeaderBoardSerializer(_Answer):
    lucky_plays = serializers.IntegerField(help_text=_("Plays as luck has it that each adjusted share is pulled by"))
    results = LeaderSerializer(many=True)


class PlayerFiguresSerializer(_Answer):
    player = NamedPlayerSerializer()
    results = PlayerBlockSerializer(many=True)
    form = SittingSerializer(many=True, help_text=_("The latest plays, latest first"))
    best = SittingSerializer(many=True, help_text=_("The highest total of each game"))
    placed = PlacedSerializer()
    opponents = OpponentSerializer(many=True, help_text=_("Whom the player met, most often first"))
    ratings = RatedPlaySerializer(many=True, help_text=_("After each counted play, oldest first"))


class ActivitySerializer(_Answer):
    results = MonthSerializer(many=True, help_text=_("Every month from the first with a play to the last"))


class BotSerializer(serializers.Serializer[Any]):
    bot = serializers.CharField()
    name = serializers.CharField()
    description = serializers.CharField()


class SimulatedKindSerializer(serializers.Serializer[Any]):
    game = serializers.ChoiceField(choices=GAMES)
    edition = serializers.ChoiceField(choices=EDITIONS)
    variant = serializers.ChoiceField(choices=VARIANTS)
    player_count = serializers.IntegerField()
    bots = serializers.ListField(child=serializers.CharField())
    seed = serializers.IntegerField()
    opener = OpenerField()


class RequestSerializer(SimulatedKindSerializer):
    games = serializers.IntegerField()


class GameSeatSerializer(SeatScoreSerializer):
    bot = serializers.CharField()


class SimulatedGameSerializer(SimulatedKindSerializer, ScoreSerializer):
    simulation = serializers.UUIDField()
    game_index = serializers.IntegerField(help_text=_("From 0"))
    seats = GameSeatSerializer(many=True)
    record = RecordField()


class SimulationSerializer(RequestSerializer):
    id = serializers.UUIDField()
    status = serializers.ChoiceField(choices=Status.values)
    error = serializers.CharField()
    games_done = serializers.IntegerField()
    games_per_second = serializers.FloatField(allow_null=True)
    eta_seconds = serializers.FloatField(allow_null=True)
    engine = serializers.CharField()
    reference = serializers.BooleanField()
    yours = serializers.BooleanField(help_text=_("Whether you asked for it and may control it"))
    created_at = serializers.DateTimeField()
    started_at = serializers.DateTimeField(allow_null=True)
    finished_at = serializers.DateTimeField(allow_null=True)


class SimulatedSeatSerializer(serializers.Serializer[Any]):
    seat = serializers.IntegerField()
    bot = serializers.CharField()
    total = DistributionSerializer()
    banknotes = DistributionSerializer()
    win_share = ShareSerializer()
    ranks = serializers.ListField(child=serializers.IntegerField(), help_text=_("Games by rank, from 1"))


class OverallSerializer(serializers.Serializer[Any]):
    total = DistributionSerializer()
    winning_total = DistributionSerializer()
    margin = DistributionSerializer()
    banknotes = DistributionSerializer()


class TieSerializer(serializers.Serializer[Any]):
    """Whether the tie-break, most banknotes left, favours somebody among those level at the top total."""

    level = ShareSerializer(help_text=_("Games in which it is level with others at the top total"))
    win_share = ShareSerializer(help_text=_("What it wins of those games, a win shared by k counting 1/k"))
    even_share = serializers.FloatField(
        allow_null=True, help_text=_("What it would win of them if each of those level had the same chance")
    )
    gain = MeanSerializer(help_text=_("The one less the other, over those games"))


class PositionTieSerializer(TieSerializer):
    position = serializers.IntegerField()


class SeatTieSerializer(TieSerializer):
    seat = serializers.IntegerField()


class TiesSerializer(serializers.Serializer[Any]):
    games = serializers.IntegerField(help_text=_("Not decided by the total alone"))
    positions = PositionTieSerializer(many=True)
    seats = SeatTieSerializer(many=True)


class ResultsSerializer(serializers.Serializer[Any]):
    request = RequestSerializer()
    engine = serializers.CharField()
    edition_hash = serializers.CharField(help_text=_("Of the edition’s rule numbers"))
    bot_hashes = serializers.DictField(
        child=serializers.CharField(), help_text=_("Of each bot’s policy: another hash, another bot by that name")
    )
    games = serializers.IntegerField(help_text=_("Done so far"))
    complete = serializers.BooleanField()
    overall = OverallSerializer()
    seats = SimulatedSeatSerializer(many=True)
    positions = PositionSerializer(many=True)
    decided_by = SimulatedDecidedBySerializer()
    ties = TiesSerializer()
    houses = HouseSerializer(many=True)
