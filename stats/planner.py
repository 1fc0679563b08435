"""The strong bot: it plays the rest of the game many times over for each thing it could do, and does the best.

Compiled like the kernel and played on it: `moves` takes a build of the kernel whose bots play the rest, and gives the
functions that a build with the planner calls. A decision goes like this.

1. What a seat cannot know is drawn anew for each try: the order of the houses and cheques still to come, those set
   aside among them, and which of the simple minds (`MODELS`) each other seat has. A mind that foretold a seat's moves
   so far is drawn more often (`watch_bid`, `watch_sale`).
2. From there every choice is tried against the same cards and minds, and the game is played to its end, the planner's
   own later moves by the mind `OWN`.
3. The end is worth what `worth` says. Tries stop early once one choice leads by far.

Nothing hidden is used: cards unseen are shuffled before anything looks at them, banknotes follow from the stakes that
everybody saw, as do houses bought and cheques fetched. The chances come from the game's own stream, one word for each
decision, so a game is the same however a simulation is cut.
"""

# mypy: disable-error-code="no-untyped-def, import-untyped"
# (Numba types the compiled functions itself.)

from types import ModuleType
from typing import Any

import numba
import numpy as np

MOST_TRIES = 64
"""For a bid."""
LOOK = 8
"""Tries between two looks at whether one choice leads by far."""
SURE = 6
"""Far: the square of the lead over its variance."""


def moves(k: ModuleType) -> tuple[Any, ...]:
    """The planner's functions over the kernel build `k`: (watch_bid, watch_sale, bid, sell)."""
    njit = numba.njit(error_model="numpy")
    inlined = numba.njit(inline="always", error_model="numpy")
    first, models, own = k.TO_SIX, 4, k.COUNTER
    game = k.GAME

    @njit
    def watch_bid(g, seat, stake, houseless):
        """Count which minds would have done otherwise than the seat: pass for bid, or bid for pass."""
        bot = g.bots[seat]
        for model in range(models):
            g.bots[seat] = first + model
            if (k.bid(g, seat, houseless) > 0) != (stake > 0):
                g.misses[seat, model] += 1
        g.bots[seat] = bot

    @njit
    def watch_sale(g, offers):
        """The same for the houses offered in a sale, before they leave the hands."""
        for seat in range(g.players):
            if g.hand[seat] & offers == 0:
                continue
            bot = g.bots[seat]
            for model in range(1, models):
                g.bots[seat] = first + model
                if offers >> k.sell(g, seat) & 1 == 0:
                    g.misses[seat, model] += 1
            g.bots[seat] = bot

    @inlined
    def shuffle(h, pile, start, unseen):
        """Lay the unseen cards on the pile from `start` on, in random order, whatever lay there."""
        at = start
        while unseen != 0:
            place = start + k.below(h, at - start + 1)
            pile[at] = pile[place]
            pile[place] = k.lowest(unseen)
            unseen &= unseen - 1
            at += 1

    @inlined
    def draw_mind(h, seat):
        least = h.misses[seat, 0]
        for model in range(1, models):
            least = min(least, h.misses[seat, model])
        total = 0
        for model in range(models):
            total += 4096 >> min(12, 2 * (h.misses[seat, model] - least))
        chance = k.below(h, total)
        choice = 0
        for model in range(models):
            chance -= 4096 >> min(12, 2 * (h.misses[seat, model] - least))
            if chance >= 0:
                choice = model + 1
        return first + choice

    @inlined
    def imagine(h, seat, word, number, houses_from, unseen_houses, cheques_from):
        """Make of the game as it stands one that could be, by the chance `word`, try `number`."""
        k.begin_stream(h, word, number)
        shuffle(h, h.house_pile, houses_from, unseen_houses)
        shuffle(h, h.cheque_pile, cheques_from, h.unseen_cheques)
        for s in range(h.players):
            h.bots[s] = own if s == seat else draw_mind(h, s)

    @inlined
    def worth(h, seat):
        """How good the end is for the seat."""
        mine = (h.cash[seat] + h.notes[seat]) * 64 + h.notes[seat]
        best = 0
        for s in range(h.players):
            if s != seat:
                best = max(best, (h.cash[s] + h.notes[s]) * 64 + h.notes[s])
        lead = max(-10, min(10, (mine >> 6) - (best >> 6)))
        return 4 * lead + (40 if mine > best else (20 if mine == best else 0))

    @njit
    def end_sales(h, at):
        k.sales_from(h, at)

    @njit
    def play_bid(h, seat, stake):
        """Bid (0: pass) and play to the end."""
        active = h.active
        left = h.left
        if stake > 0:
            h.stake[seat] = stake
            h.price = stake
        else:
            active ^= 1 << seat
            k.leave(h, seat, left > h.size)
            left -= 1
        opener = k.bidding(h, np.int64(k.NEXT[active, seat]), active, left, h.size)
        h.rounds += 1
        k.auctions_from(h, opener, h.at)
        end_sales(h, 0)

    @njit
    def play_sale(h, seat, house):
        """Offer the house and play to the end."""
        offers = 1 << house
        for s in range(h.players):
            if s != seat and h.hand[s] != 0:
                offers |= 1 << k.sell(h, s)
        k.settle(h, offers)
        end_sales(h, h.at)

    @njit
    def bid(g, seat):
        if g.price >= g.notes[seat]:
            return 0
        word = k.draw(g)
        hs = np.empty(2, game)
        ahead = 0  # of raising over passing, all tries together
        squares = 0
        for tries in range(1, MOST_TRIES + 1):
            hs[0] = g
            imagine(hs[0], seat, word, tries, g.at, g.unseen_houses, 0)
            hs[1] = hs[0]
            play_bid(hs[0], seat, g.price + 1)
            play_bid(hs[1], seat, 0)
            difference = worth(hs[0], seat) - worth(hs[1], seat)
            ahead += difference
            squares += difference * difference
            if tries % LOOK == 0 and ahead * ahead * (tries - 1) > SURE * (tries * squares - ahead * ahead):
                break
        return g.price + 1 if ahead > 0 else 0

    @njit
    def sell(g, seat):
        hand = g.hand[seat]
        if hand & (hand - 1) == 0:
            return k.lowest(hand)
        word = k.draw(g)
        hs = np.empty(2, game)
        sums = np.zeros(64, np.int64)
        tries = 0
        until = LOOK
        while hand & (hand - 1) != 0:
            while tries < until:
                tries += 1
                hs[0] = g
                imagine(hs[0], seat, word, tries, 0, 0, g.at)
                rest = hand
                while rest != 0:
                    house = k.lowest(rest)
                    rest &= rest - 1
                    hs[1] = hs[0]
                    play_sale(hs[1], seat, house)
                    sums[house] += worth(hs[1], seat)
            for _dropped in range(k.count_bits(hand) // 2):
                worst = k.lowest(hand)
                rest = hand
                while rest != 0:
                    house = k.lowest(rest)
                    rest &= rest - 1
                    if sums[house] < sums[worst]:
                        worst = house
                hand ^= 1 << worst
            until *= 2
        return k.lowest(hand)

    return watch_bid, watch_sale, bid, sell
