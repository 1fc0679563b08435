"""All plays as NDJSON and CSV: the filters of the list, its order, everything there, and a last line that says so."""

import csv
import io
import json
from typing import Any

import pytest
from rest_framework.test import APIClient

from forsale_api.clubs.models import Club
from forsale_api.plays import transfer
from tests.test_plays import PLAYS, body, post, record_body

LINES, TABLE = PLAYS + "export.ndjson", PLAYS + "export.csv"


def exported(client: APIClient, **query: str) -> list[Any]:
    response = client.get(LINES, query)
    assert response.status_code == 200, response.content
    return [json.loads(line) for line in response.getvalue().splitlines()]


def table(client: APIClient, **query: str) -> list[dict[str, str]]:
    response = client.get(TABLE, query)
    assert response.status_code == 200, response.content
    return list(csv.DictReader(io.StringIO(response.getvalue().decode())))


def test_lines_are_the_plays_of_the_list_in_its_order_and_the_last_says_complete(
    owner: APIClient, club: Club, monkeypatch: Any
) -> None:
    monkeypatch.setattr(transfer, "ROWS", 2)
    for day in (3, 1, 2, 2, 1):
        post(owner, played_on=f"2026-10-0{day}", notes="é")
    owner.post(PLAYS, record_body())
    for query in ({}, {"ordering": "updated_at"}, {"ordering": "-created_at", "level": "sheet"}, {"include": "record"}):
        listed = owner.get(PLAYS, {"page_size": "200", **query}).json()["results"]
        assert exported(owner, **query) == [*listed, {"complete": True, "plays": len(listed)}], query


def test_deleted_plays_are_exported_for_whoever_asks(owner: APIClient, club: Club) -> None:
    play, gone = post(owner), post(owner)
    owner.delete(f"{PLAYS}{gone['id']}/")
    assert [line.get("id") for line in exported(owner)] == [play["id"], None]
    assert {"id", "deleted_at"} in [line.keys() for line in exported(owner, include="deleted")]
    rows = table(owner, include="deleted")
    assert [(row["id"], bool(row["deleted_at"])) for row in rows if row["id"] == gone["id"]] == [(gone["id"], True)]


def test_the_table_has_a_line_for_each_seat_and_ends_in_complete(owner: APIClient, club: Club) -> None:
    play = post(owner, location="Chez Paul")
    post(owner, game="lady-richmond", seats=[{"player": "Théo", "points": -1}, {"player": "Inès", "points": 4}])
    *rows, last = table(owner, ordering="created_at")
    assert [last["id"], last["club"], last["game"]] == ["complete", "2", "5"]
    assert [(r["seat"], r["player"], r["cheques"], r["total"], r["rank"], r["is_winner"]) for r in rows[:3]] == [
        ("1", "Théo", "83", "87", "1", "true"),
        ("2", "Marianne", "85", "87", "2", "false"),
        ("3", "Guilaine", "70", "70", "3", "false"),
    ]
    assert {(r["id"], r["location"], r["counts"]) for r in rows[:3]} == {(play["id"], "Chez Paul", "true")}
    assert [r["points"] for r in rows[3:]] == ["-1", "4"]


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", '=HYPERLINK("http://x","y")'])
def test_a_text_that_a_spreadsheet_would_run_is_made_harmless(owner: APIClient, club: Club, text: str) -> None:
    post(owner, notes=text)
    assert table(owner)[0]["notes"] == "'" + text


def test_the_table_survives_quotes_commas_and_lines_within_a_text(owner: APIClient, club: Club) -> None:
    post(owner, notes='a, "b"\nc;')
    assert table(owner)[0]["notes"] == 'a, "b"\nc;'


def test_an_export_shows_what_the_caller_may_see(
    owner: APIClient, stranger: APIClient, anonymous: APIClient, club: Club, public_club: Club
) -> None:
    post(owner, notes="private")
    open_to_all = post(owner, club="bristol", notes="for members", location="home")
    for client in (stranger, anonymous):
        (play, end) = exported(client)
        assert (play["id"], play["notes"], play["location"], end["plays"]) == (open_to_all["id"], None, None, 1)
        assert {(row["notes"], row["location"]) for row in table(client)} == {("", "")}, "seats and last line alike"
        for address in (LINES, TABLE):
            refused = client.get(address, {"club": "nantes"})
            assert (refused.status_code, refused["Content-Type"]) == (404, "application/problem+json")


@pytest.mark.parametrize("query", [{"colour": "red"}, {"page_size": "3"}, {"include": "everything"}])
def test_a_parameter_that_makes_no_sense_is_refused(owner: APIClient, query: dict[str, str]) -> None:
    for address in (LINES, TABLE):
        assert owner.get(address, query).status_code == 400
    assert owner.get(TABLE, {"include": "record"}).status_code == 400


@pytest.mark.parametrize("address", [LINES, TABLE])
def test_an_unchanged_export_is_304_and_costs_no_reading(
    owner: APIClient, club: Club, address: str, django_assert_max_num_queries: Any
) -> None:
    play = post(owner)
    tag = owner.get(address)["ETag"]
    with django_assert_max_num_queries(3):
        assert owner.get(address, headers={"if-none-match": tag}).status_code == 304
    owner.delete(f"{PLAYS}{play['id']}/")
    assert owner.get(address, headers={"if-none-match": tag}).status_code == 200


def test_an_export_costs_two_queries_for_many_plays(
    owner: APIClient, club: Club, django_assert_max_num_queries: Any
) -> None:
    for _number in range(12):
        owner.post(PLAYS, body())
    with django_assert_max_num_queries(5):
        assert len(exported(owner)) == 13
