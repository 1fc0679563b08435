"""The API of statistics and simulations. A view translates in, makes one call, translates out."""

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, cast
from uuid import UUID

from django.db.models import Q, QuerySet
from django.urls import reverse
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from forsale_api.api.paging import page
from forsale_api.api.permissions import viewer
from forsale_api.api.schema import page_of
from forsale_api.api.views import APIView, idempotent
from forsale_api.clubs.models import User
from forsale_api.plays.serializers import in_language
from stats import aggregates, opened, serializers, services
from stats.bots import BOTS
from stats.freshness import fresh_or_unchanged
from stats.models import LeagueRun, Simulation

POLL_SECONDS = "1"


# ---- statistics -------------------------------------------------------------------------------------


class Scores(APIView):
    """Score distributions, recorded or simulated: one block per edition, variant and player count."""

    query_serializer = serializers.ScoreQuery
    problems = {"GET": (404, 409)}

    @extend_schema(responses={200: serializers.ScoresSerializer})
    def get(self, request: Request) -> Response:
        return fresh_or_unchanged(
            request, self.query, lambda: aggregates.score_blocks(self.query, viewer=viewer(request))
        )


class Positions(APIView):
    """How each position in turn order fares, from plays that know their first seat."""

    query_serializer = serializers.BlockQuery
    problems = {"GET": (404,)}

    @extend_schema(responses={200: serializers.PositionsSerializer})
    def get(self, request: Request) -> Response:
        return fresh_or_unchanged(
            request, self.query, lambda: aggregates.seat_blocks(self.query, viewer=viewer(request))
        )


class Houses(APIView):
    """What was paid for each house and the cheque it fetched, from plays with a record."""

    query_serializer = serializers.BlockQuery
    problems = {"GET": (404,)}

    @extend_schema(responses={200: serializers.HousesSerializer})
    def get(self, request: Request) -> Response:
        return fresh_or_unchanged(
            request, self.query, lambda: aggregates.house_blocks(self.query, viewer=viewer(request))
        )


class Leaders(APIView):
    """Players by their share of wins, of one club or of all public ones."""

    query_serializer = serializers.LeaderQuery
    problems = {"GET": (404,)}

    @extend_schema(responses={200: serializers.LeaderBoardSerializer})
    def get(self, request: Request) -> Response:
        return fresh_or_unchanged(
            request, self.query, lambda: aggregates.leader_board(self.query, viewer=viewer(request)), rated=True
        )


class OnePlayer(APIView):
    """One player's scores and wins, by edition, variant and player count."""

    query_serializer = serializers.PlayerQuery

    @extend_schema(responses={200: serializers.PlayerFiguresSerializer})
    def get(self, request: Request, id: UUID) -> Response:
        return fresh_or_unchanged(
            request,
            {**self.query, "player": id},
            lambda: aggregates.player_figures(id, self.query, viewer=viewer(request)),
            rated=True,
        )


class Activity(APIView):
    """How many plays a club logged, month by month."""

    query_serializer = serializers.ActivityQuery
    problems = {"GET": (404,)}

    @extend_schema(responses={200: serializers.ActivitySerializer})
    def get(self, request: Request) -> Response:
        return fresh_or_unchanged(request, self.query, lambda: aggregates.activity(self.query, viewer=viewer(request)))


# ---- simulations ------------------------------------------------------------------------------------


class Bots(APIView):
    """The bots that simulations are played by."""

    @extend_schema(responses={200: page_of(serializers.BotSerializer)})
    def get(self, request: Request) -> Response:
        bots = [
            {"bot": bot.slug, "name": dict(bot.names), "description": dict(bot.description)} for bot in BOTS.values()
        ]
        return Response({"next": None, "previous": None, "results": in_language(bots)})


class Simulations(APIView):
    """Batches of games played by bots. Everybody may read them."""

    query_serializer = serializers.SimulationListQuery
    scopes = {"POST": "simulations:write"}
    problems = {"POST": (409,)}

    @extend_schema(responses={200: page_of(serializers.SimulationSerializer)})
    def get(self, request: Request) -> Response:
        simulations = Simulation.objects.select_related("result")
        return listed(request, self.query, simulations, serializers.simulation_as_json)

    @extend_schema(request=serializers.SimulationBody, responses={202: serializers.SimulationSerializer})
    @idempotent
    def post(self, request: Request) -> Response:
        body = serializers.SimulationBody(data=request.data)
        body.is_valid(raise_exception=True)
        simulation = services.request_simulation(requester=cast(User, request.user), **body.validated_data)
        response = _shown(simulation, request, status=202)
        response["Location"] = request.build_absolute_uri(reverse("simulation", args=[simulation.pk]))
        return response


class OneSimulation(APIView):
    """A simulation and how far it is. While it is to be polled, it says when (Retry-After)."""

    @extend_schema(responses={200: serializers.SimulationSerializer})
    def get(self, request: Request, id: UUID) -> Response:
        return _shown(_simulation(id), request)


class Results(APIView):
    """The results of the games done so far; `complete` says whether that is all."""

    problems = {"GET": (409,)}

    @extend_schema(responses={200: serializers.ResultsSerializer})
    def get(self, request: Request, id: UUID) -> Response:
        simulation = _simulation(id)
        return polled(Response(services.results_of(simulation)), simulation)


class Game(APIView):
    """One game of a simulation, played again: its record, which can be posted as a play, and how it ended.

    Games are numbered from 0. Where a bot thinks long, the game is played first (409 with Retry-After).
    """

    problems = {"GET": (404, 409)}

    @extend_schema(responses={200: serializers.SimulatedGameSerializer})
    def get(self, request: Request, id: UUID, index: int) -> Response:
        simulation = _simulation(id)
        record = opened.open_game(simulation, index)
        return Response(serializers.game_as_json(simulation, index, record))


class Control(APIView):
    """A POST without a body that controls a simulation or a league; only whoever asked for it may."""

    scopes = {"POST": "simulations:write"}
    problems = {"POST": (409,)}
    act: ClassVar[Any]
    show: ClassVar[Any]

    def post(self, request: Request, id: UUID) -> Response:
        run = type(self).act(id=id, requester=request.user)
        return polled(Response(type(self).show(run, request.user)), run)


@extend_schema(request=None, responses={200: OpenApiResponse(serializers.SimulationSerializer)})
class _Control(Control):
    show = serializers.simulation_as_json


class Cancel(_Control):
    """Ends a simulation where it is. The games done so far remain to be read."""

    act = services.cancel


class Pause(_Control):
    """Holds a simulation: its count of games stands still."""

    act = services.pause


class Resume(_Control):
    """Goes on with a simulation that was held."""

    act = services.resume


def _simulation(id: UUID) -> Simulation:
    simulation = Simulation.objects.select_related("result").filter(pk=id).first()
    if simulation is None:
        raise services.no_such_simulation()
    return simulation


def _shown(simulation: Simulation, request: Request, *, status: int = 200) -> Response:
    return polled(Response(serializers.simulation_as_json(simulation, request.user), status=status), simulation)


# ---- simulations and leagues alike ------------------------------------------------------------------


def listed(request: Request, query: Mapping[str, Any], runs: QuerySet[Any], as_json: Callable[..., Any]) -> Response:
    """A page of simulations or leagues, newest first, by the filters that both have."""
    if "mine" in query:
        mine = Q(requester__isnull=False, requester=request.user.pk)
        runs = runs.filter(mine if query["mine"] else ~mine)
    names = ("game", "edition", "variant", "player_count", "status")
    runs = runs.filter(**{name: query[name] for name in names if name in query})

    def show(rows: Any) -> list[Any]:
        return [as_json(row, request.user) for row in rows]

    return Response(page(request, runs, ordering="-created_at", query=dict(query), show=show))


def polled(response: Response, run: Simulation | LeagueRun) -> Response:
    """The answer, saying when to ask again while it is being played."""
    if run.status in services.ACTIVE:
        response["Retry-After"] = POLL_SECONDS
    return response
