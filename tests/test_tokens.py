"""Personal tokens: shown once, kept as a digest, with scopes, an end, and a last use."""

from datetime import timedelta
from io import StringIO

import pytest
from conftest import make_user
from django.core.management import CommandError, call_command
from django.utils import timezone
from rest_framework.test import APIClient

from forsale_api.api.problems import Problem
from forsale_api.clubs.models import Token, User
from forsale_api.clubs.services import make_token, revoke_token

ME = "/api/v1/clubs/?mine=true"


@pytest.fixture
def user(db) -> User:
    return make_user("olive")


def call(secret: str, address: str = ME, scheme: str = "Bearer"):
    return APIClient().get(address, headers={"Authorization": f"{scheme} {secret}"})


def test_a_secret_has_256_bits_and_only_its_digest_is_kept(user):
    token, secret = make_token(user, "phone", ["plays:read"])
    assert secret.startswith("fs_")
    assert len(secret) >= 3 + 43
    assert secret not in str(Token.objects.values().get())
    assert token.digest != secret
    assert secret.startswith(token.prefix)
    assert make_token(user, "phone", ["plays:read"])[1] != secret


def test_a_token_works_until_it_is_revoked(user):
    token, secret = make_token(user, "phone", ["plays:read"])
    assert call(secret).status_code == 200
    revoke_token(token)
    answer = call(secret)
    assert answer.status_code == 401
    assert answer["WWW-Authenticate"].startswith("Bearer")
    assert answer.json()["errors"][0]["code"] == "bad-token"
    token.refresh_from_db()
    first = token.revoked_at
    revoke_token(token)
    token.refresh_from_db()
    assert token.revoked_at == first


def test_a_token_ends_when_it_was_to_end(user):
    assert call(make_token(user, "a", ["plays:read"], timezone.now() + timedelta(hours=1))[1]).status_code == 200
    assert call(make_token(user, "b", ["plays:read"], timezone.now() - timedelta(seconds=1))[1]).status_code == 401


def test_a_token_of_an_account_that_was_switched_off_is_refused(user):
    secret = make_token(user, "phone", ["plays:read"])[1]
    User.objects.update(is_active=False)
    assert call(secret).status_code == 401


@pytest.mark.parametrize(
    "header", ["Bearer", "Bearer ", "Bearer nonsense", "Basic dXNlcjpwYXNz", "fs_x", "Bearer é", "Bearer a b"]
)
def test_a_wrong_token_is_refused_even_where_none_is_needed(db, header):
    answer = APIClient().get("/api/v1/clubs/", headers={"Authorization": header})
    assert answer.status_code == 401
    assert answer["Content-Type"] == "application/problem+json"


def test_the_last_use_is_known_to_the_minute_without_a_write_each_time(user):
    token, secret = make_token(user, "phone", ["plays:read"])
    assert token.last_used_at is None
    call(secret)
    token.refresh_from_db()
    assert timezone.now() - token.last_used_at < timedelta(minutes=1)
    first = token.last_used_at
    call(secret)
    token.refresh_from_db()
    assert token.last_used_at == first
    Token.objects.update(last_used_at=first - timedelta(minutes=2))
    call(secret)
    token.refresh_from_db()
    assert token.last_used_at > first


@pytest.mark.parametrize("scopes", [[], ["plays:read", "plays:burn"]])
def test_scopes_are_a_closed_list(user, scopes):
    with pytest.raises(Problem) as caught:
        make_token(user, "phone", scopes)
    assert caught.value.errors[0]["code"] == "bad-scope"
    assert not Token.objects.exists()


def test_the_command_prints_the_token_alone(user):
    out = StringIO()
    call_command(
        "createtoken", "olive", "--scopes", "plays:read, plays:write", "--name", "ci", "--expires", "7", stdout=out
    )
    secret = out.getvalue().removesuffix("\n")
    assert "\n" not in secret
    token = Token.objects.get()
    assert (token.name, token.scopes) == ("ci", ["plays:read", "plays:write"])
    assert timedelta(days=6) < token.expires_at - timezone.now() <= timedelta(days=7)
    assert call(secret).status_code == 200


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nobody", "--scopes", "plays:read"], "nobody"),
        (["olive", "--scopes", "plays:burn"], "plays:burn"),
        (["olive", "--scopes", " , "], "plays:read"),
        (["olive", "--scopes", "plays:read", "--expires", "0"], "--expires"),
        (["olive", "--scopes", "plays:read", "--expires", "999999999"], "--expires"),
    ],
)
def test_the_command_says_what_is_wrong_and_exits_with_1(user, arguments, message):
    with pytest.raises(CommandError, match=message) as caught:
        call_command("createtoken", *arguments)
    assert caught.value.returncode == 1
    assert not Token.objects.exists()
