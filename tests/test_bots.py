"""The bots do what their descriptions say, seen through the readable rules."""

import hashlib
from collections import Counter
from math import sqrt

import pytest

from forsale_api.rules import IllegalStep
from forsale_api.rules.for_sale import BASE, EDITIONS, VARIANTS, is_over, scores
from stats.bots import BOTS, Bot, Stream, View, play
from stats.simulation import simulate

NOBODY_HOLDS = ()


def bids(bot, view, draws=12_000):
    """How often each stake (0: a pass) comes out, as shares."""
    stream = Stream(5, 0)
    found = Counter(BOTS[bot].bid(view, stream) for _draw in range(draws))
    return {stake: count / draws for stake, count in found.items()}


def close(found, expected, draws=12_000):
    return set(found) == set(expected) and all(
        abs(found[stake] - share) <= 4 * sqrt(share * (1 - share) / draws) for stake, share in expected.items()
    )


@pytest.mark.parametrize(
    ("bot", "banknotes", "highest", "expected"),
    [
        ("random", 14, 3, {0: 1 / 4, 4: 1 / 4, 5: 1 / 4, 6: 1 / 4}),
        ("random", 5, 3, {0: 1 / 3, 4: 1 / 3, 5: 1 / 3}),
        ("random", 4, 3, {0: 1 / 2, 4: 1 / 2}),
        ("random", 3, 3, {0: 1}),
        ("coin-flip", 14, 0, {0: 1 / 2, 1: 1 / 4, 2: 1 / 4}),
        ("coin-flip", 4, 3, {0: 1 / 2, 4: 1 / 2}),
        ("coin-flip", 2, 3, {0: 1}),
        ("to-six", 14, 0, {1: 1}),
        ("to-six", 14, 5, {6: 1}),
        ("to-six", 14, 6, {0: 1}),
        ("to-six", 4, 4, {0: 1}),
    ],
)
def test_bids_come_out_as_often_as_described(bot, banknotes, highest, expected):
    assert close(bids(bot, View(banknotes, highest, NOBODY_HOLDS)), expected)


@pytest.mark.parametrize("bot", ["random", "coin-flip", "to-six"])
def test_every_house_of_the_hand_is_as_likely_to_be_sold(bot):
    stream = Stream(6, 0)
    found = Counter(BOTS[bot].sell(View(0, 0, (3, 9, 27, 30)), stream) for _draw in range(12_000))
    assert close({house: count / 12_000 for house, count in found.items()}, dict.fromkeys((3, 9, 27, 30), 1 / 4))


def at_auction(*houses, highest=0, **more):
    """A first round of five players with these houses on the table."""
    return View(
        **{
            "banknotes": 16,
            "highest": highest,
            "hand": (),
            "houses": houses,
            "unseen_houses": [house for house in range(1, 31) if house not in houses],
            "rounds_left": 5,
            "all_rounds": 6,
            "table_size": 5,
            "money": 16,
            "worth": EDITIONS["iello"].cheques,
        }
        | more
    )


def limit(bot, *houses, **more):
    """The highest bid that the bot makes on this table, raised by 1 each time."""
    views = (at_auction(*houses, highest=highest, **more) for highest in range(16))
    return next((view.highest for view in views if not BOTS[bot].bid(view, NO_CHANCE)), 16)


NO_CHANCE = Stream(0, 0)


@pytest.mark.parametrize("bot", ["spread", "pacer", "counter"])
def test_a_table_of_unlike_houses_is_worth_more_than_one_of_like_ones(bot):
    assert limit(bot, 1, 9, 14, 20, 30) > limit(bot, 11, 12, 14, 18, 20) > limit(bot, 14, 15, 16, 17, 18)


@pytest.mark.parametrize("bot", ["spread", "pacer", "counter"])
def test_a_pass_that_brings_no_house_makes_bids_higher(bot):
    houses = (12, 14, 18, 20)
    assert limit(bot, *houses, houseless=True, table_size=4) > limit(bot, *houses, table_size=4)


@pytest.mark.parametrize("bot", ["pacer", "counter"])
def test_money_is_paced(bot):
    """The fewer rounds are left the more is spent on the same table, yet never more than the house is worth."""
    limits = [limit(bot, 5, 9, 14, 20, 25, rounds_left=left) for left in (5, 3, 1)]
    assert limits == sorted(limits)
    assert limits[0] < limits[-1]
    assert limit(bot, 24, 26, 27, 28, 30, rounds_left=0) <= 3 < limit(bot, 5, 9, 14, 20, 25, rounds_left=0)


def test_the_card_counter_spends_when_nothing_good_can_follow():
    like = [house for house in range(8, 23) if house % 5]
    far_apart = [*range(1, 7), *range(25, 31)]
    table = (5, 9, 14, 20, 25)
    assert limit("counter", *table, unseen_houses=like) > limit("counter", *table, unseen_houses=far_apart)
    assert limit("pacer", *table, unseen_houses=like) == limit("pacer", *table, unseen_houses=far_apart)


def at_sale(cheques, hand, others=(), unseen=(2, 3, 5, 8, 8, 11, 12, 14)):
    return View(0, 0, hand, cheques=cheques, others=others, unseen_cheques=unseen, worth=EDITIONS["iello"].cheques)


@pytest.mark.parametrize("bot", ["spread", "pacer", "counter"])
def test_high_houses_go_where_the_cheques_differ_much(bot):
    hand, others = (4, 12, 20, 28), [(3, 11, 19, 27), (5, 13, 21, 29)]

    def sells(*cheques):
        return BOTS[bot].sell(at_sale(cheques, hand, others), NO_CHANCE)

    assert sells(0, 7, 15) > sells(7, 8, 9)
    assert sells(7, 8, 9) == 4


def test_the_card_counter_lays_the_least_house_that_is_sure_to_win():
    """All that the others hold is below 16: house 17 fetches what 30 would, and 30 is kept."""
    view = at_sale((0, 15), (17, 30), [(2, 15)], unseen=(7, 8))
    assert BOTS["counter"].sell(view, NO_CHANCE) == 17
    assert BOTS["counter"].sell(at_sale((0, 15), (17, 30), [(18, 29)], unseen=(7, 8)), NO_CHANCE) == 30


@pytest.mark.parametrize("bot", ["spread", "pacer", "counter"])
@pytest.mark.parametrize("variant", VARIANTS)
def test_each_of_them_alone_beats_a_table_of_simple_bots(bot, variant):
    for players in (3, 4, 5, 6):
        for other in ("coin-flip", "to-six"):
            line_up = [bot, *[other] * (players - 1)]
            summary = simulate(
                game="for-sale", variant=variant, player_count=players, bots=line_up, games=10_000, seed=3
            )
            assert summary.win_credit("win", 0) / 10_000 > 1.05 / players


FROZEN = {"spread": "9c3be4d35bd66b1c", "pacer": "4d4f3404473816f6", "counter": "e448e5c87d14b965"}


@pytest.mark.parametrize("bot", FROZEN)
def test_the_yardsticks_are_frozen(bot):
    """The strong bot's figures were measured against exactly these: another checksum means measuring anew."""
    games = 2_000
    line_up = [bot, bot, "coin-flip", bot, bot]
    counted = hashlib.sha256()
    for variant in VARIANTS:
        s = simulate(game="for-sale", variant=variant, player_count=5, bots=line_up, games=games, seed=1)
        for counter in ("total", "taken", "fetched"):
            counted.update(s[counter].tobytes())
    assert counted.hexdigest()[:16] == FROZEN[bot]


def test_a_game_is_the_same_again_and_another_index_is_another_game():
    def game(index):
        bots = [BOTS["random"]] * 4
        return play(edition=EDITIONS["iello"], variant=BASE, player_count=4, bots=bots, seed=1, index=index)[1]

    assert game(0) == game(0)
    assert game(0) != game(1)


def test_a_deal_meets_every_line_up_and_opener():
    def houses(bot, opener):
        bots = [BOTS[bot]] * 3
        edition = EDITIONS["eagle"]
        record = play(edition=edition, variant=BASE, player_count=3, bots=bots, seed=1, index=5, opener=opener)[1]
        assert opener in (None, record["first_seat"])
        return [auction["houses"] for auction in record["auctions"]]

    assert houses("random", None) == houses("to-six", None) == houses("coin-flip", 2)


def test_a_game_ends_and_its_fortunes_are_cheques_and_banknotes():
    bots = [BOTS["coin-flip"], BOTS["random"], BOTS["to-six"]]
    state, _record = play(edition=EDITIONS["iello"], variant=BASE, player_count=3, bots=bots, seed=2, index=0)
    assert is_over(state)
    assert sum(scores(state)) == 238 + sum(hand.banknotes for hand in state.hands)


def test_a_bot_that_breaks_a_rule_is_stopped_by_the_rules():
    cheat = Bot("cheat", {}, {}, lambda view, stream: view.banknotes + 1, BOTS["random"].sell)
    with pytest.raises(IllegalStep) as refused:
        play(edition=EDITIONS["iello"], variant=BASE, player_count=3, bots=[cheat] * 3, seed=1, index=0)
    assert refused.value.code == "bid-above-banknotes"


@pytest.mark.parametrize("bot", BOTS.values(), ids=lambda bot: bot.slug)
def test_every_bot_has_a_name_and_a_description_in_both_languages(bot):
    for texts in (bot.names, bot.description):
        assert set(texts) == {"en", "fr"}
        assert all(texts.values())
        assert texts["en"] != texts["fr"]


def test_the_stream_is_splitmix64():
    """The first words from state 1234567, as the generator's test vectors have them."""
    stream = Stream(0, 0)
    stream.state = 1234567
    assert [stream.draw() for _word in range(3)] == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
    ]
