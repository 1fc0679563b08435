"""Pages of figures beside the home page's: positions, houses, players, a player, two filters compared.

Each page reads the filters from its address, asks `stats.aggregates` for rows, and shows them as a picture headed by a
sentence, as a table and as CSV. Nothing is calculated here but what a sentence says of the rows.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django import forms
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe

from dashboard import figures, scores, sentences
from dashboard.play_facts import Told
from dashboard.scores import Block, Chosen, Key, OneKindFilters, ScoreFilters
from dashboard.sentences import in_language
from dashboard.views import MOST_CLUBS, as_csv, club_or_404, clubs_to_choose, ready, score_section
from forsale_api import rules
from forsale_api.api.problems import NotFound
from forsale_api.clubs import services as clubs_services
from forsale_api.clubs.models import Club
from forsale_api.clubs.seasons import seasons_of
from forsale_api.plays.models import Play
from stats import aggregates, distribution, services

NO_MEASURE = ("measure",)
PLAYS_ONLY = ("measure", "data")
FEWEST_PLAYS = 5
"""Plays from which on a leader board shows a player, unless the reader says otherwise."""
CHART_ROWS = 15


# ---- what the pages share ---------------------------------------------------------------------------


def csv_address(request: HttpRequest, part: str = "") -> str:
    """This page's address with the same filters, as CSV: of one part of it, where it has several."""
    query = request.GET.copy()
    query["format"] = "csv"
    if part:
        query["of"] = part
    return f"{request.path}?{query.urlencode()}"


type CsvParts = Mapping[str, tuple[Any, Callable[[], Iterable[Sequence[Any]]]]]
"""What of a page can be had as CSV: by its name in the address the words for it, and what gives the rows."""


def csv_of(request: HttpRequest, name: str, parts: CsvParts) -> HttpResponseBase:
    """The part that the address asks for, the first where it names none (404 for one there is not)."""
    part = request.GET.get("of") or next(iter(parts))
    if part not in parts:
        raise Http404(_("There is no such table on this page."))
    _title, rows = parts[part]
    return as_csv(f"{name}-{part}", rows())


def csv_links(request: HttpRequest, parts: CsvParts) -> list[tuple[str, str]]:
    """The links for `csv_of`: words and address."""
    return [(title, csv_address(request, part)) for part, (title, _rows) in parts.items()]


def of_plays(form: ScoreFilters) -> dict[str, Any]:
    """The filters as the figures of plays want them: where no edition is named, those of all are one."""
    asked = {name: value for name, value in form.chosen.recorded.items() if name != "data"}
    if not form.cleaned_data.get("edition"):
        del asked["edition"]
    return asked


def wants_csv(request: HttpRequest) -> bool:
    return request.GET.get("format") == "csv"


def _blocks(
    chosen: Chosen, read: Any, request: HttpRequest
) -> tuple[dict[Key, Block] | None, dict[Key, Block] | None, Any]:
    """Recorded and simulated blocks by variant and number of players (None where not asked for), and as of when."""
    recorded = simulated = as_of = None
    if chosen.data != "simulated" and chosen.offered:
        answer = read(chosen.recorded, viewer=request.user)
        recorded, as_of = _by_key(answer["results"]), answer["as_of"]
    if chosen.data != "recorded" and chosen.game == services.SIMULATED_GAME and chosen.offered:
        answer = read(chosen.simulated, viewer=request.user)
        simulated, as_of = _by_key(answer["results"]), as_of or answer["as_of"]
    return recorded, simulated, as_of


def _by_key(blocks: Iterable[Block]) -> dict[Key, Block]:
    return {(block["variant"], block["player_count"]): block for block in blocks}


def _variant_name(chosen: Chosen, variant: str) -> str:
    return in_language(rules.GAMES[chosen.game].variants[variant])


def _sources(
    chosen: Chosen, recorded: Mapping[Key, Block] | None, simulated: Mapping[Key, Block] | None, as_of: Any
) -> list[str]:
    lines = []
    if recorded is not None:
        plays = sum(block["plays"] for block in recorded.values())
        lines.append(scores.recorded_source(chosen, plays, as_of))
    lines += [scores.simulated_source(block) for block in list((simulated or {}).values())[:1]]
    return lines


# ---- positions --------------------------------------------------------------------------------------


@require_safe
def positions(request: HttpRequest) -> HttpResponseBase:
    """What the place at the table is worth."""
    clubs = clubs_to_choose(request, request.GET.get("club", ""))
    form = ScoreFilters(request.GET, clubs=clubs, leave_out=NO_MEASURE)
    chosen = form.chosen
    recorded, simulated, as_of = _blocks(chosen, aggregates.seat_blocks, request)
    if wants_csv(request):
        return as_csv("positions", _position_rows(chosen, recorded, simulated))
    cells = _position_cells(chosen, recorded, simulated)
    context = {
        "form": form,
        "narrowed": form.narrowed,
        "heading": sentences.positions_page_heading(
            [(players, r, s) for _variant, row in cells for players, r, s in row]
        ),
        "rows": _position_figures(chosen, cells),
        "table": list(_position_rows(chosen, recorded, simulated))[1:],
        "has_recorded": recorded is not None,
        "has_simulated": simulated is not None,
        "sources": _sources(chosen, recorded, simulated, as_of),
        "csv": csv_address(request),
    }
    return render(request, "dashboard/positions.html", context)


type Cells = list[tuple[str, list[tuple[int, Block | None, Block | None]]]]


def _position_cells(chosen: Chosen, recorded: Any, simulated: Any) -> Cells:
    nothing = {"plays": 0, "positions": []}
    return [
        (
            variant,
            [
                (
                    players,
                    None if recorded is None else recorded.get((variant, players), nothing),
                    (simulated or {}).get((variant, players)),
                )
                for players in counts
            ],
        )
        for variant, counts in chosen.offered
    ]


def _position_figures(chosen: Chosen, cells: Cells) -> list[dict[str, Any]]:
    words = sentences.chart_words()
    known = [block["positions"] for _variant, row in cells for _n, *blocks in row for block in blocks if block]
    bounds = figures.position_bounds(known)
    rows = []
    for variant, row in cells:
        shown = []
        for players, recorded, simulated in row:
            has_plays = bool(recorded and recorded["plays"])
            counted = recorded if recorded is not None else simulated
            plays = counted["plays"] if counted else 0
            number = sentences.number_of_plays if recorded is not None else sentences.number_of_games
            shown.append(
                {
                    "id": f"positions-{variant}-{players}",
                    "players": sentences.number_of_players(players),
                    "n": _("n = %(plays)s") % {"plays": number(plays)},
                    "says": sentences.position_says(recorded, simulated, narrowed=chosen.narrows_plays),
                    "figure": figures.positions(
                        simulated["positions"] if simulated and simulated["plays"] else [],
                        recorded=recorded["positions"] if recorded and has_plays else [],
                        variant=variant,
                        words=words,
                        bounds=bounds,
                        axis_title=False,
                    ),
                    "empty": recorded is not None and not has_plays,
                    "helps": _("Note who opened the first auction when you log a play."),
                }
            )
        rows.append({"variant": variant, "name": _variant_name(chosen, variant), "cells": shown})
    return rows


def _position_rows(chosen: Chosen, recorded: Any, simulated: Any) -> Iterator[list[Any]]:
    yield ["variant", "player_count", "data", "position", "plays", "win_share", "low", "high", "mean_total"]
    for variant, counts in chosen.offered:
        for players in counts:
            for data, blocks in (("recorded", recorded), ("simulated", simulated)):
                block: Block = (blocks or {}).get((variant, players)) or {"plays": 0}
                for row in block["positions"] if block["plays"] else ():
                    share = row["win_share"]
                    mean = row["total"]["mean"] if row.get("total") else None
                    yield [
                        variant, players, data, row["position"], block["plays"], share["value"], share["low"],
                        share["high"], mean,
                    ]  # fmt: skip


# ---- houses -----------------------------------------------------------------------------------------


@require_safe
def houses(request: HttpRequest) -> HttpResponseBase:
    """What houses cost and fetch, recorded beside simulated."""
    clubs = clubs_to_choose(request, request.GET.get("club", ""))
    form = OneKindFilters(request.GET, clubs=clubs, leave_out=("measure", "game"))
    chosen = form.chosen
    recorded, simulated, as_of = _blocks(chosen, aggregates.house_blocks, request)
    key = (chosen.variant, chosen.player_count)
    mine, block = (recorded or {}).get(key), (simulated or {}).get(key)
    rows = _house_rows(mine, block)
    if wants_csv(request):
        return as_csv("houses", _houses_as_csv(chosen, rows))
    known = [row for row in block["houses"] if row["price"]["n"]] if block else []
    points = [row for row in mine["houses"] if row["price"]["n"]] if mine else []
    every = 0 if not block or block["complete"] else scores.POLL_RUNNING
    progress = sentences.progress(block["games"], block["games_requested"], running=True) if block else ""
    context = {
        "form": form,
        "narrowed": form.narrowed,
        "offered": bool(chosen.offered),
        "every": every,
        "progress": progress,
        "permille": 1000 * block["games"] // block["games_requested"] if block else 0,
        "heading": sentences.houses_heading(known or points),
        "rows": rows,
        "has_recorded": recorded is not None,
        "has_simulated": bool(known),
        "points": bool(points),
        "note": sentences.house_note(mine) if recorded is not None else "",
        "figure": figures.house_lines(known, recorded=points, variant=chosen.variant, words=sentences.chart_words())
        if known or points
        else None,
        "sources": _sources(chosen, recorded, simulated, as_of),
        "csv": csv_address(request),
    }
    return render(request, "dashboard/houses.html", context)


def _house_rows(recorded: Block | None, simulated: Block | None) -> list[dict[str, Any]]:
    """One row a house: what is recorded and what is simulated of it."""
    numbers = {row["house"] for block in (recorded, simulated) if block for row in block["houses"]}
    by_house = [{row["house"]: row for row in block["houses"]} if block else {} for block in (recorded, simulated)]
    return [
        {"house": number, "recorded": by_house[0].get(number), "simulated": by_house[1].get(number)}
        for number in sorted(numbers)
    ]


def _houses_as_csv(chosen: Chosen, rows: Sequence[Mapping[str, Any]]) -> Iterator[list[Any]]:
    figures_of = [f"{key}_{name}" for key in ("price", "cheque") for name in ("n", "mean", "se")]
    yield ["edition", "variant", "player_count", "data", "house", *figures_of]
    for row in rows:
        for data in ("recorded", "simulated"):
            if row[data]:
                numbers = [row[data][key][name] for key in ("price", "cheque") for name in ("n", "mean", "se")]
                yield [chosen.edition, chosen.variant, chosen.player_count, data, row["house"], *numbers]


# ---- players ----------------------------------------------------------------------------------------


class LeaderFilters(ScoreFilters):
    """The filters of the leader board: those of plays, and how many plays a player needs."""

    min_plays = forms.IntegerField(
        label=gettext_lazy("Plays at least"),
        required=False,
        min_value=1,
        max_value=1_000_000,
        widget=forms.NumberInput(attrs={"inputmode": "numeric", "data-default": str(FEWEST_PLAYS)}),
    )

    def __init__(self, query: Mapping[str, Any], **options: Any) -> None:
        super().__init__(scores.with_defaults(query, {"min_plays": str(FEWEST_PLAYS)}), **options)
        # Where nothing is said, the boards of all editions are one: a player wins in each.
        edition = self.fields["edition"]
        edition.choices = [("", _("All")), *edition.choices]  # type: ignore[attr-defined]
        edition.widget.attrs.pop("data-default", None)

    @property
    def fewest(self) -> int:
        """The threshold in force."""
        return self.cleaned_data.get("min_plays") or FEWEST_PLAYS


@require_safe
def players(request: HttpRequest) -> HttpResponseBase:
    """The leader board."""
    clubs = clubs_to_choose(request, request.GET.get("club", ""))
    form = LeaderFilters(request.GET, clubs=clubs, leave_out=PLAYS_ONLY)
    asked = of_plays(form)
    answer = aggregates.leader_board({**asked, "min_plays": form.fewest}, viewer=request.user)
    rows = answer["results"]
    if wants_csv(request):
        return as_csv("players", _leaders_as_csv(rows))
    club = next((one for one in clubs if one.slug == asked.get("club")), None)
    context = {
        "form": form,
        "narrowed": form.narrowed,
        "club": club,
        **leaders(answer),
        "club_names": {one.slug: one.name for one in clubs},
        "fewest": sentences.fewest_plays(form.fewest, len(rows)),
        "as_of": answer["as_of"],
        "csv": csv_address(request),
    }
    return render(request, "dashboard/players.html", context)


def leaders(answer: Mapping[str, Any]) -> dict[str, Any]:
    """A leader board with its words and its picture."""
    rows = answer["results"]
    return {
        "heading": sentences.leaders_heading(rows),
        "shrinkage": sentences.shrinkage(answer["lucky_plays"]),
        "rows": rows,
        "figure": figures.wins(rows[:CHART_ROWS], words=sentences.chart_words()) if rows else None,
    }


def _leaders_as_csv(rows: Sequence[Mapping[str, Any]]) -> Iterator[list[Any]]:
    yield [
        "place", "player", "club", "plays", "wins", "shared_wins", "win_share", "low", "high", "expected_share",
        "adjusted_share", "mean_total", "rating", "rating_low", "rating_high",
    ]  # fmt: skip
    for place, row in enumerate(rows, start=1):
        share, rating = row["win_share"], row["rating"] or {}
        yield [
            place, row["player"]["name"], row["player"]["club"], row["plays"], row["wins"], row["shared_wins"],
            share["value"], share["low"], share["high"], row["expected_share"], row["adjusted_share"],
            row["mean_total"]["mean"], rating.get("value"), rating.get("low"), rating.get("high"),
        ]  # fmt: skip


class PlayerFilters(LeaderFilters):
    """The filters of one player's page."""

    def __init__(self, query: Mapping[str, Any], **options: Any) -> None:
        super().__init__(query, **options)
        del self.fields["min_plays"]


@require_safe
def player(request: HttpRequest, pk: UUID) -> HttpResponseBase:
    """One player: wins, form, totals beside the club's, head to head, rating over time."""
    try:
        found = aggregates.visible_player(pk, request.user)
    except NotFound as problem:
        raise Http404(str(problem.detail)) from problem
    form = PlayerFilters(request.GET, clubs=[], club=found.club, leave_out=(*PLAYS_ONLY, "club"))
    asked = {name: value for name, value in of_plays(form).items() if name != "club"}
    answer = aggregates.player_figures(pk, asked, viewer=request.user)
    parts: CsvParts = {
        "ratings": (_("CSV of ratings"), lambda: _ratings_as_csv(answer["ratings"])),
        "results": (_("of results"), lambda: _results_as_csv(answer["results"])),
        "totals": (_("of totals"), lambda: _totals_as_csv(answer["results"])),
        "opponents": (_("head to head"), lambda: _opponents_as_csv(answer["opponents"])),
    }
    if wants_csv(request):
        return csv_of(request, "player", parts)
    everybody = aggregates.score_blocks({**asked, "club": found.club.slug}, viewer=request.user)["results"]
    words = sentences.chart_words()
    results = sorted(answer["results"], key=lambda block: -block["plays"])
    context = {
        "form": form,
        "narrowed": form.narrowed,
        "player": found,
        "heading": sentences.player_heading(found.name, results),
        "results": [_player_block(block, everybody, words) for block in results],
        "form_of": [_sitting(row) for row in answer["form"]],
        "best": [_sitting(row) for row in answer["best"]],
        "favourite": _favourite(results),
        "opponents": answer["opponents"],
        "placed": answer["placed"],
        "placed_heading": sentences.placed_heading(answer["placed"]),
        "ratings": answer["ratings"],
        "rating_heading": sentences.rating_heading(answer["ratings"]),
        "rating_figure": figures.rating_line(answer["ratings"], words=words) if answer["ratings"] else None,
        "as_of": answer["as_of"],
        "csvs": csv_links(request, parts),
    }
    response = render(request, "dashboard/player.html", context)
    response["X-Robots-Tag"] = "noindex"  # a person's name is not for search engines
    return response


def _sitting(row: Mapping[str, Any]) -> dict[str, Any]:
    return {
        **row,
        "kind": _kind_name(row),
        "money": row["game"] == services.SIMULATED_GAME,
        "day": sentences.day(row["played_on"]),
    }


def _kind_name(row: Mapping[str, Any]) -> str:
    """Base game, 4 players."""
    game = rules.GAMES[row["game"]]
    variant = in_language(game.variants[row["variant"]] if len(game.variants) > 1 else game.names)
    return f"{variant}, {sentences.number_of_players(row['player_count'])}"


def _favourite(results: Sequence[Mapping[str, Any]]) -> str:
    return _kind_name(results[0]) if results else ""


def _player_block(block: Block, everybody: Sequence[Block], words: figures.Words) -> dict[str, Any]:
    """The player's totals of one kind as bars, everybody's in the club as the outline."""
    same = ("game", "edition", "variant", "player_count")
    club = next((one for one in everybody if all(one[name] == block[name] for name in same)), None)
    axis = figures.AXES[block["game"], "total"]
    pair = [block["total"], club and club["total"]]
    others = replace(words, simulated=_("club"), recorded=_("player"), step=_("club, %{customdata[0]}: %{y:.1f} %"))
    edition = in_language(rules.GAMES[block["game"]].editions[block["edition"]].names)
    return {
        **block,
        "id": "-".join(["totals", *(str(block[name]) for name in same)]),
        "name": _kind_name(block),
        "edition_name": edition,
        "n": _("n = %(plays)s") % {"plays": sentences.number_of_plays(block["plays"])},
        "interval": sentences.share_interval(block["win_share"]),
        "luck": 1 / block["player_count"],
        "says": _("Half of the totals lie between %(low)s and %(high)s")
        % {"low": block["total"]["quantiles"]["p25"], "high": block["total"]["quantiles"]["p75"]},
        "note": _("Median %(median)s; the club’s %(club)s.")
        % {"median": block["total"]["median"], "club": club["total"]["median"]}
        if club
        else "",
        "figure": figures.histogram_cell(
            recorded=pair[0],
            simulated=pair[1],
            variant=figures.SELECTION,
            axis=axis,
            top=figures.top_share(pair, axis),
            words=others,
            name_medians=True,
        ),
    }


def _ratings_as_csv(points: Sequence[Mapping[str, Any]]) -> Iterator[list[Any]]:
    yield ["played_on", "play", "rating", "sigma", "low", "high"]
    for point in points:
        yield [point["played_on"], point["play"], point["value"], point["sigma"], point["low"], point["high"]]


KIND = ("game", "edition", "variant", "player_count")


def _results_as_csv(results: Sequence[Block]) -> Iterator[list[Any]]:
    yield [*KIND, "plays", "wins", "shared_wins", "win_share", "low", "high", "mean_total", "median_total"]
    for block in results:
        share, total = block["win_share"], block["total"]
        yield [
            *(block[name] for name in KIND), block["plays"], block["wins"], block["shared_wins"], share["value"],
            share["low"], share["high"], total["mean"], total["median"],
        ]  # fmt: skip


def _totals_as_csv(results: Sequence[Block]) -> Iterator[list[Any]]:
    yield [*KIND, "score", "count"]
    for block in results:
        for bar in block["total"]["histogram"]:
            yield [*(block[name] for name in KIND), bar["score"], bar["count"]]


def _opponents_as_csv(opponents: Sequence[Mapping[str, Any]]) -> Iterator[list[Any]]:
    yield ["player", "plays", "ahead", "behind", "level", "ahead_share", "low", "high"]
    for row in opponents:
        share = row["ahead_share"]
        counts = (row[name] for name in ("plays", "ahead", "behind", "level"))
        yield [row["player"]["name"], *counts, share["value"], share["low"], share["high"]]


# ---- a club --------------------------------------------------------------------------------


def months(club: Club, asked: Mapping[str, Any], request: HttpRequest) -> dict[str, Any]:
    """A club's activity with its words and its picture."""
    answer = aggregates.activity({**asked, "club": club.slug}, viewer=request.user)
    rows = answer["results"]
    return {
        "heading": sentences.activity_heading(rows),
        "rows": [{**row, "name": sentences.month(row["month"])} for row in rows],
        "figure": figures.activity_bars(rows, words=sentences.chart_words()) if rows else None,
        "plays": sentences.number_of_plays(sum(row["plays"] for row in rows)),
        "as_of": answer["as_of"],
    }


@require_safe
def club(request: HttpRequest, slug: str) -> HttpResponse:
    """A club: its scores, who wins, its months, its latest plays."""
    found = club_or_404(request, slug)
    section = score_section(request, found)
    asked = of_plays(section["form"])
    board = aggregates.leader_board({**asked, "min_plays": FEWEST_PLAYS, "limit": 10}, viewer=request.user)
    latest = ready(Play.objects.filter(club=found))[:4]
    context = section | {
        "club": found,
        "latest": [Told(play) for play in latest],
        "players": found.players.filter(merged_into=None).order_by("name")[:MOST_CLUBS],
        "membership": clubs_services.membership(request.user, found),
        "seasons": seasons_of(found),
        "board": leaders(board),
        "fewest": sentences.fewest_plays(FEWEST_PLAYS, len(board["results"])),
        "activity": months(found, asked, request),
        "as_of": board["as_of"],
        "board_csv": f"{reverse('dashboard:players')}?{request.GET.urlencode()}&club={found.slug}&format=csv",
        "activity_csv": f"{reverse('dashboard:activity-csv', args=[found.slug])}?{request.GET.urlencode()}",
    }
    return render(request, "dashboard/club.html", context)


@require_safe
def activity_csv(request: HttpRequest, slug: str) -> HttpResponseBase:
    """A club's months as CSV."""
    found = club_or_404(request, slug)
    asked = of_plays(ScoreFilters(request.GET, clubs=[], club=found))
    rows = aggregates.activity(asked | {"club": found.slug}, viewer=request.user)["results"]
    table = ([row["month"], row["plays"], row["days"]] for row in rows)
    return as_csv("activity", [["month", "plays", "days"], *table])


# ---- two filters side by side -----------------------------------------------------------------------


class SideFilters(OneKindFilters):
    """One side of a comparison."""

    def __init__(self, query: Mapping[str, Any], **options: Any) -> None:
        super().__init__(query, leave_out=("measure", "game"), **options)
        data = self.fields["data"]
        data.choices = [("", _("Recorded")), ("simulated", _("Simulated"))]  # type: ignore[attr-defined]


class MeasureFilter(forms.Form):
    """What is compared."""

    measure = forms.ChoiceField(label=gettext_lazy("Measure"), required=False)

    def __init__(self, query: Mapping[str, Any]) -> None:
        super().__init__(query)
        self.fields["measure"].choices = [  # type: ignore[attr-defined]
            ("", sentences.measures()["total"]),
            *list(sentences.measures().items())[1:],
        ]


@require_safe
def compare(request: HttpRequest) -> HttpResponseBase:
    """Two filters side by side: one as bars, the other as an outline over them."""
    named = [request.GET.get(f"{side}-club", "") for side in "ab"]
    clubs = clubs_to_choose(request, *named)
    query = request.GET or {"b-data": "simulated"}
    sides = [SideFilters(query, clubs=clubs, prefix=side) for side in "ab"]
    measure_form = MeasureFilter(request.GET)
    measure_form.is_valid()
    measure = measure_form.cleaned_data.get("measure") or "total"
    found = [_side(form.chosen, request) for form in sides]
    blocks = [block for block, _as_of in found]
    if wants_csv(request):
        return as_csv("compare", _sides_as_csv(sides, blocks, measure))
    axis = figures.AXES[services.SIMULATED_GAME, measure]
    a, b = (block and block[measure] for block in blocks)
    words = replace(sentences.chart_words(), recorded="A", simulated="B", step=_("B, %{customdata[0]}: %{y:.1f} %"))
    context = {
        "sides": [
            {"name": name, "form": form, "says": _side_says(form, block, as_of)}
            for name, form, (block, as_of) in zip("AB", sides, found, strict=True)
        ],
        "measure_form": measure_form,
        "heading": sentences.compare_heading(measure, *blocks),
        "explained": sentences.explained(measure),
        "has_any": bool((a and a["n"]) or (b and b["n"])),
        "figure": figures.histogram_cell(
            recorded=a,
            simulated=b,
            variant=figures.SELECTION,
            axis=axis,
            top=figures.top_share([a, b], axis),
            words=words,
            name_medians=True,
        ),
        "table": [_side_row(name, block, measure) for name, block in zip("AB", blocks, strict=True) if block],
        "csv": csv_address(request),
    }
    return render(request, "dashboard/compare.html", context)


def _side(chosen: Chosen, request: HttpRequest) -> tuple[Block | None, Any]:
    if not chosen.offered:
        return None, None
    asked = chosen.simulated if chosen.data == "simulated" else chosen.recorded
    answer = aggregates.score_blocks(asked, viewer=request.user)
    return (answer["results"] or [None])[0], answer["as_of"]


def _side_says(form: SideFilters, block: Block | None, as_of: Any) -> str:
    chosen = form.chosen
    if not chosen.offered:
        return _("This edition offers no game for these filters.")
    if chosen.data == "simulated":
        return scores.simulated_source(block) if block else _("The first simulated games are on their way")
    return scores.recorded_source(chosen, block["plays"] if block else 0, as_of)


def _side_row(name: str, block: Block, measure: str) -> dict[str, Any]:
    d, decided = block[measure], block["decided_by"]
    games = sum(decided.values())
    level = distribution.share(games - decided.get("total", 0), games)
    return {
        "name": name,
        "plays": block["plays"],
        "d": d,
        "mean": sentences.mean(d),
        "interval": sentences.interval(d["median_interval"]) if d["median_interval"] else "–",
        "level": sentences.percent(level["value"], 1) if games else "–",
    }


def _sides_as_csv(sides: Sequence[SideFilters], blocks: Sequence[Block | None], measure: str) -> Iterator[list[Any]]:
    yield ["side", "data", "club", "edition", "variant", "player_count", "measure", "score", "count"]
    for name, form, block in zip("AB", sides, blocks, strict=True):
        chosen = form.chosen
        place = [chosen.data or "recorded", chosen.club, chosen.edition, chosen.variant, chosen.player_count, measure]
        for bar in block[measure]["histogram"] if block else ():
            yield [name, *place, bar["score"], bar["count"]]


def compare_address(**sides: Mapping[str, Any]) -> str:
    """The address of a comparison: `a={...}, b={...}` by the names of the filters."""
    query = {f"{side}-{name}": value for side, asked in sides.items() for name, value in asked.items() if value}
    return f"{reverse('dashboard:compare')}?{urlencode(query)}"
