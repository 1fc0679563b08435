"""A game of For Sale written down move by move: what may be done next by the rules, and the record at the end.

A recording is a list of moves, each a short text, so that a form can carry it and an undo drops the last one:
``h8,20,28`` reveals houses, ``b6`` bids, ``p`` passes, ``c0,12,13`` reveals cheques, ``o1:28,2:8,3:20`` sells.
Whose turn it is follows from the moves. Money is in thousands of dollars.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from forsale_api.rules import for_sale
from forsale_api.rules.for_sale import TABLE, Bid, Offer, Pass, RevealCheques, RevealHouses, Scoop, State

LONGEST = 2000
"""Moves beyond this are no game: 10 rounds of bids up to 28 by six seats are fewer."""


class UnreadableMove(ValueError):
    """A move that is no move at all, as opposed to one the rules forbid."""


@dataclass(frozen=True)
class Recording:
    """A game under way. Raises `RuleError` at the first move the rules forbid, `UnreadableMove` for nonsense."""

    edition: str
    variant: str
    players: tuple[str, ...]
    first_seat: int
    moves: tuple[str, ...]

    @cached_property
    def _played(self) -> tuple[State, dict[str, Any]]:
        state = for_sale.setup(for_sale.EDITIONS[self.edition], self.variant, len(self.players), self.first_seat)
        record: dict[str, Any] = {"first_seat": self.first_seat, "auctions": [], "sales": []}
        for move in self.moves[:LONGEST]:
            _play(state, record, move)
        return state, record

    @property
    def state(self) -> State:
        """Where the game stands."""
        return self._played[0]

    @property
    def record(self) -> dict[str, Any]:
        """The moves in the API's form; whole once the game is over."""
        return self._played[1]

    @property
    def is_over(self) -> bool:
        return for_sale.is_over(self.state)

    @property
    def step(self) -> str:
        """What is due: houses, act, cheques, offers or over."""
        movers = for_sale.to_move(self.state)
        if not movers:
            return "over"
        if movers == (TABLE,):
            return "houses" if self.state.is_buying else "cheques"
        return "act" if self.state.houses else "offers"

    @property
    def turn(self) -> str:
        """The player who is to bid or pass."""
        return self.players[self.state.turn - 1]

    @property
    def bids(self) -> list[int]:
        """The stakes the player on turn may bid."""
        return [action.stake for action in for_sale.legal_actions(self.state) if isinstance(action, Bid)]

    @property
    def cards(self) -> list[int]:
        """The houses or cheques that may still come to the table, each as often as it is there."""
        state = self.state
        if state.is_buying:
            return sorted(set(range(1, state.edition.houses + 1)) - state.houses_dealt)
        return sorted(state.cheques_left.elements())

    @property
    def due(self) -> int:
        """How many cards the table reveals now."""
        state = self.state
        if state.is_buying:
            return state.sizes[state.buying_round]
        holders = state.holders
        return len(holders) if len(holders) > 1 else len(state.seat(holders[0]).houses)

    @property
    def comes_by_itself(self) -> bool:
        """Whether there is no choice: every card that is left comes now."""
        return self.due == len(self.cards)

    @property
    def is_scoop(self) -> bool:
        """Whether one player alone takes every cheque that is left (variant)."""
        return self.variant != for_sale.BASE and not self.state.is_buying and len(self.state.holders) == 1

    @property
    def lone_holder(self) -> str:
        """The one player who still holds houses."""
        return self.players[self.state.holders[0] - 1]

    @property
    def waiting(self) -> list[dict[str, Any]]:
        """The seats that sell now, with the houses they may choose from."""
        return [
            {"seat": seat, "player": self.players[seat - 1], "houses": sorted(self.state.seat(seat).houses)}
            for seat in for_sale.to_move(self.state)
        ]

    @property
    def seats(self) -> list[dict[str, Any]]:
        """Every seat as the table sees it."""
        return [
            {
                "seat": seat,
                "player": name,
                "banknotes": hand.banknotes - hand.stake,
                "stake": hand.stake,
                "has_passed": hand.has_passed,
                "is_on_turn": self.step == "act" and seat == self.state.turn,
                "houses": sorted(hand.houses),
                "cheques": sorted(hand.cheques),
                "total": sum(hand.cheques) + hand.banknotes,
            }
            for seat, (name, hand) in enumerate(zip(self.players, self.state.hands, strict=True), start=1)
        ]

    @property
    def round(self) -> int:
        """The number of the auction or sale that is due or under way."""
        return (self.state.buying_round if self.state.is_buying else self.state.selling_round) + 1

    @property
    def rounds(self) -> int:
        return len(self.state.sizes)

    def after(self, move: str) -> "Recording":
        """The recording with one move more. Raises as the class does."""
        longer = Recording(self.edition, self.variant, self.players, self.first_seat, (*self.moves, move))
        longer.state  # noqa: B018  plays the moves
        return longer

    def undone(self) -> "Recording":
        """The recording without its last move."""
        return Recording(self.edition, self.variant, self.players, self.first_seat, self.moves[:-1])


def _play(state: State, record: dict[str, Any], move: str) -> None:
    """Carries out one move and writes it down. Raises RuleError (nothing written then) and UnreadableMove."""
    kind, told = move[:1], move[1:]
    match kind:
        case "h":
            houses = _numbers(told)
            for_sale.apply(state, RevealHouses(houses))
            record["auctions"].append({"houses": list(houses), "actions": []})
        case "b":
            seat, stake = state.turn, _numbers(told)[0]
            for_sale.apply(state, Bid(seat, stake))
            record["auctions"][-1]["actions"].append({"seat": seat, "bid": stake})
        case "p":
            seat = state.turn
            for_sale.apply(state, Pass(seat))
            record["auctions"][-1]["actions"].append({"seat": seat, "pass": True})
        case "c":
            cheques = _numbers(told)
            for_sale.apply(state, RevealCheques(cheques))
            record["sales"].append({"cheques": list(cheques)})
            if state.variant != for_sale.BASE and len(state.holders) == 1:
                (lone,) = state.holders
                for_sale.apply(state, Scoop(lone))
                record["sales"][-1]["scoop"] = lone
        case "o":
            offers = [_numbers(pair, ":") for pair in told.split(",")]
            if any(len(pair) != 2 for pair in offers):
                raise UnreadableMove(move)
            for seat, house in offers:
                for_sale.apply(state, Offer(seat, house))
            record["sales"][-1]["offers"] = [{"seat": seat, "house": house} for seat, house in offers]
        case _:
            raise UnreadableMove(move)


def _numbers(text: str, sign: str = ",") -> tuple[int, ...]:
    parts = text.split(sign)
    if not all(part.isascii() and part.isdecimal() and len(part) < 6 for part in parts):
        raise UnreadableMove(text)
    return tuple(int(part) for part in parts)


def move_of(form: Mapping[str, Any], choices: Sequence[str], waiting: Sequence[int]) -> str:
    """The move that a filled-in form makes: ``do`` says which, `choices` are the cards that were ticked."""
    do = str(form.get("do", ""))
    if do in ("houses", "cheques"):
        return do[0] + ",".join(choices)
    if do == "offers":
        return "o" + ",".join(f"{seat}:{form.get(f'offer-{seat}', '')}" for seat in waiting)
    return do
