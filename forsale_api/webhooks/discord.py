"""A message in the form that Discord's own webhooks read: a card with the result, and no mention of anybody."""

import re
from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext, pgettext

from forsale_api import rules
from forsale_api.plays.serializers import in_language
from forsale_api.webhooks.models import TEST_EVENT, Webhook

_MARKDOWN = re.compile(r"([\\*_~`|>#\-\[\]()@:<])")


def _plain(text: str) -> str:
    """The text without effect as Markdown."""
    return _MARKDOWN.sub(r"\\\1", text)


def message(webhook: Webhook, event: str, data: Mapping[str, Any]) -> dict[str, Any]:
    """The body of a POST to Discord, in the language in force. `data` is that of the Standard Webhooks form."""
    if event == TEST_EVENT:
        card = {"title": gettext("It works: this channel hears of %(club)s.") % {"club": _plain(webhook.club.name)}}
    elif event == "simulation.finished":
        games = gettext("Games: %(games)d.") % {"games": data["request"]["games"]}
        card = {
            "title": gettext("A simulation is finished"),
            "description": games,
            "url": f"{webhook.site}/simulations/{data['id']}/",
        }
    elif "deleted_at" in data:
        card = {"title": gettext("A play of %(club)s was deleted.") % {"club": _plain(webhook.club.name)}}
    else:
        card = _play(webhook, event, data)
    return {"embeds": [card], "allowed_mentions": {"parse": []}}


def _play(webhook: Webhook, event: str, play: Mapping[str, Any]) -> dict[str, Any]:
    names = [seat["player"]["name"] for seat in play["seats"] if seat["is_winner"]]
    game = rules.GAMES[play["game"]]
    lines = [
        f"{seat['rank']}\\. {_plain(seat['player']['name'])}: **{seat['total']}**"
        for seat in sorted(play["seats"], key=lambda seat: (seat["rank"], seat["seat"]))
    ]
    title = pgettext("winners", "%(names)s: %(game)s") % {
        "names": ", ".join(_plain(name) for name in names),
        "game": in_language(game.names),
    }
    heads = {"play.changed": gettext("Corrected")}
    about = ", ".join(filter(None, [heads.get(event), _plain(webhook.club.name), _plain(play["played_on"])]))
    return {"title": f"🏆 {title}"[:256], "description": "\n".join([about, *lines]),
            "url": f"{webhook.site}/plays/{play['id']}/"}  # fmt: skip
