"""Milliseconds a page takes on PostgreSQL: on the demo's plays, and with a million more stored beside them.

    uv run python benchmarks/pages.py [--plays 1000000] [--clubs 1000] [--requests 40]
                                      [--database postgres://postgres@127.0.0.1:5432/postgres]

The demo's clubs and plays are loaded, folded and rated in a database of its own, which is removed afterwards; simulated
figures are those of short simulations, whose size does not depend on their games. Every page is then asked for in
turns, in this process, through every middleware, and without a network. After that the plays, seats, ratings and counts
of other public clubs are written by SQL (12 players a club; counts of all days only), and
the same pages are asked for again. Targets: the 95th percentile on the demo's plays within 150 ms, and with the million
within 1.5 times that; the same number of queries.
"""

import argparse
import os
import secrets
import statistics
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from io import StringIO
from pathlib import Path
from typing import Any

import psycopg

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
GAMES = 20_000
PLAYERS = 12
DAYS = 1000


@contextmanager
def own_database(server: str) -> Iterator[str]:
    """The address of a new database, removed at the end."""
    name = f"forsale_pages_{os.getpid()}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}"')
        try:
            yield server.rsplit("/", 1)[0] + "/" + name
        finally:
            connection.execute(f'DROP DATABASE "{name}" WITH (FORCE)')


def load_demo() -> None:
    """The demo's clubs, folded and rated, and a short simulation of every kind, played in this process."""
    from django.core.management import call_command

    from forsale_api.rules import GAMES as TITLES
    from stats import folding, ratings
    from stats.models import Simulation, SimulationResult, Status
    from stats.simulation import ENGINE, simulate

    call_command("migrate", verbosity=0)
    call_command("seed", stdout=StringIO())
    while folding.fold():
        pass
    while ratings.rate():
        pass
    game = TITLES["for-sale"]
    for (edition, variant), counts in game.offers.items():
        for players in counts if edition == game.default_edition else ():
            asked: dict[str, Any] = {
                "game": game.slug, "edition": edition, "variant": variant, "player_count": players,
                "bots": ["coin-flip"] * players, "seed": 1,
            }  # fmt: skip
            summary = simulate(**asked, games=GAMES)
            key = f"{edition}-{variant}-{players}"
            result = SimulationResult.objects.create(
                key=key, engine=ENGINE, games=GAMES, complete=True, summary=summary.to_bytes()
            )
            done = {"games": GAMES, "games_done": GAMES, "next_game": GAMES, "status": Status.FINISHED}
            Simulation.objects.create(**asked, **done, reference=True, result=result)


def write_plays(plays: int, clubs: int) -> None:
    """So many plays of four in public clubs of their own, a day apart by the thousand; by SQL, in seconds."""
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
        "CREATE TEMP TABLE bench_play AS SELECT gen_random_uuid() AS id, n, c.id AS club, n %% %(clubs)s AS place,"
        " date '2024-01-01' + (n / %(clubs)s %% %(days)s)::int AS day, (random() * 8)::int AS first"
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
        "INSERT INTO stats_tally (player_id, game, edition, variant, player_count, plays, wins, shared_wins, credit,"
        " totals, squares) SELECT player, 'for-sale', 'iello', 'base', 4, count(*), sum((seat = 1)::int), 0,"
        " 60 * sum((seat = 1)::int), sum(total), sum(total * total) FROM bench_seat GROUP BY player",
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
        cursor.execute("ANALYZE")


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
        "a player": f"/players/{player}/",
        "compare": "/compare/?a-club=nantes",
        "a club": "/clubs/nantes/",
        "clubs": "/clubs/",
        "plays": "/plays/",
        "a play": f"/plays/{play}/",
        "simulations": "/simulations/",
        "a simulation": f"/simulations/{simulation}/?club=nantes",
    }


def measure(pages: dict[str, str], requests: int) -> dict[str, tuple[list[float], int]]:
    """Milliseconds of each request of each page, in turns, and the number of queries of the last."""
    from django.db import connection
    from django.test import Client
    from django.test.utils import CaptureQueriesContext

    client = Client()
    times: dict[str, list[float]] = {name: [] for name in pages}
    queries = {}
    for turn in range(requests + 2):
        for name, path in pages.items():
            begun = time.perf_counter()
            answer = client.get(path)
            taken = 1000 * (time.perf_counter() - begun)
            if answer.status_code != 200:
                raise SystemExit(f"{path} is answered {answer.status_code}")
            if turn >= 2:  # the first ones compile templates
                times[name].append(taken)
    for name, path in pages.items():
        with CaptureQueriesContext(connection) as asked:
            client.get(path)
        queries[name] = len(asked)
    return {name: (taken, queries[name]) for name, taken in times.items()}


def p95(times: list[float]) -> float:
    return statistics.quantiles(times, n=20, method="inclusive")[-1]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--plays", type=int, default=1_000_000)
    parser.add_argument("--clubs", type=int, default=1000)
    parser.add_argument("--requests", type=int, default=40, help="of each page")
    parser.add_argument("--database", default="postgres://postgres@127.0.0.1:5432/postgres", help="a PostgreSQL server")
    asked = parser.parse_args()
    with own_database(asked.database) as database:
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
        load_demo()
        pages = addresses()
        few = measure(pages, asked.requests)
        begun = time.perf_counter()
        write_plays(asked.plays, asked.clubs)
        written = time.perf_counter() - begun
        many = measure(pages, asked.requests)
        from django.db import connections

        connections.close_all()
    print(f"{asked.plays} plays of {asked.clubs} clubs written in {written:.0f} s; {asked.requests} requests a page")
    print(f"| {'page':26} | median | p95 | queries | median, million | p95, million | queries | p95 ratio |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    for name in pages:
        (before, asked_before), (after, asked_after) = few[name], many[name]
        cells = [
            f"{statistics.median(before):.0f} ms", f"{p95(before):.0f} ms", str(asked_before),
            f"{statistics.median(after):.0f} ms", f"{p95(after):.0f} ms", str(asked_after),
            f"{p95(after) / p95(before):.2f}",
        ]  # fmt: skip
        print(f"| {name:26} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
