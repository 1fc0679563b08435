"""Questions people ask: rows whose standard errors are as small as stated, a sentence, and the games they need."""

from typing import Any

import pytest
from django.conf import LazySettings
from rest_framework.test import APIClient

from forsale_api.celery import app
from stats import fair_price, questions, services, tasks
from stats.models import PricedTable, Simulation
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
    monkeypatch.setattr(questions, "PATIENCE", 0)  # nobody works beside the test


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


def test_the_tie_break_favours_whom_it_favours(db: Any, anonymous: APIClient) -> None:
    (block,) = answered(anonymous, "tie-break", player_count=3, variant="base")["results"]
    whole = simulate(game="for-sale", player_count=3, bots=["coin-flip"] * 3, games=block["games"], seed=1)
    assert block["rows"] == whole.as_dict()["ties"]["positions"]
    assert sum(row["gain"]["mean"] * row["gain"]["n"] for row in block["rows"]) == pytest.approx(0)
    assert "tie-break" in block["sentence"]


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


# ---- fair prices ------------------------------------------------------------------------------------

PRICE = f"{QUESTIONS}fair-price/"
TABLE: dict[str, Any] = {"player_count": 3, "houses": [30, 1, 16], "banknotes": 20, "rounds_left": 5, "bot": "to-six"}


def test_a_table_is_played_until_its_errors_are_small_enough_and_kept(
    owner: APIClient, stranger: APIClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = owner.post(PRICE, TABLE)
    assert (first.status_code, first["Retry-After"]) == (200, "1")
    assert (first.json()["deals"], first.json()["rows"], first.json()["fair_price"]) == (0, [], None)
    stored = PricedTable.objects.get()
    while not PricedTable.objects.get().complete:
        tasks.price_table(table_id=stored.pk)
    answer = stranger.post(PRICE, {**TABLE, "houses": [1, 16, 30], "edition": "iello"})
    assert "Retry-After" not in answer
    body = answer.json()
    assert body["complete"]
    assert PricedTable.objects.count() == 1, "the same table, whoever asks and however it is written"
    assert [row["price"] for row in body["rows"]] == [1, 3, 4, 6, 8, 10, 11, 13, 15, 17, 18, 20]
    assert body["rows"][0]["gain"] > 0 > body["rows"][-1]["gain"]
    assert 1 < body["fair_price"] < 20
    assert 0 < body["fair_price_se"] < 0.2
    assert all(row["se"] <= questions.GAIN_SE for row in body["rows"])
    assert "taking house 30 is worth more than passing now" in body["sentence"]
    tasks.price_table(table_id=stored.pk)
    assert PricedTable.objects.get().deals == body["deals"], "a message too many plays nothing"


def test_a_turn_played_twice_counts_once(owner: APIClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(questions, "TURN_SECONDS", 0)
    owner.post(PRICE, TABLE)
    stored = PricedTable.objects.get()
    real = questions.sums_of

    def somebody_else_too(*asked: Any) -> Any:
        monkeypatch.setattr(questions, "sums_of", real)
        tasks.price_table(table_id=stored.pk)
        return real(*asked)

    monkeypatch.setattr(questions, "sums_of", somebody_else_too)
    tasks.price_table(table_id=stored.pk)
    table = fair_price.Table("iello", "base", 3, (1, 16, 30), 20, 5, "to-six")
    assert PricedTable.objects.get().sums == fair_price.sums_of(table, 0, questions.TURN_DEALS)


def test_sums_add_up_over_deals() -> None:
    table = fair_price.Table("eagle", "not-enough-for-everyone", 4, (3, 9, 27), 7, 9, "coin-flip")
    fair_price.check_table(table)
    whole = fair_price.sums_of(table, 0, 6)
    assert fair_price.joined(fair_price.sums_of(table, 0, 2), fair_price.sums_of(table, 2, 4)) == whole


TABLES = [
    fair_price.Table("iello", "base", 3, (1, 16, 30), 20, 5, "to-six"),
    fair_price.Table("eagle", "not-enough-for-everyone", 4, (3, 9, 27), 7, 9, "coin-flip"),
    fair_price.Table("iello", "base", 5, (1, 2, 3, 4, 30), 6, 0, "counter"),
    fair_price.Table("iello", "base", 6, (5, 9, 20, 28), 9, 2, "pacer", stakes=(0, None, 2, 3, None, 5)),
    fair_price.Table(
        "iello", "not-enough-for-everyone", 5, (5, 9, 20), 9, 2, "counter", (1, None, 2, None, 5), (4, 8, 9, 10)
    ),
    fair_price.Table("classic1997", "not-enough-for-everyone", 4, (5, 9, 12), 9, 3, "spread"),
    fair_price.Table("iello", "base", 4, (7, 12, 18, 29), 12, 4, "random"),
]


@pytest.mark.parametrize("table", TABLES, ids=lambda table: f"{table.variant}-{table.player_count}-{table.bot}")
def test_the_compiled_deals_are_those_of_the_readable_rules(table: fair_price.Table) -> None:
    fair_price.check_table(table)
    for deal in range(12):
        assert fair_price.sums_of(table, deal, 1) == fair_price.sums_readable(table, deal, 1)


def test_who_has_passed_holds_a_lower_house_and_who_bids_has_staked() -> None:
    state, others, _cheques = fair_price._before(TABLES[3], 8)
    assert state.turn == 1
    assert [hand.has_passed for hand in state.hands] == [False, True, False, False, True, False]
    assert [hand.stake for hand in state.hands] == [0, 0, 2, 3, 0, 5]
    bought = {house for seat in (2, 5) for house in state.seat(seat).houses} & state.houses_dealt
    assert sum(house < 5 for house in bought) >= 2
    assert not {*others} & state.houses_dealt
    assert TABLES[3].prices == [6, 7, 8, 9], "to take the house is to top the bid that stands"


def test_in_the_last_round_the_price_is_paid_out_of_the_total() -> None:
    """Nothing is left to buy afterwards: a banknote more for the house is one less at the end."""
    table = fair_price.Table("iello", "base", 5, (1, 2, 3, 4, 30), 6, 0, "to-six")
    rows = fair_price.rows_of(fair_price.sums_of(table, 0, 30))
    for row in rows[1:]:
        assert rows[0]["gain"] - row["gain"] == pytest.approx(row["price"] - rows[0]["price"])
    assert rows[0]["gain"] > 0


def test_the_fair_price_lies_where_the_gain_changes_its_sign() -> None:
    def rows(*gains: tuple[int, float]) -> list[dict[str, Any]]:
        return [{"price": price, "gain": gain, "se": 0.1} for price, gain in gains]

    assert fair_price.fair_price(rows((1, 4.0), (3, 1.0), (7, -3.0))) == (pytest.approx(4.0), pytest.approx(0.1))
    assert fair_price.fair_price(rows((1, 4.0), (3, -4.0))) == (pytest.approx(2.0), pytest.approx(0.025))
    assert fair_price.fair_price(rows((1, -1.0), (3, -2.0))) == (0.0, None)
    assert fair_price.fair_price(rows((1, 3.0), (3, 2.0))) == (None, None)


@pytest.mark.parametrize(
    ("changes", "code", "pointer"),
    [
        ({"houses": [1, 2]}, "wrong-number-of-houses", "/houses"),
        ({"houses": [1, 2, 2]}, "wrong-number-of-houses", "/houses"),
        ({"houses": [1, 2, 31]}, "no-such-house", "/houses/2"),
        ({"banknotes": 29}, "banknotes-out-of-range", "/banknotes"),
        ({"rounds_left": 10}, "rounds-left-out-of-range", "/rounds_left"),
        ({"player_count": 7}, "players-not-offered", "/player_count"),
        ({"bot": "brain"}, "invalid-choice", "/bot"),
        ({"stakes": [0, 1]}, "wrong-number-of-seats", "/stakes"),
        ({"stakes": [None, 1, 2]}, "nobody-left-to-bid", "/stakes"),
        ({"stakes": [2, 3, 1]}, "stakes-do-not-rise", "/stakes/2"),
        ({"stakes": [0, 29, 30]}, "stakes-out-of-range", "/stakes/1"),
        ({"stakes": [0, None, 3]}, "wrong-number-of-houses", "/houses"),
        ({"stakes": [0, None, 3], "houses": [1, 9]}, "no-house-to-take", "/houses"),
        ({"stakes": [5, 6, 7], "banknotes": 4}, "banknotes-out-of-range", "/banknotes"),
        ({"opponents_banknotes": [4]}, "wrong-number-of-seats", "/opponents_banknotes"),
        ({"stakes": [0, 1, 7], "opponents_banknotes": [4, 4]}, "opponents-banknotes-out-of-range",
         "/opponents_banknotes/1"),
    ],
)  # fmt: skip
def test_a_table_that_cannot_be_is_refused(
    owner: APIClient, anonymous: APIClient, changes: dict[str, Any], code: str, pointer: str
) -> None:
    problem(owner.post(PRICE, {**TABLE, **changes}), 400, code, pointer)
    assert anonymous.post(PRICE, TABLE).status_code == 401
