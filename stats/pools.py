"""What everybody's counts come to, kept ready: the figures of all clubs are read, not added up over every club.

Without dates there is one answer for each kind, measure and choice of plays (`counts`), whoever asks; `refresh` writes
them all down after plays were folded, together with the stamp of what they were added up from. `read` gives them as
long as that stamp still stands; between a change and the next refresh the clubs are added up for each question.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from datetime import date, datetime
from typing import Any, NamedTuple

from django.db import transaction
from django.db.models import Count as Number
from django.db.models import Max, Q, QuerySet, Subquery, Sum, Value

from forsale_api.clubs.models import Club, Visibility
from forsale_api.rules import for_sale
from stats.models import Block, Count, FoldLock, Measure, Pool

type Histogram = dict[int, int]
type Cells = Mapping[tuple[str, int], Histogram]
"""Counts of one block: (measure, part) -> {value: n}."""

FEWEST_PRIVATE = 5
"""Plays of a private club behind a figure from which on they are let into the figures of all clubs."""
KIND = ("game", "edition", "variant", "player_count")
CHOICES = {"true": Q(counts=True), "all": Q()}
"""Which plays are asked for: counted ones, or all."""


class Kind(NamedTuple):
    """What figures are never pooled over."""

    game: str
    edition: str
    variant: str
    player_count: int


WITNESSES = {
    Measure.DECIDED_BY: (Measure.TOTAL, Measure.TABLE_TOTAL, Measure.WINNING_TOTAL, Measure.MARGIN, Measure.DECIDED_BY),
    Measure.TABLE_BANKNOTES: (Measure.BANKNOTES, Measure.TABLE_BANKNOTES),
    Measure.POSITION_TOTAL: (Measure.POSITION_TOTAL, Measure.POSITION_WIN),
    Measure.POSITION_BANKNOTES: (Measure.POSITION_BANKNOTES,),
    Measure.PRICE: (Measure.PRICE, Measure.CHEQUE),
}
"""How many plays stand behind a figure is told by the count of one measure: not every play has every figure."""
ONCE_A_PLAY = ~Q(measure__in=[Measure.POSITION_TOTAL, Measure.POSITION_BANKNOTES]) | Q(part=1)


def of_everybody(
    which: Q, measures: Iterable[str], *, first: date | None = None, last: date | None = None
) -> dict[Kind, tuple[int, Cells]]:
    """What `added_up` gives of the plays of public clubs and of counted ones of private clubs that contribute.

    Of a private club no figure shows that fewer than `FEWEST_PRIVATE` plays stand behind, and no two answers differ by
    so few: between two dates its plays come in bundles of days that hold enough, a bundle whole or not at all.
    """
    days = _between(first, last) if first or last else Q(day=None)
    private = Q(club__visibility=Visibility.PRIVATE, club__contribute=True, counts=True)
    blocks = Block.objects.filter(which, days).filter(Q(club__visibility=Visibility.PUBLIC) | private)
    return added_up(blocks, measures, without=_withheld(which & private, measures, first, last))


def _between(first: date | None, last: date | None) -> Q:
    bounds = {"day__gte": first, "day__lte": last}
    return Q(day__isnull=False, **{name: day for name, day in bounds.items() if day is not None})


def _withheld(which: Q, measures: Iterable[str], first: date | None, last: date | None) -> dict[Measure, list[int]]:
    """By witness the blocks of these private clubs that would tell of too few plays. Two queries."""
    wanted = set(measures)
    witnesses = [witness for witness, behind in WITNESSES.items() if wanted & set(behind)]
    private = Block.objects.filter(which, day__isnull=not (first or last))
    blocks = {pk: (club, Kind(*kind), day) for pk, club, day, *kind in private.values_list("pk", "club", "day", *KIND)}
    if not blocks:
        return {}
    counted = Count.objects.filter(ONCE_A_PLAY, measure__in=witnesses, block__in=private)
    bundles: dict[tuple[str, int, Kind], list[tuple[date | None, int, int]]] = defaultdict(list)
    for pk, measure, n in counted.values_list("block", "measure").annotate(n=Sum("n")).order_by():
        club, kind, day = blocks[pk]
        bundles[measure, club, kind].append((day, n // (_houses(kind) if measure == Measure.PRICE else 1), pk))
    found: dict[Measure, list[int]] = defaultdict(list)
    for (measure, _club, _kind), days in bundles.items():
        for bundle in _bundled(sorted(days)):
            inside = [pk for day, _n, pk in bundle if day is None or (first or day) <= day <= (last or day)]
            if sum(n for _day, n, _pk in bundle) < FEWEST_PRIVATE or len(inside) < len(bundle):
                found[Measure(measure)] += inside
    return found


def _houses(kind: Kind) -> int:
    """Houses that one play with a record buys."""
    return for_sale.cards_dealt(for_sale.EDITIONS[kind.edition], kind.variant, kind.player_count)


def _bundled[Day: tuple[Any, int, int]](days: Iterable[Day]) -> list[list[Day]]:
    """Days in order, together until they hold `FEWEST_PRIVATE` plays; what is left at the end goes with the last."""
    bundles: list[list[Day]] = [[]]
    for day in days:
        if sum(n for _day, n, _pk in bundles[-1]) >= FEWEST_PRIVATE:
            bundles.append([])
        bundles[-1].append(day)
    if len(bundles) > 1 and sum(n for _day, n, _pk in bundles[-1]) < FEWEST_PRIVATE:
        rest = bundles.pop()
        bundles[-1] += rest
    return bundles


def added_up(
    blocks: QuerySet[Block], measures: Iterable[str], *, without: Mapping[Measure, list[int]] | None = None
) -> dict[Kind, tuple[int, Cells]]:
    """By kind: plays, and the counts of these measures. Two queries, whatever the number of blocks.

    `without` are the blocks that are left out, by `WITNESSES`.
    """
    without = without or {}
    shown = blocks.values("pk")
    counted = Block.objects.filter(pk__in=shown).exclude(pk__in=without.get(Measure.DECIDED_BY, ()))
    plays = {Kind(*kind): n for *kind, n in counted.values_list(*KIND).annotate(n=Sum("plays")).order_by()}
    counts = Count.objects.filter(block__in=shown, measure__in=list(measures))
    for witness, withheld in without.items():
        counts = counts.exclude(measure__in=WITNESSES[witness], block__in=withheld)
    cells: dict[Kind, dict[tuple[str, int], Histogram]] = defaultdict(lambda: defaultdict(dict))
    rows = (
        counts.values_list(*(f"block__{name}" for name in KIND), "measure", "part", "value")
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
        for kind, (plays, cells) in of_everybody(choice, Measure.values).items()
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
