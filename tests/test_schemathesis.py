"""Schemathesis: what the schema says and what the API does, by everybody of the cast, with made-up requests."""

import json
import os
import re
from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from django.core.handlers.wsgi import WSGIHandler
from django.core.signals import request_finished, request_started
from django.db import close_old_connections
from hypothesis import HealthCheck, Phase, settings
from schemathesis.checks import CHECKS
from schemathesis.config import SchemathesisConfig

from forsale_api.api.service import schema_in
from tests.world import BACKSTAGE, ROLES, SECRET, World, undone, world  # noqa: F401  the fixture

# Not asked: whether a deleted object is gone and a made one there (one example knows nothing of another), and whether
# the server insists on a caller (test by test, with codes, in the files of each subject).
LEFT_OUT = {"use_after_free", "ensure_resource_availability", "ignored_auth", "object_level_authorization"}
# The assertion at the end of `call` is sharper than this one.
LEFT_OUT |= {"positive_data_acceptance"}
# A request the schema allows is answered 400 only for what no schema can say: which edition, variant and number of
# players go together, which figures a game has, which bots there are, which filters go together, which cursors were
# handed out, what is an address.
BEYOND_THE_SCHEMA = {
    "bad-address", "bad-cursor", "banknotes-out-of-range", "bot-named-twice", "deals-out-of-range",
    "edition-not-offered", "figure-missing", "figure-of-another-game", "filter-of-plays", "filter-of-simulations",
    "game-not-simulated", "no-such-opener", "player-needs-club", "players-not-offered", "record-not-offered",
    "rounds-left-out-of-range", "rounds-out-of-range", "source-incomplete", "unknown-bot", "unknown-edition",
    "unknown-game", "unknown-variant", "variant-not-offered", "wrong-number-of-bots", "wrong-number-of-houses",
    "wrong-number-of-seats",
}  # fmt: skip

# Of a change no schema knows what was there before: only seats that were there keep a player whom they do not name, and
# a play that counts takes no reason for not counting.
SEAT_OF_NOBODY = re.compile("/seats/[0-9]+/player")
OF_WHAT_WAS_THERE = {"reason-without-effect"}


@schemathesis.serializer("application/x-ndjson")
def one_line(context: Any, value: Any) -> bytes:
    return json.dumps(value).encode() + b"\n"


QUICK = settings(
    max_examples=2,
    deadline=None,
    derandomize=True,
    database=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)
CASES = int(os.environ.get("SCHEMATHESIS_CASES", "100"))
"""Of an operation, in the slow tests; before a release 2,000."""
STEPS = 8
THOROUGH = settings(QUICK, max_examples=CASES)


def api(*, coverage: bool) -> schemathesis.BaseSchema:
    config = SchemathesisConfig.from_dict(
        {
            "generation": {"with-security-parameters": False},  # who asks is said below
            "phases": {"coverage": {"enabled": coverage}},
            "checks": {"negative_data_rejection": {"expected-statuses": ["4xx"]}},
        }
    )
    schema = schemathesis.openapi.from_dict(dict(schema_in("en")), config=config)
    schema.app = WSGIHandler()
    return schema


@pytest.fixture
def connection_kept(world: World, db: Any) -> Iterator[None]:  # noqa: F811
    """The end of a request must not close the connection that holds the test's transaction (as in Django's client)."""
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    yield
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


class Sender:
    """Sends made-up requests as the cast, who may least first, and checks each answer."""

    def __init__(self, world: World) -> None:  # noqa: F811
        self.world = world
        self.headers = {role: {"Accept-Encoding": "identity", **world.headers(role)} for role in reversed(ROLES)}
        self.checks = [check for check in CHECKS.get_all() if check.__name__ not in LEFT_OUT]

    def by(self, role: str, case: schemathesis.Case) -> Any:
        """What somebody is answered, checked."""
        response = case.call(headers=self.headers[role])
        checks = self.checks
        if response.headers.get("content-type") == ["application/x-ndjson"] and negated(case, "body"):
            # A wrong line is answered in a line of its own.
            checks = [check for check in checks if check.__name__ != "negative_data_rejection"]
            assert all(json.loads(line)["status"] >= 400 for line in response.text.splitlines()), response.text
        case.validate_response(response, checks=checks, headers=self.headers[role])
        if role in ("stranger", "anonymous") and not case.operation.path.startswith("/api/v1/invitations/"):
            assert SECRET not in response.text, f"{role} sees a private club: {response.text}"
            assert BACKSTAGE not in response.text, f"{role} sees what is for members: {response.text}"
        if response.status_code == 400 and case.meta and case.meta.generation.mode.is_positive:
            wrong = {
                error["code"]
                for error in response.json()["errors"]
                if not (case.method == "PATCH" and SEAT_OF_NOBODY.fullmatch(error["pointer"]))
            } - (BEYOND_THE_SCHEMA | OF_WHAT_WAS_THERE if case.method == "PATCH" else BEYOND_THE_SCHEMA)
            assert not wrong, f"the schema allows what the API refuses: {response.text}\n{case.as_curl_command()}"
        return response

    def about_what_there_is(self, case: schemathesis.Case) -> None:
        """Has the request be about things that there are, of the private club, where it was not made wrong there."""
        there = self.world.values(case.operation.path, "private")
        for place, part in (("path", case.path_parameters), ("query", case.query), ("body", case.body)):
            if isinstance(part, dict) and not negated(case, place):
                known = there if place == "path" else {"club": there_is(self.world)}
                part.update({name: value for name, value in known.items() if name in part})


def there_is(world: World) -> str:  # noqa: F811
    return world.things["private"]["slug"]


def negated(case: schemathesis.Case, location: str) -> bool:
    """Whether this part of the request was made wrong on purpose."""
    components = case.meta.components if case.meta else {}
    return any(str(place.value) == location and part.mode.is_negative for place, part in components.items())


@pytest.fixture
def sender(world: World, connection_kept: None) -> Sender:  # noqa: F811
    return Sender(world)


def send_by_all(case: schemathesis.Case, sender: Sender) -> None:
    sender.about_what_there_is(case)
    with undone():
        for role in sender.headers:
            sender.by(role, case)


@api(coverage=False).parametrize()
@QUICK
def test_api_and_schema_agree(case: schemathesis.Case, sender: Sender) -> None:
    send_by_all(case, sender)


@pytest.mark.slow
@api(coverage=False).parametrize()
@THOROUGH
def test_api_and_schema_agree_over_many_requests(case: schemathesis.Case, sender: Sender) -> None:
    send_by_all(case, sender)


@pytest.mark.long
@api(coverage=True).parametrize()
@QUICK
def test_api_and_schema_agree_on_every_kind_of_wrong_value(case: schemathesis.Case, sender: Sender) -> None:
    send_by_all(case, sender)


@pytest.mark.slow
@pytest.mark.parametrize("actor", ROLES)
def test_api_and_schema_agree_on_what_was_made_before(sender: Sender, actor: str) -> None:
    """One of the cast makes things and goes on with them; the others look at all of it."""
    machine: Any = api(coverage=False).as_state_machine()

    class Cast(machine):  # type: ignore[misc]
        def setup(self) -> None:
            self.rolled_back = undone()
            self.rolled_back.__enter__()

        def teardown(self) -> None:
            self.rolled_back.__exit__(None, None, None)

        def call(self, case: schemathesis.Case, **kwargs: Any) -> Any:
            if case.method == "GET":
                for role in sender.headers:
                    sender.by(role, case)
            return sender.by(actor, case)

        def validate_response(self, *args: Any, **kwargs: Any) -> None:
            """As `call` did."""

    Cast.run(settings=settings(THOROUGH, max_examples=max(1, CASES // 4), stateful_step_count=STEPS))
