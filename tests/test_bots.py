"""The bots do what their descriptions say, seen through the readable rules."""

from collections import Counter
from math import sqrt

import pytest

from forsale_api.rules import IllegalStep
from forsale_api.rules.for_sale import BASE, EDITIONS, is_over, scores
from stats.bots import BOTS, Bot, Stream, View, play

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


@pytest.mark.parametrize("bot", BOTS)
def test_every_house_of_the_hand_is_as_likely_to_be_sold(bot):
    stream = Stream(6, 0)
    found = Counter(BOTS[bot].sell(View(0, 0, (3, 9, 27, 30)), stream) for _draw in range(12_000))
    assert close({house: count / 12_000 for house, count in found.items()}, dict.fromkeys((3, 9, 27, 30), 1 / 4))


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
