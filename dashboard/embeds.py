"""What other sites show of this one: a score card and a chart in a frame, a badge, and oEmbed to find them.

These addresses alone may be framed. They know no session: everybody sees what a stranger may see, nothing of a private
club, and no cookie is read or set, so that one answer serves all and nobody is counted.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any
from urllib.parse import urlencode, urlsplit
from uuid import UUID

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.db.models import Count, QuerySet
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, render
from django.urls import Resolver404, resolve, reverse
from django.utils import translation
from django.utils.cache import patch_vary_headers
from django.utils.html import format_html
from django.utils.translation import gettext as _
from django.views.decorators.clickjacking import xframe_options_exempt
from django.views.decorators.csp import csp_override
from django.views.decorators.http import require_safe

from dashboard import scores, sentences
from dashboard.play_facts import Told
from forsale_api.clubs.models import Club
from forsale_api.clubs.services import visible_clubs
from forsale_api.plays.models import Play

NAME = "House & Cheque"
LASTS = 300
"""Seconds that an answer may be shown again without asking."""
CARD = (480, 320)
CHART = (480, 400)
"""Width and height in pixels of the frames."""
ACCENT = "14664a"
LANGUAGES = [code for code, _name in settings.LANGUAGES]

type View = Callable[..., HttpResponse]


# ---- what all share ---------------------------------------------------------------------------------


def for_everybody(view: View) -> View:
    """Answers in the language of `?lang=`, else of the browser, may be kept for a while, and take no cookie."""

    @wraps(view)
    def wrapper(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        asked = request.GET.get("lang", "")
        language = asked if asked in LANGUAGES else translation.get_language() or settings.LANGUAGE_CODE
        with translation.override(language):
            response = view(request, *args, **kwargs)
        response.headers["Content-Language"] = language
        response.headers["Cache-Control"] = f"public, max-age={LASTS}"
        response.headers["X-Robots-Tag"] = "noindex"
        if not asked:
            patch_vary_headers(response, ["Accept-Language"])
        return response

    return require_safe(wrapper)


def framed(view: View) -> View:
    """A page that any site may put into a frame."""
    anywhere: dict[str, Any] = {**settings.SECURE_CSP, "frame-ancestors": ["*"]}
    return csp_override(anywhere)(xframe_options_exempt(for_everybody(view)))


def _clubs() -> QuerySet[Club]:
    """Clubs of which a stranger who has the address may see plays."""
    return visible_clubs(AnonymousUser())


def _club(slug: str) -> Club:
    return get_object_or_404(_clubs(), slug=slug)


def _play(pk: UUID) -> Play:
    plays = Play.objects.filter(club__in=_clubs(), deleted_at=None)
    return get_object_or_404(plays.select_related("club").prefetch_related("seats__player"), pk=pk)


def _look(request: HttpRequest) -> dict[str, str]:
    """The theme that was asked for; none leaves it to the reader's device."""
    theme = request.GET.get("theme", "")
    return {"theme": theme if theme in ("light", "dark") else "", "name": NAME}


# ---- frames -----------------------------------------------------------------------------------------


@framed
def play_card(request: HttpRequest, pk: UUID) -> HttpResponse:
    """The result of a play."""
    return render(request, "dashboard/embeds/play.html", {"told": Told(_play(pk)), **_look(request)})


@framed
def club_chart(request: HttpRequest, slug: str) -> HttpResponse:
    """How the scores of a club spread, for one variant and number of players: those most played unless asked for."""
    club = _club(slug)
    query = _most_played(club) | {
        name: request.GET[name] for name in ("variant", "player_count") if name in request.GET
    }
    section = scores.read(scores.ScoreFilters(query, clubs=[club], club=club).chosen, AnonymousUser())
    if not section.rows:
        raise Http404
    row = section.rows[0]
    shown = {"club": club, "row": row, "cell": row["cells"][0], "sources": section.sources}
    return render(request, "dashboard/embeds/chart.html", {**shown, **_look(request)})


def _most_played(club: Club) -> dict[str, str]:
    plays = Play.objects.filter(club=club, game="for-sale", counts=True, deleted_at=None)
    kinds = plays.values_list("variant", "player_count").annotate(n=Count("pk"))
    variant, player_count, _plays = kinds.order_by("-n", "variant", "player_count").first() or ("base", 4, 0)
    return {"variant": str(variant), "player_count": str(player_count)}


# ---- badge ------------------------------------------------------------------------------------------


@for_everybody
def badge(request: HttpRequest, slug: str) -> HttpResponse:
    """What shields.io draws a badge from: the number of plays, or with `?about=winner` who won last."""
    plays = Play.objects.filter(club=_club(slug), deleted_at=None)
    message = sentences.number_of_plays(plays.count())
    if request.GET.get("about") == "winner":
        last = plays.select_related("club").prefetch_related("seats__player").order_by("-played_on", "-pk").first()
        message = Told(last).headline if last else _("no plays yet")
    facts = {"schemaVersion": 1, "label": "For Sale", "message": message, "color": ACCENT, "cacheSeconds": LASTS}
    response = JsonResponse(facts, json_dumps_params={"ensure_ascii": False})
    response["Access-Control-Allow-Origin"] = "*"
    return response


# ---- oEmbed -----------------------------------------------------------------------------------------


@for_everybody
def oembed(request: HttpRequest) -> HttpResponse:
    """The frame for the page of a play or a club, as oembed.com says: 404 for others, 501 for XML."""
    if request.GET.get("format", "json") != "json":
        return HttpResponse(_("Only JSON is answered here."), status=501, content_type="text/plain; charset=utf-8")
    frame, title, size = _frame_of(request, request.GET.get("url", ""))
    width = _at_most(request.GET.get("maxwidth", ""), size[0])
    height = _at_most(request.GET.get("maxheight", ""), size[1])
    code = '<iframe src="{}" width="{}" height="{}" title="{}" loading="lazy" style="border:0"></iframe>'
    facts = {
        "version": "1.0",
        "type": "rich",
        "title": title,
        "provider_name": NAME,
        "provider_url": request.build_absolute_uri("/"),
        "cache_age": LASTS,
        "width": width,
        "height": height,
        "html": format_html(code, frame, width, height, title),
    }
    response = JsonResponse(facts, json_dumps_params={"ensure_ascii": False})
    response["Access-Control-Allow-Origin"] = "*"
    return response


def _frame_of(request: HttpRequest, address: str) -> tuple[str, str, tuple[int, int]]:
    """The frame's address, title and size for the address of a page of ours. Raises `Http404` for any other."""
    try:
        parts = urlsplit(address)
        if parts.netloc != request.get_host():
            raise Http404
        match = resolve(parts.path)
    except (ValueError, Resolver404):
        raise Http404 from None
    if match.view_name == "dashboard:play":
        told = Told(_play(match.kwargs["pk"]))
        path, title, size = reverse("dashboard:embed-play", args=[told.play.pk]), told.headline_with_total, CARD
    elif match.view_name == "dashboard:club":
        club = _club(match.kwargs["slug"])
        path, title, size = reverse("dashboard:embed-club", args=[club.slug]), club.name, CHART
    else:
        raise Http404
    query = {name: request.GET[name] for name in ("theme", "lang") if name in request.GET}
    return request.build_absolute_uri(path + (f"?{urlencode(query)}" if query else "")), title, size


def _at_most(text: str, most: int) -> int:
    return min(most, int(text)) if text.isascii() and text.isdigit() and int(text[:6]) > 0 else most


def discovery(request: HttpRequest) -> str:
    """The link in the head of a page of a play or club by which other sites find its frame."""
    query = urlencode({"url": request.build_absolute_uri(request.path), "format": "json"})
    address = request.build_absolute_uri(f"{reverse('dashboard:oembed')}?{query}")
    return format_html('<link rel="alternate" type="application/json+oembed" href="{}">', address)
