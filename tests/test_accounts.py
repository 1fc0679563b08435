"""Accounts: signing up and in, attempts counted, a forgotten password, another address, passkeys in a real browser."""

import re
import threading
from datetime import date
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any, ClassVar
from urllib.parse import urlencode

import pytest
from allauth.account.models import EmailAddress
from allauth.idp.oidc.models import Token as Grant
from allauth.mfa.models import Authenticator
from conftest import make_user
from django.core import mail
from django.core.cache import cache
from django.test import Client
from rest_framework.test import APIClient
from test_oauth import AUTHORIZE, Asked

from forsale_api.clubs import invitations, oauth, seasons, services
from forsale_api.clubs.models import Club, User
from tests import test_pages
from tests.test_pages import Tab

chromium = test_pages.chromium
PASSWORD = "correct horse battery"
LOGIN = "/accounts/login/"
ENGLISH_ONLY = re.compile(r">\s*(Sign In|Log in|Password|Save|Confirm|Email|Change|Cancel|Add|Remove)\s*<")
ENTRANCE = ["/accounts/login/", "/accounts/signup/", "/accounts/password/reset/", "/accounts/password/reset/done/"]
OWN = [
    "/accounts/", "/accounts/delete/", "/accounts/email/", "/accounts/password/change/", "/accounts/2fa/",
    "/accounts/tokens/", "/accounts/logout/", "/developers/apps/", "/plays/mine/", "/clubs/nantes/people/",
    "/clubs/nantes/seasons/", "/clubs/nantes/settings/", "/clubs/nantes/delete/",
    "/accounts/reauthenticate/", "/accounts/confirm-email/",
]  # fmt: skip


@pytest.fixture(autouse=True)
def nobody_has_tried_before() -> None:
    cache.clear()


@pytest.fixture
def olive(db: Any) -> User:
    return make_user("olive")


def sign_in(client: Client, name: str = "olive", password: str = PASSWORD, **other: str) -> Any:
    return client.post(LOGIN, {"login": name, "password": password} | other)


def signed_in(client: Client) -> bool:
    return "_auth_user_id" in client.session


# ---- pages ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", ["en", "fr"])
def test_every_page_of_accounts_is_ours_strict_and_in_both_languages(
    club: Club, owner: APIClient, client: Client, language: str
) -> None:
    inside = Client()
    inside.post(LOGIN, {"login": "olive", "password": PASSWORD})
    for browser, addresses in ((client, ENTRANCE), (inside, OWN)):
        for address in addresses:
            answer = browser.get(address, headers={"Accept-Language": language}, follow=True)
            html = answer.content.decode()
            assert answer.status_code == 200, address
            assert f'<html lang="{language}">' in html
            assert 'class="brand"' in html, address
            assert html.count("<h1>") == 1, address
            scripts = re.findall(r"<script([^>]*)>", html)
            assert all("src=" in script or 'type="application/json"' in script for script in scripts), address
            assert not re.search(r"<style|\sstyle=|\son[a-z]+=|javascript:", html), address
            if language == "fr":
                assert not ENGLISH_ONLY.search(html), (address, ENGLISH_ONLY.search(html))


def test_pages_of_one_s_own_ask_who_one_is(club: Club, client: Client) -> None:
    for address in OWN:
        if address not in ("/accounts/confirm-email/", "/accounts/logout/"):
            assert client.get(address)["Location"].startswith(LOGIN), address


# ---- signing up and in ------------------------------------------------------------------------------


def test_one_signs_up_with_a_name_and_a_password_and_is_in(db: Any, client: Client) -> None:
    new = {"username": "ines", "password1": "quiet river stone", "password2": "quiet river stone"}
    assert client.post("/accounts/signup/", new)["Location"] == "/"
    assert signed_in(client)
    assert mail.outbox == []


@pytest.mark.parametrize(
    "wrong",
    [
        {"username": "OLIVE"},
        {"username": "me"},
        {"username": "Ｍｅ"},
        {"username": "ｏｌｉｖｅ"},
        {"username": ".."},
        {"username": "a b"},
        {"password1": "12345678", "password2": "12345678"},
    ],
)
def test_a_name_is_free_and_a_password_no_common_one(olive: User, client: Client, wrong: dict[str, str]) -> None:
    new = {"username": "ines", "password1": "quiet river stone", "password2": "quiet river stone"}
    assert client.post("/accounts/signup/", new | wrong).status_code == 200
    assert User.objects.count() == 1


@pytest.mark.parametrize(
    ("language", "name", "rules"),
    [("en", "Username", "At least 8 characters"), ("fr", "Nom d’utilisateur", "Au moins 8 caractères")],
)
def test_signing_up_calls_the_name_what_logging_in_calls_it_and_sets_faults_apart_from_rules(
    db: Any, client: Client, language: str, name: str, rules: str
) -> None:
    wanted = {"Accept-Language": language}
    weak = {"username": "ines", "password1": "123", "password2": "123"}
    html = client.post("/accounts/signup/", weak, headers=wanted).content.decode()
    assert f">{name}</label>" in html
    assert f">{name} " in client.get(LOGIN, headers=wanted).content.decode()
    (helps,) = re.findall(r'<span class="helptext"[^>]*>(.*?)</span>', html)
    assert helps.startswith(rules)
    assert len(re.findall(r"<ul class=\"errorlist\"[^>]*>(<li>[^<]+</li>)+</ul>", html)) == 1
    assert "&#x27;" not in html


def test_a_site_may_take_no_new_accounts(db: Any, client: Client, settings: Any) -> None:
    settings.SIGNUP = "closed"
    new = {"username": "ines", "password1": "quiet river stone", "password2": "quiet river stone"}
    assert "takes no new accounts" in client.post("/accounts/signup/", new).content.decode()
    assert not User.objects.exists()


@pytest.mark.parametrize("name", ["olive", "Olive", "olive@example.org"])
def test_one_signs_in_by_name_or_address_and_comes_back(olive: User, client: Client, name: str) -> None:
    assert sign_in(client, name, next="/plays/mine/")["Location"] == "/plays/mine/"
    assert client.post("/accounts/logout/")["Location"] == "/"
    assert not signed_in(client)


@pytest.mark.parametrize("target", ["https://evil.example.org/", "//evil.example.org/", "javascript:alert(1)"])
def test_signing_in_leads_to_no_other_site(olive: User, client: Client, target: str) -> None:
    assert sign_in(client, next=target)["Location"] == "/"


def test_after_five_wrong_passwords_the_right_one_waits(olive: User, client: Client) -> None:
    for _attempt in range(5):
        sign_in(client, password="wrong")
    answer = sign_in(client)
    assert "Too many failed login attempts" in answer.content.decode()
    assert not signed_in(client)
    make_user("other")
    assert sign_in(Client(), "other").status_code == 302  # nobody else does


def test_guessing_many_names_from_one_address_is_stopped(db: Any, client: Client) -> None:
    seen = [sign_in(client, f"name{number}", "wrong").status_code for number in range(31)]
    assert seen[0] == 200
    make_user("olive")
    assert sign_in(client).status_code != 302
    assert not signed_in(client)


def test_attempts_count_against_the_address_that_the_limits_count_against(
    olive: User, client: Client, settings: Any
) -> None:
    forged = Client(headers={"X-Forwarded-For": "203.0.113.7"})
    for number in range(31):
        sign_in(client, f"name{number}", "wrong")
    assert sign_in(forged).status_code != 302, "nobody of ours wrote the header"
    settings.PROXIES = 2
    assert sign_in(Client(headers={"X-Forwarded-For": "1.1.1.1, 203.0.113.7, 10.0.0.1"})).status_code == 302
    for number in range(31):
        made_up = f"{number}.1.1.1, 203.0.113.8, 10.0.0.1"
        sign_in(Client(headers={"X-Forwarded-For": made_up}), f"name{number}", "wrong")
    assert sign_in(Client(headers={"X-Forwarded-For": "2.2.2.2, 203.0.113.8, 10.0.0.1"})).status_code != 302


def test_the_admin_s_login_is_the_same_one(db: Any, client: Client) -> None:
    assert client.get("/admin/login/?next=/admin/")["Location"].startswith(LOGIN)


# ---- addresses and passwords ------------------------------------------------------------------------


def test_a_forgotten_password_is_replaced_by_a_link_in_a_mail_once(olive: User, client: Client) -> None:
    client.post("/accounts/password/reset/", {"email": "olive@example.org"})
    (message,) = mail.outbox
    assert message.to == ["olive@example.org"]
    (link,) = re.findall(r"http://testserver(/accounts/password/reset/key/\S+)", message.body)
    form = client.get(link)["Location"]
    new = {"password1": "quiet river stone", "password2": "quiet river stone"}
    assert client.post(form, new).status_code == 302
    assert sign_in(Client(), password="quiet river stone").status_code == 302
    assert sign_in(Client()).status_code == 200
    again = Client().get(link, follow=True).content.decode()
    assert "quiet" not in again
    assert 'name="password1"' not in again


def test_whether_an_address_is_known_is_not_told(olive: User, client: Client) -> None:
    answers = [
        client.post("/accounts/password/reset/", {"email": email}, follow=True)
        for email in ("olive@example.org", "nobody@example.org")
    ]
    assert answers[0].redirect_chain == answers[1].redirect_chain


def test_mails_are_in_the_language_of_the_reader(olive: User, client: Client) -> None:
    client.post("/accounts/password/reset/", {"email": "olive@example.org"}, headers={"Accept-Language": "fr"})
    assert "mot de passe" in mail.outbox[0].body


def test_another_address_counts_once_it_is_confirmed(olive: User, client: Client) -> None:
    EmailAddress.objects.create(user=olive, email="olive@example.org", primary=True, verified=True)
    sign_in(client)
    client.post("/accounts/email/", {"email": "new@example.org", "action_add": ""})
    olive.refresh_from_db()
    assert olive.email == "olive@example.org"
    (link,) = re.findall(r"http://testserver(/accounts/confirm-email/\S+)", mail.outbox[0].body)
    client.post(link)
    olive.refresh_from_db()
    assert olive.email == "new@example.org"
    assert list(EmailAddress.objects.values_list("email", "verified")) == [("new@example.org", True)]


# ---- a real browser ---------------------------------------------------------------------------------


def test_a_passkey_is_added_and_logs_in_without_a_password(chromium: Any, live_server: Any, olive: User) -> None:
    site = live_server.url.replace("127.0.0.1", "localhost")  # passkeys belong to a name
    context = chromium.new_context(viewport={"width": 360, "height": 740})
    tab = Tab(context, site)
    devtools = context.new_cdp_session(tab.page)
    devtools.send("WebAuthn.enable")
    key = {
        "protocol": "ctap2", "transport": "internal", "hasResidentKey": True, "hasUserVerification": True,
        "isUserVerified": True, "automaticPresenceSimulation": True,
    }  # fmt: skip
    devtools.send("WebAuthn.addVirtualAuthenticator", {"options": key})
    page = tab.open(LOGIN)
    page.fill("[name=login]", "olive")
    page.fill("[name=password]", PASSWORD)
    page.click("main .btn.main")
    page.wait_for_url(f"{site}/")
    page = tab.open("/accounts/2fa/webauthn/add/")
    page.fill("[name=password]", PASSWORD)  # once more: whoever finds an open browser adds no key
    page.click("main .btn.main")
    page.fill("[name=name]", "Phone")
    page.check("[name=passwordless]")
    page.click("#mfa_webauthn_add")
    page.wait_for_selector("#secret")
    assert Authenticator.objects.filter(user=olive, type=Authenticator.Type.WEBAUTHN).count() == 1
    assert len(page.inner_text("#secret").split()) == 10
    tab.open("/accounts/2fa/")
    assert "Phone" in page.inner_text("main")
    tab.check()
    context.clear_cookies()
    page = tab.open(LOGIN)
    page.click("#passkey_login")
    page.wait_for_url(f"{site}/")
    assert "olive" in page.content()
    assert tab.said == []


def test_with_a_passkey_a_stolen_password_is_not_enough(olive: User, client: Client) -> None:
    Authenticator.objects.create(user=olive, type=Authenticator.Type.WEBAUTHN, data={"name": "Phone", "credential": {}})
    assert sign_in(client)["Location"].startswith("/accounts/2fa/authenticate/")
    assert not signed_in(client)


class App(BaseHTTPRequestHandler):
    """A program on the member's own machine that waits for its code."""

    came: ClassVar[list[str]] = []

    def do_GET(self) -> None:
        self.came.append(self.path)
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"Thank you")

    def log_message(self, *args: object) -> None:
        """Says nothing."""


def test_a_browser_takes_the_code_to_an_app_on_its_own_machine(chromium: Any, live_server: Any, olive: User) -> None:
    server = HTTPServer(("127.0.0.1", 0), App)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    app, _secret = oauth.register_app(
        make_user("dora"), name="Pad", redirect_uris=["http://127.0.0.1/cb"], confidential=False
    )
    back = f"http://127.0.0.1:{server.server_port}/cb"
    tab = Tab(chromium.new_context(viewport={"width": 360, "height": 740}), live_server.url)
    try:
        page = tab.open(f"{AUTHORIZE}?{urlencode(Asked(app).query(redirect_uri=back))}")
        page.fill("[name=login]", "olive")
        page.fill("[name=password]", PASSWORD)
        page.click("main .btn.main")
        page.wait_for_selector("[value=grant]")
        assert "Pad was registered by dora" in page.inner_text("main")
        tab.check()
        page.click("[value=grant]")
        page.wait_for_url(f"{back}?**")
        assert page.inner_text("body") == "Thank you"
        assert "code=" in App.came[0]
        assert Grant.objects.filter(user=olive, type=Grant.Type.AUTHORIZATION_CODE).count() == 1
    finally:
        server.shutdown()
        server.server_close()


def test_a_phone_shows_the_pages_of_a_club_s_people(
    chromium: Any, live_server: Any, club: Club, owner: APIClient, member: APIClient
) -> None:
    services.players_for(club, ["Théo", "Marianne", "Guilaine de la Fontaine-Bouillante"])
    seasons.add_season(club, name="Automne", first_day=date(2026, 9, 1))
    invitations.invite(club, owner.user)
    context = chromium.new_context(viewport={"width": 360, "height": 740}, locale="fr-FR", color_scheme="dark")
    tab = Tab(context, live_server.url)
    page = tab.open(LOGIN)
    page.fill("[name=login]", "olive")
    page.fill("[name=password]", PASSWORD)
    page.click("main .btn.main")
    page.wait_for_url(f"{live_server.url}/")
    for address in OWN:
        tab.said.clear()
        tab.open(address)
        tab.check()
