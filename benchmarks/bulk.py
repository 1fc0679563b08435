"""A hundred thousand plays in one request, and out again: seconds, and the memory of the web process.

    uv run python benchmarks/bulk.py [--plays 100000] [--database postgres://postgres@127.0.0.1:5432/postgres]

Starts granian on a database of its own as `api.py` does. The upload is sent whole before anything of the answer is
read, as simple clients do. Memory is the peak of the resident set of all of granian's processes, before and after.
"""

import argparse
import http.client
import json
import os
import sys
import time
from collections.abc import Iterator
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
        play = {"club": "bench", "game": "for-sale", "played_on": "2026-11-01", "seats": seats}
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
