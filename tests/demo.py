"""`manage.py demo` as a process of its own, for the tests that run it."""

import os
import re
import selectors
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from forsale_api.settings import ENVIRONMENT

ROOT = Path(__file__).resolve().parent.parent


def environment(folder: Path, **more: str) -> dict[str, str]:
    """Ours without what a test run sets, and with a database in this folder; small simulations unless told."""
    kept = {name: value for name, value in os.environ.items() if name not in ENVIRONMENT}
    database = f"sqlite:///{folder / 'demo.sqlite3'}"
    return kept | {"DATABASE_URL": database, "MAX_SIMULATION_GAMES": "20000"} | more


def demo(folder: Path, *options: str, **more: str) -> subprocess.CompletedProcess[str]:
    """A demo that ends by itself."""
    command = [sys.executable, "manage.py", "demo", *options]
    return subprocess.run(
        command, cwd=ROOT, env=environment(folder, **more), capture_output=True, text=True, timeout=90
    )


class RunningDemo:
    """A demo that stays, and what it has printed."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        self.printed = ""

    def until(self, pattern: str, seconds: float = 40) -> re.Match[str]:
        """The first match of a pattern in what it prints, however long that takes within these seconds."""
        deadline = time.monotonic() + seconds
        with selectors.DefaultSelector() as selector:
            selector.register(self.process.stdout, selectors.EVENT_READ)
            while not (found := re.search(pattern, self.printed)):
                assert time.monotonic() < deadline, f"{pattern} is not in:\n{self.printed}"
                if selector.select(timeout=0.1):
                    piece = os.read(self.process.stdout.fileno(), 65536).decode()
                    assert piece, f"it ended without {pattern}:\n{self.printed}"
                    self.printed += piece
        return found


@contextmanager
def running_demo(folder: Path, *options: str, **more: str) -> Iterator[RunningDemo]:
    command = [sys.executable, "manage.py", "demo", "--port", "0", *options]
    process = subprocess.Popen(
        command, cwd=ROOT, env=environment(folder, **more), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    try:
        yield RunningDemo(process)
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
