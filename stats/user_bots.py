"""A bot of one's own: a Python class in a file, seated beside the built-in bots. No Django.

    class Cautious:
        def bid(self, view, random):      # the new whole stake, or 0 to pass
            return view.highest + 1 if view.highest < 4 else 0

        def sell(self, view, random):     # a house of view.hand
            return max(view.hand)

`view` has the fields of `stats.bots.View`: everything the seat sees or may remember, so that a bot needs no memory.
`random` is a `random.Random` drawn from the game's own stream: the same seed gives the same games.

The class runs in a process of its own (`bot_process`), with limits and a time for each move. What is illegal, too slow
or broken is a pass or the lowest house, counted in `faults`.
"""

import hashlib
import json
import os
import select
import signal
import subprocess
import sys
import time
from collections import Counter
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any, Self

from stats.bots import Bot, Stream, View

MOVE_SECONDS = 1.0
START_SECONDS = 10.0
MOST_DEATHS = 20
"""Processes that may hang or die before the bot is given up: from then on it passes and sells its lowest house."""
LONGEST_ANSWER = 10_000


class BotError(ValueError):
    """A bot that cannot be loaded; the message says why."""


class UserBot:
    """The bot `NAME` of the file `path` in `path:NAME`; a context manager, which ends the bot's process.

    `slug` names the bot and the contents of its file. `faults` counts, by kind: "illegal", "raised", "too slow",
    "died", "given up"; `last_error` is what it raised last. Raises BotError where there is no such bot.
    """

    def __init__(self, spec: str, *, move_seconds: float = MOVE_SECONDS) -> None:
        path, _colon, self._name = spec.rpartition(":")
        self._path = Path(path)
        if not path or not self._name.isidentifier() or not self._path.is_file():
            raise BotError(f"{spec}: a bot of your own is path/to/file.py:ClassName, and the file must be there")
        digest = hashlib.sha256(self._path.read_bytes()).hexdigest()
        self.slug = f"{self._name}@{digest[:8]}"
        self.faults: Counter[str] = Counter()
        self.last_error = ""
        self._move_seconds = move_seconds
        self._process: subprocess.Popen[bytes] | None = None
        self._start()
        if self._process is None:
            raise BotError(f"{spec}: {self.last_error or 'the bot does not start'}")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self._end()

    @property
    def bot(self) -> Bot:
        """The bot as `stats.bots.play` seats it; its moves are always legal."""
        return Bot(self.slug, {"en": self._name}, {"en": str(self._path)}, self._bid, self._sell)

    def _bid(self, view: View, stream: Stream) -> int:
        chosen = self._ask("bid", view, stream)
        if chosen is None or chosen == 0:
            return 0
        if not view.highest < chosen <= view.banknotes:
            self.faults["illegal"] += 1
            return 0
        return chosen

    def _sell(self, view: View, stream: Stream) -> int:
        chosen = self._ask("sell", view, stream)
        if chosen in view.hand:
            return int(chosen or 0)
        if chosen is not None:
            self.faults["illegal"] += 1
        return min(view.hand)

    def _ask(self, asks: str, view: View, stream: Stream) -> int | None:
        """What the bot chooses; None, and a fault counted, where it does not answer with a whole number."""
        question = {"asks": asks, "view": asdict(view), "random": stream.draw()}
        if self._process is None:
            self.faults["given up"] += 1
            return None
        answer = self._exchange(json.dumps(question).encode() + b"\n", self._move_seconds)
        if answer is None:
            return None
        if "error" in answer:
            self.faults["raised"] += 1
            self.last_error = str(answer["error"])
            return None
        chosen = answer.get("chosen")
        if type(chosen) is not int:
            self.faults["illegal"] += 1
            return None
        return chosen

    def _exchange(self, question: bytes, seconds: float) -> dict[str, Any] | None:
        """The process's next answer; None, and the process begun anew, where it is late or gone."""
        try:
            os.write(self._in, question)
            answer = self._read(seconds)
        except (OSError, ValueError):  # gone, or no JSON
            self._again("died")
            return None
        if answer is None:
            self._again("too slow")
        return answer

    def _read(self, seconds: float) -> dict[str, Any] | None:
        """A line of JSON within so many seconds, or None. Raises OSError or ValueError where something else comes."""
        deadline, line, out = time.monotonic() + seconds, b"", self._out
        while not line.endswith(b"\n"):
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([out], [], [], left)[0]:
                return None
            some = os.read(out, LONGEST_ANSWER)
            line += some
            if not some or len(line) > LONGEST_ANSWER:
                raise ValueError("no answer")
        answer = json.loads(line)
        return answer if isinstance(answer, dict) else {"chosen": answer}

    def _again(self, fault: str) -> None:
        self.faults[fault] += 1
        self._end()
        if self.faults["too slow"] + self.faults["died"] <= MOST_DEATHS:
            self._start()

    def _start(self) -> None:
        """Begin the bot's process; none where the bot cannot be loaded."""
        runner = Path(__file__).with_name("bot_process.py")
        self._process = process = subprocess.Popen(  # noqa: S603 - our own file, and a path of whoever calls
            [sys.executable, "-I", "-B", str(runner), str(self._path.resolve()), self._name],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"},
            cwd="/",
            bufsize=0,
            start_new_session=True,
        )
        self._in, self._out = (pipe.fileno() if pipe else -1 for pipe in (process.stdin, process.stdout))
        try:
            answer = self._read(START_SECONDS)
        except (OSError, ValueError):
            answer = None
        if answer is None or "error" in answer:
            self.last_error = str((answer or {}).get("error", "it does not start in time"))
            self._end()

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()
