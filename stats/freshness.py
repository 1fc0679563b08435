"""Whether figures are still those that a caller has: one query instead of the figures."""

from collections.abc import Callable, Mapping
from typing import Any

from django.db import connection
from django.db.models import Count, Exists, Max, Q, Subquery, Sum, Value
from rest_framework.request import Request
from rest_framework.response import Response

from forsale_api.api.permissions import viewer
from forsale_api.api.views import conditional, tag_of
from forsale_api.clubs.models import Club, Player, Visibility
from forsale_api.plays.models import Play
from stats.models import FoldLock, RatingDue, Simulation
from stats.simulation import ENGINE

UNTRACKED = ("season",)
"""Filters whose rows leave no stamp when they change."""


def fresh_or_unchanged(
    request: Request, filters: Mapping[str, Any], show: Callable[[], Any], *, rated: bool = False
) -> Response:
    """The answer to a GET of figures: 304 without computing any where the caller has them.

    The state is read before the figures: a change in between gives newer figures under an older tag, and so another
    answer the next time. `rated` says that ratings are among the figures.
    """
    state = _state(filters, viewer(request), rated)
    if state is None:
        return Response(show())
    return conditional(request, tag_of(request.get_full_path(), ENGINE, *state), show)


def _state(filters: Mapping[str, Any], reader: Any, rated: bool) -> tuple[Any, ...] | None:
    """What the figures under these filters follow from; None where only computing them tells."""
    if any(filters.get(name) is not None for name in UNTRACKED):
        return None
    if filters.get("simulation") or filters.get("data") == "simulated":
        wanted = Q(pk=filters["simulation"]) if filters.get("simulation") else Q(reference=True)
        stamps = Simulation.objects.filter(wanted).aggregate(
            Count("pk"), Sum("games_done"), Max("updated_at"), Max("result__updated_at")
        )
        return tuple(stamps.values())
    if filters.get("player") or filters.get("club"):
        return _state_of_club(filters, reader, rated)
    return state_of_everybody(rated=rated)


def state_of_everybody(*, rated: bool) -> tuple[Any, ...] | None:
    """What figures of all clubs follow from; None while ratings, if they are among them, are out of date. One query."""
    clubs = Club.objects.order_by().values(everywhere=Value(1)).annotate(n=Count("pk"), changed=Max("updated_at"))
    stamps_of_all = FoldLock.objects.annotate(
        newest=Subquery(Play.objects.order_by("-updated_at", "-pk").values("updated_at")[:1]),
        clubs=Subquery(clubs.values("n")),
        changed=Subquery(clubs.values("changed")),
        due=Exists(RatingDue.objects.all()) if rated else Value(False),
    )
    found: tuple[Any, ...] | None = stamps_of_all.values_list("due", "folded_at", "newest", "clubs", "changed").first()
    return None if found is None or found[0] else found[1:]


def _state_of_club(filters: Mapping[str, Any], reader: Any, rated: bool) -> tuple[Any, ...] | None:
    """That of the club, or of the player's; None where the reader may not see it: that is for the figures to say.

    While ratings are out of date there is none: they come without a stamp of their own, and are gone into soon.
    """
    player, slug = filters.get("player"), filters.get("club")
    given: list[Any] = [reader.pk or 0]
    where = []
    if player:
        where.append("player.id = %s")
        given.append(Player._meta.pk.get_db_prep_value(player, connection))
    if slug:
        where.append("club.slug = %s")
        given.append(slug)
    statement = _OF_CLUB.format(
        player=", player.name" if player else "",
        due="EXISTS (SELECT 1 FROM stats_ratingdue WHERE club_id = club.id)" if rated else "false",
        seated="JOIN clubs_player player ON player.club_id = club.id" if player else "",
        where=" AND ".join(where),
    )
    with connection.cursor() as cursor:
        cursor.execute(statement, given)
        found: tuple[Any, ...] | None = cursor.fetchone()
    if found is None or found[0]:
        return None
    mine, visibility = found[1:3]
    return None if visibility == Visibility.PRIVATE and not mine else found[1:]


# By hand, since Django takes as long to write it down as PostgreSQL takes to answer it.
_OF_CLUB = """
    SELECT {due},
        EXISTS (SELECT 1 FROM clubs_membership WHERE club_id = club.id AND user_id = %s),
        club.visibility, club.id, club.updated_at, (SELECT folded_at FROM stats_foldlock LIMIT 1),
        (SELECT updated_at FROM plays_play WHERE club_id = club.id ORDER BY updated_at DESC, id DESC LIMIT 1){player}
    FROM clubs_club club {seated} WHERE {where}
"""
