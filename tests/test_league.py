"""Leagues: fair tables, the right winner, honest intervals; in the command and in the API, each with a stranger."""

import json
import subprocess
import sys
from collections import Counter
from math import log10
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from django.core.management import CommandError, call_command
from rest_framework.test import APIClient

from stats import league_services, services, tasks
from stats.bot_hashes import bot_hash
from stats.bots import BOTS
from stats.league import CREDIT, League, check_league, play_round, standings, student, tables_of
from stats.models import LeagueRound, LeagueRun
from stats.simulation import RequestError
from tests.conftest import token_client
from tests.test_plays import problem

SMALL = League(bots=("random", "coin-flip", "to-six"), player_count=4, seed=3, rounds=12, deals=20)


def changed(**changes: Any) -> League:
    return League(**{**SMALL.as_dict(), "bots": SMALL.bots, **changes})


def rows_of(league: League) -> dict[int, list[dict[str, Any]]]:
    return {number: play_round(league, number) for number in range(league.rounds)}


@pytest.mark.parametrize(("bots", "seats"), [(2, 5), (3, 4), (4, 4), (7, 5), (12, 6)])
def test_every_bot_sits_equally_often_and_beside_others_while_there_are_enough(bots: int, seats: int) -> None:
    league = changed(bots=tuple(f"bot-{k}" for k in range(bots)), player_count=seats)
    for number in range(20):
        tables = tables_of(league, number)
        assert len({*Counter(bot for table in tables for bot in table).values()}) == 1
        if bots >= seats:
            assert all(len(set(table)) == seats for table in tables)
        assert len(tables) * seats * league.deals == league.games_a_round
    assert tables_of(league, 1) != tables_of(league, 2) or bots < 4, "drawn anew"


def test_duels_set_each_bot_alone_among_each_other() -> None:
    tables = tables_of(changed(tables="duels"), 0)
    assert tables == [(a, b, b, b) for a in range(3) for b in range(3) if a != b]


def test_a_round_is_the_same_wherever_it_is_played_and_in_the_readable_rules_too() -> None:
    assert play_round(SMALL, 5) == play_round(SMALL, 5) == play_round(SMALL, 5, others=dict(BOTS))
    assert play_round(SMALL, 5) != play_round(SMALL, 6)


def test_wins_are_shared_out_whole_and_the_same_deals_meet_every_rotation() -> None:
    for row in play_round(SMALL, 0):
        assert sum(row["credit"]) == CREDIT * row["games"]
    alike = play_round(changed(bots=("to-six", "random"), tables="duels", player_count=3), 0)
    assert [row["games"] for row in alike] == [60, 60]
    # one bot in every seat: each place at the table has met the same deals from the same seats
    same = play_round(changed(bots=("to-six", "to-six")), 0)[0]
    assert len({*same["credit"]}) == len({*same["total"]}) == len({*same["rank"]}) == 1


def test_the_stronger_bot_leads_and_the_figures_add_up() -> None:
    table = standings(SMALL, rows_of(SMALL))
    assert table["complete"]
    assert table["games"] == SMALL.games == 12 * 3 * 4 * 20
    assert table["results"][0]["bot"] == "to-six"
    assert sum(row["win_share"]["value"] for row in table["results"]) == pytest.approx(3 / 4)
    assert sum(row["rating"]["value"] for row in table["results"]) == pytest.approx(4500)
    assert sum(row["mean_rank"]["value"] for row in table["results"]) < 3 * 2.5, "shared ranks count as the better"
    assert table["results"][0]["lead"]["low"] > 0
    assert table["results"][-1]["lead"] is None


def test_ratings_are_those_of_the_model_where_it_can_be_solved_by_hand() -> None:
    league = changed(bots=("random", "to-six"), player_count=3, rounds=2)
    # two of the first, one of the second: it wins 6 of 10, so s2 / (2 s1 + s2) = 0.6 and s2 = 3 s1
    rows = [{"bots": [0, 0, 1], "games": 10**6, "credit": [0, 0, 0], "total": [0, 0, 0], "rank": [0, 0, 0]}]
    rows[0]["credit"] = [200_000 * CREDIT, 200_000 * CREDIT, 600_000 * CREDIT]
    table = standings(league, {0: rows, 1: rows})
    better, worse = table["results"]
    assert better["rating"]["value"] - worse["rating"]["value"] == pytest.approx(400 * log10(3), abs=0.01)
    assert better["rating"]["se"] == pytest.approx(0, abs=1e-6), "both rounds alike"


def test_a_bot_that_never_wins_has_a_rating_too() -> None:
    rows = [{"bots": [0, 1, 1], "games": 300, "credit": [0, 9000, 9000], "total": [0, 0, 0], "rank": [0, 0, 0]}]
    table = standings(changed(bots=("random", "to-six"), player_count=3), {0: rows})
    assert [row["bot"] for row in table["results"]] == ["to-six", "random"]
    assert table["results"][0]["rating"]["low"] is None, "one round says nothing of its error"


def test_intervals_hold_the_truth_as_often_as_they_say() -> None:
    long = standings(changed(rounds=150), rows_of(changed(rounds=150)))
    truth = {row["bot"]: row for row in long["results"]}
    hits = Counter[bool]()
    for seed in range(100, 140):
        league = changed(seed=seed, rounds=8, deals=5)
        for row in standings(league, rows_of(league))["results"]:
            for figure in ("rating", "win_share", "mean_total"):
                estimate = row[figure]
                hits[estimate["low"] <= truth[row["bot"]][figure]["value"] <= estimate["high"]] += 1
    assert 0.90 <= hits[True] / hits.total() <= 0.99, hits


def test_students_t() -> None:
    for freedom, due in ((3, 3.182), (5, 2.571), (10, 2.228), (29, 2.045), (1000, 1.962)):
        assert student(freedom) == pytest.approx(due, rel=0.02)


@pytest.mark.parametrize(
    ("changes", "place", "code", "says"),
    [
        ({"bots": ("to-six",)}, ("bots",), "wrong-number-of-bots", "from 2 to 12"),
        ({"bots": ("to-six", "brain")}, ("bots", 1), "unknown-bot", "coin-flip"),
        ({"bots": ("to-six", "random", "to-six")}, ("bots", 2), "bot-named-twice", "to-six"),
        ({"player_count": 7}, ("player_count",), "players-not-offered", "3, 4, 5, 6"),
        ({"edition": "classic1997", "player_count": 6}, ("player_count",), "players-not-offered", "3, 4, 5"),
        ({"tables": "round"}, ("tables",), "unknown-tables", "mixed, duels"),
        ({"rounds": 1}, ("rounds",), "rounds-out-of-range", "from 2 to"),
        ({"deals": 10**9}, ("deals",), "deals-out-of-range", "from 1 to"),
        ({"deals": 0}, ("deals",), "deals-out-of-range", "from 1 to"),
    ],
)
def test_a_league_that_cannot_be_played_is_told_what_can(
    changes: dict[str, Any], place: tuple[Any, ...], code: str, says: str
) -> None:
    with pytest.raises(RequestError) as refused:
        check_league(changed(**changes))
    assert (refused.value.place, refused.value.code) == (place, code)
    assert says in str(refused.value)


# ---- the command ------------------------------------------------------------------------------------

COMMAND = ("league", "--players", "4", "--bots", "random,coin-flip,to-six", "--deals", "20", "--seed", "3", "--json")


def test_the_command_stopped_anywhere_goes_on_to_the_same_table(tmp_path: Path, capsys: Any) -> None:
    call_command(*COMMAND, "--rounds", "12")
    whole = json.loads(capsys.readouterr().out)
    assert whole == standings(SMALL, rows_of(SMALL))
    journal = tmp_path / "league.ndjson"
    call_command(*COMMAND, "--rounds", "12", "--file", str(journal))
    capsys.readouterr()
    lines = journal.read_text().splitlines()
    journal.write_text("\n".join([lines[0], lines[7], lines[3]]) + "\n" + lines[4][:40])  # killed while it wrote
    call_command(*COMMAND, "--rounds", "12", "--file", str(journal))
    assert json.loads(capsys.readouterr().out) == whole
    assert len(journal.read_text().splitlines()) == 13


def test_a_file_of_another_league_is_left_alone(tmp_path: Path) -> None:
    journal = tmp_path / "league.ndjson"
    call_command(*COMMAND, "--rounds", "2", "--file", str(journal))
    with pytest.raises(CommandError, match="holds another league") as refused:
        call_command(*COMMAND, "--rounds", "2", "--file", str(journal), "--seed", "4")
    assert refused.value.returncode == 2


def test_the_table_as_text(capsys: Any) -> None:
    call_command(
        "league", "--players", "3", "--bots", "random,to-six", "--rounds", "3", "--deals", "5", "--tables", "duels"
    )
    printed = capsys.readouterr().out
    assert "x fair share" in printed
    assert "to-six" in printed


@pytest.mark.parametrize(
    ("options", "refusal"),
    [
        ("--players 3 --bots random,brain", "--bots: There is no bot “brain”, only random"),
        ("--players 3 --bots random", "--bots: A league has from 2 to 12 bots, not 1."),
        ("--players 7 --bots random,to-six", "--players: This edition and variant are not for 7 players, but for 3, 4"),
        ("--players 6 --bots random,to-six --edition classic1997", "are not for 6 players, but for 3, 4, 5."),
        ("--players 3 --bots random,to-six --deals 1000000000000", "--deals: deals must be a whole number from 1 to"),
    ],
)
def test_the_command_refuses_what_the_api_refuses_naming_what_is_allowed(options: str, refusal: str) -> None:
    with pytest.raises(CommandError) as refused:
        call_command("league", *options.split())
    assert refusal in str(refused.value)
    assert refused.value.returncode == 2


# ---- the API ----------------------------------------------------------------------------------------

LEAGUES = "/api/v1/leagues/"
ASKED: dict[str, Any] = {
    "player_count": 4, "bots": ["random", "coin-flip", "to-six"], "rounds": 6, "deals": 20, "seed": 3,
}  # fmt: skip


def ask(client: APIClient, **changes: Any) -> dict[str, Any]:
    response = client.post(LEAGUES, {**ASKED, **changes})
    assert response.status_code == 202, response.content
    asked: dict[str, Any] = response.json()
    return asked


def read(client: APIClient, league: dict[str, Any], part: str = "") -> Any:
    response = client.get(f"{LEAGUES}{league['id']}/{part}")
    assert response.status_code == 200, response.content
    return response.json()


def work(league: dict[str, Any]) -> None:
    """Play what there is to be played, a turn after the other."""
    for _turn in range(league["rounds"]):
        tasks.play_league(league_id=league["id"])


def test_an_account_has_so_many_leagues_under_way(owner: APIClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(services, "MOST_AT_ONCE", 1)
    owner.post(LEAGUES, ASKED)
    problem(owner.post(LEAGUES, ASKED), 409, "too-many-at-once", "")


def test_the_whole_way_of_a_league(owner: APIClient, anonymous: APIClient) -> None:
    response = owner.post(LEAGUES, ASKED)
    league = response.json()
    assert (response.status_code, response["Retry-After"]) == (202, "1")
    assert response["Location"] == f"http://testserver{LEAGUES}{league['id']}/"
    assert (league["status"], league["tables"], league["games_done"], league["yours"]) == ("queued", "mixed", 0, True)
    assert read(anonymous, league, "table/")["results"][0]["win_share"]["value"] is None
    run, number = league_services.lease(league_id=UUID(league["id"])) or (None, None)
    assert run is not None
    assert number == 0
    work(league)
    watched = read(anonymous, league)
    assert (watched["status"], watched["rounds_done"], watched["yours"]) == ("running", 5, False)
    partial = read(anonymous, league, "table/")
    assert (partial["rounds"], partial["complete"]) == (5, False)
    league_services.store(id=run.pk, number=0, results=play_round(league_services.league_of(run), 0))
    league_services.store(id=run.pk, number=0, results=[])
    assert read(anonymous, league)["status"] == "finished"
    assert read(anonymous, league, "table/") == standings(changed(rounds=6), rows_of(changed(rounds=6)))
    assert anonymous.get(LEAGUES, {"status": "finished"}).json()["results"][0]["id"] == league["id"]


def test_rounds_of_a_worker_that_died_are_played_by_another(owner: APIClient) -> None:
    league = ask(owner)
    assert league_services.lease(league_id=UUID(league["id"])) is not None
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    LeagueRound.objects.update(worker=f"{services.this_worker().rpartition(':')[0]}:{gone.pid}")
    work(league)
    assert read(owner, league)["rounds_done"] == 5
    assert league_services.reconcile() == 1
    work(league)
    assert read(owner, league, "table/")["complete"]


def test_only_whoever_asked_controls_a_league(owner: APIClient, stranger: APIClient, anonymous: APIClient) -> None:
    league = ask(owner)
    for verb in ("pause", "resume", "cancel"):
        address = f"{LEAGUES}{league['id']}/{verb}/"
        assert anonymous.post(address).status_code == 401
        problem(stranger.post(address), 403, "not-the-requester", "")
        problem(token_client(owner.user, "plays:write").post(address), 403, "missing-scope", "")  # type: ignore[attr-defined]
        assert owner.post(address).status_code == 200
        if verb != "resume":
            work(league)
        assert read(owner, league)["rounds_done"] == 0, "held or called off, nothing is played"
    problem(owner.post(f"{LEAGUES}{league['id']}/resume/"), 409, "league-ended", "")
    problem(owner.get(f"{LEAGUES}{UUID(int=1)}/"), 404, "no-such-league", "")
    assert anonymous.post(LEAGUES, ASKED).status_code == 401


@pytest.mark.parametrize("verb", ["pause", "cancel"])
def test_a_worker_stops_in_the_middle_of_a_round_that_is_held_or_called_off(
    owner: APIClient, monkeypatch: pytest.MonkeyPatch, verb: str
) -> None:
    league = ask(owner, bots=["planner", "counter", "random"], player_count=3, deals=10**6)
    looks: list[int] = []
    wanted = league_services.is_wanted

    def third_time_called_off(run: LeagueRun) -> bool:
        looks.append(run.rounds_done)
        if len(looks) == 3:
            assert owner.post(f"{LEAGUES}{league['id']}/{verb}/").status_code == 200
        return wanted(run)

    monkeypatch.setattr(services, "LOOK_SECONDS", 0)
    monkeypatch.setattr(league_services, "is_wanted", third_time_called_off)
    tasks.play_league(league_id=league["id"])
    assert len(looks) == 3, "it went on"
    assert read(owner, league)["rounds_done"] == 0
    assert not LeagueRound.objects.exclude(leased_until=None).exists(), "whoever resumes it finds the round free"


def test_a_league_begun_by_another_bot_of_that_name_fails_rather_than_mixing_rounds(owner: APIClient) -> None:
    league = ask(owner)
    made_by = LeagueRun.objects.get().made_by
    LeagueRun.objects.update(made_by={**made_by, "bot_hashes": {**made_by["bot_hashes"], "to-six": "0" * 16}})
    problem(owner.get(f"{LEAGUES}{league['id']}/table/"), 409, "other-engine", "")
    tasks.play_league(league_id=league["id"])
    failed = read(owner, league)
    assert (failed["status"], failed["rounds_done"]) == ("failed", 0)


def test_a_finished_table_goes_on_saying_which_bots_played(owner: APIClient) -> None:
    league = ask(owner)
    work(league)
    table = read(owner, league, "table/")
    assert table["bot_hashes"] == {bot: bot_hash(bot) for bot in ASKED["bots"]}
    LeagueRun.objects.update(made_by={**LeagueRun.objects.get().made_by, "bot_hashes": {"to-six": "0" * 16}})
    assert read(owner, league, "table/") == {**table, "bot_hashes": {"to-six": "0" * 16}}


def test_the_same_id_and_body_is_the_same_league(owner: APIClient, stranger: APIClient) -> None:
    mine = str(UUID(int=7, version=4))
    assert ask(owner, id=mine)["id"] == ask(owner, id=mine)["id"] == mine
    problem(owner.post(LEAGUES, {**ASKED, "id": mine, "rounds": 7}), 409, "id-taken", "/id")
    problem(stranger.post(LEAGUES, {**ASKED, "id": mine}), 409, "id-taken", "/id")


@pytest.mark.parametrize(
    ("changes", "code", "pointer"),
    [
        ({"bots": ["to-six", "brain"]}, "unknown-bot", "/bots/1"),
        ({"bots": ["to-six", "to-six"]}, "bot-named-twice", "/bots/1"),
        ({"bots": []}, "wrong-number-of-bots", "/bots"),
        ({"player_count": 7}, "players-not-offered", "/player_count"),
        ({"player_count": 6, "edition": "classic1997"}, "players-not-offered", "/player_count"),
        ({"edition": "home-made"}, "unknown-edition", "/edition"),
        ({"tables": "round"}, "unknown-tables", "/tables"),
        ({"rounds": 10**6}, "rounds-out-of-range", "/rounds"),
        ({"rounds": 2000, "deals": 10**6}, "deals-out-of-range", "/deals"),
        ({"round": 3}, "unknown-field", "/round"),
    ],
)
def test_the_api_refuses_what_the_league_refuses(
    owner: APIClient, changes: dict[str, Any], code: str, pointer: str
) -> None:
    problem(owner.post(LEAGUES, {**ASKED, **changes}), 400, code, pointer)
