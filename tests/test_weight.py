"""What a browser is sent for a first view, counted by the browser: compressed as it is served."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.db import connections
from django.test.testcases import LiveServerThread
from rest_framework.test import APIClient

from forsale_api.clubs.models import Club
from tests.test_pad import Phone
from tests.test_pages import chromium

__all__ = ["chromium"]


class Served:
    """The site on a port of its own, through every middleware, files too."""

    def __init__(self) -> None:
        self.thread = LiveServerThread("127.0.0.1", lambda handler: handler)
        self.thread.start()
        self.thread.is_ready.wait()
        assert self.thread.error is None
        self.url = f"http://127.0.0.1:{self.thread.port}"


@pytest.fixture
def served(transactional_db: Any) -> Iterator[Served]:
    site = Served()
    yield site
    site.thread.terminate()
    connections.close_all()


def transferred(phone: Phone, path: str) -> dict[str, int]:
    """Bytes over the wire by address, of everything that the page asks for until it is quiet."""
    wire = phone.context.new_cdp_session(phone.page)
    wire.send("Network.enable")
    wire.send("Network.setCacheDisabled", {"cacheDisabled": True})
    addresses: dict[str, str] = {}
    sizes: dict[str, int] = {}
    wire.on("Network.requestWillBeSent", lambda event: addresses.update({event["requestId"]: event["request"]["url"]}))
    wire.on(
        "Network.loadingFinished",
        lambda event: sizes.update({addresses.get(event["requestId"], "?"): int(event["encodedDataLength"])}),
    )
    phone.page.goto(phone.address + path)
    phone.page.wait_for_load_state("networkidle")
    return sizes


@pytest.mark.slow
def test_the_first_view_is_under_seven_hundred_kilobytes_and_the_pad_under_sixty(
    chromium: Any, served: Served, member: APIClient, club: Club
) -> None:
    for path, most in (("/", 700_000), ("/log/", 60_000)):
        sizes = transferred(Phone(chromium, served, member.user), path)
        assert any(address.endswith("/site.css") for address in sizes), sizes
        assert 10_000 < sum(sizes.values()) < most, sizes
