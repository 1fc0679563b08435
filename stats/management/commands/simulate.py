"""`manage.py simulate`: a batch of games at the command line, without database or secret."""

import json
import os
import secrets
import sys
import time
from argparse import ArgumentTypeError
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from decimal import Decimal, InvalidOperation
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from forsale_api.rules.for_sale import EDITIONS
from stats.bots import BOTS, play
from stats.simulation import RequestError, Setting, check_request, simulate, trace, warm_up
from stats.tally import simulate_readable
from stats.user_bots import BotError, UserBot

OWN = "a bot of your own: path/to/file.py:ClassName (docs/own-bots.md)"


def whole_number(text: str) -> int:
    """Read 1000000, 1_000_000 or 1e6; raises ArgumentTypeError for anything that is not a whole number."""
    try:
        number = Decimal(text)
        if number.adjusted() < 20 and number == number.to_integral_value():
            return int(number)
    except (InvalidOperation, ValueError):
        pass
    raise ArgumentTypeError(f"{text!r} is not a whole number such as 1000000 or 1e6")


def opener(text: str) -> str | int:
    """Read `random` or a seat's number."""
    return text if text == "random" else whole_number(text)


class Command(BaseCommand):
    help = "Play a batch of games by bots and print how they went (a table, or --json as the API gives it)."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        """The request's fields as options."""
        parser.add_argument("--game", default="for-sale")
        parser.add_argument("--edition", default="iello")
        parser.add_argument("--variant", default="base", help="base or not-enough-for-everyone")
        parser.add_argument("--players", type=whole_number, required=True, metavar="N")
        parser.add_argument(
            "--bots", default="coin-flip", help=f"one per seat, with commas; one alone: every seat; {OWN}"
        )
        parser.add_argument("--games", type=whole_number, default=1_000_000, help="such as 250000 or 1e6")
        parser.add_argument("--seed", type=whole_number, help="drawn, and shown, if left out")
        parser.add_argument("--opener", type=opener, default="random", help="random, or a seat's number")
        parser.add_argument("--threads", type=whole_number, default=os.cpu_count() or 1)
        parser.add_argument("--json", action="store_true", help="the results as JSON")
        parser.add_argument("--record", type=whole_number, metavar="N", help="instead, the first N games move by move")

    def handle(self, *args: Any, **options: Any) -> None:
        """Exit code 2 for a request that cannot be run, as for a misspelt option."""
        request = _request(options)
        with loaded(request["bots"]) as (request["bots"], own):
            try:
                # bots of one's own stand in for built-in ones: everything else is to be checked
                check_request(**{**request, "bots": ["random" if bot in own else bot for bot in request["bots"]]})
            except RequestError as error:
                raise CommandError(f"--{_OPTIONS.get(error.field, error.field)}: {error}", returncode=2) from None
            try:
                if options["record"] is not None:
                    self._print_records(request, own, options["record"])
                    return
                results = self._play(request, own, options["threads"])
            except KeyboardInterrupt:
                raise CommandError("stopped", returncode=130) from None
            print_faults(self.stderr, own)
        lines = [json.dumps(results)] if options["json"] else _table(results)
        self.stdout.write("\n".join(lines))

    def _play(self, request: dict[str, Any], own: dict[str, UserBot], threads: int) -> dict[str, Any]:
        bar = Progress(self.stderr, request["games"])
        if own:
            setting = Setting(**{name: value for name, value in request.items() if name != "games"})
            setting = replace(setting, bots=tuple(request["bots"]))
            bar.start()
            others = {slug: bot.bot for slug, bot in own.items()}
            summary = simulate_readable(setting, games=request["games"], others=others, progress=bar.show)
        else:
            warm_up()
            bar.start()
            summary = simulate(**request, threads=threads, progress=bar.show)
        bar.close()
        return summary.as_dict(request)

    def _print_records(self, request: dict[str, Any], own: dict[str, UserBot], number: int) -> None:
        kind = {name: value for name, value in request.items() if name != "games"}
        for index in range(min(number, request["games"])):
            record = _record(request, own, index) if own else trace(**kind, game_index=index)
            self.stdout.write(json.dumps({**kind, "game_index": index, "record": record}))


def _record(request: dict[str, Any], own: dict[str, UserBot], index: int) -> dict[str, Any]:
    _state, record = play(
        edition=EDITIONS[request["edition"]],
        variant=request["variant"],
        player_count=request["player_count"],
        bots=[own[bot].bot if bot in own else BOTS[bot] for bot in request["bots"]],
        seed=request["seed"],
        index=index,
        opener=None if request["opener"] == "random" else request["opener"],
    )
    return record


@contextmanager
def loaded(bots: list[str]) -> Iterator[tuple[list[str], dict[str, UserBot]]]:
    """The bots' names, and by name those of one's own, which run until the end. Exit code 2 where one is not there."""
    with ExitStack() as stack:
        try:
            running = {bot: stack.enter_context(UserBot(bot)) for bot in dict.fromkeys(bots) if ":" in bot}
        except BotError as error:
            raise CommandError(f"--bots: {error}", returncode=2) from None
        names = [running[bot].slug if bot in running else bot for bot in bots]
        yield names, {bot.slug: bot for bot in running.values()}


def print_faults(stream: Any, own: dict[str, UserBot]) -> None:
    """What bots of one's own did wrong: each time they passed or sold their lowest house instead."""
    for slug, bot in own.items():
        if bot.faults:
            faults = ", ".join(f"{fault} {count:,}" for fault, count in sorted(bot.faults.items()))
            stream.write(f"{slug} passed or sold its lowest house instead of: {faults}. {bot.last_error}".strip())


_OPTIONS = {"player_count": "players"}


def _request(options: dict[str, Any]) -> dict[str, Any]:
    bots = [bot.strip() for bot in options["bots"].split(",")]
    return {
        "game": options["game"],
        "edition": options["edition"],
        "variant": options["variant"],
        "player_count": options["players"],
        "bots": bots * options["players"] if len(bots) == 1 and options["players"] < 100 else bots,
        "games": options["games"],
        "seed": secrets.randbelow(2**53) if options["seed"] is None else options["seed"],
        "opener": options["opener"],
    }


class Progress:
    """A bar on a terminal, ten times a second; elsewhere a line for every tenth of the games."""

    def __init__(self, stream: Any, games: int) -> None:
        self.stream, self.games, self.started, self.shown = stream, games, 0.0, -1
        self.is_terminal = sys.stderr.isatty()
        self._write("loading the kernel (the first time it is compiled, some seconds)")

    def start(self) -> None:
        """Games begin now: the rate counts from here."""
        self.started = time.monotonic()

    def show(self, done: int) -> None:
        """`done` games of all are played."""
        now = time.monotonic()
        step = int(now * 10) if self.is_terminal else done * 10 // self.games
        if step == self.shown and done < self.games:
            return
        self.shown = step
        rate = done / max(now - self.started, 1e-9)
        bar = "#" * (30 * done // self.games)
        self._write(f"[{bar:<30}] {100 * done // self.games:3d} %  {done:,} games, {rate:,.0f} a second")

    def close(self) -> None:
        """End the bar's line."""
        if self.is_terminal:
            self.stream.write("")

    def _write(self, text: str) -> None:
        self.stream.write(f"\r\033[K{text}" if self.is_terminal else text, ending="" if self.is_terminal else "\n")
        self.stream.flush()


def _table(results: dict[str, Any]) -> Iterator[str]:
    """The results as lines of text; money in thousands of dollars."""
    request = results["request"]
    yield (
        f"{request['game']}, {request['edition']}, {request['variant']}, {request['player_count']} players: "
        f"{results['games']:,} games, seed {request['seed']}, opener {request['opener']}, engine {results['engine']}"
    )
    yield ""
    yield f"{'thousands of dollars':<22}{'mean':>9}{'se':>8}{'sd':>8}" + "".join(
        f"{name:>{width}}" for name, width in (("p05", 6), ("p25", 6), ("median", 8), ("p75", 6), ("p95", 6))
    )
    for name, d in results["overall"].items():
        yield _row(name.replace("_", " "), d)
    for seat in results["seats"]:
        yield _row(f"seat {seat['seat']} {seat['bot']}", seat["total"])
    yield ""
    yield from _shares(results)
    yield ""
    yield f"{'house':>5}{'price':>9}{'se':>8}{'cheque':>9}{'se':>8}"
    for house in results["houses"]:
        price, cheque = house["price"], house["cheque"]
        yield f"{house['house']:>5}" + "".join(
            _number(value, width)
            for value, width in ((price["mean"], 9), (price["se"], 8), (cheque["mean"], 9), (cheque["se"], 8))
        )


def _row(name: str, d: dict[str, Any]) -> str:
    q = d["quantiles"]
    return (
        f"{name:<22}{_number(d['mean'], 9)}{_number(d['se'], 8)}{_number(d['sd'], 8)}"
        f"{q['p05']:>6}{q['p25']:>6}{d['median']:>8}{q['p75']:>6}{q['p95']:>6}"
    )


def _shares(results: dict[str, Any]) -> Iterator[str]:
    named = [(f"wins of seat {seat['seat']}", seat["win_share"]) for seat in results["seats"]]
    named += [(f"wins of position {place['position']}", place["win_share"]) for place in results["positions"]]
    for name, s in named:
        yield f"{name:<22}{s['value']:>9.3%}   95 %: {s['low']:.3%} to {s['high']:.3%}"
    for how, count in results["decided_by"].items():
        yield f"{'decided by ' + how:<22}{count / results['games']:>9.3%}"
    for place in results["ties"]["positions"]:
        level, gain = place["level"]["value"], place["gain"]
        line = f"{'level of position ' + str(place['position']):<22}{level:>9.3%}"
        if gain["se"] is not None:
            line += f"   gains {gain['mean']:+.3%} of a win then, by banknotes; se {gain['se']:.3%}"
        yield line


def _number(value: float | None, width: int) -> str:
    return f"{'-' if value is None else format(value, '.3f'):>{width}}"
