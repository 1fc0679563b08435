"""The planner: compiled and in plain Python it plays the same, it sees no more than its seat, and it wins."""

import hashlib
from dataclasses import replace
from math import sqrt

import numpy as np
import pytest

from forsale_api.rules.for_sale import BASE, EDITIONS, NOT_ENOUGH, VARIANTS, player_counts, replay, scores
from stats.bots import BOTS, Seen, Stream, View, play
from stats.simulation import simulate, trace
from tests.test_bots import at_auction, at_sale
from tests.test_kernel import KINDS, copy_of_the_engine, count, edit, run_copy

OTHERS = ["counter", "random", "spread", "pacer", "to-six", "coin-flip"]


def planner_at(players, turn, others=OTHERS):
    """A line-up with the planner in one seat, turned from kind to kind."""
    seated = [others[(seat + turn) % len(others)] for seat in range(players)]
    seated[turn % players] = "planner"
    return seated


@pytest.mark.parametrize(("edition", "variant", "players"), [("iello", BASE, 6), ("eagle", NOT_ENOUGH, 5)])
def test_kernel_and_plain_python_play_the_same_games(edition, variant, players):
    bots = planner_at(players, 1)
    request = {"edition": edition, "variant": variant, "player_count": players, "seed": 4}
    twin = {"bots": [BOTS[bot] for bot in bots], "edition": EDITIONS[edition]}
    states = [play(**{**request, **twin}, index=index)[0] for index in range(1)]
    assert np.array_equal(simulate(game="for-sale", **request, bots=bots, games=len(states)).counts, count(states))


@pytest.mark.long
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: "-".join(map(str, kind)))
def test_games_with_the_planner_agree_step_by_step_and_replay_in_the_rules(kind):
    edition, variant, players = kind
    bots = planner_at(players, KINDS.index(kind))
    request = {"variant": variant, "player_count": players, "seed": KINDS.index(kind)}
    for index in range(20):
        record = trace(game="for-sale", **request, edition=edition, bots=bots, game_index=index)
        state = replay(record, edition=EDITIONS[edition], variant=variant, player_count=players)
        if index == 0:
            twin = {"bots": [BOTS[bot] for bot in bots], "edition": EDITIONS[edition]}
            played, twin_record = play(**request, **twin, index=index)
            assert record == twin_record
            assert scores(state) == scores(played)


def test_the_planner_counts_the_same_however_the_games_are_cut():
    request = {"game": "for-sale", "player_count": 6, "bots": planner_at(6, 2), "seed": 5}
    whole = simulate(**request, games=25, threads=2)
    parts = [simulate(**request, first_game=first, games=number) for first, number in ((17, 8), (0, 4), (4, 13))]
    assert parts[0] + parts[1] + parts[2] == whole


def planner_wins(players, variant, other, deals):
    """The share of a fair share that the planner wins alone among `other`, and its standard error.

    Every deal is played once from each seat; a shared win counts its share; the error is over deals.
    """
    wins = np.zeros(deals)
    for seat in range(players):
        bots = [other] * players
        bots[seat] = "planner"
        for deal in range(deals):
            s = simulate(
                game="for-sale",
                variant=variant,
                player_count=players,
                bots=bots,
                games=1,
                first_game=deal,
                seed=99,
            )
            wins[deal] += s.win_credit("win", seat)
    return wins.mean(), wins.std(ddof=1) / sqrt(deals)


@pytest.mark.slow
@pytest.mark.parametrize("players", [3, 4, 5, 6])
@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize(("other", "least"), [("spread", 1.25), ("pacer", 1.25), ("counter", 1.15)])
def test_alone_among_others_the_planner_wins_clearly(players, variant, other, least):
    mean, error = planner_wins(players, variant, other, deals=60)
    assert mean - 1.96 * error > least


def test_the_planner_wins_among_card_counters():
    mean, error = planner_wins(5, BASE, "counter", deals=12)
    assert mean - 3 * error > 1.15


def around(view: View, **more: object) -> View:
    """The view of a seat at a table of five with even money, for the planner."""
    seats = [Seen(16, 0, True, hand, 0) for hand in (view.hand, *view.others)]
    seats += [Seen(16, 0, True, (), 0)] * (5 - len(seats))
    given = {"dealt": 30, "refunds": [(k + 1) // 2 for k in range(17)], "seats": seats, "misses": [[0] * 4] * 5}
    given["unseen_cheques"] = view.worth
    return replace(view, **{**given, **more})


def test_the_planner_passes_for_like_houses_and_bids_for_unlike_ones():
    bid = BOTS["planner"].bid
    assert bid(around(at_auction(26, 27, 28, 29, 30, highest=6)), Stream(1, 1)) == 0
    unlike = around(at_auction(1, 30, highest=2))
    two_left = [replace(seen, is_bidding=seat < 2) for seat, seen in enumerate(unlike.seats)]
    assert bid(replace(unlike, seats=two_left), Stream(1, 1)) == 3


def test_the_planner_never_bids_what_it_does_not_have():
    assert BOTS["planner"].bid(around(at_auction(1, 2, 3, 4, 30, highest=3, banknotes=3)), Stream(1, 1)) == 0


def test_the_planner_keeps_its_best_house_for_the_cheques_that_differ():
    def sells(now, later):
        view = at_sale(now, (17, 30), [(2, 20)], unseen=later)
        view = around(view, dealt=4, seats=around(view).seats[:2], misses=[[0] * 4] * 2, unseen_cheques=later)
        return BOTS["planner"].sell(view, Stream(1, 1))

    assert sells((14, 15), (0, 15)) == 17
    assert sells((0, 15), (14, 15)) == 30


FROZEN = "70b2b553d7075706"


def test_the_planner_is_the_one_that_was_measured():
    """Its figures in docs/bots.md are those of exactly this one: another checksum means measuring anew."""
    counted = hashlib.sha256()
    for variant in VARIANTS:
        s = simulate(game="for-sale", variant=variant, player_count=5, bots=planner_at(5, 0), games=30, seed=1)
        for counter in ("total", "taken", "fetched"):
            counted.update(s[counter].tobytes())
    assert counted.hexdigest()[:16] == FROZEN


WINS = """
from stats.simulation import simulate
s = simulate(game="for-sale", player_count=6, bots=["planner"] + ["counter"] * 5, games=20, seed=1)
print(s["total"].tolist())
"""


@pytest.mark.slow
def test_a_changed_thought_takes_effect_though_compiled_code_is_kept(tmp_path):
    copy_of_the_engine(tmp_path)
    known = run_copy(tmp_path, tmp_path / "cache", WINS)[0]
    compiled = sorted((tmp_path / "cache").rglob("*.nb?"))
    assert run_copy(tmp_path, tmp_path / "cache", WINS)[0] == known
    assert sorted((tmp_path / "cache").rglob("*.nb?")) == compiled
    edit(tmp_path / "stats" / "planner.py", "MOST_TRIES = 64", "MOST_TRIES = 16")
    assert run_copy(tmp_path, tmp_path / "cache", WINS)[0] != known


def test_every_edition_has_the_planner():
    for edition in EDITIONS:
        players = max(player_counts(EDITIONS[edition], BASE))
        bots = planner_at(players, 0)
        assert simulate(game="for-sale", edition=edition, player_count=players, bots=bots, games=2, seed=1).games == 2
