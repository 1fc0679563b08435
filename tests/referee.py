"""A second For Sale, written from the source texts without the project's rules, to hold them against.

It shares no code and no numbers with `forsale_api.rules`: its own table of editions, the turn as a queue that
is rotated, a buying round settled in one go from the order in which the seats left it, a score counted up
from a list of events. It is not quick and it explains nothing; it only has to be right.
"""

from collections import Counter, deque
from dataclasses import dataclass, field
from typing import Any

TWICE = [0, 0, *range(2, 16), *range(2, 16)]
ONCE = [0, 0, *range(3, 21)]

# houses, cheques, banknotes each, aside in the base game, aside in the variant, refund rounds up, equal bids
NUMBERS: dict[str, tuple[int, list[int], dict[int, int], dict[int, int], dict[int, int], bool, bool]] = {
    "iello": (30, TWICE, {3: 28, 4: 21, 5: 16, 6: 14}, {4: 2}, {3: 10, 5: 3}, True, False),
    "eagle": (30, TWICE, {3: 18, 4: 18, 5: 14, 6: 14}, {3: 6, 4: 2}, {3: 10, 5: 3}, False, False),
    "uberplay-up": (30, TWICE, {3: 18, 4: 18, 5: 14, 6: 14}, {3: 6, 4: 2}, {3: 10, 5: 3}, True, False),
    "uberplay-down": (30, TWICE, {3: 18, 4: 18, 5: 14, 6: 14}, {3: 6, 4: 2}, {3: 10, 5: 3}, False, False),
    "bga-up": (30, TWICE, {3: 18, 4: 18, 5: 14, 6: 14}, {3: 6, 4: 2}, {3: 10, 5: 3}, True, False),
    "bga-down": (30, TWICE, {3: 18, 4: 18, 5: 14, 6: 14}, {3: 6, 4: 2}, {3: 10, 5: 3}, False, False),
    "classic1997": (20, ONCE, {3: 15, 4: 15, 5: 15}, {3: 2}, {4: 2}, True, True),
}
BASE, SHORT = "base", "not-enough-for-everyone"

type Kind = tuple[str, str, int]
KINDS: list[Kind] = [
    (edition, variant, players)
    for edition, numbers in NUMBERS.items()
    for variant in (BASE, SHORT)
    for players in numbers[2]
    if (edition, variant, players) != ("classic1997", SHORT, 3)
]


class Foul(Exception):
    """The referee blows the whistle."""


@dataclass
class Verdict:
    """What the referee saw, seat by seat."""

    cheques: list[list[int]]
    banknotes: list[int]
    events: list[tuple[Any, ...]] = field(default_factory=list)

    @property
    def totals(self) -> list[int]:
        return [sum(c) + b for c, b in zip(self.cheques, self.banknotes, strict=True)]


def table_sizes(kind: Kind) -> list[int]:
    """Houses on the table in each buying round."""
    edition, variant, players = kind
    houses, _cheques, _money, aside, short_aside, _up, _equal = NUMBERS[edition]
    left = houses - (aside if variant == BASE else short_aside).get(players, 0)
    sizes = []
    while left > 0:
        sizes.append(min(left, players - (variant == SHORT)))
        left -= sizes[-1]
    return sizes


def need(condition: bool, why: str) -> None:
    if not condition:
        raise Foul(why)


def judge(record: dict[str, Any], kind: Kind) -> Verdict:
    """Follow a whole record; raises Foul at anything that is not as it should be."""
    edition, variant, players = kind
    n_houses, deck, money, *_ = NUMBERS[edition]
    everyone = range(1, players + 1)
    notes = dict.fromkeys(everyone, money[players])
    hands: dict[int, set[int]] = {seat: set() for seat in everyone}
    won: dict[int, list[int]] = {seat: [] for seat in everyone}
    events: list[tuple[Any, ...]] = []
    unseen = set(range(1, n_houses + 1))
    opener = record["first_seat"]
    need(opener in everyone, "first seat")

    sizes = table_sizes(kind)
    need(len(record["auctions"]) == len(sizes), "number of auctions")
    for number, (auction, size) in enumerate(zip(record["auctions"], sizes, strict=True)):
        table = set(auction["houses"])
        need(len(table) == size == len(auction["houses"]), "houses on the table")
        need(table <= unseen, "a house comes twice")
        unseen -= table
        opener = buying_round(number, auction["actions"], sorted(table), opener, notes, hands, kind, events)

    pile = Counter(deck)
    for number, sale in enumerate(record["sales"]):
        need(any(hands.values()), "a sale after the end")
        shown = Counter(sale["cheques"])
        need(not shown - pile, "cheques not in the pile")
        pile -= shown
        holders = {seat for seat in everyone if hands[seat]}
        if "scoop" in sale:
            need(variant == SHORT and "offers" not in sale and holders == {sale["scoop"]}, "scoop")
            need(len(sale["cheques"]) == len(hands[sale["scoop"]]), "size of the scoop")
            won[sale["scoop"]] += sale["cheques"]
            hands[sale["scoop"]] = set()
            events.append(("scoop", number, sale["scoop"], sorted(sale["cheques"])))
            continue
        need(len(holders) > 1 and "offers" in sale, "a lone holder scoops, others offer")
        offers = {(offer["house"], offer["seat"]) for offer in sale["offers"]}
        need(len(offers) == len(sale["offers"]) == len(holders) == len(sale["cheques"]), "number of offers")
        need({seat for _house, seat in offers} == holders, "who offers")
        need(all(house in hands[seat] for house, seat in offers), "house in hand")
        for (house, seat), cheque in zip(sorted(offers), sorted(sale["cheques"]), strict=True):
            hands[seat].remove(house)
            won[seat].append(cheque)
            events.append(("sold", number, seat, house, cheque))
    need(not any(hands.values()), "houses left")
    return Verdict([won[s] for s in everyone], [notes[s] for s in everyone], events)


def buying_round(
    number: int,
    actions: list[dict[str, Any]],
    table: list[int],
    opener: int,
    notes: dict[int, int],
    hands: dict[int, set[int]],
    kind: Kind,
    events: list[tuple[Any, ...]],
) -> int:
    edition, _variant, players = kind
    *_, refund_up, equal = NUMBERS[edition]
    queue = deque(range(1, players + 1))
    queue.rotate(1 - opener)
    stakes = dict.fromkeys(queue, 0)
    left: list[int] = []
    for step, action in enumerate(actions):
        seat = action["seat"]
        need(len(queue) > 1 and queue[0] == seat, "turn")
        need(("bid" in action) != bool(action.get("pass")), "bid or pass")
        if "bid" not in action:
            left.append(queue.popleft())
            events.append(("pass", number, step, seat, stakes[seat]))
            continue
        bid, top = action["bid"], max(stakes.values())
        need(1 <= bid <= notes[seat], "bid within the banknotes")
        need(bid > top or (equal and bid == top and bid > stakes[seat]), "bid above the last")
        events.append(("bid", number, step, seat, bid, top, notes[seat]))
        stakes[seat] = bid
        queue.rotate(-1)
    need(len(queue) == 1, "round not finished")
    (last,) = queue
    takes: list[int | None] = [None] * (players - len(table))
    takes += table
    for seat, house in zip([*left, last], takes, strict=True):
        stake = stakes[seat]
        paid = 0 if house is None else stake if seat == last else stake // 2 if refund_up else stake - stake // 2
        notes[seat] -= paid
        hands[seat] |= {house} - {None}  # type: ignore[arg-type]
        events.append(("left", number, seat, house, stake, paid))
    return last


def standings(totals: list[int], tie_breaks: list[int]) -> tuple[list[int], list[int], str]:
    """Ranks, winners and what decided, by sorting (total, tie-break) pairs. Same words as the contract."""
    pairs = list(zip(totals, tie_breaks, strict=True))
    in_order = sorted(pairs, reverse=True)
    ranks = [in_order.index(pair) + 1 for pair in pairs]
    winners = [seat for seat, place in enumerate(ranks, 1) if place == 1]
    if len(winners) > 1:
        return ranks, winners, "shared"
    return ranks, winners, "banknotes" if totals.count(max(totals)) > 1 else "total"
