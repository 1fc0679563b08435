"""Pages of leagues: the list, a new one, one with its progress and table."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from uuid import UUID

from django import forms
from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.db.models import Q
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST, require_safe
from uuid_utils.compat import uuid7

from dashboard import figures, scores, sentences
from dashboard.sentences import in_language
from dashboard.simulations import control, verbs_for
from dashboard.statistics import csv_links, csv_of, wants_csv
from dashboard.views import PAGE, signed_in_user
from forsale_api import rules
from forsale_api.api.problems import Conflict, Problem
from forsale_api.rules.for_sale import BASE
from stats import league_services
from stats.bots import BOTS
from stats.league import MOST_ROUNDS
from stats.models import LeagueRun, Status
from stats.services import SIMULATED_GAME

GAME = rules.GAMES[SIMULATED_GAME]
USUAL = {"rounds": 40, "deals": 50}


def table_names() -> dict[str, str]:
    """Who sits with whom, as a choice."""
    return {"mixed": _("Drawn anew in each round"), "duels": _("Each bot alone among each other")}


class Shown:
    """A league with the words for it."""

    def __init__(self, run: LeagueRun) -> None:
        self.run = run
        league = league_services.league_of(run)
        variant = in_language(GAME.variants[run.variant])
        self.title = f"{variant}, {sentences.number_of_players(run.player_count)}"
        self.edition = in_language(GAME.editions[run.edition].names)
        self.bots = sentences.names([sentences.bot_name(bot) for bot in run.bots])
        self.tables = table_names()[run.tables]
        self.games = sentences.number_of_games(league.games)
        self.is_over = run.status in {Status.FINISHED, Status.CANCELLED, Status.FAILED}
        self.permille = 1000 * run.rounds_done // run.rounds
        self.progress = sentences.progress(
            run.rounds_done * league.games_a_round, league.games, running=run.status == Status.RUNNING
        )
        self.every = 0 if self.is_over else scores.POLL_RUNNING


@require_safe
def leagues(request: HttpRequest) -> HttpResponse:
    """All leagues, newest first."""
    found = LeagueRun.objects.order_by("-created_at", "-pk")
    is_mine = bool(request.GET.get("mine"))
    kept = found.filter(Q(requester__isnull=False, requester=request.user.pk)) if is_mine else found
    rows = list(kept[: PAGE + 1])
    context = {"leagues": [Shown(run) for run in rows[:PAGE]], "mine": is_mine, "more": len(rows) > PAGE}
    return render(request, "dashboard/leagues.html", context)


# ---- one --------------------------------------------------------------------------------------------


@require_safe
def league(request: HttpRequest, pk: UUID) -> HttpResponseBase:
    """A league: who wins how much, and how sure that is."""
    run = get_object_or_404(LeagueRun, pk=pk)
    try:
        table, sorry = league_services.table_of(run), ""
    except Conflict as problem:  # begun by an engine that is no more
        table, sorry = None, str(problem.detail)
    rows: Sequence[Mapping[str, Any]] = table["results"] if table and table["rounds"] else []
    duels: Sequence[Mapping[str, Any]] = table["duels"] if table else []
    parts: dict[str, Any] = {"table": (_("CSV of the table"), lambda: _as_csv(rows))}
    if duels:
        parts["duels"] = (_("of duels"), lambda: _duels_as_csv(duels))
    if wants_csv(request):
        return csv_of(request, "league", parts)
    fair = 1 / run.player_count
    context = {
        "shown": Shown(run),
        "run": run,
        "table": table,
        "sorry": sorry,
        "rows": rows,
        "duels": duels,
        "fair": fair,
        "heading": sentences.league_heading(rows, fair),
        "figure": figures.wins([_bar(row, fair) for row in rows], words=sentences.league_words(), digits=1),
        "verbs": verbs_for(run, request.user),
        "source": sentences.league_source(run, table) if table else "",
        "csvs": csv_links(request, parts),
    }
    return render(request, "dashboard/league.html", context)


def _bar(row: Mapping[str, Any], fair: float) -> dict[str, Any]:
    """A bot as the figure of wins wants it; without an interval as long as there is but one round."""
    share = row["win_share"]
    low, high = (share["value"] if share[end] is None else share[end] for end in ("low", "high"))
    whole = {**share, "low": low, "high": high}
    return {"player": {"name": sentences.bot_name(row["bot"])}, "win_share": whole, "expected_share": fair}


def _as_csv(rows: Sequence[Mapping[str, Any]]) -> Iterator[list[Any]]:
    parts = [
        (name, part)
        for name in ("rating", "win_share", "lead", "mean_total", "mean_rank")
        for part in ("value", "se", "low", "high")
    ]
    yield ["place", "bot", "games", *(f"{name}_{part}" for name, part in parts)]
    for row in rows:
        yield [row["place"], row["bot"], row["win_share"]["n"], *((row[name] or {}).get(part) for name, part in parts)]


def _duels_as_csv(duels: Sequence[Mapping[str, Any]]) -> Iterator[list[Any]]:
    yield ["bot", "among", "times_fair", "se", "low", "high"]
    for row in duels:
        yield [row["bot"], row["among"], *(row["times_fair"][part] for part in ("value", "se", "low", "high"))]


@login_required
@require_POST
def league_control(request: HttpRequest, pk: UUID, verb: str) -> HttpResponse:
    """Pause, resume or cancel."""
    verbs = {"pause": league_services.pause, "resume": league_services.resume, "cancel": league_services.cancel}
    control(request, pk, verbs.get(verb))
    return redirect("dashboard:league", pk=pk)


# ---- a new one --------------------------------------------------------------------------------------


class LeagueForm(forms.Form):
    """A request for a league; which values are allowed is the league's to say."""

    variant = forms.ChoiceField(label=gettext_lazy("Variant"))
    player_count = forms.TypedChoiceField(label=gettext_lazy("Players at each table"), coerce=int)
    edition = forms.ChoiceField(label=gettext_lazy("Edition"))
    bots = forms.MultipleChoiceField(label=gettext_lazy("Bots"), widget=forms.CheckboxSelectMultiple)
    tables = forms.ChoiceField(label=gettext_lazy("Who sits with whom"))
    rounds = forms.IntegerField(
        label=gettext_lazy("Rounds"),
        min_value=2,
        max_value=MOST_ROUNDS,
        help_text=gettext_lazy("Their number makes the intervals small."),
        widget=forms.NumberInput(attrs={"inputmode": "numeric"}),
    )
    deals = forms.IntegerField(
        label=gettext_lazy("Deals at each table of a round"),
        min_value=1,
        help_text=gettext_lazy("Each is played once for every rotation of the bots round the seats."),
        widget=forms.NumberInput(attrs={"inputmode": "numeric"}),
    )
    id = forms.UUIDField(widget=forms.HiddenInput)

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        counts = sorted({count for offered in GAME.offers.values() for count in offered})
        choices = {
            "variant": [(slug, in_language(names)) for slug, names in GAME.variants.items()],
            "player_count": [(str(n), sentences.number_of_players(n)) for n in counts],
            "edition": [(slug, in_language(edition.names)) for slug, edition in GAME.editions.items()],
            "bots": [(bot.slug, in_language(bot.names)) for bot in BOTS.values()],
            "tables": list(table_names().items()),
        }
        for name, options_of in choices.items():
            self.fields[name].choices = options_of  # type: ignore[attr-defined]
        self.fields["deals"].max_value = settings.MAX_SIMULATION_GAMES  # type: ignore[attr-defined]


@login_required
def league_new(request: HttpRequest) -> HttpResponse:
    """Choose the bots and how long they play, and start."""
    usual = {
        "variant": BASE, "player_count": "4", "edition": GAME.default_edition, "tables": "mixed", "id": uuid7(),
        "bots": [slug for slug in BOTS if slug != "planner"], **USUAL,
    }  # fmt: skip
    form = LeagueForm(request.POST) if request.method == "POST" else LeagueForm(initial=usual)
    if request.method == "POST" and form.is_valid():
        try:
            made = league_services.request_league(
                requester=signed_in_user(request), game=SIMULATED_GAME, **form.cleaned_data
            )
        except Conflict as problem:
            form.add_error(None, str(problem.detail))
        except Problem as problem:
            for error in problem.errors or [{"pointer": "", "detail": str(problem.detail)}]:
                name = error["pointer"].strip("/").partition("/")[0]
                form.add_error(name if name in form.fields else None, error["detail"])
        else:
            return redirect("dashboard:league", pk=made.pk)
    return render(request, "dashboard/league_new.html", {"form": form})
