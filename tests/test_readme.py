"""The lines of README.md do what it says, against a running demo; its pictures and links are there."""

import json
import os
import re
import subprocess
import time
from pathlib import Path

import pytest

from tests.demo import running_demo

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text()
BEHIND = 10  # seconds after which figures must be there


def tour() -> list[tuple[str, str]]:
    """The curl lines of the tour, each with the part of the answer that is promised after the arrow."""
    section = README.partition("## A tour with curl")[2].partition("\n## ")[0]
    return re.findall(r"^(curl .*)\n# → (.*)$", section, re.MULTILINE)


def squeezed(text: str) -> str:
    return re.sub(r"\s*([:,{}\[\]])\s*", r"\1", text)


@pytest.mark.slow
def test_the_lines_of_the_tour_answer_what_is_promised(tmp_path: Path):
    lines = tour()
    assert len(lines) == README.count("\ncurl ")
    with running_demo(tmp_path, MAX_SIMULATION_GAMES="1000000") as running:
        token = running.until(r"Token:\s+(\S+)\n")[1]
        address = running.until(r"http://[\d.:]+")[0]
        variables = {"API": f"{address}/api/v1", "TOKEN": token, "JSON": "Content-Type: application/json"}
        for line, promised in lines:
            assert_answers(line, promised, variables)


def assert_answers(line: str, promised: str, variables: dict[str, str]) -> None:
    """Run a line, again for a while where it only reads, until the answer is a success that holds what is promised."""
    deadline = time.monotonic() + BEHIND
    while True:
        done = subprocess.run(
            ["bash", "-c", f"{line} --fail-with-body"],
            env=os.environ | variables,
            capture_output=True,
            text=True,
            timeout=20,
        )
        if done.returncode == 0 and squeezed(promised) in squeezed(done.stdout):
            json.loads(done.stdout)
            return
        assert " -d " not in line and time.monotonic() < deadline, f"{line}\n{done.stdout[:2000]}"  # noqa: PT018
        time.sleep(0.3)


def test_the_promised_files_are_there():
    for target in re.findall(r"\]\((?!http)([^)#]+)\)", README):
        assert (ROOT / target).is_file(), target


def test_the_picture_is_small():
    assert (ROOT / "docs" / "dashboard.png").stat().st_size < 300_000


def test_the_test_command_is_the_one_that_continuous_integration_runs():
    (command,) = re.findall(r"^pip install uv && (uv run .*pytest)$", README, re.MULTILINE)
    assert f" {command}\n" in (ROOT / ".ci" / "run").read_text()
