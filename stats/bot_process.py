"""The process that a user's bot runs in: reads a view from a line of JSON, asks the bot, writes a line of JSON.

Started by `user_bots` as `python -I -B bot_process.py FILE NAME` with an empty environment. Before the bot's file is
read the process gives up what a bot does not need: memory, files to write, other processes, the network. That stops
mistakes and greed, and makes malice hard; it is no prison for an expert, so nobody else's bots belong on a server.
"""

import json
import os
import resource
import runpy
import sys
from contextlib import suppress
from random import Random
from types import SimpleNamespace
from typing import Any

MEMORY = 2 * 2**30
LIMITS = {
    resource.RLIMIT_AS: MEMORY,
    resource.RLIMIT_FSIZE: 0,
    resource.RLIMIT_CORE: 0,
    resource.RLIMIT_NOFILE: 64,
    resource.RLIMIT_NPROC: 0,
}
REFUSED = ("os.", "shutil.", "socket.", "subprocess.", "signal.", "ctypes.", "pty.", "fcntl.", "resource.")
ALLOWED = {"os.listdir", "os.scandir", "os.add_dll_directory", "os.putenv", "os.unsetenv"}


def refuse(event: str, arguments: tuple[Any, ...]) -> None:
    """An audit hook (PEP 578): raises PermissionError for what a bot has no business doing."""
    if event.startswith(REFUSED) and event not in ALLOWED and not (event == "ctypes.dlopen" and not arguments[0]):
        raise PermissionError(f"a bot may not do this: {event}")
    if event == "open" and arguments[1] is not None and set(str(arguments[1])) & set("wax+"):
        raise PermissionError(f"a bot may not write files: {arguments[0]}")


def give_up_privileges() -> None:
    """From here on for good."""
    for limit, most in LIMITS.items():
        with suppress(ValueError, OSError):
            resource.setrlimit(limit, (most, most))
    with suppress(AttributeError, OSError):  # Linux, where it is allowed: a network without any interface
        os.unshare(os.CLONE_NEWUSER | os.CLONE_NEWNET)
    sys.addaudithook(refuse)


def answer_to(bot: Any, line: str) -> dict[str, Any]:
    """What the bot chooses, or why it does not."""
    question = json.loads(line, object_hook=lambda fields: SimpleNamespace(**fields))
    try:
        chosen = getattr(bot, question.asks)(question.view, Random(question.random))
        return {"chosen": chosen if isinstance(chosen, int) else repr(chosen)[:50]}
    except BaseException as error:
        return failure(error)


def failure(error: BaseException) -> dict[str, Any]:
    """Whatever it is, a call to exit included: the other end has to know."""
    return {"error": f"{type(error).__name__}: {error}"[:300]}


def main() -> None:
    """Answer until the input ends."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # what the bot prints goes nowhere

    def write(answer: dict[str, Any]) -> None:
        answers.write(json.dumps(answer) + "\n")
        answers.flush()

    path, name = sys.argv[1:]
    give_up_privileges()
    try:
        bot = runpy.run_path(path)[name]()
    except BaseException as error:
        write(failure(error))
        return
    write({"ready": True})
    for line in sys.stdin:
        write(answer_to(bot, line))


if __name__ == "__main__":
    main()
