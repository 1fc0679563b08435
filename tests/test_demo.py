"""`manage.py demo`, run as a process of its own: what it prints is true, it ends in order, and nothing is lost."""

import re
import runpy
import signal
import socket
import sqlite3
import subprocess
import sys
import urllib.request
from argparse import ArgumentTypeError
from pathlib import Path
from urllib.error import HTTPError

import pytest

from dashboard.management.commands.demo import port_number
from stats.simulation import simulate
from stats.summary import Summary
from tests.demo import ROOT, demo, running_demo


def simulated(folder: Path) -> dict[tuple[str, int], bytes]:
    """The finished counts in the demo's database, by variant and player count."""
    with sqlite3.connect(folder / "demo.sqlite3") as database:
        rows = database.execute(
            "select variant, player_count, summary from stats_simulation s join stats_simulationresult r"
            " on r.id = s.result_id where s.status = 'finished'"
        ).fetchall()
    return {(variant, players): summary for variant, players, summary in rows}


def test_what_the_demo_prints_leads_to_a_page_and_logs_a_play_and_ctrl_c_ends_it(tmp_path: Path):
    with running_demo(tmp_path) as running:
        address = running.until(r"http://[\d.:]+/")[0]
        curl = running.until(r"Log a play:\s+(curl .*)\n")[1]
        with urllib.request.urlopen(address, timeout=10) as page:  # noqa: S310
            assert page.status == 200
        logged = subprocess.run(["bash", "-c", f"{curl} -si"], capture_output=True, text=True, timeout=20)
        assert " 201 " in logged.stdout.partition("\n")[0], logged.stdout
        assert '"decided_by":"banknotes"' in logged.stdout.replace(" ", "")
        with pytest.raises(HTTPError, match="404"):
            urllib.request.urlopen(f"{address}api/v1/clubs/nowhere/", timeout=10)  # noqa: S310
        running.process.send_signal(signal.SIGINT)
        running.process.send_signal(signal.SIGINT)
        assert running.process.wait(20) == 0
        assert "Stopped." in (rest := running.process.stdout.read())
        assert "Traceback" not in running.printed + rest
        assert "Not Found" not in running.printed + rest  # a caller's fault is no line of the progress


@pytest.mark.slow
def test_sigterm_in_the_middle_of_simulations_ends_it_too(tmp_path: Path):
    with running_demo(tmp_path, MAX_SIMULATION_GAMES="10000000") as running:
        running.until(r"\n[1-9][\d,]* of 80,000,000")
        running.process.terminate()
        assert running.process.wait(20) == 0
        assert "Traceback" not in running.printed + running.process.stdout.read()


@pytest.mark.slow
def test_once_prints_a_table_of_distributions_and_ends(tmp_path: Path):
    done = demo(tmp_path, "--once")
    assert done.returncode == 0, done.stderr
    for players in (3, 4, 5, 6):
        for variant in ("base", "not-enough-for-everyone"):
            assert re.search(rf"^{players} +{variant} +simulated +20,000 ", done.stdout, re.MULTILINE), done.stdout
            assert re.search(rf"^{players} +{variant} +recorded +\d+ ", done.stdout, re.MULTILINE), done.stdout


@pytest.mark.slow
def test_after_a_kill_the_next_start_finishes_with_exactly_the_same_counts(tmp_path: Path):
    games = 300_000
    with running_demo(tmp_path, "--once", MAX_SIMULATION_GAMES=str(games)) as running:
        running.until(r"\n[1-9][\d,]* of 2,400,000")
        running.process.kill()
    assert len(simulated(tmp_path)) < 8, "it was killed too late to show anything"
    done = demo(tmp_path, "--once", MAX_SIMULATION_GAMES=str(games))
    assert done.returncode == 0, done.stderr
    found = simulated(tmp_path)
    assert len(found) == 8
    for (variant, players), summary in found.items():
        request = {"game": "for-sale", "edition": "iello", "variant": variant, "player_count": players}
        straight = simulate(**request, bots=["coin-flip"] * players, games=games, seed=1)
        assert Summary.from_bytes(summary).as_dict() == straight.as_dict()


def test_a_port_in_use_is_a_sentence_and_exit_code_1(tmp_path: Path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        done = demo(tmp_path, "--port", str(port))
    assert done.returncode == 1
    assert f"Cannot listen on port {port}: Address already in use. Try another: " in done.stderr
    assert "Traceback" not in done.stderr


def test_a_folder_that_cannot_be_written_is_a_sentence_and_exit_code_1(tmp_path: Path):
    (tmp_path / "file").write_text("not a folder")
    done = demo(tmp_path / "file")
    assert done.returncode == 1
    assert f"Cannot write the database {tmp_path}/file/demo.sqlite3: " in done.stderr
    assert "Traceback" not in done.stderr


def test_a_file_that_is_no_database_is_a_sentence_and_exit_code_1(tmp_path: Path):
    (tmp_path / "demo.sqlite3").write_text("my diary " * 1000)
    done = demo(tmp_path)
    assert done.returncode == 1
    assert "Cannot use the database" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("text", ["99999", "-1", "web", "8_0"])
def test_a_port_that_is_no_port_is_refused(text: str):
    with pytest.raises(ArgumentTypeError, match="is not a port"):
        port_number(text)


def test_an_old_python_is_told_what_to_do(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys, "version_info", (3, 11, 7))
    with pytest.raises(SystemExit, match=r"needs Python 3\.12 or newer.*UV_PYTHON=3\.13 uv run manage\.py demo"):
        runpy.run_path(str(ROOT / "manage.py"), run_name="__main__")
