"""How many requests a caller may send, and what every answer says of it."""

import threading
from datetime import UTC, datetime
from typing import Any

import pytest
from django.core.cache import cache
from django.db import connections
from redis.exceptions import ConnectionError as NoRedis
from rest_framework.test import APIClient, APIRequestFactory

from forsale_api import settings as site
from forsale_api.api import limits
from forsale_api.api.deprecation import Deprecation
from forsale_api.api.views import APIView, Response
from forsale_api.clubs.models import Club
from tests.conftest import token_client

CLUBS = "/api/v1/clubs/"
GAMES = "/api/v1/games/"


@pytest.fixture(autouse=True)
def few(settings: Any, monkeypatch: Any) -> None:
    """Five requests of a token, three of an address, in a minute that does not end during the test."""
    settings.API_LIMITS = {"token": (5, 60), "address": (3, 60)}
    monkeypatch.setattr(limits.time, "time", lambda: 1_800_000_015.0)
    cache.clear()


def left(response: Any) -> int:
    return int(response["RateLimit"].split(";r=")[1].split(";")[0])


def test_every_answer_says_what_is_left(owner: APIClient, anonymous: APIClient) -> None:
    answer = owner.get(CLUBS)
    assert answer["RateLimit-Policy"] == '"token";q=5;w=60'
    assert answer["RateLimit"] == '"token";r=4;t=45'
    assert [left(owner.get(CLUBS)), left(owner.post(CLUBS, {}))] == [3, 2]
    answer = anonymous.get(GAMES)
    assert (answer["RateLimit-Policy"], answer["RateLimit"]) == ('"address";q=3;w=60', '"address";r=2;t=45')
    assert left(anonymous.get("/api/v1/nothing/")) == 1
    assert left(anonymous.delete(GAMES)) == 0


def test_too_many_are_answered_429_with_when_to_come_back(anonymous: APIClient) -> None:
    for _number in range(3):
        assert anonymous.get(GAMES).status_code == 200
    refused = anonymous.get(GAMES, headers={"Accept-Language": "fr"})
    assert (refused.status_code, refused["Content-Type"]) == (429, "application/problem+json")
    assert refused["Retry-After"] == "45"
    assert refused["RateLimit"] == '"address";r=0;t=45'
    assert refused.json()["errors"][0]["code"] == "throttled"
    assert refused.json()["type"].endswith("/problems/too-many-requests/")


def test_the_next_window_is_a_new_one(anonymous: APIClient, monkeypatch: Any) -> None:
    for _number in range(4):
        anonymous.get(GAMES)
    monkeypatch.setattr(limits.time, "time", lambda: 1_800_000_060.0)
    assert left(anonymous.get(GAMES)) == 2


def test_an_unchanged_answer_is_free_of_charge(owner: APIClient, club: Club) -> None:
    for address in (CLUBS, CLUBS + "nantes/"):
        tag = owner.get(address)["ETag"]
        before = left(owner.get(GAMES))
        for _number in range(8):
            answer = owner.get(address, headers={"If-None-Match": tag})
            assert (answer.status_code, left(answer)) == (304, before)


def test_each_token_and_each_address_has_its_own(owner: APIClient, stranger: APIClient, anonymous: APIClient) -> None:
    for _number in range(6):
        owner.get(CLUBS)
    assert owner.get(CLUBS).status_code == 429
    assert left(token_client(owner.user).get(CLUBS)) == left(stranger.get(CLUBS)) == 4
    for _number in range(4):
        anonymous.get(GAMES)
    assert anonymous.get(GAMES).status_code == 429
    assert left(anonymous.get(GAMES, REMOTE_ADDR="192.0.2.7")) == 2
    assert stranger.get(CLUBS).status_code == 200


def test_a_made_up_token_brings_no_allowance_of_its_own(db: Any) -> None:
    client = APIClient()
    for number, status in enumerate((401, 401, 401, 429)):
        client.credentials(HTTP_AUTHORIZATION=f"Bearer fs_{number}")
        assert client.get(CLUBS).status_code == status


def test_behind_proxies_the_address_is_the_one_they_saw(anonymous: APIClient, settings: Any) -> None:
    forged = {"X-Forwarded-For": "1.2.3.4, 203.0.113.9"}
    left_then = left(anonymous.get(GAMES, headers=forged))
    assert left(anonymous.get(GAMES)) == left_then - 1, "nobody of ours wrote the header"
    settings.PROXIES = 1
    assert left(anonymous.get(GAMES, headers=forged)) == 2
    assert left(anonymous.get(GAMES, headers={"X-Forwarded-For": "9.9.9.9, 203.0.113.9"})) == 1
    six = {"X-Forwarded-For": "2001:db8:1:2::1"}
    assert left(anonymous.get(GAMES, headers=six)) == 2
    assert left(anonymous.get(GAMES, headers={"X-Forwarded-For": "2001:db8:1:2:ffff::9"})) == 1


def test_off_means_off(anonymous: APIClient, settings: Any) -> None:
    settings.API_LIMITS = {}
    for _number in range(8):
        answer = anonymous.get(GAMES)
    assert answer.status_code == 200
    assert "RateLimit" not in answer


def test_without_a_cache_nobody_is_refused(anonymous: APIClient, monkeypatch: Any) -> None:
    def broken(*args: Any, **kwargs: Any) -> None:
        raise NoRedis

    monkeypatch.setattr(limits.cache, "add", broken)
    for _number in range(5):
        assert anonymous.get(GAMES).status_code == 200


@pytest.mark.django_db(transaction=True)
def test_requests_at_the_same_moment_are_all_counted(settings: Any) -> None:
    settings.API_LIMITS = {"address": (20, 60)}
    statuses: list[int] = []

    def ask() -> None:
        client = APIClient()
        for _number in range(10):
            statuses.append(client.get(GAMES).status_code)
        connections.close_all()

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (statuses.count(200), statuses.count(429)) == (20, 20)


@pytest.mark.parametrize(
    ("value", "limits_read"),
    [
        ("on", {"token": (3000, 60), "address": (1200, 60)}),
        ("off", {}),
        ("token=10/1", {"token": (10, 1), "address": (1200, 60)}),
        ("address=5/3600,token=10/1", {"token": (10, 1), "address": (5, 3600)}),
    ],
)
def test_the_operator_sets_the_limits(value: str, limits_read: dict[str, Any]) -> None:
    assert site._limits(value) == limits_read


@pytest.mark.parametrize("value", ["yes", "token=0/1", "token=5", "cookie=5/1", "token=5/0"])
def test_limits_that_make_no_sense_are_refused(value: str) -> None:
    with pytest.raises(ValueError, match=r".*"):
        site._limits(value)


# ---- what goes says so ------------------------------------------------------------------------------


class Going(APIView):
    deprecations = {
        "GET": Deprecation(
            since=datetime(2026, 11, 1, tzinfo=UTC),
            sunset=datetime(2027, 11, 1, tzinfo=UTC),
            link="https://example.org/v2",
        )
    }

    def get(self, request: Any) -> Response:
        return Response({})

    def post(self, request: Any) -> Response:
        return Response({})


def test_a_deprecated_method_says_so_with_every_answer(db: Any) -> None:
    answer = Going.as_view()(APIRequestFactory().get("/api/v1/going/"))
    assert answer["Deprecation"] == "@1793491200"
    assert answer["Sunset"] == "Mon, 01 Nov 2027 00:00:00 GMT"
    assert answer["Link"] == '<https://example.org/v2>; rel="deprecation"; type="text/html"'
    refused = Going.as_view()(APIRequestFactory().get("/api/v1/going/?colour=red"))
    assert (refused.status_code, refused["Deprecation"]) == (400, "@1793491200")
    assert "Deprecation" not in Going.as_view()(APIRequestFactory().post("/api/v1/going/"))
