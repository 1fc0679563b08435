"""What can be done with a stored play from its page: correct, not count, delete, restore, undo."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from rest_framework.exceptions import APIException

from dashboard.sheet_form import DETAILS, Sheet, context_of, refusal
from forsale_api import rules
from forsale_api.api.problems import Problem
from forsale_api.clubs.models import Membership, Role, User
from forsale_api.plays import services, undoing
from forsale_api.plays.models import Play, Seat
from forsale_api.plays.serializers import PlayPatch

MOST_NAMES = 300


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
    context = context_of(sheet) | {
        "play": play,
        "shows_totals": any(seat.total is not None and seat.cheques is None and seat.points is None for seat in seats),
        "names": list(play.club.players.order_by("name").values_list("name", flat=True)[:MOST_NAMES]),
    }
    return render(request, "dashboard/pad_correct.html", context, status=422 if request.method == "POST" else 200)


def _as_form(play: Play, seats: Sequence[Seat]) -> dict[str, str]:
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
        if seat.seat in play.reported_winners:
            form[f"won-{seat.seat}"] = "1"
    return form


def _change(request: HttpRequest, play: Play, sheet: Sheet) -> bool:
    body = sheet.body()
    body.pop("not_counted_reason", None)
    if not sheet.is_readable:
        return False
    if play.record is None:
        figures = {*sheet.game.sheet_fields, "total"} | ({"cheque_cards"} if sheet.game.slug == "for-sale" else set())
        body["seats"] = [dict.fromkeys(figures) | seat for seat in body["seats"]]
        if play.level == "total":
            body.setdefault("reported_winners", [])  # figures, where there are some now, tell who won
    else:
        body["seats"] = [{"player": seat["player"]} for seat in body["seats"]]
        body.pop("first_seat")
    try:
        with transaction.atomic():
            services.change_play(play, user=_user(request), changes=PlayPatch.facts(body))
    except (APIException, rules.RuleError) as error:
        sheet.hold_against(refusal(error))
        return False
    return True


def _to_change(request: HttpRequest, pk: UUID, *, deleted: bool = False) -> tuple[Play, Membership]:
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


def _set_counts(request: HttpRequest, play: Play, role: Membership) -> str:
    counts = request.POST.get("counts") == "true"
    changes: dict[str, Any] = {"counts": counts, "accept_findings": True}
    changes["not_counted_reason"] = "" if counts else request.POST.get("reason", "").strip()[:300]
    services.change_play(play, user=_user(request), changes=changes)
    return _("This play counts again.") if counts else _("This play does not count any more.")


def _delete(request: HttpRequest, play: Play, role: Membership) -> str:
    services.delete_play(play, role)
    return _("The play is deleted; it can be restored.")


def _restore(request: HttpRequest, play: Play, role: Membership) -> str:
    services.restore_play(play, role)
    return _("The play is back.")


def _undo(request: HttpRequest, play: Play, role: Membership) -> str:
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


def may_remove(play: Play, role: Membership | None) -> bool:
    """Whether this member may delete and restore the play: its recorder and owners may."""
    return role is not None and (role.role == Role.OWNER or play.recorder_id == role.user_id)


def _user(request: HttpRequest) -> User:
    if not isinstance(request.user, User):
        raise Http404
    return request.user
