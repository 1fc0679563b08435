"""`manage.py league`: which bot is better, and how sure that is; without database or secret."""

import json
import os
import secrets
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import fields
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from stats.bots import BOTS
from stats.league import TABLES, League, check_league, missing, play_round, standings
from stats.management.commands.simulate import OWN, Progress, loaded, print_faults, whole_number
from stats.simulation import RequestError, warm_up
from stats.user_bots import UserBot

type Rounds = dict[int, list[dict[str, Any]]]


class Command(BaseCommand):
    help = "Let bots play a league and print its table (or --json). With --file it can be stopped and gone on with."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        """The request's fields as options."""
        parser.add_argument("--game", default="for-sale")
        parser.add_argument("--edition", default="iello")
        parser.add_argument("--variant", default="base", help="base or not-enough-for-everyone")
        parser.add_argument("--players", type=whole_number, required=True, metavar="N", help="seats at each table")
        parser.add_argument("--bots", default=",".join(BOTS), help=f"with commas; all, if left out; {OWN}")
        parser.add_argument("--tables", default="mixed", help=" or ".join(TABLES))
        parser.add_argument("--rounds", type=whole_number, default=60)
        parser.add_argument("--deals", type=whole_number, default=1000, help="deals at each table of a round")
        parser.add_argument("--seed", type=whole_number, help="drawn, and shown, if left out")
        parser.add_argument("--file", type=Path, help="keep the rounds there; named again, the league goes on")
        parser.add_argument("--threads", type=whole_number, default=os.cpu_count() or 1)
        parser.add_argument("--json", action="store_true", help="the table as JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        """Exit code 2 for a league that cannot be played, as for a misspelt option."""
        with loaded([bot.strip() for bot in options["bots"].split(",")]) as (bots, own):
            rounds: Rounds = {}
            league, rounds = _begun(_league(options, bots), options["file"], drawn=options["seed"] is None)
            try:
                check_league(league, known=[*BOTS, *own])
            except RequestError as error:
                name = "players" if error.field == "player_count" else error.field
                raise CommandError(f"--{name}: {error}", returncode=2) from None
            try:
                self._play(league, rounds, own, options)
            except KeyboardInterrupt:
                raise CommandError("stopped", returncode=130) from None
            print_faults(self.stderr, own)
        table = standings(league, rounds)
        self.stdout.write(json.dumps(table) if options["json"] else "\n".join(_lines(table)))

    def _play(self, league: League, rounds: Rounds, own: dict[str, UserBot], options: dict[str, Any]) -> None:
        todo = missing(league, rounds)
        bar = Progress(self.stderr, max(1, len(todo) * league.games_a_round))
        warm_up()
        bar.start()
        others = {slug: bot.bot for slug, bot in own.items()}
        threads = 1 if own else max(1, options["threads"])  # a bot of one's own answers one question at a time
        with ThreadPoolExecutor(threads) as pool:
            try:
                played = pool.map(lambda number: (number, play_round(league, number, others=others)), todo)
                for done, (number, rows) in enumerate(played, 1):
                    rounds[number] = rows
                    if options["file"]:
                        with options["file"].open("a") as journal:
                            journal.write(json.dumps({"round": number, "tables": rows}) + "\n")
                    bar.show(done * league.games_a_round)
            except BaseException:
                pool.shutdown(cancel_futures=True)
                raise
        bar.close()


def _league(options: dict[str, Any], bots: list[str]) -> League:
    given = {field.name: options[field.name] for field in fields(League) if field.name in options}
    seed = secrets.randbelow(2**53) if options["seed"] is None else options["seed"]
    return League(**{**given, "bots": tuple(bots), "player_count": options["players"], "seed": seed})


def _begun(league: League, file: Path | None, *, drawn: bool) -> tuple[League, Rounds]:
    """The league with the rounds that its file holds; a new file is begun. A seed that was drawn gives way to its.

    Exit code 2 where the file belongs to another league, or to another engine or bot of a name.
    """
    if file is None or not file.exists() or not file.stat().st_size:
        if file is not None:
            file.write_text(json.dumps({"league": league.as_dict(), "made_by": league.made_by()}) + "\n")
        return league, {}
    lines = list(_whole_lines(file))
    head = lines[0] if lines else {}
    stored = dict(head.get("league", {}))
    if drawn and "seed" in stored:
        league = League(**{**league.as_dict(), "bots": league.bots, "seed": stored["seed"]})
    # rounds may be added: those played are the same
    if {**stored, "rounds": 0} != {**league.as_dict(), "rounds": 0} or head.get("made_by") != league.made_by():
        raise CommandError(f"--file: {file} holds another league: {json.dumps(head)[:500]}", returncode=2)
    return league, {row["round"]: row["tables"] for row in lines[1:] if row["round"] < league.rounds}


def _whole_lines(file: Path) -> Iterator[dict[str, Any]]:
    """The lines that were written to their end; what a death left unfinished is cut off."""
    text = file.read_text()
    whole = text[: text.rfind("\n") + 1]
    if whole != text:
        file.write_text(whole)
    for line in whole.splitlines():
        with suppress(ValueError):
            yield json.loads(line)


def _lines(table: dict[str, Any]) -> Iterator[str]:
    """The table as lines of text; means in thousands of dollars, 95 % intervals."""
    league = table["request"]
    yield (
        f"{league['game']}, {league['edition']}, {league['variant']}, {league['player_count']} players, "
        f"{league['tables']} tables: {table['rounds']:,} rounds, {table['games']:,} games, seed {league['seed']}, "
        f"engine {table['engine']}"
    )
    yield ""
    yield (
        f"{'':>2} {'bot':<22}{'rating':>8}{'95 %':>14}{'wins':>9}{'95 %':>18}"
        f"{'ahead of next':>15}{'95 %':>18}{'total':>8}{'rank':>7}"
    )
    for row in table["results"]:
        yield (
            f"{row['place']:>2} {row['bot']:<22}{_value(row['rating'], 8, '.0f')}{_span(row['rating'], 14, '.0f')}"
            f"{_value(row['win_share'], 9, '.2%')}{_span(row['win_share'], 18, '.2%')}"
            f"{_value(row['lead'], 15, '.2%')}{_span(row['lead'], 18, '.2%')}"
            f"{_value(row['mean_total'], 8, '.2f')}{_value(row['mean_rank'], 7, '.2f')}"
        )
    if table["duels"]:
        yield ""
        yield f"{'alone':<22}{'among':<22}{'x fair share':>13}{'95 %':>16}"
    for duel in table["duels"]:
        yield (
            f"{duel['bot']:<22}{duel['among']:<22}{_value(duel['times_fair'], 13, '.3f')}"
            f"{_span(duel['times_fair'], 16, '.3f')}"
        )


def _value(estimate: dict[str, Any] | None, width: int, form: str) -> str:
    return f"{'-' if estimate is None else format(estimate['value'], form):>{width}}"


def _span(estimate: dict[str, Any] | None, width: int, form: str) -> str:
    if estimate is None or estimate["low"] is None:
        return f"{'-':>{width}}"
    return f"{format(estimate['low'], form) + ' to ' + format(estimate['high'], form):>{width}}"
