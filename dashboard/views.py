"""The pages people use: what an address shows. Each view translates in, asks, and renders."""

import csv
from collections.abc import Iterable
from datetime import date
from typing import Any
from uuid import UUID

from django import forms
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db.models import Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST, require_safe

from dashboard import figures, scores, sentences
from dashboard.play_facts import Told
from dashboard.sentences import in_language
from forsale_api import rules
from forsale_api.api.problems import Problem
from forsale_api.clubs import services as clubs_services
from forsale_api.clubs.models import Club, User, Visibility
from forsale_api.clubs.seasons import seasons_of
from forsale_api.plays.models import Play
from forsale_api.plays.services import finding_in_words
from stats import aggregates, services
from stats.bots import BOTS
from stats.models import Simulation, Status
from stats.services import SIMULATED_GAME

PAGE = 30
QUICK_STARTS = settings.BASE_DIR / "examples" / "quick-start"
STARTS = [("curl", "quick-start.sh"), ("Python", "quick-start.py"), ("JavaScript", "quick-start.mjs")]
MOST_CLUBS = 200


# ---- scores -----------------------------------------------------------------------------------------


def _score_section(request: HttpRequest, club: Club | None = None) -> dict[str, Any]:
    """The filter row and the score section, for the home page and for a club's."""
    named = request.GET.get("club", "")
    choices = [] if club else list(clubs_services.listed_clubs(request.user).order_by("name")[:MOST_CLUBS])
    if not club and named and all(one.slug != named for one in choices):
        # unlisted clubs show up only for whoever knows their address
        choices.append(club_or_404(request, named))
    form = scores.ScoreFilters(request.GET, clubs=choices, club=club)
    live = request.GET.copy()
    if club:
        live["club"] = club.slug
    return {
        "form": form,
        "narrowed": form.narrowed,
        "scores": scores.read(form.chosen, request.user),
        "live_url": f"{reverse('dashboard:scores-live')}?{live.urlencode()}",
    }


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    latest = listed_plays(request).filter(club__visibility=Visibility.PUBLIC, counts=True)[:4]
    return render(request, "dashboard/home.html", _score_section(request) | {"latest": [Told(play) for play in latest]})


@require_safe
def scores_live(request: HttpRequest) -> HttpResponse:
    """The score section alone: what a page fetches again while it is open."""
    return render(request, "dashboard/parts/scores.html", _score_section(request))


class _Echo:
    """A file that gives back each line instead of keeping it."""

    def write(self, line: str) -> str:
        return line


@require_safe
def scores_csv(request: HttpRequest) -> HttpResponseBase:
    """The histograms of the section as CSV, one score a row."""
    section: scores.Scores = _score_section(request)["scores"]
    writer = csv.writer(_Echo())
    lines: Iterable[Any] = (writer.writerow(row) for row in section.csv_rows())
    headers = {"Content-Disposition": 'attachment; filename="scores.csv"'}
    return StreamingHttpResponse(lines, content_type="text/csv; charset=utf-8", headers=headers)


# ---- plays ------------------------------------------------------------------------------------------


def listed_plays(request: HttpRequest) -> QuerySet[Play]:
    """Plays that show up unasked for this reader, latest first, ready to be told."""
    listed = clubs_services.listed_clubs(request.user)
    return ready(Play.objects.filter(club__in=listed))


def ready(plays: QuerySet[Play]) -> QuerySet[Play]:
    kept = plays.filter(deleted_at=None).order_by("-played_on", "-id")
    return kept.select_related("club").prefetch_related("seats__player")


def club_or_404(request: HttpRequest, slug: str) -> Club:
    found = clubs_services.visible_clubs(request.user).filter(slug=slug).first()
    if found is None:
        raise Http404(_("There is no such club here for you."))
    return found


class PlayFilters(forms.Form):
    """The filters of the list of plays."""

    club = forms.ChoiceField(label=gettext_lazy("Clubs"), required=False)
    variant = forms.ChoiceField(label=gettext_lazy("Variant"), required=False)
    player_count = forms.ChoiceField(label=gettext_lazy("Players"), required=False)
    before = forms.CharField(required=False, widget=forms.HiddenInput)

    def __init__(self, query: Any, *, clubs: Iterable[Club]) -> None:
        super().__init__(query)
        variants = rules.GAMES["for-sale"].variants
        self.fields["club"].choices = [("", _("All public clubs")), *((c.slug, c.name) for c in clubs)]  # type: ignore[attr-defined]
        self.fields["variant"].choices = [("", _("Both")), *((v, in_language(n)) for v, n in variants.items())]  # type: ignore[attr-defined]
        self.fields["player_count"].choices = [  # type: ignore[attr-defined]
            ("", _("All")),
            *((str(n), sentences.number_of_players(n)) for n in range(2, 7)),
        ]


@require_safe
def plays(request: HttpRequest) -> HttpResponse:
    """The list of plays, latest first; a page begins below a place in the order, so that it never shifts."""
    named = request.GET.get("club", "")
    clubs = list(clubs_services.listed_clubs(request.user).order_by("name")[:MOST_CLUBS])
    found = listed_plays(request)
    if named:
        only = club_or_404(request, named)
        clubs += [] if only in clubs else [only]
        found = ready(Play.objects.filter(club=only))
    form = PlayFilters(request.GET, clubs=clubs)
    form.is_valid()
    for name in ("variant", "player_count"):
        if form.cleaned_data.get(name):
            found = found.filter(**{name: form.cleaned_data[name]})
    place = place_of(form.cleaned_data.get("before", ""))
    if place:
        found = found.filter(Q(played_on__lt=place[0]) | Q(played_on=place[0], pk__lt=place[1]))
    page = list(found[: PAGE + 1])
    older = request.GET.copy()
    if len(page) > PAGE:
        older["before"] = place_in_list(page[PAGE - 1])
    return render(
        request,
        "dashboard/plays.html",
        {
            "form": form,
            "narrowed": any(request.GET.get(name) for name in ("club", "variant", "player_count")),
            "plays": [Told(play) for play in page[:PAGE]],
            "older": older.urlencode() if len(page) > PAGE else "",
            "further_down": bool(place),
        },
    )


def place_in_list(play: Play) -> str:
    """What `place_of` reads."""
    return f"{play.played_on}_{play.pk}"


def place_of(text: str) -> tuple[date, UUID] | None:
    """Where a page of the list begins; nonsense begins at the top."""
    day, _bar, pk = text.partition("_")
    try:
        return date.fromisoformat(day), UUID(pk)
    except ValueError:
        return None


@require_safe
def play(request: HttpRequest, pk: UUID) -> HttpResponse:
    visible = clubs_services.visible_clubs(request.user)
    found = get_object_or_404(ready(Play.objects.filter(club__in=visible)), pk=pk)
    told = Told(found)
    is_member = clubs_services.membership(request.user, found.club) is not None
    simulated = None
    if told.story:
        simulated = _simulated_houses(request, found.edition, found.variant, found.player_count)
    return render(
        request,
        "dashboard/play.html",
        {
            "told": told,
            "play": found,
            "story": told.story,
            "seats": [(seat, (told.story.paid if told.story else {}).get(seat["seat"])) for seat in told.by_rank],
            "findings": [finding_in_words(finding) for finding in found.findings],
            "deals_figure": told.story.deals_figure(simulated["houses"] if simulated else []) if told.story else None,
            "simulated_source": _simulated_source(simulated) if simulated else "",
            "shows_notes": is_member or found.club.notes_public,
            "history": found.changes.select_related("user").order_by("-version") if is_member else None,
        },
    )


# ---- clubs ------------------------------------------------------------------------------------------


@require_safe
def clubs(request: HttpRequest) -> HttpResponse:
    listed = clubs_services.listed_clubs(request.user).order_by("name")[:MOST_CLUBS]
    return render(request, "dashboard/clubs.html", {"clubs": listed})


@require_safe
def club(request: HttpRequest, slug: str) -> HttpResponse:
    found = club_or_404(request, slug)
    latest = ready(Play.objects.filter(club=found))[:4]
    context = _score_section(request, found) | {
        "club": found,
        "latest": [Told(play) for play in latest],
        "players": found.players.filter(merged_into=None).order_by("name")[:MOST_CLUBS],
        "membership": clubs_services.membership(request.user, found),
        "seasons": seasons_of(found),
    }
    return render(request, "dashboard/club.html", context)


class ClubForm(forms.Form):
    """A new club."""

    name = forms.CharField(label=gettext_lazy("Name of the club"), max_length=100)
    visibility = forms.ChoiceField(
        label=gettext_lazy("Who sees its plays"),
        choices=[
            (Visibility.PRIVATE, gettext_lazy("Members only")),
            (Visibility.UNLISTED, gettext_lazy("Whoever has the address")),
            (Visibility.PUBLIC, gettext_lazy("Everybody")),
        ],
    )
    contribute = forms.BooleanField(
        label=gettext_lazy("Let its figures into the sums of the site"),
        help_text=gettext_lazy("Shown only together with others, from five such plays on."),
        required=False,
    )


@login_required
def club_new(request: HttpRequest) -> HttpResponse:
    form = ClubForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            made = clubs_services.create_club(owner=signed_in_user(request), **form.cleaned_data)
        except Problem as problem:
            form.add_error(None, str(problem.detail))
        else:
            return redirect("dashboard:club", slug=made.slug)
    return render(request, "dashboard/club_new.html", {"form": form})


def signed_in_user(request: HttpRequest) -> User:
    """The account behind a page that asks for one."""
    if not isinstance(request.user, User):
        raise Http404
    return request.user


# ---- simulations, houses, bots ----------------------------------------------------------------------


def _simulated_houses(request: HttpRequest, edition: str, variant: str, players: int) -> dict[str, Any] | None:
    """Prices and cheques per house of the reference simulation, once it has played a game."""
    filters = {"game": SIMULATED_GAME, "edition": edition, "variant": variant, "player_count": players}
    found = aggregates.house_blocks(filters | {"data": "simulated"}, viewer=request.user)["results"]
    return found[0] if found and found[0]["plays"] else None


def _simulated_source(block: dict[str, Any]) -> str:
    return _("Simulated: %(bots)s, %(games)s, seed %(seed)s, engine %(engine)s.") % {
        "bots": sentences.line_up(block["bots"]),
        "games": sentences.number_of_games(block["games"]),
        "seed": block["seed"],
        "engine": block["engine"],
    }


class _Shown:
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


@require_safe
def simulations(request: HttpRequest) -> HttpResponse:
    found = Simulation.objects.order_by("-reference", "-created_at")[:PAGE]
    return render(request, "dashboard/simulations.html", {"simulations": [_Shown(one) for one in found]})


@require_safe
def simulation(request: HttpRequest, pk: UUID) -> HttpResponse:
    found = get_object_or_404(Simulation.objects.select_related("result"), pk=pk)
    results = services.results_of(found)
    context: dict[str, Any] = {"shown": _Shown(found), "simulation": found, "results": results}
    context["verbs"] = _verbs(found) if found.requester_id and found.requester_id == request.user.pk else []
    if results["games"]:
        words = sentences.chart_words()
        total, axis = results["overall"]["total"], figures.AXES[found.game, "total"]
        context |= {
            "heading": sentences.simulation_heading(results),
            "total_figure": figures.histogram_cell(
                recorded=None,
                simulated=total,
                variant=found.variant,
                axis=axis,
                top=figures.top_share([total], axis),
                words=words,
                name_medians=True,
            ),
            "positions_heading": sentences.positions_heading(results["positions"]),
            "positions_figure": figures.positions(results["positions"], words=words),
            "houses_heading": sentences.houses_heading(results["houses"]),
            "houses_figure": figures.house_lines(results["houses"], words=words),
        }
    return render(request, "dashboard/simulation.html", context)


def _verbs(simulation: Simulation) -> list[tuple[str, str]]:
    """What whoever asked for a simulation may do with it now."""
    if simulation.status == Status.PAUSED:
        return [("resume", _("Go on")), ("cancel", _("Cancel"))]
    if simulation.status in (Status.QUEUED, Status.RUNNING):
        return [("pause", _("Pause")), ("cancel", _("Cancel"))]
    return []


@login_required
@require_POST
def simulation_control(request: HttpRequest, pk: UUID, verb: str) -> HttpResponse:
    """Pause, resume or cancel: for whoever asked for the simulation, as in the API."""
    verbs = {"pause": services.pause, "resume": services.resume, "cancel": services.cancel}
    if verb not in verbs:
        raise Http404
    try:
        verbs[verb](id=pk, requester=request.user)
    except Problem as problem:
        messages.error(request, str(problem.detail))
    return redirect("dashboard:simulation", pk=pk)


class HouseFilters(forms.Form):
    """Which reference simulation the page of houses shows."""

    variant = forms.ChoiceField(label=gettext_lazy("Variant"), required=False)
    player_count = forms.ChoiceField(label=gettext_lazy("Players"), required=False)

    def __init__(self, query: Any) -> None:
        super().__init__(query)
        game = rules.GAMES["for-sale"]
        self.fields["variant"].choices = [(v, in_language(names)) for v, names in game.variants.items()]  # type: ignore[attr-defined]
        self.fields["player_count"].choices = [  # type: ignore[attr-defined]
            (str(n), sentences.number_of_players(n)) for n in game.offers[game.default_edition, "base"]
        ]


@require_safe
def houses(request: HttpRequest) -> HttpResponse:
    game = rules.GAMES[SIMULATED_GAME]
    query = request.GET.copy()
    query.setdefault("player_count", "4")
    form = HouseFilters(query)
    form.is_valid()
    variant = form.cleaned_data.get("variant") or "base"
    players = int(form.cleaned_data.get("player_count") or 4)
    block = _simulated_houses(request, game.default_edition, variant, players)
    rows = [row for row in block["houses"] if row["price"]["n"]] if block else []
    return render(
        request,
        "dashboard/houses.html",
        {
            "form": form,
            "narrowed": bool(request.GET),
            "block": block,
            "every": 0 if block and block["complete"] else scores.POLL_RUNNING,
            "progress": sentences.progress(block["games"], block["games_requested"], running=True) if block else "",
            "permille": 1000 * block["games"] // block["games_requested"] if block else 0,
            "heading": sentences.houses_heading(rows),
            "rows": rows,
            "figure": figures.house_lines(rows, words=sentences.chart_words()) if rows else None,
            "source": _simulated_source(block) if block else "",
        },
    )


@require_safe
def bots(request: HttpRequest) -> HttpResponse:
    told = [(bot.slug, in_language(bot.names), in_language(bot.description)) for bot in BOTS.values()]
    return render(request, "dashboard/bots.html", {"bots": told})


@require_safe
def developers(request: HttpRequest) -> HttpResponse:
    mine = Club.objects.none()
    if request.user.is_authenticated:
        mine = Club.objects.filter(memberships__user=signed_in_user(request)).order_by("name")
    starts = [(language, (QUICK_STARTS / name).name, (QUICK_STARTS / name).read_text()) for language, name in STARTS]
    context = {"site": request.build_absolute_uri("/").rstrip("/"), "club": mine.first(), "starts": starts}
    return render(request, "dashboard/developers.html", context)
