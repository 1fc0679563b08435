"""Simulations: from a request to a `Summary`, by the kernel; no Django.

A game depends on (setting, seed, game index) alone: a request may be cut into any ranges, run anywhere in any order,
and the summaries add up to the same counts. The kernel (and with it Numba) is imported at the first game.
"""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from dataclasses import asdict
from types import ModuleType
from typing import Any

import numpy as np

from forsale_api.rules.for_sale import DEFAULT_EDITION, EDITIONS, VARIANTS, player_counts, round_sizes
from forsale_api.rules.messages import Message
from forsale_api.rules.messages import gettext_noop as _
from stats.bots import BOTS
from stats.summary import COUNTS, ENGINE, Opener, Setting, Summary

__all__ = [
    "ENGINE",
    "MOST_GAMES",
    "RequestError",
    "Setting",
    "Summary",
    "check_request",
    "simulate",
    "thinks_long",
    "trace",
    "warm_up",
]

GAME = "for-sale"
MOST_GAMES = 10**10
LARGEST_SEED = 2**63 - 1
SLICE = 50_000
"""Games between two looks at the clock or at Ctrl-C: some hundredths of a second."""
PLANNED_SLICE = 10
"""The same where a bot thinks long."""
LARGE = 200_000_000
"""From so many games on, some seconds of compiling a kernel for just this number of players come back."""


class RequestError(ValueError):
    """A simulation that cannot be run. `place`: where in the request, e.g. ("bots", 2); `message`: what is allowed."""

    def __init__(self, message: Message, *place: str | int) -> None:
        super().__init__(str(message))
        self.message = message
        self.place = place

    @property
    def code(self) -> str:
        """The message's code."""
        return self.message.code

    @property
    def field(self) -> str:
        """The request's field at fault."""
        return str(self.place[0])


def check_request(
    *,
    game: str,
    edition: str = DEFAULT_EDITION,
    variant: str = "base",
    player_count: int,
    bots: Sequence[str],
    games: int,
    seed: int = 0,
    opener: Opener = "random",
    most_games: int = MOST_GAMES,
) -> None:
    """Raise RequestError for the first field that is not as offered; the message names what is."""
    _one_of("game", game, (GAME,), "game-not-simulated", _("“%(value)s” cannot be simulated; only %(offered)s can."))
    _one_of("edition", edition, EDITIONS, "unknown-edition", _("There is no edition “%(value)s”, only %(offered)s."))
    _one_of("variant", variant, VARIANTS, "unknown-variant", _("There is no variant “%(value)s”, only %(offered)s."))
    _one_of(
        "player_count",
        player_count,
        player_counts(EDITIONS[edition], variant),
        "players-not-offered",
        _("This edition and variant are not for %(value)s players, but for %(offered)s."),
    )
    if len(bots) != player_count:
        message = _("There must be one bot per seat: %(due)s, not %(number)s.")
        raise RequestError(Message("wrong-number-of-bots", message, {"due": player_count, "number": len(bots)}), "bots")
    for index, bot in enumerate(bots):
        _one_of(("bots", index), bot, BOTS, "unknown-bot", _("There is no bot “%(value)s”, only %(offered)s."))
    _within("games", games, 1, most_games)
    _within("seed", seed, 0, LARGEST_SEED)
    if opener != "random" and (type(opener) is not int or not 1 <= opener <= player_count):
        message = _("The opener is “random” or a seat from 1 to %(players)s, not “%(value)s”.")
        raise RequestError(Message("no-such-opener", message, {"players": player_count, "value": opener}), "opener")


def _one_of(place: str | tuple[str, int], value: object, offered: Any, code: str, template: str) -> None:
    if not any(type(value) is type(choice) and value == choice for choice in offered):  # 3.0 and True are no 3 and 1
        message = Message(code, template, {"value": value, "offered": ", ".join(map(str, offered))})
        raise RequestError(message, *((place,) if isinstance(place, str) else place))


def _within(field: str, value: int, low: int, high: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        message = _("%(field)s must be a whole number from %(low)s to %(high)s, not %(value)s.")
        params = {"field": field, "low": f"{low}", "high": f"{high}", "value": value}
        raise RequestError(Message(f"{field}-out-of-range", message, params), field)


def simulate(
    *,
    game: str,
    edition: str = DEFAULT_EDITION,
    variant: str = "base",
    player_count: int,
    bots: Sequence[str],
    games: int,
    seed: int,
    first_game: int = 0,
    opener: Opener = "random",
    threads: int = 1,
    progress: Callable[[int], None] | None = None,
) -> Summary:
    """Play games `first_game` to `first_game + games - 1` and count them.

    A chunk of a larger simulation is simply a range of its games. `threads` share the work without the GIL;
    `progress` hears, now and then, how many games are done. Memory does not grow with `games`.
    Raises RequestError as `check_request` does.
    """
    setting = Setting(game, edition, variant, player_count, tuple(bots), seed, opener)
    check_request(**asdict(setting), games=games)
    _within("first_game", first_game, 0, 2**62)
    kernel = _kernel().build_for(bots, **({"players": player_count} if games >= LARGE else {}))
    end = first_game + games
    step = slice_of(bots)
    todo = ((low, min(low + step, end)) for low in range(first_game, end, step))
    workers = max(1, min(threads, -(-games // step)))
    tables = [(game_record(kernel, setting), _padded_counts()) for _worker in range(workers)]
    done = 0
    for number in _run(kernel, setting.seed, todo, tables):
        done += number
        if progress:
            progress(done)
    counts = sum(counts[1:2].view(np.int64) for _record, counts in tables)
    return Summary(setting, ((first_game, end),), np.ascontiguousarray(counts).view(COUNTS))


def thinks_long(bots: Sequence[str]) -> bool:
    """Whether a game of such bots takes milliseconds compiled, and seconds in the readable twins."""
    return "planner" in bots


def slice_of(bots: Sequence[str]) -> int:
    """How many games such bots play in some hundredths of a second, roughly."""
    return PLANNED_SLICE if thinks_long(bots) else SLICE


def _run(kernel: ModuleType, seed: int, todo: Iterator[tuple[int, int]], tables: list[Any]) -> Iterator[int]:
    """Run all ranges, each on a free table; gives the number of games of each range as it ends."""

    def run(table: int, low: int, high: int) -> tuple[int, int]:
        record, counts = tables[table]
        kernel.block(record, counts[1:2], np.uint64(seed), low, high - low)
        return table, high - low

    if len(tables) == 1:  # in this thread: a worker needs no other
        for low, high in todo:
            yield run(0, low, high)[1]
        return
    with ThreadPoolExecutor(len(tables), "games") as pool:
        running = {pool.submit(run, table, *part) for table, part in zip(range(len(tables)), todo, strict=False)}
        while running:
            ended, running = wait(running, return_when=FIRST_COMPLETED)
            for table, number in (future.result() for future in ended):
                part = next(todo, None)
                if part:
                    running.add(pool.submit(run, table, *part))
                yield number


def trace(
    *,
    game: str,
    edition: str = DEFAULT_EDITION,
    variant: str = "base",
    player_count: int,
    bots: Sequence[str],
    seed: int,
    game_index: int,
    opener: Opener = "random",
) -> dict[str, Any]:
    """Game `game_index` of that simulation as a record in the API's form: it can be opened, replayed, stored as a play.

    Raises RequestError as `check_request` does.
    """
    setting = Setting(game, edition, variant, player_count, tuple(bots), seed, opener)
    check_request(**asdict(setting), games=1)
    _within("game_index", game_index, 0, 2**62)
    kernel = _kernel().build_for(bots, trace=True)
    table = game_record(kernel, setting)
    kernel.block(table, np.zeros(1, COUNTS), np.uint64(seed), game_index, 1)
    steps = table["step"][0][: int(table["steps"][0])].tolist()
    return _record_of(int(table["first"][0]) + 1, steps, kernel)


def _record_of(first_seat: int, steps: list[list[int]], kernel: ModuleType) -> dict[str, Any]:
    """Steps as the kernel notes them (what, seat or place, value; all from 0) -> the API's record."""
    auctions: list[dict[str, Any]] = []
    sales: list[dict[str, Any]] = []
    before = None
    for what, who, value in steps:
        opens = what != before
        before = what
        match what:
            case kernel.REVEAL_HOUSE:
                if opens:
                    auctions.append({"houses": [], "actions": []})
                auctions[-1]["houses"].append(value + 1)
            case kernel.BID:
                auctions[-1]["actions"].append({"seat": who + 1, "bid": value})
            case kernel.PASS:
                auctions[-1]["actions"].append({"seat": who + 1, "pass": True})
            case kernel.REVEAL_CHEQUE:
                if opens:
                    sales.append({"cheques": []})
                sales[-1]["cheques"].append(value)
            case kernel.OFFER:
                sales[-1].setdefault("offers", []).append({"seat": who + 1, "house": value + 1})
            case kernel.SCOOP:
                sales[-1]["scoop"] = who + 1
    return {"first_seat": first_seat, "auctions": auctions, "sales": sales}


def warm_up(*, every_bot: bool = False) -> None:
    """Load the kernel, compiling it if this source was never compiled here: for a worker's start.

    The simple bots' build takes some seconds to compile, those of `every_bot` half a minute.
    """
    kernel = _kernel()
    if every_bot:
        for bot in BOTS:
            kernel.build_for([bot])


def _kernel() -> ModuleType:
    from stats import kernel  # here: half a second of Numba, which no page or stored result must wait for

    return kernel


def game_record(kernel: ModuleType, setting: Setting) -> Any:
    """A table for the kernel, its rule numbers taken from the edition (seats, cards from 0)."""
    edition = EDITIONS[setting.edition]
    table = np.zeros(1, kernel.GAME)
    table["players"] = setting.player_count
    table["deck"] = edition.houses
    table["dealt"] = setting.cards_dealt()
    table["table_size"] = setting.table_size()
    table["all_rounds"] = len(round_sizes(edition, setting.variant, setting.player_count))
    table["money"] = edition.money[setting.player_count]
    table["opener"] = -1 if setting.opener == "random" else setting.opener - 1
    table["bots"][0, : setting.player_count] = [kernel.BOTS.index(bot) for bot in setting.bots]
    table["refund"] = setting.refunds()
    table["worth"][0, : edition.houses] = edition.cheques
    return table


def _padded_counts() -> Any:
    """Three records of which the middle one is used: those of two threads never share a cache line."""
    return np.zeros(3, COUNTS)
