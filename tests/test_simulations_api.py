"""Simulations through the API: asked for, watched, held, called off, read; each with a stranger."""

import time
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client
from rest_framework.test import APIClient

from stats import services, tasks
from stats.models import Chunk, Simulation, SimulationResult
from stats.simulation import simulate
from tests.conftest import token_client
from tests.test_plays import problem

SIMULATIONS = "/api/v1/simulations/"
ASKED: dict[str, Any] = {
    "game": "for-sale", "player_count": 3, "bots": ["coin-flip", "to-six", "random"], "games": 20_000, "seed": 7,
}  # fmt: skip


def ask(client: APIClient, status: int = 202, **changes: Any) -> Any:
    response = client.post(SIMULATIONS, {**ASKED, **changes})
    assert response.status_code == status, response.content
    return response.json()


def get(client: APIClient, simulation: dict[str, Any], part: str = "") -> Any:
    response = client.get(f"{SIMULATIONS}{simulation['id']}/{part}")
    assert response.status_code == 200, response.content
    return response.json()


def act(client: APIClient, simulation: dict[str, Any], what: str, status: int = 200) -> Any:
    response = client.post(f"{SIMULATIONS}{simulation['id']}/{what}/")
    assert response.status_code == status, response.content
    return response.json()


def work(*, chunks: int = 10_000) -> None:
    """Run up to so many chunks that are out, as workers would, until there are none."""
    for _chunk in range(chunks):
        chunk = Chunk.objects.filter(lease=None, simulation__status__in=services.ACTIVE).order_by("pk").first()
        if chunk is None:
            return
        tasks.run_chunk(chunk_id=chunk.pk)


def test_the_whole_way_of_a_simulation(owner: APIClient, anonymous: APIClient) -> None:
    response = owner.post(SIMULATIONS, ASKED)
    assert (response.status_code, response["Retry-After"]) == (202, "1")
    simulation = response.json()
    assert response["Location"] == f"http://testserver{SIMULATIONS}{simulation['id']}/"
    assert (simulation["status"], simulation["games_done"], simulation["eta_seconds"]) == ("queued", 0, None)
    assert (simulation["edition"], simulation["variant"], simulation["opener"]) == ("iello", "base", "random")
    assert get(anonymous, simulation, "results/")["games"] == 0
    work(chunks=1)
    watched = anonymous.get(response["Location"])
    assert watched["Retry-After"] == "1"
    assert (watched.json()["status"], watched.json()["games_done"]) == ("running", services.FIRST_CHUNK)
    partial = get(anonymous, simulation, "results/")
    assert (partial["games"], partial["complete"]) == (services.FIRST_CHUNK, False)
    work()
    done = anonymous.get(response["Location"])
    assert "Retry-After" not in done
    assert (done.json()["status"], done.json()["games_done"], done.json()["eta_seconds"]) == ("finished", 20_000, 0.0)
    assert not Chunk.objects.exists()
    results = get(anonymous, simulation, "results/")
    request = {**ASKED, "edition": "iello", "variant": "base", "opener": "random"}
    assert results["request"] == request
    assert results == simulate(**request).as_dict(request)


def test_chunks_in_any_order_and_cut_give_the_same_counts(owner: APIClient, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = simulate(**{**ASKED, "bots": ["coin-flip"] * 3})
    for first in (1, 777, 3_001):
        Simulation.objects.all().delete()
        SimulationResult.objects.all().delete()  # nothing stored is to be found
        monkeypatch.setattr(services, "FIRST_CHUNK", first)
        monkeypatch.setattr(services, "LARGEST_CHUNK", 4_000)
        simulation = Simulation.objects.get(pk=ask(owner, bots=["coin-flip"] * 3)["id"])
        while chunk := Chunk.objects.order_by("-first_game").first():  # the last first
            tasks.run_chunk(chunk_id=chunk.pk)
        simulation.refresh_from_db()
        assert services.summary_of(simulation) == whole


def test_a_request_whose_result_is_stored_finishes_at_once_under_a_new_id(owner: APIClient, member: APIClient) -> None:
    first = ask(owner)
    work()
    again = ask(member, edition="iello")
    assert again["id"] != first["id"]
    assert (again["status"], again["games_done"]) == ("finished", 20_000)
    assert not Chunk.objects.exists()
    assert get(member, again, "results/") == get(owner, first, "results/")


def test_editions_with_equal_numbers_share_results_but_not_names(owner: APIClient) -> None:
    ask(owner, edition="uberplay-down")
    work()
    same = ask(owner, edition="bga-down")
    assert same["status"] == "finished"
    assert get(owner, same, "results/")["request"]["edition"] == "bga-down"
    assert ask(owner, edition="bga-up")["status"] == "queued"


def test_a_longer_request_begins_where_a_stored_one_ends(owner: APIClient) -> None:
    ask(owner, games=6_000)
    work()
    longer = ask(owner, games=14_000)
    assert (longer["status"], longer["games_done"]) == ("queued", 6_000)
    work()
    request = {**ASKED, "games": 14_000, "edition": "iello", "variant": "base", "opener": "random"}
    assert get(owner, longer, "results/") == simulate(**request).as_dict(request)


def test_two_at_a_time_end_with_one_stored_result(owner: APIClient) -> None:
    first, second = ask(owner), ask(owner)
    work()
    assert get(owner, first)["status"] == get(owner, second)["status"] == "finished"
    assert SimulationResult.objects.count() == 1
    assert get(owner, first, "results/") == get(owner, second, "results/")


def test_an_account_has_so_many_under_way_and_others_have_their_own(
    owner: APIClient, stranger: APIClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(services, "MOST_AT_ONCE", 2)
    ask(owner, seed=1)
    second = ask(owner, seed=2)
    problem(owner.post(SIMULATIONS, {**ASKED, "seed": 3}), 409, "too-many-at-once", "")
    ask(stranger, seed=3)
    act(owner, second, "cancel")
    ask(owner, seed=4)
    work()
    assert ask(owner, seed=1)["status"] == "finished"
    ask(owner, seed=5)


def test_a_seed_is_drawn_and_shown(owner: APIClient) -> None:
    body = {name: value for name, value in ASKED.items() if name != "seed"}
    seeds = {owner.post(SIMULATIONS, body).json()["seed"] for _time in range(3)}
    assert len(seeds) == 3
    assert all(0 <= seed < 2**53 for seed in seeds)


@pytest.mark.parametrize(
    ("changes", "code", "pointer", "allowed"),
    [
        ({"bots": ["coin-flip", "to-six", "genius"]}, "unknown-bot", "/bots/2", "coin-flip"),
        ({"bots": ["coin-flip"] * 2}, "wrong-number-of-bots", "/bots", "3"),
        ({"player_count": 7, "bots": ["coin-flip"] * 7}, "players-not-offered", "/player_count", "3, 4, 5, 6"),
        ({"edition": "classic1997", "variant": "not-enough-for-everyone"}, "players-not-offered", "/player_count",
         "4, 5"),
        ({"games": 10**13}, "games-out-of-range", "/games", "10000000000"),
        ({"games": 0}, "games-out-of-range", "/games", "1"),
        ({"opener": 4}, "no-such-opener", "/opener", "3"),
        ({"edition": "home-made"}, "unknown-edition", "/edition", "iello"),
        ({"variant": "wild"}, "unknown-variant", "/variant", "not-enough-for-everyone"),
        ({"game": "lady-richmond"}, "game-not-simulated", "/game", "for-sale"),
        ({"games": "1e6"}, "invalid", "/games", ""),
        ({"opener": "first"}, "invalid", "/opener", "random"),
        ({"seed": -1}, "min-value", "/seed", "0"),
        ({"speed": 3}, "unknown-field", "/speed", "seed"),
    ],
)  # fmt: skip
def test_what_cannot_be_simulated_is_refused_naming_what_can(
    owner: APIClient, changes: dict[str, Any], code: str, pointer: str, allowed: str
) -> None:
    answer = problem(owner.post(SIMULATIONS, {**ASKED, **changes}), 400, code, pointer)
    assert allowed in answer["errors"][0]["detail"]
    assert not Simulation.objects.exists()


def test_refusals_are_in_french_for_the_french(owner: APIClient) -> None:
    body = {**ASKED, "bots": ["génie"] * 3}
    english = owner.post(SIMULATIONS, body).json()
    french = owner.post(SIMULATIONS, body, headers={"Accept-Language": "fr"}).json()
    assert english["errors"][0]["code"] == french["errors"][0]["code"]
    assert english["title"] != french["title"]


def test_asking_needs_a_caller_with_the_scope(owner: APIClient, anonymous: APIClient) -> None:
    ask(anonymous, 401)
    ask(token_client(owner.user, "plays:read", "plays:write"), 403)
    assert not Simulation.objects.exists()


@pytest.mark.parametrize("what", ["pause", "resume", "cancel"])
def test_only_the_requester_controls_a_simulation(
    owner: APIClient, stranger: APIClient, anonymous: APIClient, what: str
) -> None:
    simulation = ask(owner)
    problem(stranger.post(f"{SIMULATIONS}{simulation['id']}/{what}/"), 403, "not-the-requester", "")
    act(anonymous, simulation, what, 401)
    act(token_client(owner.user, "plays:write"), simulation, what, 403)
    assert get(stranger, simulation)["status"] == "queued"
    assert get(stranger, simulation)["yours"] is False
    assert act(owner, simulation, what)["yours"] is True


def test_a_paused_simulation_stands_still_and_goes_on(owner: APIClient) -> None:
    simulation = ask(owner)
    work(chunks=1)
    held = services.lease(chunk_id=Chunk.objects.earliest("pk").pk)
    assert held is not None
    assert act(owner, simulation, "pause")["status"] == "paused"
    assert act(owner, simulation, "pause")["status"] == "paused"
    summary = simulate(**{**ASKED, "games": held.games, "first_game": held.first_game})
    assert not services.store(lease=held, summary=summary, seconds=0.1), "what a worker was at does not count now"
    for chunk in Chunk.objects.all():
        tasks.run_chunk(chunk_id=chunk.pk)
    paused = get(owner, simulation)
    assert (paused["status"], paused["games_done"]) == ("paused", services.FIRST_CHUNK)
    assert "Retry-After" not in owner.get(f"{SIMULATIONS}{simulation['id']}/")
    assert act(owner, simulation, "resume")["status"] == "queued"
    work()
    assert get(owner, simulation)["status"] == "finished"
    assert get(owner, simulation, "results/")["overall"] == simulate(**ASKED).as_dict()["overall"]


def test_a_cancelled_simulation_keeps_what_it_has(owner: APIClient) -> None:
    simulation = ask(owner)
    work(chunks=1)
    held = services.lease(chunk_id=Chunk.objects.earliest("pk").pk)
    assert act(owner, simulation, "cancel")["status"] == "cancelled"
    assert not Chunk.objects.exists()
    assert held is not None
    summary = simulate(**{**ASKED, "games": held.games, "first_game": held.first_game})
    assert not services.store(lease=held, summary=summary, seconds=0.1)
    results = get(owner, simulation, "results/")
    assert (results["games"], results["complete"]) == (services.FIRST_CHUNK, False)
    assert act(owner, simulation, "cancel")["status"] == "cancelled"
    problem(owner.post(f"{SIMULATIONS}{simulation['id']}/resume/"), 409, "simulation-ended", "")
    assert ask(owner)["status"] == "queued", "an unfinished result is nobody else's"


def test_an_own_id_makes_a_request_safe_to_repeat(owner: APIClient, stranger: APIClient) -> None:
    mine = str(uuid4())
    first = ask(owner, id=mine)
    assert ask(owner, id=mine) == first
    problem(owner.post(SIMULATIONS, {**ASKED, "id": mine, "games": 5}), 409, "id-taken", "/id")
    problem(stranger.post(SIMULATIONS, {**ASKED, "id": mine}), 409, "id-taken", "/id")
    assert Simulation.objects.count() == 1


def test_an_idempotency_key_makes_one_simulation_of_two_requests(owner: APIClient) -> None:
    answers = [owner.post(SIMULATIONS, ASKED, headers={"Idempotency-Key": "k1"}) for _time in range(2)]
    assert answers[0].json() == answers[1].json()
    assert answers[1]["Location"] == answers[0]["Location"]
    assert Simulation.objects.count() == 1


def test_the_list_is_newest_first_filtered_and_of_few_queries(
    owner: APIClient, stranger: APIClient, anonymous: APIClient, django_assert_num_queries: Any
) -> None:
    ids = [ask(owner, seed=seed)["id"] for seed in range(4)]
    other = ask(stranger, variant="not-enough-for-everyone")["id"]
    with django_assert_num_queries(1):
        rows = anonymous.get(SIMULATIONS).json()["results"]
    assert [row["id"] for row in rows] == [other, *reversed(ids)]
    assert [row["yours"] for row in rows] == [False] * 5
    shown = owner.get(SIMULATIONS, {"mine": "true", "page_size": 2}).json()
    assert [row["id"] for row in shown["results"]] == [ids[3], ids[2]]
    assert shown["next"]
    assert anonymous.get(SIMULATIONS, {"mine": "true"}).json()["results"] == []
    rows = anonymous.get(SIMULATIONS, {"variant": "not-enough-for-everyone", "status": "queued"}).json()["results"]
    assert [row["id"] for row in rows] == [other]
    problem(anonymous.get(SIMULATIONS, {"state": "queued"}), 400, "unknown-parameter", "/state")


def test_bots_are_listed_with_a_description_in_both_languages(db: Any, anonymous: APIClient) -> None:
    english = anonymous.get("/api/v1/bots/").json()["results"]
    french = anonymous.get("/api/v1/bots/", headers={"Accept-Language": "fr"}).json()["results"]
    assert {"random", "coin-flip", "to-six"} <= {bot["bot"] for bot in english}
    assert all(e["description"] != f["description"] for e, f in zip(english, french, strict=True))


def test_a_simulation_that_is_not_there_is_404(owner: APIClient) -> None:
    nowhere = f"{SIMULATIONS}{uuid4()}/"
    for response in (owner.get(nowhere), owner.get(nowhere + "results/"), owner.post(nowhere + "cancel/")):
        assert response.status_code == 404
        assert response.json()["errors"][0]["code"] == "no-such-simulation"


def test_results_of_another_engine_say_so(owner: APIClient) -> None:
    simulation = ask(owner)
    SimulationResult.objects.update(engine="0.9.0", summary=b'{"engine": "0.9.0"}\n', games=0)
    problem(owner.get(f"{SIMULATIONS}{simulation['id']}/results/"), 409, "other-engine", "")
    shown = {"data": "simulated", "simulation": simulation["id"], "player_count": 3}
    problem(owner.get("/api/v1/stats/scores/", shown), 409, "other-engine", "")


def test_the_page_of_a_simulation_of_another_engine_says_so(owner: APIClient, client: Client) -> None:
    old, new = ask(owner), ask(owner, seed=8)
    SimulationResult.objects.filter(simulations=old["id"]).update(engine="0.9.0", summary=b'{"engine": "0.9.0"}\n')
    page = client.get(f"/simulations/{old['id']}/")
    assert page.status_code == 409
    assert "engine 0.9.0; ask for the simulation again" in page.content.decode()
    compared = client.get("/simulations/compare/", {"a": new["id"], "b": old["id"]})
    assert (compared.status_code, compared["Location"]) == (302, f"/simulations/{old['id']}/")


def test_the_speed_is_that_of_whole_turns(settings: Any) -> None:
    """Two simulations take turns, two chunks of 100 games each a turn, a turn a second: 200 games a second."""
    settings.SIMULATION_WIDTH = 2
    marks = [(turn + chunk * 0.1, 200 * turn + 100 * chunk) for turn in range(6) for chunk in range(2)]
    for seen in range(4, len(marks)):
        assert services._recent_speed(marks[:seen], marks[seen - 1][0]) == pytest.approx(200), seen
    late = services._recent_speed(marks, marks[-1][0] + 10)
    assert late is not None
    assert late < 100, "a worker that is gone lets the speed fall"
    assert services._recent_speed(marks[:1], time.time()) is None
