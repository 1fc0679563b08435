"""The pages people use: what an address shows. Each view translates in, asks, and renders."""

from collections.abc import Iterable, Sequence
from datetime import date
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django import forms
from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.db.models import Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe

from dashboard import scores, sentences
from dashboard.play_facts import Told
from dashboard.sentences import in_language
from forsale_api import rules
from forsale_api.api.fields import BAD_NAME, is_name
from forsale_api.api.formats import csv_line
from forsale_api.api.problems import Problem
from forsale_api.clubs import services as clubs_services
from forsale_api.clubs.models import Club, Membership, User, Visibility
from forsale_api.clubs.services import NAME_LENGTH
from forsale_api.plays.models import Play
from forsale_api.plays.services import finding_in_words
from stats import aggregates
from stats.bots import BOTS
from stats.services import SIMULATED_GAME

PAGE = 30
QUICK_STARTS = settings.BASE_DIR / "examples" / "quick-start"
STARTS = [("curl", "quick-start.sh"), ("Python", "quick-start.py"), ("JavaScript", "quick-start.mjs")]
MOST_CLUBS = 200
MOST_CHOICES = 50
LATEST_PLAYS = 20
"""Plays whose clubs a filter offers: a site may have thousands, and every page has the filter."""


# ---- clubs to choose from ---------------------------------------------------------------------------


def clubs_to_choose(request: HttpRequest, *names: str) -> list[Club]:
    """The clubs that a filter offers: the reader's, the public ones that played last, and those that are named.

    A named one must be seen by the reader, else there is no such page (404); unlisted clubs show up only when named.
    """
    latest = Play.objects.filter(deleted_at=None, club__visibility=Visibility.PUBLIC).order_by("-played_on", "-id")
    wanted = Q(visibility=Visibility.PUBLIC, pk__in=latest.values("club")[:LATEST_PLAYS])
    if request.user.is_authenticated:
        wanted |= Q(pk__in=Membership.objects.filter(user=signed_in_user(request)).values("club"))
    choices = list(Club.objects.filter(wanted).order_by("name", "pk")[:MOST_CHOICES])
    for name in filter(None, names):
        if all(one.slug != name for one in choices):
            choices.append(club_or_404(request, name))
    return choices


# ---- scores -----------------------------------------------------------------------------------------


def score_section(request: HttpRequest, club: Club | None = None) -> dict[str, Any]:
    """The filter row and the score section, for the home page and for a club's."""
    choices = [] if club else clubs_to_choose(request, request.GET.get("club", ""))
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
    return render(request, "dashboard/home.html", score_section(request) | {"latest": [Told(play) for play in latest]})


@require_safe
def scores_live(request: HttpRequest) -> HttpResponse:
    """The score section alone: what a page fetches again while it is open."""
    return render(request, "dashboard/parts/scores.html", score_section(request))


def as_csv(name: str, rows: Iterable[Sequence[Any]]) -> HttpResponseBase:
    """Rows as a CSV file of this name, streamed."""
    headers = {"Content-Disposition": f'attachment; filename="{name}.csv"'}
    return StreamingHttpResponse(map(csv_line, rows), content_type="text/csv; charset=utf-8", headers=headers)


@require_safe
def scores_csv(request: HttpRequest) -> HttpResponseBase:
    """The histograms of the section as CSV, one score a row; or how its games were decided."""
    section: scores.Scores = score_section(request)["scores"]
    if request.GET.get("of") == "decided":
        return as_csv("decided", section.decided_rows())
    return as_csv("scores", section.csv_rows())


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
    clubs = clubs_to_choose(request, named)
    found = listed_plays(request)
    if named:
        found = ready(Play.objects.filter(club=next(one for one in clubs if one.slug == named)))
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
def play(request: HttpRequest, pk: UUID) -> HttpResponseBase:
    visible = clubs_services.visible_clubs(request.user)
    found = get_object_or_404(ready(Play.objects.filter(club__in=visible)), pk=pk)
    told = Told(found)
    is_member = clubs_services.membership(request.user, found.club) is not None
    simulated = None
    if told.story and request.GET.get("format") == "csv":
        return as_csv("play", told.story.deal_rows())
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
            "csv": "?format=csv",
            "deals_figure": told.story.deals_figure(simulated["houses"] if simulated else []) if told.story else None,
            "simulated_source": _source(simulated) if simulated else "",
            "shows_notes": is_member or found.club.notes_public,
            "history": found.changes.select_related("user").order_by("-version") if is_member else None,
        },
    )


# ---- clubs ------------------------------------------------------------------------------------------


@require_safe
def clubs(request: HttpRequest) -> HttpResponse:
    """Public clubs and the reader's own by name; a page begins after a club, so that it never shifts."""
    found = clubs_services.listed_clubs(request.user).order_by("name", "pk")
    wanted = request.GET.get("q", "").strip()[:100]
    if wanted:
        found = found.filter(name__icontains=wanted)
    after = found.filter(slug=request.GET.get("after", "")).first()
    if after:
        found = found.filter(Q(name__gt=after.name) | Q(name=after.name, pk__gt=after.pk))
    page = list(found[: PAGE + 1])
    context = {
        "clubs": page[:PAGE],
        "wanted": wanted,
        "further_down": after is not None,
        "more": urlencode({"q": wanted, "after": page[PAGE - 1].slug}) if len(page) > PAGE else "",
    }
    return render(request, "dashboard/clubs.html", context)


class ClubForm(forms.Form):
    """A new club."""

    name = forms.CharField(label=gettext_lazy("Name of the club"), max_length=NAME_LENGTH)
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

    def clean_name(self) -> str:
        name: str = self.cleaned_data["name"]
        if not is_name(name):
            raise forms.ValidationError(BAD_NAME)
        return clubs_services.clean_name(name)


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


# ---- what a play is shown beside; bots ----------------------------------------------------------------------


def _simulated_houses(request: HttpRequest, edition: str, variant: str, players: int) -> dict[str, Any] | None:
    """Prices and cheques per house of the reference simulation, once it has played a game."""
    filters = {"game": SIMULATED_GAME, "edition": edition, "variant": variant, "player_count": players}
    found = aggregates.house_blocks(filters | {"data": "simulated"}, viewer=request.user)["results"]
    return found[0] if found and found[0]["plays"] else None


def _source(block: dict[str, Any]) -> str:
    return sentences.simulated_source(**{name: block[name] for name in ("bots", "games", "seed", "engine")})


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
