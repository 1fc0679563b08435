"""The deals of a fair price, compiled on the kernel: what `fair_price.sums_readable` plays, a thousand times faster.

Same cards, same chances, same sums, deal by deal; a test holds the two together. The auctions and sales of the kernel
are played, by a build of it without its counting. Numba is imported with this module: import it where deals are played.
"""

# mypy: disable-error-code="no-untyped-def, import-untyped, attr-defined, assignment"
# (Numba types the compiled functions itself.)

import hashlib
from pathlib import Path
from typing import Any

import numba
import numpy as np
from numba import njit, types

from stats import kernel

k = kernel.build(cast=6, imagined=True)
SEATS = k.SEATS
HASH = hashlib.sha256(f"{k.SOURCE_HASH}{Path(__file__).read_text()}".encode()).hexdigest()[:16]

TABLE = np.dtype(
    [
        ("houses", np.int64),  # open, a mask
        ("rounds", np.int64),  # buying rounds before this one
        ("notes", np.int64, SEATS),  # -1: what bots have left
        ("stakes", np.int64, SEATS),  # -1: has passed
        ("seed", np.uint64),
    ],
    align=True,
)
SUMS = 4
"""By price: sum and sum of squares of the gain in total, then in wins (60ths)."""
inlined = njit(inline="always", error_model="numpy")


@inlined
def gone(g, t, number):
    """The houses of those who have passed: as many as are missing, the first of the pile below all open ones."""
    houses = 0
    for place in range(g.deck):
        card = np.int64(g.house_pile[place])
        if number > 0 and card < k.lowest(t.houses):
            houses |= 1 << card
            number -= 1
    return houses


@inlined
def lay(g, table, at, size):
    """Put the houses of the table where their round begins, the others before and after them in their order."""
    others = 0
    for place in range(g.deck):
        card = g.house_pile[place]
        if table >> np.int64(card) & 1 == 0:
            g.house_pile[others] = card
            others += 1
    for place in range(others - 1, at - 1, -1):
        g.house_pile[place + size] = g.house_pile[place]
    for place in range(at, at + size):
        g.house_pile[place] = k.lowest(table)
        table &= table - 1


@njit(error_model="numpy")
def before(g, t, index):
    """The game up to the table; gives the seats still bidding, a mask."""
    k.begin_stream(g, k.mix(t.seed), index)
    k.deal(g)
    at = t.rounds * g.table_size
    size = min(g.table_size, g.dealt - at)
    table = t.houses | gone(g, t, size - k.count_bits(t.houses))
    lay(g, table, at, size)
    dealt = g.dealt
    g.dealt = at
    k.auctions_from(g, g.first, 0)
    g.dealt = dealt
    g.houses = table
    g.unseen_houses ^= table
    g.price = 0
    left = g.players
    active = (1 << left) - 1
    for s in range(g.players):
        g.stake[s] = 0
        if t.notes[s] >= 0:
            g.notes[s] = t.notes[s]
    for s in range(g.players):
        if t.stakes[s] < 0:
            active ^= 1 << s
            k.leave(g, s, left > size)
            left -= 1
    for s in range(g.players):
        if t.stakes[s] > 0:
            g.notes[s] = max(g.notes[s], t.stakes[s])
            g.stake[s] = t.stakes[s]
            g.price = t.stakes[s]  # they rise from seat to seat
    return active


@njit(error_model="numpy")
def after(h, t, index, active, price):
    """To the end of the game, after taking the best house at a price or passing (0); gives the first seat's wins."""
    k.begin_stream(h, k.mix(t.seed + np.uint64(1)), index)
    at = t.rounds * h.table_size
    size = min(h.table_size, h.dealt - at)
    left = k.count_bits(active)
    seat = 0
    if price > 0:
        h.stake[0] = price
        h.price = price
        for s in range(1, h.players):
            if active >> s & 1:
                active ^= 1 << s
                k.leave(h, s, left > size)
                left -= 1
    else:
        active ^= 1
        k.leave(h, 0, left > size)
        left -= 1
        seat = np.int64(k.NEXT[active, 0])
    opener = k.bidding(h, seat, active, left, size)
    h.rounds += 1
    k.auctions_from(h, opener, at + size)
    k.sales_from(h, 0)
    mine = (h.cash[0] + h.notes[0]) * k.STAKES + h.notes[0]
    winners = 1
    for s in range(1, h.players):
        other = (h.cash[s] + h.notes[s]) * k.STAKES + h.notes[s]
        if other > mine:
            return 0
        if other == mine:
            winners += 1
    return 60 // winners


def play_deals(games, tables, prices, first, number, sums):
    """Deals first..first+number-1 into `sums`: first the totals after passing, then `SUMS` by price.

    `games` are three records, the first filled with the kind of game. Without the GIL.
    """
    t = tables[0]
    for index in range(first, first + number):
        games[1] = games[0]
        active = before(games[1], t, index)
        games[2] = games[1]
        wins = after(games[2], t, index, active, 0)
        total = games[2].cash[0] + games[2].notes[0]
        sums[0] += total
        for place in range(len(prices)):
            games[2] = games[1]
            more = after(games[2], t, index, active, prices[place]) - wins
            gain = games[2].cash[0] + games[2].notes[0] - total
            at = 1 + SUMS * place
            sums[at] += gain
            sums[at + 1] += gain * gain
            sums[at + 2] += more
            sums[at + 3] += more * more


def _folder() -> Path | None:
    """Where the machine code is kept: beside the kernel's, named by both sources, so that it cannot be out of date."""
    return kernel.CACHE and kernel.CACHE.with_name(f"prices-{HASH}")


def compiled() -> Any:
    """`play_deals` in machine code: loaded where it was compiled before, else compiled, which takes some seconds."""
    global _compiled
    with kernel._building:  # which sets Numba's folder for caches too
        if _compiled is None:
            folder = _folder()
            numba.config.CACHE_DIR = str(folder or "")
            game, table, numbers = numba.from_dtype(k.GAME), numba.from_dtype(TABLE), types.int64[::1]
            _compiled = njit(
                numba.void(game[::1], table[::1], numbers, types.int64, types.int64, numbers),
                nogil=True,
                cache=folder is not None,
                error_model="numpy",
            )(play_deals)
            numba.config.CACHE_DIR = ""
    return _compiled


_compiled: Any = None
