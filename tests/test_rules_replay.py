"""Whole records: legal ones give what the referee counts, illegal ones are refused at the step that is wrong."""

import copy
import time
from collections import Counter
from itertools import pairwise
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from forsale_api.rules import IllegalStep, SeatEntry, for_sale, game
from tests.games import KINDS, MUTATIONS, Kind, mutate, random_kind, random_record
from tests.referee import SHORT, Foul, judge, standings, table_sizes

SEEDS = st.integers(0, 2**32 - 1)


def replay(record: dict[str, Any], kind: Kind) -> for_sale.State:
    edition, variant, players = kind
    return for_sale.replay(record, edition=for_sale.EDITIONS[edition], variant=variant, player_count=players)


def whole_game(seed: int) -> tuple[Kind, dict[str, Any], for_sale.State]:
    rng = Random(seed)
    kind = random_kind(rng)
    record = random_record(rng, kind)
    return kind, record, replay(record, kind)


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_rules_and_referee_agree_on_whole_games(kind: Kind) -> None:
    rng = Random(repr(kind))
    for _ in range(25):
        record = random_record(rng, kind)
        state, verdict = replay(record, kind), judge(record, kind)
        assert list(for_sale.scores(state)) == verdict.totals
        assert [hand.banknotes for hand in state.hands] == verdict.banknotes
        assert [sorted(hand.cheques) for hand in state.hands] == [sorted(c) for c in verdict.cheques]
        left = [event[1:] for event in verdict.events if event[0] == "left"]
        assert [(p.round, p.seat, p.house, p.stake, p.paid) for p in state.purchases] == left
        sold = {event[1:] for event in verdict.events if event[0] == "sold"}
        assert {(s.round, s.seat, s.house) for s in state.sales} == {event[:3] for event in sold}
        score = game("for-sale").score(edition=kind[0], variant=kind[1], seats=(), record=record)
        ranks, winners, decided_by = standings(verdict.totals, verdict.banknotes)
        assert ([s.rank for s in score.seats], list(score.winners), score.decided_by) == (ranks, winners, decided_by)
        assert (score.level, score.first_seat, score.findings) == ("record", record["first_seat"], ())


@pytest.mark.parametrize("name", MUTATIONS)
def test_one_illegal_change_is_refused_with_its_rule_and_its_place(name: str) -> None:
    rng = Random(name)
    tried = 0
    for _ in range(1000):
        kind = random_kind(rng)
        mutant = mutate(rng, random_record(rng, kind), kind, name)
        if mutant is None:
            continue
        tried += 1
        with pytest.raises(Foul):
            judge(mutant.record, kind)
        with pytest.raises(IllegalStep) as refusal:
            replay(mutant.record, kind)
        assert (refusal.value.code, refusal.value.place) == (mutant.code, mutant.place)
        assert str(refusal.value)
        if tried == 30:
            break
    assert tried >= 15


@settings(max_examples=300, deadline=None)
@given(seed=SEEDS, data=st.data())
def test_one_changed_number_is_legal_for_both_or_for_neither(seed: int, data: st.DataObject) -> None:
    rng = Random(seed)
    kind = random_kind(rng)
    record = random_record(rng, kind)
    places = [(record, "first_seat")]
    places += [(a["houses"], i) for a in record["auctions"] for i in range(len(a["houses"]))]
    places += [(x, key) for a in record["auctions"] for x in a["actions"] for key in x if key != "pass"]
    places += [(s["cheques"], i) for s in record["sales"] for i in range(len(s["cheques"]))]
    places += [(o, key) for s in record["sales"] for o in s.get("offers", ()) for key in o]
    places += [(s, "scoop") for s in record["sales"] if "scoop" in s]
    holder, key = data.draw(st.sampled_from(places))
    holder[key] = data.draw(st.integers(-1, 32))
    try:
        verdict = judge(record, kind)
    except Foul:
        with pytest.raises(IllegalStep) as refusal:
            replay(record, kind)
        assert refusal.value.place[0] == "record"
    else:
        assert list(for_sale.scores(replay(record, kind))) == verdict.totals


NUMBERS = st.one_of(st.integers(-2, 31), st.integers(), st.just(10**4000))
ACTIONS = st.one_of(
    st.fixed_dictionaries({"seat": NUMBERS, "bid": NUMBERS}),
    st.fixed_dictionaries({"seat": NUMBERS, "pass": st.booleans()}),
    st.fixed_dictionaries({"seat": NUMBERS}),
)
OFFERS = st.lists(st.fixed_dictionaries({"seat": NUMBERS, "house": NUMBERS}), max_size=7)
SALES = st.one_of(
    st.fixed_dictionaries({"cheques": st.lists(NUMBERS, max_size=7), "offers": OFFERS}),
    st.fixed_dictionaries({"cheques": st.lists(NUMBERS, max_size=7), "scoop": NUMBERS}),
)
RECORDS = st.fixed_dictionaries(
    {
        "first_seat": NUMBERS,
        "auctions": st.lists(
            st.fixed_dictionaries({"houses": st.lists(NUMBERS, max_size=7), "actions": st.lists(ACTIONS, max_size=9)}),
            max_size=11,
        ),
        "sales": st.lists(SALES, max_size=11),
    }
)


@settings(max_examples=50, deadline=None)
@given(record=RECORDS, kind=st.sampled_from(KINDS))
def test_any_record_of_the_right_types_is_refused_politely(record: dict[str, Any], kind: Kind) -> None:
    for seats in ((), [SeatEntry()] * kind[2]):
        with pytest.raises(IllegalStep) as refusal:
            game("for-sale").score(edition=kind[0], variant=kind[1], seats=seats, record=record)
        assert refusal.value.place[0] == "record"
        assert str(refusal.value)


def test_a_huge_record_is_refused_at_once() -> None:
    rng = Random(3)
    record = random_record(rng, ("iello", "base", 4))
    longer = copy.deepcopy(record)
    longer["auctions"] *= 2000
    longer["auctions"][0]["actions"] *= 20_000
    wide = copy.deepcopy(record)
    wide["auctions"][0]["houses"] = list(range(1, 200_000))
    sold = copy.deepcopy(record)
    sold["sales"][0]["cheques"] = [0] * 200_000
    started = time.process_time()
    for body in (longer, wide, sold):
        with pytest.raises(IllegalStep):
            game("for-sale").score(edition="iello", variant="base", seats=(), record=body)
    assert time.process_time() - started < 1


def test_a_record_says_how_many_sit_at_the_table_even_where_one_round_is_wrong() -> None:
    rng = Random(8)
    for kind in KINDS:
        record = random_record(rng, kind)
        record["auctions"][0]["houses"].pop()
        with pytest.raises(IllegalStep) as refusal:
            game("for-sale").score(edition=kind[0], variant=kind[1], seats=(), record=record)
        assert refusal.value.code == "wrong-number-of-houses"


# --- What holds in every game ------------------------------------------------------------------------


@settings(max_examples=150, deadline=None)
@given(seed=SEEDS)
def test_base_hands_are_equal_and_variant_hands_are_the_houses_bought(seed: int) -> None:
    (_edition, variant, players), _record, state = whole_game(seed)
    bought = Counter(p.seat for p in state.purchases if p.house is not None)
    assert [len(hand.cheques) for hand in state.hands] == [bought[seat] for seat in range(1, players + 1)]
    if variant == SHORT:
        assert sum(not hand.cheques for hand in state.hands) <= 1
        assert max(bought.values()) <= len(state.sizes)
    else:
        assert set(bought.values()) == {len(state.sizes)}


@settings(max_examples=150, deadline=None)
@given(seed=SEEDS)
def test_a_round_has_one_pass_fewer_than_seats_and_stakes_only_rise(seed: int) -> None:
    (edition, _variant, players), record, state = whole_game(seed)
    equal = for_sale.EDITIONS[edition].equal_bid_allowed
    for auction in record["auctions"]:
        bids = [action["bid"] for action in auction["actions"] if "bid" in action]
        assert all(later > earlier or (equal and later == earlier) for earlier, later in pairwise(bids))
        assert sum("pass" in action for action in auction["actions"]) == players - 1
    for number, size in enumerate(table_sizes((edition, state.variant, players))):
        leavers = [p for p in state.purchases if p.round == number]
        taken = [p.house for p in leavers if p.house is not None]
        assert taken == sorted(record["auctions"][number]["houses"])
        assert [p.house for p in leavers[: players - size]] == [None] * (players - size)


@settings(max_examples=150, deadline=None)
@given(seed=SEEDS)
def test_spent_banknotes_leave_the_game_and_nothing_else_does(seed: int) -> None:
    (edition, _variant, players), record, state = whole_game(seed)
    numbers = for_sale.EDITIONS[edition]
    paid = Counter[int]()
    for p in state.purchases:
        last = p.seat == [q for q in state.purchases if q.round == p.round][-1].seat
        due = 0 if p.house is None else p.stake if last else p.stake - for_sale.refund(p.stake, numbers)
        assert p.paid == due
        paid[p.seat] += p.paid
    assert [hand.banknotes for hand in state.hands] == [
        numbers.money[players] - paid[seat] for seat in range(1, players + 1)
    ]
    dealt = sum(cheque for sale in record["sales"] for cheque in sale["cheques"])
    assert sum(for_sale.scores(state)) == dealt + sum(hand.banknotes for hand in state.hands)
    if numbers.refund_rounds_up:
        assert sum(not hand.banknotes for hand in state.hands) <= len(state.sizes)


@settings(max_examples=150, deadline=None)
@given(seed=SEEDS)
def test_each_round_is_opened_by_the_taker_of_the_last_rounds_highest_house(seed: int) -> None:
    _kind, record, state = whole_game(seed)
    assert record["auctions"][0]["actions"][0]["seat"] == record["first_seat"]
    for number, auction in enumerate(record["auctions"][1:]):
        highest = max((p for p in state.purchases if p.round == number), key=lambda p: p.house or 0)
        assert auction["actions"][0]["seat"] == highest.seat


@settings(max_examples=150, deadline=None)
@given(seed=SEEDS)
def test_in_every_sale_the_higher_house_fetches_the_higher_cheque(seed: int) -> None:
    (_edition, variant, _players), record, state = whole_game(seed)
    for number in range(state.selling_round):
        sold = sorted((sale.house, sale.cheque) for sale in state.sales if sale.round == number)
        cheques = [cheque for _house, cheque in sold]
        assert cheques == sorted(cheques)
    counts = sorted(len(hand.cheques) for hand in state.hands)
    scoop = 1 if counts[-1] > counts[-2] else 0
    assert len(record["sales"]) == counts[-2] + scoop
    if variant == SHORT and scoop:
        assert len(record["sales"][-1]["cheques"]) == counts[-1] - counts[-2]


@settings(max_examples=100, deadline=None)
@given(seed=SEEDS)
def test_cards_and_offers_may_stand_in_any_order(seed: int) -> None:
    kind, record, state = whole_game(seed)
    rng = Random(seed)
    for auction in record["auctions"]:
        rng.shuffle(auction["houses"])
    for sale in record["sales"]:
        rng.shuffle(sale["cheques"])
        rng.shuffle(sale.get("offers", []))
    assert for_sale.scores(replay(record, kind)) == for_sale.scores(state)
