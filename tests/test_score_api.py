"""POST /games/{game}/score/: scores without storing."""

from random import Random
from typing import Any

import pytest
from rest_framework.test import APIClient

from forsale_api.plays.models import Play
from tests.games import random_record
from tests.referee import KINDS, judge, standings

SCORE = "/api/v1/games/for-sale/score/"
LADY = "/api/v1/games/lady-richmond/score/"

pytestmark = pytest.mark.django_db


def test_the_worked_example_of_the_contract(anonymous: APIClient) -> None:
    response = anonymous.post(
        SCORE,
        {
            "edition": "iello",
            "variant": "base",
            "seats": [
                {"cheques": 83, "banknotes": 4},
                {"cheque_cards": [15, 12, 0, 2, 9, 9, 14, 8, 10, 6], "banknotes": 2},
                {"cheques": 70, "banknotes": 0},
            ],
        },
    )
    assert response.status_code == 200
    assert response.json() == {
        "level": "sheet",
        "decided_by": "banknotes",
        "winners": [1],
        "seats": [
            {"seat": 1, "cheques": 83, "banknotes": 4, "total": 87, "rank": 1, "is_winner": True},
            {"seat": 2, "cheques": 85, "banknotes": 2, "total": 87, "rank": 2, "is_winner": False},
            {"seat": 3, "cheques": 70, "banknotes": 0, "total": 70, "rank": 3, "is_winner": False},
        ],
        "findings": [],
    }
    assert Play.objects.count() == 0


def test_edition_and_variant_have_defaults(anonymous: APIClient) -> None:
    assert anonymous.post(SCORE, {"seats": [{"total": 90}, {"total": 80}, {"total": 95}]}).status_code == 200


def test_findings_do_not_stop_a_score(anonymous: APIClient) -> None:
    seats = [{"cheques": c, "banknotes": 1} for c in (67, 69, 55, 46)]
    response = anonymous.post(SCORE, {"variant": "not-enough-for-everyone", "seats": seats})
    (finding,) = response.json()["findings"]
    assert response.status_code == 200
    assert (finding["severity"], finding["seats"]) == ("impossible", [1, 2, 3, 4])
    assert "237" in finding["detail"]


def test_lady_richmond_is_scored_by_points_and_largest_category(anonymous: APIClient) -> None:
    answer = anonymous.post(
        LADY, {"seats": [{"points": 9, "largest_category": 4}, {"points": 9, "largest_category": 5}]}
    )
    assert answer.json() == {
        "level": "sheet",
        "decided_by": "largest_category",
        "winners": [2],
        "seats": [
            {"seat": 1, "points": 9, "largest_category": 4, "total": 9, "rank": 2, "is_winner": False},
            {"seat": 2, "points": 9, "largest_category": 5, "total": 9, "rank": 1, "is_winner": True},
        ],
        "findings": [],
    }
    assert anonymous.post(LADY, {"seats": [{"cheques": 9, "banknotes": 4}] * 2}).status_code == 400
    assert anonymous.post(LADY, {"record": {"first_seat": 1, "auctions": [], "sales": []}}).status_code == 400


@pytest.mark.parametrize(
    ("change", "pointer", "code"),
    [
        ({}, "/seats", "required"),
        ({"record": None}, "/seats", "required"),
        ({"record": []}, "/record", "invalid"),
        ({"record": {"auctions": [], "sales": []}}, "/record/first_seat", "required"),
        ({"record": {"first_seat": 1, "auctions": [], "sales": [], "x": 1}}, "/record/x", "unknown-field"),
        ({"record": {"first_seat": "1", "auctions": [], "sales": []}}, "/record/first_seat", "invalid"),
        ({"record": {"first_seat": True, "auctions": [], "sales": []}}, "/record/first_seat", "invalid"),
        ({"record": {"first_seat": 1, "auctions": {}, "sales": []}}, "/record/auctions", "not-a-list"),
        ({"record": {"first_seat": 1, "auctions": [{"houses": [1.5], "actions": []}], "sales": []}},
         "/record/auctions/0/houses/0", "invalid"),
        ({"record": {"first_seat": 1, "auctions": [{"houses": [], "actions": [{"seat": 1}]}], "sales": []}},
         "/record/auctions/0/actions/0", "required"),
        ({"record": {"first_seat": 1, "auctions": [{"houses": [], "actions": [{"seat": 1, "pass": 1}]}], "sales": []}},
         "/record/auctions/0/actions/0/pass", "invalid"),
        ({"record": {"first_seat": 1, "auctions": [], "sales": [{"cheques": []}]}}, "/record/sales/0", "required"),
        ({"record": {"first_seat": 1, "auctions": [], "sales": [{"cheques": [], "offers": [{"seat": 1}]}]}},
         "/record/sales/0/offers/0/house", "required"),
        ({"seats": [{"cheques": 1, "banknotes": 2, "colour": "red"}] * 3}, "/seats/0/colour", "unknown-field"),
        ({"seats": [{"cheques": 1}] * 3}, "/seats/0/banknotes", "figure-missing"),
        ({"seats": [{"total": 1}] * 7}, "/seats", "players-not-offered"),
        ({"seats": [{"total": 1}] * 3, "edition": "x"}, "/edition", "edition-not-offered"),
        ({"seats": [{"total": 1}] * 3, "store": True}, "/store", "unknown-field"),
    ],
)  # fmt: skip
def test_the_wrong_shape_is_refused_where_it_stands(
    anonymous: APIClient, change: dict[str, Any], pointer: str, code: str
) -> None:
    response = anonymous.post(SCORE, change)
    error = response.json()["errors"][0]
    assert (response.status_code, error["pointer"], error["code"]) == (400, pointer, code)


@pytest.mark.parametrize(
    ("seat", "pointer", "code"),
    [
        ({"cheques": 83, "banknotes": 4, "total": 88}, "/seats/0/total", "total-contradicts-figures"),
        ({"cheques": -1, "banknotes": 4}, "/seats/0/cheques", "figure-out-of-range"),
        ({"cheques": 10**30, "banknotes": 4}, "/seats/0/cheques", "figure-out-of-range"),
        ({"cheque_cards": [15, 12], "cheques": 28, "banknotes": 4}, "/seats/0/cheques", "cheques-contradict-cards"),
    ],
)
def test_figures_that_contradict_each_other_are_refused(
    anonymous: APIClient, seat: dict[str, Any], pointer: str, code: str
) -> None:
    response = anonymous.post(SCORE, {"seats": [seat, {"total": 80}, {"total": 80}]})
    error = response.json()["errors"][0]
    assert (response.status_code, error["pointer"], error["code"]) == (422, pointer, code)


def test_an_unknown_game_is_not_there(anonymous: APIClient) -> None:
    assert anonymous.post("/api/v1/games/chess/score/", {"seats": []}).status_code == 404


def test_scoring_needs_no_query(anonymous: APIClient, django_assert_num_queries: Any) -> None:
    with django_assert_num_queries(0):
        anonymous.post(SCORE, {"seats": [{"total": 90}, {"total": 80}, {"total": 95}]})


def test_a_record_is_scored_by_replaying_it(anonymous: APIClient) -> None:
    rng = Random(20261130)
    for kind in KINDS:
        record = random_record(rng, kind)
        about = {"edition": kind[0], "variant": kind[1], "record": record}
        score, verdict = anonymous.post(SCORE, about).json(), judge(record, kind)
        ranks, winners, decided_by = standings(verdict.totals, verdict.banknotes)
        assert (score["level"], score["decided_by"], score["winners"]) == ("record", decided_by, winners)
        assert [(s["total"], s["rank"]) for s in score["seats"]] == list(zip(verdict.totals, ranks, strict=True))
        figures = [{"cheques": sum(c), "banknotes": b} for c, b in zip(verdict.cheques, verdict.banknotes, strict=True)]
        assert anonymous.post(SCORE, {**about, "seats": figures}).json() == score
        figures[1]["banknotes"] += 1
        assert anonymous.post(SCORE, {**about, "seats": figures}).json()["errors"][0]["pointer"] == "/seats/1/banknotes"


def test_an_illegal_record_is_refused_at_its_first_illegal_step(anonymous: APIClient) -> None:
    record = random_record(Random(3), ("iello", "base", 3))
    record["auctions"][3]["actions"][0] = {"seat": record["auctions"][3]["actions"][0]["seat"], "bid": 99}
    response = anonymous.post(SCORE, {"record": record})
    error = response.json()["errors"][0]
    assert (response.status_code, error["pointer"], error["code"]) == (
        422,
        "/record/auctions/3/actions/0",
        "bid-above-banknotes",
    )
