"""The addresses of statistics: shapes, filters that are refused, who sees what, languages."""

from typing import Any

import pytest
from django.core.cache import cache
from rest_framework.test import APIClient

from forsale_api.celery import app
from forsale_api.clubs.models import Club
from stats import tasks
from stats.models import Simulation
from tests.conftest import token_client
from tests.test_aggregates import ASKED, publish, stored
from tests.test_folding import fold_all
from tests.test_plays import post, problem, seats

STATS = "/api/v1/stats/"
D = {"n", "mean", "se", "sd", "median", "median_interval", "quantiles", "histogram"}
BLOCK = {
    "game", "edition", "variant", "player_count", "plays", "total", "winning_total", "margin", "banknotes",
    "decided_by",
}  # fmt: skip


def get(client: APIClient, address: str, status: int = 200, **query: Any) -> Any:
    response = client.get(STATS + address, query)
    assert response.status_code == status, response.content
    return response.json()


def test_scores_have_the_shape_of_the_contract(owner: APIClient, club: Club, anonymous: APIClient) -> None:
    post(owner)
    fold_all()
    publish(club)
    answer = get(anonymous, "scores/", game="for-sale", player_count="3")
    assert answer.keys() == {"filters", "as_of", "results"}
    assert answer["filters"] == {
        "game": "for-sale", "edition": None, "variant": None, "player_count": 3, "data": "recorded", "club": None,
        "player": None, "played_after": None, "played_before": None, "counts": "true", "simulation": None,
    }  # fmt: skip
    (block,) = answer["results"]
    assert block.keys() == BLOCK
    assert all(block[name].keys() == D for name in ("total", "winning_total", "margin", "banknotes"))
    assert block["total"]["quantiles"].keys() == {"p05", "p25", "p75", "p95"}
    assert block["total"]["histogram"] == [{"score": 70, "count": 1}, {"score": 87, "count": 2}]


def test_what_is_left_out_is_expanded_and_never_pooled(owner: APIClient, club: Club, anonymous: APIClient) -> None:
    post(owner)
    post(owner, edition="eagle", seats=seats([(80, 4), (75, 2), (55, 0)]))
    fold_all()
    publish(club)
    blocks = get(anonymous, "scores/")["results"]
    assert [(block["edition"], block["plays"]) for block in blocks] == [("iello", 1), ("eagle", 1)]


@pytest.mark.parametrize("address", ["scores/", "seats/", "houses/", "players/"])
def test_a_private_club_is_404_for_strangers_and_its_members_read_it(
    owner: APIClient, member: APIClient, stranger: APIClient, anonymous: APIClient, address: str
) -> None:
    post(owner, first_seat=1)
    fold_all()
    get(member, address, club="nantes")
    for client in (stranger, anonymous):
        response = client.get(STATS + address, {"club": "nantes"})
        problem(response, 404, "no-such-club", "/club")
        assert get(client, address)["results"] == []


def test_a_player_of_a_private_club_is_404_for_strangers(
    owner: APIClient, member: APIClient, stranger: APIClient, anonymous: APIClient
) -> None:
    player = post(owner)["seats"][0]["player"]
    fold_all()
    answer = get(member, f"players/{player['id']}/")
    assert answer["player"] == {**player, "club": "nantes"}
    (block,) = answer["results"]
    assert block.keys() == BLOCK | {"wins", "shared_wins", "win_share"}
    assert (block["wins"], block["shared_wins"], block["win_share"]["value"]) == (1, 0, 1.0)
    for client in (stranger, anonymous):
        get(client, f"players/{player['id']}/", 404)
        get(client, "scores/", 404, player=player["id"])


def test_a_token_without_plays_read_sees_what_anybody_sees(owner: APIClient, club: Club) -> None:
    post(owner)
    fold_all()
    narrow = token_client(owner.user, "simulations:write")
    get(narrow, "scores/", 404, club="nantes")


@pytest.mark.parametrize(
    ("query", "code", "pointer"),
    [
        ({"colour": "red"}, "unknown-parameter", "/colour"),
        ({"game": "chess"}, "invalid-choice", "/game"),
        ({"player_count": "7"}, "max-value", "/player_count"),
        ({"played_after": "yesterday"}, "invalid", "/played_after"),
        ({"player": "Théo"}, "invalid", "/player"),
        ({"data": "guessed"}, "invalid-choice", "/data"),
        ({"counts": "false"}, "invalid-choice", "/counts"),
        ({"game": "lady-richmond", "variant": "not-enough-for-everyone"}, "variant-not-offered", "/variant"),
        ({"edition": "classic1997", "player_count": "6"}, "players-not-offered", "/player_count"),
        ({"data": "simulated", "club": "nantes"}, "filter-of-plays", "/club"),
        ({"data": "recorded", "simulation": "0199d1c2-0000-7000-8000-000000000000"}, "filter-of-simulations",
         "/simulation"),
    ],
)  # fmt: skip
def test_filters_that_make_no_sense_are_refused_and_named(
    db: Any, anonymous: APIClient, query: dict[str, str], code: str, pointer: str
) -> None:
    problem(anonymous.get(STATS + "scores/", query), 400, code, pointer)


def test_refusals_speak_the_callers_language_and_name_what_is_offered(db: Any, anonymous: APIClient) -> None:
    query = {"edition": "classic1997", "player_count": "6"}
    english = anonymous.get(STATS + "scores/", query).json()["detail"]
    assert "3, 4, 5" in english
    response = anonymous.get(STATS + "scores/", query, headers={"Accept-Language": "fr"})
    assert "Accept-Language" in response["Vary"]
    assert "3, 4, 5" in response.json()["detail"]


def test_a_simulated_block_says_by_whom_and_how_much_of_it_is_done(db: Any, anonymous: APIClient) -> None:
    simulation = stored(1500, **ASKED)
    (block,) = get(anonymous, "scores/", data="simulated", edition="iello", variant="base", player_count=3)["results"]
    assert block.keys() == BLOCK | {
        "simulation", "bots", "seed", "opener", "games", "games_requested", "complete", "engine",
    }  # fmt: skip
    assert (block["simulation"], block["games"], block["complete"]) == (str(simulation.pk), 1500, True)
    (same,) = get(anonymous, "scores/", simulation=str(simulation.pk))["results"]
    assert same == block


def test_a_simulation_that_is_not_there_is_404(db: Any, anonymous: APIClient) -> None:
    get(anonymous, "scores/", 404, simulation="0199d1c2-0000-7000-8000-000000000000")


def test_unchanged_figures_are_not_sent_again(owner: APIClient, club: Club, anonymous: APIClient) -> None:
    post(owner)
    fold_all()
    publish(club)
    for address in ("scores/", "seats/", "houses/", "players/"):
        first = anonymous.get(STATS + address)
        again = anonymous.get(STATS + address, headers={"If-None-Match": first["ETag"]})
        assert again.status_code == 304, address


def test_the_first_request_for_simulated_figures_asks_for_the_simulation(
    db: Any, anonymous: APIClient, monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks: Any
) -> None:
    cache.clear()
    sent: list[tuple[str, dict[str, Any]]] = []
    monkeypatch.setattr(app, "send_task", lambda name, kwargs=None: sent.append((name, kwargs or {})))
    with django_capture_on_commit_callbacks(execute=True):
        query = {"data": "simulated", "edition": "iello", "variant": "base", "player_count": "3"}
        assert get(anonymous, "scores/", **query)["results"] == []
        get(anonymous, "scores/", **query)
    ((name, kwargs),) = sent
    assert name == tasks.start_references.name
    tasks.start_references(**kwargs)
    tasks.start_references(**kwargs)
    (block,) = get(anonymous, "scores/", **query)["results"]
    assert (block["plays"], block["complete"], block["games_requested"]) == (0, False, 10_000_000)
    assert (block["bots"], block["seed"], block["opener"]) == (["coin-flip"] * 3, 1, "random")
    assert block["total"]["n"] == 0
    assert Simulation.objects.get().reference
