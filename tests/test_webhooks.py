"""Addresses that are told what happens in a club: signed, at least once, and nothing inside our network."""

import json
import re
import socket
import time
from collections.abc import Iterator
from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.conf import settings as site_settings
from django.test import Client
from django.utils import timezone
from rest_framework.test import APIClient

from forsale_api.clubs.models import Club, Player
from forsale_api.plays.models import PlayChange
from forsale_api.webhooks import sending, services, tasks
from forsale_api.webhooks.models import Attempt, Delivery, Status, Webhook
from tests.conftest import token_client
from tests.receiver import Receiver, is_signed, receiving
from tests.test_folding import fold_all
from tests.test_plays import PLAYS, patch, post, problem, seats
from tests.test_simulations_api import work

HOOKS = "/api/v1/clubs/nantes/webhooks/"
ALL = ["play.created", "play.changed", "play.deleted", "simulation.finished"]


@pytest.fixture(autouse=True)
def a_club_on_a_laptop(settings: Any, club: Club) -> None:
    settings.WEBHOOKS_TO_LOOPBACK = True


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiving() as receiver:
        yield receiver


def register(client: APIClient, url: str, status: int = 201, **facts: Any) -> Any:
    answer = client.post(HOOKS, {"url": url, "events": ALL, **facts})
    assert answer.status_code == status, answer.content
    return answer.json()


def send() -> None:
    """What beat and a worker do within a second or two."""
    while services.fan_out():
        pass
    for webhook in services.due(timezone.now()):
        services.deliver(webhook_id=webhook)


def later(**span: float) -> None:
    """As if so much time had gone by."""
    gone = timedelta(**span)
    for delivery in Delivery.objects.all():
        delivery.due_at = delivery.due_at and delivery.due_at - gone
        delivery.created_at -= gone
        delivery.save()
    for webhook in Webhook.objects.all():
        webhook.resting_until = webhook.resting_until and webhook.resting_until - gone
        webhook.old_secret_until = webhook.old_secret_until and webhook.old_secret_until - gone
        webhook.succeeded_at = webhook.succeeded_at and webhook.succeeded_at - gone
        webhook.save()


# ---- what is sent -----------------------------------------------------------------------------------


def test_what_happens_to_a_play_is_told_in_order_and_signed(owner: APIClient, member: APIClient, receiver: Any) -> None:
    secret = register(owner, receiver.url)["secret"]
    play = post(member, notes="for members")
    patch(member, play, notes="a close one")
    assert member.delete(f"{PLAYS}{play['id']}/").status_code == 204
    assert member.post(f"{PLAYS}{play['id']}/restore/").status_code == 200
    send()
    assert [message["type"] for message in receiver.messages()] == [
        "play.created", "play.changed", "play.deleted", "play.changed"
    ]  # fmt: skip
    for headers, body in receiver.got:
        assert is_signed(headers, body, secret)
        assert not is_signed(headers, body + b" ", secret)
        assert abs(int(headers["webhook-timestamp"]) - time.time()) < 60
        assert headers["content-type"] == "application/json"
    assert len({headers["webhook-id"] for headers, _body in receiver.got}) == 4


def test_a_message_holds_the_play_as_the_api_shows_it_to_the_club(owner: APIClient, receiver: Any) -> None:
    register(owner, receiver.url)
    play = post(owner, notes="for members")
    send()
    (message,) = receiver.messages()
    assert message["data"] == {name: value for name, value in play.items() if name != "record"}
    assert message["timestamp"] == owner.get(f"{PLAYS}{play['id']}/history/").json()["results"][0]["at"]


def test_of_a_deleted_play_hardly_anything_is_said(owner: APIClient, receiver: Any) -> None:
    register(owner, receiver.url, events=["play.deleted"])
    play = post(owner)
    owner.delete(f"{PLAYS}{play['id']}/")
    send()
    (message,) = receiver.messages()
    assert set(message["data"]) == {"id", "club", "deleted_at"}


def test_only_events_that_were_asked_for_and_only_of_that_club(
    owner: APIClient, receiver: Any, public_club: Club
) -> None:
    register(owner, receiver.url, events=["play.changed"])
    post(owner, club="bristol")
    patch(owner, post(owner), notes="x")
    send()
    assert [message["type"] for message in receiver.messages()] == ["play.changed"]


def test_nobody_is_told_of_what_was_before_they_asked(owner: APIClient, receiver: Any) -> None:
    post(owner)
    register(owner, receiver.url)
    send()
    assert receiver.got == []
    assert not PlayChange.objects.filter(announced=False).exists()


def test_a_write_that_fails_tells_nothing(owner: APIClient, receiver: Any) -> None:
    register(owner, receiver.url)
    post(owner, status=422, seats=seats([(83, 4), (84, 2), (70, 0)]))
    send()
    assert receiver.got == []


def test_a_hidden_name_is_not_sent_even_where_the_message_was_waiting(owner: APIClient, receiver: Any) -> None:
    register(owner, receiver.url)
    post(owner)
    services.fan_out()
    theo = Player.objects.get(name="Théo")
    owner.post(f"/api/v1/clubs/nantes/players/{theo.pk}/hide/")
    send()
    (message,) = receiver.messages()
    assert message["data"]["seats"][0]["player"]["name"] == theo.pseudonym
    assert "Théo" not in json.dumps(message, ensure_ascii=False)


def test_a_finished_simulation_is_told_to_the_clubs_of_whoever_asked(
    owner: APIClient, member: APIClient, stranger: APIClient, receiver: Any
) -> None:
    register(owner, receiver.url)
    asked = {"game": "for-sale", "player_count": 3, "bots": ["coin-flip"] * 3, "games": 2000, "seed": 3}
    made = member.post("/api/v1/simulations/", asked).json()
    stranger.post("/api/v1/simulations/", {**asked, "seed": 4})
    work()
    again = member.post("/api/v1/simulations/", asked).json()
    assert again["status"] == "finished", "its result is stored"
    send()
    assert [message["type"] for message in receiver.messages()] == ["simulation.finished"] * 2
    assert [message["data"]["id"] for message in receiver.messages()] == [made["id"], again["id"]]
    assert receiver.messages()[0]["data"]["request"]["seed"] == 3


def test_a_test_message_arrives(owner: APIClient, receiver: Any) -> None:
    hook = register(owner, receiver.url)
    sent = owner.post(f"{HOOKS}{hook['id']}/test/")
    assert sent.status_code == 201
    send()
    assert receiver.messages()[0]["type"] == "webhook.test"
    assert owner.get(sent["Location"]).json()["status"] == "delivered"


@pytest.mark.parametrize(("language", "words"), [("en", "A play of Nantes was deleted."), ("fr", "Nantes")])
def test_discord_gets_cards_that_mention_nobody(owner: APIClient, receiver: Any, language: str, words: str) -> None:
    register(owner, receiver.url, form="discord", language=language)
    play = post(owner, seats=seats(names=["*Théo* @everyone", "Marianne", "Guilaine"]))
    send()
    owner.delete(f"{PLAYS}{play['id']}/")
    send()
    created, deleted = receiver.messages()
    assert created["allowed_mentions"] == {"parse": []}
    card = created["embeds"][0]
    assert card["url"] == f"http://testserver/plays/{play['id']}/"
    assert "\\*Théo\\* \\@everyone: **87**" in card["description"]
    assert words in deleted["embeds"][0]["title"]


# ---- secrets ----------------------------------------------------------------------------------------


def test_the_secret_is_shown_when_it_is_made_and_never_again(owner: APIClient, receiver: Any) -> None:
    hook = register(owner, receiver.url)
    assert re.fullmatch(r"whsec_[A-Za-z0-9+/]{43}=", hook["secret"])
    assert "secret" not in owner.get(f"{HOOKS}{hook['id']}/").json()
    assert "secret" not in owner.get(HOOKS).json()["results"][0]


def test_for_a_day_after_a_rotation_messages_are_signed_with_both_secrets(owner: APIClient, receiver: Any) -> None:
    hook = register(owner, receiver.url)
    new = owner.post(f"{HOOKS}{hook['id']}/rotate/").json()["secret"]
    post(owner)
    send()
    assert [is_signed(*receiver.got[-1], secret) for secret in (hook["secret"], new)] == [True, True]
    later(hours=25)
    patch(owner, owner.get(PLAYS).json()["results"][0], notes="x")
    send()
    assert [is_signed(*receiver.got[-1], secret) for secret in (hook["secret"], new)] == [False, True]


def test_the_signature_is_that_of_the_specification() -> None:
    # The example of https://github.com/standard-webhooks/standard-webhooks, computed by hand with openssl.
    secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
    body = b'{"test": 2432232314}'
    given = sending.signature(secret, "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, body)
    assert given == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


# ---- failures ---------------------------------------------------------------------------------------


def only(owner: APIClient, hook: dict[str, Any]) -> dict[str, Any]:
    (delivery,) = owner.get(f"{HOOKS}{hook['id']}/deliveries/").json()["results"]
    return delivery


def test_what_fails_is_tried_again_under_the_same_id_and_the_log_says_how(owner: APIClient, receiver: Any) -> None:
    hook = register(owner, receiver.url)
    receiver.answers = [(500, {}), (302, {"Location": receiver.url})]
    post(owner)
    send()
    send()
    assert len(receiver.got) == 1, "not before its time"
    later(seconds=6)
    send()
    later(minutes=2)
    send()
    delivery = only(owner, hook)
    assert delivery["status"] == "delivered"
    assert [attempt["status_code"] for attempt in delivery["attempts"]] == [500, 302, 204], "redirects are not followed"
    assert len({headers["webhook-id"] for headers, _body in receiver.got}) == 1


def test_the_pauses_grow_to_about_a_day_and_then_the_webhook_is_off(owner: APIClient) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        hook = register(owner, f"http://127.0.0.1:{closed.getsockname()[1]}/")
    post(owner)
    services.fan_out()
    waited = timedelta()
    for tried in range(1, len(services.DELAYS) + 2):
        send()
        assert Attempt.objects.count() == tried
        delivery = Delivery.objects.get()
        if delivery.due_at is not None:
            pause = delivery.due_at - timezone.now()
            waited += pause
            later(seconds=pause.total_seconds() + 1)
    assert timedelta(hours=20) < waited < timedelta(hours=28)
    assert only(owner, hook)["status"] == "failed"
    shown = owner.get(f"{HOOKS}{hook['id']}/").json()
    assert (shown["active"], shown["disabled_reason"]) == (False, "failing")


def test_a_message_that_nobody_wants_does_not_end_a_webhook_that_works(owner: APIClient, receiver: Any) -> None:
    hook = register(owner, receiver.url)
    post(owner)
    services.fan_out()
    bad = Delivery.objects.get()
    receiver.refused = {services.message_id(bad)}
    for _ in range(len(services.DELAYS) + 1):
        send()
        post(owner)
        later(hours=1)  # the address has rested, the refused message is not due yet
        send()
        later(hours=9)
    bad.refresh_from_db()
    assert bad.status == Status.FAILED
    assert owner.get(f"{HOOKS}{hook['id']}/").json()["active"] is True


def test_410_ends_it_at_once_and_an_owner_can_begin_again(owner: APIClient, receiver: Any) -> None:
    hook = register(owner, receiver.url)
    receiver.answers = [(410, {})]
    play = post(owner)
    send()
    address = f"{HOOKS}{hook['id']}/"
    assert owner.get(address).json()["disabled_reason"] == "gone"
    patch(owner, play, notes="x")
    send()
    assert len(receiver.got) == 1
    log = only(owner, hook)
    again = owner.post(f"{address}deliveries/{log['id']}/redeliver/")
    problem(again, 409, "webhook-off", "")
    assert owner.patch(address, {"active": True}).json()["disabled_reason"] == ""
    assert owner.post(f"{address}deliveries/{log['id']}/redeliver/").json()["status"] == "pending"
    send()
    assert only(owner, hook)["status"] == "delivered"


def test_an_answer_may_ask_for_patience(owner: APIClient, receiver: Any) -> None:
    register(owner, receiver.url)
    receiver.answers = [(429, {"Retry-After": "600"})]
    post(owner)
    send()
    pause = Delivery.objects.get().due_at - timezone.now()
    assert timedelta(seconds=590) < pause <= timedelta(seconds=600)


def test_a_worker_that_died_after_sending_sends_again(owner: APIClient, receiver: Any) -> None:
    register(owner, receiver.url)
    post(owner)
    services.fan_out()
    services.attempt(Delivery.objects.get(), timezone.now())  # and died before it could note it
    send()
    assert len({headers["webhook-id"] for headers, _body in receiver.got}) == 1
    assert len(receiver.got) == 2


def test_an_address_is_served_by_one_worker_at_a_time(owner: APIClient, receiver: Any) -> None:
    hook = register(owner, receiver.url)
    post(owner)
    services.fan_out()
    Webhook.objects.update(leased_until=timezone.now() + services.LEASE)
    assert services.deliver(webhook_id=hook["id"]) == 0
    Webhook.objects.update(leased_until=timezone.now())
    assert services.deliver(webhook_id=hook["id"]) == 1


def test_few_addresses_are_served_at_a_time(owner: APIClient, receiver: Any, settings: Any) -> None:
    settings.WEBHOOKS_WIDTH = 1
    for _ in range(2):
        register(owner, receiver.url)
    post(owner)
    services.fan_out()
    assert len(services.due(timezone.now())) == 1
    first = services.due(timezone.now())[0]
    Webhook.objects.filter(pk=first).update(leased_until=timezone.now() + services.LEASE)
    assert services.due(timezone.now()) == []


def test_beat_needs_one_message_a_second(owner: APIClient, receiver: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    hook = register(owner, receiver.url)
    post(owner)
    sent: list[dict[str, str]] = []
    monkeypatch.setattr(tasks.deliver, "delay", lambda **named: sent.append(named))
    tasks.announce()
    assert sent == [{"webhook_id": hook["id"]}]
    tasks.deliver(**sent[0])
    assert len(receiver.got) == 1


def test_old_messages_are_forgotten_but_not_what_waits(owner: APIClient, receiver: Any) -> None:
    register(owner, receiver.url)
    post(owner)
    send()
    post(owner, played_on="2026-11-27")
    services.fan_out()
    later(days=31)
    services.forget_old(timezone.now())
    assert [delivery.status for delivery in Delivery.objects.all()] == [Status.PENDING]


# ---- what an address may be -------------------------------------------------------------------------

PRIVATE = [
    "127.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.0.0.0", "224.0.0.1",  # noqa: S104
    "255.255.255.255", "[::1]", "[fe80::1]", "[fc00::1]", "[ff02::1]", "[::ffff:127.0.0.1]", "[::ffff:10.0.0.1]",
    "[64:ff9b::7f00:1]", "[2002:7f00:1::]", "[::]", "localhost", "2130706433", "0x7f000001", "127.1",
]  # fmt: skip


@pytest.mark.parametrize("host", PRIVATE)
def test_addresses_inside_are_refused(owner: APIClient, settings: Any, host: str) -> None:
    settings.WEBHOOKS_TO_LOOPBACK = False
    answer = owner.post(HOOKS, {"url": f"https://{host}/", "events": ALL})
    problem(answer, 422, "address-not-public", "/url")


@pytest.mark.parametrize("host", ["1.1.1.1", "[2606:4700:4700::1111]", "8.8.8.8"])
def test_public_addresses_are_taken(owner: APIClient, settings: Any, host: str) -> None:
    settings.WEBHOOKS_TO_LOOPBACK = False
    register(owner, f"https://{host}/hook")


@pytest.mark.parametrize(
    "url",
    ["http://1.1.1.1/", "ftp://1.1.1.1/", "https://user@1.1.1.1/", "https:///x", "https://1.1.1.1/#x", "https://a:b/",
     "https://1.1.1.1:0/", "https://1.1.1.1/\r\nX: y", "https://1.1.1.1/ x", "not an address", "https://.../",
     "https://example.org*", "https://example.org?x"],
)  # fmt: skip
def test_what_is_no_address_is_refused(owner: APIClient, settings: Any, url: str) -> None:
    settings.WEBHOOKS_TO_LOOPBACK = False
    problem(owner.post(HOOKS, {"url": url, "events": ALL}), 400, "bad-address", "/url")


@pytest.mark.parametrize("host", ["10.1.2.3", "169.254.169.254", "[fe80::1]"])
def test_the_setting_for_laptops_opens_this_machine_and_no_more(owner: APIClient, host: str) -> None:
    problem(owner.post(HOOKS, {"url": f"https://{host}/", "events": ALL}), 422, "address-not-public", "/url")


def test_a_name_that_means_something_else_by_then_is_refused_before_anything_is_sent(
    owner: APIClient, receiver: Any, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.WEBHOOKS_TO_LOOPBACK = False
    port = urlsplit(receiver.url).port

    def resolves_to(ip: str) -> None:
        found = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (ip, port))]
        monkeypatch.setattr(socket, "getaddrinfo", lambda *args, **named: found)

    resolves_to("93.184.216.34")
    hook = register(owner, f"https://rebind.example:{port}/")
    resolves_to("127.0.0.1")
    post(owner)
    send()
    assert receiver.got == []
    assert "not a public address" in only(owner, hook)["attempts"][0]["error"]


def test_the_connection_goes_to_the_address_that_was_looked_at(receiver: Any) -> None:
    """The name is looked up once: who answers the second time with something else is not asked."""
    parts = urlsplit(receiver.url)
    asked = []

    def resolve(given: Any) -> list[sending.Address]:
        asked.append(given.hostname)
        return [(socket.AF_INET, ("127.0.0.1", parts.port or 0))]

    outcome = sending.post(f"http://no-such-name.invalid:{parts.port}/", b"{}", {}, resolve=resolve)
    assert outcome.status == 204
    assert asked == ["no-such-name.invalid"]
    assert receiver.got[0][0]["host"] == f"no-such-name.invalid:{parts.port}"


def test_one_private_address_among_public_ones_is_enough_to_refuse(monkeypatch: pytest.MonkeyPatch) -> None:
    found = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (ip, 443)) for ip in ("1.1.1.1", "10.0.0.1")]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *args, **named: found)
    with pytest.raises(sending.NotPublic):
        sending.addresses_of(urlsplit("https://mixed.example/"))


def test_of_a_long_answer_only_the_beginning_is_read(owner: APIClient, receiver: Any) -> None:
    hook = register(owner, receiver.url)
    receiver.answers, receiver.long_answer = [(500, {})], b"x" * 2_000_000
    post(owner)
    send()
    assert only(owner, hook)["attempts"][0]["answer"] == "x" * sending.READ


def test_whoever_trickles_is_cut_off(owner: APIClient, receiver: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sending, "DEADLINE", 0.3)
    receiver.slow = 1.0
    outcome = sending.post(receiver.url, b"{}", {})
    assert outcome.status is None
    assert outcome.seconds < 0.9


# ---- who may ----------------------------------------------------------------------------------------


def test_webhooks_are_for_owners(
    owner: APIClient, member: APIClient, stranger: APIClient, anonymous: APIClient, club: Club, receiver: Any
) -> None:
    hook = register(owner, receiver.url)
    post(owner)
    services.fan_out()
    delivery = Delivery.objects.get().pk
    one = f"{HOOKS}{hook['id']}/"
    reads = [HOOKS, one, f"{one}deliveries/", f"{one}deliveries/{delivery}/"]
    writes = [HOOKS, f"{one}rotate/", f"{one}test/", f"{one}deliveries/{delivery}/redeliver/"]
    for visibility, outside in (("private", 404), ("public", 403)):
        club.visibility = visibility
        club.save()
        for client, expected in ((owner, 200), (member, 403), (stranger, outside), (anonymous, 401)):
            assert {client.get(address).status_code for address in reads} == {expected}
            if expected != 200:
                assert {client.post(address, {}).status_code for address in writes} == {expected}
                assert client.patch(one, {"active": False}).status_code == expected
                assert client.delete(one).status_code == expected
    weak = token_client(owner.user, "plays:read", "plays:write")
    assert weak.get(HOOKS).status_code == 403


def test_another_clubs_webhook_is_not_found_under_mine(owner: APIClient, receiver: Any, public_club: Club) -> None:
    hook = register(owner, receiver.url)
    assert owner.get(f"/api/v1/clubs/bristol/webhooks/{hook['id']}/").status_code == 404
    mine = owner.post("/api/v1/clubs/bristol/webhooks/", {"url": receiver.url, "events": ALL}).json()
    owner.post(f"{HOOKS}{hook['id']}/test/")
    delivery = Delivery.objects.get().pk
    assert owner.get(f"/api/v1/clubs/bristol/webhooks/{mine['id']}/deliveries/{delivery}/").status_code == 404


def test_a_webhook_is_changed_and_removed(owner: APIClient, receiver: Any) -> None:
    hook = register(owner, receiver.url)
    address = f"{HOOKS}{hook['id']}/"
    first = owner.get(address)
    assert owner.get(address, headers={"If-None-Match": first["ETag"]}).status_code == 304
    changed = owner.patch(address, {"events": ["play.deleted", "play.created"]}, headers={"If-Match": first["ETag"]})
    assert changed.json()["events"] == ["play.created", "play.deleted"]
    assert owner.patch(address, {"active": False}, headers={"If-Match": first["ETag"]}).status_code == 412
    problem(owner.patch(address, {"events": []}), 400, "min-length", "/events")
    problem(owner.patch(address, {"events": ["play.crated"]}), 400, "invalid-choice", "/events/0")
    assert owner.delete(address).status_code == 204
    assert owner.get(address).status_code == 404


def test_a_club_has_ten_webhooks_at_most(owner: APIClient, receiver: Any) -> None:
    for _ in range(services.MOST):
        register(owner, receiver.url)
    problem(owner.post(HOOKS, {"url": receiver.url, "events": ALL}), 409, "too-many-webhooks", "")


def test_a_club_that_goes_takes_its_webhooks_along(owner: APIClient, receiver: Any) -> None:
    register(owner, receiver.url)
    post(owner)
    send()
    fold_all()
    assert owner.delete("/api/v1/clubs/nantes/").status_code == 204
    assert not Delivery.objects.exists()


# ---- on pages ---------------------------------------------------------------------------------------


def browser(client: APIClient) -> Any:
    """The same person with a browser."""
    tab = Client()
    tab.force_login(client.user, backend=site_settings.AUTHENTICATION_BACKENDS[0])
    return tab


PAGE = "/clubs/nantes/webhooks/"


def test_an_owner_does_it_all_on_a_page(owner: APIClient, receiver: Any) -> None:
    tab = browser(owner)
    page = tab.post(PAGE, {"url": receiver.url, "events": ALL, "form": "standard", "language": "en"})
    hook = Webhook.objects.get()
    assert hook.secret in page.content.decode()
    assert hook.secret not in tab.get(PAGE).content.decode(), "shown once"
    assert tab.post(f"{PAGE}{hook.pk}/test/").status_code == 302
    send()
    assert receiver.messages()[0]["type"] == "webhook.test"
    assert "204" in tab.get(PAGE).content.decode()
    assert tab.post(f"/clubs/nantes/messages/{Delivery.objects.get().pk}/again/").status_code == 302
    send()
    assert len(receiver.got) == 2
    rotated = tab.post(f"{PAGE}{hook.pk}/rotate/").content.decode()
    assert Webhook.objects.get().secret in rotated
    for verb, active in (("off", False), ("on", True)):
        tab.post(f"{PAGE}{hook.pk}/{verb}/")
        assert Webhook.objects.get().active is active
    tab.post(f"{PAGE}{hook.pk}/delete/")
    assert not Webhook.objects.exists()


def test_the_page_says_what_is_wrong_with_an_address(owner: APIClient) -> None:
    wrong = {"url": "https://10.0.0.1/", "events": ALL, "form": "standard", "language": "en"}
    page = browser(owner).post(PAGE, wrong).content.decode()
    assert "This address is not one of the public Internet." in page


def test_the_page_is_for_owners(owner: APIClient, member: APIClient, stranger: APIClient, receiver: Any) -> None:
    hook = register(owner, receiver.url)
    for client in (member, stranger):
        tab = browser(client)
        assert tab.get(PAGE).status_code == 404
        assert tab.post(f"{PAGE}{hook['id']}/delete/").status_code == 404
    assert Client().get(PAGE).status_code == 302
