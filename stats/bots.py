"""The bots: who plays the simulated games, as readable Python.

Each policy is two functions: `bid` gives the new whole stake or 0 to pass, `sell` gives a house. The kernel has the
same policies compiled; with the same stream of random numbers both take the same decisions, which tests hold them to.
`play` runs a game in the readable rules, move by move.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

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
    is_over,
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
class View:
    """What a seat sees when it decides. Cards and banknotes as in the rules; `highest` is the highest stake."""

    banknotes: int
    highest: int
    hand: Sequence[int]


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
    state = setup(edition, variant, player_count, first)
    record: dict[str, Any] = {"first_seat": first, "auctions": [], "sales": []}
    while state.is_buying:
        record["auctions"].append(_auction(state, houses, bots, stream))
    while not is_over(state):
        record["sales"].append(_sale(state, cheques, bots, stream))
    return state, record


def _view(state: State, seat: int) -> View:
    hand = state.seat(seat)
    return View(hand.banknotes, state.highest_stake, sorted(hand.houses))


def _auction(state: State, pile: list[int], bots: Sequence[Bot], stream: Stream) -> dict[str, Any]:
    size = state.sizes[state.buying_round]
    table, pile[:size] = pile[:size], []
    apply(state, RevealHouses(tuple(table)))
    actions: list[dict[str, Any]] = []
    while state.houses:
        (seat,) = to_move(state)
        stake = bots[seat - 1].bid(_view(state, seat), stream)
        apply(state, Bid(seat, stake) if stake else Pass(seat))
        actions.append({"seat": seat, "bid": stake} if stake else {"seat": seat, "pass": True})
    return {"houses": table, "actions": actions}


def _sale(state: State, pile: list[int], bots: Sequence[Bot], stream: Stream) -> dict[str, Any]:
    holders = state.holders
    size = len(holders) if len(holders) > 1 else len(pile)
    table, pile[:size] = pile[:size], []
    apply(state, RevealCheques(tuple(table)))
    if len(holders) == 1:
        apply(state, Scoop(holders[0]))
        return {"cheques": table, "scoop": holders[0]}
    offers = [{"seat": seat, "house": bots[seat - 1].sell(_view(state, seat), stream)} for seat in holders]
    for offer in offers:
        apply(state, Offer(**offer))
    return {"cheques": table, "offers": offers}
