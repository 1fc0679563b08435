"""A hundred thousand plays in one request, and out again: seconds, and the memory of the web process.

    uv run python benchmarks/bulk.py [--plays 100000] [--database postgres://postgres@127.0.0.1:5432/postgres]

Starts granian on a database of its own as `api.py` does. The upload is sent whole before anything of the answer is
read, as simple clients do. Memory is the peak of the resident set of all of granian's processes, before and after.
A worker beside it folds and rates what comes in, as Celery's does; how far behind it is in the end is printed too, and
the counts are held against the plays (`check_aggregates`).
"""

import argparse
import http.client
import json
import os
import sys
import time
from collections.abc import Iterator
from datetime import date, timedelta
from multiprocessing import get_context
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from api import environment, fill, own_database, server


def lines(plays: int) -> Iterator[bytes]:
    names = [f"Player {number}" for number in range(40)]
    for number in range(plays):
        seats = [
            {"player": names[(number * 7 + seat) % 40], "cheques": cheques, "banknotes": banknotes}
            for seat, (cheques, banknotes) in enumerate(((83, 4), (85, 2), (70, 0)))
        ]
        day = date(2021, 1, 1) + timedelta(days=number * 2000 // plays)  # a club's log of some years
        play = {"club": "bench", "game": "for-sale", "played_on": day.isoformat(), "seats": seats}
        yield json.dumps(play).encode() + b"\n"


def peak() -> float:
    """MB, the largest of granian's processes."""
    found = 0.0
    for status in Path("/proc").glob("[0-9]*/status"):
        try:
            text = status.read_text()
            command = status.with_name("cmdline").read_bytes()
        except OSError:
            continue
        if b"bare_site" in command and f"\nUid:\t{os.getuid()}" in text:
            found = max(found, int(text.split("VmHWM:")[1].split()[0]) / 1024)
    return found


def fold_on(database: str) -> None:
    """The worker: folds and rates for ever."""
    os.environ.update(environment(database))
    import django

    django.setup()
    from stats.tasks import fold

    while True:
        fold()
        time.sleep(0.2)


def waiting() -> tuple[int, int]:
    """Plays that wait to be folded, and clubs that wait to be rated."""
    from forsale_api.plays.models import PlayToFold
    from stats.models import RatingDue

    return PlayToFold.objects.count(), RatingDue.objects.count()


def wait_until_counted(start: float, plays: int) -> None:
    """Prints how long after the last answer everything is counted, and rated."""
    from django.core.management import call_command

    begun, folded = time.perf_counter(), None
    plays_waiting = waiting()[0]
    while any(left := waiting()):
        if not left[0] and folded is None:
            folded = time.perf_counter()
        time.sleep(0.05)
    now = time.perf_counter()
    folded = folded or now
    print(f"counted: {plays_waiting} plays waited at the end; all folded {folded - begun:.1f} s later,", end=" ")
    print(f"rated {now - begun:.1f} s later ({plays / (now - start):.0f} a second from the first byte on)")
    call_command("check_aggregates")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--plays", type=int, default=100_000)
    parser.add_argument("--database", default="postgres://postgres@127.0.0.1:5432/postgres", help="a PostgreSQL server")
    asked = parser.parse_args()
    with own_database(asked.database) as database:
        os.environ.update(environment(database))
        import django

        django.setup()
        from django.db import connections

        token, _play = fill(1000)
        connections.close_all()
        me = {"Authorization": f"Bearer {token}"}
        worker = get_context("spawn").Process(target=fold_on, args=(database,), daemon=True)
        worker.start()
        with server() as port:
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=3600)
            connection.request("GET", "/api/v1/plays/?club=bench", headers=me)
            connection.getresponse().read()
            before, start = peak(), time.perf_counter()
            headers = {**me, "Content-Type": "application/x-ndjson"}
            connection.request("POST", "/api/v1/plays/bulk/", lines(asked.plays), headers, encode_chunked=True)
            sent = time.perf_counter() - start
            stored = sum(json.loads(line)["status"] == 201 for line in connection.getresponse())
            seconds = time.perf_counter() - start
            print(
                f"in:  {stored} of {asked.plays} stored in {seconds:.0f} s ({stored / seconds:.0f} a second),", end=" "
            )
            print(f"all sent after {sent:.0f} s; peak {before:.0f} MB before, {peak():.0f} MB after")
            wait_until_counted(start, stored)
            worker.kill()
            connections.close_all()
            for name in ("ndjson", "csv"):
                start = time.perf_counter()
                connection.request("GET", f"/api/v1/plays/export.{name}?club=bench", headers=me)
                answer, size, last = connection.getresponse(), 0, b""
                for line in answer:
                    size, last = size + len(line), line
                seconds = time.perf_counter() - start
                print(f"out: {name}, {size / 2**20:.0f} MB in {seconds:.0f} s, peak {peak():.0f} MB, ends {last!r}")


if __name__ == "__main__":
    main()
