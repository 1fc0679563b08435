"""From plays to counts: what a play gives, and how changes of plays reach the counts.

A play that changes leaves a row in the outbox, in its own transaction (`plays.models.PlayToFold`). `fold` takes rows
from there, takes back what each play has given before and gives what it gives now, all in one transaction: so a fold
that dies has done nothing, and one that is repeated finds nothing to do. `differences` holds the counts against the
plays.
"""

import json
import logging
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import batched
from typing import Any, NamedTuple, Self
from uuid import UUID

from django.db import connection, transaction
from django.db.models import Prefetch, Q
from django.utils import timezone

from forsale_api.plays.models import DECISIONS, Play, PlayToFold, Seat
from forsale_api.rules import for_sale
from forsale_api.rules.messages import RuleError
from stats import ratings, rows
from stats.models import Block, Count, FoldedPlay, FoldLock, Measure

logger = logging.getLogger(__name__)

BATCHES = {"sqlite": 50, "postgresql": 2000}
"""Plays a transaction: on SQLite, where one writes at a time, so few that a person's write hardly waits."""


class Key(NamedTuple):
    """What a block is told apart by; `day` None stands for all days."""

    club: int
    game: str
    edition: str
    variant: str
    player_count: int
    counts: bool
    day: date | None


class Cell(NamedTuple):
    """What a count is told apart by within its block."""

    measure: str
    part: int
    value: int


@dataclass(frozen=True, slots=True)
class Gift:
    """What one play gives: to the block of its day and to that of all days, the same cells."""

    key: Key
    cells: Mapping[Cell, int]

    def as_json(self) -> list[Any]:
        """A compact form for storing, equal for equal gifts."""
        day = self.key.day.isoformat() if self.key.day else None
        return [[*self.key[:-1], day], sorted([*cell, n] for cell, n in self.cells.items())]

    @classmethod
    def from_json(cls, stored: list[Any]) -> Self:
        """Read what `as_json` wrote."""
        (*rest, day), cells = stored
        key = Key._make([*rest, date.fromisoformat(day) if day else None])
        return cls(key, {Cell(*cell): n for *cell, n in cells})


PLAY_FACTS = (
    "id", "club_id", "game", "edition", "variant", "player_count", "counts", "played_on", "first_seat", "decided_by",
    "record", "deleted_at",
)  # fmt: skip
SEAT_FACTS = ("play_id", "seat", "total", "banknotes", "is_winner")


def gift(play: Any, seats: Iterable[Any]) -> Gift | None:
    """What the play gives to the counts; None where it is deleted.

    `play` is a `Play` or a row of its `PLAY_FACTS`, `seats` are its `Seat`s or rows of their `SEAT_FACTS`.
    """
    seats = list(seats)
    if play.deleted_at is not None or not seats:
        return None
    key = Key(play.club_id, play.game, play.edition, play.variant, play.player_count, play.counts, play.played_on)
    cells = Counter(_score_cells(play, seats))
    if play.first_seat is not None:
        cells.update(_position_cells(play.first_seat, seats))
    if play.record is not None:
        cells.update(_house_cells(play))
    return Gift(key, cells)


def _score_cells(play: Any, seats: Sequence[Any]) -> Iterator[Cell]:
    totals = sorted((seat.total for seat in seats), reverse=True)
    banknotes = [seat.banknotes for seat in seats if seat.banknotes is not None]
    for total in totals:
        yield Cell(Measure.TOTAL.value, 0, total)
    yield Cell(Measure.TABLE_TOTAL.value, len(totals), sum(totals))
    for number in banknotes:
        yield Cell(Measure.BANKNOTES.value, 0, number)
    if banknotes:
        yield Cell(Measure.TABLE_BANKNOTES.value, len(banknotes), sum(banknotes))
    yield Cell(Measure.WINNING_TOTAL.value, 0, totals[0])
    yield Cell(Measure.MARGIN.value, 0, totals[0] - totals[1])
    yield Cell(Measure.DECIDED_BY.value, 0, DECISIONS.index(play.decided_by))


def _position_cells(first_seat: int, seats: Sequence[Any]) -> Iterator[Cell]:
    winners = sum(seat.is_winner for seat in seats)
    for seat in seats:
        position = (seat.seat - first_seat) % len(seats) + 1
        yield Cell(Measure.POSITION_TOTAL.value, position, seat.total)
        if seat.banknotes is not None:
            yield Cell(Measure.POSITION_BANKNOTES.value, position, seat.banknotes)
        if seat.is_winner:
            yield Cell(Measure.POSITION_WIN.value, position, winners)


def _house_cells(play: Any) -> Iterator[Cell]:
    """What was paid for each house and what it fetched; houses of a scoop were not sold one by one."""
    try:
        state = for_sale.replay(
            play.record or {},
            edition=for_sale.EDITIONS[play.edition],
            variant=play.variant,
            player_count=play.player_count,
        )
    except (RuleError, KeyError):
        # It was legal when it was stored. Its scores still count, and nothing behind it in the outbox waits.
        logger.exception("The record of play %s cannot be replayed: its houses are not counted.", play.id)
        return
    for purchase in state.purchases:
        if purchase.house is not None:
            yield Cell(Measure.PRICE.value, purchase.house, purchase.paid)
    for sale in state.sales:
        yield Cell(Measure.CHEQUE.value, sale.house, sale.cheque)


# --- folding -----------------------------------------------------------------------------------------


def fold(*, batch: int | None = None) -> int:
    """Fold up to `batch` rows of the outbox (see `BATCHES`) into the counts, in one transaction.

    Gives the number of rows taken: 0 where nothing waits, or somebody else is folding.
    """
    if not PlayToFold.objects.exists():  # the usual answer, without asking for a lock
        return 0
    with transaction.atomic():
        lock = FoldLock.objects.select_for_update(skip_locked=True).filter(pk=1).first()
        if lock is None:
            lock, is_new = FoldLock.objects.get_or_create(pk=1)
            if not is_new:
                return 0
        some = batch or BATCHES[connection.vendor]
        waiting = dict(PlayToFold.objects.order_by("pk").values_list("pk", "play_id")[:some])
        _refold(set(waiting.values()))
        PlayToFold.objects.filter(pk__in=waiting).delete()
        lock.folded_at = timezone.now()
        lock.save(update_fields=["folded_at"])
    return len(waiting)


def with_seats(plays: Any) -> Any:
    """A queryset of plays with their seats in `seats.all()`, in order, in one more query."""
    return plays.prefetch_related(Prefetch("seats", Seat.objects.order_by("seat")))


def _refold(play_ids: set[UUID]) -> None:
    stored = FoldedPlay.objects.filter(pk__in=play_ids)
    before = {play_id: Gift.from_json(gives) for play_id, gives in stored.values_list("pk", "gives")}
    seats: defaultdict[UUID, list[Any]] = defaultdict(list)  # rows instead of objects: half the time of a large batch
    for seat in Seat.objects.filter(play__in=play_ids).order_by("seat").values_list(*SEAT_FACTS, named=True):
        seats[seat.play_id].append(seat)
    plays = Play.objects.filter(pk__in=play_ids).values_list(*PLAY_FACTS, named=True)
    now = {play.id: given for play in plays if (given := gift(play, seats[play.id]))}
    _apply(_difference(before.values(), now.values()))
    ratings.out_of_date(_first_days([*before.values(), *now.values()]))
    if before:
        stored.delete()
    rows.add(
        FoldedPlay,
        ("play_id", "club", "gives"),
        ((pk, given.key.club, json.dumps(given.as_json(), separators=(",", ":"))) for pk, given in now.items()),
    )


def _first_days(gifts: Iterable[Gift]) -> dict[tuple[int, str], date]:
    """By club and game, the first day of these gifts."""
    days: dict[tuple[int, str], date] = {}
    for key in (given.key for given in gifts):
        if key.day is not None:
            days[key.club, key.game] = min(key.day, days.get((key.club, key.game), key.day))
    return days


type Change = dict[Key, tuple[int, Counter[Cell]]]
"""By block: plays and counts to add, negative where they are taken back."""


def _difference(before: Iterable[Gift], now: Iterable[Gift]) -> Change:
    plays: Counter[Key] = Counter()
    cells: defaultdict[Key, Counter[Cell]] = defaultdict(Counter)
    for sign, gifts in ((-1, before), (1, now)):
        for given in gifts:
            for key in (given.key, given.key._replace(day=None)):
                plays[key] += sign
                for cell, n in given.cells.items():
                    cells[key][cell] += sign * n
    return {key: (plays[key], changed) for key, changed in cells.items() if plays[key] or any(changed.values())}


def _apply(change: Change) -> None:
    blocks = _blocks(change)
    cells = [
        (blocks[key], *cell, n) for key, (_plays, changed) in change.items() for cell, n in sorted(changed.items()) if n
    ]
    less = [(block, measure, part, value, -n) for block, measure, part, value, n in cells if n < 0]
    with connection.cursor() as cursor:
        _for_each_row(
            cursor,
            "UPDATE stats_block SET plays = stats_block.plays + given.plays FROM {rows}"
            " WHERE stats_block.id = given.id",
            {"id": "bigint", "plays": "integer"},
            [(blocks[key], plays) for key, (plays, _changed) in change.items() if plays],
        )
        _for_each_row(
            cursor,
            "INSERT INTO stats_count (block_id, measure, part, value, n) SELECT * FROM {rows} WHERE true"
            " ON CONFLICT (block_id, measure, part, value) DO UPDATE SET n = stats_count.n + excluded.n",
            CELL_COLUMNS,
            [row for row in cells if row[-1] > 0],
        )
        _for_each_row(
            cursor,
            "UPDATE stats_count SET n = stats_count.n - given.n FROM {rows} WHERE stats_count.block_id = given.block"
            " AND stats_count.measure = given.measure AND stats_count.part = given.part"
            " AND stats_count.value = given.value",
            CELL_COLUMNS,
            less,
        )
    taken_from = {block for block, *_cell in less}
    if taken_from:
        Count.objects.filter(block__in=taken_from, n=0).delete()
        Block.objects.filter(pk__in=taken_from, plays=0).delete()


CELL_COLUMNS = {"block": "bigint", "measure": "text", "part": "smallint", "value": "integer", "n": "integer"}


def _for_each_row(cursor: Any, statement: str, columns: Mapping[str, str], rows: Sequence[Sequence[Any]]) -> None:
    """Run a statement in which `{rows}` stands for a table `given` with these columns and rows.

    Values are whole numbers and names of measures. On PostgreSQL it is sent once, a column an array; on SQLite, where
    a statement is a function call, it runs row by row.
    """
    if not rows:
        return
    if connection.vendor == "postgresql":
        arrays = ", ".join(f"%s::{kind}[]" for kind in columns.values())
        table = f"unnest({arrays}) AS given ({', '.join(columns)})"
        # Written as PostgreSQL writes arrays: the driver's own way, value by value, takes longer than the statement.
        given = ["{" + ",".join(map(str, column)) + "}" for column in zip(*rows, strict=True)]
        cursor.execute(statement.format(rows=table), given)
    else:
        table = f"(SELECT {', '.join(f'%s AS {name}' for name in columns)}) AS given"
        cursor.executemany(statement.format(rows=table), rows)


def _blocks(keys: Iterable[Key]) -> dict[Key, int]:
    """The ids of the blocks of these keys, made where they are missing; the caller holds the lock."""
    wanted = set(keys)
    found = Block.objects.filter(
        Q(day__in={key.day for key in wanted if key.day}) | Q(day=None), club__in={key.club for key in wanted}
    )
    blocks = {key: block.pk for block in found if (key := key_of(block)) in wanted}
    for block in Block.objects.bulk_create(
        Block(
            club_id=key.club,
            game=key.game,
            edition=key.edition,
            variant=key.variant,
            player_count=key.player_count,
            counts=key.counts,
            day=key.day,
        )
        for key in wanted - blocks.keys()
    ):
        blocks[key_of(block)] = block.pk
    return blocks


def key_of(block: Block) -> Key:
    """The key of a stored block."""
    return Key(block.club_id, block.game, block.edition, block.variant, block.player_count, block.counts, block.day)


# --- checking ----------------------------------------------------------------------------------------


def differences() -> Iterator[str]:
    """What the counts and the plays disagree on, one sentence each; nothing where they agree.

    Everything is derived again: each play's gift from the play, each count from the gifts. Plays that wait in the
    outbox are not judged. Plays are read without a lock, and those that seem wrong once more under it.
    """
    suspects = set(_unlike(Play.objects.all()))
    suspects |= set(FoldedPlay.objects.exclude(pk__in=Play.objects.values("pk")).values_list("pk", flat=True))
    with transaction.atomic():
        list(FoldLock.objects.select_for_update())
        wrong = set(_unlike(Play.objects.filter(pk__in=suspects)))
        gone = suspects - set(Play.objects.filter(pk__in=suspects).values_list("pk", flat=True))
        wrong |= set(FoldedPlay.objects.filter(pk__in=gone).values_list("pk", flat=True))
        waiting = set(PlayToFold.objects.filter(play_id__in=wrong).values_list("play_id", flat=True))
        for pk in sorted(wrong - waiting):
            yield f"play {pk}: what it gave to the counts is not what it gives"
        yield from _miscounted()


def _unlike(plays: Any) -> Iterator[UUID]:
    """Plays whose stored gift is not what they give."""
    for some in batched(with_seats(plays.order_by("pk")).iterator(chunk_size=500), 500):
        stored = dict(FoldedPlay.objects.filter(pk__in=[play.pk for play in some]).values_list("pk", "gives"))
        for play in some:
            given = gift(play, play.seats.all())
            if stored.get(play.pk) != (given.as_json() if given else None):
                yield play.pk


def _miscounted() -> Iterator[str]:
    """Blocks and counts that are not the sums of the gifts."""
    gifts = (Gift.from_json(gives) for gives in FoldedPlay.objects.values_list("gives", flat=True).iterator())
    due = _difference((), gifts)
    blocks = {key_of(block): block for block in Block.objects.all()}
    for key in sorted(due.keys() | blocks.keys(), key=str):
        plays, has = due.get(key, (0, Counter()))[0], blocks[key].plays if key in blocks else 0
        if plays != has:
            yield f"{_named(key)}: {has} plays counted, {plays} given"
    yield from _miscounted_cells(due, blocks)


def _miscounted_cells(due: Change, blocks: Mapping[Key, Block]) -> Iterator[str]:
    keys = {block.pk: key for key, block in blocks.items()}
    left = {key: +cells for key, (_plays, cells) in due.items()}
    for block, measure, part, value, n in Count.objects.values_list(
        "block", "measure", "part", "value", "n"
    ).iterator():
        key, cell = keys[block], Cell(measure, part, value)
        given = left.get(key, Counter()).pop(cell, 0)
        if given != n:
            yield f"{_named(key)}: {measure} {part} {value} is counted {n} times, given {given} times"
    for key, cells in left.items():
        for cell, n in cells.items():
            yield f"{_named(key)}: {cell.measure} {cell.part} {cell.value} is not counted, given {n} times"


def _named(key: Key) -> str:
    counts = "counted" if key.counts else "not counted"
    return f"club {key.club}, {key.game} {key.edition} {key.variant}, {key.player_count} players, {counts}, " + (
        str(key.day) if key.day else "all days"
    )
