"""The API of games, scores and plays. A view translates in, makes one call, translates out."""

import hashlib
import json
from collections.abc import Callable, Sequence
from typing import Any, cast
from uuid import UUID

from django.db import connection, transaction
from django.db.models import Exists, OuterRef, Prefetch, Q, QuerySet, prefetch_related_objects
from django.http import Http404
from django.utils.translation import gettext
from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import NotAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response

from forsale_api import rules
from forsale_api.api.paging import as_uuid, page
from forsale_api.api.permissions import MissingScope, has_scope, viewer
from forsale_api.api.problems import Problem
from forsale_api.api.schema import page_of
from forsale_api.api.views import APIView, conditional, etag, idempotent, tag_of, unchanged
from forsale_api.clubs.models import Club, Membership, Player, User, Visibility, name_key
from forsale_api.clubs.seasons import plays_in, season_for
from forsale_api.clubs.services import (
    known_players,
    listed_clubs,
    lives_on_as,
    membership,
    no_such_club,
    require_member,
    visible_clubs,
)
from forsale_api.plays import serializers, services
from forsale_api.plays.models import Play, PlayChange, Seat

SEATS = Prefetch("seats", Seat.objects.select_related("player"))


# ---- games ------------------------------------------------------------------------------------------


class Games(APIView):
    """The games, with what each offers."""

    @extend_schema(responses={200: page_of(serializers.GameSerializer)})
    def get(self, request: Request) -> Response:
        games = [serializers.in_language(game.describe()) for game in rules.GAMES.values()]
        return Response({"next": None, "previous": None, "results": games})


class Game(APIView):
    """One game: editions with their numbers per player count, variants, the fields of its sheet."""

    @extend_schema(responses={200: serializers.GameSerializer})
    def get(self, request: Request, game: str) -> Response:
        return Response(serializers.in_language(_game(game).describe()))


class ScoreSheet(APIView):
    """Scores a sheet or a record. Nothing is stored and no token is needed."""

    problems = {"POST": (422,)}

    @extend_schema(request=serializers.ScoreRequest, responses={200: serializers.ScoreSerializer})
    def post(self, request: Request, game: str) -> Response:
        played = _game(game)
        asked = serializers.ScoreRequest.validated(request.data)
        score = played.score(
            edition=asked.get("edition", played.default_edition),
            variant=asked["variant"],
            seats=serializers.ScoreRequest.entries(asked),
            record=asked["record"],
            reported_winners=asked["reported_winners"],
        )
        return Response(serializers.score_as_json(played, score))


def _game(slug: str) -> rules.Game:
    if slug not in rules.GAMES:
        raise Http404
    return rules.GAMES[slug]


# ---- plays ------------------------------------------------------------------------------------------


class Plays(APIView):
    """Plays of the clubs the caller may see. Unlisted clubs' plays show only where `club` names the club."""

    query_serializer = serializers.PlayListQuery
    scopes = {"POST": "plays:write"}
    problems = {"GET": (401, 403, 404), "POST": (404,)}

    @extend_schema(responses={200: serializers.PlayPageSerializer})
    def get(self, request: Request) -> Response:
        include: set[str] = self.query.get("include", set())
        plays = filtered_plays(request, self.query).select_related("club").prefetch_related(SEATS)
        if "deleted" not in include:
            plays = plays.filter(deleted_at=None)
        if "record" not in include:
            plays = plays.defer("record")
        inside = clubs_of(viewer(request))

        def show(rows: Sequence[Play]) -> list[Any]:
            return [
                serializers.play_as_json(
                    play,
                    shows_notes=play.club.notes_public or play.club_id in inside,
                    with_record="record" in include,
                )
                if play.deleted_at is None
                else serializers.tombstone_as_json(play)
                for play in rows
            ]

        return Response(page(request, plays, ordering=self.query["ordering"], query=self.query, show=show))

    @extend_schema(
        request=serializers.PlayBody, responses={200: serializers.PlaySerializer, 201: serializers.PlaySerializer}
    )
    @idempotent
    def post(self, request: Request) -> Response:
        facts = serializers.PlayBody.facts(request.data)
        slug = facts.pop("club")
        players = known_players(request.user, slug, [seat.player or "" for seat in facts["seats"]])
        club = players[0].club if players else require_member(request.user, slug, place=("club",)).club
        play, created = services.record_play(
            club=club,
            players=players,
            recorder=cast(User, request.user),  # the scope needs a caller
            body_hash=hash_of(request.data) if "id" in facts else "",
            **facts,
        )
        return _answer(request, play, status=201 if created else 200)


class OnePlay(APIView):
    """One play, with its record."""

    scopes = {"PATCH": "plays:write", "DELETE": "plays:write"}
    problems = {"GET": (403,), "PATCH": (409, 422)}

    @extend_schema(responses={200: serializers.PlaySerializer})
    def get(self, request: Request, id: UUID) -> Response:
        return _shown_or_unchanged(request, id, _shown)

    @extend_schema(request=serializers.PlayPatch, responses={200: serializers.PlaySerializer})
    @transaction.atomic
    def patch(self, request: Request, id: UUID) -> Response:
        play, _role = services.play_to_change(request.user, id)
        self.check_if_match(request, _tag(play, inside=True))
        changes = serializers.PlayPatch.facts(request.data)
        return _answer(request, services.change_play(play, user=cast(User, request.user), changes=changes))

    @extend_schema(responses={204: None})
    @transaction.atomic
    def delete(self, request: Request, id: UUID) -> Response:
        play, role = services.play_to_change(request.user, id)
        self.check_if_match(request, _tag(play, inside=True))
        services.delete_play(play, role)
        return Response(status=204)


class Restore(APIView):
    """Brings a deleted play back."""

    scopes = {"POST": "plays:write"}

    @extend_schema(request=None, responses={200: serializers.PlaySerializer})
    @idempotent
    @transaction.atomic
    def post(self, request: Request, id: UUID) -> Response:
        play, role = services.play_to_change(request.user, id, deleted=True)
        return _answer(request, services.restore_play(play, role))


class History(APIView):
    """Who changed what of a play, oldest first. Members may read that of a deleted play, too."""

    query_serializer = serializers.HistoryQuery
    problems = {"GET": (403,)}

    @extend_schema(responses={200: page_of(serializers.ChangeSerializer)})
    def get(self, request: Request, id: UUID) -> Response:
        play, inside = readable_play(request, id, deleted=True)
        changes = PlayChange.objects.filter(play=play).select_related("user")

        def show(rows: Sequence[PlayChange]) -> list[Any]:
            names = _names_in(rows)
            return [
                serializers.change_as_json(
                    change, names=names, inside=inside, shows_notes=inside or play.club.notes_public
                )
                for change in rows
            ]

        return Response(page(request, changes, ordering="version", query=self.query, show=show))


class Scores(APIView):
    """The small form of a play's result, for widgets."""

    problems = {"GET": (403,)}

    @extend_schema(responses={200: serializers.WidgetSerializer})
    def get(self, request: Request, id: UUID) -> Response:
        def show(play: Play, *, inside: bool) -> dict[str, Any]:
            prefetch_related_objects([play], SEATS)
            return serializers.widget_as_json(play)

        return _shown_or_unchanged(request, id, show)


# ---- what the caller may see ------------------------------------------------------------------------


def readable_play(request: Request, play_id: UUID, *, deleted: bool = False) -> tuple[Play, bool]:
    """The play without its record and seats, and whether the caller reads it as a member of its club.

    Raises `NotFound` (404) where there is none or the caller may not see it, `MissingScope` (403) where a member's
    token does not let them read. `deleted`: members get a deleted play, too.
    """
    reader = viewer(request)
    plays = Play.objects.select_related("club").filter(pk=play_id).defer("record")
    if reader.is_authenticated:
        mine = Membership.objects.filter(club=OuterRef("club"), user=reader)
        plays = plays.annotate(read_by_member=Exists(mine))
    play = plays.first()
    if play is None:
        raise services.no_such_play()
    inside = getattr(play, "read_by_member", False)
    if not inside and play.club.visibility == Visibility.PRIVATE:
        _refuse_missing_scope(request, play.club)
        raise services.no_such_play()
    if play.deleted_at is not None and not (deleted and inside):
        raise services.no_such_play()
    return play, inside


def _refuse_missing_scope(request: Request, club: Club) -> None:
    """A member whose token lacks plays:read is told so; to others the club does not exist."""
    if not has_scope(request, "plays:read") and membership(request.user, club) is not None:
        raise MissingScope(("plays:read",))


def clubs_of(reader: Any) -> set[int]:
    if not reader.is_authenticated:
        return set()
    return set(Membership.objects.filter(user=reader).values_list("club", flat=True))


def filtered_plays(request: Request, query: dict[str, Any]) -> QuerySet[Play]:
    """The plays that the caller may see and the filters leave."""
    reader = viewer(request)
    plays = Play.objects.all()
    club = None
    if "club" in query:
        club = visible_clubs(reader).filter(slug=query["club"]).first()
        if club is None:
            hidden = Club.objects.filter(slug=query["club"]).first()
            if hidden is not None:
                _refuse_missing_scope(request, hidden)
            raise no_such_club(query["club"], ("club",))
        plays = plays.filter(club=club)
    else:
        plays = plays.filter(club__in=listed_clubs(reader))
    plays = plays.filter(
        **{
            name: query[name]
            for name in ("game", "edition", "variant", "player_count", "level", "counts")
            if name in query
        }
    )
    for name, lookup in (
        ("played_after", "played_on__gte"),
        ("played_before", "played_on__lte"),
        ("updated_after", "updated_at__gte"),
    ):
        if name in query:
            plays = plays.filter(**{lookup: query[name]})
    if "season" in query:
        plays = plays.filter(plays_in(season_for(reader, query["season"])))
    if "player" in query:
        player = _player(query["player"], club)
        plays = plays.filter(_sits(player=player)) if player is not None else plays.none()
    if query.get("mine"):
        if not request.user.is_authenticated:
            raise NotAuthenticated
        if not has_scope(request, "plays:read"):
            raise MissingScope(("plays:read",))
        plays = plays.filter(Q(recorder=request.user) | _sits(player__user=request.user))
    return plays


def _sits(**who: Any) -> Q:
    return Q(Exists(Seat.objects.filter(play=OuterRef("pk"), **who)))


def _player(name_or_id: str, club: Club | None) -> Player | None:
    """Whom a filter means: an old name or id means the one that its player turned out to be."""
    players = Player.objects.select_related("merged_into")
    key = as_uuid(name_or_id)
    if key is not None:
        found = players.filter(pk=key).first()
    elif club is None:
        raise Problem(
            gettext("Give the id of a player, or name the club as well."), code="player-needs-club", place=("player",)
        )
    else:
        found = players.filter(club=club, name_key=name_key(name_or_id)).first()
    return lives_on_as(found) if found is not None else None


# ---- answers ----------------------------------------------------------------------------------------


def _tag(play: Play, *, inside: bool) -> str:
    """The state of a play as this caller sees it. A renamed player makes a new version, too."""
    return _tag_of(play.version, inside or play.club.notes_public, play.club.slug)


def _tag_of(version: int, shows_notes: bool, slug: str) -> str:
    return tag_of(version, bool(shows_notes), slug)


def _shown_or_unchanged(request: Request, id: UUID, show: Callable[..., dict[str, Any]]) -> Response:
    """The answer to a GET of a play; of one that the caller has, next to nothing is read."""
    if "If-None-Match" in request.headers:
        tag = _tag_now(request, id)
        if tag is not None and unchanged(request, tag):
            return Response(status=304, headers={"ETag": etag(tag)})
    play, inside = readable_play(request, id)
    return conditional(request, _tag(play, inside=inside), lambda: show(play, inside=inside))


def _tag_now(request: Request, id: UUID) -> str | None:
    """The play's tag for the caller; None where there is none to see, which is for `readable_play` to say.

    By hand, since Django takes longer to write such a query down than PostgreSQL takes to answer it.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT play.version, club.notes_public, club.slug, club.visibility,"
            " EXISTS (SELECT 1 FROM clubs_membership WHERE club_id = club.id AND user_id = %s)"
            " FROM plays_play play JOIN clubs_club club ON club.id = play.club_id"
            " WHERE play.id = %s AND play.deleted_at IS NULL",
            [viewer(request).pk or 0, Play._meta.pk.get_db_prep_value(id, connection)],
        )
        found = cursor.fetchone()
    if found is None:
        return None
    version, notes_public, slug, visibility, inside = found
    return None if visibility == Visibility.PRIVATE and not inside else _tag_of(version, inside or notes_public, slug)


def _shown(play: Play, *, inside: bool) -> dict[str, Any]:
    prefetch_related_objects([play], SEATS)
    return serializers.play_as_json(play, shows_notes=inside or play.club.notes_public, with_record=True)


def _answer(request: Request, play: Play, *, status: int = 200) -> Response:
    """The play for the member who wrote it."""
    headers = {"ETag": etag(_tag(play, inside=True))}
    if status == 201:
        headers["Location"] = request.build_absolute_uri(services.address(play))
    return Response(_shown(play, inside=True), status=status, headers=headers)


def hash_of(body: Any) -> str:
    """The same for bodies that say the same, whatever the order of their members."""
    return hashlib.sha256(json.dumps(body, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def _names_in(changes: Sequence[PlayChange]) -> dict[UUID, str]:
    """The present names of all players the changes speak of."""
    ids = {
        seat["player"]
        for change in changes
        for facts in (change.before, change.after)
        for seat in (facts or {}).get("seats", ())
    }
    return dict(Player.objects.filter(pk__in=ids).values_list("pk", "name"))
