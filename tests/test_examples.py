"""The examples do what they say: quick starts in three languages, a client, a receiver of webhooks, a web page."""

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone
from rest_framework.test import APIClient

from examples.forsale_client import ApiError, Client
from examples.webhook_receiver import NotGenuine, verify
from forsale_api.clubs.models import Club, Player
from forsale_api.plays.models import Play
from forsale_api.webhooks import sending, services
from tests.receiver import receiving, running, serving
from tests.test_aggregates import publish
from tests.test_folding import fold_all
from tests.test_pages import Tab, chromium, until  # noqa: F401  the fixture
from tests.test_plays import post, seats

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
GUIDES = EXAMPLES.parent / "docs" / "developers"
STARTS = {"quick-start.sh": ["sh"], "quick-start.py": [sys.executable], "quick-start.mjs": ["node"]}


def secret_of(client: APIClient) -> str:
    return client._credentials["HTTP_AUTHORIZATION"].removeprefix("Bearer ")


@pytest.fixture
def api(transactional_db: Any, live_server: Any, owner: APIClient, club: Club) -> Client:
    """The example's client, for the owner of Nantes."""
    publish(club)
    return Client(f"{live_server.url}/api/v1", secret_of(owner))


# ---- quick starts -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", STARTS)
def test_a_quick_start_runs_and_may_be_run_again(
    transactional_db: Any, live_server: Any, owner: APIClient, name: str
) -> None:
    program = STARTS[name][0]
    assert shutil.which(program), f"install {program} to run this example"
    environment = os.environ | {"API": f"{live_server.url}/api/v1", "TOKEN": secret_of(owner)}
    for _ in range(2):
        done = subprocess.run(
            [program, str(EXAMPLES / "quick-start" / name)], env=environment, capture_output=True, text=True, timeout=60
        )
        assert done.returncode == 0, done.stderr
        assert "banknotes" in done.stdout
        assert "019ace24-0000-7000-8000-000000000001" in done.stdout
        assert "2026-11-28" in done.stdout
    assert Play.objects.count() == Club.objects.count() == 1


def test_the_guide_shows_the_quick_starts_as_they_are() -> None:
    guide = (GUIDES / "quick-start.md").read_text()
    for name in STARTS:
        assert (EXAMPLES / "quick-start" / name).read_text() in guide, name


def test_the_page_for_developers_shows_them_too(db: Any, anonymous: APIClient) -> None:
    page = anonymous.get("/developers/").content.decode()
    for name in STARTS:
        first = (EXAMPLES / "quick-start" / name).read_text().splitlines()[-1].strip()
        assert name in page
        assert first.split("(")[0].split('"')[0] in page


@pytest.mark.parametrize("guide", sorted(path.name for path in GUIDES.glob("*.md")))
def test_the_links_of_a_guide_lead_somewhere(guide: str) -> None:
    for target in re.findall(r"\]\((?!http)([^)#]+)\)", (GUIDES / guide).read_text()):
        assert (GUIDES / target).exists(), target


# ---- the client -------------------------------------------------------------------------------------


def test_the_client_logs_reads_and_corrects(api: Client) -> None:
    play = api.log_play("nantes", "2026-11-28", {"Théo": (83, 4), "Marianne": (85, 2), "Guilaine": (70, 0)})
    assert play["winners"] == [1]
    assert [one["id"] for one in api.plays(club="nantes", player="Théo")] == [play["id"]]
    changed = api.correct_play(play, notes="a close one")
    assert changed["version"] == 2
    with pytest.raises(ApiError) as stale:
        api.correct_play(play, notes="another")
    assert stale.value.status == 412


def test_the_client_walks_through_all_pages(api: Client) -> None:
    ids = set()
    for day in range(10, 15):
        ids.add(api.log_play("nantes", f"2026-11-{day}", {"A": (83, 4), "B": (85, 2), "C": (70, 0)})["id"])
    assert {play["id"] for play in api.plays(club="nantes", page_size=2)} == ids


def test_the_client_says_which_field_is_wrong(api: Client) -> None:
    with pytest.raises(ApiError, match="cheques add up to 237") as refused:
        api.log_play("nantes", "2026-11-28", {"A": (83, 4), "B": (84, 2), "C": (70, 0)})
    assert refused.value.errors[0]["code"] == "impossible-sheet"


def test_the_client_keeps_a_copy_of_a_club(api: Client, owner: APIClient) -> None:
    copy: dict[str, Any] = {}

    def catch_up() -> None:
        for play in api.changed_plays("nantes"):
            if "deleted_at" in play:
                copy.pop(play["id"], None)
            else:
                copy[play["id"]] = play

    kept, gone = post(owner), post(owner, played_on="2026-11-27")
    catch_up()
    assert copy.keys() == {kept["id"], gone["id"]}
    owner.delete(f"/api/v1/plays/{gone['id']}/")
    catch_up()
    assert copy.keys() == {kept["id"]}


@pytest.fixture
def forgetful(live_server: Any) -> Iterator[str]:
    """The API behind a line that loses every first answer after the request got through."""
    lost: set[str] = set()

    class Line(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            request = urllib.request.Request(live_server.url + self.path, body, dict(self.headers))  # noqa: S310
            with urllib.request.urlopen(request) as answer:  # noqa: S310
                text = answer.read()
            if self.path not in lost:
                lost.add(self.path)
                self.connection.shutdown(socket.SHUT_RDWR)
                return
            self.send_response(answer.status)
            self.end_headers()
            self.wfile.write(text)

        def log_message(self, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Line)
    with running(server):
        yield f"http://127.0.0.1:{server.server_port}/api/v1"


def test_an_answer_that_is_lost_on_the_way_stores_nothing_twice(
    api: Client, owner: APIClient, forgetful: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("examples.forsale_client.time.sleep", lambda seconds: None)
    sheet = {"A": (83, 4), "B": (85, 2), "C": (70, 0)}
    play = Client(forgetful, secret_of(owner)).log_play("nantes", "2026-11-28", sheet)
    assert [str(one.pk) for one in Play.objects.all()] == [play["id"]]


def test_what_has_not_changed_is_not_sent_again(api: Client, owner: APIClient) -> None:
    play = post(owner)
    first = api.get(f"/plays/{play['id']}/")
    assert api.get(f"/plays/{play['id']}/") is first


# ---- receiving webhooks -----------------------------------------------------------------------------


def test_the_receiver_takes_what_is_genuine_and_nothing_else() -> None:
    secret, body, now = sending.new_secret(), b'{"type": "play.created"}', 1_800_000_000
    headers = sending.signed_headers([sending.new_secret(), secret], "msg_1", now, body)
    verify(secret, headers, body, now=now + 200)
    for wrong in (
        lambda: verify(secret, headers, body + b" ", now=now),
        lambda: verify(sending.new_secret(), headers, body, now=now),
        lambda: verify(secret, headers, body, now=now + 301),
        lambda: verify(secret, {**headers, "webhook-id": "msg_2"}, body, now=now),
        lambda: verify(secret, {}, body, now=now),
    ):
        with pytest.raises(NotGenuine):
            wrong()


def snippet(guide: str, language: str) -> str:
    """The only piece of code in this language in a guide."""
    (found,) = re.findall(rf"```{language}\n(.*?)```", (GUIDES / guide).read_text(), re.DOTALL)
    return str(found)


def test_the_guide_tells_genuine_messages_from_others_in_two_languages(tmp_path: Path) -> None:
    secret, body = sending.new_secret(), '{"type": "play.created", "data": {"name": "Théo"}}'.encode()
    headers = sending.signed_headers([sending.new_secret(), secret], "msg_1", 1_800_000_000, body)
    there: dict[str, Any] = {}
    exec(snippet("webhooks.md", "python"), there)  # noqa: S102  our own guide
    assert there["is_genuine"](secret, headers, body)
    assert not there["is_genuine"](secret, headers, body + b" ")
    program = tmp_path / "check.mjs"
    given = json.dumps([secret, headers])
    program.write_text(
        snippet("webhooks.md", "js")
        + f"const [secret, headers] = {given}; const body = Buffer.from({json.dumps(body.decode())});"
        + "console.log(isGenuine(secret, headers, body), isGenuine(secret, headers, Buffer.concat([body, body])));"
    )
    done = subprocess.run(["node", str(program)], capture_output=True, text=True, timeout=20)
    assert (done.stdout, done.stderr) == ("true false\n", "")


def test_the_receiver_as_a_program_prints_each_message_once(owner: APIClient, club: Club, settings: Any) -> None:
    settings.WEBHOOKS_TO_LOOPBACK = True
    with receiving() as somebody:
        port = somebody.server.server_port
    hook = owner.post(
        "/api/v1/clubs/nantes/webhooks/", {"url": f"http://127.0.0.1:{port}/", "events": ["play.created"]}
    ).json()
    program = subprocess.Popen(
        [sys.executable, str(EXAMPLES / "webhook_receiver.py"), str(port)],
        env=os.environ | {"WEBHOOK_SECRET": hook["secret"]},
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        until(lambda: listens(port))
        play = post(owner)
        services.fan_out()
        delivery = services.Delivery.objects.get()
        for _ in range(2):
            assert services.attempt(delivery, timezone.now()).status == 204
        forged = sending.post(f"http://127.0.0.1:{port}/", b"{}", {"webhook-id": "msg_1"})
        assert forged.status == 400
    finally:
        program.terminate()
        printed, _nothing = program.communicate(timeout=10)
    assert printed == f"play.created {play['id']}\n"


def listens(port: int) -> bool:
    with socket.socket() as client:
        return client.connect_ex(("127.0.0.1", port)) == 0


# ---- the web page -----------------------------------------------------------------------------------


def test_the_scoreboard_shows_a_club_from_another_site(
    chromium: Any,  # noqa: F811
    live_server: Any,
    owner: APIClient,
    club: Club,
) -> None:
    publish(club)
    post(owner, seats=seats(names=["<script>alert(1)</script>", "Marianne", "Guilaine"]))
    post(owner, played_on="2026-11-27")
    fold_all()
    hidden = Player.objects.get(name="Guilaine")
    owner.post(f"/api/v1/clubs/nantes/players/{hidden.pk}/hide/")
    tab = Tab(chromium.new_context(viewport={"width": 360, "height": 740}), live_server.url)
    with serving(EXAMPLES / "scoreboard") as site:
        tab.page.goto(f"{site}/?api={live_server.url}/api/v1&club=nantes")
        tab.page.wait_for_selector("#latest li")
        shown = tab.page.inner_text("main")
        assert tab.page.title() == "Nantes"
        assert len(tab.page.query_selector_all("#latest li")) == 2
        assert len(tab.page.query_selector_all("#leaders tr")) == 4
        assert "<script>alert(1)</script> 87" in shown
        assert "Guilaine" not in shown
        assert tab.said == []
        width, room = tab.page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
        assert width <= room
        tab.page.goto(f"{site}/?api={live_server.url}/api/v1&club=nobody")
        tab.page.wait_for_selector("text=There is no club nobody here for you.")
