"""The score section of a page: filters from the address, blocks from the aggregates, figures and words.

The only source of numbers is ``stats.aggregates.score_blocks``, which the API answers with too.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from functools import cached_property
from typing import Any, cast
from urllib.parse import urlencode

from django import forms
from django.contrib.auth.models import AnonymousUser
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

from dashboard import figures, sentences
from dashboard.sentences import in_language
from forsale_api import rules
from forsale_api.clubs.models import Club, User
from stats import aggregates, distribution, services
from stats.models import Simulation, Status

type Block = Mapping[str, Any]
type Key = tuple[str, int]
type Caller = User | AnonymousUser

POLL_RUNNING = 1000
POLL_IDLE = 10_000
"""Milliseconds between two looks at the figures while simulations run, and while only plays come in."""


class ScoreFilters(forms.Form):
    """What the score section shows: the query of the address, which the form only writes."""

    measure = forms.ChoiceField(label=gettext_lazy("Measure"), required=False)
    club = forms.ChoiceField(label=gettext_lazy("Clubs"), required=False)
    edition = forms.ChoiceField(label=gettext_lazy("Edition"), required=False)
    variant = forms.ChoiceField(label=gettext_lazy("Variant"), required=False)
    player_count = forms.ChoiceField(label=gettext_lazy("Players"), required=False)
    played_after = forms.DateField(label=pgettext_lazy("played", "From"), required=False)
    played_before = forms.DateField(label=pgettext_lazy("played", "Until"), required=False)
    counts = forms.BooleanField(
        label=gettext_lazy("Uncounted plays too"),
        required=False,
        widget=forms.CheckboxInput(attrs={"value": "all"}, check_test=lambda value: value == "all"),
    )
    game = forms.ChoiceField(required=False, widget=forms.HiddenInput)
    asked = (
        "game",
        "data",
        "measure",
        "club",
        "edition",
        "variant",
        "player_count",
        "played_after",
        "played_before",
        "counts",
    )

    def __init__(
        self,
        query: Mapping[str, Any],
        *,
        clubs: Sequence[Club],
        club: Club | None = None,
        leave_out: Collection[str] = (),
        prefix: str | None = None,
    ) -> None:
        super().__init__(query, prefix=prefix)
        slug = self._asked("game") or "for-sale"
        self.title = rules.game(slug if slug in rules.GAMES and "game" not in leave_out else "for-sale")
        self.only_club = club
        self.club_names = {one.slug: one.name for one in clubs}
        self.fields["data"] = forms.ChoiceField(label=_("Show"), required=False)  # a form has a `data` of its own
        self.order_fields(["data"])
        choices = {
            "data": [
                ("", _("Recorded and simulated")),
                ("recorded", _("Recorded")),
                ("simulated", _("Simulated")),
            ],
            "game": [(name, name) for name in rules.GAMES],
            "measure": [("", sentences.measures()["total"]), *list(sentences.measures().items())[1:]],
            "club": [("", _("All public clubs")), *((one.slug, one.name) for one in clubs)],
            "edition": [(e, in_language(edition.names)) for e, edition in self._editions()],
            "variant": [("", _("Both")), *((v, in_language(names)) for v, names in self.title.variants.items())],
            "player_count": [("", _("All"))] + [(str(n), sentences.number_of_players(n)) for n in self.player_counts()],
        }
        for name, options in choices.items():
            cast(forms.ChoiceField, self.fields[name]).choices = options
        if club:
            del self.fields["club"]
        if len(choices["variant"]) == 2:
            del self.fields["variant"]
        for name in ("played_after", "played_before"):
            attrs = {"type": "date"} | ({"data-set": ""} if self._asked(name) else {})
            self.fields[name].widget = forms.DateInput(format="%Y-%m-%d", attrs=attrs)
        if self.title.slug == "for-sale":
            del self.fields["game"]
        self.fields["edition"].widget.attrs["data-default"] = self.title.default_edition
        self.initial["edition"] = self.title.default_edition
        for name in leave_out:
            self.fields.pop(name, None)

    def _asked(self, name: str) -> str:
        """What the address says of a field."""
        return str(self.data.get(self.add_prefix(name)) or "")

    def _editions(self) -> list[tuple[str, Any]]:
        """The default edition first."""
        return sorted(self.title.editions.items(), key=lambda item: item[0] != self.title.default_edition)

    def player_counts(self) -> list[int]:
        """Every number of players that some edition offers."""
        return sorted({count for offered in self.title.offers.values() for count in offered})

    @property
    def chosen(self) -> "Chosen":
        """The filters in force; what is wrong in the address is left out and said on the page."""
        self.is_valid()
        given = {name: value for name, value in self.cleaned_data.items() if value}
        slug = self.only_club.slug if self.only_club else given.get("club") or ""
        return Chosen(
            game=self.title.slug,
            edition=given.get("edition") or self.title.default_edition,
            measure=given.get("measure") or "total",
            data=given.get("data") or "",
            club=slug,
            club_name=self.only_club.name if self.only_club else self.club_names.get(slug, ""),
            variant=given.get("variant") or "",
            player_count=int(given.get("player_count") or 0),
            played_after=given.get("played_after"),
            played_before=given.get("played_before"),
            counts="all" if self._asked("counts") == "all" else "true",
        )

    @property
    def narrowed(self) -> bool:
        """Whether any filter is set at all."""
        plain = {"game": self.title.slug, "counts": "true"}
        plain |= {name: field.widget.attrs.get("data-default") for name, field in self.fields.items()}
        return any(self._asked(name) not in ("", plain.get(name)) for name in self.fields)


def with_defaults(query: Mapping[str, Any], plain: Mapping[str, str], prefix: str | None = None) -> dict[str, Any]:
    """The query, and these values where it says nothing."""
    begin = f"{prefix}-" if prefix else ""
    given = {name: query[name] for name in query}
    return given | {begin + name: value for name, value in plain.items() if not given.get(begin + name)}


class OneKindFilters(ScoreFilters):
    """Filters of a page about one variant and number of players: four players of the base game unless said."""

    plain_variant, plain_count = "base", 4

    def __init__(self, query: Mapping[str, Any], **options: Any) -> None:
        plain = {"variant": self.plain_variant, "player_count": str(self.plain_count)}
        super().__init__(with_defaults(query, plain, options.get("prefix")), **options)
        for name, value in plain.items():
            field = cast(forms.ChoiceField, self.fields[name])
            field.choices = [choice for choice in cast(Any, field.choices) if choice[0]]
            field.widget.attrs["data-default"] = value

    @property
    def chosen(self) -> "Chosen":
        """The filters in force, with one variant and one number of players."""
        chosen = super().chosen
        return replace(
            chosen,
            variant=chosen.variant or self.plain_variant,
            player_count=chosen.player_count or self.plain_count,
        )


@dataclass(frozen=True)
class Chosen:
    """The filters in force, each with the value the aggregates want."""

    game: str
    edition: str
    measure: str
    data: str
    club: str
    club_name: str
    variant: str
    player_count: int
    played_after: date | None
    played_before: date | None
    counts: str

    @property
    def recorded(self) -> dict[str, Any]:
        """The filters of the recorded figures, as the API names them."""
        extra = {
            "club": self.club,
            "played_after": self.played_after,
            "played_before": self.played_before,
            "counts": self.counts,
        }
        return self._common("recorded") | {name: value for name, value in extra.items() if value}

    @property
    def simulated(self) -> dict[str, Any]:
        """The filters of the simulated figures: who played where and when does not touch them."""
        return self._common("simulated")

    def _common(self, data: str) -> dict[str, Any]:
        optional = {"variant": self.variant, "player_count": self.player_count}
        return {"game": self.game, "edition": self.edition, "data": data} | {k: v for k, v in optional.items() if v}

    @cached_property
    def offered(self) -> list[tuple[str, list[int]]]:
        """Variants with the numbers of players they are offered for, those that the filters leave."""
        rows = []
        for (edition, variant), counts in rules.GAMES[self.game].offers.items():
            left = [n for n in counts if self.player_count in (0, n)]
            if edition == self.edition and self.variant in ("", variant) and left:
                rows.append((variant, left))
        return rows

    @property
    def narrows_plays(self) -> bool:
        """Whether the filters leave out plays of a cell that may exist."""
        return bool(self.club or self.played_after or self.played_before)

    @property
    def axis(self) -> figures.Axis:
        """The axis of every histogram of the grid."""
        return figures.AXES.get((self.game, self.measure)) or figures.AXES[self.game, "total"]


@dataclass(frozen=True)
class Scores:
    """What the score section of a page shows; the template only places it."""

    chosen: Chosen
    recorded: Mapping[Key, Block] | None
    simulated: Mapping[Key, Block] | None
    as_of: datetime | None

    @property
    def has_recorded(self) -> bool:
        return self.recorded is not None

    @property
    def has_simulated(self) -> bool:
        return self.simulated is not None

    @property
    def explained(self) -> str:
        return sentences.explained(self.chosen.measure)

    @property
    def measure_name(self) -> str:
        return sentences.measures()[self.chosen.measure]

    def _pair(self, variant: str, players: int) -> tuple[Block | None, Block | None]:
        """Recorded and simulated block of a cell; recorded is an empty block where nothing was logged."""
        recorded = None if self.recorded is None else self.recorded.get((variant, players), EMPTY)
        return recorded, (self.simulated or {}).get((variant, players))

    def _cells_of(self, variant: str, counts: Sequence[int]) -> list[tuple[int, Block | None, Block | None]]:
        return [(players, *self._pair(variant, players)) for players in counts]

    @cached_property
    def heading(self) -> str:
        for variant, counts in self.chosen.offered:
            known = self._cells_of(variant, counts)
            if any(block and block["plays"] for _players, *blocks in known for block in blocks):
                return sentences.grid_heading(self.chosen.measure, known, self._variant_name(variant))
        return sentences.grid_heading(self.chosen.measure, [], "")

    def _variant_name(self, variant: str) -> str:
        return in_language(rules.GAMES[self.chosen.game].variants[variant])

    @cached_property
    def rows(self) -> list[dict[str, Any]]:
        """One row of cells a variant, with the figures of its winners and of how its games were decided."""
        words = sentences.chart_words()
        measure, axis = self.chosen.measure, self.chosen.axis
        distributions = [block[measure] for block in self._blocks()]
        top = figures.top_share(distributions, axis)
        rows = []
        for variant, counts in self.chosen.offered:
            cells = self._cells_of(variant, counts)
            rows.append(
                {
                    "variant": variant,
                    "name": self._variant_name(variant),
                    "says": sentences.variant_says(variant) if self.chosen.game == "for-sale" else "",
                    "cells": [
                        self._cell(variant, *cell, top=top, words=words, first=cell is cells[0]) for cell in cells
                    ],
                    "winners_id": f"winners-{variant}",
                    "winners": figures.winners_strip(
                        [(n, r and r["winning_total"], s and s["winning_total"]) for n, r, s in cells],
                        variant=variant,
                        axis=figures.AXES[self.chosen.game, "winning_total"],
                        words=words,
                    ),
                    "decided_id": f"decided-{variant}",
                    "decided": figures.decided_bars(
                        [(n, r and r["decided_by"], s and s["decided_by"]) for n, r, s in cells],
                        variant=variant,
                        words=words,
                    ),
                }
            )
        return rows

    def _blocks(self) -> Iterator[Block]:
        for variant, counts in self.chosen.offered:
            for _players, *blocks in self._cells_of(variant, counts):
                yield from (block for block in blocks if block)

    def _cell(
        self,
        variant: str,
        players: int,
        recorded: Block | None,
        simulated: Block | None,
        *,
        top: float,
        words: figures.Words,
        first: bool,
    ) -> dict[str, Any]:
        measure = self.chosen.measure
        counted = recorded if recorded is not None else simulated
        plays = counted["plays"] if counted else 0
        return {
            "id": f"cell-{variant}-{players}",
            "players": sentences.number_of_players(players),
            "n": _("n = %(plays)s")
            % {"plays": sentences.number_of_plays(plays) if recorded is not None else sentences.number_of_games(plays)},
            "says": sentences.cell_heading(measure, recorded, simulated, narrowed=self.chosen.narrows_plays),
            "note": sentences.cell_note(measure, recorded, simulated),
            "figure": figures.histogram_cell(
                recorded=recorded and recorded[measure],
                simulated=simulated and simulated[measure],
                variant=variant,
                axis=self.chosen.axis,
                top=top,
                words=words,
                name_medians=first,
            ),
            "empty": recorded is not None and not recorded["plays"],
            "helps": sentences.empty_helps(players, narrowed=self.chosen.narrows_plays),
        }

    @cached_property
    def winners_heading(self) -> str:
        blocks, simulated = self._spoken_for()
        return sentences.winners_heading(blocks, simulated=simulated)

    @cached_property
    def decided_heading(self) -> str:
        blocks, simulated = self._spoken_for()
        return sentences.decided_heading(blocks, simulated=simulated)

    def _spoken_for(self) -> tuple[list[Block], bool]:
        """The blocks a sentence speaks for, and whether they are simulated: recorded ones, if there are any."""
        recorded = [block for block in (self.recorded or {}).values() if block["plays"]]
        return (recorded, False) if recorded else (list((self.simulated or {}).values()), True)

    @cached_property
    def table(self) -> list[dict[str, Any]]:
        """The same numbers, one line a block."""
        lines = []
        for variant, counts in self.chosen.offered:
            for players, *blocks in self._cells_of(variant, counts):
                for block, data in zip(blocks, (_("recorded"), _("simulated")), strict=True):
                    if block:
                        lines.append(_line(self._variant_name(variant), players, data, block, self.chosen.measure))
        return lines

    @cached_property
    def sources(self) -> list[str]:
        """Where the figures come from: how many plays of whom as of when; line-up, games, seed and engine."""
        lines = []
        if self.recorded is not None:
            plays = sum(block["plays"] for block in self.recorded.values())
            lines.append(recorded_source(self.chosen, plays, self.as_of))
        lines += [simulated_source(block) for block in list((self.simulated or {}).values())[:1]]
        lines.append(_("Intervals allow for the seats of one play not being independent."))
        return lines

    @cached_property
    def progress(self) -> dict[str, Any] | None:
        """How far the reference simulations are, all together; None once they are done."""
        blocks = list((self.simulated or {}).values())
        games = sum(block["games_requested"] for block in blocks)
        done = sum(block["games"] for block in blocks)
        if done >= games:
            return None
        waiting = [block["simulation"] for block in blocks if not block["complete"]]
        running = [one for one in Simulation.objects.filter(pk__in=waiting) if one.status == Status.RUNNING]
        speed = sum(services.games_per_second(simulation) or 0 for simulation in running)
        return {
            "says": sentences.progress(done, games, running=bool(running)),
            "pace": sentences.pace(speed, (games - done) / speed if speed else None),
            "permille": 1000 * done // games,
        }

    @property
    def every(self) -> int:
        """Milliseconds until the page should look again."""
        return POLL_RUNNING if self.progress else POLL_IDLE

    @property
    def csv_url(self) -> str:
        query = {name: value for name, value in vars(self.chosen).items() if value and name in ScoreFilters.asked}
        return f"{reverse('dashboard:scores-csv')}?{urlencode(query)}"

    @property
    def csvs(self) -> list[tuple[str, str]]:
        """The links to what the charts below the grid show: the winners' totals, and how games were decided."""
        winners = replace(self, chosen=replace(self.chosen, measure="winning_total"))
        return [(_("CSV of winners"), winners.csv_url), (_("of ties"), f"{self.csv_url}&of=decided")]

    def decided_rows(self) -> Iterator[list[Any]]:
        """How the games of every block were decided."""
        yield ["game", "edition", "variant", "player_count", "data", "decided_by", "count"]
        for variant, counts in self.chosen.offered:
            for players, *blocks in self._cells_of(variant, counts):
                for block, data in zip(blocks, ("recorded", "simulated"), strict=True):
                    for way, count in block["decided_by"].items() if block else ():
                        yield [self.chosen.game, self.chosen.edition, variant, players, data, way, count]

    def csv_rows(self) -> Iterator[list[Any]]:
        """Every histogram of the section, one score a row."""
        yield ["game", "edition", "variant", "player_count", "data", "measure", "score", "count"]
        for variant, counts in self.chosen.offered:
            for players, *blocks in self._cells_of(variant, counts):
                for block, data in zip(blocks, ("recorded", "simulated"), strict=True):
                    for bar in block[self.chosen.measure]["histogram"] if block else ():
                        place = [self.chosen.game, self.chosen.edition, variant, players]
                        yield [*place, data, self.chosen.measure, bar["score"], bar["count"]]


def recorded_source(chosen: Chosen, plays: int, as_of: datetime | None) -> str:
    """How many plays of whom as of when."""
    counted = chosen.counts != "all"
    said = {
        "plays": sentences.number_of_plays(plays),
        "edition": in_language(rules.GAMES[chosen.game].editions[chosen.edition].names),
        "when": sentences.moment(as_of or timezone.now()),
        "club": chosen.club_name,
    }
    if chosen.club and counted:
        return _("Recorded: %(plays)s of the club %(club)s that count, %(edition)s edition, as of %(when)s.") % said
    if chosen.club:
        return _("Recorded: %(plays)s of the club %(club)s, %(edition)s edition, as of %(when)s.") % said
    if counted:
        return _("Recorded: %(plays)s of public clubs that count, %(edition)s edition, as of %(when)s.") % said
    return _("Recorded: %(plays)s of public clubs, %(edition)s edition, as of %(when)s.") % said


def simulated_source(block: Block) -> str:
    """Line-up, games, seed and engine of simulated figures."""
    return _("Simulated: %(bots)s, %(games)s per chart, seed %(seed)s, %(opener)s opener, engine %(engine)s.") % {
        "bots": sentences.line_up(block["bots"]),
        "games": sentences.number_of_games(block["games_requested"]),
        "seed": block["seed"],
        "opener": _("random") if block["opener"] == "random" else block["opener"],
        "engine": block["engine"],
    }


_NOTHING = distribution.describe({}, se=None)
EMPTY: Block = {"plays": 0, "decided_by": {}} | dict.fromkeys(sentences.MEASURES, _NOTHING)


def read(chosen: Chosen, viewer: Caller) -> Scores:
    """The blocks that the filters leave, recorded, simulated or both, from the aggregates."""
    recorded = simulated = None
    as_of = None
    if chosen.data != "simulated":
        recorded, as_of = _ask(chosen, chosen.recorded, viewer)
    if chosen.data != "recorded" and chosen.game == services.SIMULATED_GAME:
        simulated, simulated_as_of = _ask(chosen, chosen.simulated, viewer)
        as_of = as_of or simulated_as_of
    return Scores(chosen, recorded, simulated, as_of)


def _ask(chosen: Chosen, filters: Mapping[str, Any], viewer: Caller) -> tuple[dict[Key, Block], datetime | None]:
    if not chosen.offered:
        return {}, None
    answer = aggregates.score_blocks(filters, viewer=viewer)
    blocks = {(block["variant"], block["player_count"]): block for block in answer["results"]}
    return blocks, answer["as_of"]


def _line(variant: str, players: int, data: str, block: Block, measure: str) -> dict[str, Any]:
    d, decided = block[measure], block["decided_by"]
    games = sum(decided.values())
    interval = d["median_interval"]
    return {
        "variant": variant,
        "player_count": players,
        "data": data,
        "plays": block["plays"],
        "d": d,
        "mean": sentences.mean(d),
        "interval": sentences.interval(interval) if interval else "–",
        "winning": block["winning_total"],
        "level": games - decided.get("total", 0),
        "banknotes": decided.get("banknotes", 0),
        "shared": decided.get("shared", 0),
        "otherwise": games - sum(decided.get(way, 0) for way in ("total", "banknotes", "shared")),
    }
