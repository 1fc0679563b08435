"""Scripts of other origins: they may read the API and write with a token, and never with somebody's cookies."""

from typing import Any

import pytest
from rest_framework.test import APIClient

from forsale_api.clubs.models import Club

ELSEWHERE = {"Origin": "https://scores.example.org"}
ADDRESSES = ["/api/v1/", "/api/v1/games/", "/api/v1/plays/", "/api/v1/plays/export.ndjson", "/api/v1/clubs/nantes/",
             "/api/v1/stats/scores/", "/api/v1/schema/", "/api/v1/nothing/", "/api/nothing"]  # fmt: skip


@pytest.mark.parametrize("address", ADDRESSES)
def test_every_answer_can_be_read_from_elsewhere_with_its_headers(owner: APIClient, club: Club, address: str) -> None:
    answer = owner.get(address, headers=ELSEWHERE)
    assert answer["Access-Control-Allow-Origin"] == "*"
    exposed = {name.strip() for name in answer["Access-Control-Expose-Headers"].split(",")}
    assert exposed >= {"ETag", "Link", "Location", "RateLimit", "RateLimit-Policy", "Retry-After"}
    assert "Idempotent-Replayed" in exposed
    assert "Access-Control-Allow-Credentials" not in answer


@pytest.mark.parametrize("address", ADDRESSES)
def test_a_preflight_is_answered_without_a_caller_and_kept(
    client: Any, db: Any, address: str, django_assert_num_queries: Any
) -> None:
    asked = {
        "Access-Control-Request-Method": "PATCH",
        "Access-Control-Request-Headers": "authorization, content-type, if-match, idempotency-key",
    }
    with django_assert_num_queries(0):
        answer = client.options(address, headers=ELSEWHERE | asked)
    assert (answer.status_code, answer.content) == (204, b"")
    assert answer["Access-Control-Allow-Origin"] == "*"
    assert "PATCH" in answer["Access-Control-Allow-Methods"]
    allowed = {name.strip().lower() for name in answer["Access-Control-Allow-Headers"].split(",")}
    assert allowed >= {"authorization", "content-type", "if-match", "if-none-match", "idempotency-key"}
    assert int(answer["Access-Control-Max-Age"]) >= 3600
    assert "Access-Control-Allow-Credentials" not in answer


def test_a_session_cannot_be_used_to_write_from_elsewhere(owner: APIClient) -> None:
    browser = APIClient(enforce_csrf_checks=True)
    browser.force_login(owner.user)
    answer = browser.post("/api/v1/clubs/", {"name": "X"}, headers=ELSEWHERE)
    assert (answer.status_code, answer.json()["errors"][0]["code"]) == (403, "csrf-failed")
    assert "Access-Control-Allow-Credentials" not in answer
    assert not Club.objects.exists()


def test_pages_are_not_for_scripts_of_others(client: Any, db: Any) -> None:
    for address in ("/", "/accounts/login/", "/healthz"):
        assert "Access-Control-Allow-Origin" not in client.get(address, headers=ELSEWHERE)
