"""Pages of the questions people ask: all of them in sentences, each with its charts, and what a table is worth.

The numbers are those of `stats.questions`, which the API answers with too.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from django import forms
from django.core.cache import cache
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe

from dashboard import figures, scores, sentences
from dashboard.sentences import in_language
from dashboard.statistics import csv_address, wants_csv
from dashboard.views import as_csv
from forsale_api import rules
from forsale_api.api.limits import client_address
from forsale_api.api.problems import Problem
from forsale_api.rules.for_sale import BASE
from stats import questions as asked_questions
from stats.bots import BOTS
from stats.fair_price import Table
from stats.question_views import TITLES
from stats.services import SIMULATED_GAME

type Block = Mapping[str, Any]
type Row = Mapping[str, Any]

GAME = rules.GAMES[SIMULATED_GAME]
SECTIONS: Mapping[str, tuple[str, ...]] = {"ties": ("ties", "tie-break")}
"""Questions that are answered together on the page of one of them."""
COMPARED = ("rounding", "variant")
"""Questions whose blocks are differences of two simulations."""
ANONYMOUS_TABLES, HOUR = 60, 3600
"""Tables that have never been asked for, of an address without an account, in so many seconds."""


def _counts() -> list[int]:
    return sorted({count for offered in GAME.offers.values() for count in offered})


def _bots() -> list[tuple[str, str]]:
    return [(slug, in_language(BOTS[slug].names)) for slug in asked_questions.ASKED]


# ---- all of them ------------------------------------------------------------------------------------


class OverviewFilters(forms.Form):
    """What the questions are about."""

    player_count = forms.ChoiceField(label=gettext_lazy("Players"), required=False)
    bot = forms.ChoiceField(label=gettext_lazy("Bot in every seat"), required=False)

    def __init__(self, query: Mapping[str, Any]) -> None:
        plain = {"player_count": "4", "bot": asked_questions.BOT}
        super().__init__(scores.with_defaults(query, plain))
        choices = {
            "player_count": [(str(n), sentences.number_of_players(n)) for n in GAME.offers[GAME.default_edition, BASE]],
            "bot": _bots(),
        }
        for name, default in plain.items():
            self.fields[name].choices = choices[name]  # type: ignore[attr-defined]
            self.fields[name].widget.attrs["data-default"] = default


@require_safe
def questions(request: HttpRequest) -> HttpResponse:
    """Questions people ask, each with its answer in a sentence, and how sure it is."""
    form = OverviewFilters(request.GET)
    asked = form.cleaned_data if form.is_valid() else {"player_count": "4", "bot": asked_questions.BOT}
    filters = {"player_count": int(asked["player_count"]), "bot": asked["bot"]}
    answers = [{**asked_questions.ask(slug, filters), "title": TITLES[slug]} for slug in asked_questions.QUESTIONS]
    complete = all(answer["complete"] for answer in answers)
    context = {
        "form": form,
        "narrowed": bool(request.GET),
        "answers": [{**answer, "blocks": [_answered(block) for block in answer["results"]]} for answer in answers],
        "query": request.GET.urlencode(),
        "bot": sentences.bot_name(asked["bot"]),
        "engine": answers[0]["engine"],
        "every": 0 if complete else scores.POLL_RUNNING,
    }
    return render(request, "dashboard/questions.html", context)


def _answered(block: Block) -> dict[str, Any]:
    """A block of an answer with its words."""
    parts = [
        in_language(GAME.variants[block["variant"]]) if block["variant"] else "",
        in_language(GAME.editions[block["edition"]].names) if block["edition"] else "",
    ]
    return {**block, "kind": ", ".join(filter(None, parts)), "games_said": sentences.number_of_games(block["games"])}


# ---- one of them ------------------------------------------------------------------------------------


class QuestionFilters(OverviewFilters):
    """What one question is about: all variants and numbers of players, unless said."""

    edition = forms.ChoiceField(label=gettext_lazy("Edition"), required=False)
    variant = forms.ChoiceField(label=gettext_lazy("Variant"), required=False)

    def __init__(self, query: Mapping[str, Any], *, leave_out: Sequence[str] = ()) -> None:
        super().__init__(query)
        editions = sorted(GAME.editions.items(), key=lambda item: item[0] != GAME.default_edition)
        choices = {
            "edition": [(slug, in_language(edition.names)) for slug, edition in editions],
            "variant": [("", _("Both")), *((slug, in_language(names)) for slug, names in GAME.variants.items())],
            "player_count": [("", _("All")), *((str(n), sentences.number_of_players(n)) for n in _counts())],
        }
        for name, options in choices.items():
            self.fields[name].choices = options  # type: ignore[attr-defined]
        self.fields["edition"].widget.attrs["data-default"] = GAME.default_edition
        del self.fields["player_count"].widget.attrs["data-default"]
        self.data = scores.with_defaults(query, {"bot": asked_questions.BOT})
        self.order_fields(["edition", "variant", "player_count", "bot"])
        for name in leave_out:
            del self.fields[name]

    @property
    def asked(self) -> dict[str, Any]:
        """The filters as the questions want them; what is wrong in the address is left out and said on the page."""
        self.is_valid()
        given = {name: value for name, value in self.cleaned_data.items() if value}
        if "player_count" in given:
            given["player_count"] = int(given["player_count"])
        return given


LEFT_OUT = {"rounding": ("edition",), "variant": ("variant",)}
"""Filters that a question says nothing about."""


@require_safe
def question(request: HttpRequest, slug: str) -> HttpResponseBase:
    """One question: its charts, the sentence, the table, CSV."""
    if slug not in asked_questions.QUESTIONS:
        raise Http404(_("There is no such question."))
    form = QuestionFilters(request.GET, leave_out=LEFT_OUT.get(slug, ()))
    asked = form.asked
    slugs = SECTIONS.get(slug, (slug,))
    answers: dict[str, dict[str, Any] | None] = dict.fromkeys(slugs)
    with suppress(Problem):  # no such number of players in this edition and variant
        answers = {each: asked_questions.ask(each, asked) for each in slugs}
    if wants_csv(request):
        return as_csv(slug, _as_csv(answers[slug]))
    known = [answer for answer in answers.values() if answer]
    complete = all(answer["complete"] for answer in known)
    context = {
        "form": form,
        "narrowed": form.is_bound and any(request.GET.get(name) for name in form.fields),
        "slug": slug,
        "title": TITLES[slug],
        "sections": [_section(each, answer) for each, answer in answers.items() if answer],
        "every": 0 if complete else scores.POLL_RUNNING,
        "source": sentences.question_source(known[0]) if known else "",
        "csv": csv_address(request),
        "json": _api_address(slug, asked),
    }
    return render(request, "dashboard/question.html", context)


def _api_address(slug: str, asked: Mapping[str, Any]) -> str:
    query = "&".join(f"{name}={value}" for name, value in asked.items())
    return f"/api/v1/questions/{slug}/" + (f"?{query}" if query else "")


def _section(slug: str, answer: Mapping[str, Any]) -> dict[str, Any]:
    blocks = answer["results"]
    columns = COLUMNS[slug]
    return {
        "slug": slug,
        "title": TITLES[slug],
        "heading": sentences.question_heading(slug, blocks) or TITLES[slug],
        "measure": sentences.question_measure(slug),
        "groups": FIGURES[slug](slug, blocks),
        "heads": [(column.title(), column.is_number) for column in (*PLACE, *columns)],
        "table": [
            [(column.says(block, row), column.is_number) for column in (*PLACE, *columns)]
            for block in blocks
            for row in block["rows"]
        ],
        "pair": slug == "ties",
    }


# ---- charts -----------------------------------------------------------------------------------------

type Groups = list[dict[str, Any]]
"""Rows of cells: {"name", "variant", "cells": [{"id", "corner", "n", "says", "note", "figure"}]}."""


def _grid(slug: str, blocks: Sequence[Block], draw: Callable[[Block], figures.Figure]) -> Groups:
    """A row a variant, a cell a number of players."""
    groups: Groups = []
    for variant in GAME.variants:
        cells = [
            {
                "id": f"{slug}-{variant}-{block['player_count']}",
                "corner": sentences.number_of_players(block["player_count"]),
                "n": _("n = %(plays)s") % {"plays": sentences.number_of_games(block["games"])},
                "note": "" if block["complete"] or not block["rows"] else _("not sure enough yet"),
                "says": _cell_says(block, alone=len(blocks) == 1),
                "figure": draw(block),
            }
            for block in blocks
            if block["variant"] == variant
        ]
        if cells:
            groups.append({"name": in_language(GAME.variants[variant]), "variant": variant, "cells": cells})
    return groups


def _cell_says(block: Block, *, alone: bool) -> str:
    """The sentence over a cell; over one that is alone it is the head of the section."""
    if not block["rows"]:
        return _("The first simulated games are on their way")
    return "" if alone else str(block["sentence"])


def _house_figures(slug: str, blocks: Sequence[Block]) -> Groups:
    words = sentences.chart_words()

    def draw(block: Block) -> figures.Figure:
        rows = [row for row in block["rows"] if row["price"]["n"]]
        return figures.house_lines(rows, variant=block["variant"], words=words, small=len(blocks) > 1)

    return _grid(slug, blocks, draw)


def _position_figures(slug: str, blocks: Sequence[Block]) -> Groups:
    words, bounds = sentences.chart_words(), figures.position_bounds(block["rows"] for block in blocks)

    def draw(block: Block) -> figures.Figure:
        return figures.positions(block["rows"], bounds=bounds, words=words, axis_title=len(blocks) == 1)

    return _grid(slug, blocks, draw)


def _tie_figures(slug: str, blocks: Sequence[Block]) -> Groups:
    """A cell a variant, a line a number of players."""
    words = sentences.chart_words()
    groups: Groups = []
    for variant in GAME.variants:
        mine = [block for block in blocks if block["variant"] == variant]
        if not mine:
            continue
        rows = [(block["player_count"], None, sentences.decided_by(block) or None) for block in mine]
        cell = {
            "id": f"{slug}-{variant}",
            "corner": in_language(GAME.variants[variant]),
            "n": _("n = %(plays)s") % {"plays": sentences.number_of_games(sum(block["games"] for block in mine))},
            "says": sentences.ties_say(mine),
            "figure": figures.decided_bars(rows, variant=variant, words=words),
        }
        groups.append({"name": in_language(GAME.variants[variant]), "variant": variant, "cells": [cell]})
    return groups


def _tie_break_figures(slug: str, blocks: Sequence[Block]) -> Groups:
    words = sentences.chart_words()
    points = {id(block): [_tie_point(row) for row in block["rows"] if row["gain"]["n"]] for block in blocks}
    bounds = figures.zero_bounds(points.values())

    def draw(block: Block) -> figures.Figure:
        ticks: dict[float, str] = {place: str(place) for place in range(1, block["player_count"] + 1)}
        series = [(figures.PALETTE["sim"], points[id(block)])]
        title = words.position_axis if len(blocks) == 1 else ""
        return figures.about_zero(series, ticks=ticks, bounds=bounds, axis_title=title, suffix=words.percent_suffix,
                                  words=words)  # fmt: skip

    return _grid(slug, blocks, draw)


def _tie_point(row: Row) -> dict[str, Any]:
    what = _("position %(position)d") % {"position": row["position"]}
    se = row["gain"]["se"]
    return {"x": row["position"], "value": 100 * row["gain"]["mean"], "se": se and 100 * se, "what": what}


def _difference_figures(slug: str, blocks: Sequence[Block]) -> Groups:
    """A cell a figure that changes, a place on its axis a number of players."""
    words = sentences.chart_words()
    kinds = [variant for variant in (None, *GAME.variants) if any(block["variant"] == variant for block in blocks)]
    ticks: dict[float, str] = {block["player_count"]: str(block["player_count"]) for block in blocks}
    cells = []
    for name, title in sentences.difference_names().items():
        factor = 1 if name in sentences.MONEY_FIGURES else 100
        series = []
        for kind in kinds:
            colour = figures.PALETTE["sim" if kind is None else "base-text" if kind == BASE else "variant-text"]
            points = [
                {
                    "x": block["player_count"],
                    "value": factor * row["difference"],
                    "se": factor * row["se"],
                    "what": _difference_is_of(block, title),
                }
                for block in blocks
                if block["variant"] == kind
                for row in block["rows"]
                if row["figure"] == name
            ]
            series.append((colour, points))
        suffix = "" if factor == 1 else words.percent_suffix
        cells.append({
            "id": f"{slug}-{name.replace('_', '-')}",
            "corner": _("in thousands of dollars") if factor == 1 else _("in 100 games"),
            "n": "",
            "says": title,
            "figure": figures.about_zero(series, ticks=ticks, digits=2, suffix=suffix, words=words),
        })  # fmt: skip
    games = _("n = %(plays)s") % {"plays": sentences.number_of_games(min(block["games"] for block in blocks))}
    return [{"name": "", "variant": "", "note": games, "cells": cells}]


def _difference_is_of(block: Block, title: str) -> str:
    players = sentences.number_of_players(block["player_count"])
    variant = f"{in_language(GAME.variants[block['variant']])}, " if block["variant"] else ""
    return f"{variant}{players}, {sentences.in_sentence(title)}"


FIGURES: Mapping[str, Callable[[str, Sequence[Block]], Groups]] = {
    "house-worth": _house_figures,
    "position": _position_figures,
    "ties": _tie_figures,
    "tie-break": _tie_break_figures,
    "rounding": _difference_figures,
    "variant": _difference_figures,
}


# ---- tables -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Column:
    """A column of a table and of the CSV: its name there, its title here, its value in a block and row, its words."""

    name: str
    title: Callable[[], str]
    value: Callable[[Block, Row], Any]
    words: Callable[[Any], str] = str
    is_number: bool = True

    def says(self, block: Block, row: Row) -> str:
        """The value as the page has it."""
        value = self.value(block, row)
        return "–" if value is None else self.words(value)


def _variant_said(slug: str) -> str:
    return in_language(GAME.variants[slug])


def _edition_said(slug: str) -> str:
    return in_language(GAME.editions[slug].names)


def _share(value: float) -> str:
    return sentences.percent(value, 2)


def _error(value: float) -> str:
    return sentences.percent(value, 3)


def _decimals(digits: int) -> Callable[[float], str]:
    return lambda value: sentences.decimal(value, digits)


def _mean_columns(key: str, price: Callable[[], str]) -> tuple[Column, ...]:
    return (
        Column(f"{key}_n", lambda: "n", lambda block, row: row[key]["n"], sentences.whole),
        Column(f"{key}_mean", price, lambda block, row: row[key]["mean"], _decimals(3)),
        Column(f"{key}_se", lambda: _("Standard error"), lambda block, row: row[key]["se"], _decimals(4)),
    )


def _share_columns(key: str, title: Callable[[], str]) -> tuple[Column, ...]:
    return (
        Column(key, title, lambda block, row: row[key]["value"], _share),
        Column(f"{key}_low", lambda: _("from (95 %)"), lambda block, row: row[key]["low"], _share),
        Column(f"{key}_high", lambda: _("to (95 %)"), lambda block, row: row[key]["high"], _share),
    )


def _of_figure(key: str, title: Callable[[], str]) -> Column:
    """A figure of a comparison, money or a share."""

    def value(block: Block, row: Row) -> Any:
        return row["figure"], row[key]

    def words(found: Any) -> str:
        name, number = found
        return sentences.decimal(number, 4) if name in sentences.MONEY_FIGURES else sentences.percent(number, 3)

    return Column(key, title, value, words)


PLACE = (
    Column("edition", lambda: _("Edition"), lambda block, row: block["edition"], _edition_said, is_number=False),
    Column("variant", lambda: _("Variant"), lambda block, row: block["variant"], _variant_said, is_number=False),
    Column("player_count", lambda: _("Players"), lambda block, row: block["player_count"]),
    Column("games", lambda: _("Games"), lambda block, row: block["games"], sentences.whole),
)
POSITION = Column("position", lambda: _("Position"), lambda block, row: row["position"])
_COMPARED = (
    Column(
        "figure",
        lambda: _("Figure"),
        lambda block, row: row["figure"],
        lambda name: sentences.difference_names()[name],
        is_number=False,
    ),
    _of_figure("first", lambda: _("Before")),
    _of_figure("second", lambda: _("After")),
    _of_figure("difference", lambda: _("Difference")),
    _of_figure("se", lambda: _("Standard error")),
)
COLUMNS: Mapping[str, tuple[Column, ...]] = {
    "house-worth": (
        Column("house", lambda: _("House"), lambda block, row: row["house"]),
        *_mean_columns("price", lambda: _("Mean price")),
        *_mean_columns("cheque", lambda: _("Mean cheque")),
    ),
    "position": (
        POSITION,
        *_share_columns("win_share", lambda: _("Wins")),
        Column("se", lambda: _("Standard error"), lambda block, row: row["se"], _error),
        Column("advantage", lambda: _("Above an equal share"), lambda block, row: row["advantage"], _share),
    ),
    "ties": (
        Column(
            "outcome",
            lambda: _("Decided"),
            lambda block, row: row["outcome"],
            lambda name: sentences.outcomes()[name],
            is_number=False,
        ),
        *_share_columns("share", lambda: _("Share of games")),
        Column("se", lambda: _("Standard error"), lambda block, row: row["se"], _error),
    ),
    "tie-break": (
        POSITION,
        Column("level", lambda: _("Games level at the top"), lambda block, row: row["level"]["value"], _share),
        Column("n", lambda: "n", lambda block, row: row["gain"]["n"], sentences.whole),
        Column("win_share", lambda: _("Wins of them"), lambda block, row: row["win_share"]["value"], _share),
        Column("even_share", lambda: _("By lot"), lambda block, row: row["even_share"], _share),
        Column("gain", lambda: _("Gain"), lambda block, row: row["gain"]["mean"], _share),
        Column("se", lambda: _("Standard error"), lambda block, row: row["gain"]["se"], _share),
    ),
    "rounding": _COMPARED,
    "variant": _COMPARED,
}


def _as_csv(answer: Mapping[str, Any] | None) -> Iterator[list[Any]]:
    if answer is None:
        return
    columns = (*PLACE, *COLUMNS[answer["question"]])
    yield ["bot", *(column.name for column in columns)]
    for block in answer["results"]:
        for row in block["rows"]:
            values = [column.value(block, row) for column in columns]
            yield [answer["filters"]["bot"], *(v[1] if isinstance(v, tuple) else v for v in values)]


# ---- what a table is worth ----------------------------------------------------------------------------

EXAMPLE = {"player_count": "4", "houses": "7 12 18 29", "banknotes": "12", "rounds_left": "4"}


def _seat(seat: int) -> str:
    return _("You") if seat == 1 else _("Seat %(n)s clockwise") % {"n": seat}


class TableForm(forms.Form):
    """A table of a buying round. What can be there is for `stats.fair_price` to say."""

    player_count = forms.TypedChoiceField(label=gettext_lazy("Players"), coerce=int)
    variant = forms.ChoiceField(label=gettext_lazy("Variant"))
    edition = forms.ChoiceField(label=gettext_lazy("Edition"))
    bot = forms.ChoiceField(label=gettext_lazy("Who plays everything else"))
    houses = forms.CharField(
        label=gettext_lazy("Open houses"),
        max_length=60,
        widget=forms.TextInput(attrs={"autocomplete": "off", "inputmode": "numeric", "placeholder": "7 12 18 29"}),
    )
    banknotes = forms.IntegerField(
        label=gettext_lazy("Your banknotes, in thousands"),
        min_value=0,
        max_value=99,
        widget=forms.NumberInput(attrs={"inputmode": "numeric"}),
    )
    rounds_left = forms.IntegerField(
        label=gettext_lazy("Buying rounds after this one"),
        min_value=0,
        max_value=20,
        widget=forms.NumberInput(attrs={"inputmode": "numeric"}),
    )

    def __init__(self, query: Mapping[str, Any]) -> None:
        plain = {"player_count": "4", "variant": BASE, "edition": GAME.default_edition, "bot": asked_questions.BOT}
        is_asked = "houses" in query
        super().__init__(scores.with_defaults(query, plain) if is_asked else None, initial=plain | EXAMPLE)
        choices = {
            "player_count": [(str(n), sentences.number_of_players(n)) for n in _counts()],
            "variant": [(slug, in_language(names)) for slug, names in GAME.variants.items()],
            "edition": [(slug, in_language(edition.names)) for slug, edition in GAME.editions.items()],
            "bot": _bots(),
        }
        for name, options in choices.items():
            self.fields[name].choices = options  # type: ignore[attr-defined]
        number = forms.NumberInput(attrs={"inputmode": "numeric"})
        for seat in range(1, _counts()[-1] + 1):
            who = _seat(seat)
            said: dict[str, Any] = {"min_value": 0, "max_value": 99, "required": False, "widget": number}
            self.fields[f"stake{seat}"] = forms.IntegerField(label=_("Stake, %(who)s") % {"who": who}, **said)
            if seat > 1:
                label = _("Banknotes, %(who)s") % {"who": who}
                self.fields[f"notes{seat}"] = forms.IntegerField(label=label, **said)
                self.fields[f"passed{seat}"] = forms.BooleanField(
                    label=_("Passed, %(who)s") % {"who": who}, required=False
                )

    @property
    def plain_fields(self) -> list[forms.BoundField]:
        """The fields above those of the seats."""
        return [self[name] for name in self.fields if not name[-1].isdigit()]

    @property
    def seats(self) -> list[dict[str, Any]]:
        """The fields of the seats, with what each is called."""
        rows = []
        for seat in range(1, _counts()[-1] + 1):
            kinds = [kind for kind in ("stake", "notes", "passed") if f"{kind}{seat}" in self.fields]
            rows.append({"seat": seat, "name": _seat(seat), **{kind: self[f"{kind}{seat}"] for kind in kinds}})
        return rows

    @property
    def has_begun(self) -> bool:
        """Whether anything is said of a bidding under way."""
        return any(self.data.get(name) for name in self.fields if name[-1].isdigit())

    @property
    def table(self) -> Table:
        """The table, as the question wants it."""
        data = self.cleaned_data
        seats = range(1, data["player_count"] + 1)
        stakes = tuple(None if data.get(f"passed{seat}") else data[f"stake{seat}"] or 0 for seat in seats)
        notes = [data[f"notes{seat}"] for seat in seats[1:]]
        houses = data["houses"].replace(",", " ").replace(";", " ").split()
        return Table(
            edition=data["edition"],
            variant=data["variant"],
            player_count=data["player_count"],
            houses=tuple(sorted(map(int, houses))),
            banknotes=data["banknotes"],
            rounds_left=data["rounds_left"],
            bot=data["bot"],
            stakes=stakes if any(stake != 0 for stake in stakes) else (),
            opponents_banknotes=tuple(notes) if all(note is not None for note in notes) else (),
        )

    def clean_houses(self) -> str:
        """Whole numbers, however they are set apart."""
        text = str(self.cleaned_data["houses"])
        if not all(part.isdecimal() and len(part) < 4 for part in text.replace(",", " ").replace(";", " ").split()):
            raise forms.ValidationError(_("Write the numbers of the houses with blanks between them: 7 12 18 29."))
        return text

    def clean(self) -> dict[str, Any]:
        """The others' banknotes are named all or not at all."""
        data = super().clean() or {}
        seats = range(2, data.get("player_count", 0) + 1)
        named = [seat for seat in seats if data.get(f"notes{seat}") is not None]
        for seat in seats:
            if named and seat not in named and f"notes{seat}" not in self.errors:
                self.add_error(f"notes{seat}", _("Name the banknotes of all the others, or of nobody."))
        return data

    def refuse(self, problem: Problem) -> None:
        """Say what is wrong with the table beside the field where it is."""
        for error in problem.errors or [{"pointer": "", "detail": str(problem.detail)}]:
            name, _slash, place = error["pointer"].strip("/").partition("/")
            if name in ("stakes", "opponents_banknotes"):
                kind, first = ("stake", 1) if name == "stakes" else ("notes", 2)
                name = f"{kind}{first + int(place or 0)}"
            self.add_error(name if name in self.fields else None, error["detail"])


@require_safe
def fair_price(request: HttpRequest) -> HttpResponseBase:
    """What taking the best house of a table gains over passing, by price."""
    form = TableForm(request.GET)
    answer = None
    if form.is_bound and form.is_valid():
        try:
            answer = asked_questions.price(form.table, may_begin=lambda: _may_begin(request))
        except Problem as problem:
            form.refuse(problem)
    if wants_csv(request):
        return as_csv("fair-price", _prices_as_csv(answer))
    context: dict[str, Any] = {
        "form": form,
        "houses": range(1, GAME.editions[GAME.default_edition].houses + 1),
        "answer": answer,
        "example": "&".join(f"{name}={value.replace(' ', '+')}" for name, value in EXAMPLE.items()),
        "every": scores.POLL_RUNNING if answer and not answer["complete"] else 0,
        "csv": csv_address(request),
    }
    if answer:
        context |= _price_figures(answer) | {
            "says": sentences.price_says(answer),
            "n": sentences.number_of_deals(answer["deals"]),
            "source": sentences.price_source(answer),
            "rows": [_price_row(row) for row in answer["rows"]],
        }
    return render(request, "dashboard/fair_price.html", context)


def _may_begin(request: HttpRequest) -> bool:
    """Whether this reader may have a table played that nobody has asked for: a stranger's address has so many."""
    if request.user.is_authenticated:
        return True
    key = f"tables:{client_address(request)}"
    cache.add(key, 0, HOUR)
    return cache.incr(key) <= ANONYMOUS_TABLES


def _price_figures(answer: Mapping[str, Any]) -> dict[str, Any]:
    words, rows = sentences.chart_words(), answer["rows"]
    ticks: dict[float, str] = {row["price"]: str(row["price"]) for row in rows}
    gains, wins = (
        [
            {
                "x": row["price"],
                "value": factor * row[name],
                "se": factor * (row[se] or 0),
                "what": _("for %(price)s") % {"price": sentences.money(row["price"])},
            }
            for row in rows
        ]
        for name, se, factor in (("gain", "se", 1), ("win_gain", "win_se", 100))
    )
    common: dict[str, Any] = {"ticks": ticks, "connected": True, "axis_title": _("Price, in thousands of dollars")}
    accent = figures.PALETTE["accent"]
    return {
        "gain_figure": figures.about_zero(
            [(accent, gains)], mark=answer["fair_price"] or None, words=words, **common
        ),
        "wins_figure": figures.about_zero([(accent, wins)], suffix=words.percent_suffix, words=words, **common),
        "wins_says": sentences.wins_by_price(rows),
    }  # fmt: skip


def _price_row(row: Row) -> dict[str, Any]:
    """A price's gains with their intervals."""
    spread, wins = 1.96 * (row["se"] or 0), 1.96 * (row["win_se"] or 0)
    return {
        **row,
        "low": row["gain"] - spread,
        "high": row["gain"] + spread,
        "win_low": row["win_gain"] - wins,
        "win_high": row["win_gain"] + wins,
    }


def _prices_as_csv(answer: Mapping[str, Any] | None) -> Iterator[list[Any]]:
    yield ["price", "deals", "gain", "se", "low", "high", "win_gain", "win_se", "win_low", "win_high"]
    for row in map(_price_row, answer["rows"] if answer else ()):
        figures_of = ("gain", "se", "low", "high", "win_gain", "win_se", "win_low", "win_high")
        yield [row["price"], answer["deals"] if answer else 0, *(row[name] for name in figures_of)]
