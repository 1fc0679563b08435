"""What a batch of simulated games leaves behind: integer counts that add up, and the figures read from them.

Reading a stored result needs this file alone, not the compiled kernel. Counts are whole numbers, so sums do not
depend on the order of adding; a summary also knows which games it covers, so that none is counted twice.
"""

import hashlib
import json
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from functools import cache
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from forsale_api.rules.for_sale import EDITIONS, cards_dealt, houses_on_table, refund
from stats.bot_hashes import bot_hash
from stats.distribution import describe, share, standard_error

ENGINE = "1.1.0"
"""Names the meaning of a seed: raised whenever the same request would give other counts, bots apart (`bot_hashes`)."""

SEATS = 6  # the most players any edition takes
CARDS = 30  # the most cards a pile holds
STAKES = 32  # stakes and banknotes are below this
LAST = STAKES  # added to the stake of a house that went to a round's last seat, which pays all of it
TOTALS = 192  # a fortune is below this

_I = np.int64
COUNTS = np.dtype(
    [
        ("games", _I),
        ("total", _I, (SEATS, TOTALS)),
        ("winning_total", _I, TOTALS),
        ("margin", _I, TOTALS),
        ("banknotes", _I, (SEATS, STAKES)),
        ("rank", _I, (SEATS, SEATS)),
        ("win", _I, (SEATS, SEATS)),  # by seat, and by number of winners less 1
        ("position_win", _I, (SEATS, SEATS)),  # the same by position from the opener
        ("decided_by", _I, 3),  # total, banknotes, shared
        # where several are level at the top total, each of them: by seat, by how many are level less 1, and by how many
        # then share the win, 0 where this one has fewer banknotes than others of them
        ("tie", _I, (SEATS, SEATS, SEATS + 1)),
        ("position_tie", _I, (SEATS, SEATS, SEATS + 1)),  # the same by position from the opener
        ("game_total", _I, 2 * TOTALS),  # all fortunes of a game added up
        ("game_banknotes", _I, 96),  # all banknotes left in a game
        ("game_cheques", _I, 256),  # all cheques of a game
        ("seat_cheques", _I, TOTALS),  # the cheques of a seat
        ("seat_houses", _I, 16),  # houses a seat bought
        ("taken", _I, (CARDS, 2 * STAKES)),  # by house: its taker's stake, + LAST if paid whole
        ("fetched", _I, (CARDS, STAKES)),  # by house: its cheque
        ("spread", _I, (CARDS, STAKES)),  # by spread of the table: the price of its highest house
        ("empty", _I, STAKES),  # stakes of passers without a house, given back whole
        ("scoop", _I, 16),  # cheques a lone holder took at the end, 0 if nobody did
    ]
)
"""Everything the kernel counts, all zero at the start. A house of a scoop counts as sold in order of size."""

LAYOUT = hashlib.sha256(repr(COUNTS.descr).encode()).hexdigest()[:8]
DECISIONS = ("total", "banknotes", "shared")
_WIN = 60  # parts of a win, so that one shared by up to six is a whole number of them

type Opener = Literal["random"] | int


@dataclass(frozen=True, slots=True)
class Setting:
    """What is simulated, apart from how many games. `bots` name one policy per seat; `opener` is a seat from 1."""

    game: str
    edition: str
    variant: str
    player_count: int
    bots: tuple[str, ...]
    seed: int
    opener: Opener = "random"

    @property
    def key(self) -> str:
        """Equal where the games are equal."""
        table = [self.made_by(), self.game, self.variant, self.player_count, self.bots, self.seed, self.opener]
        return hashlib.sha256(json.dumps(table, sort_keys=True).encode()).hexdigest()

    def made_by(self) -> dict[str, Any]:
        """What plays and counts now: the engine's version, the edition by its rule numbers, each bot by its policy."""
        return {
            "engine": ENGINE,
            "edition_hash": _edition_hash(self.edition),
            "bot_hashes": {bot: bot_hash(bot) for bot in self.bots},
        }

    def cards_dealt(self) -> int:
        """Houses in play, and as many cheques."""
        return cards_dealt(EDITIONS[self.edition], self.variant, self.player_count)

    def table_size(self) -> int:
        """Houses of a full buying round."""
        return houses_on_table(self.variant, self.player_count)

    def refunds(self) -> list[int]:
        """What a passer who takes a house gets back, by stake."""
        return [refund(stake, EDITIONS[self.edition]) for stake in range(STAKES)]


@cache
def _edition_hash(slug: str) -> str:
    numbers = {name: value for name, value in asdict(EDITIONS[slug]).items() if name not in ("slug", "names")}
    return hashlib.sha256(json.dumps(numbers, sort_keys=True).encode()).hexdigest()[:16]


type Ranges = tuple[tuple[int, int], ...]
"""Disjoint stretches of game numbers [from, to), ascending, merged where they touch."""


@dataclass(frozen=True, eq=False, slots=True)
class Summary:
    """Counts of the games `ranges` of a setting; `counts` is one record of COUNTS (about 50 KB, whatever the number).

    `made_by` is what played them, as `Setting.made_by` said then. `a + b` joins summaries of one setting and raises
    ValueError for two settings, for another engine, edition or bot by the same name, or for games counted twice.
    """

    setting: Setting
    ranges: Ranges
    counts: NDArray[np.void]
    made_by: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.made_by:
            object.__setattr__(self, "made_by", self.setting.made_by())

    @property
    def games(self) -> int:
        """How many games are counted."""
        return int(self["games"])

    def __getitem__(self, name: str) -> NDArray[np.int64]:
        """The counter of that name in COUNTS, as an array."""
        counter: NDArray[np.int64] = self.counts[name][0]
        return counter

    def __add__(self, other: Self) -> Self:
        if not self._is_of(other):
            raise ValueError("summaries of different simulations do not add up")
        added = self.counts.view(np.int64) + other.counts.view(np.int64)
        return type(self)(self.setting, _merged(self.ranges, other.ranges), added.view(COUNTS), self.made_by)

    def _is_of(self, other: Self) -> bool:
        return self.setting.key == other.setting.key and self.made_by == other.made_by

    def __eq__(self, other: object) -> bool:
        """Same setting, same games, same counts."""
        if not isinstance(other, Summary):
            return NotImplemented
        same = self._is_of(other) and self.ranges == other.ranges
        return same and bool(np.array_equal(self.counts.view(np.int64), other.counts.view(np.int64)))

    __hash__ = None  # type: ignore[assignment]  # holds an array

    def to_bytes(self) -> bytes:
        """A compact form (a few KB) for storing; `from_bytes` reads it back."""
        header = {"made_by": self.made_by, "layout": LAYOUT, "setting": asdict(self.setting), "ranges": self.ranges}
        counts = self.counts.view(np.int64).astype("<i8").tobytes()
        return json.dumps(header, sort_keys=True).encode() + b"\n" + zlib.compress(counts, 6)

    @classmethod
    def from_bytes(cls, data: bytes) -> Self:
        """Read what `to_bytes` wrote. Raises ValueError for anything else, another engine's summary included."""
        head, _newline, body = bytes(data).partition(b"\n")
        try:
            header = json.loads(head)
            made_by, layout, setting, ranges = (header[name] for name in ("made_by", "layout", "setting", "ranges"))
            engine = made_by["engine"]
            counts = np.frombuffer(zlib.decompress(body), "<i8").astype(np.int64)
        except (ValueError, KeyError, TypeError, zlib.error) as error:
            raise ValueError("not a stored summary") from error
        if (engine, layout) != (ENGINE, LAYOUT):
            raise ValueError(f"a summary of engine {engine} ({layout}), not {ENGINE} ({LAYOUT})")
        setting["bots"] = tuple(setting["bots"])
        return cls(Setting(**setting), tuple((low, high) for low, high in ranges), counts.view(COUNTS), made_by)

    # --- figures ---

    def histogram(self, name: str, row: int | None = None) -> dict[int, int]:
        """A counter as {value: count}: one row of it (a seat from 0, a house from 0), or all rows together."""
        counter = self[name]
        flat = counter if counter.ndim == 1 else counter.sum(axis=0) if row is None else counter[row]
        return {int(value): int(flat[value]) for value in np.flatnonzero(flat)}

    def prices(self, house: int) -> dict[int, int]:
        """What the house (from 1) cost its taker, as {price: count}."""
        refunds, prices = self.setting.refunds(), dict[int, int]()
        for how, count in self.histogram("taken", house - 1).items():
            price = how - LAST if how >= LAST else how - refunds[how]
            prices[price] = prices.get(price, 0) + count
        return prices

    def refunded(self) -> dict[int, int]:
        """What passers took back, with a house (half of the stake) or without (all of it), as {amount: count}."""
        refunds, amounts = self.setting.refunds(), self.histogram("empty")
        for stake in range(LAST):
            count = int(self["taken"][:, stake].sum())
            if count:
                amounts[refunds[stake]] = amounts.get(refunds[stake], 0) + count
        return amounts

    def win_credit(self, counter: Literal["win", "position_win"], row: int) -> float:
        """Wins of a seat or position (from 0), a win shared by k counting 1/k."""
        return float(sum(int(count) / k for k, count in enumerate(self[counter][row], start=1)))

    def ties(self, counter: Literal["tie", "position_tie"], row: int) -> dict[str, Any]:
        """Whether banknotes, the tie-break, favour a seat or position (from 0): of the games, in how many it is level
        with others at the top total; of those, what it wins, a win shared by k counting 1/k; what it would win if each
        of those level had the same chance; and the gain, the one less the other, a mean over those games.
        """
        sixtieths = dict[int, int]()  # of a win, in which all of these are whole numbers
        even = 0
        for level, shared_by in zip(*np.nonzero(self[counter][row]), strict=True):
            games, fair = int(self[counter][row][level, shared_by]), _WIN // (int(level) + 1)
            gain = (_WIN // int(shared_by) if shared_by else 0) - fair
            sixtieths[gain] = sixtieths.get(gain, 0) + games
            even += games * fair
        n = sum(sixtieths.values())
        gained = sum(gain * games for gain, games in sixtieths.items())
        se = standard_error(sixtieths)
        return {
            "level": share(n, self.games),
            "win_share": share((even + gained) / _WIN, n),
            "even_share": even / _WIN / n if n else None,
            "gain": {"n": n, "mean": gained / _WIN / n if n else None, "se": None if se is None else se / _WIN},
        }

    def as_dict(self, request: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """The results in the API's form. `request` is echoed and says how many games were asked for.

        Without it the request is this summary's own setting with the games it has. Standard errors of a seat's
        figures and of one-per-game figures are over games; overall totals and banknotes are means over the seats of
        each game first, since the seats of one game are not independent.
        """
        setting = self.setting
        seats = range(setting.player_count)
        if request is None:
            request = {**asdict(setting), "bots": list(setting.bots), "games": self.games}
        return {
            "request": dict(request),
            **self.made_by,
            "games": self.games,
            "complete": self.games >= int(request["games"]),
            "overall": {
                "total": self._over_games("total", "game_total"),
                "winning_total": _described(self.histogram("winning_total")),
                "margin": _described(self.histogram("margin")),
                "banknotes": self._over_games("banknotes", "game_banknotes"),
            },
            "seats": [self._seat(seat) for seat in seats],
            "positions": [
                {"position": seat + 1, "win_share": share(self.win_credit("position_win", seat), self.games)}
                for seat in seats
            ],
            "decided_by": {how: int(self["decided_by"][k]) for k, how in enumerate(DECISIONS)},
            "ties": {
                "games": int(self["decided_by"][1:].sum()),
                "positions": [{"position": seat + 1, **self.ties("position_tie", seat)} for seat in seats],
                "seats": [{"seat": seat + 1, **self.ties("tie", seat)} for seat in seats],
            },
            "houses": [
                {
                    "house": house,
                    "price": _moments(self.prices(house)),
                    "cheque": _moments(self.histogram("fetched", house - 1)),
                }
                for house in range(1, EDITIONS[setting.edition].houses + 1)
            ],
        }

    def _over_games(self, name: str, game_sums: str) -> dict[str, Any]:
        se = standard_error(self.histogram(game_sums), per_unit=self.setting.player_count)
        return describe(self.histogram(name), se=se)

    def _seat(self, seat: int) -> dict[str, Any]:
        return {
            "seat": seat + 1,
            "bot": self.setting.bots[seat],
            "total": _described(self.histogram("total", seat)),
            "banknotes": _described(self.histogram("banknotes", seat)),
            "win_share": share(self.win_credit("win", seat), self.games),
            "ranks": [int(count) for count in self["rank"][seat][: self.setting.player_count]],
        }


def _described(histogram: Mapping[int, int]) -> dict[str, Any]:
    return describe(histogram, se=standard_error(histogram))


def _moments(histogram: Mapping[int, int]) -> dict[str, Any]:
    n = sum(histogram.values())
    mean = sum(value * count for value, count in histogram.items()) / n if n else None
    return {"n": n, "mean": mean, "se": standard_error(histogram)}


def _merged(*stretches: Iterable[tuple[int, int]]) -> Ranges:
    merged: list[tuple[int, int]] = []
    for low, high in sorted(part for ranges in stretches for part in ranges):
        if merged and low < merged[-1][1]:
            raise ValueError(f"games {low} to {min(high, merged[-1][1]) - 1} are counted twice")
        if merged and low == merged[-1][1]:
            merged[-1] = merged[-1][0], high
        else:
            merged.append((low, high))
    return tuple(merged)
