"""Simulations: requests, summaries that add up, results, and numbers that are known from elsewhere."""

import json
import os
import random
import subprocess
import sys
from itertools import pairwise
from math import sqrt
from pathlib import Path

import numpy as np
import pytest
from django.core.management import CommandError, call_command

from forsale_api.rules.for_sale import EDITIONS, VARIANTS, player_counts
from stats.bots import BOTS
from stats.simulation import ENGINE, RequestError, check_request, simulate
from stats.summary import COUNTS, Setting, Summary

ROOT = Path(__file__).parent.parent
REQUEST = {"game": "for-sale", "player_count": 3, "bots": ["coin-flip", "random", "to-six"], "games": 1000, "seed": 7}


def of(players, bot="coin-flip", *, games, edition="iello", variant="base", seed=11, opener=1, **more):
    """A batch with the same bot in every seat; seat 1 opens unless said otherwise."""
    return simulate(
        game="for-sale",
        edition=edition,
        variant=variant,
        player_count=players,
        bots=[bot] * players,
        games=games,
        seed=seed,
        opener=opener,
        threads=2,
        **more,
    )


# --- requests


@pytest.mark.parametrize(
    ("change", "place", "code", "says"),
    [
        ({"game": "lady-richmond"}, ("game",), "game-not-simulated", "for-sale"),
        ({"edition": "ielo"}, ("edition",), "unknown-edition", "iello, eagle"),
        ({"variant": "short"}, ("variant",), "unknown-variant", "base, not-enough-for-everyone"),
        ({"player_count": 7, "bots": ["random"] * 7}, ("player_count",), "players-not-offered", "3, 4, 5, 6"),
        (
            {"edition": "classic1997", "player_count": 6, "bots": ["random"] * 6},
            ("player_count",),
            "players-not-offered",
            "3, 4, 5",
        ),
        (
            {"edition": "classic1997", "variant": "not-enough-for-everyone"},
            ("player_count",),
            "players-not-offered",
            "4, 5",
        ),
        ({"bots": ["random"] * 2}, ("bots",), "wrong-number-of-bots", "3, not 2"),
        ({"bots": ["random", "random", "planer"]}, ("bots", 2), "unknown-bot", "random, coin-flip, to-six"),
        ({"games": 10**13}, ("games",), "games-out-of-range", "10000000000"),
        ({"games": 0}, ("games",), "games-out-of-range", "from 1"),
        ({"games": 2.5}, ("games",), "games-out-of-range", "whole number"),
        ({"seed": -1}, ("seed",), "seed-out-of-range", "from 0"),
        ({"opener": True}, ("opener",), "no-such-opener", "1 to 3"),
        ({"player_count": 3.0}, ("player_count",), "players-not-offered", "3, 4, 5, 6"),
        ({"bots": ["random", ["random"], "random"]}, ("bots", 1), "unknown-bot", "random"),
        ({"opener": 4}, ("opener",), "no-such-opener", "1 to 3"),
        ({"opener": "first"}, ("opener",), "no-such-opener", "random"),
    ],
)
def test_a_request_that_cannot_be_run_says_where_and_what_is_allowed(change, place, code, says):
    with pytest.raises(RequestError) as refused:
        check_request(**{**REQUEST, **change})
    assert (refused.value.place, refused.value.code) == (place, code)
    assert says in str(refused.value)
    with pytest.raises(RequestError):
        simulate(**{**REQUEST, **change})


@pytest.mark.parametrize("edition", EDITIONS)
@pytest.mark.parametrize("variant", VARIANTS)
def test_whatever_an_edition_offers_can_be_requested(edition, variant):
    for players in player_counts(EDITIONS[edition], variant):
        for opener in ("random", *range(1, players + 1)):
            check_request(
                game="for-sale",
                edition=edition,
                variant=variant,
                player_count=players,
                bots=["to-six"] * players,
                games=10**10,
                seed=2**63 - 1,
                opener=opener,
            )


# --- summaries


def test_any_split_into_chunks_in_any_order_and_any_threads_counts_the_same():
    seed = random.SystemRandom().randrange(10**6)
    print("seed", seed)
    whole = simulate(**{**REQUEST, "games": 120_000, "seed": seed})
    shuffler = random.Random(seed)
    cuts = [0, *sorted(shuffler.sample(range(1, 120_000), 9)), 120_000]
    ranges = list(pairwise(cuts))
    shuffler.shuffle(ranges)
    parts = [
        simulate(**{**REQUEST, "games": high - low, "seed": seed}, first_game=low, threads=1 + low % 2)
        for low, high in ranges
    ]
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    assert total == whole
    assert total.to_bytes() == whole.to_bytes()
    assert total.ranges == ((0, 120_000),)


def test_another_seed_gives_other_games():
    assert simulate(**REQUEST) != simulate(**{**REQUEST, "seed": 8})
    assert (simulate(**REQUEST)["total"] != simulate(**{**REQUEST, "seed": 8})["total"]).any()


def test_a_game_counted_twice_is_refused():
    first, second = simulate(**REQUEST), simulate(**REQUEST, first_game=999)
    with pytest.raises(ValueError, match="games 999 to 999 are counted twice"):
        first + second


def test_summaries_of_different_simulations_do_not_add_up():
    with pytest.raises(ValueError, match="different simulations"):
        simulate(**REQUEST) + simulate(**{**REQUEST, "seed": 8}, first_game=1000)


def test_editions_with_the_same_numbers_share_their_games_and_others_do_not():
    def key(edition):
        return Setting("for-sale", edition, "base", 3, ("random",) * 3, 1).key

    assert key("eagle") == key("uberplay-down") == key("bga-down")
    assert key("uberplay-up") == key("bga-up")
    assert len({key("iello"), key("eagle"), key("bga-up"), key("classic1997")}) == 4


def test_a_stored_summary_comes_back_whole_and_small():
    summary = simulate(**REQUEST) + simulate(**REQUEST, first_game=5000)
    stored = summary.to_bytes()
    assert Summary.from_bytes(stored) == summary
    assert Summary.from_bytes(memoryview(stored)).as_dict() == summary.as_dict()
    assert len(stored) < 10_000


@pytest.mark.parametrize("spoil", [lambda b: b"", lambda b: b[:-5], lambda b: b.replace(ENGINE.encode(), b"0.9.0")])
def test_a_stored_summary_that_is_not_ours_is_refused(spoil):
    with pytest.raises(ValueError, match="summary"):
        Summary.from_bytes(spoil(simulate(**REQUEST).to_bytes()))


def test_a_summary_does_not_grow_with_the_number_of_games():
    few, many = simulate(**REQUEST), simulate(**{**REQUEST, "games": 100_000})
    assert few.counts.nbytes == many.counts.nbytes < 100_000


# --- results


def test_the_results_have_the_form_of_the_contract():
    results = json.loads(json.dumps(simulate(**REQUEST).as_dict({**REQUEST, "opener": "random"})))
    made, counted = ["engine", "edition_hash", "bot_hashes"], ["overall", "seats", "positions", "decided_by", "ties"]
    assert list(results) == ["request", *made, "games", "complete", *counted, "houses"]
    assert results["request"]["bots"] == ["coin-flip", "random", "to-six"]
    assert (results["engine"], results["games"], results["complete"]) == (ENGINE, 1000, True)
    assert set(results["overall"]) == {"total", "winning_total", "margin", "banknotes"}
    assert [seat["seat"] for seat in results["seats"]] == [1, 2, 3]
    assert [seat["bot"] for seat in results["seats"]] == ["coin-flip", "random", "to-six"]
    assert all(set(seat) == {"seat", "bot", "total", "banknotes", "win_share", "ranks"} for seat in results["seats"])
    assert [place["position"] for place in results["positions"]] == [1, 2, 3]
    assert set(results["decided_by"]) == {"total", "banknotes", "shared"}
    assert [house["house"] for house in results["houses"]] == list(range(1, 31))
    assert all(set(house) == {"house", "price", "cheque"} for house in results["houses"])
    assert set(results["houses"][0]["price"]) == {"n", "mean", "se"}
    for d in results["overall"].values():
        assert set(d) == {"n", "mean", "se", "sd", "median", "median_interval", "quantiles", "histogram"}


def test_every_game_is_counted_once_in_each_figure():
    results = simulate(**REQUEST).as_dict()
    assert results["overall"]["total"]["n"] == results["overall"]["banknotes"]["n"] == 3000
    assert results["overall"]["winning_total"]["n"] == results["overall"]["margin"]["n"] == 1000
    assert sum(results["decided_by"].values()) == 1000
    assert all(sum(seat["ranks"]) == seat["total"]["n"] == 1000 for seat in results["seats"])
    for shares in (results["seats"], results["positions"]):
        assert sum(entry["win_share"]["value"] for entry in shares) == pytest.approx(1)
    assert all(house["price"]["n"] == house["cheque"]["n"] == 1000 for house in results["houses"])


def test_the_ties_say_who_gains_by_the_tie_break():
    results = of(3, games=100_000, edition="eagle").as_dict()
    ties, decided = results["ties"], results["decided_by"]
    assert ties["games"] == decided["banknotes"] + decided["shared"] > 3000
    for rows in (ties["positions"], ties["seats"]):
        assert len(rows) == 3
        won = sum(row["win_share"]["value"] * row["gain"]["n"] for row in rows)
        even = sum(row["even_share"] * row["gain"]["n"] for row in rows)
        assert won == pytest.approx(ties["games"])
        assert even == pytest.approx(ties["games"])
        for row in rows:
            assert row["level"]["value"] == row["gain"]["n"] / 100_000
            assert row["gain"]["mean"] == pytest.approx(row["win_share"]["value"] - row["even_share"])
    # nobody is favoured by the seat where the opener is drawn
    assert all(abs(row["gain"]["mean"]) < 4 * row["gain"]["se"] for row in ties["seats"])


def test_the_gain_of_a_tie_is_as_worked_out_by_hand():
    counts = np.zeros(1, COUNTS)
    counts["games"], counts["decided_by"] = 10, [[6, 3, 1]]
    counts["position_tie"][0, 0, 1, :3] = [1, 2, 1]  # one of two: loses once, wins alone twice, shares once
    row = Summary(Setting("for-sale", "iello", "base", 3, ("random",) * 3, 1), (), counts).ties("position_tie", 0)
    assert (row["level"]["value"], row["win_share"]["value"], row["even_share"]) == (0.4, 0.625, 0.5)
    assert row["gain"]["mean"] == pytest.approx(0.125)
    assert row["gain"]["se"] == pytest.approx(sqrt((0.625**2 + 2 * 0.375**2 + 0.125**2) / 3 / 4))


def test_a_result_is_complete_only_when_all_games_asked_for_are_in():
    part = simulate(**REQUEST)
    assert part.as_dict({**REQUEST, "games": 2000})["complete"] is False
    assert (part + simulate(**REQUEST, first_game=1000)).as_dict({**REQUEST, "games": 2000})["complete"] is True


def test_before_the_first_game_the_results_are_empty_but_whole():
    setting = Setting("for-sale", "iello", "base", 3, ("coin-flip", "random", "to-six"), 7)
    nothing = Summary(setting, (), np.zeros(1, COUNTS))
    results = nothing.as_dict(REQUEST)
    assert (results["games"], results["complete"]) == (0, False)
    assert results["overall"]["total"]["mean"] is None
    assert results["seats"][0]["win_share"]["value"] is None
    assert results["houses"][0]["price"] == {"n": 0, "mean": None, "se": None}
    assert results["ties"]["positions"][0]["gain"] == {"n": 0, "mean": None, "se": None}
    assert nothing + simulate(**REQUEST) == simulate(**REQUEST)


def test_one_game_has_figures_but_no_standard_errors():
    results = of(4, games=1).as_dict()
    assert results["overall"]["total"]["se"] is None
    assert results["overall"]["winning_total"]["sd"] is None
    assert results["overall"]["total"]["n"] == 4


def test_the_overall_standard_error_is_over_games_and_holds_across_batches():
    """The spread of the means of 100 batches is what one batch's standard error promises."""
    batches = [of(5, games=400, first_game=400 * k).as_dict()["overall"]["total"] for k in range(100)]
    means = [batch["mean"] for batch in batches]
    spread = sqrt(sum((mean - sum(means) / 100) ** 2 for mean in means) / 99)
    promised = sqrt(sum(batch["se"] ** 2 for batch in batches) / 100)
    assert 0.7 < spread / promised < 1.4
    naive = batches[0]["sd"] / sqrt(2000)  # seats taken for independent: several times too wide here
    assert naive > 1.5 * promised


def test_the_command_prints_the_same_results_without_database_or_secret():
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith(("DJANGO", "DATABASE", "PYTEST"))
    }
    command = [sys.executable, "manage.py", "simulate", "--players", "3", "--bots", "coin-flip,random,to-six"]
    ran = subprocess.run(
        [*command, "--games", "1e3", "--seed", "7", "--json"],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    expected = {"edition": "iello", "variant": "base", "opener": "random", **REQUEST}
    assert json.loads(ran.stdout) == json.loads(json.dumps(simulate(**REQUEST).as_dict(expected)))
    assert "100 %" in ran.stderr


def test_the_command_says_what_is_wrong_and_exits_with_2():
    ran = subprocess.run(
        [sys.executable, "manage.py", "simulate", "--players", "3", "--bots", "planer"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 2
    assert "--bots: There is no bot “planer”, only random, coin-flip, to-six, spread" in ran.stderr
    assert "Traceback" not in ran.stderr


@pytest.mark.parametrize(
    ("options", "refusal"),
    [
        ("--players 3 --bots planer", "--bots: There is no bot “planer”, only random, coin-flip, to-six, spread"),
        ("--players 3 --bots random,random", "--bots: There must be one bot per seat: 3, not 2."),
        ("--players 7 --bots random", "--players: This edition and variant are not for 7 players, but for 3, 4, 5, 6."),
        ("--players 5 --bots random --games 1e13", "--games: games must be a whole number from 1 to 10000000000, not"),
        ("--players 6 --bots random --edition classic1997", "are not for 6 players, but for 3, 4, 5."),
        ("--players 3 --bots random --edition home", "--edition: There is no edition “home”, only iello, eagle"),
        ("--players 3 --bots random --variant wild", "--variant: There is no variant “wild”, only base, not-enough"),
        ("--players 3 --bots random --opener 4", "--opener: The opener is “random” or a seat from 1 to 3, not “4”."),
    ],
)
@pytest.mark.parametrize("more", ["", " --record 1"])
def test_the_command_refuses_what_the_api_refuses_naming_what_is_allowed(options, refusal, more):
    with pytest.raises(CommandError) as refused:
        call_command("simulate", *(options + more).split())
    assert refusal in str(refused.value)
    assert refused.value.returncode == 2


# --- numbers known from exact combinatorics and from independent engines


def within(mean, se, known, known_se):
    """Whether two means agree within 4 combined standard errors."""
    return abs(mean - known) <= 4 * sqrt(se**2 + known_se**2)


@pytest.mark.parametrize(
    ("edition", "variant", "players", "total", "winning", "banknotes"),
    [
        ("eagle", "base", 3, 71.020, 80.091, 7.553),
        ("eagle", "base", 5, 52.336, 62.617, 4.736),
        ("bga-up", "base", 3, 71.715, 80.866, None),
        ("bga-up", "base", 5, 52.947, 63.451, None),
        ("iello", "base", 3, 94.356, 104.606, None),
        ("iello", "base", 5, 54.322, 64.759, None),
        ("iello", "not-enough-for-everyone", 3, 68.392, 80.532, None),
        ("iello", "not-enough-for-everyone", 5, 48.546, 62.143, None),
    ],
)
def test_coin_flip_gives_the_known_means(edition, variant, players, total, winning, banknotes):
    overall = of(players, games=300_000, edition=edition, variant=variant).as_dict()["overall"]
    for name, known in (("total", total), ("winning_total", winning), ("banknotes", banknotes)):
        if known is not None:
            assert within(overall[name]["mean"], overall[name]["se"], known, 0.003), (name, overall[name]["mean"])


def coin_flip_game(rng, players, money, dealt, size, deck, up):
    """The rules once more with a coin for a bot, from nothing but cards, money and turns: totals and banknotes left."""
    houses, cheques = rng.sample(range(1, 31), dealt), rng.sample(deck, dealt)
    notes, hands, totals = [money] * players, [[] for _ in range(players)], [0] * players
    turn = 0
    while houses:
        table, houses = sorted(houses[:size]), houses[size:]
        prizes = [None] * (players - len(table)) + table
        stakes, inside, high = [0] * players, set(range(players)), 0
        while len(inside) > 1:
            if notes[turn] > high and rng.random() < 0.5:
                high = stakes[turn] = min(notes[turn], high + rng.choice((1, 2)))
            else:
                inside.remove(turn)
                house = prizes.pop(0)
                if house:
                    notes[turn] -= stakes[turn] // 2 if up else (stakes[turn] + 1) // 2
                    hands[turn].append(house)
            turn = next(seat % players for seat in range(turn + 1, turn + 99) if seat % players in inside)
        notes[turn] -= stakes[turn]
        hands[turn].append(prizes.pop())
    while any(hands):
        holders = [seat for seat in range(players) if hands[seat]]
        if len(holders) == 1:
            totals[holders[0]] += sum(cheques)
            break
        shown, cheques = sorted(cheques[: len(holders)]), cheques[len(holders) :]
        offers = sorted((hands[seat].pop(rng.randrange(len(hands[seat]))), seat) for seat in holders)
        for cheque, (_house, seat) in zip(shown, offers, strict=True):
            totals[seat] += cheque
    return [total + left for total, left in zip(totals, notes, strict=True)], notes


@pytest.mark.parametrize(
    ("edition", "variant", "players", "money", "dealt", "size"),
    [
        ("iello", "base", 4, 21, 28, 4),
        ("iello", "base", 6, 14, 30, 6),
        ("iello", "not-enough-for-everyone", 4, 21, 30, 3),
        ("iello", "not-enough-for-everyone", 6, 14, 30, 5),
        ("eagle", "base", 4, 18, 28, 4),
        ("eagle", "base", 6, 14, 30, 6),
    ],
)
def test_coin_flip_with_four_and_six_players_is_as_an_engine_of_few_lines_has_it(
    edition, variant, players, money, dealt, size
):
    rng = random.Random(f"{edition} {variant} {players}")
    deck = [0, 0, *range(2, 16), *range(2, 16)]
    games = [coin_flip_game(rng, players, money, dealt, size, deck, edition == "iello") for _ in range(3000)]
    summary = of(players, games=200_000, edition=edition, variant=variant)
    overall = summary.as_dict()["overall"]
    for name, of_game in (
        ("total", lambda totals, notes: sum(totals) / players),
        ("winning_total", lambda totals, notes: max(totals)),
        ("banknotes", lambda totals, notes: sum(notes) / players),
    ):
        values = np.array([of_game(*game) for game in games])
        se = values.std(ddof=1) / sqrt(len(values))
        assert within(overall[name]["mean"], overall[name]["se"], values.mean(), se), name
    credit = np.array([credits_of(*game) for game in games])
    for position in range(players):
        share, known = summary.win_credit("position_win", position) / summary.games, credit[:, position]
        assert within(share, sqrt(share * (1 - share) / summary.games), known.mean(), known.std() / sqrt(len(known)))


def credits_of(totals, notes):
    """Each seat's part of the win: most in all, then most banknotes, then shared."""
    places = list(zip(totals, notes, strict=True))
    winners = places.count(max(places))
    return [(place == max(places)) / winners for place in places]


@pytest.mark.parametrize(
    ("players", "tied", "still_tied", "positions"),
    [
        (3, 3.896, 0.276, (30.03, 33.51, 36.45)),
        (5, 6.491, 0.576, (16.61, 18.26, 19.93, 21.72, 23.48)),
    ],
)
def test_coin_flip_gives_the_known_ties_and_position_advantage(players, tied, still_tied, positions):
    games = 300_000
    summary = of(players, games=games, edition="eagle")
    decided = summary.as_dict()["decided_by"]
    for count, known in ((decided["banknotes"] + decided["shared"], tied), (decided["shared"], still_tied)):
        share = count / games
        assert within(100 * share, 100 * sqrt(share * (1 - share) / games), known, 0.005)
    for position, known in enumerate(positions):
        share = summary.win_credit("position_win", position) / games
        assert within(100 * share, 100 * sqrt(share * (1 - share) / games), known, 0.011)


@pytest.mark.parametrize(
    ("edition", "players", "left"),
    [
        ("eagle", 3, (0, 0, 0)),
        ("eagle", 5, (1, 1, 1, 1, 1)),
        ("iello", 3, (0, 0, 1)),
        ("iello", 5, (2, 2, 1, 6, 1)),
        # not known from elsewhere: worked out beside the simulator, with money and turns alone
        ("eagle", 4, None),
        ("eagle", 6, None),
        ("iello", 4, None),
        ("iello", 6, None),
    ],
)
def test_to_six_leaves_the_same_banknotes_in_every_game(edition, players, left):
    summary = of(players, "to-six", games=2000, edition=edition)
    found = [summary.histogram("banknotes", seat) for seat in range(players)]
    if left is None:
        left = to_six_without_cards(EDITIONS[edition], players)
    assert found == [{banknotes: 2000} for banknotes in left]


def to_six_without_cards(edition, players):
    """Only money and turns matter to this bot: the auctions without any cards."""
    money, opener = [edition.money[players]] * players, 0
    for _round in range((edition.houses - edition.aside[players]) // players):
        stakes, bidding, seat, price = [0] * players, list(range(players)), opener, 0
        while len(bidding) > 1:
            if price < 6 and price < money[seat]:
                price += 1
                stakes[seat] = price
            else:
                bidding.remove(seat)
                half = stakes[seat] // 2 if edition.refund_rounds_up else -(-stakes[seat] // 2)
                money[seat] -= half
            seat = next(s % players for s in range(seat + 1, seat + 1 + players) if s % players in bidding)
        money[seat] -= stakes[seat]
        opener = seat
    return money


@pytest.mark.parametrize(("players", "mean"), [(3, 63.4667), (4, 7 * 238 / 30), (5, 47.6), (6, 5 * 238 / 30)])
def test_the_mean_cheque_total_of_a_player_is_the_known_one(players, mean):
    results = of(players, games=300_000, edition="eagle").as_dict()["overall"]
    found = results["total"]["mean"] - results["banknotes"]["mean"]
    assert within(found, results["total"]["se"] + results["banknotes"]["se"], mean, 0.00003)


@pytest.mark.parametrize("bot", BOTS)
def test_the_mean_total_is_the_mean_cheques_plus_the_mean_banknotes_left(bot):
    """Whatever the bots do. Exact: with five players of the default edition every cheque is dealt, 238 in all."""
    games = 10 if bot == "planner" else 20_000
    summary = of(5, bot, games=games)
    results = summary.as_dict()["overall"]
    assert summary.histogram("game_cheques") == {238: games}
    assert results["total"]["mean"] == pytest.approx(238 / 5 + results["banknotes"]["mean"], abs=1e-9)
