"""Safe repeats (Idempotency-Key) and conditional reads (ETag, If-None-Match)."""

import json
import threading
from datetime import timedelta

import pytest
from django.db import connection, connections, transaction
from django.utils import timezone
from rest_framework.test import APIClient

from forsale_api.api import views
from forsale_api.api.models import IdempotencyKey
from forsale_api.api.tasks import purge_idempotency_keys
from forsale_api.clubs.models import Club, Player
from forsale_api.clubs.services import make_token

CLUBS = "/api/v1/clubs/"
PLAYERS = "/api/v1/clubs/nantes/players/"
KEY = {"Idempotency-Key": "a-key"}


def age_keys(**by: float) -> None:
    IdempotencyKey.objects.update(created_at=timezone.now() - timedelta(**by))


# ---- Idempotency-Key --------------------------------------------------------------------------------


def test_a_repeat_with_the_same_key_and_body_answers_what_the_first_did(owner):
    first = owner.post(CLUBS, {"name": "Nantes"}, headers=KEY)
    again = owner.post(CLUBS, {"name": "Nantes"}, headers=KEY)
    assert (first.status_code, again.status_code) == (201, 201)
    assert (again.json(), again["Location"]) == (first.json(), first["Location"])
    assert again["Idempotent-Replayed"] == "true"
    assert "Idempotent-Replayed" not in first
    assert Club.objects.count() == 1


def test_the_first_answer_stays_even_when_the_object_has_changed_since(owner):
    first = owner.post(CLUBS, {"name": "Nantes"}, headers=KEY)
    owner.patch(first["Location"], {"name": "Naoned"})
    assert owner.post(CLUBS, {"name": "Nantes"}, headers=KEY).json() == first.json()


def test_the_same_key_with_another_body_is_refused(owner):
    owner.post(CLUBS, {"name": "Nantes"}, headers=KEY)
    other = owner.post(CLUBS, {"name": "Bristol"}, headers=KEY)
    assert (other.status_code, other.json()["errors"][0]["code"]) == (422, "idempotency-key-reused")
    assert Club.objects.count() == 1


def test_the_same_body_written_by_another_program_is_the_same(owner):
    for body in ('{"name": "Nantes", "visibility": "public"}', '{"visibility":"public",\n"name":"N\\u0061ntes"}'):
        answer = owner.post(CLUBS, body, content_type="application/json", headers=KEY)
        assert answer.status_code == 201, answer.content
    assert Club.objects.count() == 1


def test_a_key_belongs_to_its_caller_and_its_address(club, owner, member):
    assert owner.post(PLAYERS, {"name": "Anne"}, headers=KEY).status_code == 201
    assert member.post(PLAYERS, {"name": "Ben"}, headers=KEY).status_code == 201
    assert owner.post(CLUBS, {"name": "Other"}, headers=KEY).status_code == 201


def test_a_refused_request_uses_up_no_key(club, owner):
    assert owner.post(PLAYERS, {"nmae": "Anne"}, headers=KEY).status_code == 400
    assert owner.post(PLAYERS, {"name": "Anne"}, headers=KEY).status_code == 201


def test_a_key_is_kept_for_24_hours_and_no_longer(owner):
    owner.post(CLUBS, {"name": "Nantes"}, headers=KEY)
    age_keys(hours=23, minutes=59)
    assert owner.post(CLUBS, {"name": "Nantes"}, headers=KEY)["Idempotent-Replayed"] == "true"
    age_keys(hours=24, seconds=1)
    assert owner.post(CLUBS, {"name": "Nantes"}, headers=KEY).json()["slug"] == "nantes-2"


def test_old_keys_are_removed_by_the_workers(owner):
    owner.post(CLUBS, {"name": "Nantes"}, headers=KEY)
    assert purge_idempotency_keys() == 0
    age_keys(hours=25)
    assert purge_idempotency_keys() == 1
    assert not IdempotencyKey.objects.exists()


@pytest.mark.parametrize("key", ["x" * 201, "a\x07b", "a b", "é"])
def test_a_key_that_cannot_be_kept_is_refused(owner, key):
    answer = owner.post(CLUBS, {"name": "Nantes"}, headers={"Idempotency-Key": key})
    assert (answer.status_code, answer.json()["errors"][0]["code"]) == (400, "bad-idempotency-key")
    assert not Club.objects.exists()


def test_a_form_with_a_key_is_refused_like_one_without(owner):
    browser = APIClient(enforce_csrf_checks=True)
    browser.force_login(owner.user)
    browser.cookies["csrftoken"] = "a" * 32
    answer = browser.post(CLUBS, {"name": "X", "csrfmiddlewaretoken": "a" * 32}, format="multipart", headers=KEY)
    assert answer.status_code == 415


@pytest.mark.django_db(transaction=True)
def test_ten_repeats_at_the_same_moment_store_one_object(club, owner):
    """On PostgreSQL they wait for each other on the unique key, on SQLite on the write lock."""
    _token, secret = make_token(owner.user, "threads", ["plays:write"])
    start, answers = threading.Barrier(10), []

    def post() -> None:
        client = APIClient()
        client.credentials(HTTP_AUTHORIZATION=f"Bearer {secret}")
        start.wait()
        try:
            answers.append(client.post(PLAYERS, {"name": "Anne"}, headers=KEY))
        finally:
            connections.close_all()

    threads = [threading.Thread(target=post) for _ in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [answer.status_code for answer in answers] == [201] * 10
    assert len({json.dumps(answer.json(), sort_keys=True) for answer in answers}) == 1
    assert sum("Idempotent-Replayed" in answer for answer in answers) == 9
    assert Player.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_a_repeat_that_has_waited_long_enough_for_the_first_is_told_when_to_come_back(club, owner, monkeypatch):
    monkeypatch.setattr(views, "WAIT_SECONDS", 1)
    owner.get(CLUBS)  # the token's last use is written now, not under the lock
    under_way, answered = threading.Event(), threading.Event()

    def first() -> None:
        with transaction.atomic():
            IdempotencyKey.objects.create(user=owner.user, endpoint=PLAYERS, key="a-key", body_hash="0")
            under_way.set()
            answered.wait(30)
        connections.close_all()

    thread = threading.Thread(target=first)
    thread.start()
    assert under_way.wait(10)
    if connection.vendor == "sqlite":
        connection.cursor().execute("PRAGMA busy_timeout = 500")
    try:
        answer = owner.post(PLAYERS, {"name": "Anne"}, headers=KEY)
    finally:
        answered.set()
        thread.join()
        connection.close()
    assert (answer.status_code, answer.json()["errors"][0]["code"]) == (409, "in-flight")
    assert int(answer["Retry-After"]) >= 1
    assert not Player.objects.exists()


# ---- ETags ------------------------------------------------------------------------------------------

READS = [CLUBS, CLUBS + "nantes/", PLAYERS, CLUBS + "nantes/members/", CLUBS + "nantes/members/olive/"]
READS += ["/api/v1/", "/api/v1/problems/", "/api/v1/problems/stale/", "/api/v1/schema/"]


@pytest.mark.parametrize("address", READS)
def test_what_has_not_changed_is_answered_304_without_a_body(club, owner, address):
    first = owner.get(address)
    assert first.status_code == 200
    assert first["ETag"]
    for tag in (first["ETag"], f"W/{first['ETag']}".replace("W/W/", "W/"), f'"other", {first["ETag"]}'):
        again = owner.get(address, headers={"If-None-Match": tag})
        assert (again.status_code, again.content, again["ETag"]) == (304, b"", first["ETag"])
    assert owner.get(address, headers={"If-None-Match": '"other"'}).status_code == 200


@pytest.mark.parametrize(
    ("address", "change"), [(CLUBS, CLUBS), (CLUBS + "nantes/", CLUBS + "nantes/"), (PLAYERS, PLAYERS)]
)
def test_a_change_changes_the_tag(club, owner, address, change):
    tag = owner.get(address)["ETag"]
    if change == CLUBS + "nantes/":
        owner.patch(change, {"contribute": True})
    else:
        owner.post(change, {"name": "New"})
    assert owner.get(address, headers={"If-None-Match": tag}).status_code == 200


def test_a_tag_is_told_apart_by_language_and_by_what_the_caller_may_see(club, owner, member):
    english = owner.get(CLUBS + "nantes/")["ETag"]
    assert owner.get(CLUBS + "nantes/", headers={"Accept-Language": "fr"})["ETag"] != english
    assert member.get(CLUBS + "nantes/")["ETag"] != english
    done = owner.patch(CLUBS + "nantes/", {"contribute": True}, headers={"If-Match": english, "Accept-Language": "fr"})
    assert done.status_code == 200


def test_an_answer_may_be_kept_by_nobody_else_and_is_asked_for_again(club, owner):
    answer = owner.get(CLUBS + "nantes/")
    assert {"Accept-Language", "Authorization", "Cookie"} <= {word.strip() for word in answer["Vary"].split(",")}
    assert answer["Cache-Control"] == "no-cache"
