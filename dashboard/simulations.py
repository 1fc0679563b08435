"""Pages of simulations: the list, a new one, one with its progress and results, two compared."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any
from uuid import UUID

from django import forms
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import AnonymousUser
from django.db.models import Q
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy
from django.views.decorators.http import require_POST, require_safe
from uuid_utils.compat import uuid7

from dashboard import figures, scores, sentences
from dashboard.play_facts import Story
from dashboard.sentences import in_language
from dashboard.statistics import CsvParts, csv_links, csv_of, wants_csv
from dashboard.views import PAGE, clubs_to_choose, signed_in_user
from forsale_api import rules
from forsale_api.api.problems import Conflict, NotFound, Problem
from forsale_api.clubs.models import User
from stats import aggregates, opened, services
from stats.bots import BOTS
from stats.models import LeagueRun, Simulation, Status
from stats.serializers import game_as_json

MOST_TO_COMPARE = 100
USUAL_GAMES = 1_000_000


class Shown:
    """A simulation with the words for it."""

    def __init__(self, simulation: Simulation) -> None:
        self.simulation = simulation
        game = rules.GAMES[simulation.game]
        self.variant = in_language(game.variants[simulation.variant])
        self.edition = in_language(game.editions[simulation.edition].names)
        self.title = f"{self.variant}, {sentences.number_of_players(simulation.player_count)}"
        self.bots = sentences.line_up(simulation.bots)
        self.games = sentences.number_of_games(simulation.games)
        self.opener = _("random") if simulation.opener is None else str(simulation.opener)
        self.permille = 1000 * simulation.games_done // simulation.games
        self.is_over = simulation.status in {Status.FINISHED, Status.CANCELLED, Status.FAILED}
        running = simulation.status == Status.RUNNING
        self.progress = sentences.progress(simulation.games_done, simulation.games, running=running)
        self.pace = sentences.pace(services.games_per_second(simulation), services.eta_seconds(simulation))
        self.every = 0 if self.is_over else scores.POLL_RUNNING

    @property
    def name(self) -> str:
        """How a list to choose from tells it from others."""
        seed = _("seed")  # apart: xgettext does not look into f-strings
        return f"{self.bots}, {self.games}, {self.edition}, {seed} {self.simulation.seed}"


@require_safe
def simulations(request: HttpRequest) -> HttpResponse:
    found = Simulation.objects.order_by("-reference", "-created_at")
    mine = Q(requester__isnull=False, requester=request.user.pk)
    kept = found.filter(mine) if request.GET.get("mine") else found
    context = {
        "simulations": [Shown(one) for one in kept[:PAGE]],
        "mine": bool(request.GET.get("mine")),
        "more": kept.count() > PAGE,
    }
    return render(request, "dashboard/simulations.html", context)


# ---- a new one --------------------------------------------------------------------------------------


class SimulationForm(forms.Form):
    """A request for a simulation; which values are allowed is the simulator's to say."""

    variant = forms.ChoiceField(label=gettext_lazy("Variant"))
    player_count = forms.TypedChoiceField(label=gettext_lazy("Players"), coerce=int)
    edition = forms.ChoiceField(label=gettext_lazy("Edition"))
    games = forms.IntegerField(
        label=gettext_lazy("Games"), min_value=1, widget=forms.NumberInput(attrs={"inputmode": "numeric"})
    )
    opener = forms.ChoiceField(label=gettext_lazy("Who opens the first auction"), required=False)
    seed = forms.IntegerField(
        label=gettext_lazy("Seed"),
        required=False,
        min_value=0,
        max_value=2**53 - 1,
        help_text=gettext_lazy("The same request and seed gives the same result. Empty: one is drawn."),
    )
    id = forms.UUIDField(widget=forms.HiddenInput)

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        game = rules.GAMES[services.SIMULATED_GAME]
        counts = sorted({count for offered in game.offers.values() for count in offered})
        bots = [(bot.slug, in_language(bot.names)) for bot in BOTS.values()]
        choices = {
            "variant": [(slug, in_language(names)) for slug, names in game.variants.items()],
            "player_count": [(n, sentences.number_of_players(n)) for n in counts],
            "edition": [(slug, in_language(edition.names)) for slug, edition in game.editions.items()],
            "opener": [
                ("random", _("Drawn in each game")),
                *((str(n), _("Seat %(n)s") % {"n": n}) for n in counts_up(counts)),
            ],
        }
        for name, options_of in choices.items():
            self.fields[name].choices = options_of  # type: ignore[attr-defined]
        for seat in counts_up(counts):
            self.fields[f"bot{seat}"] = forms.ChoiceField(
                label=_("Seat %(n)s") % {"n": seat}, choices=bots, required=seat <= counts[0]
            )
        most = min(settings.MAX_SIMULATION_GAMES, 10**10)
        games = self.fields["games"]
        games.max_value = most  # type: ignore[attr-defined]
        games.help_text = _("At most %(most)s.") % {"most": sentences.number_of_games(most)}

    @property
    def seats(self) -> list[tuple[int, forms.BoundField]]:
        """The fields of the bots, by seat."""
        return [(int(name[3:]), self[name]) for name in self.fields if name.startswith("bot")]

    @property
    def others(self) -> list[forms.BoundField]:
        """The other visible fields, in order."""
        return [field for field in self.visible_fields() if not field.name.startswith("bot")]

    @property
    def asked(self) -> dict[str, Any]:
        """The request, as `services.request_simulation` takes it."""
        data = self.cleaned_data
        opener = data["opener"] or "random"
        return {
            "game": services.SIMULATED_GAME,
            **{name: data[name] for name in ("edition", "variant", "player_count", "games", "seed", "id")},
            "bots": [data[f"bot{seat}"] or next(iter(BOTS)) for seat in range(1, data["player_count"] + 1)],
            "opener": opener if opener == "random" else int(opener),
        }


def counts_up(counts: Sequence[int]) -> range:
    """Seats from 1 to the most there are."""
    return range(1, counts[-1] + 1)


@login_required
def simulation_new(request: HttpRequest) -> HttpResponse:
    """Choose a line-up and the number of games, and start."""
    form = SimulationForm(request.POST) if request.method == "POST" else SimulationForm(initial=_initial(request.GET))
    if request.method == "POST" and form.is_valid():
        try:
            made = services.request_simulation(requester=signed_in_user(request), **form.asked)
        except Conflict as problem:
            form.add_error(None, str(problem.detail))
        except Problem as problem:
            for error in problem.errors or [{"pointer": "", "detail": str(problem.detail)}]:
                form.add_error(_field_at(form, error["pointer"]), error["detail"])
        else:
            return redirect("dashboard:simulation", pk=made.pk)
    return render(request, "dashboard/simulation_new.html", {"form": form})


def _field_at(form: SimulationForm, pointer: str) -> str | None:
    """The field that a problem of the request points at: /bots/2 is the third seat's."""
    name, _slash, place = pointer.strip("/").partition("/")
    if name == "bots":
        name = f"bot{int(place) + 1}" if place.isdigit() else "bot1"
    return name if name in form.fields else None


def _initial(query: Mapping[str, Any]) -> dict[str, Any]:
    """What the form begins with: a simulation to be run again with changes, or the usual."""
    game = rules.GAMES[services.SIMULATED_GAME]
    usual: dict[str, Any] = {
        "variant": "base",
        "player_count": 4,
        "edition": game.default_edition,
        "games": min(USUAL_GAMES, settings.MAX_SIMULATION_GAMES),
        "opener": "random",
    }
    usual |= {f"bot{seat}": next(iter(BOTS)) for seat in range(1, 7)}
    try:
        same = Simulation.objects.filter(pk=UUID(query.get("like", ""))).first()
    except ValueError:
        same = None
    if same is not None:
        asked = services.request_of(same)
        usual |= {name: asked[name] for name in ("variant", "player_count", "edition", "games", "opener")}
        usual |= {f"bot{seat}": bot for seat, bot in enumerate(asked["bots"], start=1)}
    return usual | {"id": uuid7()}


# ---- one --------------------------------------------------------------------------------------------


class BesideFilters(forms.Form):
    """Whose plays the results are shown beside, and of which days."""

    club = forms.ChoiceField(label=gettext_lazy("Beside the plays of"), required=False)
    played_after = forms.DateField(label=pgettext_lazy("played", "From"), required=False)
    played_before = forms.DateField(label=pgettext_lazy("played", "Until"), required=False)
    counts = forms.BooleanField(
        label=gettext_lazy("Uncounted plays too"),
        required=False,
        widget=forms.CheckboxInput(attrs={"value": "all"}, check_test=lambda value: value == "all"),
    )

    def __init__(self, query: Any, *, clubs: Sequence[Any]) -> None:
        super().__init__(query)
        for name in ("played_after", "played_before"):
            attrs = {"type": "date"} | ({"data-set": ""} if query.get(name) else {})
            self.fields[name].widget = forms.DateInput(format="%Y-%m-%d", attrs=attrs)
        self.fields["club"].choices = [  # type: ignore[attr-defined]
            ("", _("Nobody")),
            ("*", _("All public clubs")),
            *((c.slug, c.name) for c in clubs),
        ]

    @property
    def asked(self) -> dict[str, Any]:
        """The filters as the figures of plays want them; empty where no club is chosen."""
        self.is_valid()
        given = {name: value for name, value in self.cleaned_data.items() if value}
        if "club" not in given:
            return {}
        if given["club"] == "*":
            del given["club"]
        return given | {"counts": "all" if given.get("counts") else "true"}


@require_safe
def simulation(request: HttpRequest, pk: UUID) -> HttpResponseBase:
    found = _simulation_or_404(pk)
    named = request.GET.get("club", "")
    clubs = clubs_to_choose(request, "" if named == "*" else named)
    beside = BesideFilters(request.GET, clubs=clubs)
    try:
        results = services.results_of(found)
    except Conflict as problem:  # counted by an engine that is no more
        context: dict[str, Any] = {"shown": Shown(found), "simulation": found, "sorry": str(problem.detail)}
        return render(request, "dashboard/simulation_unread.html", context, status=409)
    parts = _parts([results])
    if wants_csv(request):
        return csv_of(request, "simulation", parts)
    context = {
        "shown": Shown(found),
        "simulation": found,
        "results": results,
        "beside": beside,
        "narrowed": bool(named),
        "csvs": csv_links(request, parts),
        "can_be_opened": services.is_current(found),
    }
    context["verbs"] = verbs_for(found, request.user)
    if results["games"]:
        context |= _figures(found, results, beside.asked, request)
        context["others"] = [
            Shown(one)
            for one in Simulation.objects.filter(
                game=found.game, variant=found.variant, player_count=found.player_count, games_done__gt=0
            )
            .exclude(pk=found.pk)
            .order_by("-reference", "-created_at")[:MOST_TO_COMPARE]
        ]
    return render(request, "dashboard/simulation.html", context)


@require_safe
def simulation_games(request: HttpRequest, pk: UUID) -> HttpResponse:
    """To the game whose number was typed."""
    index = request.GET.get("index", "0")
    if not index.isdecimal():
        return _no_game(request, _simulation_or_404(pk), _("A game has a whole number."))
    return redirect("dashboard:simulation-game", pk=pk, index=int(index[:20]))


def _no_game(request: HttpRequest, found: Simulation, sorry: str) -> HttpResponse:
    """Says why there is no such game, above the field for another number."""
    shown = Shown(found)
    context = {"shown": shown, "simulation": found, "last": found.games - 1, "headline": shown.title, "sorry": sorry}
    return render(request, "dashboard/simulation_game.html", {**context, "is_missing": True}, status=404)


@require_safe
def simulation_game(request: HttpRequest, pk: UUID, index: int) -> HttpResponseBase:
    """One game, move by move. While a worker plays it, the page asks again by itself."""
    found = _simulation_or_404(pk)
    shown = Shown(found)
    context: dict[str, Any] = {"shown": shown, "simulation": found, "index": index, "last": found.games - 1}
    try:
        game = game_as_json(found, index, opened.open_game(found, index))
    except NotFound as problem:
        return _no_game(request, found, str(problem.detail))
    except Conflict as problem:
        context |= {"headline": shown.title, "sorry": str(problem.detail)}
        if "Retry-After" not in problem.headers:
            return render(request, "dashboard/simulation_unread.html", context, status=409)
        page = render(request, "dashboard/simulation_game.html", context, status=202)
        page["Refresh"] = page["Retry-After"] = problem.headers["Retry-After"]
        return page
    players = sentences.bots_at_table(found.bots)
    facts = game | {"seats": [{**seat, "player": {"name": players[seat["seat"]]}} for seat in game["seats"]]}
    labels = sentences.bots_by_seat(found.bots)
    story = Story.of(game["record"], found.edition, found.variant, players, labels)
    if wants_csv(request):
        return csv_of(request, "game", {"deals": (_("CSV"), story.deal_rows)})
    results = services.results_of(found)
    context |= {
        "headline": sentences.win_headline(facts, with_total=True),
        "reason": sentences.sentence(sentences.win_reason(facts)),
        "story": story,
        "seats": [(seat, story.paid[seat["seat"]]) for seat in sorted(facts["seats"], key=lambda one: one["rank"])],
        "deals_figure": story.deals_figure(results["houses"] if results["games"] else []),
        "simulated_source": sentences.simulated_source(
            bots=found.bots, games=results["games"], seed=found.seed, engine=results["engine"]
        )
        if results["games"]
        else "",
        "csv": "?format=csv",
    }
    return render(request, "dashboard/simulation_game.html", context)


def _figures(
    simulation: Simulation, results: Mapping[str, Any], beside: Mapping[str, Any], request: HttpRequest
) -> dict[str, Any]:
    """Totals, positions and houses, beside the plays that these filters leave."""
    words = sentences.chart_words()
    total, axis = results["overall"]["total"], figures.AXES[simulation.game, "total"]
    mine = _recorded(simulation, beside, request) if beside else {}
    scored, seated, housed = (mine.get(name) for name in ("scores", "seats", "houses"))
    pair = [scored and scored["total"], total]
    points = [row for row in housed["houses"] if row["price"]["n"]] if housed else []
    return {
        "heading": sentences.simulation_heading(results),
        "recorded": scored,
        "beside_says": mine.get("says", ""),
        "recorded_note": sentences.cell_note("total", scored, {"plays": results["games"], "total": total})
        if scored
        else "",
        "total_figure": figures.histogram_cell(
            recorded=pair[0],
            simulated=total,
            variant=figures.SELECTION if beside else simulation.variant,
            axis=axis,
            top=figures.top_share(pair, axis),
            words=words,
            name_medians=True,
        ),
        "positions_heading": sentences.positions_heading(results["positions"]),
        "positions_figure": figures.positions(
            results["positions"],
            recorded=seated["positions"] if seated else [],
            variant=figures.SELECTION,
            words=words,
        ),
        "houses_heading": sentences.houses_heading(results["houses"]),
        "has_points": bool(points),
        "houses_figure": figures.house_lines(
            results["houses"], recorded=points, variant=figures.SELECTION, words=words
        ),
    }


def _recorded(simulation: Simulation, beside: Mapping[str, Any], request: HttpRequest) -> dict[str, Any]:
    """The recorded figures of the same edition, variant and number of players."""
    asked = {
        "game": simulation.game,
        "edition": simulation.edition,
        "variant": simulation.variant,
        "player_count": simulation.player_count,
        **beside,
    }
    reads = {"scores": aggregates.score_blocks, "seats": aggregates.seat_blocks, "houses": aggregates.house_blocks}
    answers = {name: read(asked, viewer=request.user) for name, read in reads.items()}
    found = {name: answer["results"][0] for name, answer in answers.items() if answer["results"]}
    plays = found["scores"]["plays"] if "scores" in found else 0
    said = {"plays": sentences.number_of_plays(plays), "when": sentences.moment(answers["scores"]["as_of"])}
    says = _("Beside %(plays)s that count, as of %(when)s.") % said if plays else _("No such play is logged there yet.")
    return found | {"says": says}


def verbs_for(run: Simulation | LeagueRun, reader: User | AnonymousUser) -> list[tuple[str, str]]:
    """What the reader may do with a simulation or a league now: something for whoever asked for it."""
    if run.requester_id is None or run.requester_id != reader.pk:
        return []
    if run.status == Status.PAUSED:
        return [("resume", _("Go on")), ("cancel", _("Cancel"))]
    if run.status in services.ACTIVE:
        return [("pause", _("Pause")), ("cancel", _("Cancel"))]
    return []


def control(request: HttpRequest, pk: UUID, act: Callable[..., object] | None) -> None:
    """Does this to a simulation or a league, as in the API; says why not where it cannot be. None: no such address."""
    if act is None:
        raise Http404
    try:
        act(id=pk, requester=request.user)
    except Problem as problem:
        messages.error(request, str(problem.detail))


@login_required
@require_POST
def simulation_control(request: HttpRequest, pk: UUID, verb: str) -> HttpResponse:
    """Pause, resume or cancel."""
    verbs = {"pause": services.pause, "resume": services.resume, "cancel": services.cancel}
    control(request, pk, verbs.get(verb))
    return redirect("dashboard:simulation", pk=pk)


def _parts(both: Sequence[Mapping[str, Any]]) -> CsvParts:
    """What can be had as CSV of the results of one simulation, or of A and B."""
    return {
        "totals": (_("CSV of totals"), lambda: _side_rows(both, _total_rows)),
        "positions": (_("of positions"), lambda: _side_rows(both, _position_rows)),
        "seats": (_("of seats"), lambda: _side_rows(both, _seat_rows)),
        "houses": (_("of houses"), lambda: _side_rows(both, _house_rows)),
    }


type _Rows = Callable[[Mapping[str, Any]], Iterator[list[Any]]]


def _side_rows(both: Sequence[Mapping[str, Any]], rows_of: _Rows) -> Iterator[list[Any]]:
    """The rows of each, after a head; where there are two, with a column that says which."""
    for place, results in enumerate(both):
        head, *rows = rows_of(results)
        if place == 0:
            yield head if len(both) == 1 else ["side", *head]
        yield from (row if len(both) == 1 else ["AB"[place], *row] for row in rows)


def _total_rows(results: Mapping[str, Any]) -> Iterator[list[Any]]:
    yield ["seat", "score", "count"]
    for seat, total in (("all", results["overall"]["total"]), *((s["seat"], s["total"]) for s in results["seats"])):
        yield from ([seat, bar["score"], bar["count"]] for bar in total["histogram"])


def _share_rows(rows: Sequence[Mapping[str, Any]], name: str, *means: str) -> Iterator[list[Any]]:
    yield [name, "n", "win_share", "low", "high", *(f"{mean}_{part}" for mean in means for part in ("mean", "se"))]
    for row in rows:
        share = row["win_share"]
        figures_of = (row[mean][part] for mean in means for part in ("mean", "se"))
        yield [row[name], share["n"], share["value"], share["low"], share["high"], *figures_of]


def _position_rows(results: Mapping[str, Any]) -> Iterator[list[Any]]:
    return _share_rows(results["positions"], "position")


def _seat_rows(results: Mapping[str, Any]) -> Iterator[list[Any]]:
    return _share_rows(results["seats"], "seat", "total", "banknotes")


def _house_rows(results: Mapping[str, Any]) -> Iterator[list[Any]]:
    parts = [(key, name) for key in ("price", "cheque") for name in ("n", "mean", "se")]
    yield ["house", *(f"{key}_{name}" for key, name in parts)]
    for row in results["houses"]:
        yield [row["house"], *(row[key][name] for key, name in parts)]


# ---- two --------------------------------------------------------------------------------------------


@require_safe
def simulations_compare(request: HttpRequest) -> HttpResponseBase:
    """Two simulations side by side: A in the accent, B in the colour of others."""
    pair = [_asked_for(request.GET.get(side, "")) for side in "ab"]
    results = []
    for one in pair:
        try:
            results.append(services.results_of(one))
        except Conflict:
            return redirect("dashboard:simulation", pk=one.pk)  # which says why
    parts = _parts(results)
    if wants_csv(request):
        return csv_of(request, "simulations", parts)
    blocks = [
        {"plays": each["games"], **each["overall"], "decided_by": each["decided_by"], "player_count": one.player_count}
        for one, each in zip(pair, results, strict=True)
    ]
    words = replace(sentences.chart_words(), recorded="A", simulated="B", step=_("B, %{customdata[0]}: %{y:.1f} %"))
    axis = figures.AXES[services.SIMULATED_GAME, "total"]
    a, b = (block["total"] for block in blocks)
    context = {
        "sides": [
            {"name": name, "shown": Shown(one), "results": each, "mean": sentences.mean(each["overall"]["total"])}
            for name, one, each in zip("AB", pair, results, strict=True)
        ],
        "heading": sentences.compare_heading("total", *blocks),
        "total_figure": figures.histogram_cell(
            recorded=a,
            simulated=b,
            variant=figures.SELECTION,
            axis=axis,
            top=figures.top_share([a, b], axis),
            words=words,
            name_medians=True,
        ),
        "positions_figure": figures.positions(
            results[1]["positions"], recorded=results[0]["positions"], variant=figures.SELECTION, words=words
        ),
        "houses_figure": figures.house_pair(results[0]["houses"], results[1]["houses"], words=words),
        "positions_heading": sentences.positions_compared(*(each["positions"] for each in results)),
        "houses_heading": sentences.houses_compared(*(each["houses"] for each in results)),
        "totals": [(name, each["overall"]["total"]) for name, each in zip("AB", results, strict=True)],
        "positions": _side_by_side(results, "positions"),
        "seats": _side_by_side(results, "seats"),
        "houses": [
            (row["house"], row, other)
            for row, other in zip(results[0]["houses"], results[1]["houses"], strict=False)
            if row["price"]["n"] or other["price"]["n"]
        ],
        "csvs": csv_links(request, parts),
    }
    return render(request, "dashboard/simulations_compare.html", context)


def _asked_for(text: str) -> Simulation:
    try:
        return _simulation_or_404(UUID(text))
    except ValueError:
        raise Http404(_("There is no such simulation.")) from None


def _simulation_or_404(pk: UUID) -> Simulation:
    return get_object_or_404(Simulation.objects.select_related("result"), pk=pk)


def _side_by_side(results: Sequence[Mapping[str, Any]], name: str) -> list[tuple[int, Any, Any]]:
    """By seat or position: A's figures and B's, None where one has fewer of them."""
    most = max(len(each[name]) for each in results)
    rows = [[*each[name], *([None] * (most - len(each[name])))] for each in results]
    return [(place + 1, rows[0][place], rows[1][place]) for place in range(most)]
