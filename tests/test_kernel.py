"""The kernel against the readable rules: the same games, step by step and counter by counter."""

import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from math import comb, sqrt
from operator import mul
from pathlib import Path

import numpy as np
import pytest
from numba import njit

from benchmarks.kernel.benchmark import build_c
from forsale_api.rules import game
from forsale_api.rules.for_sale import (
    BASE,
    EDITIONS,
    NOT_ENOUGH,
    VARIANTS,
    cards_dealt,
    player_counts,
    replay,
    round_sizes,
    scores,
)
from forsale_api.rules.scoring import rank
from stats import kernel, simulation
from stats.bots import BOTS, Stream, play
from stats.services import reference_edition
from stats.simulation import simulate, trace
from stats.summary import COUNTS, LAST, SEATS, Setting

ROOT = Path(__file__).parent.parent
KINDS = [
    (edition, variant, players)
    for edition in EDITIONS
    for variant in VARIANTS
    for players in player_counts(EDITIONS[edition], variant)
]
SLUGS = [bot for bot in BOTS if bot != "planner"]  # which has a file of its own


def line_up(players, turn):
    """All bots at one table, turned by one seat from kind to kind."""
    return [SLUGS[(seat + turn) % len(SLUGS)] for seat in range(players)]


def count(states):
    """What the kernel's counters should be after these games, from the rules' final states."""
    counts = np.zeros(1, COUNTS)
    c = counts[0]
    for state in states:
        totals, notes = scores(state), [hand.banknotes for hand in state.hands]
        cheques = [total - left for total, left in zip(totals, notes, strict=True)]
        ranking = rank(totals, notes, "banknotes")
        best = sorted(totals, reverse=True)
        c["games"] += 1
        c["winning_total"][best[0]] += 1
        c["margin"][best[0] - best[1]] += 1
        c["decided_by"][("total", "banknotes", "shared").index(ranking.decided_by)] += 1
        c["game_total"][sum(totals)] += 1
        c["game_banknotes"][sum(notes)] += 1
        c["game_cheques"][sum(cheques)] += 1
        for seat in range(state.players):
            c["total"][seat, totals[seat]] += 1
            c["banknotes"][seat, notes[seat]] += 1
            c["rank"][seat, ranking.ranks[seat] - 1] += 1
            c["seat_cheques"][cheques[seat]] += 1
            c["seat_houses"][sum(owner == seat + 1 for owner in state.owners.values())] += 1
        for seat in ranking.winners:
            c["win"][seat - 1, len(ranking.winners) - 1] += 1
            c["position_win"][(seat - state.first_seat) % state.players, len(ranking.winners) - 1] += 1
        level = [seat for seat in range(1, state.players + 1) if totals[seat - 1] == best[0]]
        for seat in level if len(level) > 1 else []:
            share = len(ranking.winners) if seat in ranking.winners else 0
            c["tie"][seat - 1, len(level) - 1, share] += 1
            c["position_tie"][(seat - state.first_seat) % state.players, len(level) - 1, share] += 1
        count_cards(state, c)
    return counts


def count_cards(state, c):
    for number, size in enumerate(state.sizes):
        bought = [purchase for purchase in state.purchases if purchase.round == number]
        houses = [purchase.house for purchase in bought if purchase.house is not None]
        assert len(houses) == size
        c["spread"][max(houses) - min(houses), bought[-1].paid] += 1
        for purchase in bought:
            if purchase.house is None:
                c["empty"][purchase.stake] += 1
            else:
                c["taken"][purchase.house - 1, purchase.stake + LAST * (purchase is bought[-1])] += 1
    sold = {sale.house: sale.cheque for sale in state.sales}
    kept = sorted(set(state.owners) - set(sold))
    c["scoop"][len(kept)] += 1
    if kept:  # a scoop: its houses count as sold in order of size
        hand = state.seat(state.owners[kept[0]])
        sold |= zip(kept, sorted(hand.cheques[-len(kept) :]), strict=True)
    for house, cheque in sold.items():
        c["fetched"][house - 1, cheque] += 1


# from the table of invariants: the cheques of any so many players of the variant together
IELLO_TOGETHER = {
    3: {2: (28, 210)},
    4: {2: (28, 210), 3: (108, 238)},
    5: {2: (10, 168), 3: (47, 215), 4: (108, 236)},
    6: {2: (10, 150), 3: (40, 198), 4: (88, 228), 5: (154, 238)},
}


def check_limits(kind, state):
    """What no counter shows: the cheques of several players together, and how many may have no banknotes left."""
    slug, variant, players = kind
    edition, rounds = EDITIONS[slug], len(state.sizes)
    cheques = sorted(sum(hand.cheques) for hand in state.hands)
    limits = IELLO_TOGETHER[players] if variant == NOT_ENOUGH and slug == "iello" else {}
    if variant == BASE:
        limits = {number: lowest_and_highest_hand(edition, number * rounds) for number in range(1, players)}
    for number, (low, high) in limits.items():
        assert low <= sum(cheques[:number])
        assert sum(cheques[-number:]) <= high
    if edition.refund_rounds_up:
        assert sum(hand.banknotes == 0 for hand in state.hands) <= rounds


def check_kind(kind, games, seed):
    """`games` games of a kind: kernel, twin and rules must agree on every step and every counter."""
    edition, variant, players = kind
    bots = line_up(players, seed)
    request = {"edition": edition, "variant": variant, "player_count": players, "bots": bots, "seed": seed}
    states = []
    for index in range(games):
        record = trace(game="for-sale", **request, game_index=index)
        states.append(replay(record, edition=EDITIONS[edition], variant=variant, player_count=players))
        twin = [BOTS[bot] for bot in bots]
        played, twin_record = play(
            edition=EDITIONS[edition], variant=variant, player_count=players, bots=twin, seed=seed, index=index
        )
        assert record == twin_record
        assert scores(states[-1]) == scores(played)
        check_limits(kind, played)
    counted, expected = simulate(game="for-sale", **request, games=games).counts, count(states)
    for name in COUNTS.names:
        assert np.array_equal(counted[name], expected[name]), (kind, name)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: "-".join(map(str, kind)))
def test_kernel_twin_and_rules_agree_step_by_step_and_count_by_count(kind):
    check_kind(kind, 12, seed=KINDS.index(kind))


@pytest.mark.slow
def test_twenty_thousand_games_of_all_kinds_agree():
    for kind in KINDS:
        check_kind(kind, -(-20_000 // len(KINDS)), seed=1000 + KINDS.index(kind))


@pytest.mark.long  # editions that differ in name alone play the same games: once is enough
@pytest.mark.parametrize("kind", [kind for kind in KINDS if reference_edition(kind[0]) == kind[0]], ids=str)
def test_twenty_thousand_games_of_each_kind_agree(kind):
    check_kind(kind, 20_000, seed=2000 + KINDS.index(kind))


@pytest.fixture(scope="module")
def games_in_c(tmp_path_factory):
    """`block` of benchmarks/kernel/games.c, the kernel written once more by hand; needs gcc."""
    return build_c(tmp_path_factory.mktemp("c"))


@pytest.mark.slow
def test_the_kernel_and_the_same_in_c_count_the_same(games_in_c):
    for kind in KINDS:
        edition, variant, players = kind
        for turn in (0, 3):
            bots = tuple(line_up(players, turn))
            setting = Setting("for-sale", edition, variant, players, bots, seed=KINDS.index(kind))
            counts = np.zeros(1, COUNTS)
            games_in_c(simulation.game_record(kernel, setting), counts, setting.seed, 0, 5_000)
            request = {"game": "for-sale", "edition": edition, "variant": variant, "player_count": players}
            s = simulate(**request, bots=bots, seed=setting.seed, games=5_000)
            for name in COUNTS.names:
                assert np.array_equal(s.counts[name], counts[name]), (kind, bots, name)


@pytest.mark.parametrize("bot", SLUGS)
def test_a_table_of_one_bot_agrees_too(bot):
    for players in (3, 5):
        states = [
            play(
                edition=EDITIONS["iello"],
                variant=NOT_ENOUGH,
                player_count=players,
                bots=[BOTS[bot]] * players,
                seed=3,
                index=index,
                opener=2,
            )[0]
            for index in range(30)
        ]
        summary = simulate(
            game="for-sale",
            variant=NOT_ENOUGH,
            player_count=players,
            bots=[bot] * players,
            games=30,
            seed=3,
            opener=2,
        )
        assert np.array_equal(summary.counts, count(states))


@pytest.mark.slow
def test_a_frozen_build_counts_the_same():
    setting = Setting("for-sale", "iello", BASE, 5, ("coin-flip",) * 5, 9)
    frozen = kernel.build(players=5)
    results = []
    for module in (kernel, frozen):
        counts = np.zeros(1, COUNTS)
        module.block(simulation.game_record(module, setting), counts, np.uint64(9), 0, 20_000)
        results.append(counts)
    assert np.array_equal(*results)


def test_threads_that_ask_for_a_build_at_once_all_get_the_whole_of_it():
    with ThreadPoolExecutor(4) as pool:
        builds = list(pool.map(lambda _thread: kernel.build(players=5, imagined=True).build_for, range(4)))
    assert len(set(builds)) == 1


def test_the_score_of_a_traced_game_finds_nothing_impossible():
    for kind in KINDS[::4]:
        edition, variant, players = kind
        record = trace(
            game="for-sale",
            edition=edition,
            variant=variant,
            player_count=players,
            bots=line_up(players, 1),
            seed=5,
            game_index=10**9,
        )
        score = game("for-sale").score(edition=edition, variant=variant, seats=(), record=record)
        assert score.level == "record"
        assert score.first_seat == record["first_seat"]
        assert not [finding for finding in score.findings if finding.severity == "impossible"]


# --- what every game must satisfy, seen in the counters (rules of the box: 238 in cheques, and so on)


def lowest_and_highest_hand(edition, cards):
    cheques = edition.cheques
    return sum(cheques[:cards]), sum(cheques[len(cheques) - cards :])


def possible_totals(edition, aside):
    """Every sum of all cheques dealt that setting `aside` of them apart can leave."""
    reachable = {(0, 0)}
    for cheque in edition.cheques:
        reachable |= {(number + 1, value + cheque) for number, value in reachable if number < aside}
    return {sum(edition.cheques) - value for number, value in reachable if number == aside}


# from the table of invariants: houses a player may buy, cheques of a scoop, marks without a house
IELLO_VARIANT = {3: ((0, 10), (0, 5), 10), 4: ((0, 10), (0, 3), 10), 5: ((0, 7), (0, 2), 8), 6: ((0, 6), (0, 1), 6)}
IELLO_TOTALS = {
    (BASE, 3): (238, 238),
    (BASE, 4): (208, 238),
    (BASE, 5): (238, 238),
    (BASE, 6): (238, 238),
    (NOT_ENOUGH, 3): (108, 210),
    (NOT_ENOUGH, 4): (238, 238),
    (NOT_ENOUGH, 5): (194, 236),
    (NOT_ENOUGH, 6): (238, 238),
}
IELLO_FORTUNES = {
    (BASE, 3): (28, 158),
    (BASE, 4): (14, 117),
    (BASE, 5): (10, 100),
    (BASE, 6): (7, 85),
    (NOT_ENOUGH, 3): (0, 158),
    (NOT_ENOUGH, 4): (0, 151),
    (NOT_ENOUGH, 5): (0, 112),
    (NOT_ENOUGH, 6): (0, 98),
}


IELLO_ADDED = {  # all fortunes of a game
    (BASE, 3): (238, 322),
    (BASE, 4): (208, 322),
    (BASE, 5): (238, 318),
    (BASE, 6): (239, 322),
    (NOT_ENOUGH, 3): (108, 294),
    (NOT_ENOUGH, 4): (238, 322),
    (NOT_ENOUGH, 5): (194, 316),
    (NOT_ENOUGH, 6): (238, 322),
}


def check_invariants(kind, games, bots):
    slug, variant, players = kind
    edition, sizes = EDITIONS[slug], round_sizes(EDITIONS[slug], variant, players)
    dealt, money = cards_dealt(edition, variant, players), edition.money[players]
    s = simulate(
        game="for-sale",
        edition=slug,
        variant=variant,
        player_count=players,
        bots=bots,
        games=games,
        seed=2,
        threads=2,
    )
    # houses: each in play is bought once and sold once
    assert s["taken"].sum() == s["fetched"].sum() == dealt * games
    assert np.array_equal(s["taken"].sum(axis=1), s["fetched"].sum(axis=1))
    assert s["fetched"].sum(axis=1).max() <= games
    assert s["spread"].sum() == len(sizes) * games
    assert s["empty"].sum() == sum(players - size for size in sizes) * games
    # money: what was dealt is either paid for a house or left
    prices = [s.prices(house) for house in range(1, edition.houses + 1)]
    paid = sum(price * count for house in prices for price, count in house.items())
    left = sum(value * count for value, count in s.histogram("game_banknotes").items())
    assert paid + left == players * money * games
    assert max(s.histogram("banknotes")) <= money
    if variant == BASE and len(sizes) < players and edition.refund_rounds_up:
        assert min(s.histogram("game_banknotes")) >= 1
    # cheques
    assert set(s.histogram("game_cheques")) <= possible_totals(edition, edition.houses - dealt)
    low, high = lowest_and_highest_hand(edition, len(sizes))
    assert max(s.histogram("seat_cheques")) <= high
    assert min(s.histogram("seat_cheques")) >= (low if variant == BASE else 0)
    assert 1 not in s.histogram("seat_cheques")
    if variant == BASE:
        assert s.histogram("seat_houses") == {len(sizes): players * games}
        assert s.histogram("scoop") == {0: games}
    else:
        assert s.histogram("seat_houses").get(0, 0) <= games
    # places
    assert s["rank"].sum() == players * games
    assert s["rank"][:, 0].sum() == s["win"].sum() == s["position_win"].sum()
    assert sum(s.win_credit("win", seat) for seat in range(players)) == pytest.approx(games)
    assert s["decided_by"].sum() == games
    assert s["decided_by"][2] == sum(s["win"][:, k].sum() // (k + 1) for k in range(1, SEATS))
    assert s["margin"][0] == s["decided_by"][1:].sum()
    # ties: each of k level counts once, and those who win are those who win at all after a tie
    for tie, win in ((s["tie"], s["win"]), (s["position_tie"], s["position_win"])):
        level = tie.sum(axis=(0, 2))
        assert level[0] == 0
        assert sum(level[k - 1] // k for k in range(2, players + 1)) == s["decided_by"][1:].sum()
        assert not (level % np.arange(1, SEATS + 1)).any()
        assert tie[:, :, 1].sum() == s["decided_by"][1]
        assert np.array_equal(tie.sum(axis=1)[:, 2:], win[:, 1:])
        assert (tie.sum(axis=1)[:, 1] <= win[:, 0]).all()
        assert not any(tie[:, k - 1, k + 1 :].any() for k in range(1, SEATS + 1))
    return s


def check_iello_table(kind, s):
    _edition, variant, players = kind
    for name, table in (("game_cheques", IELLO_TOTALS), ("total", IELLO_FORTUNES), ("game_total", IELLO_ADDED)):
        low, high = table[variant, players]
        assert low <= min(s.histogram(name))
        assert max(s.histogram(name)) <= high
    if variant == NOT_ENOUGH:
        houses, scoop, empty = IELLO_VARIANT[players]
        for name, bounds in (("seat_houses", houses), ("scoop", scoop)):
            assert bounds[0] <= min(s.histogram(name))
            assert max(s.histogram(name)) <= bounds[1]
        assert s["empty"].sum() == empty * s.games


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: "-".join(map(str, kind)))
def test_the_invariants_hold_in_the_counters(kind):
    s = check_invariants(kind, 20_000, line_up(kind[2], 2))
    if kind[0] == "iello":
        check_iello_table(kind, s)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: "-".join(map(str, kind)))
def test_the_invariants_hold_in_a_million_games_of_every_kind(kind):
    for turn in (0, 3):  # of the six bots, each sits at one of the two tables at least
        s = check_invariants(kind, 500_000, line_up(kind[2], turn))
        if kind[0] == "iello":
            check_iello_table(kind, s)


IELLO_KINDS = [kind for kind in KINDS if kind[0] == "iello"]


@pytest.mark.slow
@pytest.mark.parametrize("kind", IELLO_KINDS, ids=lambda kind: "-".join(map(str, kind)))
def test_the_invariants_hold_in_games_with_the_planner(kind):
    bots = ["planner", *line_up(kind[2] - 1, 3)]
    check_iello_table(kind, check_invariants(kind, 300, bots))


@pytest.mark.long
@pytest.mark.parametrize("kind", IELLO_KINDS, ids=lambda kind: "-".join(map(str, kind)))
def test_the_invariants_hold_in_a_hundred_million_games_of_the_iello_kinds(kind):
    check_iello_table(kind, check_invariants(kind, 100_000_000, line_up(kind[2], 0)))


# --- mistakes that other simulators make


def test_the_card_piles_lose_random_cards_not_low_ones():
    s = simulate(game="for-sale", edition="eagle", player_count=3, bots=["random"] * 3, games=30_000, seed=4)
    share = 24 / 30
    for house in range(30):
        assert abs(s["taken"][house].sum() - 30_000 * share) < 5 * sqrt(30_000 * share * (1 - share))


def test_an_odd_stake_is_halved_as_the_edition_says_and_never_to_the_even_number():
    up, down = (Setting("for-sale", slug, BASE, 3, ("random",) * 3, 1).refunds() for slug in ("iello", "eagle"))
    assert [up[stake] for stake in (1, 2, 3, 4, 5, 7)] == [1, 1, 2, 2, 3, 4]
    assert [down[stake] for stake in (1, 2, 3, 4, 5, 7)] == [0, 1, 1, 2, 2, 3]


def test_no_seat_is_favoured_when_the_opener_is_drawn_and_ties_are_shared():
    games = 200_000
    s = simulate(game="for-sale", player_count=3, bots=["random"] * 3, games=games, seed=6, threads=2)
    for seat in range(3):
        assert abs(s.win_credit("win", seat) / games - 1 / 3) < 4 * sqrt(2 / 9 / games)
    shared = s["win"][:3, 1]
    assert shared.min() > 0.8 * shared.max() > 0


def test_the_opener_is_the_taker_of_the_last_highest_house_and_changes():
    record = trace(game="for-sale", player_count=4, bots=["random"] * 4, seed=1, game_index=3)
    openers = [auction["actions"][0]["seat"] for auction in record["auctions"]]
    takers = []
    for auction in record["auctions"]:
        passed = {action["seat"] for action in auction["actions"] if "pass" in action}
        takers += {1, 2, 3, 4} - passed
    assert openers[1:] == takers[:-1]
    assert len(set(openers)) > 1


# --- the deal


@njit
def deals(games, number, places, pairs, hands):
    """Deal `number` times; count cards by place, first house by first cheque, and the first cheques' sums."""
    g = games[0]
    for index in range(number):
        kernel.begin_stream(g, np.uint64(1), index)
        kernel.deal(g)
        for place in range(g.deck):
            places[0, place, g.house_pile[place]] += 1
            places[1, place, g.cheque_pile[place]] += 1
        pairs[g.house_pile[0], g.cheque_pile[0]] += 1
        total = 0
        for place in range(8):
            total += g.worth[g.cheque_pile[place]]
        hands[total] += 1


def chi_square(counts):
    expected = counts.sum() / counts.size
    return ((counts - expected) ** 2 / expected).sum()


def test_the_deal_is_uniform():
    table = simulation.game_record(kernel, Setting("for-sale", "eagle", BASE, 3, ("random",) * 3, 1))
    places, pairs = np.zeros((2, 30, 30), np.int64), np.zeros((30, 30), np.int64)
    hands = np.zeros(256, np.int64)
    deals(table, 500_000, places, pairs, hands)
    for pile in places:  # 29 x 29 degrees of freedom, each row and column being whole
        assert abs(chi_square(pile) - 870) < 5 * sqrt(2 * 870)
    assert abs(chi_square(pairs) - 899) < 5 * sqrt(2 * 899)
    values = np.arange(256)
    mean = (hands * values).sum() / 500_000
    sd = sqrt((hands * (values - mean) ** 2).sum() / 500_000)
    assert abs(mean - 63.4667) < 4 * 10.924 / sqrt(500_000)
    assert abs(sd - 10.924) < 4 * 10.924 / sqrt(2 * 500_000)


def mean_by_rank(cards, players):
    """Exact: over all tables of so many of the cards, the mean of the lowest, the next and so on."""
    ways = [
        [comb(below, rank) * comb(len(cards) - 1 - below, players - 1 - rank) for below in range(len(cards))]
        for rank in range(players)
    ]
    return [sum(map(mul, way, sorted(cards))) / comb(len(cards), players) for way in ways]


@pytest.mark.parametrize(
    ("players", "houses", "cheques"),
    [
        *((n, mean_by_rank(range(1, 31), n), mean_by_rank(EDITIONS["eagle"].cheques, n)) for n in (4, 6)),
        (3, (7.75, 15.5, 23.25), (3.9448, 7.9931, 11.8621)),
        (5, (5.167, 10.333, 15.5, 20.667, 25.833), (2.5453, 5.3921, 8.0000, 10.5849, 13.1443)),
    ],
)
def test_cards_by_rank_in_a_round_have_their_exact_means(players, houses, cheques):
    number = 6000
    edition = EDITIONS["eagle"]
    ranked = {"houses": np.zeros((number, players)), "cheques": np.zeros((number, players))}
    for index in range(number):
        house_pile, cheque_pile = Stream(12, index).deal(30)
        ranked["houses"][index] = sorted(card + 1 for card in house_pile[:players])
        ranked["cheques"][index] = sorted(edition.cheques[card] for card in cheque_pile[:players])
    for name, known in (("houses", houses), ("cheques", cheques)):
        mean, sd = ranked[name].mean(axis=0), ranked[name].std(axis=0)
        assert (abs(mean - known) < 4 * sd / sqrt(number) + 0.001).all()


@njit
def selected(mask, r):
    return kernel.select_by_table(mask, r)


@njit
def selected_here(mask, r):
    return kernel.select(mask, r)


def test_a_card_is_found_in_a_hand_on_any_processor():
    for index in range(300):
        stream = Stream(2, index)
        hand = sorted({stream.below(30) for _card in range(1 + index % 12)})
        mask = sum(1 << house for house in hand)
        for number, house in enumerate(hand):
            assert selected(mask, number) == selected_here(mask, number) == house


def test_drawing_below_n_is_uniform():
    for n in (2, 3, 4, 6, 30):
        stream, counts = Stream(1, n), np.zeros(n)
        for _draw in range(20_000):
            counts[stream.below(n)] += 1
        assert chi_square(counts) < n - 1 + 5 * sqrt(2 * (n - 1))


def test_bots_have_the_same_number_in_the_kernel_and_in_the_list():
    assert tuple(BOTS) == kernel.BOTS


# --- the cache of compiled code


RUN = """
from stats.simulation import simulate
s = simulate(game="for-sale", edition="iello", player_count=5, bots=["to-six"] * 5, games=100, seed=1, opener=1)
print([s.histogram("banknotes", seat) for seat in range(5)])
"""


def run_copy(folder, cache, source=RUN):
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(cache), "PYTHONDONTWRITEBYTECODE": "1"}
    ran = subprocess.run(
        [sys.executable, "-c", source], cwd=folder, env=environment, capture_output=True, text=True, check=True
    )
    return ran.stdout.strip(), ran.stderr


def copy_of_the_engine(folder):
    (folder / "stats").mkdir()
    engine = ("kernel", "planner", "bots", "planning", "bot_hashes", "simulation", "summary", "distribution")
    for name in ("__init__", *engine):
        shutil.copy2(ROOT / "stats" / f"{name}.py", folder / "stats")
    bytecode = shutil.ignore_patterns("__pycache__")  # Python's own would hide an edit of the same time and length
    shutil.copytree(ROOT / "forsale_api" / "rules", folder / "forsale_api" / "rules", ignore=bytecode)
    (folder / "forsale_api" / "__init__.py").touch()


def edit(path, old, new):
    """Change a source and hide it: same length, same time."""
    before, text = path.stat(), path.read_text()
    assert text.count(old) == 1
    assert len(old) == len(new)
    path.write_text(text.replace(old, new))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


@pytest.mark.slow
def test_a_changed_bot_or_rule_number_takes_effect_though_compiled_code_is_kept(tmp_path):
    copy_of_the_engine(tmp_path)
    cache = tmp_path / "cache"
    known = "[{2: 100}, {2: 100}, {1: 100}, {6: 100}, {1: 100}]"
    assert run_copy(tmp_path, cache)[0] == known
    compiled = {file: file.stat().st_mtime_ns for file in cache.rglob("*.nb?")}
    assert compiled
    assert run_copy(tmp_path, cache)[0] == known
    assert {file: file.stat().st_mtime_ns for file in cache.rglob("*.nb?")} == compiled  # nothing compiled anew
    edit(tmp_path / "stats" / "kernel.py", "min(6, g.notes[seat])", "min(2, g.notes[seat])")
    bot_changed = run_copy(tmp_path, cache)[0]
    assert bot_changed != known
    edit(tmp_path / "stats" / "kernel.py", "min(2, g.notes[seat])", "min(6, g.notes[seat])")
    assert run_copy(tmp_path, cache)[0] == known
    rules = tmp_path / "forsale_api" / "rules" / "for_sale.py"
    edit(rules, "_MONEY_84 = {3: 28, 4: 21, 5: 16", "_MONEY_84 = {3: 28, 4: 21, 5: 17")
    assert run_copy(tmp_path, cache)[0] != known


TRACE = """
from stats.simulation import trace
print(trace(game="for-sale", player_count=3, bots=["to-six"] * 3, seed=1, game_index=0))
"""


@pytest.mark.slow
def test_a_traced_build_comes_back_from_the_cache(tmp_path):
    first = run_copy(ROOT, tmp_path, TRACE)[0]
    assert "auctions" in first
    compiled = {file: file.stat().st_mtime_ns for file in tmp_path.rglob("*.nb?")}
    assert run_copy(ROOT, tmp_path, TRACE)[0] == first
    assert {file: file.stat().st_mtime_ns for file in tmp_path.rglob("*.nb?")} == compiled


@pytest.mark.slow
def test_without_a_place_for_compiled_code_it_says_so_and_works(tmp_path):
    copy_of_the_engine(tmp_path)
    (tmp_path / "file").touch()
    out, err = run_copy(tmp_path, tmp_path / "file" / "below")
    assert out == "[{2: 100}, {2: 100}, {1: 100}, {6: 100}, {1: 100}]"
    assert "NUMBA_CACHE_DIR" in err


def test_the_cache_folder_is_named_by_what_decides_the_machine_code():
    traced = kernel.build(trace=True)
    assert traced.SOURCE_HASH != kernel.SOURCE_HASH
    assert kernel.CACHE is None or kernel.SOURCE_HASH in kernel.CACHE.name
