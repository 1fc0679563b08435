"""The bots: who plays the simulated games, as readable Python.

Each policy is two functions: `bid` gives the new whole stake or 0 to pass, `sell` gives a house. The kernel has the
same policies compiled; with the same stream of random numbers both take the same decisions, which tests hold them to.
`play` runs a game in the readable rules, move by move.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Self

from forsale_api.rules.for_sale import (
    Bid,
    Edition,
    Offer,
    Pass,
    RevealCheques,
    RevealHouses,
    Scoop,
    State,
    apply,
    cards_dealt,
    houses_on_table,
    is_over,
    refund,
    setup,
    to_move,
)

_WORD = 2**64 - 1
_GOLDEN = 0x9E3779B97F4A7C15


def _mix(z: int) -> int:
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _WORD
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _WORD
    return z ^ (z >> 31)


class Stream:
    """The random numbers of one game: SplitMix64 (Steele, Lea, Flood 2014) begun from (seed, game index) alone."""

    def __init__(self, seed: int, index: int) -> None:
        self.state = _mix((_mix(seed) + _GOLDEN * (index + 1)) & _WORD)

    @classmethod
    def branch(cls, word: int, number: int) -> Self:
        """A stream of its own, begun from a word of another."""
        stream = cls.__new__(cls)
        stream.state = _mix((word + _GOLDEN * (number + 1)) & _WORD)
        return stream

    def draw(self) -> int:
        """The next 64-bit word."""
        self.state = (self.state + _GOLDEN) & _WORD
        return _mix(self.state)

    def below(self, n: int) -> int:
        """Uniform in 0..n-1, from the high half of one word."""
        return ((self.draw() >> 32) * n) >> 32

    def deal(self, cards: int) -> tuple[list[int], list[int]]:
        """Two shuffled piles of the numbers 0..cards-1, one word for a card of each."""
        houses: list[int] = []
        cheques: list[int] = []
        for k in range(cards):
            word = self.draw()
            for pile, half in ((houses, word >> 32), (cheques, word & 0xFFFFFFFF)):
                place = (half * (k + 1)) >> 32
                pile.append(k)
                pile[k], pile[place] = pile[place], k
        return houses, cheques


@dataclass(frozen=True, slots=True)
class Seen:
    """What everybody sees of a seat: its banknotes follow from its stakes, its houses were bought in the open."""

    banknotes: int
    stake: int
    is_bidding: bool
    hand: Sequence[int]
    cash: int
    """The cheques it fetched."""


@dataclass(frozen=True, slots=True)
class View:
    """What a seat sees when it decides. Cards and banknotes as in the rules, all cards lowest first.

    Everything here lies open at a table or can be remembered: which houses a seat bought and sold was seen by all, and
    the cards set aside are among the unseen ones.
    """

    banknotes: int
    highest: int
    """The highest stake of this buying round."""
    hand: Sequence[int]
    stake: int = 0
    """The seat's own."""
    houses: Sequence[int] = ()
    """On the table."""
    houseless: bool = False
    """Whether a pass now brings no house (variant)."""
    unseen_houses: Sequence[int] = ()
    cheques: Sequence[int] = ()
    """On the table."""
    unseen_cheques: Sequence[int] = ()
    others: Sequence[Sequence[int]] = ()
    """The hands of the other seats that hold houses."""
    rounds_left: int = 0
    """Buying rounds after this one."""
    all_rounds: int = 1
    table_size: int = 1
    """Houses of a full buying round."""
    money: int = 0
    """Each seat's banknotes at the start."""
    dealt: int = 0
    """Houses in play, and as many cheques."""
    worth: Sequence[int] = ()
    """The cheque that fits each house, from house 1: all cheques in order."""
    refunds: Sequence[int] = ()
    """By stake, what a passer who takes a house gets back."""
    seat: int = 0
    """The seat's place in `seats`."""
    seats: Sequence[Seen] = ()
    misses: Sequence[Sequence[int]] = ()
    """At a table with the planner: by seat, how often each of the minds it knows was wrong about a move."""

    @property
    def gain(self) -> int:
        """What the highest house on the table is worth beyond the one that a pass brings, by their cheques in order."""
        return self.worth[self.houses[-1] - 1] - (0 if self.houseless else self.worth[self.houses[0] - 1])


@dataclass(frozen=True, slots=True)
class Bot:
    """A playing policy. `bid(view, stream)` is the new whole stake or 0 to pass; `sell(view, stream)` a house."""

    slug: str
    names: Mapping[str, str]
    description: Mapping[str, str]
    bid: Callable[[View, Stream], int]
    sell: Callable[[View, Stream], int]


def sell_random(view: View, stream: Stream) -> int:
    """A house of the hand, each as likely."""
    return view.hand[stream.below(len(view.hand))]


def bid_random(view: View, stream: Stream) -> int:
    """Pass or raise by 1, 2 or 3, each as likely, as far as the banknotes go."""
    room = view.banknotes - view.highest
    if room < 1:
        return 0
    choice = stream.below(min(room, 3) + 1)
    return view.highest + choice if choice else 0


def bid_coin_flip(view: View, stream: Stream) -> int:
    """Pass every other time; else raise by 1 or 2, each as likely, or by 1 where 2 is too much."""
    room = view.banknotes - view.highest
    if room < 1:
        return 0
    choice = stream.below(4)
    return 0 if choice < 2 else view.highest + min(room, choice - 1)


def bid_to_six(view: View, stream: Stream) -> int:
    """Raise by 1 as long as the new bid is at most 6 and at hand."""
    return view.highest + 1 if view.highest < min(6, view.banknotes) else 0


def _raise_up_to(view: View, limit: int) -> int:
    """Raise by 1 as long as the new bid, less the half that a pass loses anyway, is within the limit."""
    return view.highest + 1 if view.highest < min(view.banknotes, limit + view.stake // 2) else 0


def bid_spread(view: View, stream: Stream) -> int:
    """Raise by 1 up to the even share of the money for a round, times an eighth of the table's spread."""
    spread = view.houses[-1] - (0 if view.houseless else view.houses[0])
    limit = spread * view.money // (8 * view.all_rounds)
    return view.highest + 1 if view.highest < min(view.banknotes, limit) else 0


def sell_spread(view: View, stream: Stream) -> int:
    """The wider the cheques lie apart, the higher the house."""
    size = len(view.hand)
    return view.hand[min(size - 1, size * (view.cheques[-1] - view.cheques[0]) // 16)]


def bid_pacer(view: View, stream: Stream) -> int:
    """Spend in proportion to what the table has to give; a later round is taken to give 8."""
    now, later = view.gain, 8 * view.rounds_left
    return _raise_up_to(view, min(now, 13 * view.banknotes * now // (8 * max(1, now + later))))


def _at_range(view: View, size: int) -> int:
    """The place in a hand of `size` houses that fits the cheques: high where they differ much and the best is good."""
    return max(0, min(size - 1, size * (3 * view.cheques[-1] - 2 * view.cheques[0] - 8) // 42))


def sell_pacer(view: View, stream: Stream) -> int:
    """The house whose place in the hand fits the cheques on the table."""
    return view.hand[_at_range(view, len(view.hand))]


def bid_counter(view: View, stream: Stream) -> int:
    """Spend in proportion, with the later rounds estimated from the houses that nobody has seen yet."""
    now, unseen, size = view.gain, view.unseen_houses, view.table_size
    later = 0
    if view.rounds_left:
        high, low = (unseen[len(unseen) * k // (size + 1)] for k in (size, 1))
        later = view.rounds_left * (view.worth[high - 1] - view.worth[low - 1])
    share = 11 * size * view.banknotes * now // (4 * (size + 3) * max(1, now + later))
    return _raise_up_to(view, min(now, share))


def sell_counter(view: View, stream: Stream) -> int:
    """The house whose likely cheque now most exceeds two thirds of its cheque later."""
    held = sorted([*view.hand, *(house for hand in view.others for house in hand)])

    def value(house: int) -> int:
        place = 0  # how many of the others offer a lower house, in 256ths
        for hand in view.others:
            ahead = 2 * (sum(other < house for other in hand) - _at_range(view, len(hand))) - 1
            place += max(0, min(256, 128 + ahead * (512 // len(hand))))
        worse = view.cheques[place // 256]
        better = view.cheques[min(place // 256 + 1, len(view.cheques) - 1)]
        now = 256 * worse + (better - worse) * (place % 256)
        if not view.unseen_cheques:
            return 3 * now
        return 3 * now - 512 * view.unseen_cheques[held.index(house) * len(view.unseen_cheques) // len(held)]

    return max(view.hand, key=value)


def bid_planner(view: View, stream: Stream) -> int:
    """See `planning`."""
    from stats import planning  # which plays on with the bots above

    return planning.bid(view, stream)


def sell_planner(view: View, stream: Stream) -> int:
    """See `planning`."""
    from stats import planning

    return planning.sell(view, stream)


BOTS: Mapping[str, Bot] = {
    bot.slug: bot
    for bot in (
        Bot(
            "random",
            {"en": "Random", "fr": "Hasard"},
            {
                "en": "Passes or raises by 1, 2 or 3, each as likely; sells a random house.",
                "fr": "Passe ou surenchérit de 1, 2 ou 3 avec la même probabilité ; vend une maison au hasard.",
            },
            bid_random,
            sell_random,
        ),
        Bot(
            "coin-flip",
            {"en": "Coin flip", "fr": "Pile ou face"},
            {
                "en": "Tosses a coin: passes, or raises by 1 or 2; sells a random house.",
                "fr": "Joue à pile ou face : passe, ou surenchérit de 1 ou 2 ; vend une maison au hasard.",
            },
            bid_coin_flip,
            sell_random,
        ),
        Bot(
            "to-six",
            {"en": "Up to six", "fr": "Jusqu’à six"},
            {
                "en": "Raises by 1 as long as the bid stays at 6 or below; sells a random house.",
                "fr": "Surenchérit de 1 tant que la mise ne dépasse pas 6 ; vend une maison au hasard.",
            },
            bid_to_six,
            sell_random,
        ),
        Bot(
            "spread",
            {"en": "Spread", "fr": "Écart"},
            {
                "en": "Bids by the spread of the houses on the table, sells by the spread of the cheques.",
                "fr": "Mise selon l’écart entre les maisons exposées, vend selon l’écart entre les chèques.",
            },
            bid_spread,
            sell_spread,
        ),
        Bot(
            "pacer",
            {"en": "Pacer", "fr": "Économe"},
            {
                "en": "Paces its banknotes over the rounds left, values a house by the cheque that fits it.",
                "fr": "Répartit ses billets sur les manches restantes, estime une maison au chèque de même rang.",
            },
            bid_pacer,
            sell_pacer,
        ),
        Bot(
            "counter",
            {"en": "Card counter", "fr": "Compteur"},
            {
                "en": "Remembers which cards are out and who bought what; sells where its house should rank best.",
                "fr": "Retient les cartes sorties et qui a acheté quoi ; vend là où sa maison se classe le mieux.",
            },
            bid_counter,
            sell_counter,
        ),
        Bot(
            "planner",
            {"en": "Planner", "fr": "Stratège"},
            {
                "en": "Plays the rest of the game many times over in its mind, guessing how the others think.",
                "fr": "Rejoue maintes fois en pensée la fin de partie, en devinant comment pensent les autres.",
            },
            bid_planner,
            sell_planner,
        ),
    )
}
"""The bots on offer, by slug, in the kernel's order."""


def play(
    *,
    edition: Edition,
    variant: str,
    player_count: int,
    bots: Sequence[Bot],
    seed: int,
    index: int,
    opener: int | None = None,
) -> tuple[State, dict[str, Any]]:
    """Play game `index` of the stream `seed` in the readable rules: the final state, and the record of its moves.

    `opener` is a seat from 1, or None: drawn. Raises NotOffered, and IllegalStep if a bot breaks a rule.
    """
    stream = Stream(seed, index)
    house_pile, cheque_pile = stream.deal(edition.houses)
    dealt = cards_dealt(edition, variant, player_count)
    houses = [card + 1 for card in house_pile[:dealt]]
    cheques = [edition.cheques[card] for card in cheque_pile[:dealt]]
    first = stream.below(player_count) + 1 if opener is None else opener
    table = _Table(setup(edition, variant, player_count, first), bots, stream)
    record: dict[str, Any] = {"first_seat": first, "auctions": [], "sales": []}
    while table.state.is_buying:
        record["auctions"].append(table.auction(houses))
    while not is_over(table.state):
        record["sales"].append(table.sale(cheques))
    return table.state, record


def view(state: State, seat: int, misses: Sequence[Sequence[int]] = ()) -> View:
    """What the seat (from 1) sees of the game, and may remember of it."""
    hand, edition = state.seat(seat), state.edition
    holders = (other for other in state.holders if other != seat)
    return View(
        banknotes=hand.banknotes,
        highest=state.highest_stake,
        hand=sorted(hand.houses),
        stake=hand.stake,
        houses=state.houses,
        houseless=state.is_buying and len(state.bidders) > len(state.houses),
        unseen_houses=[house for house in range(1, edition.houses + 1) if house not in state.houses_dealt],
        cheques=state.cheques[::-1],
        unseen_cheques=sorted(state.cheques_left.elements()),
        others=[sorted(state.seat(other).houses) for other in holders],
        rounds_left=len(state.sizes) - state.buying_round - 1,
        all_rounds=len(state.sizes),
        table_size=houses_on_table(state.variant, state.players),
        money=edition.money[state.players],
        dealt=sum(state.sizes),
        worth=edition.cheques,
        refunds=_refunds(edition, edition.money[state.players]),
        seat=seat - 1,
        seats=[
            Seen(other.banknotes, other.stake, not other.has_passed, sorted(other.houses), sum(other.cheques))
            for other in state.hands
        ],
        misses=misses,
    )


@cache
def _refunds(edition: Edition, most: int) -> list[int]:
    return [refund(stake, edition) for stake in range(most + 1)]


class _Table:
    """A game in the readable rules, and the bots around it."""

    def __init__(self, state: State, bots: Sequence[Bot], stream: Stream) -> None:
        self.state, self.bots, self.stream = state, bots, stream
        self.is_watched = any(bot.slug == "planner" for bot in bots)
        self.misses = [[0] * 4 for _seat in bots]

    def auction(self, pile: list[int]) -> dict[str, Any]:
        """A buying round with the next houses of the pile."""
        state = self.state
        size = state.sizes[state.buying_round]
        houses, pile[:size] = pile[:size], []
        apply(state, RevealHouses(tuple(houses)))
        actions: list[dict[str, Any]] = []
        while state.houses:
            (seat,) = to_move(state)
            sees = view(state, seat, self.misses)
            stake = self.bots[seat - 1].bid(sees, self.stream)
            self._watch("missed_bids", seat, sees, stake)
            apply(state, Bid(seat, stake) if stake else Pass(seat))
            actions.append({"seat": seat, "bid": stake} if stake else {"seat": seat, "pass": True})
        return {"houses": houses, "actions": actions}

    def sale(self, pile: list[int]) -> dict[str, Any]:
        """A selling round with the next cheques of the pile."""
        state, holders = self.state, self.state.holders
        size = len(holders) if len(holders) > 1 else len(pile)
        cheques, pile[:size] = pile[:size], []
        apply(state, RevealCheques(tuple(cheques)))
        if len(holders) == 1:
            apply(state, Scoop(holders[0]))
            return {"cheques": cheques, "scoop": holders[0]}
        seen = {seat: view(state, seat, self.misses) for seat in holders}
        offers = [{"seat": seat, "house": self.bots[seat - 1].sell(seen[seat], self.stream)} for seat in holders]
        for offer in offers:
            self._watch("missed_sales", offer["seat"], seen[offer["seat"]], offer["house"])
            apply(state, Offer(**offer))
        return {"cheques": cheques, "offers": offers}

    def _watch(self, how: str, seat: int, sees: View, did: int) -> None:
        if self.is_watched:
            from stats import planning

            wrong = getattr(planning, how)(sees, self.stream, did)
            self.misses[seat - 1] = [
                before + missed for before, missed in zip(self.misses[seat - 1], wrong, strict=True)
            ]
