"""What is a table worth? The expected value of taking its best house at a price, against passing now. No Django.

A table is given: the open houses of a buying round, the banknotes of whoever is to move first, the rounds left. What
is not given is played: the earlier rounds, by bots, with the other houses; then, from the table on, the same cards once
for each choice. To take the best house at b is to bid b while everybody else passes at once; to pass is to take the
lowest house and to let the bots bid for the others. The rest is played by bots again. Everything but the choice is
alike, so the difference between two choices has a small error.

Games are played in the readable rules. Money is in thousands of dollars.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from math import sqrt
from typing import Any

from forsale_api.rules.for_sale import (
    EDITIONS,
    Bid,
    Offer,
    Pass,
    RevealCheques,
    RevealHouses,
    Scoop,
    State,
    apply,
    is_over,
    round_sizes,
    scores,
    setup,
    to_move,
)
from forsale_api.rules.messages import Message
from forsale_api.rules.messages import gettext_noop as _
from stats.bots import BOTS, Stream, view
from stats.simulation import RequestError, check_request
from stats.tally import places

MOST_PRICES = 6
SEAT = 1


@dataclass(frozen=True, slots=True)
class Table:
    """The question. `rounds_left` are the buying rounds after this one; `bot` plays everything that is not given."""

    edition: str
    variant: str
    player_count: int
    houses: tuple[int, ...]
    banknotes: int
    rounds_left: int
    bot: str
    seed: int = 1

    def as_dict(self) -> dict[str, Any]:
        """The table as it would be posted."""
        return {**asdict(self), "houses": list(self.houses)}

    @property
    def prices(self) -> list[int]:
        """The prices that are tried: at most `MOST_PRICES`, evenly from 1 to all the banknotes, small ones first."""
        most = min(self.banknotes, 2 + EDITIONS[self.edition].money[self.player_count] * 2 // 3)
        return sorted({1 + round(k * (most - 1) / (MOST_PRICES - 1)) for k in range(MOST_PRICES)}) if most > 0 else []


def check_table(table: Table) -> None:
    """Raise RequestError for the first field that no table of this kind can have; the message names what it can."""
    check_request(
        game="for-sale", edition=table.edition, variant=table.variant, player_count=table.player_count,
        bots=[table.bot] * min(6, max(0, table.player_count)), games=1, seed=table.seed,
    )  # fmt: skip
    edition = EDITIONS[table.edition]
    sizes = round_sizes(edition, table.variant, table.player_count)
    _within("rounds_left", table.rounds_left, 0, len(sizes) - 1)
    due = sizes[len(sizes) - 1 - table.rounds_left]
    if len(table.houses) != due or len(set(table.houses)) != due:
        text = _("This round opens with %(due)s different houses, not with %(number)s.")
        params = {"due": due, "number": len(set(table.houses))}
        raise RequestError(Message("wrong-number-of-houses", text, params), "houses")
    for index, house in enumerate(table.houses):
        if not 1 <= house <= edition.houses:
            text = _("There is no house %(house)s; houses are numbered from 1 to %(houses)s.")
            raise RequestError(
                Message("no-such-house", text, {"house": house, "houses": edition.houses}), "houses", index
            )
    _within("banknotes", table.banknotes, 0, edition.money[table.player_count])


def _within(field: str, value: int, low: int, high: int) -> None:
    if not low <= value <= high:
        text = _("%(field)s must be a whole number from %(low)s to %(high)s, not %(value)s.")
        params = {"field": field, "low": f"{low}", "high": f"{high}", "value": value}
        raise RequestError(Message(f"{field.replace('_', '-')}-out-of-range", text, params), field)


# --- playing -----------------------------------------------------------------------------------------


def sums_of(table: Table, first: int, number: int) -> dict[str, Any]:
    """Play deals `first` to `first + number - 1`: whole numbers that add up over deals.

    {"deals", "passed": sum of totals after passing, "taken": by price [sum, sum of squares of the gain in total over
    passing, sum of the gain in wins (60ths), sum of its squares]}.
    """
    taken = {price: [0, 0, 0, 0] for price in table.prices}
    passed = 0
    for index in range(first, first + number):
        before = _before(table, index)
        total, wins = _after(table, before, index, None)
        passed += total
        for price, sums in taken.items():
            other_total, other_wins = _after(table, before, index, price)
            gain, more = other_total - total, other_wins - wins
            for k, value in enumerate((gain, gain * gain, more, more * more)):
                sums[k] += value
    return {"deals": number, "passed": passed, "taken": {str(price): sums for price, sums in taken.items()}}


type _Begun = tuple[State, list[int], list[int]]
"""A state, the houses and the cheques that are still to come."""


def _before(table: Table, index: int) -> _Begun:
    """The game up to the table: the earlier rounds played by bots, the asker with the banknotes given and to move."""
    edition = EDITIONS[table.edition]
    stream = Stream(table.seed, index)
    sizes = round_sizes(edition, table.variant, table.player_count)
    house_pile, cheque_pile = stream.deal(edition.houses)
    others = [house + 1 for house in house_pile if house + 1 not in table.houses]
    cheques = [edition.cheques[card] for card in cheque_pile[: sum(sizes)]]
    state = setup(edition, table.variant, table.player_count, stream.below(table.player_count) + 1)
    for size in sizes[: len(sizes) - 1 - table.rounds_left]:
        _auction(table, state, [others.pop() for _house in range(size)], stream)
    state.turn, state.seat(SEAT).banknotes = SEAT, table.banknotes
    apply(state, RevealHouses(table.houses))
    return state, others, cheques


def _after(table: Table, begun: _Begun, index: int, price: int | None) -> tuple[int, int]:
    """The asker's total and wins (in 60ths) after taking the best house at a price, or after passing (None)."""
    state, houses, cheques = begun[0].copy(), list(begun[1]), list(begun[2])
    stream = Stream(table.seed + 1, index)  # the same for every choice
    if price is None:
        apply(state, Pass(SEAT))
        _bid_on(table, state, stream)
    else:
        apply(state, Bid(SEAT, price))
        while state.houses:
            apply(state, Pass(to_move(state)[0]))
    for size in state.sizes[state.buying_round :]:
        _auction(table, state, [houses.pop() for _house in range(size)], stream)
    while not is_over(state):
        _sale(table, state, cheques, stream)
    ranks = places(state)
    return scores(state)[SEAT - 1], 60 // ranks.count(1) if ranks[SEAT - 1] == 1 else 0


def _auction(table: Table, state: State, houses: Sequence[int], stream: Stream) -> None:
    apply(state, RevealHouses(tuple(houses)))
    _bid_on(table, state, stream)


def _bid_on(table: Table, state: State, stream: Stream) -> None:
    bot = BOTS[table.bot]
    while state.houses:
        (seat,) = to_move(state)
        stake = bot.bid(view(state, seat), stream)
        apply(state, Bid(seat, stake) if stake else Pass(seat))


def _sale(table: Table, state: State, cheques: list[int], stream: Stream) -> None:
    holders = state.holders
    size = len(holders) if len(holders) > 1 else len(state.seat(holders[0]).houses)
    apply(state, RevealCheques(tuple(cheques.pop() for _cheque in range(size))))
    if len(holders) == 1 and table.variant != "base":
        apply(state, Scoop(holders[0]))
        return
    for offer in [Offer(seat, BOTS[table.bot].sell(view(state, seat), stream)) for seat in holders]:
        apply(state, offer)


# --- reading -----------------------------------------------------------------------------------------


def joined(one: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    """The sums of both."""
    return {
        "deals": one["deals"] + other["deals"],
        "passed": one["passed"] + other["passed"],
        "taken": {
            price: [a + b for a, b in zip(sums, other["taken"][price], strict=True)]
            for price, sums in one["taken"].items()
        },
    }


def rows_of(sums: Mapping[str, Any]) -> list[dict[str, Any]]:
    """By price: what taking gains over passing, in thousands of dollars and in wins, each with its standard error."""
    rows = []
    for price, (gain, squares, wins, win_squares) in sums["taken"].items():
        mean, se = _mean(gain, squares, sums["deals"], 1)
        more, win_se = _mean(wins, win_squares, sums["deals"], 60)
        rows.append({"price": int(price), "gain": mean, "se": se, "win_gain": more, "win_se": win_se})
    return rows


def _mean(total: int, squares: int, n: int, unit: int) -> tuple[float, float | None]:
    variance = (n * squares - total * total) / (n * (n - 1)) if n > 1 else None
    return total / n / unit, None if variance is None else sqrt(max(0.0, variance) / n) / unit


def fair_price(rows: Sequence[Mapping[str, Any]]) -> float | None:
    """The price at which taking and passing are worth the same, between the prices that were tried.

    0 where not even the lowest pays, None where even the highest does.
    """
    if not rows or rows[0]["gain"] <= 0:
        return 0.0
    for low, high in pairwise(rows):
        if high["gain"] <= 0:
            share = low["gain"] / (low["gain"] - high["gain"])
            return float(low["price"] + share * (high["price"] - low["price"]))
    return None
