"""One game of a simulation, opened: by everybody, the same each time, a record that any club can post as a play."""

import re
from collections import Counter
from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client
from rest_framework.test import APIClient

from dashboard import sentences
from forsale_api.celery import app
from forsale_api.clubs.models import Club
from stats import opened, tasks
from stats.models import OpenedGame, SimulationResult
from stats.simulation import trace
from tests.test_numbers import csv_rows
from tests.test_pages import page
from tests.test_plays import post, problem, seats
from tests.test_simulations_api import ASKED, SIMULATIONS, ask, get, work


@pytest.fixture(autouse=True)
def nothing_asked_for(db: Any) -> None:
    cache.clear()


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """What workers are sent: nothing is played before a test says so."""
    messages: list[dict[str, Any]] = []
    monkeypatch.setattr(app, "send_task", lambda name, kwargs, **_: messages.append({"task": name, **kwargs}))
    return messages


def with_planner(client: APIClient) -> dict[str, Any]:
    bots = ["planner", *["spread"] * 5]
    simulation: dict[str, Any] = ask(
        client, player_count=6, bots=bots, games=50, variant="not-enough-for-everyone", opener=2
    )
    return simulation


def asked_of(messages: list[dict[str, Any]]) -> list[tuple[str, int]]:
    return [(one["simulation_id"], one["index"]) for one in messages if one["task"] == opened.PLAY_OPENED]


def planned(simulation: dict[str, Any], index: int = 0) -> None:
    tasks.play_opened(simulation_id=simulation["id"], index=index)


def test_opened_games_are_the_ones_that_were_counted(owner: APIClient, stranger: APIClient) -> None:
    simulation = ask(owner, games=30)
    work()
    games = [get(stranger, simulation, f"games/{index}/") for index in range(30)]
    results = get(stranger, simulation, "results/")
    totals = Counter(seat["total"] for game in games for seat in game["seats"])
    assert {bar["score"]: bar["count"] for bar in results["overall"]["total"]["histogram"]} == totals
    decided = Counter(game["decided_by"] for game in games)
    assert {how: count for how, count in results["decided_by"].items() if count} == decided
    for index, game in enumerate(games):
        kind = {name: value for name, value in ASKED.items() if name != "games"}
        assert game["record"] == trace(**kind, game_index=index)
        assert [seat["bot"] for seat in game["seats"]] == ASKED["bots"]


def test_a_game_is_posted_as_a_play_as_it_is(owner: APIClient, anonymous: APIClient, club: Club) -> None:
    game = get(anonymous, ask(owner), "games/12/")
    names = [{"player": seat["player"]} for seat in seats([(1, 1), (1, 1), (1, 1)])]
    play = post(owner, seats=names, record=game["record"], edition=game["edition"], variant=game["variant"])
    assert play["level"] == "record"
    assert [seat["total"] for seat in play["seats"]] == [seat["total"] for seat in game["seats"]]
    assert (play["winners"], play["decided_by"]) == (game["winners"], game["decided_by"])


def test_beyond_the_last_game_there_is_none(owner: APIClient, anonymous: APIClient) -> None:
    simulation = ask(owner, games=30)
    answer = anonymous.get(f"{SIMULATIONS}{simulation['id']}/games/30/")
    assert "0 to 29" in problem(answer, 404, "no-such-game", "")["detail"]
    problem(anonymous.get(f"{SIMULATIONS}{simulation['id']}/games/{10**30}/"), 404, "no-such-game", "")


def test_games_of_another_engine_are_not_passed_off_as_counted(owner: APIClient) -> None:
    simulation = ask(owner)
    SimulationResult.objects.update(engine="0.9.0", key="of another time")
    problem(owner.get(f"{SIMULATIONS}{simulation['id']}/games/0/"), 409, "other-engine", "")
    assert page(Client(), f"/simulations/{simulation['id']}/games/0/", 409).count("0.9.0") == 1


def test_a_game_with_a_long_thinker_is_played_by_a_worker_once(
    owner: APIClient, anonymous: APIClient, sent: list[dict[str, Any]], django_capture_on_commit_callbacks: Any
) -> None:
    simulation = with_planner(owner)
    address = f"{SIMULATIONS}{simulation['id']}/games/7/"
    with django_capture_on_commit_callbacks(execute=True):
        for _look in range(3):
            answer = anonymous.get(address)
            problem(answer, 409, "being-played", "")
            assert answer["Retry-After"] == "2"
        waiting = Client().get(f"/simulations/{simulation['id']}/games/7/")
        assert (waiting.status_code, waiting["Refresh"]) == (202, "2")
        assert waiting.content.decode().count("some seconds") == 1
    assert asked_of(sent) == [(simulation["id"], 7)]
    planned(simulation, 7)
    with django_capture_on_commit_callbacks(execute=True):  # the next one need not wait
        problem(anonymous.get(f"{SIMULATIONS}{simulation['id']}/games/8/"), 409, "being-played", "")
    assert asked_of(sent) == [(simulation["id"], 7), (simulation["id"], 8)]
    game = get(anonymous, simulation, "games/7/")
    assert (game["game_index"], game["record"]["first_seat"], game["seats"][0]["bot"]) == (7, 2, "planner")
    kept = OpenedGame.objects.get()
    planned(simulation, 7)
    assert OpenedGame.objects.get() == kept


def test_only_the_latest_long_games_are_kept(owner: APIClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opened, "KEPT", 2)
    simulation = with_planner(owner)
    for index in (5, 3, 4):
        planned(simulation, index)
    assert list(OpenedGame.objects.order_by("pk").values_list("index", flat=True)) == [3, 4]


def test_a_page_shows_the_game_and_leads_to_its_neighbours(owner: APIClient, anonymous: APIClient) -> None:
    simulation = ask(owner, bots=["to-six", "coin-flip", "to-six"])
    work()
    browser, pages = Client(), f"/simulations/{simulation['id']}/games/"
    assert f'href="{pages}0/"' in page(browser, f"/simulations/{simulation['id']}/")
    html = page(browser, f"{pages}4/")
    game = get(anonymous, simulation, "games/4/")
    ranked = sorted(game["seats"], key=lambda seat: seat["rank"])
    shown = re.findall(r'<td class="num total">([^<]+)</td>', html)
    assert shown == [sentences.money(seat["total"]) for seat in ranked]
    assert all(name in html for name in ("Up to six\u00a01", "Up to six\u00a03", "2 Coin flip"))
    assert all(f'href="{pages}{neighbour}/"' in html for neighbour in (3, 5))
    assert "Coin flip\u00a02" not in html
    deals = csv_rows(browser, f"{pages}4/?format=csv")
    assert sum(int(row["cheque"]) for row in deals) == sum(seat["cheques"] for seat in game["seats"])
    assert browser.get(f"{pages}?index=19999").url == f"{pages}19999/"
    assert f'href="{pages}20000/"' not in page(browser, f"{pages}19999/")
    assert "0 to 19999" in page(browser, f"{pages}20000/", 404)
    assert "A game has a whole number." in page(browser, f"{pages}?index=-1", 404)


def test_an_opened_game_costs_one_query(owner: APIClient, anonymous: APIClient, django_assert_num_queries: Any) -> None:
    simulation = ask(owner)
    with django_assert_num_queries(1):
        get(anonymous, simulation, "games/3/")
