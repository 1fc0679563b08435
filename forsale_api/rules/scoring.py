"""From figures to ranks: the types every game's sheet shares, and the one way ties are broken."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from .messages import Message, RuleError
from .messages import gettext_noop as _

type Level = Literal["total", "sheet", "cards", "record"]
type DecidedBy = Literal["total", "banknotes", "largest_category", "shared", "reported", "unknown"]
type Severity = Literal["impossible", "unlikely"]

LEVELS: tuple[Level, ...] = ("total", "sheet", "cards", "record")
"""How much is known of a play, least first."""

LARGEST_FIGURE = 9_999
"""A figure beyond this (thousands of dollars, banknotes or points) is refused, not audited: no game is near it."""


@dataclass(frozen=True, slots=True)
class SeatEntry:
    """What somebody wrote down for one seat; `None` is "not written". Money in thousands of dollars."""

    cheques: int | None = None
    banknotes: int | None = None
    total: int | None = None
    cheque_cards: tuple[int, ...] | None = None
    points: int | None = None
    largest_category: int | None = None


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing the audit noticed. *Impossible*: no legal game gives it. `seats` are numbered from 1."""

    code: str
    severity: Severity
    seats: tuple[int, ...]
    message: Message


@dataclass(frozen=True, slots=True)
class SeatScore:
    """One seat's line of the result; `None` where the source did not say (or the game has no such figure)."""

    seat: int
    cheques: int | None
    banknotes: int | None
    cheque_cards: tuple[int, ...] | None
    points: int | None
    largest_category: int | None
    total: int
    rank: int
    is_winner: bool


@dataclass(frozen=True, slots=True)
class Score:
    """The result of a play. `winners` are the seats of rank 1; `first_seat` is known from a record only."""

    level: Level
    decided_by: DecidedBy
    winners: tuple[int, ...]
    seats: tuple[SeatScore, ...]
    findings: tuple[Finding, ...]
    first_seat: int | None = None


@dataclass(frozen=True, slots=True)
class Ranking:
    """Competition ranks (1, 2, 2, 4), one per seat in seat order, and what decided the first place."""

    ranks: tuple[int, ...]
    decided_by: DecidedBy

    @property
    def winners(self) -> tuple[int, ...]:
        """Seats of rank 1, numbered from 1."""
        return tuple(seat for seat, place in enumerate(self.ranks, start=1) if place == 1)


def check_figure(name: str, value: int | None, place: tuple[str | int, ...], *, lowest: int = 0) -> None:
    """Refuse a figure that cannot stand on any sheet. Raises RuleError `figure-out-of-range` (place: the figure's)."""
    if value is not None and not lowest <= value <= LARGEST_FIGURE:
        message = Message(
            "figure-out-of-range",
            _("%(figure)s is %(value)s; it must be from %(low)s to %(high)s."),
            {"figure": name, "value": value, "low": lowest, "high": LARGEST_FIGURE},
        )
        raise RuleError(message, place)


def rank(
    totals: Sequence[int],
    tie_breaks: Sequence[int | None],
    tie_break: Literal["banknotes", "largest_category"],
    reported_winners: Sequence[int] = (),
) -> Ranking:
    """Rank the seats: best total first, then the larger tie-break, then a shared place.

    (Source: 002, End of the game: "If fortunes are equal, the number of banknotes left decides; if that is
    equal too, the tied players share the win". 004, FIN DE LA PARTIE, for the largest category.)

    A tie whose tie-break figure is missing for any of the tied seats stays a tie; for the first place the
    winners the source named (`reported_winners`, seats from 1) decide it. Raises RuleError:
    `no-such-seat`, `winner-named-twice`, `winner-contradicts-totals`, `winner-contradicts-tie-break`.
    """
    _check_reported(totals, reported_winners)
    best = max(totals)
    decided_by: DecidedBy = "total"
    places: list[tuple[int, int]] = [(total, 0) for total in totals]
    for total in set(totals):
        tied = [i for i, t in enumerate(totals) if t == total]
        if len(tied) == 1:
            continue
        known = [tie_breaks[i] for i in tied]
        reported = bool(reported_winners) and total == best
        if None not in known:
            for i in tied:
                places[i] = (total, tie_breaks[i] or 0)
            how: DecidedBy = "shared" if known.count(max(k or 0 for k in known)) > 1 else tie_break
        elif reported:
            for i in tied:
                places[i] = (total, int(i + 1 in reported_winners))
            how = "reported"
        else:
            how = "unknown"
        if total == best:
            decided_by = how
    ranking = Ranking(tuple(1 + sum(other > mine for other in places) for mine in places), decided_by)
    if reported_winners and set(reported_winners) != set(ranking.winners):
        message = Message(
            "winner-contradicts-tie-break",
            _("The tie-break gives the win to seat %(winners)s, but %(named)s was named."),
            {"winners": _list(ranking.winners), "named": _list(reported_winners)},
        )
        raise RuleError(message, ("reported_winners",))
    return ranking


def _check_reported(totals: Sequence[int], reported_winners: Sequence[int]) -> None:
    best = max(totals)
    for index, seat in enumerate(reported_winners):
        place = ("reported_winners", index)
        if not 1 <= seat <= len(totals):
            message = Message(
                "no-such-seat",
                _("There is no seat %(seat)s; seats are numbered from 1 to %(players)s."),
                {"seat": seat, "players": len(totals)},
            )
            raise RuleError(message, place)
        if seat in reported_winners[:index]:
            raise RuleError(Message("winner-named-twice", _("Seat %(seat)s is named twice."), {"seat": seat}), place)
        if totals[seat - 1] != best:
            message = Message(
                "winner-contradicts-totals",
                _("Seat %(seat)s is named as a winner with %(total)s, but the best total is %(best)s."),
                {"seat": seat, "total": totals[seat - 1], "best": best},
            )
            raise RuleError(message, place)


def _list(seats: Sequence[int]) -> str:
    return ", ".join(map(str, seats))
