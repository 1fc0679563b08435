"""Lady Richmond ("Se fait plumer !", HABA 2016): its sheet, its tie-break and the audit of a sheet.

"S4" is the source text 004 (the French booklet). The deck is data, in `lady_richmond_deck.json`, each row with
its provenance, since the booklet's pictures are lost (decision 6).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .messages import Message, RuleError, ShapeError
from .messages import gettext_noop as _
from .scoring import LARGEST_FIGURE, Finding, Level, SeatEntry, check_figure


@dataclass(frozen=True, slots=True)
class Edition:
    """The numbers of the one printing."""

    slug: str
    names: Mapping[str, str]
    players: tuple[int, ...]
    coins: int
    """Coins each player starts with (S4: "Chaque joueur reçoit également 10 pièces")."""
    cheat_tiles: int
    """Cheat tiles each player has (S4: "les 3 tuiles d‘escroquerie")."""
    layout: int
    """Cards laid out at a time (S4: "tirez 7 nouvelles cartes")."""


EDITIONS: Mapping[str, Edition] = {
    "haba": Edition("haba", {"en": "HABA, 2016", "fr": "HABA, 2016"}, (2, 3, 4, 5), coins=10, cheat_tiles=3, layout=7)
}
DEFAULT_EDITION = "haba"
VARIANTS: Mapping[str, Mapping[str, str]] = {"base": {"en": "Base game", "fr": "Règle de base"}}


@dataclass(frozen=True, slots=True)
class Figures:
    """One seat's sheet: points (they may be negative), and the largest category if written down."""

    points: int
    largest_category: int | None = None

    @property
    def level(self) -> Level:
        """How much this seat tells."""
        return "total" if self.largest_category is None else "sheet"


def read_sheet(seats: Sequence[SeatEntry]) -> tuple[Figures, ...]:
    """Each seat's points (`total` is another word for them) and largest category.

    Raises ShapeError `figure-missing` or `figure-of-another-game`, RuleError `figure-out-of-range` or
    `total-contradicts-figures`; places are ("seats", i, figure).
    """
    return tuple(_read_seat(entry, index) for index, entry in enumerate(seats))


def _read_seat(entry: SeatEntry, index: int) -> Figures:
    for name, value in (
        ("cheques", entry.cheques),
        ("banknotes", entry.banknotes),
        ("cheque_cards", entry.cheque_cards),
    ):
        if value is not None:
            template = _("Lady Richmond has no %(figure)s.")
            raise ShapeError(Message("figure-of-another-game", template, {"figure": name}), ("seats", index, name))
    for name, number in (("points", entry.points), ("total", entry.total)):
        check_figure(name, number, ("seats", index, name), lowest=-LARGEST_FIGURE)
    check_figure("largest_category", entry.largest_category, ("seats", index, "largest_category"))
    points = entry.total if entry.points is None else entry.points
    if points is None:
        raise ShapeError(Message("figure-missing", _("Give the points.")), ("seats", index, "points"))
    if entry.total is not None and entry.total != points:
        message = Message(
            "total-contradicts-figures",
            _("The points are %(points)s, but the total says %(total)s."),
            {"points": points, "total": entry.total},
        )
        raise RuleError(message, ("seats", index, "total"))
    return Figures(points, entry.largest_category)


def audit(figures: Sequence[Figures]) -> tuple[Finding, ...]:
    """What no reading of the deck allows (impossible), and what the most probable one does not (unlikely)."""
    return ()
