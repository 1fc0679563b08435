"""Whole games posted as records: golden ones, and random ones of every kind against the referee."""

import json
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import pytest
from rest_framework.test import APIClient

from forsale_api.clubs.models import Club
from forsale_api.plays.models import Play
from tests.games import MUTATIONS, Kind, Record, mutate, random_kind, random_record
from tests.referee import judge, standings

PLAYS = "/api/v1/plays/"
NAMES = ["Théo", "Marianne", "Guilaine", "Nicolas", "Paul", "Inès"]
GOLDEN = sorted((Path(__file__).parent.parent / "seeds" / "games").glob("*.json"))


@pytest.fixture(autouse=True)
def refusals_are_not_news(caplog: pytest.LogCaptureFixture) -> None:
    """Thousands of refused requests would be kept in memory with their log lines."""
    caplog.set_level("ERROR", logger="django.request")


def body(kind: Kind, record: Record, names: list[str] = NAMES) -> dict[str, Any]:
    edition, variant, players = kind
    return {
        "club": "nantes",
        "game": "for-sale",
        "edition": edition,
        "variant": variant,
        "played_on": "2026-11-28",
        "seats": [{"player": name} for name in names[:players]],
        "record": record,
    }


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_a_golden_game_has_its_known_result(member: APIClient, path: Path) -> None:
    golden = json.loads(path.read_text(encoding="utf-8"))
    kind = (golden["edition"], golden["variant"], len(golden["players"]))
    response = member.post(PLAYS, body(kind, golden["record"], golden["players"]))
    assert response.status_code == 201, response.content
    play, expected = response.json(), golden["expected"]
    assert (play["winners"], play["decided_by"]) == (expected["winners"], expected["decided_by"])
    for field, known in (("cheques", "cheques"), ("banknotes", "banknotes"), ("total", "totals"), ("rank", "ranks")):
        assert [seat[field] for seat in play["seats"]] == expected[known], field


def check_games(client: APIClient, games: int, seed: int) -> None:
    """Random whole games come back as the referee saw them; each with one illegal change is refused at its place."""
    rng = Random(seed)
    names = sorted(MUTATIONS)
    seen: Counter[str] = Counter()
    for number in range(games):
        here = f"seed {seed}, game {number}"
        kind = random_kind(rng)
        record = random_record(rng, kind)
        response = client.post(PLAYS, body(kind, record))
        assert response.status_code == 201, (here, response.content)
        play, verdict = response.json(), judge(record, kind)
        ranks, winners, decided_by = standings(verdict.totals, verdict.banknotes)
        assert (play["level"], play["decided_by"], play["winners"]) == ("record", decided_by, winners), here
        assert [seat["total"] for seat in play["seats"]] == verdict.totals, here
        assert [seat["rank"] for seat in play["seats"]] == ranks, here
        assert [seat["banknotes"] for seat in play["seats"]] == verdict.banknotes, here
        mutant = None
        while mutant is None:  # not every game has room for every change
            mutant = mutate(rng, record, kind, rng.choice(names))
        seen[mutant.name] += 1
        refused = client.post(PLAYS, body(kind, mutant.record))
        error = refused.json()["errors"][0]
        if error["code"] == "required":  # neither offers nor a scoop: a missing field
            assert (refused.status_code, mutant.name) == (400, "both-offers-and-scoop"), here
        else:
            assert (refused.status_code, error["code"]) == (422, mutant.code), (here, mutant.name)
        assert error["pointer"] == "/" + "/".join(map(str, mutant.place)), (here, mutant.name)
    assert Play.objects.count() == games


def test_random_games_come_back_as_the_referee_saw_them(member: APIClient, club: Club) -> None:
    check_games(member, 150, seed=20261130)


@pytest.mark.slow
def test_ten_thousand_random_games_come_back_as_the_referee_saw_them(member: APIClient, club: Club) -> None:
    check_games(member, 10_000, seed=1)
