"""The messages of webhooks in the OpenAPI document: what a receiver is posted, and what it should answer."""

from typing import Any

from forsale_api.webhooks.models import EVENTS, TEST_EVENT

WHEN = {
    "play.created": "A play was logged.",
    "play.changed": "A play was corrected or restored.",
    "play.deleted": "A play was deleted.",
    "simulation.finished": "A simulation that a member of the club asked for has ended.",
    TEST_EVENT: "An owner asked for a message to see whether it arrives.",
}
SIGNED = (
    "In the form `standard`; `discord` is a card for a Discord channel. Signed as Standard Webhooks says. A message "
    "may come twice and out of order: keep the `webhook-id` of those you have dealt with, and the higher `version` of "
    "a play."
)
HEADERS = {
    "webhook-id": "The same in every attempt",
    "webhook-timestamp": "Of this attempt, in seconds since 1970; refuse what is older than five minutes",
    "webhook-signature": "`v1,` and the Base64 of HMAC-SHA256 over id, timestamp and body, joined by dots; for a day "
    "after a rotation there are two, with a blank between",
}


def _whole(**properties: Any) -> dict[str, Any]:
    """An object that has all of these."""
    return {"type": "object", "required": list(properties), "properties": properties}


UUID, STAMP = {"type": "string", "format": "uuid"}, {"type": "string", "format": "date-time"}
CLUB = {"type": "string", "description": "The slug of the club"}
GONE = _whole(id=UUID, deleted_at=STAMP, club=CLUB) | {"description": "A play that is deleted by now"}
PLAY = {"anyOf": [{"$ref": "#/components/schemas/Play"}, GONE]}
DATA = {
    "play.created": PLAY,
    "play.changed": PLAY,
    "play.deleted": PLAY,  # restored by the time it is told
    "simulation.finished": _whole(
        id=UUID, status={"type": "string", "enum": ["finished"]}, request={"$ref": "#/components/schemas/Request"}
    ),
    TEST_EVENT: _whole(club=CLUB, webhook=UUID),
}


def _operation(event: str) -> dict[str, Any]:
    message = _whole(type={"type": "string", "enum": [event]}, timestamp=STAMP, data=DATA[event])
    return {
        "operationId": event.replace(".", "_"),
        "description": f"{WHEN[event]} {SIGNED}",
        "tags": ["webhooks"],
        "parameters": [
            {"in": "header", "name": name, "required": True, "schema": {"type": "string"}, "description": text}
            for name, text in HEADERS.items()
        ],
        "requestBody": {"required": True, "content": {"application/json": {"schema": message}}},
        "responses": {
            "2XX": {"description": "Taken."},
            "410": {"description": "Never again: the webhook is switched off."},
            "default": {"description": "Not taken: tried again for about a day, no sooner than Retry-After says."},
        },
    }


def add_webhooks(result: dict[str, Any], generator: Any, request: Any, public: bool) -> dict[str, Any]:
    """Describes each event as a request to the receiver."""
    result["webhooks"] = {event: {"post": _operation(event)} for event in (*EVENTS, TEST_EVENT)}
    return result
