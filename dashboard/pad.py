"""The score pad: a page that logs a play, works without script, and with it offline; and a game turn by turn.

The page carries all it needs to count: the audit's tables and sentences (`rules.sheet_tables`), the words, the
reader's clubs with their players. What is sent goes the way of the API: its serializers, `plays.services`.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.staticfiles import finders
from django.db.models import F, Max, OuterRef, Subquery
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.middleware.csrf import get_token
from django.shortcuts import redirect, render
from django.templatetags.static import static
from django.urls import reverse
from django.utils import formats
from django.utils.translation import get_language, ngettext
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe
from rest_framework.exceptions import APIException
from uuid_utils.compat import uuid7

from dashboard.recording import Recording, UnreadableMove, move_of
from dashboard.sentences import in_language
from dashboard.sheet_form import Sheet, context_of, refusal, sayings, tables
from forsale_api import rules
from forsale_api.api.problems import from_rule_error
from forsale_api.clubs import services as clubs_services
from forsale_api.clubs.models import Club, Player, User, name_key
from forsale_api.plays import services
from forsale_api.plays.models import Play
from forsale_api.plays.serializers import PlayBody

MOST_CLUBS = 50
MOST_NAMES = 300
COUNTS = (0, 1, 2)


# ---- what the page carries ---------------------------------------------------------------------------


def _words() -> dict[str, Any]:
    """Every sentence the script may say, with its placeholders; those with a number as a list for 0, 1 and more."""
    return {
        "leads": _("%(who)s leads"),
        "wins": _("%(who)s wins"),
        "shares": _("%(who)s share the win"),
        "levels": _("%(who)s are level"),
        "ahead": _("highest total, %(ahead)s ahead of %(second)s"),
        "banknotes": _("level at %(total)s with %(with)s, more banknotes left: %(more)s against %(less)s"),
        "largest_category": _("level at %(total)s with %(with)s, larger collection: %(more)s against %(less)s"),
        "shared": [
            ngettext(
                "level at %(total)s, and %(banknotes)s banknote each",
                "level at %(total)s, and %(banknotes)s banknotes each",
                n,
            )
            for n in COUNTS
        ],
        "reported": [
            ngettext(
                "level at %(total)s; the table named the winner",
                "level at %(total)s; the table named the winners",
                n,
            )
            for n in COUNTS
        ],
        "shared_other": _("level at %(total)s, and in the tie-break too"),
        "unknown": _("level at %(total)s; the tie-break was not written down"),
        "and": _("%(first)s and %(last)s"),
        "money": _("$%(amount)s"),
        "so_far": _("So far the cheques add up to %(value)s of %(due)s."),
        "empty": _("Some boxes are empty"),
        "agrees": _("The cheques add up to %(value)s, as they must."),
        "checked": _("Checked against the game: a legal game can end on this sheet."),
        "recount": _("Recount, or save it: it will not count until it is corrected."),
        "unlikely": _("Unlikely, not impossible: it will count."),
        "not_a_sum": _("Write a whole number or a sum such as 15+12+0."),
        "save": _("Save the play"),
        "save_uncounted": _("Save, not counted"),
        "ask_collection": _("Level: how many objects has the largest collection?"),
        "offline": _("Offline"),
        "waiting": [ngettext("%(count)s waiting", "%(count)s waiting", n) for n in COUNTS],
        "saved_here": _("Saved on this device"),
        "waits": [
            ngettext(
                "%(count)s play waits here and is sent once when you are online again.",
                "%(count)s plays wait here and are sent once each when you are online again.",
                n,
            )
            for n in COUNTS
        ],
        "sent": _("Saved"),
        "sent_says": _("It is in the log of %(club)s."),
        "refused": _("Not saved yet"),
        "log_in": _("Log in again to send it; nothing is lost."),
        "other_account": _("Logged by %(user)s: it is sent when they are logged in."),
        "no_network": _("No network."),
        "server_failed": _("The site does not answer as it should; it is tried again."),
        "guest": _("New: %(name)s becomes a guest of the club."),
        "twice": _("%(name)s sits at the table already."),
        "full": _("Six sit at a table at most."),
        "players_offered": _("For %(offered)s players in this variant and edition."),
        "count_now": _("Start counting"),
        "again": _("Same table again: %(names)s"),
        "remove": _("Seat %(seat)s: %(name)s. Take away"),
        "today": _("today"),
        "players": [ngettext("%(players)s player", "%(players)s players", n) for n in COUNTS],
        "notes": [ngettext("%(n)d banknote", "%(n)d banknotes", n) for n in COUNTS],
        "points": _("%(points)s points"),
        "copied": _("Copied"),
        "correct": _("Correct"),
        "discard": _("Throw away"),
        "discard_sure": _("Throw this play away? It was never sent."),
        "send_now": _("Send now"),
        "opens_log_in": _("Log in"),
    }


def _page_data(request: HttpRequest, game: rules.Game) -> dict[str, Any]:
    return {
        "game": game.slug,
        "name": in_language(game.names),
        "sheet": list(game.sheet_fields),
        "offers": {f"{edition}/{variant}": list(counts) for (edition, variant), counts in game.offers.items()},
        "variants": {slug: in_language(names) for slug, names in game.variants.items()},
        "editions": {slug: in_language(edition.names) for slug, edition in game.editions.items()},
        "defaultEdition": game.default_edition,
        "tables": tables(game.slug),
        "says": sayings(game.slug),
        "words": _words(),
        "thousands": formats.get_format("THOUSAND_SEPARATOR"),
        "largest": rules.LARGEST_FIGURE,
        "urls": {
            "plays": reverse("plays"),
            "score": reverse("score", args=[game.slug]),
            "data": reverse("dashboard:log-data"),
            "worker": reverse("dashboard:log-worker"),
            "scope": reverse("dashboard:log"),
            "login": reverse(settings.LOGIN_URL) if "/" not in settings.LOGIN_URL else settings.LOGIN_URL,
            "play": reverse("dashboard:play", args=[UUID(int=0)]),
        },
        **_table_data(request),
    }


def _table_data(request: HttpRequest) -> dict[str, Any]:
    """Who may sit down: the reader's clubs, each with its players by when they last played, and its last tables."""
    clubs = _my_clubs(request)
    players: dict[int, list[str]] = {club.pk: [] for club in clubs}
    found = list(Player.objects.filter(club__in=clubs).annotate(last=Max("seats__play__played_on")))
    found.sort(key=lambda one: (-one.last.toordinal() if one.last else 0, one.name))
    for player in found:
        if len(players[player.club_id]) < MOST_NAMES:
            players[player.club_id].append(player.name)
    tables = _last_tables(clubs)
    return {
        "user": request.user.get_username(),
        "clubs": [
            {
                "slug": club.slug,
                "name": club.name,
                "today": _today(club),
                "zone": club.time_zone,
                "players": players[club.pk],
                "tables": tables.get(club.pk, {}),
            }
            for club in clubs
        ],
    }


def _names(data: Mapping[str, Any]) -> list[str]:
    """Every name of the reader's clubs, for browsers that complete what is typed."""
    return sorted({name for club in data["clubs"] for name in club["players"]})


def _my_clubs(request: HttpRequest) -> list[Club]:
    """The reader's clubs, the one that played last first."""
    mine = Club.objects.filter(memberships__user=_user(request)).annotate(latest=Max("plays__created_at"))
    return list(mine.order_by(F("latest").desc(nulls_last=True), "name")[:MOST_CLUBS])


def _last_tables(clubs: Sequence[Club]) -> dict[int, dict[str, Any]]:
    """By club and game the last play's variant, edition and names in seat order."""
    of_club = Play.objects.filter(club=OuterRef("pk"), deleted_at=None).order_by("-created_at", "-pk")
    newest = {slug: Subquery(of_club.filter(game=slug).values("pk")[:1]) for slug in rules.GAMES}
    rows = Club.objects.filter(pk__in=[club.pk for club in clubs]).values_list("pk", *newest.values())
    ids = [pk for _club, *found in rows for pk in found if pk]
    tables: dict[int, dict[str, Any]] = {}
    for play in Play.objects.filter(pk__in=ids).defer("record").prefetch_related("seats__player"):
        tables.setdefault(play.club_id, {})[play.game] = {
            "variant": play.variant,
            "edition": play.edition,
            "players": [seat.player.name for seat in play.seats.all()],
        }
    return tables


def _today(club: Club) -> str:
    return datetime.now(ZoneInfo(club.time_zone)).date().isoformat()


# ---- logging a play ----------------------------------------------------------------------------------


def _game_asked(request: HttpRequest) -> rules.Game:
    slug = request.GET.get("game") or "for-sale"
    if slug not in rules.GAMES:
        raise Http404
    return rules.GAMES[slug]


@never_cache
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def log(request: HttpRequest) -> HttpResponse:
    """The pad. POST without script stores the play and goes to its page, or says what is wrong with it."""
    game = _game_asked(request)
    clubs = _my_clubs(request)
    if not clubs:
        return render(request, "dashboard/pad_no_club.html")
    sheet = Sheet.written(game, request.POST)
    chosen = request.POST.get("club") or request.GET.get("club") or clubs[0].slug
    club = next((club for club in clubs if club.slug == chosen), clubs[0])
    if request.method == "POST":
        play = _store(request, sheet, chosen)
        if play is not None:
            messages.success(request, _("The play is saved."))
            return redirect("dashboard:play", pk=play.pk)
    else:
        sheet.fields |= {
            "variant": next(iter(game.variants)),
            "edition": game.default_edition,
            "played_on": _today(club),
        }
    data = _page_data(request, game)
    context = context_of(sheet) | {
        "clubs": clubs,
        "club": club,
        "id": request.POST.get("id") or str(uuid7()),
        "data": data,
        "names": _names(data),
    }
    return render(request, "dashboard/pad.html", context, status=422 if request.method == "POST" else 200)


def _store(request: HttpRequest, sheet: Sheet, club_slug: str) -> Play | None:
    body = sheet.body() | {"club": club_slug, "game": sheet.game.slug, "id": request.POST.get("id", "")}
    return _store_body(request, sheet, body) if sheet.is_readable else None


def _store_body(request: HttpRequest, sheet: Sheet, body: dict[str, Any]) -> Play | None:
    """Stores what the form says, as the API would; what is refused is held against the sheet."""
    try:
        facts = PlayBody.facts(body)
        club = clubs_services.require_member(_user(request), facts.pop("club"), place=("club",)).club
        said = hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()
        play, _created = services.record_play(club=club, recorder=_user(request), body_hash=said, **facts)
    except (APIException, rules.RuleError) as error:
        sheet.hold_against(refusal(error))
        return None
    return play


@never_cache
@require_safe
def log_data(request: HttpRequest) -> JsonResponse:
    """Who is signed in and may sit down, for a pad that was opened from the device's own copy."""
    if not request.user.is_authenticated:
        return JsonResponse({"user": None}, status=401)
    return JsonResponse(_table_data(request) | {"csrf": get_token(request)})


SHELL = ("site.css", "pad.css", "theme.js", "site.js", "pad-sheet.js", "pad-queue.js", "pad.js", "favicon.svg")
"""The static files the pad needs offline."""


@cache
def _shell_version() -> str:
    """Changes when one of the files does, so that devices fetch them anew."""
    found = [finders.find(f"dashboard/{name}") for name in (*SHELL, "pad-worker.js")]
    return hashlib.sha256(b"".join(Path(str(path)).read_bytes() for path in found)).hexdigest()[:16]


@require_safe
def worker(request: HttpRequest) -> HttpResponse:
    """The service worker, its list of files in front; it stands below /log/ and rules no other page."""
    pages = [reverse("dashboard:log"), f"{reverse('dashboard:log')}?game=lady-richmond"]
    facts = {
        "version": _shell_version() if not settings.DEBUG else _shell_version.__wrapped__(),
        "files": [static(f"dashboard/{name}") for name in SHELL],
        "pages": pages,
        "queue": static("dashboard/pad-queue.js"),
        "data": reverse("dashboard:log-data"),
        "plays": reverse("plays"),
    }
    script = Path(str(finders.find("dashboard/pad-worker.js"))).read_text(encoding="utf-8")
    response = HttpResponse(
        f"const PAD = {json.dumps(facts)};\n{script}", content_type="text/javascript; charset=utf-8"
    )
    response["Cache-Control"] = "no-cache"
    return response


@require_safe
def manifest(request: HttpRequest) -> JsonResponse:
    """What makes the pad an app of its own on a phone's first page."""
    return JsonResponse(
        {
            "name": "House & Cheque",
            "short_name": _("Score pad"),
            "lang": get_language() or "en",
            "id": reverse("dashboard:log"),
            "start_url": reverse("dashboard:log"),
            "scope": reverse("dashboard:log"),
            "display": "standalone",
            "background_color": "#ffffff",
            "theme_color": "#14664a",
            "icons": [{"src": static("dashboard/favicon.svg"), "sizes": "any", "type": "image/svg+xml"}],
        },
        content_type="application/manifest+json",
    )


# ---- a whole game, turn by turn ----------------------------------------------------------------------


@never_cache
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def record(request: HttpRequest) -> HttpResponse:
    """A game written down move by move. The form carries all of it; script keeps it on the device, too."""
    clubs = _my_clubs(request)
    if not clubs:
        return render(request, "dashboard/pad_no_club.html")
    game = rules.GAMES["for-sale"]
    sheet = Sheet.written(game, request.POST)
    if request.method != "POST":
        sheet.fields |= {
            "variant": "base",
            "edition": game.default_edition,
            "played_on": _today(clubs[0]),
            "first_seat": "1",
        }
    context = context_of(sheet) | {
        "clubs": clubs,
        "club": next((club for club in clubs if club.slug == request.POST.get("club")), clubs[0]),
        "id": request.POST.get("id") or str(uuid7()),
    }
    if request.method == "POST":
        recording, said = _recording(request, sheet)
        if recording is not None and request.POST.get("do") == "save" and recording.is_over:
            stored = _store_record(request, sheet, recording)
            if stored is not None:
                messages.success(request, _("The play is saved."))
                return redirect("dashboard:play", pk=stored.pk)
        context |= {"recording": recording, "said": said, "sheet": sheet, "editing": request.POST.get("do") == "table"}
        if recording is not None:
            context["variant_name"] = in_language(game.variants[recording.variant])
    if context.get("recording") is None or context.get("editing"):
        context["names"] = _names(_table_data(request))
    return render(request, "dashboard/pad_record.html", context)


def _recording(request: HttpRequest, sheet: Sheet) -> tuple[Recording | None, str]:
    """The game so far with what the form adds to it, and why the last move was refused, if it was."""
    names = tuple(row.player for row in sheet.rows if row.player)
    first = int(sheet.fields["first_seat"]) if sheet.fields["first_seat"].isdecimal() else 1
    moves = tuple(request.POST.get("moves", "").split())
    edition, variant = sheet.fields["edition"] or sheet.game.default_edition, sheet.fields["variant"] or "base"
    recording = Recording(edition, variant, names, first, moves)
    do = request.POST.get("do", "")
    if len({name_key(name) for name in names}) < len(names):
        return None, _("Everybody sits at the table once only.")
    try:
        sheet.game.check_offer(edition, variant, len(names))
        recording.state  # noqa: B018  plays the moves
    except rules.RuleError as error:
        return None, str(from_rule_error(error).detail)
    except UnreadableMove:
        return None, _("These are no moves of a game.")
    if do == "undo":
        return recording.undone(), ""
    if do in ("", "begin", "go-on", "save", "table"):
        return recording, ""
    try:
        move = move_of(request.POST, request.POST.getlist("card"), [one["seat"] for one in recording.waiting])
        return recording.after(move), ""
    except rules.RuleError as error:
        return recording, str(from_rule_error(error).detail)
    except UnreadableMove:
        return recording, _("Choose first.")


def _store_record(request: HttpRequest, sheet: Sheet, recording: Recording) -> Play | None:
    body = sheet.body()
    body["seats"] = [{"player": name} for name in recording.players]
    body |= {
        "club": request.POST.get("club", ""),
        "game": "for-sale",
        "id": request.POST.get("id", ""),
        "record": recording.record,
    }
    return _store_body(request, sheet, body)


def _user(request: HttpRequest) -> User:
    if not isinstance(request.user, User):
        raise Http404
    return request.user
