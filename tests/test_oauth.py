"""OAuth 2: apps ask members whether they may act for them, with PKCE, for the scopes of tokens, until revoked."""

import base64
import hashlib
import json
import os
import re
import secrets
import subprocess
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from allauth.idp.oidc.models import Client as App
from allauth.idp.oidc.models import Token as Grant
from conftest import make_user
from django.test import Client
from django.utils import timezone
from rest_framework.test import APIClient

from forsale_api.api.permissions import SCOPES
from forsale_api.api.problems import Problem
from forsale_api.api.service import schema_in
from forsale_api.clubs import oauth
from forsale_api.clubs.models import Club, User
from forsale_api.clubs.tasks import forget_grants
from tests.test_plays import PLAYS, body

BACK = "https://pad.example.org/signed-in"
AUTHORIZE, TOKEN, REVOKE = "/oauth/authorize/", "/oauth/token/", "/oauth/revoke/"
VERIFIER = secrets.token_urlsafe(48)
CHALLENGE = base64.urlsafe_b64encode(hashlib.sha256(VERIFIER.encode()).digest()).decode().rstrip("=")


@dataclass
class Asked:
    """What a member's browser is sent to the site with."""

    app: App

    def query(self, **other: str) -> dict[str, str]:
        return {
            "response_type": "code",
            "client_id": self.app.pk,
            "redirect_uri": BACK,
            "scope": "plays:read plays:write",
            "state": "s-123",
            "code_challenge": CHALLENGE,
            "code_challenge_method": "S256",
        } | other


@pytest.fixture
def developer(db: Any) -> User:
    return make_user("dora")


@pytest.fixture
def app(developer: User) -> App:
    """A public app: a phone's or a page's, which keeps no secret."""
    return oauth.register_app(developer, name="Score Pad", redirect_uris=[BACK], confidential=False)[0]


@pytest.fixture
def browser(owner: APIClient) -> Client:
    client = Client(enforce_csrf_checks=True)
    client.force_login(owner.user)
    return client


def fields_of(html: str) -> dict[str, str]:
    """The hidden fields of the consent form."""
    found = re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', html)
    return {name: value.replace("&quot;", '"').replace("&amp;", "&") for name, value in found}


def allow(browser: Client, app: App, scopes: list[str] | None = None, **asked: str) -> dict[str, str]:
    """Asks, ticks and allows as a person would; what the app is sent back with."""
    page = browser.get(AUTHORIZE, Asked(app).query(**asked))
    assert page.status_code == 200, page.content
    hidden = fields_of(page.content.decode())
    ticked = scopes if scopes is not None else asked.get("scope", "plays:read plays:write").split()
    answer = browser.post(AUTHORIZE, hidden | {"scopes": ticked, "action": "grant"})
    assert answer.status_code == 302, answer.content
    assert answer["Location"].startswith(BACK)
    return {name: values[0] for name, values in parse_qs(urlsplit(answer["Location"]).query).items()}


def exchange(app: App, code: str, **other: str) -> Any:
    form = {
        "grant_type": "authorization_code",
        "client_id": app.pk,
        "code": code,
        "redirect_uri": BACK,
        "code_verifier": VERIFIER,
    }
    return Client().post(TOKEN, form | other)


def api(access_token: str) -> APIClient:
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {access_token}")
    return client


@pytest.fixture
def granted(browser: Client, app: App) -> dict[str, Any]:
    return exchange(app, allow(browser, app)["code"]).json()


# ---- the whole way ----------------------------------------------------------------------------------


def test_an_app_acts_for_the_member_who_allowed_it_as_far_as_allowed(club: Club, browser: Client, app: App) -> None:
    back = allow(browser, app)
    assert back["state"] == "s-123"
    answer = exchange(app, back["code"])
    assert answer.status_code == 200, answer.content
    tokens = answer.json()
    assert tokens["token_type"] == "Bearer"
    assert set(tokens["scope"].split()) == {"plays:read", "plays:write"}
    assert "id_token" not in tokens
    caller = api(tokens["access_token"])
    assert caller.post(PLAYS, body()).status_code == 201
    refused = caller.post("/api/v1/clubs/", {"name": "Another"})
    assert (refused.status_code, refused.json()["errors"][0]["code"]) == (403, "missing-scope")


def test_a_member_may_allow_less_than_was_asked(club: Club, browser: Client, app: App) -> None:
    tokens = exchange(app, allow(browser, app, scopes=["plays:read"])["code"]).json()
    assert tokens["scope"] == "plays:read"
    assert api(tokens["access_token"]).post(PLAYS, body()).status_code == 403


def test_a_member_may_say_no(browser: Client, app: App) -> None:
    hidden = fields_of(browser.get(AUTHORIZE, Asked(app).query()).content.decode())
    answer = browser.post(AUTHORIZE, hidden | {"action": "cancel"})
    assert answer["Location"] == f"{BACK}?error=access_denied&state=s-123"
    assert not Grant.objects.exists()


def test_whoever_is_not_signed_in_signs_in_first(client: Client, app: App) -> None:
    answer = client.get(AUTHORIZE, Asked(app).query())
    assert answer.status_code == 302
    assert answer["Location"].startswith("/accounts/login/?next=/oauth/authorize/")


def test_nothing_is_allowed_from_another_site(browser: Client, app: App) -> None:
    hidden = fields_of(browser.get(AUTHORIZE, Asked(app).query()).content.decode())
    hidden.pop("csrfmiddlewaretoken")
    assert browser.post(AUTHORIZE, hidden | {"scopes": ["plays:read"], "action": "grant"}).status_code == 403


def test_secrets_are_kept_as_digests(granted: dict[str, Any]) -> None:
    stored = str(list(Grant.objects.values()))
    assert granted["access_token"] not in stored
    assert granted["refresh_token"] not in stored


# ---- PKCE, codes and redirects ----------------------------------------------------------------------


@pytest.mark.parametrize("method", ["plain", None])
def test_every_app_must_use_pkce_with_sha256(browser: Client, app: App, method: str | None) -> None:
    query = Asked(app).query()
    if method is None:
        del query["code_challenge"], query["code_challenge_method"]
    else:
        query["code_challenge_method"] = method
    answer = browser.get(AUTHORIZE, query)
    assert answer.status_code == 302
    assert answer["Location"].startswith(f"{BACK}?error=invalid_request")
    assert "state=s-123" in answer["Location"]


@pytest.mark.parametrize("verifier", ["", "x" * 60])
def test_a_code_is_worth_nothing_without_its_verifier(browser: Client, app: App, verifier: str) -> None:
    code = allow(browser, app)["code"]
    assert exchange(app, code, code_verifier=verifier).status_code == 400
    assert not Grant.objects.filter(type=Grant.Type.ACCESS_TOKEN).exists()


def test_a_code_works_once(browser: Client, app: App) -> None:
    code = allow(browser, app)["code"]
    assert exchange(app, code).status_code == 200
    assert exchange(app, code).status_code == 400


@pytest.mark.parametrize(
    "wrong", ["https://evil.example.org/", BACK + "/more", BACK + "?x=1", "http://pad.example.org/signed-in"]
)
def test_codes_go_nowhere_but_where_the_app_said(browser: Client, app: App, wrong: str) -> None:
    answer = browser.get(AUTHORIZE, Asked(app).query(redirect_uri=wrong))
    assert answer.status_code == 200
    assert "The app asked wrongly" in answer.content.decode()
    assert "Location" not in answer


@pytest.mark.parametrize(
    "other",
    [{"response_type": "token"}, {"scope": "plays:read everything"}, {"response_type": "id_token", "nonce": "n"}],
)
def test_nothing_else_is_offered(browser: Client, app: App, other: dict[str, str]) -> None:
    answer = browser.get(AUTHORIZE, Asked(app).query(**other))
    assert answer.status_code == 302
    assert "error=" in answer["Location"]


def test_a_member_s_password_is_no_grant(browser: Client, app: App) -> None:
    form = {"grant_type": "password", "client_id": app.pk, "username": "olive", "password": "correct horse battery"}
    assert Client().post(TOKEN, form).status_code in (400, 401)


def test_a_confidential_app_shows_its_secret(browser: Client, developer: User) -> None:
    app, secret = oauth.register_app(developer, name="Server", redirect_uris=[BACK], confidential=True)
    assert secret not in str(App.objects.values().get(pk=app.pk))
    code = allow(browser, app)["code"]
    assert exchange(app, code).status_code == 401
    assert exchange(app, code, client_secret="wrong").status_code == 401
    assert exchange(app, code, client_secret=secret).status_code == 200


# ---- refreshing and ending --------------------------------------------------------------------------


def test_an_access_token_ends_and_is_refreshed_and_the_old_refresh_token_is_spent(
    club: Club, app: App, granted: dict[str, Any]
) -> None:
    Grant.objects.filter(type=Grant.Type.ACCESS_TOKEN).update(expires_at=timezone.now() - timedelta(seconds=1))
    assert api(granted["access_token"]).get(PLAYS).status_code == 401
    form = {"grant_type": "refresh_token", "client_id": app.pk, "refresh_token": granted["refresh_token"]}
    fresh = Client().post(TOKEN, form).json()
    assert api(fresh["access_token"]).get(PLAYS).status_code == 200
    assert Client().post(TOKEN, form).status_code == 400


def test_a_refresh_cannot_gain_scopes(app: App, granted: dict[str, Any]) -> None:
    form = {"grant_type": "refresh_token", "client_id": app.pk, "refresh_token": granted["refresh_token"]}
    assert Client().post(TOKEN, form | {"scope": "plays:read club:admin"}).status_code in (400, 401)


def test_an_app_may_give_its_tokens_back(app: App, granted: dict[str, Any]) -> None:
    form = {"client_id": app.pk, "token": granted["refresh_token"]}
    assert Client().post(REVOKE, form).status_code == 200
    assert api(granted["access_token"]).get(PLAYS).status_code == 401


def test_a_member_sees_the_apps_that_act_for_them_and_ends_one(browser: Client, app: App, granted: Any) -> None:
    page = browser.get("/accounts/tokens/").content.decode()
    assert "Score Pad" in page
    hidden = fields_of(page)
    assert browser.post(f"/accounts/apps/{app.pk}/revoke/", hidden).status_code == 302
    assert api(granted["access_token"]).get(PLAYS).status_code == 401
    assert not Grant.objects.exists()


def test_a_stranger_ends_nobody_else_s_apps(stranger: APIClient, app: App, granted: dict[str, Any]) -> None:
    other = Client()
    other.force_login(stranger.user)
    other.post(f"/accounts/apps/{app.pk}/revoke/")
    assert api(granted["access_token"]).get(PLAYS).status_code == 200


def test_an_account_that_is_switched_off_takes_its_apps_with_it(app: App, owner: APIClient, granted: Any) -> None:
    User.objects.filter(pk=owner.user.pk).update(is_active=False)
    assert api(granted["access_token"]).get(PLAYS).status_code == 401
    form = {"grant_type": "refresh_token", "client_id": app.pk, "refresh_token": granted["refresh_token"]}
    assert Client().post(TOKEN, form).status_code == 400


def test_a_refresh_token_or_a_code_is_no_access_token(browser: Client, app: App, granted: dict[str, Any]) -> None:
    for secret in (granted["refresh_token"], allow(browser, app)["code"]):
        assert api(secret).get(PLAYS).status_code == 401


def test_what_has_ended_is_forgotten_and_what_holds_is_kept(granted: dict[str, Any]) -> None:
    Grant.objects.filter(type=Grant.Type.ACCESS_TOKEN).update(expires_at=timezone.now() - timedelta(seconds=1))
    assert forget_grants() == 1
    kinds = set(Grant.objects.values_list("type", flat=True))
    assert Grant.Type.REFRESH_TOKEN in kinds
    assert Grant.Type.ACCESS_TOKEN not in kinds


# ---- apps of developers -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "address",
    [
        "javascript:alert(1)", "data:text/html,x", "http://example.org/back", "https://", "/back", "https://a.org/#x",
        "https://*.a.org/", "https://me:secret@a.org/", "ftp://a.org/", "myapp:back", "https://[bad/",
    ],
)  # fmt: skip
def test_codes_may_not_be_sent_just_anywhere(developer: User, address: str) -> None:
    with pytest.raises(Problem) as caught:
        oauth.register_app(developer, name="X", redirect_uris=[address], confidential=False)
    assert caught.value.errors[0]["code"] == "bad-redirect"


@pytest.mark.parametrize("address", [BACK, "http://127.0.0.1:8080/cb", "http://localhost/cb", "com.example.pad:/cb"])
def test_codes_may_be_sent_to_apps_on_servers_desktops_and_phones(developer: User, address: str) -> None:
    oauth.register_app(developer, name="X", redirect_uris=[address], confidential=False)


def test_a_developer_registers_and_deletes_apps_and_sees_nobody_else_s(developer: User, stranger: APIClient) -> None:
    browser, other = Client(), Client()
    browser.force_login(developer)
    other.force_login(stranger.user)
    form = {"name": "Board", "redirect_uris": f"{BACK}\nhttp://localhost:5000/", "confidential": "on"}
    made = browser.post("/developers/apps/", form)
    assert made["Cache-Control"] == "no-store"
    (secret,) = re.findall(r'<code id="secret">([^<]+)</code>', made.content.decode())
    app = App.objects.get(owner=developer)
    assert app.get_scopes() == list(SCOPES)
    assert secret not in browser.get("/developers/apps/").content.decode()
    assert "Board" not in other.get("/developers/apps/").content.decode()
    assert other.post(f"/developers/apps/{app.pk}/delete/").status_code == 404
    assert browser.post(f"/developers/apps/{app.pk}/delete/").status_code == 302
    assert not App.objects.exists()
    wrong = browser.post("/developers/apps/", form | {"redirect_uris": "http://example.org/"})
    assert "cannot be a redirect address" in wrong.content.decode()


# ---- what programs read -----------------------------------------------------------------------------


def test_the_metadata_say_what_is_served(client: Client) -> None:
    told = client.get("/.well-known/oauth-authorization-server").json()
    assert told["scopes_supported"] == list(SCOPES)
    assert told["code_challenge_methods_supported"] == ["S256"]
    assert told["token_endpoint"] == "http://testserver/oauth/token/"
    for name in ("authorization_endpoint", "token_endpoint", "revocation_endpoint"):
        assert client.get(told[name]).status_code != 404


@pytest.mark.parametrize("address", ["/oauth/device/code/", "/.well-known/openid-configuration", "/oauth/userinfo/"])
def test_what_is_not_needed_is_not_served(db: Any, client: Client, address: str) -> None:
    assert client.get(address).status_code == 404


def test_the_schema_says_how_apps_get_tokens() -> None:
    schema = schema_in("en")
    flow = schema["components"]["securitySchemes"]["oauth2"]["flows"]["authorizationCode"]
    assert set(flow["scopes"]) == set(SCOPES)
    assert {"oauth2": ["plays:write"]} in schema["paths"]["/api/v1/plays/"]["post"]["security"]


def test_the_consent_page_lets_its_form_lead_to_the_app_and_nowhere_else(browser: Client, app: App) -> None:
    policy = browser.get(AUTHORIZE, Asked(app).query())["Content-Security-Policy"]
    (form_action,) = re.findall(r"form-action ([^;]+)", policy)
    assert form_action.split() == ["'self'", "https://pad.example.org"]
    assert "script-src 'self'" in policy
    assert browser.get("/accounts/tokens/")["Content-Security-Policy"].count("pad.example.org") == 0


def test_the_lines_of_the_guide_do_what_it_says(
    transactional_db: None, live_server: Any, browser: Client, app: App, club: Club
) -> None:
    guide = (Path(__file__).resolve().parent.parent / "docs" / "developers" / "oauth.md").read_text()
    for_the_code, with_it, refresh_and_revoke = re.findall(r"```bash\n(.*?)```", guide, re.DOTALL)
    said = {"SITE": live_server.url, "CLIENT_ID": app.pk, "VERIFIER": VERIFIER, "CODE": allow(browser, app)["code"]}

    def run(lines: str, **more: str) -> str:
        quiet = lines.replace("curl ", "curl --silent --show-error --fail-with-body ")
        done = subprocess.run(
            ["bash", "-ec", quiet], env=os.environ | said | more, capture_output=True, text=True, timeout=60
        )
        assert done.returncode == 0, (done.stdout, done.stderr)
        return done.stdout

    tokens = json.loads(run(for_the_code))
    assert json.loads(run(with_it, ACCESS_TOKEN=tokens["access_token"]))["results"] == []
    refresh, revoke = refresh_and_revoke.splitlines()
    new = json.loads(run(refresh, REFRESH_TOKEN=tokens["refresh_token"]))
    assert new["refresh_token"] != tokens["refresh_token"]
    run(revoke, REFRESH_TOKEN=new["refresh_token"])
    assert api(new["access_token"]).get(PLAYS, {"mine": "true"}).status_code == 401
