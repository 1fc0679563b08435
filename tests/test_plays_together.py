"""Callers who write at the same time, and answers held against the published schema."""

import uuid
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import jsonschema
import pytest
from django.db import connections
from rest_framework.test import APIClient

from forsale_api.clubs.models import Club
from forsale_api.plays import views as plays_views
from forsale_api.plays.models import Play, PlayChange, PlayToFold, Seat
from tests.test_plays import PLAYS, body, post, record_body, seats

CALLERS = 6


def at_once(act: Callable[[int], Any]) -> list[Any]:
    """What each of some threads is answered."""

    def alone(number: int) -> Any:
        try:
            return act(number)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(CALLERS) as pool:
        return list(pool.map(alone, range(CALLERS)))


def fresh(client: APIClient) -> APIClient:
    """Another client with the same token: one client does not serve two threads."""
    other = APIClient()
    other.credentials(**client._credentials)
    return other


@pytest.mark.django_db(transaction=True)
def test_one_id_sent_at_once_is_stored_once(member: APIClient) -> None:
    sent = body(id=str(uuid.uuid4()))
    answers = at_once(lambda _number: fresh(member).post(PLAYS, sent))
    assert sorted(answer.status_code for answer in answers) == [200] * (CALLERS - 1) + [201]
    assert len({answer.content for answer in answers}) == 1
    assert Play.objects.count() == PlayChange.objects.count() == PlayToFold.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_one_source_sent_at_once_is_stored_once(member: APIClient) -> None:
    sent = body(source="bgg", source_id="1")
    answers = at_once(lambda _number: fresh(member).post(PLAYS, sent))
    assert sorted(answer.status_code for answer in answers) == [201] + [409] * (CALLERS - 1)
    assert Play.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_one_new_guest_named_at_once_is_one_player(member: APIClient, club: Club) -> None:
    names = ["Théo", "THEO", "theo ", "Theo", "THÉO", "théo"]
    answers = at_once(
        lambda number: fresh(member).post(PLAYS, body(seats=seats(names=[names[number], f"A{number}", f"B{number}"])))
    )
    assert [answer.status_code for answer in answers] == [201] * CALLERS
    assert len({answer.json()["seats"][0]["player"]["id"] for answer in answers}) == 1
    assert club.players.count() == 1 + 2 * CALLERS


@pytest.mark.django_db(transaction=True)
def test_changes_made_at_once_are_all_kept_one_after_the_other(member: APIClient) -> None:
    play = post(member)
    address = f"{PLAYS}{play['id']}/"
    answers = at_once(lambda number: fresh(member).patch(address, {"duration_minutes": 20 + number}))
    assert sorted(answer.json()["version"] for answer in answers) == list(range(2, CALLERS + 2))
    assert PlayChange.objects.count() == PlayToFold.objects.count() == CALLERS + 1
    tag = member.get(address)["ETag"]
    answers = at_once(
        lambda number: fresh(member).patch(address, {"duration_minutes": 40 + number}, headers={"if-match": tag})
    )
    assert sorted(answer.status_code for answer in answers) == [200] + [412] * (CALLERS - 1)


def merged_in_between(owner: APIClient, monkeypatch: pytest.MonkeyPatch, where: Any, name: str) -> tuple[str, str]:
    """Théo and Teddy; another caller merges the first into the second between the next look-up of players and the write
    that follows it. Gives their ids."""
    gone, kept = (
        owner.post("/api/v1/clubs/nantes/players/", {"name": name}).json()["id"] for name in ("Théo", "Teddy")
    )
    look_up = getattr(where, name)

    def merge() -> None:
        try:
            answer = fresh(owner).post(f"/api/v1/clubs/nantes/players/{gone}/merge/", {"into": kept})
            assert answer.status_code == 201, answer.content
        finally:
            connections.close_all()

    def found_and_then_merged(*args: Any, **kwargs: Any) -> Any:
        monkeypatch.setattr(where, name, look_up)
        found = look_up(*args, **kwargs)
        with ThreadPoolExecutor(1) as other:
            other.submit(merge).result()
        return found

    monkeypatch.setattr(where, name, found_and_then_merged)
    return gone, kept


@pytest.mark.django_db(transaction=True)
def test_a_play_recorded_while_its_player_is_merged_away_seats_the_one_who_stays(
    owner: APIClient, club: Club, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone, kept = merged_in_between(owner, monkeypatch, plays_views, "known_players")
    for guest in ("Marianne", "Guilaine"):
        owner.post("/api/v1/clubs/nantes/players/", {"name": guest})
    play = owner.post(PLAYS, body())
    assert play.status_code == 201, play.content
    assert play.json()["seats"][0]["player"] == {"id": kept, "name": "Teddy"}
    assert not Seat.objects.filter(player=gone).exists()
    assert {seat["player"] for seat in PlayChange.objects.get().after["seats"]} == {
        seat["player"]["id"] for seat in play.json()["seats"]
    }


@pytest.mark.django_db(transaction=True)
def test_plays_recorded_and_corrected_while_players_are_merged_never_seat_who_is_gone(
    owner: APIClient, club: Club
) -> None:
    names = [f"P{number}" for number in range(CALLERS)]
    ids = [owner.post("/api/v1/clubs/nantes/players/", {"name": name}).json()["id"] for name in names]
    one = post(owner, seats=seats(names=["A", "B", "C"]))["id"]

    def act(number: int) -> set[int]:
        client, statuses = fresh(owner), set()
        for turn in range(4):
            if number == 0 and turn < len(ids) - 1:
                answer = client.post(f"/api/v1/clubs/nantes/players/{ids[turn]}/merge/", {"into": ids[-1]})
            elif number == 1:
                answer = client.patch(
                    f"{PLAYS}{one}/", {"seats": [{"player": ids[turn]}, {"player": "B"}, {"player": "C"}]}
                )
            else:
                answer = client.post(PLAYS, body(seats=seats(names=[f"B{number}", f"p{turn}", f"C{number}"])))
            statuses.add(answer.status_code)
        return statuses

    assert set().union(*at_once(act)) <= {200, 201}
    gone = club.players.exclude(merged_into=None)
    assert gone.count() == 4
    assert not Seat.objects.filter(player__in=gone).exists()


@pytest.fixture
def schema(client: Any) -> dict[str, Any]:
    return client.get("/api/v1/schema/", headers={"accept": "application/json"}).json()


def check(schema: dict[str, Any], path: str, method: str, response: Any) -> None:
    """The answer is as the schema says for this path, method and status, with no member it does not know."""
    assert str(response.status_code) in schema["paths"][path][method]["responses"], response.content
    answer = schema["paths"][path][method]["responses"][str(response.status_code)]
    if "$ref" in answer:
        answer = schema["components"]["responses"][answer["$ref"].rsplit("/", 1)[1]]
    (media,) = answer["content"].values()
    jsonschema.Draft202012Validator({**media["schema"], "components": schema["components"]}).validate(response.json())


def closed(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema with every object of an answer closed, so that an undocumented member shows."""
    for name, component in schema["components"]["schemas"].items():
        if component.get("type") == "object" and name not in ("Problem",):
            component["additionalProperties"] = False
    return schema


def test_answers_are_what_the_schema_says(owner: APIClient, club: Club, schema: dict[str, Any]) -> None:
    known = closed(schema)
    one, every = "/api/v1/plays/{id}/", "/api/v1/plays/"
    totals = [{"player": n, "total": 84} for n in ("Théo", "Marianne", "Guilaine")]
    points = [{"player": "Théo", "points": -1}, {"player": "Inès", "points": 4, "largest_category": 2}]
    for sent in (
        body(),
        record_body(),
        body(seats=totals, reported_winners=[1]),
        body(game="lady-richmond", seats=points),
        body(seats=seats([(83, 4), (85, 2), (69, 0)]), accept_findings=True, played_at="21:10"),
    ):
        response = owner.post(PLAYS, sent)
        check(known, every, "post", response)
        address = f"{PLAYS}{response.json()['id']}/"
        check(known, one, "get", owner.get(address))
        check(known, one, "patch", owner.patch(address, {"notes": "x"}))
        check(known, one + "history/", "get", owner.get(address + "history/"))
        check(known, one + "scores/", "get", owner.get(address + "scores/"))
        score = {name: sent[name] for name in ("record",) if name in sent}
        score["seats"] = [{k: v for k, v in seat.items() if k != "player"} for seat in sent["seats"]]
        game = sent["game"]
        check(known, "/api/v1/games/{game}/score/", "post", owner.post(f"/api/v1/games/{game}/score/", score))
        check(known, "/api/v1/games/{game}/", "get", owner.get(f"/api/v1/games/{game}/"))
    check(known, every, "get", owner.get(PLAYS, {"include": "record"}))
    check(known, "/api/v1/games/", "get", owner.get("/api/v1/games/"))
    check(known, every, "post", owner.post(PLAYS, body(seats=seats([(83, 4), (85, 2), (69, 0)]))))
    owner.delete(address)
    check(known, every, "get", owner.get(PLAYS, {"include": "record,deleted"}))
    check(known, one + "restore/", "post", owner.post(address + "restore/"))
