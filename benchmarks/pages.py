"""Milliseconds a page takes on PostgreSQL: on the demo's plays, and with a million more stored beside them.

    uv run python benchmarks/pages.py [--plays 1000000] [--clubs 1000] [--requests 40] [--keep]
                                      [--database postgres://postgres@127.0.0.1:5432/postgres]

The demo's clubs and plays are loaded, folded and rated in a database of its own; simulated figures are those of short
simulations, whose size does not depend on their games. A copy of it gets the plays, seats, ratings and counts of other
public clubs, written by SQL (12 players a club; counts of all days only). A process stands before each of the two, and
every page is asked for in turns, first of the one and then of the other, so that what else the machine does meets both
alike; through every middleware, and without a network. Targets: the 95th percentile on the demo's plays within 150 ms,
and with the million within 1.5 times that; the same number of queries. `--keep` leaves both databases there and takes
them if they are.
"""

import argparse
import multiprocessing
import os
import secrets
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from io import StringIO
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import psycopg

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
GAMES = 20_000
PLAYERS = 12
DAYS = 1000
FIRST_TIME = "the same, never asked before"


@contextmanager
def databases(server: str, *, keep: bool) -> Iterator[tuple[str, str, bool]]:
    """Addresses of two databases, the second to be a copy of the first, and whether they were there already."""
    names = [f"forsale_pages_{'kept' if keep else os.getpid()}_{size}" for size in ("few", "many")]
    few, many = (server.rsplit("/", 1)[0] + "/" + name for name in names)
    with closing(psycopg.connect(server, autocommit=True)) as connection:
        there = connection.execute("SELECT count(*) FROM pg_database WHERE datname = ANY(%s)", [names]).fetchone()
        found = there == (len(names),)
        if not found:
            for name in names:
                connection.execute(f'DROP DATABASE IF EXISTS "{name}"')
            connection.execute(f'CREATE DATABASE "{names[0]}"')
        try:
            yield few, many, found
        finally:
            for name in () if keep else names:
                connection.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')


def copy_database(server: str, few: str, many: str) -> None:
    with closing(psycopg.connect(server, autocommit=True)) as connection:
        one, other = (address.rsplit("/", 1)[1] for address in (few, many))
        connection.execute(f'CREATE DATABASE "{other}" TEMPLATE "{one}"')


def set_up(database: str) -> None:
    """Django on this database, in this process."""
    os.environ.update(
        DATABASE_URL=database,
        CELERY_BROKER_URL="redis://127.0.0.1:1/0",  # nobody listens: no reference simulation is started
        DJANGO_SECRET_KEY=secrets.token_urlsafe(50),
        DJANGO_ALLOWED_HOSTS="testserver",
        DJANGO_SETTINGS_MODULE="forsale_api.settings",
        DJANGO_DEBUG="",
    )
    import django
    from django.conf import settings

    django.setup()
    # Names of static files with their digests need collectstatic, which is not what is measured.
    settings.STORAGES = settings.STORAGES | {
        "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    }


def in_process(act: Callable[..., None], *arguments: Any) -> None:
    """Does it in a process of its own, since Django knows one database; raises where it failed."""
    process = multiprocessing.get_context("spawn").Process(target=act, args=arguments)
    process.start()
    process.join()
    if process.exitcode:
        raise SystemExit(f"{act.__name__} failed")


def load_demo(database: str) -> None:
    """The demo's clubs, folded and rated."""
    set_up(database)
    from django.core.management import call_command

    from stats import folding, ratings

    call_command("migrate", verbosity=0)
    call_command("seed", stdout=StringIO())
    while folding.fold():
        pass
    while ratings.rate():
        pass


def make_ready(database: str) -> None:
    """Pools, and a short simulation of every kind by today's engine, though the database was kept since another's."""
    set_up(database)
    from django.core.management import call_command

    from forsale_api.rules import GAMES as TITLES
    from stats import pools
    from stats.models import Simulation, SimulationResult, Status
    from stats.simulation import ENGINE, simulate

    call_command("migrate", verbosity=0)
    pools.refresh()
    Simulation.objects.all().delete()
    SimulationResult.objects.all().delete()
    game = TITLES["for-sale"]
    for (edition, variant), counts in game.offers.items():
        for players in counts if edition == game.default_edition else ():
            asked: dict[str, Any] = {
                "game": game.slug, "edition": edition, "variant": variant, "player_count": players,
                "bots": ["coin-flip"] * players, "seed": 1,
            }  # fmt: skip
            summary = simulate(**asked, games=GAMES)
            result = SimulationResult.objects.create(
                key=summary.setting.key, engine=ENGINE, games=GAMES, complete=True, summary=summary.to_bytes()
            )
            done = {"games": GAMES, "games_done": GAMES, "next_game": GAMES, "status": Status.FINISHED}
            Simulation.objects.create(**asked, **done, reference=True, result=result)


def write_plays(database: str, plays: int, clubs: int) -> None:
    """So many plays of four in public clubs of their own, a day apart by the thousand; by SQL, in minutes."""
    set_up(database)
    from django.db import connection

    numbers = {"clubs": clubs, "plays": plays, "players": PLAYERS, "days": DAYS}
    statements = [
        "SET session_replication_role = replica",  # what is written refers to what is there: not asked of each row
        "INSERT INTO clubs_club (slug, name, visibility, time_zone, contribute, notes_public, created_at, updated_at)"
        " SELECT 'bench-' || n, 'Bench ' || n, 'public', 'UTC', false, false, now(), now()"
        " FROM generate_series(1, %(clubs)s) AS n",
        "CREATE TEMP TABLE bench_club AS SELECT id, row_number() OVER (ORDER BY id) - 1 AS place FROM clubs_club"
        " WHERE slug LIKE 'bench-%%'",
        "INSERT INTO clubs_player (id, club_id, name, name_key, hidden_name, hidden_key, created_at)"
        " SELECT gen_random_uuid(), id, 'Player ' || n, 'player ' || n, '', '', now()"
        " FROM bench_club, generate_series(1, %(players)s) AS n",
        "CREATE TEMP TABLE bench_player AS SELECT p.id, c.place, row_number() OVER (PARTITION BY c.place ORDER BY p.id)"
        " - 1 AS number FROM clubs_player p JOIN bench_club c ON c.id = p.club_id",
        "CREATE INDEX ON bench_player (place, number)",
        "ANALYZE bench_player",
        "ANALYZE bench_club",
        "CREATE TEMP TABLE bench_play AS SELECT lpad(to_hex(n), 32, '0')::uuid AS id, n, c.id AS club,"
        " n %% %(clubs)s AS place, date '2024-01-01' + (n / %(clubs)s %% %(days)s)::int AS day,"
        " (random() * 8)::int AS first"
        " FROM generate_series(1, %(plays)s) AS n JOIN bench_club c ON c.place = n %% %(clubs)s",
        "ANALYZE bench_play",
        "INSERT INTO plays_play (id, club_id, game, edition, variant, player_count, played_on, location, notes,"
        " reported_winners, counts, not_counted_reason, level, decided_by, impossible, findings, held_back, body_hash,"
        " version, created_at, updated_at)"
        " SELECT id, club, 'for-sale', 'iello', 'base', 4, day, '', '', '[]', true, '', 'total', 'total', false, '[]',"
        " false, '', 1, now(), now() FROM bench_play",
        "CREATE TEMP TABLE bench_seat AS SELECT b.id AS play, b.club, b.day, s AS seat, p.id AS player,"
        " 76 - 8 * s + b.first AS total FROM bench_play b, generate_series(1, 4) AS s"
        " JOIN bench_player p ON true WHERE p.place = b.place"
        " AND p.number = (b.n / %(clubs)s + s * (s + 1) / 2) %% %(players)s",
        "ANALYZE bench_seat",
        "INSERT INTO plays_seat (play_id, seat, player_id, total, rank, is_winner)"
        " SELECT play, seat, player, total, seat, seat = 1 FROM bench_seat",
        "INSERT INTO stats_rating (play_id, player_id, game, played_on, mu, sigma)"
        " SELECT play, player, 'for-sale', day, 30 - seat, 3 FROM bench_seat",
        "INSERT INTO stats_tally (player_id, game, edition, variant, player_count, month, plays, wins, shared_wins,"
        " credit, totals, squares) SELECT player, 'for-sale', 'iello', 'base', 4, date_trunc('month', day), count(*),"
        " sum((seat = 1)::int), 0, 60 * sum((seat = 1)::int), sum(total), sum(total * total) FROM bench_seat"
        " GROUP BY player, date_trunc('month', day)",
        "INSERT INTO stats_standing (player_id, game, edition, variant, player_count, plays, wins, shared_wins, credit,"
        " totals, squares, luck, adjusted) SELECT player, 'for-sale', edition, variant, player_count, n, won, 0,"
        " 60 * won, total, squares, 15 * n, (won + 2.5) / (n + 10) FROM (SELECT player, count(*) AS n,"
        " sum((seat = 1)::int) AS won, sum(total) AS total, sum(total * total) AS squares FROM bench_seat"
        " GROUP BY player) AS sums, (VALUES (''), ('iello')) AS e (edition), (VALUES (''), ('base')) AS v (variant),"
        " (VALUES (0), (4)) AS c (player_count)",
        "INSERT INTO stats_block (club_id, game, edition, variant, player_count, counts, day, plays)"
        " SELECT club, 'for-sale', 'iello', 'base', 4, true, day, count(*) FROM bench_play"
        " GROUP BY GROUPING SETS ((club), (club, day))",
        "INSERT INTO stats_count (block_id, measure, part, value, n)"
        " SELECT b.id, 'total', 0, s.total, count(*) FROM stats_block b JOIN bench_seat s ON s.club = b.club_id"
        " WHERE b.day IS NULL GROUP BY b.id, s.total",
        "INSERT INTO stats_count (block_id, measure, part, value, n)"
        " SELECT b.id, m.measure, m.part, m.value + CASE WHEN m.moves THEN p.first ELSE 0 END, count(*)"
        " FROM stats_block b JOIN bench_play p ON p.club = b.club_id AND b.day IS NULL,"
        " (VALUES ('winning_total', 0, 68, true), ('margin', 0, 8, false), ('decided_by', 0, 0, false),"
        " ('table_total', 4, 224, true)) AS m (measure, part, value, moves)"
        " GROUP BY 1, 2, 3, 4",
    ]
    with connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement, numbers)
        cursor.execute("SET session_replication_role = origin")
        cursor.execute("VACUUM (ANALYZE)")


def addresses() -> dict[str, str]:
    """Name -> path of the pages that are measured: those of the demo's own things, and of everybody's."""
    from forsale_api.clubs.models import Player
    from forsale_api.plays.models import Play
    from stats.models import Simulation

    player = Player.objects.filter(club__slug="nantes", name="Théo").get().pk
    play = Play.objects.filter(club__slug="nantes", level="record").order_by("pk")[0].pk
    simulation = Simulation.objects.filter(variant="base", player_count=4).get().pk
    return {
        "scores of all clubs": "/",
        "scores of a club": "/?club=nantes",
        "positions": "/positions/",
        "houses": "/houses/",
        "leader board of all clubs": "/players/",
        "leader board of a club": "/players/?club=nantes",
        "leader board of all clubs, a year": "/players/?played_after=2025-01-01&played_before=2025-12-31",
        "leader board of all clubs, dates": "/players/?played_after=2025-01-15&played_before=2025-12-20",
        FIRST_TIME: "/players/?played_after=2025-01-{first}&played_before=2025-12-{last}",
        "leader board of all clubs, all": "/players/?counts=all",
        "a player": f"/players/{player}/",
        "compare": "/compare/?a-club=nantes",
        "a club": "/clubs/nantes/",
        "clubs": "/clubs/",
        "plays": "/plays/",
        "plays of three": "/plays/?player_count=3",
        "a play": f"/plays/{play}/",
        "simulations": "/simulations/",
        "a simulation": f"/simulations/{simulation}/?club=nantes",
    }


def serve(database: str, asker: Connection) -> None:
    """First tells the addresses of the pages, then answers names and paths with milliseconds and queries; None ends it.

    Queries are those of the first time, milliseconds of all.
    """
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    set_up(database)
    from django.test import Client

    client = Client()
    asker.send(addresses())
    queries: dict[str, int] = {}
    while asked_for := asker.recv():
        name, path = asked_for
        if name not in queries:
            with CaptureQueriesContext(connection) as asked:
                client.get(path)
            queries[name] = len(asked)
        begun = time.perf_counter()
        answer = client.get(path)
        taken = 1000 * (time.perf_counter() - begun)
        asker.send((answer.status_code, taken, queries[name]))


class Site:
    """The pages on one database, in a process of their own, and how long each took."""

    def __init__(self, database: str) -> None:
        context = multiprocessing.get_context("spawn")
        self._end, theirs = context.Pipe()
        self._process = context.Process(target=serve, args=(database, theirs), daemon=True)
        self._process.start()
        self.pages: Mapping[str, str] = self._end.recv()
        self.times: dict[str, list[float]] = {name: [] for name in self.pages}
        self.queries: dict[str, int] = {}

    def ask(self, name: str, turn: int, *, counts: bool) -> None:
        """One page; the one that is never asked twice has other days each turn."""
        path = self.pages[name].format(first=f"{3 + turn % 25:02}", last=10 + turn // 25)
        self._end.send((name, path))
        status, taken, self.queries[name] = self._end.recv()
        if status != 200:
            raise SystemExit(f"{path} is answered {status}")
        if counts:
            self.times[name].append(taken)

    def close(self) -> None:
        self._end.send(None)
        self._process.join()


def measure(addresses: Sequence[str], requests: int) -> list[Site]:
    """The pages of each database, asked for in turns."""
    sites = [Site(address) for address in addresses]
    for turn in range(requests + 2):
        for name in sites[0].pages:
            for site in sites if turn % 2 else sites[::-1]:
                site.ask(name, turn, counts=turn >= 2)  # the first ones compile templates
    for site in sites:
        site.close()
    return sites


def p95(times: Sequence[float]) -> float:
    return statistics.quantiles(times, n=20, method="inclusive")[-1]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--plays", type=int, default=1_000_000)
    parser.add_argument("--clubs", type=int, default=1000)
    parser.add_argument("--requests", type=int, default=40, help="of each page")
    parser.add_argument("--database", default="postgres://postgres@127.0.0.1:5432/postgres", help="a PostgreSQL server")
    parser.add_argument("--keep", action="store_true", help="leave the databases, and take them if they are there")
    asked = parser.parse_args()
    with databases(asked.database, keep=asked.keep) as (few, many, found):
        begun = time.perf_counter()
        if not found:
            in_process(load_demo, few)
            copy_database(asked.database, few, many)
            in_process(write_plays, many, asked.plays, asked.clubs)
        for database in (few, many):
            in_process(make_ready, database)
        written = time.perf_counter() - begun
        before, after = measure([few, many], asked.requests)
    print(f"{asked.plays} plays of {asked.clubs} clubs written in {written:.0f} s; {asked.requests} requests a page")
    names = ["median", "p95", "queries", "median, million", "p95, million", "queries", "median ratio", "p95 ratio"]
    print(f"| {'page':34} | {' | '.join(names)} |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    for name in before.pages:
        cells = [
            cell
            for site in (before, after)
            for cell in (
                f"{statistics.median(site.times[name]):.0f} ms",
                f"{p95(site.times[name]):.0f} ms",
                str(site.queries[name]),
            )
        ]
        for middle in (statistics.median, p95):
            cells.append(f"{middle(after.times[name]) / middle(before.times[name]):.2f}")
        print(f"| {name:34} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
