"""Whether figures are still those that a caller has: one query instead of the figures."""

from collections.abc import Callable, Mapping
from typing import Any

from django.db.models import Count, Exists, Max, OuterRef, Q, QuerySet, Subquery, Sum, Value
from rest_framework.request import Request
from rest_framework.response import Response

from forsale_api.api.permissions import viewer
from forsale_api.api.views import conditional, tag_of
from forsale_api.clubs.models import Club, Membership, Visibility
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
    clubs = Club.objects.order_by().values(everywhere=Value(1)).annotate(n=Count("pk"), changed=Max("updated_at"))
    stamps_of_all = FoldLock.objects.annotate(
        newest=Subquery(Play.objects.order_by("-updated_at", "-pk").values("updated_at")[:1]),
        clubs=Subquery(clubs.values("n")),
        changed=Subquery(clubs.values("changed")),
        due=_due(RatingDue.objects.all(), rated),
    )
    found: tuple[Any, ...] | None = stamps_of_all.values_list("due", "folded_at", "newest", "clubs", "changed").first()
    return None if found is None or found[0] else found[1:]


def _due(waiting: QuerySet[RatingDue], rated: bool) -> Exists | Value:
    """Whether ratings that are among the figures are out of date."""
    return Exists(waiting) if rated else Value(False)


def _state_of_club(filters: Mapping[str, Any], reader: Any, rated: bool) -> tuple[Any, ...] | None:
    """That of the club, or of the player's; None where the reader may not see it: that is for the figures to say.

    While ratings are out of date there is none: they come without a stamp of their own, and are gone into soon.
    """
    player: Any = filters.get("player")
    slug = filters.get("club")
    clubs = Club.objects.filter(players=player) if player else Club.objects.all()
    clubs = clubs.filter(slug=slug) if slug else clubs
    newest = Play.objects.filter(club=OuterRef("pk")).order_by("-updated_at", "-pk").values("updated_at")[:1]
    stamps = clubs.annotate(
        folded=Subquery(FoldLock.objects.values("folded_at")[:1]),
        newest=Subquery(newest),
        mine=Exists(Membership.objects.filter(club=OuterRef("pk"), user=reader.pk or 0)),
        due=_due(RatingDue.objects.filter(club=OuterRef("pk")), rated),
    )
    names = (
        "due",
        "mine",
        "visibility",
        "pk",
        "updated_at",
        "folded",
        "newest",
        *(["players__name"] if player else []),
    )
    found: tuple[Any, ...] | None = stamps.values_list(*names).first()
    if found is None or found[0]:
        return None
    return None if found[2] == Visibility.PRIVATE and not found[1] else found[1:]
