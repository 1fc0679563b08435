"""Lady Richmond ("Se fait plumer !", HABA 2016): its sheet, its tie-break and the audit of a sheet.

"S4" is the source text 004 (the French booklet). The deck is data, in `lady_richmond_deck.json`, each row with
its provenance, since the booklet's pictures are lost (decision 6).
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import Any

from .messages import Message, RuleError, ShapeError
from .messages import gettext_noop as _
from .scoring import LARGEST_FIGURE, Finding, Level, SeatEntry, Severity, check_figure


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
class Card:
    """One category of objects: how many cards it has and what each is worth."""

    count: int
    value: int


DECK: Mapping[str, list[dict[str, Any]]] = json.loads(
    Path(__file__).with_name("lady_richmond_deck.json").read_text(encoding="utf-8")
)
"""The deck file as it is: `cards` and `facts`, each row saying where it is from."""

OBJECTS: tuple[Card, ...] = tuple(Card(row["count"], row["value"]) for row in DECK["cards"] if row["part"] == "object")
"""The object cards in the most probable reading (reading A of decision 6)."""


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


# --- The audit ---------------------------------------------------------------------------------------

SAYS: Mapping[str, str] = {
    "category-too-large": _(
        "Seat %(seats)s has %(number)s objects of a category, %(by)s more than any has (%(limit)s)."
    ),
    "categories-too-large": _(
        "The largest categories of seats %(seats)s add up to %(number)s, %(by)s more than possible (%(limit)s)."
    ),
    "points-too-high": _(
        "Seat %(seats)s has %(points)s points, %(by)s more than the objects can be worth (%(limit)s)."
    ),
    "points-too-high-alike": _(
        "Seat %(seats)s has %(points)s points, %(by)s more than objects of which at most %(largest)s are alike "
        "can be worth (%(limit)s)."
    ),
    "points-too-high-together": _(
        "The points of seats %(seats)s add up to %(points)s, %(by)s more than the objects can be worth (%(limit)s)."
    ),
    "points-too-low": _("Seat %(seats)s has %(points)s points, %(by)s less than the objects can be worth (%(limit)s)."),
    "points-too-low-alike": _(
        "Seat %(seats)s has %(points)s points, %(by)s less than objects of which at most %(largest)s are alike "
        "can be worth (%(limit)s)."
    ),
    "points-too-low-together": _(
        "The points of seats %(seats)s add up to %(points)s, %(by)s less than the objects can be worth (%(limit)s)."
    ),
}
"""What is said of a sheet; `sheet_tables` hands these sentences on."""

MOST_ALIKE = max(card.count for card in OBJECTS)
"""No category has more objects, so a larger figure bounds nothing."""


def most_points(objects: Sequence[Card], largest: int | None = None) -> int:
    """The most points a pile of these objects can be worth, with at most `largest` of a category."""
    return sum(_at_most(card, largest) * card.value for card in objects if card.value > 0)


def least_points(objects: Sequence[Card], largest: int | None = None) -> int:
    """The fewest points, likewise."""
    return sum(_at_most(card, largest) * card.value for card in objects if card.value < 0)


def _at_most(card: Card, largest: int | None) -> int:
    return card.count if largest is None else min(card.count, largest)


def widest_reading(objects: Sequence[Card]) -> tuple[tuple[Card, ...], tuple[Card, ...]]:
    """The best and the worst deck over every reading of which label has which value.

    Best: the commonest categories have the highest values (146 points in all); worst: the lowest (-52).
    """
    counts = sorted((card.count for card in objects), reverse=True)
    values = sorted((card.value for card in objects), reverse=True)
    best = tuple(Card(count, value) for count, value in zip(counts, values, strict=True))
    worst = tuple(Card(count, value) for count, value in zip(counts, reversed(values), strict=True))
    return best, worst


def audit(figures: Sequence[Figures]) -> tuple[Finding, ...]:
    """What no reading of the deck allows (impossible), and what the most probable one does not (unlikely).

    Any cards that some seats won together are part of one deck, so the seats with points above 0 may not have
    more together than all good cards are worth, nor those below 0 less than all bad ones (decision 6).
    """
    best, worst = widest_reading(OBJECTS)
    impossible = [*_audit_categories(figures), *_audit_points(figures, best, worst, "impossible")]
    return tuple(impossible) or tuple(_audit_points(figures, OBJECTS, OBJECTS, "unlikely"))


def group_limits() -> list[int]:
    """How many objects the largest categories of 1, 2, ... seats have together at most: those of the commonest."""
    return list(accumulate(sorted((card.count for card in OBJECTS), reverse=True)))


def _finding(code: str, severity: Severity, seats: Iterable[int], says: str, **params: object) -> Finding:
    """`says` is the key of the sentence in `SAYS`; `seats` are indices from 0 here, numbers from 1 in the finding."""
    numbers = tuple(seat + 1 for seat in seats)
    params["seats"] = ", ".join(map(str, numbers))
    return Finding(code, severity, numbers, Message(code, SAYS[says], params))


def _audit_categories(figures: Sequence[Figures]) -> Iterator[Finding]:
    """One category has at most 10 objects; the largest of k seats have at most those of the k commonest together."""
    limits = group_limits()
    known = [(f.largest_category, seat) for seat, f in enumerate(figures) if f.largest_category is not None]
    above = [(number, seat) for number, seat in known if number > limits[0]]
    for number, seat in above:
        params = {"number": number, "by": number - limits[0], "limit": limits[0]}
        yield _finding("category-too-large", "impossible", (seat,), "category-too-large", **params)
    if above:
        return
    known.sort(reverse=True)
    for size in range(2, len(known) + 1):
        number, limit = sum(largest for largest, _seat in known[:size]), limits[size - 1]
        if number > limit:
            seats = sorted(seat for _largest, seat in known[:size])
            params = {"number": number, "by": number - limit, "limit": limit}
            yield _finding("categories-too-large", "impossible", seats, "categories-too-large", **params)
            return


def _audit_points(
    figures: Sequence[Figures], best: Sequence[Card], worst: Sequence[Card], severity: Severity
) -> list[Finding]:
    findings = []
    for seat, f in enumerate(figures):
        most, least = most_points(best, f.largest_category), least_points(worst, f.largest_category)
        if not least <= f.points <= most:
            findings.append(_points_finding(severity, (seat,), f.points, least, most, f.largest_category))
    if findings:
        return findings
    for sign in (1, -1):
        group = [seat for seat, f in enumerate(figures) if f.points * sign > 0]
        points = sum(figures[seat].points for seat in group)
        most, least = most_points(best), least_points(worst)
        if not least <= points <= most:
            findings.append(_points_finding(severity, group, points, least, most, None))
    return findings


def _points_finding(
    severity: Severity, seats: Sequence[int], points: int, least: int, most: int, largest: int | None
) -> Finding:
    above = points > most
    params = {"points": points, "by": points - most if above else least - points, "limit": most if above else least}
    code = f"points-{'too-high' if above else 'too-low'}"
    if len(seats) > 1:
        return _finding(code, severity, seats, f"{code}-together", **params)
    if largest is not None:
        return _finding(code, severity, seats, f"{code}-alike", **params, largest=largest)
    return _finding(code, severity, seats, code, **params)
