"""The score pad: a page that logs a play, works without script, and with it offline; and the corrections of a play.

The page carries all it needs to count: the audit's tables and sentences (`rules.sheet_tables`), the words, the
reader's clubs with their players. What is sent goes the way of the API: its serializers, `plays.services`.
"""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
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
from django.db import transaction
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
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from rest_framework.exceptions import APIException, ValidationError
from uuid_utils.compat import uuid7

from dashboard.recording import Recording, UnreadableMove, move_of
from dashboard.sentences import in_language
from forsale_api import rules
from forsale_api.api.problems import Problem, from_rule_error
from forsale_api.clubs import services as clubs_services
from forsale_api.clubs.models import Club, Player, User, name_key
from forsale_api.plays import services, undoing
from forsale_api.plays.models import Play
from forsale_api.plays.serializers import PlayBody, PlayPatch
from forsale_api.rules import score_sheet, sheet_tables

MOST_SEATS = 6
MOST_CLUBS = 50
MOST_NAMES = 300
COUNTS = (0, 1, 2)
SUM = re.compile(r"[+-]?\d{1,5}([+-]\d{1,5})*[+-]?")


# ---- what the page carries ---------------------------------------------------------------------------


@cache
def _tables(game: str) -> dict[str, Any]:
    """The audit's tables by "edition/variant/players"; Lady Richmond's sheet is audited by the server alone."""
    if game != "for-sale":
        return {}
    return {
        f"{edition}/{variant}/{players}": sheet_tables.of_sheet(edition, variant, players)
        for (edition, variant), offered in rules.GAMES[game].offers.items()
        for players in offered
    }


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
        "online": _("Online"),
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
        "sending": _("Sending"),
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
        "tables": _tables(game.slug),
        "says": {code: _(template) for code, template in score_sheet.SAYS.items()},
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
                "players": players[club.pk],
                "tables": tables.get(club.pk, {}),
            }
            for club in clubs
        ],
    }


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


# ---- a sheet that somebody wrote ---------------------------------------------------------------------


@dataclass
class Row:
    """One seat of the sheet as it was written, and what is wrong with it."""

    number: int
    player: str = ""
    written: dict[str, str] = field(default_factory=dict)
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
        """What a form says; a total stands beside the boxes where that was all that was known."""
        figures = (*game.sheet_fields, "total")
        rows = [
            Row(
                number,
                (form.get(f"player-{number}") or (names[number - 1] if number <= len(names) else "")).strip(),
                {name: form.get(f"{name}-{number}", "").strip() for name in figures},
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
        for name, text in row.written.items():
            if name == "total" and any(row.written[other] for other in self.game.sheet_fields):
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
        return _tables(self.game.slug).get(f"{edition}/{variant}/{len(self.taken)}")

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
    "not_counted_reason", "accept_findings",
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


def _entries(detail: Any, pointer: str = "") -> Any:
    if isinstance(detail, Mapping):
        for key, value in detail.items():
            yield from _entries(value, pointer if key == "non_field_errors" else f"{pointer}/{key}")
    elif isinstance(detail, list):
        for index, value in enumerate(detail):
            yield from _entries(value, f"{pointer}/{index}" if isinstance(value, Mapping | list) else pointer)
    else:
        yield {"pointer": pointer, "detail": str(detail)}


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
    context = _pad_context(sheet) | {
        "clubs": clubs,
        "club": club,
        "id": request.POST.get("id") or str(uuid7()),
        "data": _page_data(request, game),
        "names": sorted({name for one in _table_data(request)["clubs"] for name in one["players"]}),
    }
    return render(request, "dashboard/pad.html", context, status=422 if request.method == "POST" else 200)


def _pad_context(sheet: Sheet) -> dict[str, Any]:
    game = sheet.game
    return {
        "sheet": sheet,
        "game": game,
        "variants": [(slug, in_language(names)) for slug, names in game.variants.items()],
        "editions": [(slug, in_language(edition.names)) for slug, edition in game.editions.items()],
        "labels": {
            "cheques": _("Cheques, in thousands"),
            "banknotes": _("Banknotes left"),
            "points": _("Points"),
            "largest_category": _("Largest collection"),
            "total": _("Total"),
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


def _user(request: HttpRequest) -> User:
    if not isinstance(request.user, User):
        raise Http404
    return request.user


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
    context = _pad_context(sheet) | {
        "clubs": clubs,
        "club": next((club for club in clubs if club.slug == request.POST.get("club")), clubs[0]),
        "id": request.POST.get("id") or str(uuid7()),
        "names": sorted({name for one in _table_data(request)["clubs"] for name in one["players"]}),
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
        if do == "undo":
            return recording.undone(), ""
        if do in ("", "begin", "go-on", "save", "table"):
            return recording, ""
        move = move_of(request.POST, request.POST.getlist("card"), [one["seat"] for one in recording.waiting])
        return recording.after(move), ""
    except rules.RuleError as error:
        said = str(from_rule_error(error).detail)
    except UnreadableMove:
        said = _("Choose first.")
    try:
        recording.state  # noqa: B018
    except (rules.RuleError, UnreadableMove):
        return None, said
    return recording, said


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


# ---- what can be done with a play --------------------------------------------------------------------


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
@transaction.atomic
def correct(request: HttpRequest, pk: UUID) -> HttpResponse:
    """The sheet of a stored play, to be corrected by any member."""
    play, _role = _to_change(request, pk)
    game = rules.GAMES[play.game]
    seats = list(play.seats.select_related("player"))
    sheet = Sheet.written(game, request.POST if request.method == "POST" else _as_form(play, seats))
    if request.method == "POST":
        if request.POST.get("version") != str(play.version):
            sheet.errors.append(_("Somebody has changed this play meanwhile. Look at it again before you correct it."))
        elif _change(request, play, sheet):
            messages.success(request, _("The play is corrected."))
            return redirect("dashboard:play", pk=play.pk)
    context = _pad_context(sheet) | {
        "play": play,
        "only_totals": any(seat.total is not None and seat.cheques is None and seat.points is None for seat in seats),
        "names": list(
            Player.objects.filter(club=play.club).order_by("name").values_list("name", flat=True)[:MOST_NAMES]
        ),
    }
    return render(request, "dashboard/pad_correct.html", context, status=422 if request.method == "POST" else 200)


def _as_form(play: Play, seats: Sequence[Any]) -> dict[str, str]:
    form = {
        name: str(value)
        for name in DETAILS
        if (value := getattr(play, name, None)) is not None and not isinstance(value, bool)
    }
    form["played_at"] = play.played_at.strftime("%H:%M") if play.played_at else ""
    for seat in seats:
        form[f"player-{seat.seat}"] = seat.player.name
        for name in ("cheques", "banknotes", "points", "largest_category"):
            value = getattr(seat, name)
            form[f"{name}-{seat.seat}"] = "" if value is None else str(value)
        if seat.cheque_cards is not None:
            form[f"cheques-{seat.seat}"] = "+".join(map(str, seat.cheque_cards)) or "0"
        if seat.cheques is None and seat.points is None:
            form[f"total-{seat.seat}"] = str(seat.total)
    return form


def _change(request: HttpRequest, play: Play, sheet: Sheet) -> bool:
    body = sheet.body()
    body.pop("not_counted_reason", None)
    if not sheet.is_readable:
        return False
    if play.record is None:
        figures = {*sheet.game.sheet_fields, "total"} | ({"cheque_cards"} if sheet.game.slug == "for-sale" else set())
        body["seats"] = [dict.fromkeys(figures) | seat for seat in body["seats"]]
    else:
        body["seats"] = [{"player": seat["player"]} for seat in body["seats"]]
        body.pop("first_seat")
    try:
        services.change_play(play, user=_user(request), changes=PlayPatch.facts(body))
    except (APIException, rules.RuleError) as error:
        transaction.set_rollback(True)
        sheet.hold_against(refusal(error))
        return False
    return True


def _to_change(request: HttpRequest, pk: UUID, *, deleted: bool = False) -> Any:
    """The play, held, and the reader's membership; a page that is not there for whoever may not change it."""
    try:
        return services.play_to_change(_user(request), pk, deleted=deleted)
    except Problem as problem:
        raise Http404 from problem


@login_required
@require_POST
@transaction.atomic
def act(request: HttpRequest, pk: UUID, verb: str) -> HttpResponse:
    """Counts or not, delete, restore, undo; each a button of the play's page."""
    acts = {"counts": _set_counts, "delete": _delete, "restore": _restore, "undo": _undo}
    if verb not in acts:
        raise Http404
    play, role = _to_change(request, pk, deleted=verb in ("restore", "undo"))
    try:
        with transaction.atomic():
            said = acts[verb](request, play, role)
    except (APIException, rules.RuleError) as error:
        problem = refusal(error)
        messages.error(request, problem.errors[0]["detail"] if problem.errors else str(problem.detail))
    else:
        messages.success(request, said)
    if play.deleted_at is not None:
        return redirect("dashboard:play-deleted", pk=pk)
    return redirect("dashboard:play", pk=pk)


def _set_counts(request: HttpRequest, play: Play, role: Any) -> str:
    counts = request.POST.get("counts") == "true"
    changes: dict[str, Any] = {"counts": counts, "accept_findings": True}
    changes["not_counted_reason"] = "" if counts else request.POST.get("reason", "").strip()[:300]
    services.change_play(play, user=_user(request), changes=changes)
    return _("This play counts again.") if counts else _("This play does not count any more.")


def _delete(request: HttpRequest, play: Play, role: Any) -> str:
    services.delete_play(play, role)
    return _("The play is deleted; it can be restored.")


def _restore(request: HttpRequest, play: Play, role: Any) -> str:
    services.restore_play(play, role)
    return _("The play is back.")


def _undo(request: HttpRequest, play: Play, role: Any) -> str:
    undoing.undo_last_change(play, role, version=request.POST.get("version", ""))
    return _("The last change is taken back.")


@login_required
@require_safe
@transaction.atomic
def deleted(request: HttpRequest, pk: UUID) -> HttpResponse:
    """What a member sees of a deleted play: that it is, and how it comes back."""
    play, role = _to_change(request, pk, deleted=True)
    if play.deleted_at is None:
        return redirect("dashboard:play", pk=pk)
    return render(request, "dashboard/pad_deleted.html", {"play": play, "may_restore": may_remove(play, role)})


def may_remove(play: Play, role: Any) -> bool:
    """Whether this member may delete and restore the play: its recorder and owners may."""
    return role is not None and (role.role == "owner" or play.recorder_id == role.user_id)
