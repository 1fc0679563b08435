"""The examples in the OpenAPI document: each request is sent, and answered as its example says, word for word.

`.ci/contract` writes them from what is answered here; ids, stamps and secrets are made the same each time.
"""

import json
import os
import re
from typing import Any

import pytest
from django.db.migrations.recorder import MigrationRecorder
from jsonschema import Draft202012Validator

from forsale_api.api.contract import schema
from forsale_api.api.schema import EXAMPLES, STATUS_SLUGS, examples
from forsale_api.webhooks import services
from forsale_api.webhooks.models import Delivery
from tests.api_asks import OWN_ID, Operation, as_owner, operations, play_all_games, send, sheet, text_of
from tests.world import World, undone, world  # noqa: F401  the fixture

CLUB = "public"
RUN = "Run .ci/contract and commit what it writes."
SHOWN = [
    (re.compile(r"http://testserver"), "https://forsale.example.org"),
    (re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[\d.]*Z"), "2026-11-20T20:41:07.123456Z"),
    (re.compile(r"whsec_[\w+/=]+"), "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"),
    (re.compile(r'(?<="id":)\d+'), "1"),
    (re.compile(r'(?<="fs_)[\w-]{5}(?=")'), "k3Jq0"),
    (re.compile(r"Incognito \w{6}"), "Incognito 4SZJ7J"),
    (re.compile(r'(?<=/join/)[\w-]{22}|(?<="code":")[\w-]{22}(?=","url":)'), "dRk7Qp2vSxYb5nMw0aZ1tg"),
]
UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}|msg_[0-9a-f]{32}")
STREAMS = {"application/x-ndjson", "text/csv", "text/html"}


class Shown:
    """What is sent and answered, with what differs each time made the same: the things of the world come first."""

    def __init__(self, mine: dict[str, str]) -> None:
        self.known = {value: number for number, value in enumerate(mine.values(), 1) if UUID.fullmatch(value)}

    def text(self, text: str) -> str:
        for pattern, same in SHOWN:
            text = pattern.sub(same, text)
        return UUID.sub(self._same_id, text)

    def _same_id(self, found: re.Match[str]) -> str:
        number = self.known.setdefault(found[0], 20 + len(self.known))
        same = f"019ace24-0000-7000-8000-{number:012}"
        return "msg_" + same.replace("-", "") if found[0].startswith("msg_") else same

    def json(self, data: Any) -> Any:
        for found in UUID.finditer(json.dumps(data, sort_keys=True)):  # numbered alike on every database
            self._same_id(found)
        text = self.text(json.dumps(data, ensure_ascii=False, separators=(",", ":")))
        return json.loads(text, parse_float=lambda digits: round(float(digits), 6))  # the last digits are the machine's

    def answer(self, answer: Any) -> Any:
        text = text_of(answer)
        return self.text(text) if answer["Content-Type"].split(";")[0] in STREAMS else self.json(json.loads(text))


def shown_operation(world: World, operation: Operation) -> dict[str, Any]:  # noqa: F811
    """By status, the request and what it was answered."""
    found: dict[str, Any] = {}
    for status in operation.good:
        with undone():
            shown, example = Shown(world.things[CLUB]), {}
            body, answer = send(world, operation, status, CLUB)
            assert answer.status_code == status, text_of(answer)
            if operation.takes:
                example["request"] = shown.json(body)
            if answer.status_code != 204:
                example["answer"] = shown.answer(answer)
        if example:
            found[str(status)] = example
    return found


def shown_problems(world: World, settings: Any) -> dict[str, Any]:  # noqa: F811
    """A problem of every kind, as somebody is answered it."""
    owner, stranger, anonymous = (world.clients[role] for role in ("owner", "stranger", "anonymous"))
    mine = world.things[CLUB]
    slug, play = mine["slug"], f"/api/v1/plays/{mine['plays']}/"
    good = json.loads(json.dumps(sheet()).replace("{slug}", slug))

    def too_often() -> Any:
        settings.API_LIMITS = {"address": (1, 60)}
        return [anonymous.get("/api/v1/games/", REMOTE_ADDR="192.0.2.1") for _ in range(2)][1]

    def not_ready() -> Any:
        MigrationRecorder.Migration.objects.filter(app="clubs").delete()
        return anonymous.get("/readyz")

    ways = {
        "bad-request": lambda: owner.post("/api/v1/plays/", {**good, "noted": "a misspelt field"}),
        "not-authenticated": lambda: anonymous.post("/api/v1/plays/", good),
        "forbidden": lambda: stranger.patch(play, {"duration_minutes": 30}),
        "not-found": lambda: stranger.get(f"/api/v1/plays/{world.things['private']['plays']}/"),
        "not-acceptable": lambda: anonymous.get("/api/v1/games/", HTTP_ACCEPT="image/png"),
        "conflict": lambda: [owner.post("/api/v1/plays/", {**good, "id": OWN_ID, "notes": n}) for n in "ab"][1],
        "stale": lambda: owner.patch(play, {"duration_minutes": 30}, HTTP_IF_MATCH='"an-older-state"'),
        "too-large": lambda: owner.post("/api/v1/plays/", {**good, "notes": "x" * (5 * 2**20)}),
        "unsupported-media-type": lambda: owner.post("/api/v1/plays/", "<play/>", content_type="application/xml"),
        "against-the-rules": lambda: owner.post("/api/v1/plays/", {**good, "first_seat": 4}),
        "too-many-requests": too_often,
        "not-ready": not_ready,
    }
    found = {}
    for slug_of_problem, way in ways.items():
        with undone():
            answer = way()
            assert STATUS_SLUGS[answer.status_code] == slug_of_problem, text_of(answer)
            found[slug_of_problem] = Shown(mine).answer(answer)
    return found


def shown_messages(world: World) -> dict[str, Any]:  # noqa: F811
    """A message of every event, as it is sent."""
    mine = world.things[CLUB]
    found: dict[str, Any] = {}

    def note() -> None:
        while services.fan_out():
            pass
        for delivery in Delivery.objects.filter(webhook=mine["webhooks"]).order_by("pk"):
            found.setdefault(delivery.event, Shown(mine).json(services.standard_message(delivery)))

    with undone():
        as_owner("patch", "plays/{plays}/", {"duration_minutes": 30})(world, mine)
        play_all_games(world, mine)
        note()
        as_owner("delete", "plays/{plays}/")(world, mine)
        note()
    return found


@pytest.mark.slow
def test_every_operation_has_examples_that_are_what_is_really_sent_and_answered(
    world: World,  # noqa: F811
    db: Any,
    settings: Any,
) -> None:
    seen = {
        "operations": {operation.id: shown_operation(world, operation) for operation in operations()},
        "problems": shown_problems(world, settings),
        "webhooks": shown_messages(world),
    }
    if "RECORD_EXAMPLES" in os.environ:
        EXAMPLES.write_text(json.dumps(seen, ensure_ascii=False, indent=1) + "\n")
        examples.cache_clear()
    stored = examples()
    for kind, found in seen.items():
        assert found.keys() == stored[kind].keys(), RUN
        for name, example in found.items():
            assert example == stored[kind][name], f"{name}: {RUN}"


def test_every_body_every_answer_and_every_problem_of_the_document_has_one() -> None:
    whole = schema()
    parts = {f"webhook {event}": methods["post"]["requestBody"] for event, methods in whole["webhooks"].items()}
    parts |= {f"problem {slug}": response for slug, response in whole["components"]["responses"].items()}
    for operation in (operation for methods in whole["paths"].values() for operation in methods.values()):
        parts[f"body of {operation['operationId']}"] = operation.get("requestBody", {})
        for status, answer in operation["responses"].items():
            parts[f"{status} of {operation['operationId']}"] = answer
    assert parts
    assert not [name for name, part in parts.items() if part.get("content") and not examples_of(part)]


def examples_of(part: dict[str, Any]) -> list[tuple[Any, Any]]:
    """Examples of a body or an answer, each with its schema; of a stream, of its lines."""
    found = []
    for kind, media in part.get("content", {}).items():
        for example in media.get("examples", {}).values():
            value = example["value"]
            lines = value.splitlines() if kind == "application/x-ndjson" and isinstance(value, str) else None
            found += [(json.loads(line), media["schema"]) for line in lines] if lines else [(value, media["schema"])]
    return found


def test_examples_are_as_their_schemas_say() -> None:
    whole = schema()
    parts = [methods["post"]["requestBody"] for methods in whole["webhooks"].values()]
    parts += whole["components"]["responses"].values()
    for methods in whole["paths"].values():
        for operation in methods.values():
            parts += [operation.get("requestBody", {}), *operation["responses"].values()]
    pairs = [pair for part in parts for pair in examples_of(part)]
    assert len(pairs) > 100
    for value, its_schema in pairs:
        checked = Draft202012Validator({**its_schema, "components": whole["components"]})
        assert not [error.message for error in checked.iter_errors(value)], value
