"""What several processes do at the same moment."""

import threading
import uuid
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.served import Site, served
from tests.test_plays import body

AT_ONCE = 10


def ten_at_once(site: Site, sent: dict[str, Any], **headers: str) -> list[str]:
    """The ids of the plays that ten callers are answered who send the same at the same moment."""
    start = threading.Barrier(AT_ONCE)

    def post(_number: int) -> str:
        start.wait()
        return str(site.call_until_answered("POST", "/plays/", sent, **headers)["id"])

    with ThreadPoolExecutor(AT_ONCE) as callers:
        return list(callers.map(post, range(AT_ONCE)))


@pytest.mark.slow
def test_the_same_post_sent_ten_times_at_once_makes_one_play(tmp_path: Path) -> None:
    with served(tmp_path) as site:
        for turn in range(5):
            guests = [{**seat, "player": f"{seat['player']} {turn}"} for seat in body()["seats"]]
            for sent, headers in (
                (body(notes=f"key {turn}", seats=guests), {"Idempotency-Key": f"key-{turn}"}),
                (body(notes=f"id {turn}", id=str(uuid.uuid4())), {}),
                (body(notes=f"both {turn}", id=str(uuid.uuid4())), {"Idempotency-Key": f"both-{turn}"}),
            ):
                assert len(set(ten_at_once(site, sent, **headers))) == 1
        listed = site.call("GET", "/plays/?club=nantes&page_size=200")["results"]
        assert sorted(play["notes"] for play in listed) == sorted(
            f"{way} {turn}" for way in ("key", "id", "both") for turn in range(5)
        )
        assert len(site.call("GET", "/clubs/nantes/players/?page_size=200")["results"]) == 3 * 6
