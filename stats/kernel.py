"""The fast form of For Sale: whole games by the million, compiled by Numba.

The same rules as `forsale_api.rules.for_sale`, written for speed: a game is one record of integers, sets of cards are
bit masks, nothing is allocated. No rule number is typed here: whoever calls fills the record's first fields (players,
cards dealt, houses a round, banknotes, what each stake refunds, what each cheque is worth) from the edition. A traced
build reports every step, and a test replays those steps through the readable rules.

Three floors: `block` plays a range of games and counts them; `play` is one game (deal, auctions, sales); below are
the bots, as `bid` and `sell`. Counting (`tally`) only reads a finished game.

Random numbers: SplitMix64 (Steele, Lea, Flood 2014). The stream of a game starts at mix(mix(seed) + GOLDEN*(index+1)),
so a game depends on (seed, index) alone and any split of a range into chunks counts the same. The deal draws first,
then the opener: the same deal meets every line-up of bots.

Numba traps minded here: uint64 and int64 together become float64, so the stream stays uint64 throughout; compiled code
is kept in a folder named by a hash of this file, because Numba itself looks only at a file's time and size.
"""

# mypy: disable-error-code="no-untyped-def, import-untyped, attr-defined"
# (Numba types the compiled functions itself, from the records they are given.)

import hashlib
import logging
import os
import sys
import tempfile
import threading
import types as python_types
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numba
import numpy as np
from llvmlite import binding as llvm
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic

from stats import summary
from stats.summary import CARDS, COUNTS, LAST, SEATS, STAKES

logger = logging.getLogger(__name__)

# What a build of its own freezes into the machine code (see `build`); 0 leaves the number of players to the record.
FROZEN: dict[str, Any] = globals().get("FROZEN", {})
PLAYERS: int = FROZEN.get("players", 0)
TRACE: bool = FROZEN.get("trace", False)

BOTS = ("random", "coin-flip", "to-six", "spread", "pacer", "counter", "planner")
RANDOM, COIN_FLIP, TO_SIX, SPREAD, PACER, COUNTER, PLANNER = range(len(BOTS))
CASTS = (3, 6, 7)
"""How many of the bots a build knows: fewer of them compile sooner, and play a little faster."""
CAST: int = FROZEN.get("cast", 3)
REMEMBERS = CAST > 3  # whether any bot looks back at the cards seen
PLANS = CAST > 6  # whether any bot plays on in its mind
IMAGINED: bool = FROZEN.get("imagined", False)  # whether this build is what it plays on there: rules without `block`

# pdep finds the r-th card of a hand in one step; a processor without it, or slow at it, takes the longer way.
HAS_PDEP = (
    bool(llvm.get_host_cpu_features().get("bmi2"))
    and llvm.get_host_cpu_name() not in ("znver1", "znver2")
    and not numba.config.CPU_NAME
    and not numba.config.CPU_FEATURES
)

SOURCE = Path(__file__)
_DECIDING = (
    SOURCE.read_text(),
    Path(summary.__file__).read_text(),
    SOURCE.with_name("planner.py").read_text() if PLANS else "",
    HAS_PDEP,
    sorted(FROZEN.items()),
)
SOURCE_HASH = hashlib.sha256(repr(_DECIDING).encode()).hexdigest()[:16]


def cache_folder() -> Path | None:
    """The folder for compiled code, made if need be; None where no place is writable (then each process compiles).

    In order: NUMBA_CACHE_DIR, the user's cache folder, beside this file. The folder's name carries SOURCE_HASH, so a
    changed kernel, or another frozen build of it, never meets old machine code.
    """
    named = os.environ.get("NUMBA_CACHE_DIR")
    home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    for base in [Path(named)] if named else [Path(home, "forsale"), SOURCE.parent / "__pycache__"]:
        folder = base / f"kernel-{SOURCE_HASH}"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            tempfile.TemporaryFile(dir=folder).close()
        except OSError:
            continue
        return folder
    logger.warning("No writable folder for compiled code; set NUMBA_CACHE_DIR. Every process compiles anew.")
    return None


CACHE = cache_folder()
inlined = njit(inline="always", error_model="numpy")

# --- records ---------------------------------------------------------------------------------------------------------

ROUNDS = 10
i8, u8 = np.int64, np.uint64
u1 = np.uint8  # where a field serves as an index: unsigned, it needs no test for negative ones
GAME = np.dtype(
    [
        ("pad", i8, 16),  # records of two threads never share a cache line
        # the kind of game, filled by the caller
        ("players", i8),
        ("deck", i8),  # cards in each pile
        ("dealt", i8),  # of them in play
        ("table_size", i8),  # houses revealed a round, fewer where the pile runs out
        ("all_rounds", i8),  # buying rounds of the game
        ("money", i8),  # each seat's banknotes at the start
        ("opener", i8),  # seat from 0, or -1: drawn
        ("bots", i8, SEATS),
        ("refund", i8, STAKES),  # by stake, what a passer takes back
        ("worth", i8, CARDS),  # by cheque card, ascending
        # the game in hand
        ("rng", u8),
        ("word", u8),
        ("first", i8),  # who opened the first auction
        ("price", i8),  # the highest stake
        ("houses", i8),  # on the table, a mask
        ("cheques", i8),  # on the table, a mask of cards
        ("unseen_houses", i8),  # never revealed so far, kept where a bot looks at it
        ("unseen_cheques", i8),
        ("notes", i8, SEATS),
        ("stake", i8, SEATS),
        ("hand", i8, SEATS),  # masks of houses
        ("cash", i8, SEATS),  # cheques' worth
        ("expected", i8),  # 1 once `counter` has made up its mind on this sale
        ("guess", i8, SEATS),  # where in its hand it expects a seat's offer, twice and 1 more
        ("slope", i8, SEATS),
        ("active", i8),  # where the game stands, and how often each mind was wrong about a seat, for `planner`
        ("left", i8),
        ("size", i8),
        ("at", i8),
        ("misses", i8, (SEATS, 4)),
        ("house_pile", u1, CARDS),
        ("cheque_pile", u1, CARDS),
        # what the tally reads, by house or by round
        ("owner", u1, CARDS),
        ("taken", u1, CARDS),  # the taker's stake, + LAST if it paid it whole
        ("fetched", u1, CARDS),
        ("rounds", i8),
        ("spread", u1, ROUNDS),  # highest house less lowest
        ("paid", u1, ROUNDS),  # by the round's last seat
        ("empty", i8),  # passers who got no house
        ("empty_stake", u1, ROUNDS),
        ("scooped", i8),
    ]
    + ([("steps", i8), ("step", np.int16, (1024, 3))] if TRACE else [])
    + [("pad_end", i8, 16)],
    align=True,
)

# --- bits and random numbers -----------------------------------------------------------------------------------------


def _llvm(name: str) -> Any:
    """A one-instruction function on int64: an LLVM intrinsic that Numba does not offer."""

    @intrinsic
    def function(_context: Any, _x: Any) -> Any:
        def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
            word, flags = ir.IntType(64), [] if name == "llvm.ctpop" else [ir.Constant(ir.IntType(1), 1)]
            kind = ir.FunctionType(word, [word, *(flag.type for flag in flags)])
            return builder.call(builder.module.declare_intrinsic(name, [word], kind), [*arguments, *flags])

        return types.int64(types.int64), generate

    return function


count_bits = _llvm("llvm.ctpop")
lowest = _llvm("llvm.cttz")  # index of the lowest set bit; the mask must not be 0
leading = _llvm("llvm.ctlz")

GOLDEN = u8(0x9E3779B97F4A7C15)
MIX_A = u8(0xBF58476D1CE4E5B9)
MIX_B = u8(0x94D049BB133111EB)
U27, U30, U31, U32, LOW = u8(27), u8(30), u8(31), u8(32), u8(0xFFFFFFFF)

SELECT = np.array(  # [r, byte]: the index of set bit number r
    [[([b for b in range(8) if byte >> b & 1] + [0] * 8)[r] for byte in range(256)] for r in range(8)], u1
)


def _next_seat(active: int, seat: int) -> int:
    after = (s % SEATS for s in range(seat + 1, seat + 1 + SEATS))
    return next((s for s in after if active >> s & 1), 0)


NEXT = np.array(  # [seats still bidding, seat]: who is next, clockwise
    [[_next_seat(active, seat) for seat in range(8)] for active in range(1 << SEATS)], u1
)


@inlined
def mix(z):
    z = (z ^ (z >> U30)) * MIX_A
    z = (z ^ (z >> U27)) * MIX_B
    return z ^ (z >> U31)


@inlined
def draw(g):
    """The next word of the game's stream; it was made one call ago, so that no decision has to wait for it."""
    word = g.word
    g.rng += GOLDEN
    g.word = mix(g.rng)
    return word


@inlined
def begin_stream(g, start, index):
    """Set the stream to that of a game; `start` is the mixed seed."""
    g.rng = mix(start + GOLDEN * u8(index + 1))
    draw(g)


@inlined
def below(g, n):
    """Uniform in 0..n-1 (multiply and shift; the bias is below n / 2**32)."""
    return i8(((draw(g) >> U32) * u8(n)) >> U32)


@inlined
def highest(mask):
    return 63 - leading(mask)


def _spread_bits() -> Any:
    """The x86 instruction pdep: the bits of its first argument, laid onto the set bits of its second."""

    @intrinsic
    def function(_context: Any, _bits: Any, _mask: Any) -> Any:
        def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
            word = ir.IntType(64)
            pdep = ir.FunctionType(word, [word, word])
            return builder.call(builder.module.declare_intrinsic("llvm.x86.bmi.pdep.64", (), pdep), arguments)

        return types.int64(types.int64, types.int64), generate

    return function


spread_bits = _spread_bits()


@inlined
def select_by_pdep(mask, r):
    """The index of set bit number r of a mask."""
    return lowest(spread_bits(1 << r, mask))


@inlined
def select_by_table(mask, r):
    """The same for a mask of up to 32 cards on any processor: prefix sums over its bytes, then a table."""
    sums = mask - ((mask >> 1) & 0x55555555)
    sums = (sums & 0x33333333) + ((sums >> 2) & 0x33333333)
    sums = ((sums + (sums >> 4)) & 0x0F0F0F0F) * 0x01010101
    # bytes whose prefix sum is at most r lie wholly below the bit: their number gives the byte that holds it
    below_it = (((r * 0x01010101) | 0x80808080) - (sums & 0x7F7F7F7F)) & 0x80808080
    shift = count_bits(below_it) * 8
    return shift + i8(SELECT[r - (((sums << 8) >> shift) & 0xFF), (mask >> shift) & 0xFF])


select = select_by_pdep if HAS_PDEP else select_by_table


# --- bots, each as in bots.py ----------------------------------------------------------------------------------------
# bid(g, seat, houseless) -> the new stake, or 0 to pass, which brings no house if `houseless`; sell(g, seat) -> a house
# of the hand. They look at nothing but what lies on the table, what a seat bought and paid, and their own banknotes.


@inlined
def bid_random(g, seat):
    room = g.notes[seat] - g.price
    if room < 1:
        return 0
    choice = below(g, min(room, 3) + 1)
    return g.price + choice if choice > 0 else 0


@inlined
def bid_coin_flip(g, seat):
    room = g.notes[seat] - g.price
    if room < 1:
        return 0
    choice = below(g, 4)  # 0 and 1 pass, 2 and 3 raise by 1 and 2
    return 0 if choice < 2 else g.price + min(room, choice - 1)


@inlined
def bid_to_six(g, seat):
    return g.price + 1 if g.price < min(6, g.notes[seat]) else 0


@inlined
def gain(g, houseless):
    """What the highest house on the table is worth beyond the one that a pass brings, by their cheques in order."""
    return g.worth[highest(g.houses)] - (0 if houseless else g.worth[lowest(g.houses)])


@inlined
def raise_within(g, seat, most, share, parts):
    """Raise by 1 as long as the new bid, less the half that a pass loses anyway, is within `most` and share / parts."""
    risk = g.price + 1 - (g.stake[seat] >> 1)
    return g.price + 1 if g.price < g.notes[seat] and risk <= most and risk * parts <= share else 0


@inlined
def bid_spread(g, seat, houseless):
    spread = highest(g.houses) - (-1 if houseless else lowest(g.houses))
    affordable = g.price < g.notes[seat]
    return g.price + 1 if affordable and (g.price + 1) * 8 * g.all_rounds <= spread * g.money else 0


@inlined
def bid_pacer(g, seat, houseless):
    now = gain(g, houseless)
    later = 8 * (g.all_rounds - g.rounds - 1)
    return raise_within(g, seat, now, 13 * g.notes[seat] * now, 8 * (now + later))


@inlined
def bid_counter(g, seat, houseless):
    now = gain(g, houseless)
    number = count_bits(g.unseen_houses)
    size = g.table_size
    later = 0
    if g.rounds + 1 < g.all_rounds:
        low = g.worth[select(g.unseen_houses, number // (size + 1))]
        later = g.worth[select(g.unseen_houses, number * size // (size + 1))] - low
        later *= g.all_rounds - g.rounds - 1
    return raise_within(g, seat, now, 11 * size * g.notes[seat] * now, 4 * (size + 3) * (now + later))


@inlined
def at_range(g, hand):
    """The place in a hand that fits the table of cheques: high where they differ much and the best is good."""
    size = count_bits(hand)
    best = g.worth[highest(g.cheques)]
    return max(0, min(size - 1, size * (3 * best - 2 * g.worth[lowest(g.cheques)] - 8) // 42))


@inlined
def sell_spread(g, seat):
    size = count_bits(g.hand[seat])
    spread = g.worth[highest(g.cheques)] - g.worth[lowest(g.cheques)]
    return select(g.hand[seat], min(size - 1, size * spread // 16))


@inlined
def sell_pacer(g, seat):
    return select(g.hand[seat], at_range(g, g.hand[seat]))


@inlined
def expect_offers(g):
    """What `counter` expects of every seat, alike for all who look: once a sale instead of once a house."""
    g.expected = 1
    for s in range(SEATS):  # all of them: who is not there has no hand, and a loop of fixed length runs side by side
        size = count_bits(g.hand[s])
        g.guess[s] = 2 * at_range(g, g.hand[s]) + 1 if size else 1 << 10
        g.slope[s] = 512 // max(1, size)


@inlined
def offers_lower(g, seat, lower):
    """How likely a seat offers one of its houses `lower`, in 256ths."""
    ahead = 2 * count_bits(g.hand[seat] & lower) - g.guess[seat]
    return max(0, min(256, 128 + ahead * g.slope[seat]))


@inlined
def sell_counter(g, seat):
    """The house whose likely cheque now most exceeds two thirds of its cheque later."""
    if g.expected == 0:
        expect_offers(g)
    others = 0
    for s in range(players(g)):
        others |= g.hand[s]
    number = count_bits(others)
    left = count_bits(g.unseen_cheques)
    last = count_bits(g.cheques) - 1
    choice = 0
    best = -(1 << 20)
    hand = g.hand[seat]
    while hand != 0:
        house = lowest(hand)
        hand &= hand - 1
        lower = (1 << house) - 1
        place = -offers_lower(g, seat, lower)  # how many of the others offer a lower house, in 256ths
        for s in range(SEATS):
            place += offers_lower(g, s, lower)
        worse = g.worth[select(g.cheques, place >> 8)]
        better = g.worth[select(g.cheques, min(last, (place >> 8) + 1))]
        value = 3 * (256 * worse + (better - worse) * (place & 255))
        if left > 0:
            value -= 512 * g.worth[select(g.unseen_cheques, count_bits(others & lower) * left // number)]
        if value > best:
            best = value
            choice = house
    return choice


@inlined
def bid_simply(g, seat, houseless):
    bot = g.bots[seat]
    if bot == RANDOM:
        return bid_random(g, seat)
    if bot == COIN_FLIP:
        return bid_coin_flip(g, seat)
    return bid_to_six(g, seat)


@inlined
def sell_simply(g, seat):
    return select(g.hand[seat], below(g, count_bits(g.hand[seat])))


@inlined
def bid_by_rule(g, seat, houseless):
    bot = g.bots[seat]
    if bot == SPREAD:
        return bid_spread(g, seat, houseless)
    if bot == PACER:
        return bid_pacer(g, seat, houseless)
    if bot == COUNTER:
        return bid_counter(g, seat, houseless)
    return bid_simply(g, seat, houseless)


@inlined
def sell_by_rule(g, seat):
    bot = g.bots[seat]
    if bot == SPREAD:
        return sell_spread(g, seat)
    if bot == PACER:
        return sell_pacer(g, seat)
    if bot == COUNTER:
        return sell_counter(g, seat)
    return sell_simply(g, seat)


if IMAGINED:
    bid, sell = (njit(error_model="numpy")(rule.py_func) for rule in (bid_by_rule, sell_by_rule))
elif PLANS:
    from stats import planner

    imagined = sys.modules["stats.kernel"].build(cast=6, imagined=True, trace=TRACE)
    watch_bid, watch_sale, plan_bid, plan_sale = planner.moves(imagined)

    @inlined
    def bid(g, seat, houseless):
        return plan_bid(g, seat) if g.bots[seat] == PLANNER else imagined.bid(g, seat, houseless)

    @inlined
    def sell(g, seat):
        return plan_sale(g, seat) if g.bots[seat] == PLANNER else imagined.sell(g, seat)
elif REMEMBERS:
    bid, sell = bid_by_rule, sell_by_rule
else:
    bid, sell = bid_simply, sell_simply


# --- the rules -------------------------------------------------------------------------------------------------------


@inlined
def players(g):
    return PLAYERS if PLAYERS else g.players


@inlined
def note(g, what, seat, value):
    """Report a step (traced builds only): `what` is one of `STEPS`, `seat` a seat or a place in the pile."""
    if TRACE:
        g.step[g.steps, 0] = what
        g.step[g.steps, 1] = seat
        g.step[g.steps, 2] = value
        g.steps += 1


STEPS = REVEAL_HOUSE, BID, PASS, REVEAL_CHEQUE, OFFER, SCOOP = range(6)


@inlined
def deal(g):
    """Shuffle both piles; the first `dealt` cards of each are in play, the others are the ones set aside."""
    for k in range(g.deck):
        word = draw(g)  # the high half places a house, the low half a cheque
        place = i8(((word >> U32) * u8(k + 1)) >> U32)
        g.house_pile[k] = g.house_pile[place]
        g.house_pile[place] = k
        place = i8(((word & LOW) * u8(k + 1)) >> U32)
        g.cheque_pile[k] = g.cheque_pile[place]
        g.cheque_pile[place] = k
    g.first = g.opener if g.opener >= 0 else below(g, players(g))
    for seat in range(players(g)):
        g.notes[seat] = g.money
        g.hand[seat] = 0
        g.cash[seat] = 0
        if PLANS:
            for model in range(4):
                g.misses[seat, model] = 0
    g.unseen_houses = (1 << g.deck) - 1
    g.unseen_cheques = (1 << g.deck) - 1
    g.rounds = 0
    g.empty = 0
    g.scooped = 0
    if TRACE:
        g.steps = 0


@inlined
def take(g, seat, how):
    """The seat takes the lowest house of the table."""
    house = lowest(g.houses)
    g.houses &= g.houses - 1
    g.hand[seat] |= 1 << house
    g.owner[house] = seat
    g.taken[house] = how


@inlined
def leave(g, seat, houseless):
    """A pass: the first ones of a short table take their stake back and no house, the others half and the lowest."""
    note(g, PASS, seat, 0)
    stake = g.stake[seat]
    if houseless:
        g.empty_stake[g.empty] = stake
        g.empty += 1
    else:
        g.notes[seat] -= stake - g.refund[stake]
        take(g, seat, stake)


@inlined
def auction(g, seat, size):
    """One round from the opener `seat` over the houses on the table; gives the seat that took the highest."""
    n = players(g)
    g.price = 0
    for s in range(n):
        g.stake[s] = 0
    return bidding(g, seat, (1 << n) - 1, n, size)


@inlined
def bidding(g, seat, active, left, size):
    """The round from the turn of `seat` on; `active` is the mask of the `left` seats still bidding."""
    while left > 1:
        if PLANS:
            g.active = active
            g.left = left
            g.size = size
        stake = bid(g, seat, left > size)
        if PLANS:
            watch_bid(g, seat, stake, left > size)
        if stake > 0:
            note(g, BID, seat, stake)
            g.stake[seat] = stake
            g.price = stake
        else:
            active ^= 1 << seat
            leave(g, seat, left > size)
            left -= 1
        seat = i8(NEXT[active, seat])
    stake = g.stake[seat]
    g.notes[seat] -= stake
    g.paid[g.rounds] = stake
    take(g, seat, stake + LAST)
    return seat


@inlined
def auctions_from(g, seat, at):
    """The buying rounds from place `at` in the pile on; `seat` opens."""
    while at < g.dealt:
        size = min(g.table_size, g.dealt - at)
        g.houses = 0
        for k in range(at, at + size):
            g.houses |= 1 << i8(g.house_pile[k])
            note(g, REVEAL_HOUSE, g.rounds, g.house_pile[k])
        at += size
        if REMEMBERS:
            g.unseen_houses ^= g.houses
        g.spread[g.rounds] = highest(g.houses) - lowest(g.houses)
        if PLANS:
            g.at = at
        seat = auction(g, seat, size)
        g.rounds += 1


@inlined
def settle(g, offers):
    """The lowest house gets the lowest cheque, and so on up."""
    while offers != 0:
        house = lowest(offers)
        worth = g.worth[lowest(g.cheques)]
        seat = g.owner[house]
        g.fetched[house] = worth
        g.cash[seat] += worth
        g.hand[seat] ^= 1 << house
        offers &= offers - 1
        g.cheques &= g.cheques - 1


@inlined
def sales_from(g, at):
    """The selling rounds from place `at` in the pile on."""
    n = players(g)
    while at < g.dealt:
        sellers = 0
        for s in range(n):
            if g.hand[s] != 0:
                sellers += 1
        size = sellers if sellers > 1 else g.dealt - at
        g.cheques = 0
        for k in range(at, at + size):
            g.cheques |= 1 << i8(g.cheque_pile[k])
            note(g, REVEAL_CHEQUE, at, g.worth[g.cheque_pile[k]])
        at += size
        if REMEMBERS:
            g.unseen_cheques ^= g.cheques
            g.expected = 0
        if PLANS:
            g.at = at
        offers = 0
        for s in range(n):
            if g.hand[s] == 0:
                continue
            if sellers == 1:  # a lone holder scoops; its houses count as sold in order
                note(g, SCOOP, s, 0)
                offers = g.hand[s]
                g.scooped = size
            else:
                house = sell(g, s)
                note(g, OFFER, s, house)
                offers |= 1 << house
        if PLANS:
            watch_sale(g, offers)
        settle(g, offers)


@inlined
def play(g, start, index):
    """One whole game: `start` is the mixed seed."""
    begin_stream(g, start, index)
    deal(g)
    auctions_from(g, g.first, 0)
    sales_from(g, 0)


# --- counting --------------------------------------------------------------------------------------------------------


@inlined
def tally_places(g, c):
    """Ranks, winners, how it was decided and by how much, all from the pair (total, banknotes)."""
    n = players(g)
    best = 0
    for s in range(n):
        best = max(best, (g.cash[s] + g.notes[s]) * STAKES + g.notes[s])
    top = best // STAKES
    leaders = 0
    winners = 0
    second = 0
    for s in range(n):
        total = g.cash[s] + g.notes[s]
        if total == top:
            leaders += 1
            if g.notes[s] == best % STAKES:
                winners += 1
        else:
            second = max(second, total)
    c.winning_total[top] += 1
    c.margin[top - second if leaders == 1 else 0] += 1
    c.decided_by[0 if leaders == 1 else (1 if winners == 1 else 2)] += 1
    for s in range(n):
        mine = (g.cash[s] + g.notes[s]) * STAKES + g.notes[s]
        rank = 0
        for other in range(n):
            if (g.cash[other] + g.notes[other]) * STAKES + g.notes[other] > mine:
                rank += 1
        c.rank[s, rank] += 1
        if rank == 0:
            c.win[s, winners - 1] += 1
            c.position_win[s - g.first if s >= g.first else s - g.first + n, winners - 1] += 1
    if leaders > 1:
        for s in range(n):
            if g.cash[s] + g.notes[s] == top:
                share = winners if g.notes[s] == best % STAKES else 0
                c.tie[s, leaders - 1, share] += 1
                c.position_tie[s - g.first if s >= g.first else s - g.first + n, leaders - 1, share] += 1


@inlined
def tally_cards(g, c):
    """Prices and cheques by house, prices by spread, what was refunded, how many houses a seat bought."""
    for k in range(g.dealt):
        house = g.house_pile[k]
        c.taken[house, g.taken[house]] += 1
        c.fetched[house, g.fetched[house]] += 1
        g.hand[g.owner[house]] += 1  # empty after the sales: now a count of houses
    for k in range(g.rounds):
        c.spread[g.spread[k], g.paid[k]] += 1
    for k in range(g.empty):
        c.empty[g.empty_stake[k]] += 1
    c.scoop[g.scooped] += 1


@inlined
def tally(g, c):
    c.games += 1
    tally_cards(g, c)
    tally_places(g, c)
    notes = 0
    cheques = 0
    for s in range(players(g)):
        c.total[s, g.cash[s] + g.notes[s]] += 1
        c.banknotes[s, g.notes[s]] += 1
        c.seat_cheques[g.cash[s]] += 1
        c.seat_houses[g.hand[s]] += 1
        notes += g.notes[s]
        cheques += g.cash[s]
    c.game_total[notes + cheques] += 1
    c.game_banknotes[notes] += 1
    c.game_cheques[cheques] += 1


def block(games, counts, seed, first, number):
    """Play games first..first+number-1 of the stream `seed` in games[0] and add them to counts[0]; without the GIL."""
    g = games[0]
    c = counts[0]
    start = mix(seed)
    for index in range(first, first + number):
        play(g, start, index)
        if not TRACE:
            tally(g, c)


if not IMAGINED:
    numba.config.CACHE_DIR = str(CACHE or "")
    block = njit(
        numba.void(numba.from_dtype(GAME)[::1], numba.from_dtype(COUNTS)[::1], types.uint64, types.int64, types.int64),
        nogil=True,
        cache=CACHE is not None,
        error_model="numpy",
    )(block)
    numba.config.CACHE_DIR = ""


_building = threading.RLock()  # a build is for one thread at a time; that of the planner asks for another within it


def build(**frozen: Any) -> python_types.ModuleType:
    """This module once more: `players` frozen into its machine code (faster), `trace=True` (step by step), or a `cast`.

    Counts are identical. Each build compiles by itself, once, and is kept in a folder of its own.
    """
    name = f"{__name__}[{','.join(f'{key}={frozen[key]}' for key in sorted(frozen))}]"
    with _building:
        if name not in sys.modules:
            module = python_types.ModuleType(name)
            module.__dict__.update(__file__=str(SOURCE), FROZEN=frozen)
            sys.modules[name] = module  # before the code runs: Numba looks its module up by name
            try:
                exec(compile(SOURCE.read_text(), str(SOURCE), "exec"), module.__dict__)  # noqa: S102 - our own source
            except BaseException:
                del sys.modules[name]
                raise
        return sys.modules[name]


def build_for(bots: Iterable[str], **frozen: Any) -> python_types.ModuleType:
    """The build that knows these bots and has the least to compile."""
    needed = max(map(BOTS.index, bots)) + 1
    cast = next(cast for cast in CASTS if cast >= needed)
    if cast > 3:
        frozen["cast"] = cast
    return build(**frozen) if frozen else sys.modules[__name__]
