"""Random whole games as records, and records with exactly one illegal change.

The games come from the referee's numbers, not from the rules under test.
"""

import copy
from collections import Counter
from collections.abc import Callable
from random import Random
from typing import Any, NamedTuple

from tests.referee import BASE, KINDS, NUMBERS, SHORT, Kind, judge, table_sizes

type Record = dict[str, Any]

__all__ = ["KINDS", "MUTATIONS", "Kind", "Mutant", "Record", "mutate", "random_kind", "random_record"]


def random_kind(rng: Random) -> Kind:
    """Any edition, variant and number of players on offer."""
    return rng.choice(KINDS)


def random_record(rng: Random, kind: Kind) -> Record:
    """A legal whole game. How boldly the table bids is drawn too, from "never" to "till the money is gone"."""
    edition, _variant, players = kind
    n_houses, deck, money, _aside, _short, up, equal = NUMBERS[edition]
    houses, cheques = list(range(1, n_houses + 1)), list(deck)
    rng.shuffle(houses)
    rng.shuffle(cheques)
    notes = [money[players]] * players
    hands: list[list[int]] = [[] for _ in range(players)]
    boldness, leap = rng.choice([0.0, 0.02, 0.3, 0.6, 0.8, 0.95]), rng.choice([1, 1, 2, 4, 30])
    first = turn = rng.randrange(players)
    auctions = []
    for size in table_sizes(kind):
        table, houses = houses[:size], houses[size:]
        stakes, inside = [0] * players, list(range(players))
        takes = [None] * (players - size) + sorted(table)
        actions = []
        while len(inside) > 1:
            top = max(stakes)
            least = max(1, top, stakes[turn] + 1) if equal else top + 1
            following = inside[(inside.index(turn) + 1) % len(inside)]
            if least <= notes[turn] and rng.random() < boldness:
                stakes[turn] = min(notes[turn], least + rng.randrange(leap))
                actions.append({"seat": turn + 1, "bid": stakes[turn]})
            else:
                house = takes.pop(0)
                if house is not None:
                    hands[turn].append(house)
                    notes[turn] -= stakes[turn] // 2 if up else (stakes[turn] + 1) // 2
                actions.append({"seat": turn + 1, "pass": True})
                inside.remove(turn)
            turn = following
        notes[turn] -= stakes[turn]
        hands[turn].append(takes.pop(0) or 0)
        auctions.append({"houses": table, "actions": actions})
    return {"first_seat": first + 1, "auctions": auctions, "sales": _random_sales(rng, hands, cheques)}


def _random_sales(rng: Random, hands: list[list[int]], cheques: list[int]) -> list[dict[str, Any]]:
    sales: list[dict[str, Any]] = []
    while any(hands):
        holders = [seat for seat, hand in enumerate(hands) if hand]
        if len(holders) == 1:
            (seat,) = holders
            return [*sales, {"cheques": cheques[: len(hands[seat])], "scoop": seat + 1}]
        shown, cheques = cheques[: len(holders)], cheques[len(holders) :]
        rng.shuffle(holders)
        offers = [{"seat": s + 1, "house": hands[s].pop(rng.randrange(len(hands[s])))} for s in holders]
        sales.append({"cheques": shown, "offers": offers})
    return sales


# --- One illegal change ------------------------------------------------------------------------------


class Mutant(NamedTuple):
    """A record with one illegal change, and how it should be refused."""

    name: str
    record: Record
    code: str
    place: tuple[str | int, ...]


type Change = Callable[[Random, Record, Kind], tuple[str, tuple[str | int, ...]] | None]
MUTATIONS: dict[str, Change] = {}


def mutate(rng: Random, record: Record, kind: Kind, name: str) -> Mutant | None:
    """The record with one illegal change of the named kind; None where this game has no room for it."""
    changed = copy.deepcopy(record)
    expected = MUTATIONS[name](rng, changed, kind)
    return None if expected is None else Mutant(name, changed, *expected)


def change(function: Change) -> Change:
    MUTATIONS[function.__name__.replace("_", "-")] = function
    return function


def at_action(event: tuple[Any, ...]) -> tuple[str | int, ...]:
    return ("record", "auctions", event[1], "actions", event[2])


def action_of(record: Record, event: tuple[Any, ...]) -> dict[str, Any]:
    action: dict[str, Any] = record["auctions"][event[1]]["actions"][event[2]]
    return action


def one(rng: Random, record: Record, kind: Kind, *names: str, where: Callable[..., bool] = lambda *_: True) -> Any:
    found = [event for event in judge(record, kind).events if event[0] in names and where(*event)]
    return rng.choice(found) if found else None


@change
def bid_not_above_the_last(rng: Random, record: Record, kind: Kind) -> Any:
    lowered = 1 if NUMBERS[kind[0]][6] else 0
    event = one(rng, record, kind, "bid", where=lambda _b, _n, _s, _seat, _bid, top, _notes: top > lowered)
    if event is None:
        return None
    action_of(record, event)["bid"] = event[5] - lowered
    return "bid-not-above-last", at_action(event)


@change
def equal_bid_that_does_not_grow(rng: Random, record: Record, kind: Kind) -> Any:
    """Equal bids (1997): one's own standing stake must grow, even where the highest bid is equalled."""
    if not NUMBERS[kind[0]][6]:
        return None

    def stands_highest(_bid: str, number: int, step: int, seat: int, _stake: int, top: int, _notes: int) -> bool:
        actions = record["auctions"][number]["actions"][:step]
        return top > 0 and top in [a["bid"] for a in actions if a["seat"] == seat and "bid" in a]

    event = one(rng, record, kind, "bid", where=stands_highest)
    if event is None:
        return None
    action_of(record, event)["bid"] = event[5]
    return "bid-not-above-last", at_action(event)


@change
def opening_bid_of_nothing(rng: Random, record: Record, kind: Kind) -> Any:
    event = one(rng, record, kind, "bid", where=lambda _b, _n, _s, _seat, _bid, top, _notes: top == 0)
    if event is None:
        return None
    action_of(record, event)["bid"] = rng.choice([0, -1, -(10**30)])
    return "bid-below-minimum", at_action(event)


@change
def bid_above_the_banknotes(rng: Random, record: Record, kind: Kind) -> Any:
    event = one(rng, record, kind, "bid")
    if event is None:
        return None
    action_of(record, event)["bid"] = max(event[5], event[6]) + rng.choice([1, 2, 10**6, 10**4000])
    return "bid-above-banknotes", at_action(event)


@change
def action_out_of_turn(rng: Random, record: Record, kind: Kind) -> Any:
    event = one(rng, record, kind, "bid", "pass", where=lambda _name, _n, step, *_: step > 0)
    actions = record["auctions"][event[1]]["actions"]
    passed = {a["seat"] for a in actions[: event[2]] if "pass" in a}
    others = set(range(1, kind[2] + 1)) - passed - {event[3]}
    action_of(record, event)["seat"] = rng.choice(sorted(others))
    return "out-of-turn", at_action(event)


@change
def action_after_a_pass(rng: Random, record: Record, kind: Kind) -> Any:
    number = rng.randrange(len(record["auctions"]))
    actions = record["auctions"][number]["actions"]
    step = rng.choice([i for i, a in enumerate(actions) if "pass" in a])
    later = rng.randint(step + 1, len(actions))
    actions.insert(later, {"seat": actions[step]["seat"]} | rng.choice([{"pass": True}, {"bid": 1}, {"bid": 99}]))
    return "after-pass", ("record", "auctions", number, "actions", later)


@change
def action_of_the_last_seat(rng: Random, record: Record, kind: Kind) -> Any:
    number = rng.randrange(len(record["auctions"]))
    actions = record["auctions"][number]["actions"]
    (last,) = set(range(1, kind[2] + 1)) - {a["seat"] for a in actions if "pass" in a}
    actions.append({"seat": last} | rng.choice([{"pass": True}, {"bid": 99}]))
    return "round-over", ("record", "auctions", number, "actions", len(actions) - 1)


@change
def round_that_stops_early(rng: Random, record: Record, kind: Kind) -> Any:
    number = rng.randrange(len(record["auctions"]))
    record["auctions"][number]["actions"].pop()
    return "round-unfinished", ("record", "auctions", number, "actions")


@change
def wrong_opener(rng: Random, record: Record, kind: Kind) -> Any:
    number = rng.randrange(1, len(record["auctions"]))
    opening = record["auctions"][number]["actions"][0]
    opening["seat"] = rng.choice([s for s in range(1, kind[2] + 1) if s != opening["seat"]])
    return "wrong-opener", ("record", "auctions", number, "actions", 0)


@change
def another_first_seat(rng: Random, record: Record, kind: Kind) -> Any:
    record["first_seat"] = rng.choice([s for s in range(1, kind[2] + 1) if s != record["first_seat"]])
    return "wrong-opener", ("record", "auctions", 0, "actions", 0)


@change
def first_seat_not_at_the_table(rng: Random, record: Record, kind: Kind) -> Any:
    record["first_seat"] = rng.choice([0, -1, kind[2] + 1, 10**4000])
    return "no-such-seat", ("record", "first_seat")


@change
def action_of_nobody(rng: Random, record: Record, kind: Kind) -> Any:
    event = one(rng, record, kind, "bid", "pass")
    action_of(record, event)["seat"] = rng.choice([0, -1, kind[2] + 1, 10**4000])
    return "no-such-seat", at_action(event)


@change
def neither_bid_nor_pass(rng: Random, record: Record, kind: Kind) -> Any:
    event = one(rng, record, kind, "bid", "pass")
    action = action_of(record, event)
    action.update(rng.choice([{"bid": 3, "pass": True}, {"pass": False}]))
    if action.get("pass") is False:
        action.pop("bid", None)
    return "bid-or-pass", at_action(event)


@change
def house_that_does_not_exist(rng: Random, record: Record, kind: Kind) -> Any:
    number = rng.randrange(len(record["auctions"]))
    houses = record["auctions"][number]["houses"]
    index = rng.randrange(len(houses))
    houses[index] = rng.choice([0, -5, NUMBERS[kind[0]][0] + 1, 10**4000])
    return "no-such-house", ("record", "auctions", number, "houses", index)


@change
def house_dealt_twice(rng: Random, record: Record, kind: Kind) -> Any:
    number = rng.randrange(1, len(record["auctions"]))
    houses = record["auctions"][number]["houses"]
    index = rng.randrange(len(houses))
    earlier = [h for auction in record["auctions"][:number] for h in auction["houses"]] + houses[:index]
    houses[index] = rng.choice(earlier)
    return "house-dealt-twice", ("record", "auctions", number, "houses", index)


@change
def wrong_number_of_houses(rng: Random, record: Record, kind: Kind) -> Any:
    number = rng.randrange(len(record["auctions"]))
    houses = record["auctions"][number]["houses"]
    rng.choice([houses.pop, houses.clear, lambda: houses.append(rng.randint(1, 20)), lambda: houses.extend(houses)])()
    return "wrong-number-of-houses", ("record", "auctions", number, "houses")


@change
def missing_auction(rng: Random, record: Record, kind: Kind) -> Any:
    del record["auctions"][rng.choice([0, len(record["auctions"]) - 1]) :]
    return "missing-auction", ("record", "auctions")


@change
def extra_auction(rng: Random, record: Record, kind: Kind) -> Any:
    due = len(record["auctions"])
    record["auctions"] += rng.choice([1, 5000]) * [record["auctions"][-1]]
    return "extra-auction", ("record", "auctions", due)


@change
def cheque_that_does_not_exist(rng: Random, record: Record, kind: Kind) -> Any:
    number = rng.randrange(len(record["sales"]))
    cheques = record["sales"][number]["cheques"]
    index = rng.randrange(len(cheques))
    cheques[index] = rng.choice([1, -1, 21, 10**4000])
    return "no-such-cheque", ("record", "sales", number, "cheques", index)


@change
def cheque_dealt_too_often(rng: Random, record: Record, kind: Kind) -> Any:
    number = rng.randrange(1, len(record["sales"]))
    seen = Counter(c for sale in record["sales"][:number] for c in sale["cheques"])
    gone = [c for c, times in Counter(NUMBERS[kind[0]][1]).items() if seen[c] == times]
    if not gone:
        return None
    cheques = record["sales"][number]["cheques"]
    index = rng.randrange(len(cheques))
    cheques[index] = rng.choice(gone)
    return "cheque-dealt-too-often", ("record", "sales", number, "cheques", index)


@change
def wrong_number_of_cheques(rng: Random, record: Record, kind: Kind) -> Any:
    number = rng.randrange(len(record["sales"]))
    cheques = record["sales"][number]["cheques"]
    rng.choice(
        [cheques.pop, cheques.clear, lambda: cheques.append(rng.randint(3, 15)), lambda: cheques.extend(cheques)]
    )()
    return "wrong-number-of-cheques", ("record", "sales", number, "cheques")


def one_offer(rng: Random, record: Record, first: int = 0) -> tuple[int, int, dict[str, Any]] | None:
    places = [
        (number, index, offer)
        for number, sale in enumerate(record["sales"])
        for index, offer in enumerate(sale.get("offers", ()))
        if number >= first
    ]
    return rng.choice(places) if places else None


@change
def house_of_another_seat(rng: Random, record: Record, kind: Kind) -> Any:
    number, index, offer = one_offer(rng, record) or (0, 0, {})
    bought = [(e[3], e[2]) for e in judge(record, kind).events if e[0] == "left" and e[3] is not None]
    offer["house"] = rng.choice([house for house, seat in bought if seat != offer["seat"]])
    return "house-never-owned", ("record", "sales", number, "offers", index)


@change
def house_sold_before(rng: Random, record: Record, kind: Kind) -> Any:
    number, index, offer = one_offer(rng, record, first=1) or (0, 0, {})
    sold = [o["house"] for sale in record["sales"][:number] for o in sale["offers"] if o["seat"] == offer["seat"]]
    offer["house"] = rng.choice(sold)
    return "house-already-sold", ("record", "sales", number, "offers", index)


@change
def house_never_on_the_table(rng: Random, record: Record, kind: Kind) -> Any:
    dealt = {house for auction in record["auctions"] for house in auction["houses"]}
    aside = sorted(set(range(1, NUMBERS[kind[0]][0] + 1)) - dealt)
    if not aside:
        return None
    number, index, offer = one_offer(rng, record) or (0, 0, {})
    offer["house"] = rng.choice(aside)
    return "house-not-on-table", ("record", "sales", number, "offers", index)


@change
def offer_of_a_house_that_does_not_exist(rng: Random, record: Record, kind: Kind) -> Any:
    number, index, offer = one_offer(rng, record) or (0, 0, {})
    offer["house"] = rng.choice([0, -1, NUMBERS[kind[0]][0] + 1, 10**4000])
    return "no-such-house", ("record", "sales", number, "offers", index)


@change
def offer_of_nobody(rng: Random, record: Record, kind: Kind) -> Any:
    number, index, offer = one_offer(rng, record) or (0, 0, {})
    offer["seat"] = rng.choice([0, kind[2] + 1, 10**4000])
    return "no-such-seat", ("record", "sales", number, "offers", index)


@change
def second_offer_of_a_seat(rng: Random, record: Record, kind: Kind) -> Any:
    number, _index, offer = one_offer(rng, record) or (0, 0, {})
    offers = record["sales"][number]["offers"]
    offers.append(dict(offer))
    return "offered-twice", ("record", "sales", number, "offers", len(offers) - 1)


@change
def offer_of_a_seat_without_houses(rng: Random, record: Record, kind: Kind) -> Any:
    for number, sale in enumerate(record["sales"]):
        idle = sorted(set(range(1, kind[2] + 1)) - {o["seat"] for o in sale.get("offers", ())})
        sold = [o for earlier in record["sales"][:number] for o in earlier["offers"] if o["seat"] in idle]
        if "offers" in sale and sold:
            sale["offers"].append(dict(rng.choice(sold)))
            return "house-already-sold", ("record", "sales", number, "offers", len(sale["offers"]) - 1)
    return None


@change
def offer_left_out(rng: Random, record: Record, kind: Kind) -> Any:
    number, index, _offer = one_offer(rng, record) or (0, 0, {})
    del record["sales"][number]["offers"][index]
    return "missing-offer", ("record", "sales", number, "offers")


@change
def scoop_in_the_base_game(rng: Random, record: Record, kind: Kind) -> Any:
    if kind[1] != BASE:
        return None
    number = rng.randrange(len(record["sales"]))
    del record["sales"][number]["offers"]
    record["sales"][number]["scoop"] = rng.randint(1, kind[2])
    return "no-scoop-in-base", ("record", "sales", number, "scoop")


@change
def scoop_while_two_hold_houses(rng: Random, record: Record, kind: Kind) -> Any:
    if kind[1] != SHORT:
        return None
    number, _index, offer = one_offer(rng, record) or (0, 0, {})
    rest = record["sales"][number:]
    record["sales"][number:] = [{"cheques": [c for sale in rest for c in sale["cheques"]], "scoop": offer["seat"]}]
    return "scoop-too-early", ("record", "sales", number, "scoop")


@change
def scoop_by_another_seat(rng: Random, record: Record, kind: Kind) -> Any:
    sale = record["sales"][-1]
    if "scoop" not in sale:
        return None
    sale["scoop"] = rng.choice([s for s in range(1, kind[2] + 1) if s != sale["scoop"]])
    return "scoop-by-other-seat", ("record", "sales", len(record["sales"]) - 1, "scoop")


@change
def offer_where_a_scoop_is_due(rng: Random, record: Record, kind: Kind) -> Any:
    sale = record["sales"][-1]
    if "scoop" not in sale or len(sale["cheques"]) > 1:
        return None
    seat = sale.pop("scoop")
    bought = {e[3] for e in judge_events_of(record, kind, seat)}
    sold = {o["house"] for earlier in record["sales"] for o in earlier.get("offers", ()) if o["seat"] == seat}
    (house,) = bought - sold
    sale["offers"] = [{"seat": seat, "house": house}]
    return "scoop-due", ("record", "sales", len(record["sales"]) - 1, "offers", 0)


def judge_events_of(record: Record, kind: Kind, seat: int) -> list[tuple[Any, ...]]:
    """The houses a seat took, from a record whose last sale is being rewritten as a scoop."""
    whole = record | {"sales": [*record["sales"][:-1], {"cheques": record["sales"][-1]["cheques"], "scoop": seat}]}
    return [e for e in judge(whole, kind).events if e[0] == "left" and e[2] == seat and e[3] is not None]


@change
def both_offers_and_scoop(rng: Random, record: Record, kind: Kind) -> Any:
    number = rng.randrange(len(record["sales"]))
    sale = record["sales"][number]
    if "offers" in sale and rng.random() < 0.5:
        del sale["offers"]
    else:
        sale.update({"offers": [], "scoop": 1})
    return "offers-or-scoop", ("record", "sales", number)


@change
def missing_sale(rng: Random, record: Record, kind: Kind) -> Any:
    del record["sales"][rng.choice([0, len(record["sales"]) - 1]) :]
    return "missing-sale", ("record", "sales")


@change
def extra_sale(rng: Random, record: Record, kind: Kind) -> Any:
    due = len(record["sales"])
    record["sales"] += rng.choice([1, 5000]) * [record["sales"][-1]]
    return "extra-sale", ("record", "sales", due)
