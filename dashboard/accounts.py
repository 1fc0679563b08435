"""Pages of one's own: the account, tokens and apps, invitations, the plays one sat in.

Logging in, signing up, passwords and passkeys are django-allauth's pages, in our templates.
"""

from datetime import timedelta
from typing import Any

from allauth.account.decorators import reauthentication_required
from django import forms
from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.decorators import login_required
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST, require_safe

from dashboard.play_facts import Told
from dashboard.views import PAGE, place_in_list, place_of, ready, signed_in_user
from forsale_api.api.permissions import SCOPES
from forsale_api.api.problems import Problem
from forsale_api.clubs import accounts, invitations, oauth, services
from forsale_api.clubs.models import Membership, Player, Token
from forsale_api.plays.models import Play, Seat

# ---- the account ------------------------------------------------------------------------------------


@login_required
@require_safe
def account(request: HttpRequest) -> HttpResponse:
    user = signed_in_user(request)
    context = {
        "memberships": Membership.objects.filter(user=user).select_related("club").order_by("club__name"),
        "players": Player.objects.filter(user=user).select_related("club").order_by("club__name"),
    }
    return render(request, "dashboard/accounts/account.html", context)


class DeletionForm(forms.Form):
    """What ends an account: its name, typed in full."""

    username = forms.CharField(label=gettext_lazy("Your name on this site, to be sure"))


@login_required
@reauthentication_required  # type: ignore[untyped-decorator]
def account_delete(request: HttpRequest) -> HttpResponse:
    user = signed_in_user(request)
    form = DeletionForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        if form.cleaned_data["username"] != user.get_username():
            form.add_error("username", _("This is not your name."))
        else:
            try:
                accounts.delete_account(user)
            except Problem as problem:
                form.add_error(None, str(problem.detail))
            else:
                logout(request)
                messages.success(request, _("Your account is gone. The plays stay with their clubs."))
                return redirect("dashboard:home")
    context = {"form": form, "unsettled": accounts.clubs_to_settle(user)}
    return render(request, "dashboard/accounts/delete.html", context)


@login_required
@require_safe
def my_plays(request: HttpRequest) -> HttpResponse:
    """The plays that the reader sat in, in whichever club, latest first."""
    user = signed_in_user(request)
    me = Player.objects.filter(user=user)
    visible = services.visible_clubs(user)
    sat = Seat.objects.filter(player__in=me).values("play")
    found = ready(Play.objects.filter(pk__in=sat, club__in=visible))
    place = place_of(request.GET.get("before", ""))
    if place:
        found = found.filter(Q(played_on__lt=place[0]) | Q(played_on=place[0], pk__lt=place[1]))
    page = list(found[: PAGE + 1])
    mine = Seat.objects.filter(player__in=me, play__deleted_at=None, play__club__in=visible)
    context = {
        "players": me.select_related("club").order_by("club__name"),
        "plays": [Told(play) for play in page[:PAGE]],
        "older": f"before={place_in_list(page[PAGE - 1])}" if len(page) > PAGE else "",
        "further_down": bool(place),
        "number": mine.count(),
        "won": mine.filter(is_winner=True).count(),
    }
    return render(request, "dashboard/accounts/my_plays.html", context)


# ---- tokens and apps --------------------------------------------------------------------------------


class TokenForm(forms.Form):
    """A new personal token."""

    name = forms.CharField(label=gettext_lazy("What it is for"), max_length=100)
    scopes = forms.MultipleChoiceField(label=gettext_lazy("What it may do"), widget=forms.CheckboxSelectMultiple)
    days = forms.ChoiceField(label=gettext_lazy("How long"), required=False)

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["scopes"].choices = [(scope, f"{scope}: {_scope_says(scope)}") for scope in SCOPES]  # type: ignore[attr-defined]
        self.fields["days"].choices = [("90", _("90 days")), ("365", _("One year")), ("", _("Until revoked"))]  # type: ignore[attr-defined]


def _scope_says(scope: str) -> str:
    return {
        "plays:read": _("read plays and statistics"),
        "plays:write": _("log, correct and delete plays"),
        "simulations:write": _("start simulations"),
        "club:admin": _("change clubs, members and players"),
    }[scope]


@login_required
def tokens(request: HttpRequest) -> HttpResponse:
    user = signed_in_user(request)
    form = TokenForm(request.POST or None, initial={"scopes": ["plays:read", "plays:write"], "days": "90"})
    secret = ""
    if request.method == "POST" and form.is_valid():
        days = form.cleaned_data["days"]
        expires = timezone.now() + timedelta(days=int(days)) if days else None
        _token, secret = services.make_token(user, form.cleaned_data["name"], form.cleaned_data["scopes"], expires)
        form = TokenForm(initial={"scopes": ["plays:read", "plays:write"], "days": "90"})
    context = {
        "form": form,
        "tokens": Token.objects.filter(user=user, revoked_at=None),
        "secret": secret,
        "apps": oauth.apps_allowed_by(user),
    }
    return _once(render(request, "dashboard/accounts/tokens.html", context))


def _once(response: HttpResponse) -> HttpResponse:
    """A page with a secret on it is kept nowhere."""
    response["Cache-Control"] = "no-store"
    return response


@login_required
@require_POST
def token_revoke(request: HttpRequest, pk: int) -> HttpResponse:
    token = get_object_or_404(Token, pk=pk, user=signed_in_user(request))
    services.revoke_token(token)
    messages.success(request, _("%(name)s no longer works.") % {"name": token.name})
    return redirect("dashboard:tokens")


@login_required
@require_POST
def app_disallow(request: HttpRequest, pk: str) -> HttpResponse:
    oauth.disallow_app(signed_in_user(request), pk)
    messages.success(request, _("The app no longer acts for you."))
    return redirect("dashboard:tokens")


class AppForm(forms.Form):
    """A new app of a developer."""

    name = forms.CharField(
        label=gettext_lazy("Name of the app"), max_length=100, help_text=gettext_lazy("Members read it when asked.")
    )
    redirect_uris = forms.CharField(
        label=gettext_lazy("Where members are sent back to"),
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=gettext_lazy("One address a line: https, http on localhost, or a scheme of the app’s own."),
    )
    confidential = forms.BooleanField(
        label=gettext_lazy("It runs on a server and can keep a secret"),
        required=False,
        help_text=gettext_lazy("Leave it unticked for apps on phones, desktops and web pages."),
    )


@login_required
def apps(request: HttpRequest) -> HttpResponse:
    """The apps that a developer has registered."""
    user = signed_in_user(request)
    form = AppForm(request.POST or None)
    made, secret = None, ""
    if request.method == "POST" and form.is_valid():
        try:
            made, secret = oauth.register_app(
                user,
                name=form.cleaned_data["name"],
                redirect_uris=form.cleaned_data["redirect_uris"].split(),
                confidential=form.cleaned_data["confidential"],
            )
        except Problem as problem:
            form.add_error("redirect_uris", str(problem.detail))
        else:
            form = AppForm()
    context = {"form": form, "apps": oauth.apps_of(user), "made": made, "secret": secret}
    return _once(render(request, "dashboard/accounts/apps.html", context))


@login_required
@require_POST
def app_delete(request: HttpRequest, pk: str) -> HttpResponse:
    app = get_object_or_404(oauth.apps_of(signed_in_user(request)), pk=pk)
    app.delete()
    messages.success(request, _("%(name)s is gone, and with it all that it was allowed.") % {"name": app.name})
    return redirect("dashboard:apps")


# ---- invitations ------------------------------------------------------------------------------------


def join(request: HttpRequest, code: str) -> HttpResponse:
    """Where an invitation link leads: what one is invited to, and the button that joins."""
    found = invitations.usable(code)
    if found is None and request.user.is_authenticated:
        mine = Membership.objects.filter(user=signed_in_user(request), club__invitations__code=code).first()
        if mine is not None:  # who has joined by it may follow it again
            return redirect("dashboard:club", slug=mine.club.slug)
    if found is None:
        return render(request, "dashboard/accounts/join.html", {"over": True}, status=404)
    if not request.user.is_authenticated:
        request.session[accounts.INVITATION] = code  # lets its visitor sign up where accounts are by invitation
        here = reverse("dashboard:join", args=[code])
        return render(request, "dashboard/accounts/join.html", {"club": found.club, "here": here})
    user = signed_in_user(request)
    is_member = services.membership(user, found.club) is not None
    if request.method == "POST" and not is_member:
        try:
            invitations.accept(code, user)
        except Problem:  # its last use was somebody else's, a moment ago
            return render(request, "dashboard/accounts/join.html", {"over": True}, status=404)
        request.session.pop(accounts.INVITATION, None)
        messages.success(request, _("Welcome to %(club)s.") % {"club": found.club.name})
        is_member = True
    if is_member:
        return redirect("dashboard:club", slug=found.club.slug)
    return render(request, "dashboard/accounts/join.html", {"club": found.club})
