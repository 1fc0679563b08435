"""What members do with their club on pages: people and roles, invitations, players, seasons, settings."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db import transaction
from django.db.models import Count
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST, require_safe

from dashboard import sentences
from dashboard.views import ClubForm, signed_in_user
from forsale_api.api.problems import Problem
from forsale_api.clubs import invitations, seasons, services
from forsale_api.clubs.models import Invitation, Membership, Player, Role, Season
from forsale_api.clubs.serializers import time_zones
from forsale_api.plays import merging


def _member(request: HttpRequest, slug: str, *, owner: bool = False, lock: bool = False) -> Membership:
    """The reader's membership; for whoever is no member, or no owner where one is needed, there is no such page."""
    try:
        return (services.require_owner if owner else services.require_member)(signed_in_user(request), slug, lock=lock)
    except Problem as problem:
        raise Http404(str(problem.detail)) from problem


def _done(request: HttpRequest, slug: str, act: Callable[[], object], says: str, at: str = "") -> HttpResponse:
    """Does it and says so, or says why not; back to the page of the club's people."""
    try:
        act()
    except Problem as problem:
        messages.error(request, str(problem.detail))
    else:
        messages.success(request, says)
    return redirect(reverse("dashboard:club-people", args=[slug]) + at)


class InvitationForm(forms.Form):
    """A new invitation."""

    uses = forms.IntegerField(
        label=gettext_lazy("For how many people"), min_value=1, max_value=invitations.MOST_USES, initial=1
    )
    days = forms.TypedChoiceField(
        label=gettext_lazy("For how long"),
        coerce=int,
        choices=[("1", gettext_lazy("One day")), ("7", gettext_lazy("One week")), ("30", gettext_lazy("30 days"))],
        initial="7",
    )


class SeasonForm(forms.Form):
    """A season, new or changed."""

    name = forms.CharField(label=gettext_lazy("Name of the season"), max_length=100)
    first_day = forms.DateField(label=gettext_lazy("First day"), widget=forms.DateInput({"type": "date"}, "%Y-%m-%d"))
    last_day = forms.DateField(
        label=gettext_lazy("Last day"),
        widget=forms.DateInput({"type": "date"}, "%Y-%m-%d"),
        required=False,
        help_text=gettext_lazy("Leave it empty while the season goes on."),
    )


class SettingsForm(ClubForm):
    """All that an owner may change of a club but its address."""

    time_zone = forms.ChoiceField(
        label=gettext_lazy("Time zone"), help_text=gettext_lazy("Decides what day it is at the club’s tables.")
    )
    notes_public = forms.BooleanField(
        label=gettext_lazy("Show places and notes to whoever sees the plays"),
        help_text=gettext_lazy("Unticked, they are for members."),
        required=False,
    )
    field_order = ("name", "visibility", "time_zone")

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["time_zone"].choices = [(name, name.replace("_", " ")) for name in time_zones()]  # type: ignore[attr-defined]


class DeletionForm(forms.Form):
    """What ends a club: its name, typed in full."""

    name = forms.CharField(label=gettext_lazy("The name of the club, to be sure"))


# ---- the page ---------------------------------------------------------------------------------------


@login_required
@require_safe
def people(request: HttpRequest, slug: str) -> HttpResponse:
    mine = _member(request, slug)
    owns = mine.role == Role.OWNER
    members = list(mine.club.memberships.select_related("user").order_by("joined_at", "pk"))
    players = Player.objects.filter(club=mine.club, merged_into=None).select_related("user").order_by("name_key")
    context = {
        "club": mine.club,
        "mine": mine,
        "owns": owns,
        "members": members,
        "owners": sum(one.role == Role.OWNER for one in members),
        "players": players.annotate(played=Count("seats")),
        "me": Player.objects.filter(club=mine.club, user=mine.user_id).first(),
        "merges": merging.merges_of(mine.club)[:20],
        "seasons": seasons.seasons_of(mine.club),
        "invitations": [_shown(request, one) for one in invitations.open_invitations(mine.club)] if owns else [],
        "invitation_form": InvitationForm(auto_id="invite_%s"),
    }
    return render(request, "dashboard/club_people.html", context)


def _shown(request: HttpRequest, invitation: Invitation) -> dict[str, Any]:
    address = request.build_absolute_uri(reverse("dashboard:join", args=[invitation.code]))
    return {"invitation": invitation, "address": address, "left": invitation.uses - invitation.used}


# ---- members and invitations ------------------------------------------------------------------------


@login_required
@require_POST
def member_role(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    mine = _member(request, slug, owner=True)
    member = get_object_or_404(Membership.objects.select_related("club", "user"), club=mine.club, pk=pk)
    role = Role.OWNER if request.POST.get("role") == Role.OWNER else Role.MEMBER
    said = _("%(name)s is an owner now.") if role == Role.OWNER else _("%(name)s is a member now.")
    return _done(request, slug, lambda: services.change_role(member, role), said % {"name": member.user.get_username()})


@login_required
@require_POST
def member_remove(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    mine = _member(request, slug)
    member = get_object_or_404(Membership.objects.select_related("club", "user"), club=mine.club, pk=pk)
    if member.pk != mine.pk:
        _member(request, slug, owner=True)
        said = _("%(name)s is no member any more.") % {"name": member.user.get_username()}
        return _done(request, slug, lambda: services.remove_member(member), said)
    try:
        services.remove_member(member)
    except Problem as problem:
        messages.error(request, str(problem.detail))
        return redirect("dashboard:club-people", slug=slug)
    messages.success(request, _("You have left %(club)s.") % {"club": mine.club.name})
    return redirect("dashboard:clubs")


@login_required
@require_POST
def invitation_new(request: HttpRequest, slug: str) -> HttpResponse:
    mine = _member(request, slug, owner=True)
    form = InvitationForm(request.POST)
    if not form.is_valid():
        messages.error(request, " ".join(str(error) for errors in form.errors.values() for error in errors))
        return redirect("dashboard:club-people", slug=slug)

    def act() -> None:
        invitations.invite(mine.club, mine.user, **form.cleaned_data)

    return _done(request, slug, act, _("The link is ready: copy it and send it."), "#invitations")


@login_required
@require_POST
def invitation_revoke(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    mine = _member(request, slug, owner=True)
    found = get_object_or_404(Invitation, club=mine.club, pk=pk)
    return _done(request, slug, lambda: invitations.revoke(found), _("The link no longer works."), "#invitations")


# ---- players ----------------------------------------------------------------------------------------


@login_required
@require_POST
def player_act(request: HttpRequest, slug: str, pk: UUID, verb: str) -> HttpResponse:
    """Claim, give up, hide or show a player; the services decide who may."""
    mine = _member(request, slug)
    player = get_object_or_404(Player.objects.select_related("club"), club=mine.club, pk=pk, merged_into=None)
    acts: dict[str, tuple[Callable[[], object], str]] = {
        "claim": (lambda: services.claim_player(player, mine.user), _("You are %(name)s here.")),
        "unclaim": (lambda: services.unclaim_player(player, mine), _("%(name)s is a guest again.")),
        "hide": (lambda: services.hide_player(player, mine), _("The player goes by a pseudonym now.")),
        "show": (lambda: services.show_player(player, mine), _("The player has their name again.")),
    }
    if verb not in acts:
        raise Http404
    act, said = acts[verb]
    return _done(request, slug, act, said % {"name": player.name}, "#players")


@login_required
def player_merge(request: HttpRequest, slug: str, pk: UUID) -> HttpResponse:
    """Choose whom a player turned out to be, see what would happen, and let it."""
    mine = _member(request, slug, owner=True)
    others = Player.objects.filter(club=mine.club, merged_into=None).select_related("club", "user")
    gone = get_object_or_404(others, pk=pk)
    asked = (request.POST if request.method == "POST" else request.GET).get("into", "")
    choices = list(others.exclude(pk=gone.pk).order_by("name_key"))
    kept = next((player for player in choices if str(player.pk) == asked), None)
    if request.method == "POST" and kept is not None:
        said = _("%(gone)s is %(kept)s now. You can undo this here.") % {"gone": gone.name, "kept": kept.name}
        return _done(request, slug, lambda: merging.merge_players(gone, kept, mine.user), said, "#merges")
    plan = merging.preview(gone, kept) if kept else None
    context = {
        "club": mine.club,
        "gone": gone,
        "kept": kept,
        "choices": choices,
        "plan": plan,
        "obstacle": str(plan.obstacle.detail) if plan and plan.obstacle else "",
        "number": len(plan.plays) if plan else 0,
    }
    return render(request, "dashboard/player_merge.html", context)


@login_required
@require_POST
def merge_undo(request: HttpRequest, slug: str, pk: UUID) -> HttpResponse:
    mine = _member(request, slug, owner=True)

    def act() -> None:
        merging.undo_merge(merging.merge_of(mine.club, pk), mine.user)

    return _done(request, slug, act, _("They are two players again."), "#players")


# ---- seasons ----------------------------------------------------------------------------------------


@login_required
def season(request: HttpRequest, slug: str, pk: int | None = None) -> HttpResponse:
    """A new season, or one to change."""
    mine = _member(request, slug, owner=True)
    found = get_object_or_404(Season, club=mine.club, pk=pk) if pk is not None else None
    stored = {name: getattr(found, name) for name in ("name", "first_day", "last_day")} if found else {}
    form = SeasonForm(request.POST or None, initial=stored)
    if request.method == "POST" and form.is_valid():
        try:
            if found:
                seasons.change_season(found, **form.cleaned_data)
            else:
                seasons.add_season(mine.club, **form.cleaned_data)
        except Problem as problem:
            form.add_error(None, str(problem.detail))
        else:
            return redirect(reverse("dashboard:club-people", args=[slug]) + "#seasons")
    return render(request, "dashboard/season.html", {"club": mine.club, "season": found, "form": form})


@login_required
@require_POST
def season_delete(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    mine = _member(request, slug, owner=True)
    found = get_object_or_404(Season, club=mine.club, pk=pk)
    return _done(request, slug, found.delete, _("The season is gone; its plays are not."), "#seasons")


# ---- settings ---------------------------------------------------------------------------------------


@login_required
@transaction.atomic
def club_settings(request: HttpRequest, slug: str) -> HttpResponse:
    """What the club is called, who sees it, when its day begins."""
    club = _member(request, slug, owner=True, lock=request.method == "POST").club
    form = SettingsForm(request.POST or None, initial={name: getattr(club, name) for name in SettingsForm.base_fields})
    if request.method == "POST" and form.is_valid():
        services.change_club(club, **form.cleaned_data)
        messages.success(request, _("Saved."))
        return redirect("dashboard:club", slug=slug)
    return render(request, "dashboard/club_settings.html", {"club": club, "form": form})


@login_required
@transaction.atomic
def club_delete(request: HttpRequest, slug: str) -> HttpResponse:
    """The club goes for good once its name is typed."""
    club = _member(request, slug, owner=True, lock=request.method == "POST").club
    form = DeletionForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        if services.clean_name(form.cleaned_data["name"]) == club.name:
            services.delete_club(club)
            messages.success(request, _("%(club)s is gone, and with it all its plays.") % {"club": club.name})
            return redirect("dashboard:clubs")
        form.add_error("name", _("This is not the name of the club."))
    number = club.plays.filter(deleted_at=None).count()
    context = {"club": club, "form": form, "plays": sentences.number_of_plays(number)}
    return render(request, "dashboard/club_delete.html", context)
