"""Whether figures are still those that a caller has: one query instead of the figures."""

from collections.abc import Callable, Mapping
from typing import Any

from django.db.models import Count, Exists, Max, OuterRef, Q, Subquery, Sum, Value
from rest_framework.request import Request
from rest_framework.response import Response

from forsale_api.api.permissions import viewer
from forsale_api.api.views import conditional, tag_of
from forsale_api.clubs.models import Club, Membership, Visibility
from forsale_api.plays.models import Play
from stats.models import FoldLock, Simulation
from stats.simulation import ENGINE

UNTRACKED = ("season",)
"""Filters whose rows leave no stamp when they change."""


def fresh_or_unchanged(request: Request, filters: Mapping[str, Any], show: Callable[[], Any]) -> Response:
    """The answer to a GET of figures: 304 without computing any where the caller has them.

    The state is read before the figures: a change in between gives newer figures under an older tag, and so another
    answer the next time.
    """
    state = _state(filters, viewer(request))
    if state is None:
        return Response(show())
    return conditional(request, tag_of(request.get_full_path(), ENGINE, *state), show)


def _state(filters: Mapping[str, Any], reader: Any) -> tuple[Any, ...] | None:
    """What the figures under these filters follow from; None where only computing them tells."""
    if any(filters.get(name) is not None for name in UNTRACKED):
        return None
    if filters.get("simulation") or filters.get("data") == "simulated":
        wanted = Q(pk=filters["simulation"]) if filters.get("simulation") else Q(reference=True)
        found = Simulation.objects.filter(wanted).aggregate(
            Count("pk"), Sum("games_done"), Max("updated_at"), Max("result__updated_at")
        )
        return tuple(found.values())
    folded = Subquery(FoldLock.objects.values("folded_at")[:1])
    if filters.get("club"):
        return _state_of_club(filters["club"], reader, folded)
    clubs = Club.objects.order_by().values(everywhere=Value(1)).annotate(n=Count("pk"), changed=Max("updated_at"))
    stamps: tuple[Any, ...] | None = (
        FoldLock.objects.annotate(
            newest=Subquery(Play.objects.order_by("-updated_at", "-pk").values("updated_at")[:1]),
            clubs=Subquery(clubs.values("n")),
            changed=Subquery(clubs.values("changed")),
        )
        .values_list("folded_at", "newest", "clubs", "changed")
        .first()
    )
    return stamps


def _state_of_club(slug: str, reader: Any, folded: Subquery) -> tuple[Any, ...] | None:
    """None where the reader may not see the club: that is for the figures to say."""
    newest = Play.objects.filter(club=OuterRef("pk")).order_by("-updated_at", "-pk").values("updated_at")[:1]
    mine = Membership.objects.filter(club=OuterRef("pk"), user=reader.pk or 0)
    club = Club.objects.filter(slug=slug).annotate(folded=folded, newest=Subquery(newest), mine=Exists(mine))
    found: tuple[Any, ...] | None = club.values_list(
        "mine", "visibility", "pk", "updated_at", "folded", "newest"
    ).first()
    if found is None or (found[1] == Visibility.PRIVATE and not found[0]):
        return None
    return found
