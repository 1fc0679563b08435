"""Schemathesis: what the schema says and what the API does, by everybody of the cast, with made-up requests."""

import itertools
import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import schemathesis
from conftest import make_user
from django.core.handlers.wsgi import WSGIHandler
from django.core.signals import request_finished, request_started
from django.db import close_old_connections
from hypothesis import HealthCheck, Phase, settings
from schemathesis.checks import CHECKS
from schemathesis.config import SchemathesisConfig

from forsale_api.api.permissions import SCOPES
from forsale_api.api.service import schema_in
from forsale_api.clubs import services
from forsale_api.clubs.models import Club, Membership

# Not asked: whether a deleted object is gone and a made one there (one example knows nothing of another), and whether
# the server insists on a caller (test by test, with codes, in the files of each subject).
LEFT_OUT = {"use_after_free", "ensure_resource_availability", "ignored_auth", "object_level_authorization"}
# The assertion at the end of `call` is sharper than this one.
LEFT_OUT |= {"positive_data_acceptance"}
# A request the schema allows is answered 400 only for what no schema can say: which edition, variant and number of
# players go together, which figures a game has, which bots there are, which filters go together, which cursors were
# handed out, what is an address.
BEYOND_THE_SCHEMA = {
    "bad-address", "bad-cursor", "edition-not-offered", "figure-missing", "figure-of-another-game", "filter-of-plays",
    "filter-of-simulations", "game-not-simulated", "no-such-opener", "player-needs-club", "players-not-offered",
    "banknotes-out-of-range", "deals-out-of-range", "rounds-left-out-of-range", "rounds-out-of-range",
    "record-not-offered", "unknown-bot", "unknown-edition", "unknown-game", "unknown-variant", "variant-not-offered",
    "wrong-number-of-bots",
}  # fmt: skip


@schemathesis.serializer("application/x-ndjson")
def one_line(context: Any, value: Any) -> bytes:
    return json.dumps(value).encode() + b"\n"


QUICK = settings(
    max_examples=5,
    deadline=None,
    derandomize=True,
    database=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)
THOROUGH = settings(QUICK, max_examples=100)


def api(*, coverage: bool) -> schemathesis.BaseSchema:
    config = SchemathesisConfig.from_dict(
        {
            "phases": {"coverage": {"enabled": coverage}},
            "checks": {"negative_data_rejection": {"expected-statuses": ["4xx"]}},
        }
    )
    schema = schemathesis.openapi.from_dict(dict(schema_in("en")), config=config)
    schema.app = WSGIHandler()
    return schema


@pytest.fixture
def connection_kept(db: Any) -> Iterator[None]:
    """The end of a request must not close the connection that holds the test's transaction (as in Django's client)."""
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    yield
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


@pytest.fixture
def call(connection_kept: None) -> Callable[..., None]:
    """Sends made-up requests as the cast, who may least first, and checks each answer.

    `everybody`: each request by all four; else by one after the other.
    """
    club = Club.objects.create(slug="nantes", name="Nantes", visibility="private", time_zone="Europe/Paris")
    plain = {"Accept-Encoding": "identity"}
    callers = [plain]
    for name, role in (("stan", None), ("marcel", "member"), ("olive", "owner")):
        user = make_user(name)
        if role:
            Membership.objects.create(club=club, user=user, role=role)
        callers.append(plain | {"Authorization": f"Bearer {services.make_token(user, 'test', list(SCOPES))[1]}"})
    player = services.create_player(club, "Théo")
    known = {"slug": "nantes", "username": "marcel", "id": str(player.pk), "game": "for-sale"}
    checks = [check for check in CHECKS.get_all() if check.__name__ not in LEFT_OUT]

    turns = itertools.cycle(callers)

    def send(case: schemathesis.Case, *, everybody: bool) -> None:
        for name, value in known.items():
            if name in (case.path_parameters or {}) and not negated(case, "path"):
                case.path_parameters[name] = value
        for headers in callers if everybody else [next(turns)]:
            response = case.call(headers=headers)
            case.validate_response(response, checks=checks, headers=headers)
            if response.status_code == 400 and case.meta and case.meta.generation.mode.is_positive:
                wrong = {error["code"] for error in response.json()["errors"]} - BEYOND_THE_SCHEMA
                assert not wrong, f"the schema allows what the API refuses: {response.text}\n{case.as_curl_command()}"

    return send


def negated(case: schemathesis.Case, location: str) -> bool:
    """Whether this part of the request was made wrong on purpose."""
    components = case.meta.components if case.meta else {}
    return any(str(place.value) == location and part.mode.is_negative for place, part in components.items())


@api(coverage=False).parametrize()
@QUICK
def test_api_and_schema_agree(case: schemathesis.Case, call: Callable[..., None]) -> None:
    call(case, everybody=True)


@pytest.mark.long
@api(coverage=True).parametrize()
@THOROUGH
def test_api_and_schema_agree_over_many_requests(case: schemathesis.Case, call: Callable[..., None]) -> None:
    call(case, everybody=False)
