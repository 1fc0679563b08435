"""Processes are killed at random moments of a thousand posts: what was answered is there, once, and is told of."""

import random
import threading
import time
import uuid
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.receiver import is_signed, receiving
from tests.served import Site, served

POSTS = 1000
KILLS = 6
CLIENTS = 4


def play_of(number: int) -> dict[str, Any]:
    figures = (("A", 83, 4), ("B", 85, 2), (f"Guest {number // 50}", 70, 0))
    seats = [{"player": name, "cheques": cheques, "banknotes": banknotes} for name, cheques, banknotes in figures]
    day = f"2026-{number % 11 + 1:02}-01"
    return {"club": "nantes", "game": "for-sale", "played_on": day, "notes": str(number), "seats": seats}


def kill_now_and_then(site: Site, chance: random.Random, answered: dict[int, str], stop: threading.Event) -> None:
    for _ in range(KILLS):
        begun = len(answered)
        more = chance.randrange(POSTS // KILLS // 2, POSTS // KILLS)
        while len(answered) - begun < more and not stop.is_set():
            time.sleep(0.002)
        time.sleep(chance.random() * 0.05)
        for name in chance.choice([["web"], list(site.commands)]):
            site.kill(name)
        for name in site.commands.keys() - site.processes.keys():
            site.start(name)


@pytest.mark.slow
def test_every_answered_play_is_there_once_and_every_webhook_of_it_arrives_whatever_dies(tmp_path: Path) -> None:
    seed = random.randrange(10**6)
    print("seed", seed)
    chance = random.Random(seed)
    ids = [uuid.UUID(int=chance.getrandbits(128), version=4) for _ in range(POSTS)]
    answered: dict[int, str] = {}
    stop = threading.Event()

    with served(tmp_path) as site, receiving() as receiver:
        hook = site.call("POST", "/clubs/nantes/webhooks/", {"url": receiver.url, "events": ["play.created"]})

        def post(number: int) -> None:
            if number % 2:  # the two ways to send something again
                safe = site.call_until_answered("POST", "/plays/", play_of(number) | {"id": str(ids[number])})
            else:
                safe = site.call_until_answered("POST", "/plays/", play_of(number), Idempotency_Key=f"post-{number}")
            answered[number] = safe["id"]

        killer = threading.Thread(target=kill_now_and_then, args=(site, chance, answered, stop))
        killer.start()
        try:
            with ThreadPoolExecutor(CLIENTS) as clients:
                list(clients.map(post, range(POSTS)))
        finally:
            stop.set()
            killer.join()

        stored: dict[str, str] = {}
        path: str | None = "/plays/?club=nantes&page_size=200"
        while path:
            page = site.call_until_answered("GET", path)
            stored |= {play["id"]: play["notes"] for play in page["results"]}
            path = page["next"].removeprefix(site.api) if page["next"] else None
        assert stored == {answered[number]: str(number) for number in range(POSTS)}, "each is there, once, as it was"

        deadline = time.monotonic() + 120
        while not stored.keys() <= {message["data"]["id"] for message in receiver.messages()}:
            assert time.monotonic() < deadline, "some webhooks never came"
            time.sleep(0.2)
        site.manage("check_aggregates")
    assert all(is_signed(headers, body, hook["secret"]) for headers, body in receiver.got)
    assert len({headers["webhook-id"] for headers, _body in receiver.got}) == POSTS, "one message a play, under one id"
