"""A sheet as somebody wrote it into a form: read, made the API's body, and told what is wrong beside each box."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from django.utils.translation import gettext as _
from rest_framework.exceptions import ValidationError

from dashboard.sentences import in_language
from forsale_api import rules
from forsale_api.api.problems import Problem, from_rule_error
from forsale_api.rules import lady_richmond, score_sheet, sheet_tables

MOST_SEATS = 6
SUM = re.compile(r"[+-]?\d{1,5}([+-]\d{1,5})*[+-]?", re.ASCII)


@cache
def tables(game: str) -> dict[str, Any]:
    """The audit's tables by "edition/variant/players"."""
    return {
        f"{edition}/{variant}/{players}": sheet_tables.of_sheet(edition, variant, players)
        if game == "for-sale"
        else sheet_tables.of_points()
        for (edition, variant), offered in rules.GAMES[game].offers.items()
        for players in offered
    }


def sayings(game: str) -> dict[str, str]:
    """What the audit says, by code, in the reader's language."""
    says = score_sheet.SAYS if game == "for-sale" else lady_richmond.SAYS
    return {code: _(template) for code, template in says.items()}


@dataclass
class Row:
    """One seat of the sheet as it was written, and what is wrong with it."""

    number: int
    player: str = ""
    written: dict[str, str] = field(default_factory=dict)
    won: bool = False
    """Named as a winner, for a tie whose figures are not known."""
    errors: list[str] = field(default_factory=list)


@dataclass
class Sheet:
    """A filled-in form of the pad, whatever it holds, and what was said to it."""

    game: rules.Game
    rows: list[Row]
    fields: dict[str, str]
    errors: list[str] = field(default_factory=list)
    field_errors: dict[str, str] = field(default_factory=dict)
    findings: list[Mapping[str, Any]] = field(default_factory=list)

    @classmethod
    def written(cls, game: rules.Game, form: Mapping[str, str], names: Sequence[str] = ()) -> "Sheet":
        """What a form says; a total stands in for the boxes, or beside them, where that was all that was known."""
        figures = (*game.sheet_fields, "total")
        rows = [
            Row(
                number,
                (form.get(f"player-{number}") or (names[number - 1] if number <= len(names) else "")).strip(),
                {name: form.get(f"{name}-{number}", "").strip() for name in figures},
                f"won-{number}" in form,
            )
            for number in range(1, MOST_SEATS + 1)
        ]
        return cls(game, rows, {name: form.get(name, "").strip() for name in DETAILS})

    @property
    def taken(self) -> list[Row]:
        """The rows somebody wrote in."""
        return [row for row in self.rows if row.player or any(row.written.values())]

    def body(self) -> dict[str, Any]:
        """The sheet as the body of the API; what cannot be read as a number is noted at its row."""
        body: dict[str, Any] = {"seats": [self._seat(row) for row in self.taken]}
        if any("total" in seat for seat in body["seats"]):
            body["reported_winners"] = [seat for seat, row in enumerate(self.taken, start=1) if row.won]
        for name in ("edition", "variant", "played_on", "location", "notes", "not_counted_reason"):
            if self.fields[name] or name in ("location", "notes"):
                body[name] = self.fields[name]
        for name in ("first_seat", "duration_minutes"):
            body[name] = int(self.fields[name]) if self.fields[name].isdecimal() else None
        body["played_at"] = self.fields["played_at"] or None
        if self.fields["accept_findings"]:
            body["accept_findings"] = True
        return body

    def _seat(self, row: Row) -> dict[str, Any]:
        seat: dict[str, Any] = {"player": row.player}
        has_figures = any(row.written[name] for name in self.game.sheet_fields)
        for name, text in row.written.items():
            if (name == "total") == (has_figures and not self.fields["only_totals"]):
                continue
            if text:
                seat[name] = sum_of(text)
                if seat[name] is None:
                    row.errors.append(_("Write a whole number or a sum such as 15+12+0."))
        if "cheques" in seat and (cards := cards_in(row.written["cheques"], self._table)):
            del seat["cheques"]
            seat["cheque_cards"] = cards
        return seat

    @property
    def _table(self) -> Mapping[str, Any] | None:
        edition = self.fields["edition"] or self.game.default_edition
        variant = self.fields["variant"] or "base"
        return tables(self.game.slug).get(f"{edition}/{variant}/{len(self.taken)}")

    @property
    def is_readable(self) -> bool:
        """Whether every box could be read."""
        return not any(row.errors for row in self.rows)

    def hold_against(self, problem: Problem) -> None:
        """Puts what was refused beside the seat or field it is about."""
        self.findings = problem.members.get("findings", [])
        if self.findings:
            return
        for entry in problem.errors or [{"pointer": "", "detail": str(problem.detail)}]:
            parts = entry["pointer"].strip("/").split("/")
            if parts[0] == "seats" and len(parts) > 1 and parts[1].isdecimal() and int(parts[1]) < len(self.taken):
                self.taken[int(parts[1])].errors.append(entry["detail"])
            elif parts[0] in self.fields:
                self.field_errors[parts[0]] = entry["detail"]
            else:
                self.errors.append(entry["detail"])


DETAILS = (
    "edition", "variant", "played_on", "played_at", "location", "duration_minutes", "notes", "first_seat",
    "not_counted_reason", "accept_findings", "only_totals",
)  # fmt: skip


def sum_of(text: str) -> int | None:
    """The value of a number or a sum such as 15+12+0, None where it is neither."""
    bare = "".join(text.split()).replace("−", "-")
    if not SUM.fullmatch(bare):
        return None
    return sum(int(part) for part in re.findall(r"[+-]?\d+", bare))


def cards_in(text: str, table: Mapping[str, Any] | None) -> list[int] | None:
    """The cheque cards of a sum that has exactly one part for each card a seat must have; else None."""
    parts = "".join(text.split()).removesuffix("+").split("+")
    if not table or table["cards"] is None or len(parts) != table["cards"] or not all(p.isdecimal() for p in parts):
        return None
    cards = [int(part) for part in parts]
    return cards if all(card in table["values"] for card in cards) else None


def refusal(error: Exception) -> Problem:
    """Whatever a write may be refused with, as a problem with places; other exceptions go on."""
    if isinstance(error, rules.RuleError):
        return from_rule_error(error)
    if isinstance(error, Problem):
        return error
    if isinstance(error, ValidationError):
        return Problem(errors=list(_entries(error.detail)))
    raise error


def _entries(detail: Any, pointer: str = "") -> Iterator[dict[str, str]]:
    if isinstance(detail, Mapping):
        for key, value in detail.items():
            yield from _entries(value, pointer if key == "non_field_errors" else f"{pointer}/{key}")
    elif isinstance(detail, list):
        for index, value in enumerate(detail):
            yield from _entries(value, f"{pointer}/{index}" if isinstance(value, Mapping | list) else pointer)
    else:
        yield {"pointer": pointer, "detail": str(detail)}


def context_of(sheet: Sheet) -> dict[str, Any]:
    """What the templates of a sheet need. Totals alone are offered for For Sale; the other game's points are totals."""
    game = sheet.game
    return {
        "shows_totals": game.slug == "for-sale",
        "sheet": sheet,
        "game": game,
        "variants": [(slug, in_language(names)) for slug, names in game.variants.items()],
        "editions": [(slug, in_language(edition.names)) for slug, edition in game.editions.items()],
        "labels": {
            "cheques": _("Cheques, in thousands"),
            "banknotes": _("Banknotes left"),
            "points": _("Points"),
            "largest_category": _("Largest collection"),
            "total": _("Total, in thousands"),
        },
        "short_labels": {
            "cheques": _("Cheques"),
            "banknotes": _("Banknotes"),
            "points": _("Points"),
            "largest_category": _("Largest"),
        },
        "numbers": range(1, MOST_SEATS + 1),
        "games": [(one, in_language(one.names)) for one in rules.GAMES.values()],
    }
