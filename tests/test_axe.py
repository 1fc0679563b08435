"""Accessibility: axe finds nothing on any page in either theme, and the keyboard alone is enough."""

import hashlib
from pathlib import Path
from typing import Any

import pytest
from rest_framework.test import APIClient

from forsale_api.clubs.models import Club
from stats.models import Simulation
from tests.test_pages import (
    PAGES,
    Tab,
    chromium,
    everything,
    logged,
    no_references_on_their_way,
    signed_in,
    simulated,
    until,
)

__all__ = ["chromium", "logged", "no_references_on_their_way", "simulated"]  # fixtures

VENDOR = Path(__file__).parent / "vendor" / "axe-core"
OPEN = "for (const one of document.querySelectorAll('details:not(.menu)')) one.open = true"
# Best practices are not rules of WCAG; they are kept too, but for one: a page's skip link stands outside its landmarks.
RUN = """async () => (await axe.run(document, {rules: {region: {enabled: false}}})).violations.map(
    (found) => [found.id, found.nodes.map((node) => node.target.join(" ")).slice(0, 5)])"""
OWN = [
    "/simulations/new/", "/leagues/new/", "/clubs/new/", "/accounts/", "/accounts/tokens/", "/plays/mine/",
    "/clubs/nantes/people/", "/clubs/nantes/settings/", "/clubs/nantes/delete/",
]  # fmt: skip


def test_the_vendored_engine_is_the_published_one() -> None:
    (line,) = [line for line in (VENDOR / "VERSION.txt").read_text().splitlines() if line.endswith("axe.min.js")]
    assert hashlib.sha256((VENDOR / "axe.min.js").read_bytes()).hexdigest() == line.split()[0]
    assert (VENDOR / "LICENSE").read_text().startswith("Mozilla Public License")


def violations(tab: Tab, path: str) -> list[Any]:
    page = tab.open(path)
    page.evaluate(OPEN)
    page.evaluate((VENDOR / "axe.min.js").read_text())
    return [[path, *found] for found in page.evaluate(RUN)]


def with_session(context: Any, client: APIClient, address: str) -> Any:
    session = signed_in(client).cookies["sessionid"].value
    context.add_cookies([{"name": "sessionid", "value": session, "url": address}])
    return context


@pytest.mark.long
@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
def test_axe_finds_nothing(
    chromium: Any, live_server: Any, logged: Any, simulated: Any, owner: APIClient, theme: str, width: int
) -> None:
    settings = {"viewport": {"width": width, "height": 844}, "color_scheme": theme}
    stranger = Tab(chromium.new_context(**settings), live_server.url)
    found = [each for path in everything(owner) for each in violations(stranger, path)]
    mine = Tab(with_session(chromium.new_context(**settings), owner, live_server.url), live_server.url)
    found += [each for path in (*OWN, "/") for each in violations(mine, path)]
    assert found == []
    assert len(PAGES) < len(everything(owner))


@pytest.mark.slow
def test_the_keyboard_alone_reads_the_table_of_a_chart(
    chromium: Any, live_server: Any, logged: Any, simulated: Any
) -> None:
    tab = Tab(chromium.new_context(viewport={"width": 1280, "height": 800}), live_server.url)
    page = tab.open("/?player_count=3&variant=base")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    for _step in range(60):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.matches('#scores summary')"):
            break
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.parentElement.open")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.getAttribute('role')") == "region"
    assert "Base game" in page.inner_text("#table")
    tab.check()


@pytest.mark.slow
def test_the_keyboard_alone_starts_a_simulation(
    chromium: Any, live_server: Any, owner: APIClient, club: Club, transactional_db: Any
) -> None:
    context = with_session(chromium.new_context(viewport={"width": 1280, "height": 800}), owner, live_server.url)
    page = Tab(context, live_server.url).open("/simulations/new/")

    def go_to(name: str) -> None:
        for _step in range(60):
            if page.evaluate("document.activeElement.name || document.activeElement.textContent.trim()") == name:
                return
            page.keyboard.press("Tab")
        pytest.fail(f"The keyboard does not reach {name}")

    go_to("player_count")
    page.keyboard.type("5")
    assert page.is_hidden("[data-of-seat='6']")
    go_to("games")
    page.keyboard.press("Control+A")
    page.keyboard.type("300")
    go_to("Start")
    page.keyboard.press("Enter")
    until(lambda: Simulation.objects.filter(games=300, player_count=5).exists())
