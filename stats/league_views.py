"""The API of leagues: asked for, watched, held and read as simulations are."""

from typing import Any, cast
from uuid import UUID

from django.urls import reverse
from django.utils.translation import gettext_lazy as _
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from forsale_api.api.fields import IntegerField, QueryBooleanField, StrictSerializer, UUIDField
from forsale_api.api.paging import PageQuery
from forsale_api.api.schema import page_of
from forsale_api.api.views import APIView, idempotent
from forsale_api.clubs.models import User
from forsale_api.plays.serializers import EDITIONS, GAMES, VARIANTS
from stats import league_services as services
from stats.league import MOST_BOTS, TABLES
from stats.models import LeagueRun, Status
from stats.serializers import (
    BotField,
    EditionField,
    GameField,
    KindQuery,
    PlayerCountField,
    VariantField,
)
from stats.simulation import LARGEST_SEED
from stats.views import Control, listed, polled

# ---- bodies -----------------------------------------------------------------------------------------


class LeagueListQuery(PageQuery, KindQuery):
    """The filters of the list of leagues, newest first."""

    status = serializers.ChoiceField(choices=Status.values, required=False)
    mine = QueryBooleanField(required=False, help_text=_("true: those you asked for"))


class TablesField(serializers.ChoiceField):
    """Who sits with whom. Refused by the league, which names what there is."""

    def to_internal_value(self, data: Any) -> Any:
        return data if isinstance(data, str) else super().to_internal_value(data)


class LeagueBody(StrictSerializer):
    """A request for a league. Which values are allowed is for the league, which names them."""

    id = UUIDField(required=False, help_text=_("Your own, to be able to repeat the request safely"))
    game = GameField(max_length=30, default="for-sale")
    edition = EditionField(max_length=30, required=False)
    variant = VariantField(max_length=40, required=False)
    player_count = PlayerCountField(help_text=_("Seats at each table"))
    bots = serializers.ListField(child=BotField(max_length=50), max_length=50, help_text=_("Each once"))
    tables = TablesField(
        choices=TABLES,
        required=False,
        help_text=_("mixed: drawn anew in each round; duels: each bot alone among each other"),
    )
    rounds = IntegerField(required=False, help_text=_("From 2 on; their number is what makes the errors small"))
    deals = IntegerField(required=False, help_text=_("At each table of a round, each played in every rotation"))
    seed = IntegerField(min_value=0, max_value=LARGEST_SEED, required=False, help_text=_("Drawn if left out"))


class LeagueSerializer(serializers.Serializer[Any]):
    """A league and how far it is."""

    id = serializers.UUIDField()
    game = serializers.ChoiceField(choices=GAMES)
    edition = serializers.ChoiceField(choices=EDITIONS)
    variant = serializers.ChoiceField(choices=VARIANTS)
    player_count = serializers.IntegerField()
    bots = serializers.ListField(child=serializers.CharField(), max_length=MOST_BOTS)
    tables = serializers.ChoiceField(choices=TABLES)
    rounds = serializers.IntegerField()
    deals = serializers.IntegerField()
    seed = serializers.IntegerField()
    status = serializers.ChoiceField(choices=Status.values)
    error = serializers.CharField()
    rounds_done = serializers.IntegerField()
    games = serializers.IntegerField()
    games_done = serializers.IntegerField()
    engine = serializers.CharField()
    yours = serializers.BooleanField(help_text=_("Whether you asked for it and may control it"))
    created_at = serializers.DateTimeField()
    finished_at = serializers.DateTimeField(allow_null=True)


class EstimateSerializer(serializers.Serializer[Any]):
    """A figure with its standard error and 95 % interval over rounds; null below two rounds."""

    value = serializers.FloatField(allow_null=True)
    se = serializers.FloatField(allow_null=True)
    low = serializers.FloatField(allow_null=True)
    high = serializers.FloatField(allow_null=True)


class WinShareSerializer(EstimateSerializer):
    n = serializers.IntegerField(help_text=_("Seats the bot has held, one a game"))


class StandingSerializer(serializers.Serializer[Any]):
    place = serializers.IntegerField()
    bot = serializers.CharField()
    rating = EstimateSerializer(help_text=_("400 log10 of the strength in Luce's choice model, 1500 on average"))
    win_share = WinShareSerializer(help_text=_("Of a seat; a shared win counts 1/k"))
    lead = EstimateSerializer(allow_null=True, help_text=_("How much more of the wins than the next bot, same deals"))
    mean_total = EstimateSerializer(help_text=_("Thousands of dollars"))
    mean_rank = EstimateSerializer()


class DuelSerializer(serializers.Serializer[Any]):
    """One bot alone among copies of another: its share of the wins as a multiple of a fair share."""

    bot = serializers.CharField()
    among = serializers.CharField()
    times_fair = EstimateSerializer()


class LeagueTableSerializer(serializers.Serializer[Any]):
    request = serializers.DictField()
    engine = serializers.CharField()
    edition_hash = serializers.CharField(help_text=_("Of the edition’s rule numbers"))
    bot_hashes = serializers.DictField(
        child=serializers.CharField(), help_text=_("Of each bot’s policy: another hash, another bot by that name")
    )
    rounds = serializers.IntegerField(help_text=_("Played so far"))
    games = serializers.IntegerField(help_text=_("Done so far"))
    complete = serializers.BooleanField()
    fair_share = serializers.FloatField()
    model = serializers.CharField(help_text=_("Names the model of the ratings; docs/league.md states it"))
    results = StandingSerializer(many=True)
    duels = DuelSerializer(many=True)


def league_as_json(run: LeagueRun, user: Any) -> dict[str, Any]:
    """A league for a reader."""
    league = services.league_of(run)
    return {
        **league.as_dict(),
        "id": run.pk,
        "status": run.status,
        "error": run.error,
        "rounds_done": run.rounds_done,
        "games": league.games,
        "games_done": run.rounds_done * league.games_a_round,
        "engine": run.engine,
        "yours": run.requester_id is not None and run.requester_id == user.pk,
        "created_at": run.created_at,
        "finished_at": run.finished_at,
    }


# ---- views ------------------------------------------------------------------------------------------


class Leagues(APIView):
    """Bots against each other, on the same deals, from every seat. Everybody may read them."""

    query_serializer = LeagueListQuery
    scopes = {"POST": "simulations:write"}
    problems = {"POST": (409,)}

    @extend_schema(responses={200: page_of(LeagueSerializer)})
    def get(self, request: Request) -> Response:
        return listed(request, self.query, LeagueRun.objects.all(), league_as_json)

    @extend_schema(request=LeagueBody, responses={202: LeagueSerializer})
    @idempotent
    def post(self, request: Request) -> Response:
        body = LeagueBody(data=request.data)
        body.is_valid(raise_exception=True)
        run = services.request_league(requester=cast(User, request.user), **body.validated_data)
        response = _shown(run, request, status=202)
        response["Location"] = request.build_absolute_uri(reverse("league", args=[run.pk]))
        return response


class OneLeague(APIView):
    """A league and how far it is. While it is to be polled, it says when (Retry-After)."""

    @extend_schema(responses={200: LeagueSerializer})
    def get(self, request: Request, id: UUID) -> Response:
        return _shown(_league(id), request)


class LeagueTable(APIView):
    """The table of the rounds played so far, best rating first; `complete` says whether that is all."""

    problems = {"GET": (409,)}

    @extend_schema(responses={200: LeagueTableSerializer})
    def get(self, request: Request, id: UUID) -> Response:
        run = _league(id)
        return polled(Response(services.table_of(run)), run)


@extend_schema(request=None, responses={200: OpenApiResponse(LeagueSerializer)})
class _Control(Control):
    show = league_as_json


class CancelLeague(_Control):
    """Ends a league where it is. The table so far remains to be read."""

    act = services.cancel


class PauseLeague(_Control):
    """Holds a league."""

    act = services.pause


class ResumeLeague(_Control):
    """Goes on with a league that was held."""

    act = services.resume


def _league(id: UUID) -> LeagueRun:
    run = LeagueRun.objects.filter(pk=id).first()
    if run is None:
        raise services.no_such_league()
    return run


def _shown(run: LeagueRun, request: Request, *, status: int = 200) -> Response:
    return polled(Response(league_as_json(run, request.user), status=status), run)
