"""The web process is killed at random moments: every webhook of a play that was answered arrives, and is genuine."""

import json
import os
import random
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
import uuid
from pathlib import Path
from typing import Any

import pytest

from forsale_api.settings import ENVIRONMENT
from tests.receiver import is_signed, receiving

ROOT = Path(__file__).resolve().parent.parent
POSTS = 1000
KILLS = 10


class Site:
    """The service under granian, with a database of its own and the worker within, on one port for its whole life."""

    def __init__(self, folder: Path) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.api = f"http://127.0.0.1:{port}/api/v1"
        self.command = [
            str(Path(sys.executable).with_name("granian")), "--interface", "wsgi", "--workers", "1",
            "--blocking-threads", "4", "--host", "127.0.0.1", "--port", str(port), "forsale_api.wsgi:application",
        ]  # fmt: skip
        kept = {name: value for name, value in os.environ.items() if name not in ENVIRONMENT}
        self.environment = kept | {
            "DATABASE_URL": f"sqlite:///{folder / 'site.sqlite3'}",
            "DJANGO_SECRET_KEY": "x" * 50,
            "DJANGO_SETTINGS_MODULE": "forsale_api.settings",
            "API_LIMITS": "off",
            "WEBHOOKS_TO_LOOPBACK": "1",
        }
        self.process: subprocess.Popen[bytes] | None = None
        self.token = ""

    def manage(self, *command: str) -> str:
        run = [sys.executable, "manage.py", *command]
        return subprocess.run(
            run, cwd=ROOT, env=self.environment, capture_output=True, text=True, check=True
        ).stdout.strip()

    def start(self) -> None:
        self.process = subprocess.Popen(self.command, cwd=ROOT, env=self.environment, start_new_session=True)

    def kill(self) -> None:
        """kill -9 of granian and its worker, both ours: they are in a session of their own."""
        if self.process is not None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
            self.process = None

    def post(self, path: str, body: Any) -> Any:
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        request = urllib.request.Request(self.api + path, json.dumps(body).encode(), headers)  # noqa: S310
        with urllib.request.urlopen(request, timeout=30) as answer:  # noqa: S310
            return json.load(answer)

    def post_until_answered(self, path: str, body: Any) -> Any:
        deadline = time.monotonic() + 60
        while True:
            try:
                return self.post(path, body)
            except urllib.error.HTTPError as error:
                if error.code < 500:
                    raise AssertionError(error.read().decode()) from error
            except OSError:
                assert time.monotonic() < deadline
            time.sleep(0.05)


MAKE_OWNER = "from forsale_api.clubs.models import User; User.objects.create_user('olive', password='x')"


@pytest.mark.long
def test_every_webhook_of_an_answered_play_arrives_whatever_dies(tmp_path: Path) -> None:
    seed = random.randrange(10**6)
    print("seed", seed)
    chance = random.Random(seed)
    site = Site(tmp_path)
    site.manage("migrate", "--verbosity", "0")
    site.manage("shell", "--verbosity", "0", "--command", MAKE_OWNER)
    site.token = site.manage("createtoken", "olive", "--scopes", "plays:write,plays:read,club:admin")
    answered: set[str] = set()
    stop = threading.Event()

    def kill_now_and_then() -> None:
        for _ in range(KILLS):
            begun = len(answered)
            more = chance.randrange(POSTS // KILLS // 2, POSTS // KILLS)
            while len(answered) - begun < more and not stop.is_set():
                time.sleep(0.002)
            time.sleep(chance.random() * 0.05)
            site.kill()
            site.start()

    with receiving() as receiver:
        try:
            site.start()
            site.post_until_answered("/clubs/", {"name": "Nantes"})
            hook = site.post("/clubs/nantes/webhooks/", {"url": receiver.url, "events": ["play.created"]})
            killer = threading.Thread(target=kill_now_and_then)
            killer.start()
            for number in range(POSTS):
                play = {
                    "id": str(uuid.UUID(int=chance.getrandbits(128), version=4)),
                    "club": "nantes", "game": "for-sale", "played_on": f"2026-{number % 11 + 1:02}-01",
                    "seats": [{"player": p, "cheques": c, "banknotes": b}
                              for p, c, b in (("A", 83, 4), ("B", 85, 2), ("C", 70, 0))],
                }  # fmt: skip
                answered.add(site.post_until_answered("/plays/", play)["id"])
            stop.set()
            killer.join()
            deadline = time.monotonic() + 120
            while not answered <= {message["data"]["id"] for message in receiver.messages()}:
                assert time.monotonic() < deadline, "some webhooks never came"
                time.sleep(0.5)
        finally:
            stop.set()
            site.kill()
    assert len(answered) == POSTS
    assert all(is_signed(headers, body, hook["secret"]) for headers, body in receiver.got)
    ids = {headers["webhook-id"] for headers, _body in receiver.got}
    assert len(ids) == POSTS, "one message a play, under one id however often it came"
