"""What everybody's counts come to, kept ready: the figures of all clubs are read, not added up over every club.

Without dates there is one answer for each kind, measure and choice of plays (`counts`), whoever asks; `refresh` writes
them all down after plays were folded, together with the stamp of what they were added up from. `read` gives them as
long as that stamp still stands; between a change and the next refresh the clubs are added up for each question.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import NamedTuple

from django.db import transaction
from django.db.models import Count as Number
from django.db.models import F, Max, Q, QuerySet, Subquery, Sum, Value, Window

from forsale_api.clubs.models import Club, Visibility
from stats.models import Block, Count, FoldLock, Measure, Pool

type Histogram = dict[int, int]
type Cells = Mapping[tuple[str, int], Histogram]
"""Counts of one block: (measure, part) -> {value: n}."""

FEWEST_PRIVATE = 5
"""Plays of a private club in a block from which on they are let into the figures of all clubs."""
KIND = ("game", "edition", "variant", "player_count")
CHOICES = {"true": Q(counts=True), "all": Q()}
"""Which plays are asked for: counted ones, or all."""


class Kind(NamedTuple):
    """What figures are never pooled over."""

    game: str
    edition: str
    variant: str
    player_count: int


def of_everybody(blocks: QuerySet[Block]) -> QuerySet[Block]:
    """Those of public clubs, and of private ones that contribute where they bring enough plays to what is asked."""
    contributing = Q(club__visibility=Visibility.PRIVATE, club__contribute=True)
    return (
        blocks.filter(Q(club__visibility=Visibility.PUBLIC) | contributing)
        .annotate(brought=Window(Sum("plays"), partition_by=[F("club"), *map(F, KIND)]))
        .filter(Q(club__visibility=Visibility.PUBLIC) | Q(brought__gte=FEWEST_PRIVATE))
    )


def added_up(blocks: QuerySet[Block], measures: Iterable[str]) -> dict[Kind, tuple[int, Cells]]:
    """By kind: plays, and the counts of these measures. Two queries, whatever the number of blocks."""
    shown = blocks.values("pk")
    plays = {
        Kind(*kind): n
        for *kind, n in Block.objects.filter(pk__in=shown).values_list(*KIND).annotate(n=Sum("plays")).order_by()
    }
    cells: dict[Kind, dict[tuple[str, int], Histogram]] = defaultdict(lambda: defaultdict(dict))
    rows = (
        Count.objects.filter(block__in=shown, measure__in=list(measures))
        .values_list(*(f"block__{name}" for name in KIND), "measure", "part", "value")
        .annotate(sum=Sum("n"))
        .order_by()
    )
    for *kind, measure, part, value, n in rows:
        cells[Kind(*kind)][measure, part][value] = n
    return {kind: (number, cells[kind]) for kind, number in plays.items()}


class Stamp(NamedTuple):
    """What figures of all clubs follow from: when plays were last folded, and the clubs as they are."""

    folded_at: datetime | None
    clubs: int
    changed: datetime | None


def _stamps() -> tuple[Stamp, Stamp] | None:
    """What is, and what the pools were written down from; None before the first fold. One query."""
    clubs = Club.objects.order_by().values(everywhere=Value(1)).annotate(n=Number("pk"), changed=Max("updated_at"))
    now = FoldLock.objects.annotate(clubs=Subquery(clubs.values("n")), changed=Subquery(clubs.values("changed")))
    found = now.values_list(
        "folded_at", "clubs", "changed", "pooled_folded_at", "pooled_clubs", "pooled_changed"
    ).first()
    return (Stamp(*found[:3]), Stamp(*found[3:])) if found else None


def read(narrowed: Q, counts: str, measures: Iterable[str]) -> dict[Kind, tuple[int, Cells]] | None:
    """What `added_up` gives of everybody's blocks without dates; None where something has changed since."""
    stamps = _stamps()
    if stamps is None or stamps[0] != stamps[1]:
        return None
    found: dict[Kind, tuple[int, dict[tuple[str, int], Histogram]]] = {}
    wanted = {"", *measures}
    for *kind, measure, plays, parts in Pool.objects.filter(narrowed, asked=counts, measure__in=wanted).values_list(
        *KIND, "measure", "plays", "cells"
    ):
        _plays, cells = found.setdefault(Kind(*kind), (plays, defaultdict(dict)))
        for part, histogram in parts.items():
            cells[measure, int(part)] = {int(value): n for value, n in histogram.items()}
    return dict(found)


@transaction.atomic
def refresh() -> bool:
    """Write the pools down again where something has changed since; whether there was anything to do."""
    stamps = _stamps()
    if stamps is None or stamps[0] == stamps[1]:
        return False
    if FoldLock.objects.select_for_update(skip_locked=True).first() is None:
        return False  # somebody folds: the pools come after it
    stamps = _stamps()
    if stamps is None:
        return False
    Pool.objects.all().delete()
    Pool.objects.bulk_create(
        Pool(**kind._asdict(), asked=asked, measure=measure, plays=plays, cells=parts)
        for asked, choice in CHOICES.items()
        for kind, (plays, cells) in added_up(
            of_everybody(Block.objects.filter(choice, day=None)), Measure.values
        ).items()
        for measure, parts in _by_measure(cells).items()
    )
    now = stamps[0]
    FoldLock.objects.update(pooled_folded_at=now.folded_at, pooled_clubs=now.clubs, pooled_changed=now.changed)
    return True


def _by_measure(cells: Cells) -> dict[str, dict[int, Histogram]]:
    """Counts by measure and part; "" says that there are plays, whatever was measured of them."""
    found: dict[str, dict[int, Histogram]] = defaultdict(dict, {"": {}})
    for (measure, part), histogram in cells.items():
        found[measure][part] = histogram
    return found
