"""Tags and filters of the pages."""

import json
from collections.abc import Mapping
from datetime import date, datetime
from typing import Any

from django import template
from django.urls import reverse
from django.utils.html import conditional_escape, format_html, json_script
from django.utils.safestring import SafeString

from dashboard import embeds, sentences
from dashboard.figures import PALETTE
from dashboard.sentences import in_language
from forsale_api.plays.models import PlayChange
from forsale_api.rules import GAMES

register = template.Library()


@register.simple_tag(takes_context=True)
def nav_link(context: dict[str, Any], name: str, label: str, css: str, family: str = "") -> SafeString:
    """A link of a menu; the page one is on, those below it and those of its family (names apart by blanks) say so."""
    address = reverse(f"dashboard:{name}")
    path = context["request"].path
    others = [reverse(f"dashboard:{other}") for other in family.split()]
    here = path == address or path.startswith(tuple([address, *others] if name != "home" else others))
    current = format_html(' aria-current="{}"', "page" if path == address else "true") if here else ""
    return format_html('<a class="{}" href="{}"{}>{}</a>', css, address, current, label)


@register.simple_tag
def palette() -> SafeString:
    """Colours of the figures by token, for the script that swaps them for the theme's."""
    return json_script(dict(PALETTE), "palette")


@register.simple_tag(takes_context=True)
def embed_link(context: dict[str, Any]) -> str:
    """The link by which other sites find the frame of this page."""
    return embeds.discovery(context["request"])


@register.filter
def figure(value: Any, element_id: str) -> SafeString:
    """A figure as a JSON script element, which the live part of a page replaces."""
    script = json_script(value, element_id, encoder=_Compact)
    return SafeString(script.replace("<script ", '<script data-part="figure" ', 1))


class _Compact(json.JSONEncoder):
    """JSON without blanks."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**(options | {"separators": (",", ":")}))


@register.filter
def whole(value: Any) -> str:
    """A whole number with its thousands apart; what a template does not find is empty text."""
    return "–" if value in (None, "") else sentences.whole(value)


@register.filter
def decimal(value: Any, digits: int = 1) -> str:
    """A number with this many digits behind the decimal sign."""
    return "–" if value in (None, "") else sentences.decimal(value, digits)


@register.filter
def money(value: int | None) -> str:
    """Thousands of dollars, written out."""
    return "–" if value is None else sentences.money(value)


@register.filter
def dash(value: Any) -> Any:
    """The value, or a dash where there is none."""
    return "–" if value is None else value


@register.filter
def share(value: Any) -> str:
    """A share between 0 and 1 as per cent with two digits; what a template does not find is empty text."""
    return "–" if value in (None, "") else sentences.percent(value, 2)


@register.filter
def percent(value: float | None, digits: int = 0) -> str:
    """A share between 0 and 1 as per cent."""
    return "–" if value is None else sentences.percent(value, digits)


@register.filter
def share_interval(value: Mapping[str, Any]) -> str:
    """The interval of a share: 24 to 53 %."""
    return sentences.share_interval(value)


@register.filter
def variant_name(slug: str) -> str:
    """The name of a variant in the language of the reader."""
    return next(in_language(game.variants[slug]) for game in GAMES.values() if slug in game.variants)


@register.filter
def bot_name(slug: str) -> str:
    """The name of a bot in the language of the reader."""
    return sentences.bot_name(slug)


@register.filter
def typographic(text: Any) -> SafeString:
    """A text of somebody else, escaped, with the apostrophes of print."""
    return SafeString(conditional_escape(text).replace("&#x27;", "’"))


@register.filter
def named(names: Mapping[str, str], slug: str) -> str:
    """The name that goes with a slug."""
    return names.get(slug, slug)


@register.filter
def unlocalized(value: Any) -> str:
    """A number to be copied into a request: no signs between its digits."""
    return str(value)


@register.filter
def change_says(change: PlayChange) -> str:
    """One line of a play's history."""
    return sentences.change_says(change.action, change.user.get_username() if change.user else "")


@register.filter
def moment(value: datetime | None) -> str:
    """When: 28 November 2026, 21:41."""
    return sentences.moment(value) if value else ""


@register.filter
def day(value: date | datetime | None) -> str:
    """Which day: 28 November 2026."""
    return sentences.day(value) if value else ""
