"""Requests answered per second by granian with PostgreSQL, each beside a bare view of one row, in the same run.

    uv run python benchmarks/api.py [--seconds 4] [--database postgres://postgres@127.0.0.1:5432/postgres]
                                    [--plays 200000]

Starts granian (one worker, two threads) on a database of its own, which is removed afterwards. Two connections that
are kept open send one request after the other. The kinds take turns in short slices, so that a busy moment slows all
alike; the ratio to the bare view is what to compare between machines, rates depend on the machine.

A bare view is a plain DRF view under the same middleware that looks up the caller's token and writes, or reads, one row
(`bare_site.py`). Targets: a posted sheet at least half of the bare write, a 304 at least 0.8 of the bare read, a page
of the list as fast at page 10,000 as at page 1.
"""

import argparse
import http.client
import json
import os
import secrets
import socket
import statistics
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any

import psycopg

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
SLICE_SECONDS = 0.5
CONNECTIONS = 2
KIND = ("iello", "base", 5)
LIST_PAGE = 50
type Send = Callable[[http.client.HTTPConnection], int]


@contextmanager
def own_database(server: str) -> Iterator[str]:
    """The address of a new database, removed at the end."""
    name = f"forsale_bench_{os.getpid()}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}"')
        try:
            yield server.rsplit("/", 1)[0] + "/" + name
        finally:
            connection.execute(f'DROP DATABASE "{name}" WITH (FORCE)')


def environment(database: str) -> dict[str, str]:
    """As in production; without a broker that anybody listens to, so that nothing else uses the processor."""
    return {
        "DATABASE_URL": database,
        "CELERY_BROKER_URL": "redis://127.0.0.1:1/0",
        "DJANGO_SECRET_KEY": secrets.token_urlsafe(50),
        "DJANGO_ALLOWED_HOSTS": "127.0.0.1",
        "DJANGO_SETTINGS_MODULE": "forsale_api.settings",
        "API_LIMITS": "off",
        "NUMBA_DISABLE_JIT": "1",
    }


@contextmanager
def server() -> Iterator[int]:
    """Granian with the site and the bare views; gives its port."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [Path(sys.executable).with_name("granian"), "--interface", "wsgi", "--workers", "1"]
    command += ["--blocking-threads", "2", "--port", str(port), "--log-level", "warning", "bare_site:application"]
    process = subprocess.Popen(command, cwd=ROOT / "benchmarks")
    try:
        for _wait in range(200):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.1)
        yield port
    finally:
        process.terminate()
        process.wait(20)


def fill(plays: int) -> tuple[str, str]:
    """A public club with this many plays of two seats, a day apart by the thousand; gives a token and a play's id."""
    from django.core.management import call_command
    from django.db import connection

    from forsale_api.clubs.models import Club, Membership, Role, User
    from forsale_api.clubs.services import make_token, players_for
    from stats.tasks import fold

    call_command("migrate", verbosity=0)
    user = User.objects.create_user("bench")
    club = Club.objects.create(slug="bench", name="Bench", visibility="public")
    full = Club.objects.create(slug="full", name="Full", visibility="public")
    for each in (club, full):
        Membership.objects.create(club=each, user=user, role=Role.OWNER)
    token = make_token(user, "bench", ["plays:read", "plays:write"])[1]
    first, second = players_for(full, ["Théo", "Marianne"])
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO plays_play (id, club_id, game, edition, variant, player_count, played_on, location, notes,"
            " reported_winners, counts, not_counted_reason, level, decided_by, impossible, findings, held_back,"
            " body_hash, recorder_id, version, created_at, updated_at)"
            " SELECT gen_random_uuid(), %s, 'for-sale', 'iello', 'base', 2, date '2024-01-01' + n / 1000, '', '',"
            " '[]', true, '', 'total', 'total', false, '[]', false, '', %s, 1, now(), now()"
            " FROM generate_series(1, %s) AS n",
            [full.pk, user.pk, plays],
        )
        for seat, player, total in ((1, first, 80), (2, second, 70)):
            cursor.execute(
                "INSERT INTO plays_seat (play_id, seat, player_id, total, rank, is_winner)"
                " SELECT id, %s, %s, %s, %s, %s FROM plays_play WHERE club_id = %s",
                [seat, player.pk, total, seat, seat == 1, full.pk],
            )
        cursor.execute(
            "INSERT INTO plays_playtofold (play_id, created_at) SELECT id, now() FROM plays_play WHERE club_id = %s"
            " ORDER BY id LIMIT 2000",
            [full.pk],
        )
        cursor.execute("ANALYZE")
    fold()
    return token, str(full.plays.order_by("pk")[0].pk)


def request(method: str, address: str, *, body: Callable[[], str] | None = None, **headers: str) -> Send:
    """One kind of request; gives the status it is answered."""
    sent = {"Content-Type": "application/json"} if body else {}
    sent |= {name.replace("_", "-"): value for name, value in headers.items()}

    def send(connection: http.client.HTTPConnection) -> int:
        connection.request(method, address, body() if body else None, sent)
        answer = connection.getresponse()
        answer.read()
        return answer.status

    return send


def answer(port: int, address: str, **headers: str) -> tuple[dict[str, str], Any]:
    connection = http.client.HTTPConnection("127.0.0.1", port)
    connection.request("GET", address, headers=headers)
    got = connection.getresponse()
    assert got.status == 200, got.read()
    return dict(got.headers), json.loads(got.read())


def pages_of(port: int, token: str, plays: int) -> tuple[str, str]:
    """The first page of the list, and one a quarter into it."""
    listed = f"/api/v1/plays/?club=full&page_size={LIST_PAGE}"
    deep = listed.replace(f"page_size={LIST_PAGE}", "page_size=200")
    for _page in range(plays // (200 * 4)):
        deep = answer(port, deep, Authorization=f"Bearer {token}")[1]["next"].split("//", 1)[1]
        deep = deep[deep.index("/") :]
    return listed, deep.replace("page_size=200", f"page_size={LIST_PAGE}")


def queries_of(address: str, token: str) -> int:
    """How many queries the answer to a GET takes, in this process."""
    from django.db import connection
    from django.test.utils import CaptureQueriesContext
    from rest_framework.test import APIClient

    client = APIClient(headers={"host": "127.0.0.1"})
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {token}")
    with CaptureQueriesContext(connection) as queries:
        assert client.get(address).status_code == 200
    return len(queries)


def kinds_of_request(port: int, token: str, play: str, plays: int) -> dict[str, tuple[Send, str]]:
    """By name: the request, and the bare view it is held against."""
    from tests.games import random_record
    from tests.referee import judge

    me = {"Authorization": f"Bearer {token}"}
    names = ["Théo", "Marianne", "Guilaine", "Nicolas", "Paul"]
    record = random_record(Random(1), KIND)
    verdict = judge(record, KIND)
    figures = [{"cheques": sum(c), "banknotes": b} for c, b in zip(verdict.cheques, verdict.banknotes, strict=True)]
    about = {"edition": KIND[0], "variant": KIND[1]}
    facts = {"club": "bench", "game": "for-sale", "played_on": "2026-11-01", **about}
    seats = [{"player": name} for name in names]
    sheet = json.dumps({**facts, "seats": [{**s, **f} for s, f in zip(seats, figures, strict=True)]})
    whole = json.dumps({**facts, "seats": seats, "record": record})
    score_sheet = json.dumps({**about, "seats": figures})

    one, listed, figure = f"/api/v1/plays/{play}/", "/api/v1/plays/?club=full", "/api/v1/stats/scores/?club=full"
    board = "/api/v1/stats/players/?club=full"
    tags = {address: answer(port, address, **me)[0]["etag"] for address in (one, listed, figure, board)}
    near, deep = pages_of(port, token, plays)
    read, write = "bare read", "bare write"
    return {
        write: (request("POST", "/bare/", body=lambda: json.dumps({"play_id": str(uuid.uuid4())}), **me), write),
        "play posted, sheet": (request("POST", "/api/v1/plays/", body=lambda: sheet, **me), write),
        "play posted, record": (request("POST", "/api/v1/plays/", body=lambda: whole, **me), write),
        read: (request("GET", "/bare/", **me), read),
        "sheet scored, no token": (request("POST", "/api/v1/games/for-sale/score/", body=lambda: score_sheet), read),
        "play": (request("GET", one, **me), read),
        "play, 304": (request("GET", one, **me, If_None_Match=tags[one]), read),
        f"list, page 1 of {LIST_PAGE}": (request("GET", near, **me), read),
        "list, a page far into it": (request("GET", deep, **me), read),
        "list, 304": (request("GET", listed, **me, If_None_Match=tags[listed]), read),
        "statistic": (request("GET", figure, **me), read),
        "statistic, 304": (request("GET", figure, **me, If_None_Match=tags[figure]), read),
        "leader board": (request("GET", board, **me), read),
        "leader board, 304": (request("GET", board, **me, If_None_Match=tags[board]), read),
    }


def measure(port: int, kinds: dict[str, tuple[Send, str]], seconds: float) -> dict[str, list[float]]:
    """Requests per second of each kind, slice by slice; the kinds take turns."""
    connections = [http.client.HTTPConnection("127.0.0.1", port) for _ in range(CONNECTIONS)]
    for name, (send, _bare) in kinds.items():
        for connection in connections * 5:
            if (status := send(connection)) not in (200, 201, 304):
                raise SystemExit(f"{name} is answered {status}")
    rates: dict[str, list[float]] = {name: [] for name in kinds}

    def slice_of(send: Send, connection: http.client.HTTPConnection) -> float:
        start, done = time.perf_counter(), 0
        while (passed := time.perf_counter() - start) < SLICE_SECONDS:
            send(connection)
            done += 1
        return done / passed

    with ThreadPoolExecutor(CONNECTIONS) as pool:
        for _round in range(max(1, round(seconds / SLICE_SECONDS))):
            for name, (send, _bare) in kinds.items():
                rates[name].append(sum(pool.map(slice_of, [send] * CONNECTIONS, connections)))
    return rates


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=4.0, help="for each kind of request")
    parser.add_argument("--database", default="postgres://postgres@127.0.0.1:5432/postgres", help="a PostgreSQL server")
    parser.add_argument("--plays", type=int, default=200_000, help="plays that are there already")
    asked = parser.parse_args()
    with own_database(asked.database) as database:
        os.environ.update(environment(database))
        import django

        django.setup()
        token, play = fill(asked.plays)
        with server() as port:
            kinds = kinds_of_request(port, token, play, asked.plays)
            rates = measure(port, kinds, min(asked.seconds, 30.0))
            first_page, far_page = (queries_of(address, token) for address in pages_of(port, token, asked.plays))
        from django.db import connections

        connections.close_all()
    print(f"a page of the list takes {first_page} queries at its beginning and {far_page} far into it")
    print(f"{len(rates['bare read'])} slices of {SLICE_SECONDS} s each, {asked.plays} plays stored")
    print(f"| {'':26} | {'per second':>10} | {'slowest':>8} | {'fastest':>8} | {'of the bare view':>20} |")
    print("| --- | ---: | ---: | ---: | ---: |")
    for name, (_send, bare) in kinds.items():
        ratios = [mine / plain for mine, plain in zip(rates[name], rates[bare], strict=True)]
        ratio = f"{statistics.median(ratios):.2f} ({bare.removeprefix('bare ')})"
        values = rates[name]
        print(
            f"| {name:26} | {statistics.median(values):10.0f} | {min(values):8.0f} | {max(values):8.0f} | {ratio:>20} |"
        )


if __name__ == "__main__":
    main()
