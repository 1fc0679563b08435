"""Plays posted and sheets scored per second, against a bare view that writes one row, in the same run.

    uv run python benchmarks/api.py [--seconds 5]

Requests go through the whole site (middleware, authentication, JSON) in this process, without a network, to a
database of its own that is removed afterwards: a SQLite file unless DATABASE_URL names another server. Plays
are posted with a token, like the row of the bare view; scores need none. The ratio to the bare view is what to compare
between machines; rates depend on the machine and on what else it does. The kinds take turns in short slices, so that a
busy moment slows all alike.
"""

import argparse
import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
SLICE_SECONDS = 0.25
KIND = ("iello", "base", 5)


def set_up() -> None:
    """Django on a database of its own."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "forsale_api.settings")
    os.environ["API_LIMITS"] = "off"
    os.environ.setdefault("DJANGO_DEBUG", "1")
    folder = tempfile.mkdtemp(prefix="forsale-bench-")
    os.environ.setdefault("DATABASE_URL", f"sqlite:///{folder}/bench.sqlite3")
    import django

    django.setup()
    from django.conf import settings

    settings.DEBUG = False  # DEBUG keeps every query
    settings.ALLOWED_HOSTS = ["testserver"]


def bare_view() -> Callable[..., Any]:
    """What a plain DRF view costs that looks up the caller's token and writes one row with `serializers`."""
    from rest_framework import serializers
    from rest_framework.permissions import IsAuthenticated
    from rest_framework.request import Request
    from rest_framework.response import Response
    from rest_framework.views import APIView

    from forsale_api.plays.models import PlayToFold

    class Row(serializers.Serializer[Any]):
        play_id = serializers.UUIDField()

    class Bare(APIView):
        permission_classes = [IsAuthenticated]

        def post(self, request: Request) -> Response:
            row = Row(data=request.data)
            row.is_valid(raise_exception=True)
            PlayToFold.objects.create(**row.validated_data)
            return Response(row.data, status=201)

    return Bare.as_view()


def kinds_of_request() -> dict[str, Callable[[], int]]:
    """One request of each kind; each answers the status."""
    import uuid

    from django.urls import path
    from rest_framework.test import APIClient

    import forsale_api.urls
    from forsale_api.clubs.models import Club, Membership, Role, User
    from forsale_api.clubs.services import make_token
    from tests.games import random_record
    from tests.referee import judge

    forsale_api.urls.urlpatterns.insert(0, path("bare/", bare_view()))
    user = User.objects.create_user("bench")
    club = Club.objects.create(slug="bench", name="Bench")
    Membership.objects.create(club=club, user=user, role=Role.OWNER)
    client = APIClient(headers={"authorization": f"Bearer {make_token(user, 'bench', ['plays:write'])[1]}"})

    names = ["Théo", "Marianne", "Guilaine", "Nicolas", "Paul"]
    record = random_record(Random(1), KIND)
    verdict = judge(record, KIND)
    figures = [{"cheques": sum(c), "banknotes": b} for c, b in zip(verdict.cheques, verdict.banknotes, strict=True)]
    about = {"edition": KIND[0], "variant": KIND[1]}
    play = {"club": "bench", "game": "for-sale", "played_on": "2026-11-01", **about}
    seats = [{"player": name} for name in names]
    sheet = json.dumps({**play, "seats": [{**s, **f} for s, f in zip(seats, figures, strict=True)]})
    whole = json.dumps({**play, "seats": seats, "record": record})
    score_sheet = json.dumps({**about, "seats": figures})
    score_record = json.dumps({**about, "record": record})

    def post(address: str, body: Callable[[], str], caller: APIClient = client) -> Callable[[], int]:
        return lambda: caller.post(address, body(), content_type="application/json").status_code

    score = "/api/v1/games/for-sale/score/"
    return {
        "bare view, one row": post("/bare/", lambda: json.dumps({"play_id": str(uuid.uuid4())})),
        "play posted, sheet": post("/api/v1/plays/", lambda: sheet),
        "play posted, record": post("/api/v1/plays/", lambda: whole),
        "score call, sheet": post(score, lambda: score_sheet, APIClient()),
        "score call, record": post(score, lambda: score_record, APIClient()),
    }


def measure(kinds: dict[str, Callable[[], int]], seconds: float) -> dict[str, list[float]]:
    """Requests per second of each kind, slice by slice; the kinds take turns."""
    for name, act in kinds.items():
        for _warm in range(5):
            if act() not in (200, 201):
                raise SystemExit(f"{name} is answered {act()}")
    rates: dict[str, list[float]] = {name: [] for name in kinds}
    end = time.perf_counter() + seconds * len(kinds)
    while time.perf_counter() < end:
        for name, act in kinds.items():
            start, done = time.perf_counter(), 0
            while (passed := time.perf_counter() - start) < SLICE_SECONDS:
                act()
                done += 1
            rates[name].append(done / passed)
    return rates


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=5.0, help="for each kind of request")
    seconds = min(parser.parse_args().seconds, 60.0)
    set_up()
    from django.test.runner import DiscoverRunner
    from django.test.utils import setup_test_environment, teardown_test_environment

    runner = DiscoverRunner(verbosity=0, interactive=False)
    setup_test_environment(debug=False)
    databases = runner.setup_databases()
    try:
        rates = measure(kinds_of_request(), seconds)
    finally:
        runner.teardown_databases(databases)
        teardown_test_environment()
    bare = statistics.median(rates["bare view, one row"])
    from django.db import connection

    print(f"{connection.vendor}, {len(rates['bare view, one row'])} slices of {SLICE_SECONDS} s each")
    print(f"{'':22}{'per second':>12}{'slowest':>10}{'fastest':>10}{'of the bare view':>18}")
    for name, values in rates.items():
        median = statistics.median(values)
        print(f"{name:22}{median:12.0f}{min(values):10.0f}{max(values):10.0f}{median / bare:17.0%}")


if __name__ == "__main__":
    main()
