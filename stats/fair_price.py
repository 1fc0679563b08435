"""What is a table worth? The expected value of taking its best house at a price, against passing now. No Django.

A table is given: the open houses of a buying round, the banknotes of whoever is to move, the rounds left; where the
bidding has begun, what each seat stakes and who has passed. What is not given is played: the earlier rounds, by bots,
with the other houses; then, from the table on, the same cards once for each choice. To take the best house at b is to
bid b while everybody else passes at once; to pass is to take the lowest house and to let the bots bid for the others.
The rest is played by bots again. Everything but the choice is alike, so the difference between two choices has a small
error.

Deals are played by the kernel (`fair_price_kernel`); `sums_readable` plays the same ones in the readable rules. Money
is in thousands of dollars.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from math import sqrt
from typing import Any, Self

import numpy as np

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
from stats.simulation import RequestError, Setting, check_request, game_record
from stats.tally import places

MOST_PRICES = 12
SEAT = 1


@dataclass(frozen=True, slots=True)
class Table:
    """The question. `rounds_left` are the buying rounds after this one; `bot` plays everything that is not given."""

    edition: str
    variant: str
    player_count: int
    houses: tuple[int, ...]
    banknotes: int
    """The asker's, what is staked included."""
    rounds_left: int
    bot: str
    stakes: tuple[int | None, ...] = ()
    """Of each seat, the asker's first, clockwise; None: has passed. Empty: nobody has bid."""
    opponents_banknotes: tuple[int, ...] = ()
    """Of the others, clockwise, what is staked included. Empty: what bots have left, or the stake if that is more."""
    seed: int = 1

    def as_dict(self) -> dict[str, Any]:
        """The table as it would be posted."""
        return {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(self).items()}

    @classmethod
    def from_dict(cls, table: Mapping[str, Any]) -> Self:
        """The table that `as_dict` gave."""
        values: dict[str, Any] = {name: tuple(v) if isinstance(v, list) else v for name, v in table.items()}
        return cls(**values)

    @property
    def seat_stakes(self) -> tuple[int | None, ...]:
        """The stakes of all seats, the asker's first."""
        return self.stakes or (0,) * self.player_count

    @property
    def standing(self) -> int:
        """The highest stake, 0 where nobody has bid."""
        return max(stake or 0 for stake in self.seat_stakes)

    @property
    def prices(self) -> list[int]:
        """The prices that are tried: at most `MOST_PRICES`, evenly from the lowest bid to what one might ever bid."""
        usual = 2 + EDITIONS[self.edition].money[self.player_count] * 2 // 3
        least, most = self.standing + 1, min(self.banknotes, max(usual, self.standing + 6))
        steps = MOST_PRICES - 1
        return sorted({least + round(k * (most - least) / steps) for k in range(MOST_PRICES)}) if most >= least else []


def check_table(table: Table) -> None:
    """Raise RequestError for the first field that no table of this kind can have; the message names what it can."""
    check_request(
        game="for-sale", edition=table.edition, variant=table.variant, player_count=table.player_count,
        bots=[table.bot] * min(6, max(0, table.player_count)), games=1, seed=table.seed,
    )  # fmt: skip
    edition = EDITIONS[table.edition]
    sizes = round_sizes(edition, table.variant, table.player_count)
    _within("rounds_left", table.rounds_left, 0, len(sizes) - 1)
    size = sizes[len(sizes) - 1 - table.rounds_left]
    _check_stakes(table)
    # who passes takes a house, but for those who go without in the variant
    due = min(size, sum(stake is not None for stake in table.seat_stakes))
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
    if size - due > min(table.houses) - 1:
        text = _("Who passed took a house below the open ones; below house %(house)s there are not %(number)s.")
        params = {"house": min(table.houses), "number": size - due}
        raise RequestError(Message("no-house-to-take", text, params), "houses")
    money = edition.money[table.player_count]
    _within("banknotes", table.banknotes, table.seat_stakes[0] or 0, money)
    if table.opponents_banknotes:
        _one_each("opponents_banknotes", table.opponents_banknotes, table.player_count - 1)
        for index, banknotes in enumerate(table.opponents_banknotes):
            least = table.seat_stakes[1 + index] or 0
            _within("opponents_banknotes", banknotes, least, money, index)


def _check_stakes(table: Table) -> None:
    """Whoever bids tops the highest stake: seen from whose turn it is, stakes rise clockwise after those of nothing."""
    if not table.stakes:
        return
    _one_each("stakes", table.stakes, table.player_count)
    bidding = [(index, stake) for index, stake in enumerate(table.stakes) if stake is not None]
    if table.stakes[0] is None or len(bidding) < 2:
        text = _("You and at least one other must still be bidding.")
        raise RequestError(Message("nobody-left-to-bid", text), "stakes")
    for index, stake in bidding:
        _within("stakes", stake, 0, EDITIONS[table.edition].money[table.player_count], index)
    for (_seat, stake), (index, following) in pairwise(bidding):
        if (following <= stake and following > 0) or following < stake:
            text = _("It is your turn, so stakes rise clockwise from yours on; %(following)s does not top %(stake)s.")
            params = {"following": following, "stake": stake}
            raise RequestError(Message("stakes-do-not-rise", text, params), "stakes", index)


def _one_each(field: str, values: Sequence[object], due: int) -> None:
    if len(values) != due:
        text = _("%(field)s must name %(due)s seats, not %(number)s.")
        params = {"field": field, "due": due, "number": len(values)}
        raise RequestError(Message("wrong-number-of-seats", text, params), field)


def _within(field: str, value: int, low: int, high: int, *place: int) -> None:
    if not low <= value <= high:
        text = _("%(field)s must be a whole number from %(low)s to %(high)s, not %(value)s.")
        params = {"field": field, "low": f"{low}", "high": f"{high}", "value": value}
        raise RequestError(Message(f"{field.replace('_', '-')}-out-of-range", text, params), field, *place)


# --- playing -----------------------------------------------------------------------------------------


def sums_of(table: Table, first: int, number: int) -> dict[str, Any]:
    """`sums_readable`, by the kernel."""
    from stats import fair_price_kernel as compiled  # here: half a second of Numba, which no page must wait for

    edition, players = EDITIONS[table.edition], table.player_count
    sizes = round_sizes(edition, table.variant, players)
    games, asked = np.zeros(3, compiled.k.GAME), np.zeros(1, compiled.TABLE)
    setting = Setting("for-sale", table.edition, table.variant, players, (table.bot,) * players, table.seed)
    games[:1] = game_record(compiled.k, setting)
    asked["houses"] = sum(1 << house - 1 for house in table.houses)
    asked["rounds"] = len(sizes) - 1 - table.rounds_left
    asked["notes"][0, :players] = table.banknotes, *(table.opponents_banknotes or (-1,) * (players - 1))
    asked["stakes"][0, :players] = [-1 if stake is None else stake for stake in table.seat_stakes]
    asked["seed"] = table.seed
    sums = np.zeros(1 + compiled.SUMS * len(table.prices), np.int64)
    compiled.compiled()(games, asked, np.array(table.prices, np.int64), first, number, sums)
    by_price = sums[1:].reshape(-1, compiled.SUMS).tolist()
    taken = {str(price): of_price for price, of_price in zip(table.prices, by_price, strict=True)}
    return {"deals": number, "passed": int(sums[0]), "taken": taken}


def warm_up() -> None:
    """Load the machine code, compiling it where this source was never compiled: for a worker's start."""
    from stats import fair_price_kernel

    fair_price_kernel.compiled()


def sums_readable(table: Table, first: int, number: int) -> dict[str, Any]:
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
    """The game up to the table: the earlier rounds played by bots, everything given as it is, the asker to move."""
    edition = EDITIONS[table.edition]
    stream = Stream(table.seed, index)
    sizes = round_sizes(edition, table.variant, table.player_count)
    house_pile, cheque_pile = stream.deal(edition.houses)
    played = len(sizes) - 1 - table.rounds_left
    missing = sizes[played] - len(table.houses)
    gone = [card + 1 for card in house_pile if card + 1 < min(table.houses)][:missing]  # of those who have passed
    others = [card + 1 for card in house_pile if card + 1 not in (*table.houses, *gone)]
    cheques = [edition.cheques[card] for card in cheque_pile[: sum(sizes)]]
    state = setup(edition, table.variant, table.player_count, stream.below(table.player_count) + 1)
    for size in sizes[:played]:
        _auction(table, state, others, size, stream)
    for hand, banknotes in zip(state.hands, (table.banknotes, *table.opponents_banknotes), strict=False):
        hand.banknotes = banknotes
    apply(state, RevealHouses((*table.houses, *gone)))
    stakes = list(enumerate(table.seat_stakes, start=SEAT))
    for state.turn, stake in stakes:
        if stake is None:
            apply(state, Pass(state.turn))
    for seat, stake in stakes:
        if stake:
            state.turn, state.seat(seat).banknotes = seat, max(stake, state.seat(seat).banknotes)
            apply(state, Bid(seat, stake))
    state.turn = SEAT
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
        _auction(table, state, houses, size, stream)
    while not is_over(state):
        _sale(table, state, cheques, stream)
    ranks = places(state)
    return scores(state)[SEAT - 1], 60 // ranks.count(1) if ranks[SEAT - 1] == 1 else 0


def _auction(table: Table, state: State, pile: list[int], size: int, stream: Stream) -> None:
    houses, pile[:size] = pile[:size], []
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
    revealed, cheques[:size] = cheques[:size], []
    apply(state, RevealCheques(tuple(revealed)))
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


def fair_price(rows: Sequence[Mapping[str, Any]]) -> tuple[float | None, float | None]:
    """The price at which taking and passing are worth the same, between the prices that were tried; its standard error.

    0 where not even the lowest pays, None where even the highest does; then without an error. The error is that of the
    gain there, by how fast it falls.
    """
    if not rows or rows[0]["gain"] <= 0:
        return 0.0, None
    for low, high in pairwise(rows):
        if high["gain"] <= 0:
            fall = low["gain"] - high["gain"]
            width = high["price"] - low["price"]
            errors = [row["se"] for row in (low, high) if row["se"] is not None]
            se = max(errors) * width / fall if errors else None
            return float(low["price"] + low["gain"] / fall * width), se
    return None, None
