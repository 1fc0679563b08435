"""Questions people ask: rows whose standard errors are as small as stated, a sentence, and the games they need."""

from typing import Any

import pytest
from django.conf import LazySettings
from rest_framework.test import APIClient

from forsale_api.celery import app
from stats import questions, services, tasks
from stats.models import Simulation
from stats.simulation import simulate
from tests.test_plays import problem
from tests.test_simulations_api import work

QUESTIONS = "/api/v1/questions/"
FEW = questions.Precision(mean=0.5, share=0.02)


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch, settings: LazySettings) -> None:
    """Coarse answers of few games, and tasks that run when they are sent."""
    monkeypatch.setattr(questions, "FIRST_GAMES", 2_000)
    monkeypatch.setitem(questions.PRECISIONS, "normal", FEW)
    monkeypatch.setattr(questions.shared_cache, "add", lambda *args: True)
    monkeypatch.setattr(questions.services, "send_task", _run)


def _run(task: str, **kwargs: Any) -> None:
    if task == questions.START_QUESTIONS:
        tasks.start_questions(**kwargs)


def ask(client: APIClient, question: str, **filters: Any) -> Any:
    response = client.get(f"{QUESTIONS}{question}/", {"bot": "coin-flip", **filters})
    assert response.status_code == 200, response.content
    assert ("Retry-After" in response.headers) is not response.json()["complete"]
    return response.json()


def answered(client: APIClient, question: str, **filters: Any) -> Any:
    """Ask, let workers work, ask again, until the answer is complete."""
    for _turn in range(5):
        answer = ask(client, question, **filters)
        if answer["complete"]:
            return answer
        work()
    raise AssertionError("the answer is never complete")


def test_whoever_asks_first_has_it_simulated_and_everybody_else_finds_it(db: Any, anonymous: APIClient) -> None:
    first = ask(anonymous, "position", player_count=3, variant="base")
    assert (first["complete"], first["results"][0]["rows"], first["results"][0]["sentence"]) == (False, [], "")
    assert Simulation.objects.count() == 1
    ask(anonymous, "position", player_count=3, variant="base")
    assert Simulation.objects.count() == 1, "it is under way"
    work(chunks=1)
    answer = answered(anonymous, "position", player_count=3, variant="base")
    assert answer["results"][0]["games"] >= 2_000
    before = Simulation.objects.count()
    for question in ("house-worth", "ties"):
        assert ask(anonymous, question, player_count=3, variant="base")["complete"], "from the same games"
    assert Simulation.objects.count() == before


def test_rows_are_those_of_the_simulation_and_no_error_is_above_its_limit(db: Any, anonymous: APIClient) -> None:
    answer = answered(anonymous, "house-worth", player_count=3, variant="base")
    (block,) = answer["results"]
    whole = simulate(game="for-sale", player_count=3, bots=["coin-flip"] * 3, games=block["games"], seed=1)
    assert block["rows"] == whole.as_dict()["houses"]
    assert max(row[what]["se"] for row in block["rows"] for what in ("price", "cheque")) == block["largest_se"]["mean"]
    assert block["largest_se"]["mean"] <= FEW.mean == answer["se_limits"]["mean"]
    assert "House 30 fetches" in block["sentence"]
    assert "with 3 players" in block["sentence"]


def test_an_error_that_is_too_large_asks_for_the_games_it_takes(
    db: Any, anonymous: APIClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(questions.PRECISIONS, "normal", questions.Precision(mean=0.5, share=0.006))
    (block,) = answered(anonymous, "position", player_count=3, variant="base")["results"]
    assert block["largest_se"]["share"] <= 0.006
    assert 5_000 < block["games"] < 20_000, "p(1-p)/0.006² is about 6,200"


def test_position_and_ties_are_those_of_the_reference_tables(db: Any, anonymous: APIClient) -> None:
    (block,) = answered(anonymous, "position", edition="eagle", player_count=5, variant="base")["results"]
    for row, due in zip(block["rows"], (0.1661, 0.1826, 0.1993, 0.2172, 0.2348), strict=True):
        assert abs(row["win_share"]["value"] - due) < 4 * row["se"]
        assert row["advantage"] == pytest.approx(row["win_share"]["value"] - 0.2)
    (block,) = answered(anonymous, "ties", edition="eagle", player_count=5, variant="base")["results"]
    shares = {row["outcome"]: row for row in block["rows"]}
    assert abs(shares["tied"]["share"]["value"] - 0.06491) < 4 * shares["tied"]["se"]
    assert shares["tied"]["share"]["value"] == pytest.approx(
        shares["banknotes"]["share"]["value"] + shares["shared"]["share"]["value"]
    )


def test_rounding_and_variant_compare_two_simulations(db: Any, anonymous: APIClient) -> None:
    (block,) = answered(anonymous, "rounding", player_count=3, variant="base")["results"]
    rows = {row["figure"]: row for row in block["rows"]}
    assert (block["edition"], block["variant"]) == (None, "base")
    assert abs(rows["total"]["difference"] - (71.715 - 71.020)) < 4 * rows["total"]["se"]
    assert rows["total"]["difference"] == rows["total"]["second"] - rows["total"]["first"]
    (block,) = answered(anonymous, "variant", player_count=5)["results"]
    rows = {row["figure"]: row for row in block["rows"]}
    assert (block["edition"], block["variant"]) == ("iello", None)
    assert abs(rows["total"]["difference"] - (48.546 - 54.322)) < 4 * rows["total"]["se"]
    assert "with 5 players" in block["sentence"]


def test_without_filters_there_is_a_block_for_each_variant_and_number_of_players(db: Any, anonymous: APIClient) -> None:
    kinds = [(block["variant"], block["player_count"]) for block in ask(anonymous, "ties")["results"]]
    assert kinds == [(variant, n) for variant in ("base", "not-enough-for-everyone") for n in (3, 4, 5, 6)]
    assert Simulation.objects.count() == 8
    assert all(simulation.requester is None for simulation in Simulation.objects.all())
    assert {question["question"] for question in anonymous.get(QUESTIONS).json()["results"]} == {*questions.QUESTIONS}


def test_sentences_are_french_where_french_is_asked_for(db: Any, anonymous: APIClient) -> None:
    for question in questions.QUESTIONS:
        english = answered(anonymous, question, player_count=3, variant="base")["results"][0]["sentence"]
        response = anonymous.get(
            f"{QUESTIONS}{question}/",
            {"bot": "coin-flip", "player_count": 3, "variant": "base"},
            headers={"Accept-Language": "fr"},
        )
        assert response.json()["results"][0]["sentence"] != english


@pytest.mark.parametrize(
    ("filters", "code", "pointer"),
    [
        ({"player_count": 7}, "max-value", "/player_count"),
        ({"edition": "classic1997", "player_count": 6}, "players-not-offered", "/player_count"),
        ({"bot": "brain"}, "invalid-choice", "/bot"),
        ({"precision": "perfect"}, "invalid-choice", "/precision"),
        ({"players": 3}, "unknown-parameter", "/players"),
    ],
)
def test_what_cannot_be_asked_is_refused(
    db: Any, anonymous: APIClient, filters: dict[str, Any], code: str, pointer: str
) -> None:
    problem(anonymous.get(f"{QUESTIONS}position/", filters), 400, code, pointer)
    problem(anonymous.get(f"{QUESTIONS}meaning-of-life/"), 404, "no-such-question", "")
    assert not Simulation.objects.exists()


def test_what_is_asked_twice_is_sent_once(db: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    sent: list[Any] = []
    monkeypatch.setattr(app, "send_task", lambda name, kwargs: sent.append(kwargs))
    monkeypatch.setattr(services.transaction, "on_commit", lambda run, robust: run())
    wanted = [("iello", "base", 3, "random", 1234)]
    questions.start(wanted)
    questions.start(wanted)
    assert sent == [{"wanted": [["iello", "base", 3, "random", 1234]]}]
