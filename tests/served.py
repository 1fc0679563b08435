"""The service in processes of its own, with a database of its own, and a client that repeats what was not answered."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPException
from pathlib import Path
from typing import Any

import psycopg

from forsale_api.settings import ENVIRONMENT

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(sys.executable).parent
MAKE_OWNER = "from forsale_api.clubs.models import User; User.objects.create_user('olive', password='x')"


@contextmanager
def own_database(folder: Path) -> Iterator[str]:
    """The address of a new database: on the server of DATABASE_URL where that is PostgreSQL, else a file."""
    server = os.environ.get("DATABASE_URL", "")
    if not server.startswith("postgres"):
        yield f"sqlite:///{folder / 'site.sqlite3'}"
        return
    name = f"forsale_served_{os.getpid()}_{time.monotonic_ns()}"
    with psycopg.connect(server.rsplit("/", 1)[0] + "/postgres", autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}"')
        try:
            yield server.rsplit("/", 1)[0] + "/" + name
        finally:
            connection.execute(f'DROP DATABASE "{name}" WITH (FORCE)')


class Site:
    """Web processes under granian on one port for the whole life, and workers: of their own where CELERY_BROKER_URL
    names a broker, else within the web processes. `token` is that of an owner of the club of Nantes."""

    def __init__(self, database: str) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.api = f"http://127.0.0.1:{port}/api/v1"
        broker = os.environ.get("CELERY_BROKER_URL", "")
        self.commands = {
            "web": ["granian", "--interface", "wsgi", "--workers", "2", "--blocking-threads", "4", "--host",
                    "127.0.0.1", "--port", str(port), "--log-level", "error", "forsale_api.wsgi:application"],
        }  # fmt: skip
        if broker:
            schedule = f"/tmp/beat-{os.getpid()}-{port}"  # noqa: S108  removed with the machine
            self.commands["worker"] = ["celery", "--app", "forsale_api", "worker", "--loglevel", "ERROR"]
            self.commands["beat"] = ["celery", "--app", "forsale_api", "beat", "--loglevel", "ERROR", "-s", schedule]
        kept = {name: value for name, value in os.environ.items() if name not in ENVIRONMENT}
        self.environment = kept | {
            "DATABASE_URL": database,
            "CELERY_BROKER_URL": broker,
            "DJANGO_SECRET_KEY": "x" * 50,
            "DJANGO_SETTINGS_MODULE": "forsale_api.settings",
            "API_LIMITS": "off",
            "WEBHOOKS_TO_LOOPBACK": "1",
            "NUMBA_DISABLE_JIT": "1",  # nothing is simulated here
        }
        self.processes: dict[str, subprocess.Popen[bytes]] = {}
        self.token = ""

    def manage(self, *command: str) -> str:
        """What a command of manage.py prints. Raises where it fails."""
        run = [sys.executable, "manage.py", *command]
        done = subprocess.run(run, cwd=ROOT, env=self.environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout.strip()

    def start(self, name: str) -> None:
        program, *rest = self.commands[name]
        command = [str(BIN / program), *rest]
        self.processes[name] = subprocess.Popen(command, cwd=ROOT, env=self.environment, start_new_session=True)

    def kill(self, name: str) -> None:
        """kill -9 of a process and its children, all ours: they are in a session of their own."""
        process = self.processes.pop(name, None)
        if process is not None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()

    def call(self, method: str, path: str, body: Any = None, **headers: str) -> Any:
        """The answer's JSON. Raises `HTTPError` for one above 399, `OSError` or `HTTPException` where it breaks off."""
        headers = {name.replace("_", "-"): value for name, value in headers.items()}
        headers |= {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        data = json.dumps(body).encode() if body is not None else None
        request = urllib.request.Request(self.api + path, data, headers, method=method)  # noqa: S310
        with urllib.request.urlopen(request, timeout=30) as answer:  # noqa: S310
            return json.load(answer)

    def call_until_answered(self, method: str, path: str, body: Any = None, **headers: str) -> Any:
        """`call`, the same again until an answer says what became of it: as a client does whose line broke."""
        deadline = time.monotonic() + 90
        while True:
            try:
                return self.call(method, path, body, **headers)
            except urllib.error.HTTPError as error:
                if "Retry-After" not in error.headers:
                    raise AssertionError(error.read().decode()) from error
            except (OSError, HTTPException, ValueError):  # nobody listens, or the answer breaks off
                pass
            assert time.monotonic() < deadline, "no answer"
            time.sleep(0.05)


@contextmanager
def served(folder: Path) -> Iterator[Site]:
    """The service, running, with an owner and the club of Nantes."""
    with own_database(folder) as database:
        site = Site(database)
        site.manage("migrate", "--verbosity", "0")
        site.manage("shell", "--verbosity", "0", "--command", MAKE_OWNER)
        site.token = site.manage("createtoken", "olive", "--scopes", "plays:write,plays:read,club:admin")
        try:
            for name in site.commands:
                site.start(name)
            site.call_until_answered("POST", "/clubs/", {"name": "Nantes"}, Idempotency_Key="nantes")
            yield site
        finally:
            for name in list(site.processes):
                site.kill(name)
