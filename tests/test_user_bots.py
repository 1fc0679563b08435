"""A bot of one's own plays in a process of its own: what it does wrong costs it a pass, and nobody anything else."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from forsale_api.rules.for_sale import EDITIONS, replay, scores
from stats.bots import BOTS, Bot, play
from stats.simulation import Setting, simulate
from stats.tally import simulate_readable
from stats.user_bots import MOST_DEATHS, BotError, UserBot

OWN = """
import os, socket, subprocess, sys, time

class ToSix:
    def bid(self, view, random):
        return view.highest + 1 if view.highest < min(6, view.banknotes) else 0
    def sell(self, view, random):
        return random.choice(view.hand)

class Wrong(ToSix):
    def bid(self, view, random):
        return random.choice([view.banknotes + 1, -1, "3", None, 2.5, True])
    def sell(self, view, random):
        return 31

class Broken(ToSix):
    def bid(self, view, random):
        raise ZeroDivisionError("as it happens")

class Asleep(ToSix):
    def bid(self, view, random):
        time.sleep(60)

class Quits(ToSix):
    def bid(self, view, random):
        os._exit(3)

class Talks(ToSix):
    def bid(self, view, random):
        print('{"chosen": 1}' * 1000)
        os.write(1, b'{"chosen": 1}')
        return 0

class Hungry(ToSix):
    def bid(self, view, random):
        return len(bytearray(2**36))

class Burglar(ToSix):
    def bid(self, view, random):
        for crime in CRIMES:
            try:
                crime()
            except (OSError, BlockingIOError):
                continue
            return 1 + CRIMES.index(crime) + view.highest
        return 0

CRIMES = (
    lambda: open(TARGET, "w"),
    lambda: os.remove(TARGET),
    lambda: os.kill(os.getppid(), 0),
    lambda: os.fork(),
    lambda: subprocess.run(["true"]),
    lambda: socket.create_connection(("127.0.0.1", 6379)),
)

class Unready:
    def __init__(self):
        raise RuntimeError("not today")
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "target").write_text("untouched")
    path = tmp_path / "own.py"
    path.write_text(f"TARGET = {str(tmp_path / 'target')!r}\n{OWN}")
    return path


def played(own: UserBot, games: int = 3) -> list[dict[str, Any]]:
    """Records of games with the bot in seat 1; each is replayed, so that it was legal."""
    records = []
    for index in range(games):
        kind: dict[str, Any] = {"edition": EDITIONS["iello"], "variant": "base", "player_count": 3}
        bots = [own.bot, BOTS["coin-flip"], BOTS["to-six"]]
        state, record = play(**kind, bots=bots, seed=5, index=index)
        assert scores(replay(record, **kind)) == scores(state)
        records.append(record)
    return records


def bids(records: list[dict[str, Any]]) -> list[int]:
    """What seat 1 bid."""
    return [
        action["bid"]
        for record in records
        for auction in record["auctions"]
        for action in auction["actions"]
        if action["seat"] == 1 and "bid" in action
    ]


def test_a_bot_of_ones_own_plays_like_any_other_and_the_same_seed_gives_the_same_games(file: Path) -> None:
    with UserBot(f"{file}:ToSix") as one, UserBot(f"{file}:ToSix") as other:
        assert played(one) == played(other)
        assert set(bids(played(one))) == {1, 2, 3, 4, 5, 6}
        assert not one.faults
        assert one.slug == other.slug


def test_what_is_illegal_is_a_pass_or_the_lowest_house_and_is_counted(file: Path) -> None:
    with UserBot(f"{file}:Wrong") as own:
        records = played(own)
        decisions = sum(action["seat"] == 1 for r in records for a in r["auctions"] for action in a["actions"])
        sales = sum(len(record["sales"]) for record in records)
        assert bids(records) == []
        assert own.faults == {"illegal": decisions + sales}
        for record in records:
            sold = [offer["house"] for sale in record["sales"] for offer in sale["offers"] if offer["seat"] == 1]
            assert sold == sorted(sold)


@pytest.mark.parametrize(("name", "fault"), [("Broken", "raised"), ("Hungry", "raised"), ("Quits", "died")])
def test_a_bot_that_fails_passes(file: Path, name: str, fault: str) -> None:
    with UserBot(f"{file}:{name}") as own:
        assert bids(played(own, 1)) == []
        assert own.faults[fault] > 0
        assert (own.last_error == "ZeroDivisionError: as it happens") is (name == "Broken")


def test_a_bot_that_sleeps_is_not_waited_for_and_given_up_in_the_end(file: Path) -> None:
    with UserBot(f"{file}:Asleep", move_seconds=0.01) as own:
        assert bids(played(own, 3)) == []
        assert own.faults["too slow"] == MOST_DEATHS + 1
        assert own.faults["given up"] > 0


def test_what_a_bot_prints_does_not_count_as_an_answer(file: Path) -> None:
    with UserBot(f"{file}:Talks") as own:
        assert bids(played(own, 1)) == []
        assert not own.faults


def test_a_bot_may_neither_write_nor_reach_other_processes_or_the_network(file: Path) -> None:
    with UserBot(f"{file}:Burglar") as own:
        assert bids(played(own, 1)) == [], "a bid of 1 and up names the crime that went through"
        assert not own.faults
    assert (file.parent / "target").read_text() == "untouched"


def test_its_process_ends_with_it(file: Path) -> None:
    with UserBot(f"{file}:ToSix") as own:
        process = own._process
        assert process is not None
    with pytest.raises(ProcessLookupError):
        os.kill(process.pid, 0)


@pytest.mark.parametrize(
    ("spec", "why"),
    [("nowhere.py:Bot", "must be there"), ("{file}:", "must be there"), ("{file}:Nobody", "Nobody"),
     ("{file}:Unready", "not today")],
)  # fmt: skip
def test_a_bot_that_cannot_be_loaded_is_refused_with_the_reason(file: Path, spec: str, why: str) -> None:
    with pytest.raises(BotError, match=why):
        UserBot(spec.format(file=file))
    with pytest.raises(CommandError, match=why) as refused:
        call_command("simulate", "--players", "3", "--bots", f"random,random,{spec.format(file=file)}")
    assert refused.value.returncode == 2


def test_the_readable_table_counts_what_the_kernel_counts() -> None:
    for variant, players in (("base", 5), ("not-enough-for-everyone", 3)):
        setting = Setting("for-sale", "iello", variant, players, (["random", "to-six", "coin-flip"] * 2)[:players], 8)
        kernel = simulate(game="for-sale", variant=variant, player_count=players, bots=setting.bots, games=40, seed=8)
        setting = kernel.setting
        readable = simulate_readable(setting, games=40, others=dict(BOTS))
        assert readable == kernel


def test_the_command_simulates_with_it_prints_whole_games_and_names_its_faults(file: Path, capsys: Any) -> None:
    line_up = f"{file}:Wrong,coin-flip,to-six"
    call_command("simulate", "--players", "3", "--bots", line_up, "--games", "5", "--seed", "3", "--json")
    printed = capsys.readouterr()
    results = json.loads(printed.out)
    assert results["games"] == 5
    assert results["seats"][0]["bot"].startswith("Wrong@")
    assert "passed or sold its lowest house instead of: illegal" in printed.err
    call_command("simulate", "--players", "3", "--bots", line_up, "--games", "5", "--seed", "3", "--record", "2")
    records = [json.loads(line)["record"] for line in capsys.readouterr().out.splitlines()]
    assert len(records) == 2
    for record in records:
        replay(record, edition=EDITIONS["iello"], variant="base", player_count=3)


def test_a_bot_is_seated_by_the_name_of_its_class_and_what_its_file_holds(file: Path) -> None:
    with UserBot(f"{file}:ToSix") as own:
        before = own.slug
        assert isinstance(own.bot, Bot)
    file.write_text(file.read_text() + "\n# changed\n")
    with UserBot(f"{file}:ToSix") as own:
        assert own.slug != before
        assert own.slug.startswith("ToSix@")
