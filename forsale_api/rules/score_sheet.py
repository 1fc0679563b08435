"""The score sheet of For Sale: reading it, and the audit (can any legal game have produced it?)."""

from collections.abc import Sequence
from dataclasses import dataclass

from .for_sale import Edition, State
from .messages import Message, RuleError, ShapeError
from .messages import gettext_noop as _
from .scoring import Finding, Level, SeatEntry, check_figure


@dataclass(frozen=True, slots=True)
class Figures:
    """One seat's sheet, completed as far as it goes; `cheques` and `banknotes` are known together or not at all."""

    total: int
    cheques: int | None = None
    banknotes: int | None = None
    cheque_cards: tuple[int, ...] | None = None

    @property
    def level(self) -> Level:
        """How much this seat tells."""
        if self.cheque_cards is not None:
            return "cards"
        return "total" if self.cheques is None else "sheet"


def read_sheet(seats: Sequence[SeatEntry]) -> tuple[Figures, ...]:
    """Complete every seat: cheque cards give the cheques; any two of cheques, banknotes and total the third.

    Raises ShapeError `figure-missing` or `figure-of-another-game`, RuleError `figure-out-of-range`,
    `cheques-contradict-cards`, `total-contradicts-figures`, `total-too-small`; places are ("seats", i, figure).
    """
    return tuple(_read_seat(entry, index) for index, entry in enumerate(seats))


def read_final_state(state: State) -> tuple[Figures, ...]:
    """The sheet of a replayed game."""
    return tuple(
        Figures(sum(hand.cheques) + hand.banknotes, sum(hand.cheques), hand.banknotes, tuple(sorted(hand.cheques)))
        for hand in state.hands
    )


def check_against(played: Sequence[Figures], seats: Sequence[SeatEntry]) -> None:
    """Hold figures given beside a record against it. Raises RuleError `figure-contradicts-record`."""
    for index, (figures, entry) in enumerate(zip(played, seats, strict=True)):
        _refuse_foreign_figures(entry, index)
        written = tuple(sorted(entry.cheque_cards)) if entry.cheque_cards is not None else None
        for name, value, due in (
            ("cheque_cards", written, figures.cheque_cards),
            ("cheques", entry.cheques, figures.cheques),
            ("banknotes", entry.banknotes, figures.banknotes),
            ("total", entry.total, figures.total),
        ):
            if value is not None and value != due:
                message = Message(
                    "figure-contradicts-record",
                    _("The record gives %(due)s for %(figure)s, not %(value)s."),
                    {"figure": name, "due": _plain(due), "value": _plain(value)},
                )
                raise RuleError(message, ("seats", index, name))


def _plain(value: int | tuple[int, ...] | None) -> object:
    return ", ".join(map(str, value[:12])) if isinstance(value, tuple) else value


def _read_seat(entry: SeatEntry, index: int) -> Figures:
    _refuse_foreign_figures(entry, index)
    for name, value in (("cheques", entry.cheques), ("banknotes", entry.banknotes), ("total", entry.total)):
        check_figure(name, value, ("seats", index, name))
    cheques = _cheques_of(entry, index)
    banknotes, total = entry.banknotes, entry.total
    if total is None:
        if cheques is None or banknotes is None:
            raise _missing(cheques, banknotes, index)
        return Figures(cheques + banknotes, cheques, banknotes, entry.cheque_cards)
    if cheques is None and banknotes is None:
        return Figures(total)
    cheques = total - (banknotes or 0) if cheques is None else cheques
    banknotes = total - cheques if banknotes is None else banknotes
    if min(cheques, banknotes) < 0:
        message = Message(
            "total-too-small",
            _("The total of %(total)s is less than a figure it contains."),
            {"total": total},
        )
        raise RuleError(message, ("seats", index, "total"))
    if cheques + banknotes != total:
        message = Message(
            "total-contradicts-figures",
            _("Cheques %(cheques)s and banknotes %(banknotes)s make %(sum)s, not %(total)s."),
            {"cheques": cheques, "banknotes": banknotes, "sum": cheques + banknotes, "total": total},
        )
        raise RuleError(message, ("seats", index, "total"))
    return Figures(total, cheques, banknotes, entry.cheque_cards)


def _cheques_of(entry: SeatEntry, index: int) -> int | None:
    if entry.cheque_cards is None:
        return entry.cheques
    for position, card in enumerate(entry.cheque_cards):
        check_figure("cheque_cards", card, ("seats", index, "cheque_cards", position))
    cheques = sum(entry.cheque_cards)
    check_figure("cheques", cheques, ("seats", index, "cheque_cards"))
    if entry.cheques is not None and entry.cheques != cheques:
        message = Message(
            "cheques-contradict-cards",
            _("The cheque cards add up to %(sum)s, not %(cheques)s."),
            {"sum": cheques, "cheques": entry.cheques},
        )
        raise RuleError(message, ("seats", index, "cheques"))
    return cheques


def _missing(cheques: int | None, banknotes: int | None, index: int) -> ShapeError:
    if cheques is None and banknotes is None:
        template = _("Give the cheques and the banknotes, or the total.")
        return ShapeError(Message("figure-missing", template), ("seats", index))
    absent, present = ("banknotes", "cheques") if banknotes is None else ("cheques", "banknotes")
    template = _("With %(present)s alone the fortune stays unknown: give %(absent)s or total too.")
    return ShapeError(
        Message("figure-missing", template, {"present": present, "absent": absent}), ("seats", index, absent)
    )


def _refuse_foreign_figures(entry: SeatEntry, index: int) -> None:
    for name, value in (("points", entry.points), ("largest_category", entry.largest_category)):
        if value is not None:
            template = _("For Sale has no %(figure)s.")
            raise ShapeError(Message("figure-of-another-game", template, {"figure": name}), ("seats", index, name))


def audit(figures: Sequence[Figures], *, edition: Edition, variant: str) -> tuple[Finding, ...]:
    """What no legal game under these rule numbers can produce, and why."""
    return ()
