"""`manage.py demo`: the whole service in one process, with a club, its plays and simulations to look at.

Web server, worker and beat are threads of this process; the database is a file in var/. What a killed process left
is finished by the next one, because the database says what is left (`stats.services`).
"""

import gc
import json
import os
import secrets
import signal
import sys
import tempfile
import threading
import time
from argparse import ArgumentTypeError
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import timedelta
from io import StringIO
from pathlib import Path
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.core.wsgi import get_wsgi_application
from django.db import DatabaseError, connection
from django.db.models import Sum
from django.utils import timezone
from waitress.server import TcpWSGIServer, create_server

from forsale_api.api.permissions import SCOPES
from forsale_api.celery import start_embedded_worker
from forsale_api.clubs.models import Club, User
from forsale_api.clubs.services import make_token
from forsale_api.rules.for_sale import DEFAULT_EDITION
from stats import aggregates, services
from stats.models import Simulation, Status
from stats.pools import Kind

HOST = "127.0.0.1"  # this machine only: the demo answers to any host name
PORT = 8000
THREADS = 8  # of the web server, each with its own connection to the database
USER = "demo"
TOKEN_LIFE = timedelta(days=30)
PATIENCE = 2.5  # seconds an orderly end may take; what still runs then is cut off, as by a kill, and taken up again
GAMES_ONCE = 1_000_000  # a pair of player count and variant, with --once
OVER = {Status.FINISHED, Status.CANCELLED, Status.FAILED}


def port_number(text: str) -> int:
    """Read a port, 0 for any free one; raises ArgumentTypeError."""
    if not (text.isascii() and text.isdigit() and int(text) <= 65535):
        raise ArgumentTypeError(f"{text!r} is not a port; use a number from 1 to 65535")
    return int(text)


class Command(BaseCommand):
    help = "Run everything in one process: pages, API, worker, a club with plays and the reference simulations."
    requires_system_checks = ("environment",)  # the others read the database, which may not be there yet

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--port", type=port_number, help=f"{PORT} unless told; 0 takes any free one")
        parser.add_argument("--once", action="store_true", help="smaller simulations, a table of them, and the end")

    def handle(self, *args: Any, port: int | None, once: bool, **options: Any) -> None:
        """Exit code 1 and a sentence where port, folder or database cannot be used; 0 when done or asked to end."""
        try:
            with asked_to_end_once():
                self.run((0 if once else PORT) if port is None else port, once=once)
        except KeyboardInterrupt:
            self.say("\nStopped. What is left of the simulations goes on at the next start.")
            os._exit(0)  # what has not ended in time would complain about an interpreter that ends under it

    def run(self, port: int, *, once: bool) -> None:
        """Start the parts in the order in which somebody may use them; stay until asked to end, or all is done."""
        gc.disable()  # until the parts are there: hardly anything made meanwhile is garbage, and pages come sooner
        require_writable_database()
        server = listen(port)
        migrate()
        threading.Thread(target=server.run, name="web", daemon=True).start()
        address = f"http://{HOST}:{server.effective_port}"
        self.say(f"The pages and the API are at {address}/ (Ctrl-C ends it).")
        call_command("seed", stdout=StringIO())
        worker = start_embedded_worker()
        try:
            user, password = demo_account()
            self.say(introduction(address, user, password))
            gc.freeze()
            gc.enable()
            simulations = smaller_simulations(user) if once else reference_simulations(user)
            self.follow(simulations, stay=not once)
        finally:
            cut_off_after(PATIENCE)
            worker.stop(PATIENCE - 1)
            server.task_dispatcher.shutdown(timeout=1)
        self.say("\n".join(table(simulations)))

    def say(self, text: str, ending: str = "\n") -> None:
        """Print at once, also into a file or a pipe that somebody waits at."""
        try:
            self.stdout.write(text, ending=ending)
            self.stdout.flush()
        except BrokenPipeError:  # whoever read has gone, as in `demo | head`; the service goes on
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())

    def follow(self, ids: Sequence[UUID], *, stay: bool) -> None:
        """Show how far these simulations are; return when all are over, unless we stay.

        On a terminal that is one line that changes, elsewhere a line for every tenth.
        """
        terminal, shown, began = self.stdout.isatty(), None, None
        while True:
            simulations = Simulation.objects.filter(pk__in=ids)
            statuses = set(simulations.values_list("status", flat=True))
            sums = simulations.aggregate(done=Sum("games_done"), games=Sum("games"))
            if began is None or sums["done"] == began[1]:  # the speed is that since the first games
                began = time.monotonic(), sums["done"]
            speed = (sums["done"] - began[1]) / max(time.monotonic() - began[0], 1)
            line = progress(statuses, sums["done"], sums["games"], speed)
            step = line if terminal else (statuses, sums["done"] * 10 // sums["games"])
            if step != shown:
                self.say(f"\r\033[K{line}" if terminal else line, ending="" if terminal else "\n")
                shown = step
            if statuses <= OVER and not stay:
                return
            time.sleep(0.5)


def require_writable_database() -> None:
    """Raises CommandError where the SQLite file, or the folder it belongs in, cannot be written."""
    if connection.vendor != "sqlite":
        return
    file = Path(settings.DATABASES["default"]["NAME"])
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=file.parent), file.open("ab"):
            pass
    except OSError as error:
        raise CommandError(
            f"Cannot write the database {file}: {error.strerror}. Make its folder writable, "
            "or name another file: DATABASE_URL=sqlite:////tmp/forsale.sqlite3 uv run manage.py demo"
        ) from None


def listen(port: int) -> TcpWSGIServer:
    """The web server, listening but not yet answering. Raises CommandError where the port cannot be had."""
    try:
        return create_server(get_wsgi_application(), host=HOST, port=port, threads=THREADS, ident=None)
    except OSError as error:
        other = port + 1 if port < 65535 else PORT
        raise CommandError(
            f"Cannot listen on port {port}: {error.strerror}. Try another: uv run manage.py demo --port {other}"
        ) from None


def migrate() -> None:
    """Bring the database to this version. Raises CommandError where it cannot be reached or is something else."""
    try:
        call_command("migrate", verbosity=0, interactive=False)
    except DatabaseError as error:
        raise CommandError(f"Cannot use the database {settings.DATABASES['default']['NAME']}: {error}") from None


@contextmanager
def asked_to_end_once() -> Iterator[None]:
    """SIGINT, SIGTERM and SIGHUP raise KeyboardInterrupt here, once: a second one must not break the orderly end."""
    signals = [signal.SIGINT, signal.SIGTERM]
    if signal.getsignal(signal.SIGHUP) != signal.SIG_IGN:  # else started by nohup
        signals.append(signal.SIGHUP)

    def end(number: int, frame: object) -> None:
        for each in signals:
            signal.signal(each, signal.SIG_IGN)
        cut_off_after(PATIENCE)
        raise KeyboardInterrupt

    for each in signals:
        signal.signal(each, end)
    yield


def cut_off_after(seconds: float) -> None:
    """End the process then, whatever its threads still do; nothing happens if it has ended by itself."""
    timer = threading.Timer(seconds, os._exit, args=[0])
    timer.daemon = True
    timer.start()


def demo_account() -> tuple[User, str]:
    """The account to look round with, and its password: a new one each start, since nothing is kept in it."""
    user, _ = User.objects.get_or_create(username=USER)
    password = secrets.token_urlsafe(9)
    user.set_password(password)
    user.save(update_fields=["password"])
    return user, password


def introduction(address: str, user: User, password: str) -> str:
    """Who to be, and a line to paste that logs a play."""
    club = Club.objects.filter(memberships__user=user).earliest("created_at")
    _token, secret = make_token(user, "demo", list(SCOPES), timezone.now() + TOKEN_LIFE)
    play = {
        "club": club.slug,
        "game": services.SIMULATED_GAME,
        "played_on": timezone.localdate(timezone=ZoneInfo(club.time_zone)).isoformat(),
        "seats": [
            {"player": "Marianne", "cheques": 83, "banknotes": 4},
            {"player": "Guilaine", "cheques": 85, "banknotes": 2},
            {"player": "Oscar", "cheques": 70, "banknotes": 0},
        ],
    }
    return f"""
Sign in as:  {user.username} with the password {password}
Token:       {secret}
Log a play:  curl {address}/api/v1/plays/ -H 'Authorization: Bearer {secret}' \
-H 'Content-Type: application/json' -d '{json.dumps(play)}'
"""


def kinds() -> list[Kind]:
    """The pairs of player count and variant of the default edition."""
    return aggregates.kinds({"game": services.SIMULATED_GAME, "edition": DEFAULT_EDITION})


def reference_simulations(user: User) -> list[UUID]:
    """Those that recorded scores are shown beside; begun if there are none, for this user to pause and go on with."""
    return [services.start_reference(**kind._asdict(), requester=user).pk for kind in kinds()]


def smaller_simulations(user: User) -> list[UUID]:
    """The same settings with fewer games; a reference simulation begun later goes on from these."""
    return [
        services.request_simulation(
            requester=user,
            **kind._asdict(),
            bots=[services.REFERENCE_BOT] * kind.player_count,
            games=min(GAMES_ONCE, settings.MAX_SIMULATION_GAMES),
            seed=services.REFERENCE_SEED,
        ).pk
        for kind in kinds()
    ]


def progress(statuses: set[str], done: int, games: int, speed: float) -> str:
    """How far simulations are, in a line."""
    so_far = f"{done:,} of {games:,} games simulated"
    if statuses <= OVER:
        return f"{so_far}: all done."
    if Status.PAUSED in statuses and not statuses & set(services.ACTIVE):
        return f"{so_far}: paused."
    left = f", {(games - done) / speed:,.0f} s left" if speed else ""
    return f"{so_far} ({done / games:.0%}), {speed:,.0f} a second{left}"


def table(simulations: Sequence[UUID]) -> Iterator[str]:
    """Distributions of totals, recorded beside simulated, a line each; in thousands of dollars."""
    recorded = aggregates.score_blocks({"game": services.SIMULATED_GAME, "edition": DEFAULT_EDITION})["results"]
    yield ""
    bot = services.REFERENCE_BOT
    yield f"Final totals in thousands of dollars, edition {DEFAULT_EDITION}; simulated: {bot} in every seat"
    yield (
        f"{'players':<8}{'variant':<26}{'data':<11}{'plays':>9}{'mean':>8}{'sd':>7}"
        f"{'p05':>5}{'p25':>5}{'median':>8}{'p75':>5}{'p95':>5}{'winner':>8}{'ties':>8}"
    )
    for simulation in Simulation.objects.select_related("result").filter(pk__in=simulations).order_by("created_at"):
        kind = (simulation.variant, simulation.player_count)
        for block in recorded:
            if (block["variant"], block["player_count"]) == kind:
                yield row(*kind, "recorded", block["plays"], block)
        results = services.results_of(simulation)
        yield row(*kind, "simulated", results["games"], results["overall"] | {"decided_by": results["decided_by"]})


def row(variant: str, players: int, data: str, plays: int, block: Mapping[str, Any]) -> str:
    """A line of the table: all totals, then the winners' mean and the share of plays not decided by the total alone."""
    total, q = block["total"], block["total"]["quantiles"]
    sd = "-" if total["sd"] is None else f"{total['sd']:.2f}"
    ties = 1 - block["decided_by"]["total"] / plays
    return (
        f"{players:<8}{variant:<26}{data:<11}{plays:>9,}{total['mean']:>8.2f}{sd:>7}"
        f"{q['p05']:>5}{q['p25']:>5}{total['median']:>8}{q['p75']:>5}{q['p95']:>5}"
        f"{block['winning_total']['mean']:>8.2f}{ties:>8.2%}"
    )
