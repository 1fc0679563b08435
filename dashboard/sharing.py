"""A play for other places: the link that hands it to the BG Stats app."""

import json
from typing import Any
from urllib.parse import quote

from dashboard.play_facts import Told

APP = "bgstats://app.bgstatsapp.com/createPlay.html?data="
BGG_IDS = {"for-sale": 172}
"""The games' numbers on BoardGameGeek, by which the app finds them in its own collection."""


def bg_stats_link(told: Told, *, shows_notes: bool) -> str:
    """The address that opens BG Stats with this play filled in; the app updates a play that it got before.

    Place and notes go along only where the reader may see them.
    """
    play = told.play
    at = play.played_at.strftime("%H:%M:%S") if play.played_at else "10:00:00"  # the app's own "time unknown"
    game: dict[str, Any] = {
        "name": told.game.names["en"],
        "sourceGameId": play.game,
        "highestWins": True,
        "noPoints": False,
    }
    if play.game in BGG_IDS:
        game["bggId"] = BGG_IDS[play.game]
    data: dict[str, Any] = {
        "sourceName": "House & Cheque",
        "sourcePlayId": str(play.pk),
        "playDate": f"{play.played_on} {at}",
        "durationMin": play.duration_minutes or 0,
        "location": play.location if shows_notes else "",
        "comments": told.reason_sentence,
        "board": told.variant if len(told.game.variants) > 1 else "",
        "game": game,
        "players": [
            {
                "name": seat["player"]["name"],
                "sourcePlayerId": str(seat["player"]["id"]),
                "score": seat["total"],
                "rank": seat["rank"],
                "winner": seat["is_winner"],
                "startPlayer": seat["seat"] == play.first_seat,
            }
            for seat in told.facts["seats"]
        ],
    }
    if shows_notes and play.notes:
        data["comments"] = f"{data['comments']}\n{play.notes}"
    return APP + quote(json.dumps(data, ensure_ascii=False, separators=(",", ":")), safe="")
