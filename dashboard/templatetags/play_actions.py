"""What can be done with a play, as a part of its page."""

from typing import Any

from django import template
from django.urls import NoReverseMatch, reverse

from dashboard.play_edits import may_remove
from dashboard.sharing import bg_stats_link
from forsale_api.clubs.services import membership
from forsale_api.plays.undoing import last_change

register = template.Library()


@register.inclusion_tag("dashboard/parts/play_actions.html", takes_context=True)
def play_actions(context: dict[str, Any]) -> dict[str, Any]:
    """Hand on, embed, correct, not count, delete: what this reader may do with the page's play."""
    play, told, request = context["play"], context["told"], context["request"]
    role = membership(request.user, play.club)
    shows_notes = role is not None or play.club.notes_public
    return {
        "play": play,
        "told": told,
        "is_member": role is not None,
        "may_remove": may_remove(play, role),
        "bg_stats": bg_stats_link(told, shows_notes=shows_notes),
        "embed": _embed_address(request, play),
        "csrf_token": context.get("csrf_token"),
    }


def _embed_address(request: Any, play: Any) -> str:
    """Where the small form of the play may be framed, if the play is for everybody with its address."""
    if play.club.visibility == "private":
        return ""
    try:
        return str(request.build_absolute_uri(reverse("dashboard:embed-play", args=[play.pk])))
    except NoReverseMatch:
        return ""


@register.inclusion_tag("dashboard/parts/play_undo.html", takes_context=True)
def play_undo(context: dict[str, Any]) -> dict[str, Any]:
    """The button that takes the last change back, beside it in the history."""
    last = last_change(context["play"])
    return {"play": context["play"], "last": last, "change": context["change"], "csrf_token": context.get("csrf_token")}
