"""The planner in plain Python: `planner.py` again, readable and slow, over what a seat sees (`View`) and nothing else.

Same tries, same chances, same choices as the compiled form, which tests hold it to; the description stands there.
"""

from collections.abc import Sequence
from itertools import accumulate
from typing import Any

from stats.bots import BOTS, Stream, View

MINDS = ("to-six", "spread", "pacer", "counter")
OWN = "counter"
MOST_TRIES, LOOK, SURE = 64, 8, 6


def _shuffled(cards: Sequence[int], chance: Stream) -> list[int]:
    pile: list[int] = []
    for card in cards:
        place = chance.below(len(pile) + 1)
        pile.append(card)
        pile[-1], pile[place] = pile[place], card
    return pile


class _Try:
    """A game that could be, from what a seat sees now; the minds of its seats play it to the end."""

    def __init__(self, view: View, word: int, number: int) -> None:
        self.view = view
        self.chance = Stream.branch(word, number)
        self.is_buying = bool(view.houses)
        self.house_pile = _shuffled(view.unseen_houses if self.is_buying else (), self.chance)
        self.cheque_pile = _shuffled(view.unseen_cheques, self.chance)
        self.minds = [OWN if seat == view.seat else self._mind(view.misses[seat]) for seat in range(len(view.seats))]
        self.notes = [seen.banknotes for seen in view.seats]
        self.stakes = [seen.stake for seen in view.seats]
        self.cash = [seen.cash for seen in view.seats]
        self.hands = [sorted(seen.hand) for seen in view.seats]
        self.table = list(view.houses)
        self.cheques = list(view.cheques)
        self.rounds_left = view.rounds_left

    def _mind(self, misses: Sequence[int]) -> str:
        """One of the minds, four times less likely for each move that it foretold worse than the best of them."""
        weights = list(accumulate(4096 >> min(12, 2 * (missed - min(misses))) for missed in misses))
        chance = self.chance.below(weights[-1])
        return MINDS[sum(weight <= chance for weight in weights)]

    def _sees(self, seat: int, bidding: int = 0) -> View:
        view = self.view
        return View(
            banknotes=self.notes[seat],
            highest=max(self.stakes),
            hand=self.hands[seat],
            stake=self.stakes[seat],
            houses=self.table,
            houseless=bidding > len(self.table),
            unseen_houses=sorted(self.house_pile),
            cheques=self.cheques,
            unseen_cheques=sorted(self.cheque_pile),
            others=[hand for other, hand in enumerate(self.hands) if other != seat and hand],
            rounds_left=self.rounds_left,
            all_rounds=view.all_rounds,
            table_size=view.table_size,
            money=view.money,
            worth=view.worth,
        )

    def play_bid(self, stake: int) -> int:
        """Bid (0: pass), play to the end; how good it is."""
        bidders = [seat for seat, seen in enumerate(self.view.seats) if seen.is_bidding]
        opener = self._bidding(bidders, self.view.seat, stake)
        while self.rounds_left:
            self.rounds_left -= 1
            to_come = len(self.house_pile) - (len(self.view.worth) - self.view.dealt)
            size = min(self.view.table_size, to_come)
            self.table, self.house_pile = sorted(self.house_pile[:size]), self.house_pile[size:]
            self.stakes = [0] * len(self.notes)
            opener = self._bidding(list(range(len(self.notes))), opener)
        self._sales()
        return self._worth()

    def _bidding(self, bidders: list[int], seat: int, forced: int | None = None) -> int:
        while len(bidders) > 1:
            sees = self._sees(seat, len(bidders))
            stake = BOTS[self.minds[seat]].bid(sees, self.chance) if forced is None else forced
            forced = None
            following = bidders[(bidders.index(seat) + 1) % len(bidders)]
            if stake:
                self.stakes[seat] = stake
            else:
                bidders.remove(seat)
                if not sees.houseless:
                    self.notes[seat] -= self.stakes[seat] - self.view.refunds[self.stakes[seat]]
                    self._take(seat)
            seat = following
        self.notes[seat] -= self.stakes[seat]
        self._take(seat)
        return seat

    def _take(self, seat: int) -> None:
        self.hands[seat] = sorted([*self.hands[seat], self.table.pop(0)])

    def play_sale(self, house: int) -> int:
        """Offer the house, play to the end; how good it is."""
        offers = {house: self.view.seat}
        for seat, hand in enumerate(self.hands):
            if hand and seat != self.view.seat:
                offers[BOTS[self.minds[seat]].sell(self._sees(seat), self.chance)] = seat
        self._settle(offers)
        self._sales()
        return self._worth()

    def _sales(self) -> None:
        while any(self.hands):
            holders = [seat for seat, hand in enumerate(self.hands) if hand]
            size = len(holders) if len(holders) > 1 else len(self.hands[holders[0]])
            self.cheques, self.cheque_pile = sorted(self.cheque_pile[:size]), self.cheque_pile[size:]
            if len(holders) == 1:
                self._settle(dict.fromkeys(self.hands[holders[0]], holders[0]))
            else:
                self._settle({BOTS[self.minds[s]].sell(self._sees(s), self.chance): s for s in holders})

    def _settle(self, offers: dict[int, int]) -> None:
        for house, cheque in zip(sorted(offers), self.cheques, strict=True):
            self.cash[offers[house]] += cheque
            self.hands[offers[house]] = [other for other in self.hands[offers[house]] if other != house]

    def _worth(self) -> int:
        """The lead over the best other seat, up to 10, and as much again for the win, half of it for a shared one."""
        mine, *others = sorted(
            ((cash + notes, notes) for cash, notes in zip(self.cash, self.notes, strict=True)), reverse=True
        )
        own = self.cash[self.view.seat] + self.notes[self.view.seat], self.notes[self.view.seat]
        best = others[0] if own == mine else mine
        lead = max(-10, min(10, own[0] - best[0]))
        return 4 * lead + (40 if own > best else 20 if own == best else 0)


def bid(view: View, stream: Stream) -> int:
    """Raise by 1 where that does better than passing, over the tries."""
    if view.highest >= view.banknotes:
        return 0
    word = stream.draw()
    ahead = squares = 0
    for number in range(1, MOST_TRIES + 1):
        raised, passed = (_Try(view, word, number).play_bid(stake) for stake in (view.highest + 1, 0))
        ahead += raised - passed
        squares += (raised - passed) ** 2
        if number % LOOK == 0 and ahead**2 * (number - 1) > SURE * (number * squares - ahead**2):
            break
    return view.highest + 1 if ahead > 0 else 0


def sell(view: View, stream: Stream) -> int:
    """The house that does best over the tries; the worse half of those left drops out at each look."""
    hand = list(view.hand)
    if len(hand) == 1:
        return hand[0]
    word = stream.draw()
    sums = dict.fromkeys(hand, 0)
    number, until = 0, LOOK
    while len(hand) > 1:
        while number < until:
            number += 1
            for house in hand:
                sums[house] += _Try(view, word, number).play_sale(house)
        for _dropped in range(len(hand) // 2):
            hand.remove(min(hand, key=lambda house: sums[house]))
        until *= 2
    return hand[0]


def missed_bids(view: View, stream: Stream, stake: int) -> list[int]:
    """For each mind 1 where it would have passed for a bid, or bid for a pass."""
    return [int((BOTS[mind].bid(view, stream) > 0) != (stake > 0)) for mind in MINDS]


def missed_sales(view: View, stream: Stream, house: int) -> list[Any]:
    """For each mind 1 where it would have sold another house; what sells at random is never wrong."""
    return [0, *(int(BOTS[mind].sell(view, stream) != house) for mind in MINDS[1:])]
