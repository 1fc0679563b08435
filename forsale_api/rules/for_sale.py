"""For Sale: the rule book.

Five words play a game: `setup`, `to_move`, `legal_actions`, `apply`, `is_over` (and `scores` counts it up).
`replay` plays a whole record. Each rule is stated once, in a `_verify_...` function that raises
`IllegalStep` with the rule's code; `legal_actions` asks those functions and `apply` obeys them.

Money is in thousands of dollars, which is also one banknote. Seats are numbered from 1, clockwise.
"S1" to "S3" in this file are the source texts: S1 = 000 (French), S2 = 001 (the long French text),
S3 = 002 (English). "Decision n" is a point the texts leave open and this project settled.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any, Literal

from .messages import Message, NotOffered, RuleError
from .messages import gettext_noop as _

type Variant = Literal["base", "not-enough-for-everyone"]

BASE: Variant = "base"
NOT_ENOUGH: Variant = "not-enough-for-everyone"

TABLE = 0
"""The "seat" that is to move when cards are to be revealed."""


# --- Editions: the rule numbers, as data -------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class Edition:
    """The rule numbers of one printing. Mappings go from the number of players to a number.

    An edition is itself, not its numbers: three printings share theirs and stay apart.
    """

    slug: str
    names: Mapping[str, str]
    houses: int
    """Houses are numbered 1 to this."""
    cheques: tuple[int, ...]
    """Every cheque of the box, in thousands, lowest first."""
    money: Mapping[int, int]
    """Banknotes each player is dealt; its keys are the player counts of the base game."""
    aside: Mapping[int, int]
    """Cards set aside unseen from each of the two piles, base game."""
    variant_aside: Mapping[int, int]
    """The same in the variant; its keys are the player counts of the variant."""
    variant_aside_doubt: Mapping[int, int] = field(default_factory=dict)
    """Where the booklet may mean another number for the variant: 2 with 5 players (decision 3). Audits only."""
    equal_bid_allowed: bool = False
    """A bid may equal the highest one, as long as one's own stake grows (1997 only; decision 7)."""
    refund_rounds_up: bool = True
    """Whether half of an odd stake is rounded in the passer's favour."""
    min_bid: int = 1


_BOX = (0, 0, *(value for value in range(2, 16) for _copy in range(2)))
_SMALL_BOX = (0, 0, *range(3, 21))
_VARIANT_ASIDE = {3: 10, 4: 0, 5: 3, 6: 0}
_VARIANT_ASIDE_DOUBT = {5: 2}
_MONEY_84 = {3: 28, 4: 21, 5: 16, 6: 14}
_MONEY_72 = {3: 18, 4: 18, 5: 14, 6: 14}
_ASIDE = {3: 0, 4: 2, 5: 0, 6: 0}
_ASIDE_72 = {3: 6, 4: 2, 5: 0, 6: 0}


def _edition_72(slug: str, english: str, french: str, *, up: bool) -> Edition:
    return Edition(
        slug,
        {"en": english, "fr": french},
        houses=30,
        cheques=_BOX,
        money=_MONEY_72,
        aside=_ASIDE_72,
        variant_aside=_VARIANT_ASIDE,
        variant_aside_doubt=_VARIANT_ASIDE_DOUBT,
        refund_rounds_up=up,
    )


EDITIONS: Mapping[str, Edition] = {
    edition.slug: edition
    for edition in (
        Edition(
            "iello",
            {"en": "IELLO", "fr": "IELLO"},
            houses=30,
            cheques=_BOX,
            money=_MONEY_84,
            aside=_ASIDE,
            variant_aside=_VARIANT_ASIDE,
            variant_aside_doubt=_VARIANT_ASIDE_DOUBT,
        ),
        _edition_72("eagle", "Eagle-Gryphon", "Eagle-Gryphon", up=False),
        _edition_72("uberplay-up", "Überplay, refund rounded up", "Überplay, reprise arrondie au supérieur", up=True),
        _edition_72(
            "uberplay-down",
            "Überplay, refund rounded down",
            "Überplay, reprise arrondie à l’inférieur",
            up=False,
        ),
        _edition_72(
            "bga-up",
            "Board Game Arena, refund rounded up",
            "Board Game Arena, reprise arrondie au supérieur",
            up=True,
        ),
        _edition_72(
            "bga-down",
            "Board Game Arena, refund rounded down",
            "Board Game Arena, reprise arrondie à l’inférieur",
            up=False,
        ),
        Edition(
            "classic1997",
            {"en": "Ravensburger/FX, 1997", "fr": "Ravensburger/FX, 1997"},
            houses=20,
            cheques=_SMALL_BOX,
            money={3: 15, 4: 15, 5: 15},
            aside={3: 2, 4: 0, 5: 0},
            variant_aside={4: 2, 5: 0},
            equal_bid_allowed=True,
        ),
    )
}
"""Every edition on offer (decisions 1, 2, 3 and 7). Nothing else in the project retypes these numbers."""

DEFAULT_EDITION = "iello"

VARIANTS: Mapping[str, Mapping[str, str]] = {
    BASE: {"en": "Base game", "fr": "Règle de base"},
    NOT_ENOUGH: {"en": "Not enough for everyone", "fr": "Il n'y en aura pas pour tout le monde"},
}


# --- Formulas: each of the numbers of a game by name -------------------------------------------------


def player_counts(edition: Edition, variant: str) -> tuple[int, ...]:
    """The numbers of players this edition offers in this variant, fewest first."""
    return tuple(sorted(edition.money if variant == BASE else edition.variant_aside))


def cards_aside(edition: Edition, variant: str, players: int) -> int:
    """Cards set aside unseen from each pile (S3 Setup: "the top two cards of each pile are set aside unseen")."""
    return edition.aside[players] if variant == BASE else edition.variant_aside[players]


def cards_dealt(edition: Edition, variant: str, players: int) -> int:
    """Houses that come into play, and as many cheques."""
    return edition.houses - cards_aside(edition, variant, players)


def houses_on_table(variant: str, players: int) -> int:
    """Houses of a full buying round.

    S3: "reveal as many Houses in the middle as there are players"; in the variant "each buying round
    reveals one House fewer than there are players".
    """
    return players if variant == BASE else players - 1


def round_sizes(edition: Edition, variant: str, players: int) -> tuple[int, ...]:
    """Houses revealed in each buying round. Only the last can be short: 5 players in the variant (decision 3)."""
    full, rest = divmod(cards_dealt(edition, variant, players), houses_on_table(variant, players))
    return (houses_on_table(variant, players),) * full + ((rest,) if rest else ())


def refund(stake: int, edition: Edition) -> int:
    """What a passer takes back (S3: "half of the banknotes they bid, rounded up"; some editions round down)."""
    return (stake + 1) // 2 if edition.refund_rounds_up else stake // 2


def lowest_bid(highest: int, own_stake: int, edition: Edition) -> int:
    """The least whole stake that is a legal bid (S3: "more banknotes than the last bid"; decisions 4 and 7)."""
    if edition.equal_bid_allowed:
        return max(edition.min_bid, highest, own_stake + 1)
    return max(edition.min_bid, highest + 1)


def empty_handed(houses: int, players: int) -> int:
    """How many passers of a round take back their whole stake and get no house (S3 Variant; decision 3)."""
    return players - houses


# --- What can be done --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class RevealHouses:
    """The table opens a buying round."""

    houses: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Bid:
    """`stake` is everything the seat has in front of it afterwards, not what it added."""

    seat: int
    stake: int


@dataclass(frozen=True, slots=True)
class Pass:
    """Leave this buying round."""

    seat: int


@dataclass(frozen=True, slots=True)
class RevealCheques:
    """The table opens a selling round."""

    cheques: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Offer:
    """Lay a house face down; when every seat that holds houses has, they are turned over together."""

    seat: int
    house: int


@dataclass(frozen=True, slots=True)
class Scoop:
    """The lone holder of houses takes every cheque that is left (variant)."""

    seat: int


type Action = RevealHouses | Bid | Pass | RevealCheques | Offer | Scoop


@dataclass(frozen=True, slots=True)
class Purchase:
    """How one seat left a buying round: what it staked, what it paid of that, and the house it took, if any."""

    round: int
    seat: int
    house: int | None
    stake: int
    paid: int


@dataclass(frozen=True, slots=True)
class Sale:
    """One house sold in a selling round."""

    round: int
    seat: int
    house: int
    cheque: int


@dataclass(slots=True)
class Hand:
    """What one seat has. A standing stake still counts among its banknotes."""

    banknotes: int
    houses: set[int] = field(default_factory=set)
    cheques: list[int] = field(default_factory=list)
    stake: int = 0
    has_passed: bool = False
    offer: int | None = None


@dataclass(slots=True)
class State:
    """A game under way. `seat(n)` is the hand of seat n."""

    edition: Edition
    variant: str
    players: int
    first_seat: int
    sizes: tuple[int, ...]
    """Houses of each buying round."""
    hands: list[Hand]
    turn: int
    """Whose turn it is in the buying round; between rounds, who opens the next one."""
    houses: tuple[int, ...] = ()
    """Houses still on the table, lowest first."""
    revealed: int = 0
    """How many houses this buying round began with."""
    cheques: tuple[int, ...] = ()
    """Cheques on the table, highest first."""
    waiting: list[int] = field(default_factory=list)
    """Seats that hold houses and have not offered one for the cheques on the table."""
    buying_round: int = 0
    """Buying rounds completed."""
    selling_round: int = 0
    """Selling rounds completed; the scoop counts as one."""
    owners: dict[int, int] = field(default_factory=dict)
    """House -> the seat that bought it, sold or not."""
    houses_dealt: set[int] = field(default_factory=set)
    cheques_left: Counter[int] = field(default_factory=Counter)
    """Cheques not yet revealed, those set aside included."""
    purchases: list[Purchase] = field(default_factory=list)
    sales: list[Sale] = field(default_factory=list)

    def seat(self, number: int) -> Hand:
        """The hand of seat `number` (from 1)."""
        return self.hands[number - 1]

    def copy(self) -> "State":
        """An independent state in the same position."""
        return replace(
            self,
            hands=[replace(hand, houses=set(hand.houses), cheques=list(hand.cheques)) for hand in self.hands],
            waiting=list(self.waiting),
            owners=dict(self.owners),
            houses_dealt=set(self.houses_dealt),
            cheques_left=self.cheques_left.copy(),
            purchases=list(self.purchases),
            sales=list(self.sales),
        )

    @property
    def is_buying(self) -> bool:
        """Whether there are houses still to be bought."""
        return self.buying_round < len(self.sizes)

    @property
    def bidders(self) -> list[int]:
        """Seats that have not passed in this buying round."""
        return [seat for seat in self._numbers if not self.seat(seat).has_passed]

    @property
    def holders(self) -> list[int]:
        """Seats that hold at least one house."""
        return [seat for seat in self._numbers if self.seat(seat).houses]

    @property
    def highest_stake(self) -> int:
        """The highest stake on the table, 0 before the first bid."""
        return max(hand.stake for hand in self.hands)

    @property
    def _numbers(self) -> range:
        return range(1, self.players + 1)


# --- The rules that can be broken --------------------------------------------------------------------


class IllegalStep(RuleError):
    """A step that the rules forbid. Its place is the step's own until `replay` puts the way to it in front."""

    def within(self, *prefix: str | int) -> "IllegalStep":
        """The same refusal seen from further outside."""
        self.place = (*prefix, *self.place)
        return self


SAYS: Mapping[str, str] = {
    "no-such-seat": _("There is no seat %(seat)s; seats are numbered from 1 to %(players)s."),
    "wrong-number-of-seats": _("The record does not show a game for %(offered)s players."),
    "no-such-house": _("There is no house %(house)s; houses are numbered from 1 to %(houses)s."),
    "house-dealt-twice": _("House %(house)s has been on the table before."),
    "wrong-number-of-houses": _("The number of houses in this buying round is %(due)s, not %(number)s."),
    "no-such-cheque": _("There is no cheque of %(cheque)s in this edition."),
    "cheque-dealt-too-often": _("Every cheque of %(cheque)s has been on the table before."),
    "wrong-number-of-cheques": _("The number of cheques in this selling round is %(due)s, not %(number)s."),
    "wrong-opener": _("Seat %(due)s opens this round, not seat %(seat)s."),
    "out-of-turn": _("It is seat %(due)s’s turn, not seat %(seat)s’s."),
    "after-pass": _("Seat %(seat)s has passed and takes no further part in this round."),
    "round-over": _("All the others have passed: the last seat takes its house without an action."),
    "bid-below-minimum": _("A bid is at least %(due)s, not %(bid)s."),
    "bid-not-above-last": _("The bid of %(bid)s does not top the highest stake, %(highest)s; it takes %(due)s."),
    "bid-above-banknotes": _("Seat %(seat)s bids %(bid)s but holds only %(banknotes)s in banknotes."),
    "bid-or-pass": _("An action is either a bid or a pass."),
    "round-unfinished": _("The round stops while more than one seat is still bidding; seat %(due)s is to act."),
    "missing-auction": _("The number of buying rounds in this game is %(due)s; the record stops after %(number)s."),
    "extra-auction": _("The game has only %(due)s buying rounds."),
    "house-not-on-table": _("House %(house)s was never on the table in this game."),
    "house-never-owned": _("Seat %(seat)s never owned house %(house)s; seat %(owner)s bought it."),
    "house-already-sold": _("Seat %(seat)s has already sold house %(house)s."),
    "offered-twice": _("Seat %(seat)s offers two houses in one round."),
    "missing-offer": _("Seat %(due)s still holds houses and must offer one."),
    "offers-or-scoop": _("A selling round has either offers or a scoop."),
    "no-scoop-in-base": _("Only the variant “Not enough for everyone” has a scoop."),
    "scoop-too-early": _("There is no scoop while more than one seat holds houses (seats %(holders)s do)."),
    "scoop-by-other-seat": _("Seat %(seat)s holds no house; the lone holder is seat %(due)s."),
    "scoop-due": _("Seat %(seat)s alone holds houses and takes every cheque that is left: a scoop, not an offer."),
    "missing-sale": _("The record ends while houses are still to be sold."),
    "extra-sale": _("Every house has been sold; the game is over."),
    "wrong-phase": _("This cannot be done now: the table, the buying and the selling take their turns in order."),
}
"""The rule behind each code, as a sentence."""


def _illegal(code: str, *place: str | int, **params: object) -> IllegalStep:
    return IllegalStep(Message(code, SAYS[code], params), place)


def _verify_seat(state: State, seat: int) -> None:
    if not 1 <= seat <= state.players:
        raise _illegal("no-such-seat", seat=seat, players=state.players)


def _verify_reveal_houses(state: State, houses: Sequence[int]) -> None:
    if not state.is_buying or state.houses:
        raise _illegal("wrong-phase")
    due = state.sizes[state.buying_round]
    if len(houses) != due:
        raise _illegal("wrong-number-of-houses", "houses", due=due, number=len(houses))
    for index, house in enumerate(houses):
        if not 1 <= house <= state.edition.houses:
            raise _illegal("no-such-house", "houses", index, house=house, houses=state.edition.houses)
        if house in state.houses_dealt or house in houses[:index]:
            raise _illegal("house-dealt-twice", "houses", index, house=house)


def _verify_turn(state: State, seat: int) -> None:
    """Clockwise from the opener, who is the taker of the last round's highest house; no way back after a pass."""
    _verify_seat(state, seat)
    if state.seat(seat).has_passed and state.houses:
        raise _illegal("after-pass", seat=seat)
    if not state.houses:
        raise _illegal("round-over" if state.buying_round else "wrong-phase")
    if seat != state.turn:
        untouched = len(state.bidders) == state.players and not state.highest_stake
        raise _illegal("wrong-opener" if untouched else "out-of-turn", due=state.turn, seat=seat)


def _verify_bid(state: State, seat: int, stake: int) -> None:
    _verify_turn(state, seat)
    hand, highest, edition = state.seat(seat), state.highest_stake, state.edition
    due = lowest_bid(highest, hand.stake, edition)
    if stake < edition.min_bid:
        raise _illegal("bid-below-minimum", due=edition.min_bid, bid=stake)
    if stake < due:
        raise _illegal("bid-not-above-last", bid=stake, highest=highest, due=due)
    if stake > hand.banknotes:
        raise _illegal("bid-above-banknotes", seat=seat, bid=stake, banknotes=hand.banknotes)


def _cheques_due(state: State) -> int:
    """S3: as many cheques as players; in the variant "the number of players still holding at least one House".

    A lone holder's cheques come all at once, as many as the houses still in hand.
    """
    holders = state.holders
    return len(holders) if len(holders) > 1 else len(state.seat(holders[0]).houses)


def _verify_reveal_cheques(state: State, cheques: Sequence[int]) -> None:
    if state.is_buying or state.cheques or not state.holders:
        raise _illegal("wrong-phase")
    due = _cheques_due(state)
    if len(cheques) != due:
        raise _illegal("wrong-number-of-cheques", "cheques", due=due, number=len(cheques))
    for index, cheque in enumerate(cheques):
        if cheque not in state.edition.cheques:
            raise _illegal("no-such-cheque", "cheques", index, cheque=cheque)
        if cheques[: index + 1].count(cheque) > state.cheques_left[cheque]:
            raise _illegal("cheque-dealt-too-often", "cheques", index, cheque=cheque)


def _verify_offer(state: State, seat: int, house: int) -> None:
    """S3: "Each player secretly picks a House from their hand"."""
    _verify_seat(state, seat)
    if not state.cheques:
        raise _illegal("wrong-phase")
    if state.seat(seat).offer is not None:
        raise _illegal("offered-twice", seat=seat)
    _verify_in_hand(state, seat, house)
    if state.variant != BASE and state.holders == [seat]:
        raise _illegal("scoop-due", seat=seat)


def _verify_in_hand(state: State, seat: int, house: int) -> None:
    if not 1 <= house <= state.edition.houses:
        raise _illegal("no-such-house", house=house, houses=state.edition.houses)
    owner = state.owners.get(house)
    if owner is None:
        raise _illegal("house-not-on-table", house=house)
    if owner != seat:
        raise _illegal("house-never-owned", seat=seat, house=house, owner=owner)
    if house not in state.seat(seat).houses:
        raise _illegal("house-already-sold", seat=seat, house=house)


def _verify_scoop(state: State, seat: int) -> None:
    """S3 Variant: "When only one player still has Houses, they scoop up all the Cheques left in the pile at once"."""
    if state.variant == BASE:
        raise _illegal("no-scoop-in-base")
    _verify_seat(state, seat)
    holders = state.holders
    if state.is_buying or not holders:
        raise _illegal("wrong-phase")
    if len(holders) > 1:
        raise _illegal("scoop-too-early", holders=", ".join(map(str, holders)))
    if holders != [seat]:
        raise _illegal("scoop-by-other-seat", seat=seat, due=holders[0])


def players_not_offered(edition: str, variant: str, offered: Sequence[int], players: int) -> NotOffered:
    """The refusal of a number of players, naming those on offer (place: ("seats",))."""
    template = _("%(edition)s, %(variant)s, is for %(offered)s players, not %(players)s.")
    counts = ", ".join(map(str, offered))
    params = {"edition": edition, "variant": variant, "offered": counts, "players": players}
    return NotOffered(Message("players-not-offered", template, params), ("seats",))


# --- The five words ----------------------------------------------------------------------------------


def setup(edition: Edition, variant: str, players: int, first_seat: int = 1) -> State:
    """A new game: money dealt, piles shuffled (the table reveals them), `first_seat` to open.

    Raises NotOffered for a variant or a number of players the edition has no numbers for, and IllegalStep
    `no-such-seat` (place: ("first_seat",)).
    """
    offered = player_counts(edition, variant)
    if players not in offered:
        raise players_not_offered(edition.slug, variant, offered, players)
    if not 1 <= first_seat <= players:
        raise _illegal("no-such-seat", "first_seat", seat=first_seat, players=players)
    return State(
        edition=edition,
        variant=variant,
        players=players,
        first_seat=first_seat,
        sizes=round_sizes(edition, variant, players),
        hands=[Hand(edition.money[players]) for _seat in range(players)],
        turn=first_seat,
        cheques_left=Counter(edition.cheques),
    )


def is_over(state: State) -> bool:
    """S3 Scoring: "once the last Cheque has been handed out, which means every House has been sold"."""
    return not state.is_buying and not state.holders


def to_move(state: State) -> tuple[int, ...]:
    """The seats that may act: one in a buying round, all that have not offered yet in a selling round.

    ``(TABLE,)`` when cards are to be revealed, ``()`` when the game is over.
    """
    if is_over(state):
        return ()
    if state.houses:
        return (state.turn,)
    if state.cheques:
        return tuple(state.waiting)
    return (TABLE,)


def legal_actions(state: State) -> Iterator[Action]:
    """Every action that `apply` accepts. What the table may reveal comes in a great many ways: read lazily."""
    movers = to_move(state)
    return (action for action in _candidates(state, movers) if is_legal(state, action))


def is_legal(state: State, action: Action) -> bool:
    """Whether `apply` would accept the action."""
    try:
        verify(state, action)
    except IllegalStep:
        return False
    return True


def verify(state: State, action: Action) -> None:
    """Raise IllegalStep, with the code of the rule it breaks, unless the action is legal."""
    match action:
        case RevealHouses(houses):
            _verify_reveal_houses(state, houses)
        case Bid(seat, stake):
            _verify_bid(state, seat, stake)
        case Pass(seat):
            _verify_turn(state, seat)
        case RevealCheques(cheques):
            _verify_reveal_cheques(state, cheques)
        case Offer(seat, house):
            _verify_offer(state, seat, house)
        case Scoop(seat):
            _verify_scoop(state, seat)
            if not state.cheques:
                raise _illegal("wrong-phase")


def apply(state: State, action: Action) -> None:
    """Carry out one action, changing `state`. Raises IllegalStep, with nothing changed, for an illegal one."""
    verify(state, action)
    match action:
        case RevealHouses(houses):
            state.houses = tuple(sorted(houses))
            state.revealed = len(houses)
            state.houses_dealt.update(houses)
        case Bid(seat, stake):
            state.seat(seat).stake = stake
            state.turn = _next_bidder(state)
        case Pass(seat):
            _leave(state, seat)
        case RevealCheques(cheques):
            state.cheques = tuple(sorted(cheques, reverse=True))
            state.cheques_left.subtract(cheques)
            state.waiting = state.holders
        case Offer(seat, house):
            state.seat(seat).offer = house
            state.waiting.remove(seat)
            if not state.waiting:
                _turn_over(state)
        case Scoop(seat):
            hand = state.seat(seat)
            hand.cheques.extend(state.cheques)
            hand.houses.clear()
            state.cheques, state.waiting = (), []
            state.selling_round += 1


def scores(state: State) -> tuple[int, ...]:
    """Each seat's fortune so far: cheques plus banknotes (S3 Scoring)."""
    return tuple(sum(hand.cheques) + hand.banknotes for hand in state.hands)


# --- What the actions do -----------------------------------------------------------------------------


def _next_bidder(state: State) -> int:
    seat = state.turn
    while True:
        seat = seat % state.players + 1
        if not state.seat(seat).has_passed:
            return seat


def _leave(state: State, seat: int) -> None:
    """A pass: the lowest house and half the stake back; who passes first in a short round gets all back, no house."""
    passed_before = state.players - len(state.bidders)
    hand = state.seat(seat)
    hand.has_passed = True
    if passed_before < empty_handed(state.revealed, state.players):
        _settle(state, seat, house=None, paid=0)
    else:
        _settle(state, seat, house=state.houses[0], paid=hand.stake - refund(hand.stake, state.edition))
    if len(state.bidders) > 1:
        state.turn = _next_bidder(state)
    else:
        _close_round(state)


def _close_round(state: State) -> None:
    """The last seat pays its whole stake, takes the last (highest) house and opens the next round."""
    (last,) = state.bidders
    _settle(state, last, house=state.houses[0], paid=state.seat(last).stake)
    state.buying_round += 1
    state.turn = last
    for hand in state.hands:
        hand.stake, hand.has_passed = 0, False


def _settle(state: State, seat: int, *, house: int | None, paid: int) -> None:
    hand = state.seat(seat)
    hand.banknotes -= paid
    state.purchases.append(Purchase(state.buying_round, seat, house, hand.stake, paid))
    if house is not None:
        state.houses = state.houses[1:]
        hand.houses.add(house)
        state.owners[house] = seat


def _turn_over(state: State) -> None:
    """S3: "The highest House takes the biggest Cheque, the next one the biggest remaining Cheque, and so on"."""
    offers = sorted(((hand.offer or 0, seat) for seat, hand in enumerate(state.hands, 1) if hand.offer), reverse=True)
    for (house, seat), cheque in zip(offers, state.cheques, strict=True):
        hand = state.seat(seat)
        hand.cheques.append(cheque)
        hand.houses.remove(house)
        hand.offer = None
        state.sales.append(Sale(state.selling_round, seat, house, cheque))
    state.cheques = ()
    state.selling_round += 1


def _candidates(state: State, movers: Iterable[int]) -> Iterator[Action]:
    """A superset of the legal actions."""
    for seat in movers:
        if seat == TABLE and state.is_buying:
            left = sorted(set(range(1, state.edition.houses + 1)) - state.houses_dealt)
            yield from map(RevealHouses, combinations(left, state.sizes[state.buying_round]))
        elif seat == TABLE:
            pile = sorted(state.cheques_left.elements())
            yield from map(RevealCheques, dict.fromkeys(combinations(pile, _cheques_due(state))))
        elif state.houses:
            yield Pass(seat)
            yield from (Bid(seat, stake) for stake in range(1, state.seat(seat).banknotes + 1))
        else:
            yield from (Offer(seat, house) for house in sorted(state.seat(seat).houses))
            yield Scoop(seat)


# --- A whole record ----------------------------------------------------------------------------------


def replay(record: Mapping[str, Any], *, edition: Edition, variant: str, player_count: int) -> State:
    """Play a whole record and return the final state.

    `record` has the form of the API's contract (``first_seat``, ``auctions``, ``sales``) with the right JSON
    types. Raises IllegalStep for the first step that is against the rules, its place starting with
    ``"record"``, and for a record that is not whole; NotOffered as `setup` does.
    """
    try:
        state = setup(edition, variant, player_count, record["first_seat"])
        _replay_auctions(state, record["auctions"])
        _replay_sales(state, record["sales"])
    except IllegalStep as step:
        raise step.within("record") from None
    return state


def players_in(record: Mapping[str, Any], *, edition: Edition, variant: str) -> int:
    """How many sit at the table of a record: one more than the passes of a buying round, in most of its rounds.

    Raises IllegalStep `wrong-number-of-seats` (place: ("record", "auctions")) if that is no number on offer.
    """
    offered = player_counts(edition, variant)
    passes = Counter(
        sum(bool(action.get("pass")) for action in auction["actions"]) + 1
        for auction in record["auctions"][: edition.houses]
    )
    players = max(offered, key=lambda count: passes[count])
    if not passes[players]:
        raise _illegal("wrong-number-of-seats", "record", "auctions", offered=", ".join(map(str, offered)))
    return players


def _replay_auctions(state: State, auctions: Sequence[Mapping[str, Any]]) -> None:
    due = len(state.sizes)
    for index, auction in enumerate(auctions):
        try:
            if not state.is_buying:
                raise _illegal("extra-auction", due=due)
            apply(state, RevealHouses(tuple(auction["houses"])))
            _replay_bids(state, auction["actions"])
        except IllegalStep as step:
            raise step.within("auctions", index) from None
    if state.is_buying:
        raise _illegal("missing-auction", "auctions", number=len(auctions), due=due)


def _replay_bids(state: State, actions: Sequence[Mapping[str, Any]]) -> None:
    passed: set[int] = set()
    for index, action in enumerate(actions):
        seat, bids, passes = action["seat"], "bid" in action, bool(action.get("pass"))
        try:
            _verify_seat(state, seat)
            if seat in passed:
                raise _illegal("after-pass", seat=seat)
            if not state.houses:
                raise _illegal("round-over")
            if bids == passes:
                raise _illegal("bid-or-pass")
            apply(state, Bid(seat, action["bid"]) if bids else Pass(seat))
        except IllegalStep as step:
            raise step.within("actions", index) from None
        if passes:
            passed.add(seat)
    if state.houses:
        raise _illegal("round-unfinished", "actions", due=state.turn)


def _replay_sales(state: State, sales: Sequence[Mapping[str, Any]]) -> None:
    for index, sale in enumerate(sales):
        try:
            if is_over(state):
                raise _illegal("extra-sale")
            if ("offers" in sale) == ("scoop" in sale):
                raise _illegal("offers-or-scoop")
            if "scoop" in sale:
                _replay_scoop(state, sale)
            else:
                apply(state, RevealCheques(tuple(sale["cheques"])))
                _replay_offers(state, sale["offers"])
        except IllegalStep as step:
            raise step.within("sales", index) from None
    if not is_over(state):
        raise _illegal("missing-sale", "sales")


def _replay_scoop(state: State, sale: Mapping[str, Any]) -> None:
    """Whether a scoop is due at all comes before how many cheques it takes."""
    try:
        _verify_scoop(state, sale["scoop"])
    except IllegalStep as step:
        raise step.within("scoop") from None
    apply(state, RevealCheques(tuple(sale["cheques"])))
    apply(state, Scoop(sale["scoop"]))


def _replay_offers(state: State, offers: Sequence[Mapping[str, Any]]) -> None:
    offered: set[int] = set()
    for index, offer in enumerate(offers):
        seat, house = offer["seat"], offer["house"]
        try:
            _verify_seat(state, seat)
            if seat in offered:
                raise _illegal("offered-twice", seat=seat)
            if not state.cheques:  # every seat with houses has offered: this one cannot have the house
                _verify_in_hand(state, seat, house)
            apply(state, Offer(seat, house))
        except IllegalStep as step:
            raise step.within("offers", index) from None
        offered.add(seat)
    if state.cheques:
        raise _illegal("missing-offer", "offers", due=to_move(state)[0])
