"""The five words, move by move: what is legal is what is accepted, and the tree has the size it should."""

from collections.abc import Iterator
from dataclasses import replace
from random import Random

import pytest

from forsale_api.rules import IllegalStep, for_sale
from forsale_api.rules.for_sale import (
    TABLE,
    Action,
    Bid,
    Offer,
    Pass,
    RevealCheques,
    RevealHouses,
    Scoop,
    State,
    apply,
    is_over,
    legal_actions,
    setup,
    to_move,
)
from tests import referee
from tests.games import KINDS

IELLO = for_sale.EDITIONS["iello"]
CLASSIC = for_sale.EDITIONS["classic1997"]
NOT_ENOUGH = "not-enough-for-everyone"


def play(state: State, *actions: Action) -> State:
    for action in actions:
        apply(state, action)
    return state


def code_of(state: State, action: Action) -> str:
    with pytest.raises(IllegalStep) as refusal:
        apply(state, action)
    return refusal.value.code


# --- The worked examples of the source texts ---------------------------------------------------------


def example_auction() -> State:
    """Houses 8, 20 and 28; Théo is seat 1, Marianne 2, Guilaine 3 (source 001, "Exemple concret")."""
    return play(
        setup(IELLO, "base", 3),
        RevealHouses((8, 20, 28)),
        Bid(1, 1),
        Bid(2, 2),
        Bid(3, 5),
        Bid(1, 6),
        Pass(2),
        Pass(3),
    )


def test_the_example_auction_gives_marianne_8_guilaine_20_and_theo_28() -> None:
    state = example_auction()
    assert [hand.houses for hand in state.hands] == [{28}, {8}, {20}]
    assert [28 - hand.banknotes for hand in state.hands] == [6, 1, 2]
    assert to_move(state) == (TABLE,)
    assert state.turn == 1


def test_the_example_sale_gives_theo_13_guilaine_12_and_marianne_nothing() -> None:
    state = replace(example_auction(), buying_round=10)
    play(state, RevealCheques((0, 12, 13)), Offer(1, 28), Offer(3, 20), Offer(2, 8))
    assert [hand.cheques for hand in state.hands] == [[13], [0], [12]]


def test_both_refused_cheques_in_one_sale_go_to_the_two_lowest_houses() -> None:
    state = replace(example_auction(), buying_round=10)
    play(state, RevealCheques((0, 9, 0)), Offer(2, 8), Offer(1, 28), Offer(3, 20))
    assert [hand.cheques for hand in state.hands] == [[9], [0], [0]]


def test_nobody_bids_so_each_takes_the_lowest_house_for_nothing_and_the_last_opens_next() -> None:
    state = play(setup(IELLO, "base", 3, first_seat=2), RevealHouses((5, 9, 1)), Pass(2), Pass(3))
    assert [hand.houses for hand in state.hands] == [{9}, {1}, {5}]
    assert [hand.banknotes for hand in state.hands] == [28, 28, 28]
    assert state.turn == 1


def test_the_first_to_pass_in_the_variant_takes_the_whole_stake_back_and_no_house() -> None:
    state = play(setup(IELLO, NOT_ENOUGH, 3), RevealHouses((4, 7)), Bid(1, 3), Bid(2, 5), Bid(3, 6), Pass(1), Pass(2))
    assert [hand.houses for hand in state.hands] == [set(), {4}, {7}]
    assert [28 - hand.banknotes for hand in state.hands] == [0, 2, 6]


def test_the_short_round_with_five_leaves_two_seats_without_a_house_and_with_their_stakes() -> None:
    state = replace(setup(IELLO, NOT_ENOUGH, 5), buying_round=6)
    play(state, RevealHouses((2, 3, 30)), Bid(1, 2), Bid(2, 3), Bid(3, 4), Bid(4, 5), Bid(5, 6))
    play(state, Pass(1), Pass(2), Pass(3), Pass(4))
    assert [hand.houses for hand in state.hands] == [set(), set(), {2}, {3}, {30}]
    assert [16 - hand.banknotes for hand in state.hands] == [0, 0, 2, 2, 6]


def test_a_seat_without_banknotes_must_pass() -> None:
    state = setup(IELLO, "base", 3)
    state.seat(1).banknotes = 0
    play(state, RevealHouses((1, 2, 3)))
    assert list(legal_actions(state)) == [Pass(1)]
    assert code_of(state, Bid(1, 1)) == "bid-above-banknotes"


def test_an_equal_bid_is_legal_in_1997_only_and_only_for_a_growing_stake() -> None:
    classic = play(
        setup(for_sale.EDITIONS["classic1997"], "base", 3), RevealHouses((1, 2, 3)), Bid(1, 3), Bid(2, 3), Bid(3, 3)
    )
    assert code_of(classic, Bid(1, 3)) == "bid-not-above-last"
    apply(classic, Bid(1, 4))
    iello = play(setup(IELLO, "base", 3), RevealHouses((1, 2, 3)), Bid(1, 3))
    assert code_of(iello, Bid(2, 3)) == "bid-not-above-last"


def test_the_last_passer_in_1997_may_leave_the_highest_stake_equalled() -> None:
    state = play(
        setup(for_sale.EDITIONS["classic1997"], "base", 3),
        RevealHouses((1, 2, 3)),
        Bid(1, 4),
        Bid(2, 4),
        Pass(3),
        Pass(1),
    )
    assert [15 - hand.banknotes for hand in state.hands] == [2, 4, 0]


# --- What is legal is what is accepted ---------------------------------------------------------------


def every_action(state: State) -> Iterator[Action]:
    money = max(hand.banknotes for hand in state.hands)
    for seat in range(-1, state.players + 2):
        yield Pass(seat)
        yield Scoop(seat)
        yield from (Bid(seat, stake) for stake in range(-1, money + 2))
        yield from (Offer(seat, house) for house in range(-1, state.edition.houses + 2))


def test_legal_actions_are_exactly_the_ones_that_apply_accepts() -> None:
    rng = Random(11)
    for edition, variant, players in rng.sample(KINDS, 8):
        state = setup(for_sale.EDITIONS[edition], variant, players, rng.randint(1, players))
        while not is_over(state):
            legal = set()
            if to_move(state) != (TABLE,):
                legal = set(legal_actions(state))
                assert legal
                assert {action.seat for action in legal if not isinstance(action, RevealHouses | RevealCheques)} == set(
                    to_move(state)
                )
            if rng.random() < 0.06:
                before = state.copy()
                for action in every_action(state):
                    if action in legal:
                        apply(state.copy(), action)
                    else:
                        code_of(state, action)
                assert state == before
            apply(state, reveal(rng, state) if not legal else rng.choice(sorted(legal, key=repr)))
        assert to_move(state) == ()
        assert list(legal_actions(state)) == []


def reveal(rng: Random, state: State) -> Action:
    if state.is_buying:
        left = sorted(set(range(1, state.edition.houses + 1)) - state.houses_dealt)
        return RevealHouses(tuple(rng.sample(left, state.sizes[state.buying_round])))
    holders = state.holders
    due = len(holders) if len(holders) > 1 else len(state.seat(holders[0]).houses)
    return RevealCheques(tuple(rng.sample(sorted(state.cheques_left.elements()), due)))


def test_steps_out_of_phase_are_refused() -> None:
    state = setup(IELLO, NOT_ENOUGH, 3)
    assert code_of(state, Pass(1)) == "wrong-phase"
    assert code_of(state, RevealCheques((0, 2))) == "wrong-phase"
    assert code_of(state, Offer(1, 3)) == "wrong-phase"
    assert code_of(state, Scoop(1)) == "wrong-phase"
    play(state, RevealHouses((1, 2)))
    assert code_of(state, RevealHouses((3, 4))) == "wrong-phase"


# --- The size of the tree ----------------------------------------------------------------------------


TINY = replace(
    IELLO, slug="tiny", houses=6, cheques=(0, 0, 2, 3, 3, 4), money={3: 2}, aside={3: 0}, variant_aside={3: 2}
)


def tiny(*, equal: bool, up: bool) -> for_sale.Edition:
    return replace(TINY, equal_bid_allowed=equal, refund_rounds_up=up)


def leaves(state: State) -> int:
    """Complete buying phases below a state; offers are left out, houses come in one order."""
    if not state.is_buying:
        return 1
    if to_move(state) == (TABLE,):
        first = min(set(range(1, 7)) - state.houses_dealt)
        size = state.sizes[state.buying_round]
        return leaves(play(state.copy(), RevealHouses(tuple(range(first, first + size)))))
    return sum(leaves(play(state.copy(), action)) for action in legal_actions(state))


def referee_leaves(kind: referee.Kind, opener: int, notes: dict[int, int], number: int = 0) -> int:
    """The same count by trying every string of actions on the referee."""
    sizes = referee.table_sizes(kind)
    if number == len(sizes):
        return 1
    total, open_strings = 0, [[]]  # type: list[list[dict[str, Any]]]
    while open_strings:
        longer = []
        for actions in open_strings:
            for seat in (1, 2, 3):
                for act in ({"pass": True}, {"bid": 1}, {"bid": 2}):
                    string, purse = [*actions, {"seat": seat, **act}], dict(notes)
                    hands: dict[int, set[int]] = {1: set(), 2: set(), 3: set()}
                    try:
                        last = referee.buying_round(
                            number, string, list(range(sizes[number])), opener, purse, hands, kind, []
                        )
                    except referee.Foul as foul:
                        if str(foul) == "round not finished":
                            longer.append(string)
                    else:
                        total += referee_leaves(kind, last, purse, number + 1)
        open_strings = longer
    return total


@pytest.mark.parametrize("variant", ["base", NOT_ENOUGH])
@pytest.mark.parametrize("equal", [False, True])
@pytest.mark.parametrize("up", [False, True])
def test_a_tiny_game_has_as_many_buying_phases_as_the_referee_finds(
    monkeypatch: pytest.MonkeyPatch, variant: str, equal: bool, up: bool
) -> None:
    monkeypatch.setitem(referee.NUMBERS, "tiny", (6, [0, 0, 2, 3, 3, 4], {3: 2}, {}, {3: 2}, up, equal))
    kind = ("tiny", variant, 3)
    found = leaves(setup(tiny(equal=equal, up=up), variant, 3))
    assert found == referee_leaves(kind, 1, {1: 2, 2: 2, 3: 2})
    assert found > 100 or not equal


def test_the_table_may_reveal_every_set_of_cards_once() -> None:
    state = setup(TINY, "base", 3)
    assert len(list(legal_actions(state))) == 20  # 3 of 6 houses
    play(state, RevealHouses((1, 2, 3)), Pass(1), Pass(2), RevealHouses((4, 5, 6)), Pass(3), Pass(1))
    reveals = list(legal_actions(state))
    assert len(reveals) == len(set(reveals)) == 10  # multisets of 3 from 0 0 2 3 3 4
