"""Webhooks on pages: an owner registers addresses, sees what was sent to them, and sends it again."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import get_language, gettext_lazy
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from dashboard.views import signed_in_user
from forsale_api.api.problems import Problem
from forsale_api.clubs.models import Club
from forsale_api.clubs.services import require_owner
from forsale_api.webhooks import services
from forsale_api.webhooks.models import Delivery, Webhook

LOG = 10
"""Messages shown of each address."""


class WebhookForm(forms.Form):
    """A new address."""

    url = forms.URLField(
        label=gettext_lazy("Address"),
        max_length=500,
        assume_scheme="https",
        help_text=gettext_lazy("It begins with https://. For a Discord channel, the address of its webhook."),
    )
    events = forms.MultipleChoiceField(
        label=gettext_lazy("Told of"),
        widget=forms.CheckboxSelectMultiple,
        initial=["play.created", "play.changed", "play.deleted"],
        choices=[
            ("play.created", gettext_lazy("plays that are logged")),
            ("play.changed", gettext_lazy("plays that are corrected or restored")),
            ("play.deleted", gettext_lazy("plays that are deleted")),
            ("simulation.finished", gettext_lazy("simulations that members asked for, once they are finished")),
        ],
    )
    form = forms.ChoiceField(
        label=gettext_lazy("Form"),
        choices=[
            ("standard", gettext_lazy("signed JSON, for programs")),
            ("discord", gettext_lazy("a card, for a Discord channel")),
        ],
    )
    language = forms.ChoiceField(label=gettext_lazy("Language"), choices=[("en", "English"), ("fr", "Français")])


def _own_club(request: HttpRequest, slug: str) -> Club:
    """The reader's own club; for whoever owns no such club there is no such page."""
    try:
        return require_owner(signed_in_user(request), slug).club
    except Problem as problem:
        raise Http404(str(problem.detail)) from problem


@login_required
def webhooks(request: HttpRequest, slug: str) -> HttpResponse:
    """The club's addresses with their latest messages, and a form for another."""
    club = _own_club(request, slug)
    form = WebhookForm(request.POST or None, initial={"language": get_language()})
    made = None
    if request.method == "POST" and form.is_valid():
        try:
            made = services.register(club=club, site=request.build_absolute_uri("/")[:-1], **form.cleaned_data)
        except Problem as problem:
            form.add_error(None, str(problem.detail))
        else:
            form = WebhookForm()
    return _page(request, club, form, made)


def _page(request: HttpRequest, club: Club, form: WebhookForm, fresh: Webhook | None) -> HttpResponse:
    """`fresh` is the one whose secret is shown this once."""
    found = [(hook, _latest(hook)) for hook in Webhook.objects.filter(club=club).order_by("created_at")]
    words = dict(WebhookForm.base_fields["events"].choices)  # type: ignore[attr-defined]
    shown = [(hook, log, [words[event] for event in hook.events]) for hook, log in found]
    return render(request, "dashboard/webhooks.html", {"club": club, "form": form, "webhooks": shown, "fresh": fresh})


def _latest(hook: Webhook) -> list[tuple[Delivery, Any]]:
    log = hook.deliveries.prefetch_related("attempts").order_by("-created_at", "-pk")[:LOG]
    return [(delivery, next(iter(sorted(delivery.attempts.all(), key=lambda one: -one.pk)), None)) for delivery in log]


@login_required
@require_POST
def webhook_act(request: HttpRequest, slug: str, pk: UUID, verb: str) -> HttpResponse:
    """Test, rotate, switch on or off, or delete an address."""
    club = _own_club(request, slug)
    hook = get_object_or_404(Webhook.objects.select_related("club"), club=club, pk=pk)
    if verb == "rotate":
        return _page(request, club, WebhookForm(), services.rotate(hook))
    acts: dict[str, tuple[Callable[[], object], str]] = {
        "test": (lambda: services.send_test(hook), _("A test message is on its way.")),
        "on": (lambda: services.change(hook, {"active": True}), _("It is on.")),
        "off": (lambda: services.change(hook, {"active": False}), _("It is off.")),
        "delete": (hook.delete, _("It is deleted.")),
    }
    if verb not in acts:
        raise Http404
    return _done(request, slug, *acts[verb])


@login_required
@require_POST
def webhook_redeliver(request: HttpRequest, slug: str, pk: UUID) -> HttpResponse:
    """Send a message once more."""
    found = Delivery.objects.select_related("webhook")
    delivery = get_object_or_404(found, webhook__club=_own_club(request, slug), pk=pk)
    return _done(request, slug, lambda: services.redeliver(delivery), _("The message is on its way once more."))


def _done(request: HttpRequest, slug: str, act: Callable[[], object], says: str) -> HttpResponse:
    try:
        act()
    except Problem as problem:
        messages.error(request, str(problem.detail))
    else:
        messages.success(request, says)
    return redirect("dashboard:webhooks", slug=slug)
