"""What other sites show: frames, badge and oEmbed, for everybody alike and nothing of a private club."""

import re
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.core.cache import cache
from rest_framework.test import APIClient

from forsale_api.clubs.models import Club, Player
from tests.receiver import serving
from tests.test_aggregates import publish
from tests.test_folding import fold_all
from tests.test_pages import PAGES, Tab, chromium, until  # noqa: F401  the fixture
from tests.test_plays import post


@pytest.fixture(autouse=True)
def no_references_on_their_way() -> None:
    cache.clear()


@pytest.fixture
def play(owner: APIClient, club: Club) -> str:
    """The id of a play of a public club."""
    publish(club)
    made: str = post(owner)["id"]
    fold_all()
    return made


def frames(play: str) -> list[str]:
    return [f"/embed/plays/{play}/", "/embed/clubs/nantes/"]


def everything(play: str) -> list[str]:
    page = f"http://testserver/plays/{play}/"
    return [*frames(play), "/badges/clubs/nantes.json", f"/oembed/?url={page}"]


# ---- who may frame what -----------------------------------------------------------------------------


def test_frames_may_be_framed_and_nothing_else(owner: APIClient, anonymous: APIClient, play: str) -> None:
    for address in frames(play):
        answer = anonymous.get(address)
        assert answer.status_code == 200
        assert "frame-ancestors *" in answer["Content-Security-Policy"]
        assert "script-src 'self'" in answer["Content-Security-Policy"]
        assert "X-Frame-Options" not in answer
    pages = [
        *PAGES,
        f"/plays/{play}/",
        "/clubs/nantes/",
        "/api/v1/docs/",
        "/api/v1/games/",
        "/badges/clubs/nantes.json",
    ]
    for address in pages:
        answer = anonymous.get(address)
        assert answer["X-Frame-Options"] == "DENY", address
        assert "frame-ancestors 'none'" in answer["Content-Security-Policy"], address


def test_nobody_is_followed(owner: APIClient, anonymous: APIClient, play: str) -> None:
    for address in everything(play):
        answer = anonymous.get(address)
        assert not answer.cookies
        assert "Cookie" not in answer.get("Vary", "")
        assert answer["Cache-Control"].startswith("public")
        assert answer["X-Robots-Tag"] == "noindex"
        asked = re.findall(r'(?:src|href)="([^"]+)"', answer.content.decode())
        assert {urlsplit(url).netloc for url in asked} <= {""}, address


@pytest.mark.parametrize(("visibility", "status"), [("public", 200), ("unlisted", 200), ("private", 404)])
def test_a_private_club_is_not_there_not_even_for_its_members(
    owner: APIClient, club: Club, play: str, visibility: str, status: int
) -> None:
    club.visibility = visibility
    club.save()
    for address in everything(play):
        assert owner.get(address).status_code == status, address


def test_what_is_not_there_is_404(owner: APIClient, anonymous: APIClient, play: str) -> None:
    owner.delete(f"/api/v1/plays/{play}/")
    for address in (f"/embed/plays/{play}/", "/embed/clubs/nobody/", "/badges/clubs/nobody.json"):
        assert anonymous.get(address).status_code == 404


# ---- what they show ---------------------------------------------------------------------------------


def test_the_card_shows_who_won_and_why_in_both_languages(anonymous: APIClient, play: str) -> None:
    english = anonymous.get(f"/embed/plays/{play}/?lang=en&theme=dark").content.decode()
    french = anonymous.get(f"/embed/plays/{play}/?lang=fr").content.decode()
    assert '<html lang="en" data-theme="dark">' in english
    assert '<html lang="fr">' in french
    for page in (english, french):
        assert all(name in page for name in ("Théo", "Marianne", "Guilaine", "87", "70"))
    assert "Théo wins" in english
    assert "Théo gagne" in french


def test_a_language_or_theme_that_is_none_is_left_to_the_reader(anonymous: APIClient, play: str) -> None:
    page = anonymous.get(
        f'/embed/plays/{play}/?lang=xx&theme="><script>', headers={"Accept-Language": "fr"}
    ).content.decode()
    assert '<html lang="fr">' in page
    assert "<script>" not in page


def test_a_hidden_player_is_hidden_here_too(owner: APIClient, anonymous: APIClient, play: str) -> None:
    theo = Player.objects.get(name="Théo")
    owner.post(f"/api/v1/clubs/nantes/players/{theo.pk}/hide/")
    for address in [*everything(play), "/badges/clubs/nantes.json?about=winner"]:
        assert "Théo" not in anonymous.get(address).content.decode(), address
    assert theo.pseudonym in anonymous.get(f"/embed/plays/{play}/").content.decode()


def test_the_chart_is_of_what_the_club_plays_most_unless_asked(anonymous: APIClient, play: str) -> None:
    assert "3 players" in anonymous.get("/embed/clubs/nantes/?lang=en").content.decode()
    asked = anonymous.get("/embed/clubs/nantes/?lang=en&player_count=5&variant=not-enough-for-everyone")
    assert "5 players" in asked.content.decode()


def test_a_badge_is_what_shields_reads(anonymous: APIClient, play: str) -> None:
    badge = anonymous.get("/badges/clubs/nantes.json?lang=en")
    assert badge["Content-Type"] == "application/json"
    assert badge.json() == {
        "schemaVersion": 1, "label": "For Sale", "message": "1 play", "color": "14664a", "cacheSeconds": 300
    }  # fmt: skip
    assert anonymous.get("/badges/clubs/nantes.json?about=winner&lang=en").json()["message"] == "Théo wins"


# ---- oEmbed -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("page", ["/plays/{play}/", "/clubs/nantes/"])
def test_a_page_says_where_its_frame_is_found(anonymous: APIClient, play: str, page: str) -> None:
    page = page.format(play=play)
    head = anonymous.get(page).content.decode()
    (link,) = re.findall(r'<link rel="alternate" type="application/json\+oembed" href="([^"]+)">', head)
    found = anonymous.get(unescape(link).removeprefix("http://testserver")).json()
    assert {"version": "1.0", "type": "rich", "provider_name": "House & Cheque"}.items() <= found.items()
    (frame,) = re.findall(r'<iframe src="http://testserver([^"]+)"', found["html"])
    assert anonymous.get(unescape(frame)).status_code == 200
    assert f'width="{found["width"]}" height="{found["height"]}"' in found["html"]


def test_oembed_keeps_to_the_size_that_was_asked_for(anonymous: APIClient, play: str) -> None:
    page = f"http://testserver/plays/{play}/"
    small = anonymous.get(f"/oembed/?url={page}&maxwidth=300&maxheight=200&theme=dark&lang=fr").json()
    assert (small["width"], small["height"]) == (300, 200)
    assert "theme=dark&amp;lang=fr" in small["html"]
    assert anonymous.get(f"/oembed/?url={page}&maxwidth=wide").json()["width"] == 480


@pytest.mark.parametrize(
    "address", ["", "http://elsewhere.example/plays/", "http://testserver/bots/", "http://[", "http://testserver/nope"]
)
def test_oembed_knows_pages_of_plays_and_clubs_only(db: Any, anonymous: APIClient, address: str) -> None:
    assert anonymous.get("/oembed/", {"url": address}).status_code == 404


def test_oembed_answers_json_only(db: Any, anonymous: APIClient, play: str) -> None:
    page = f"http://testserver/plays/{play}/"
    assert anonymous.get(f"/oembed/?url={page}&format=xml").status_code == 501


# ---- in a frame of another site ---------------------------------------------------------------------


def test_another_site_shows_both_frames_and_cannot_show_a_page(
    chromium: Any,  # noqa: F811
    live_server: Any,
    play: str,
    tmp_path: Path,
) -> None:
    def host(name: str, *addresses: str) -> None:
        frames = "".join(
            f'<iframe src="{live_server.url}{one}" width="480" height="400"></iframe>' for one in addresses
        )
        (tmp_path / name).write_text(f'<!doctype html><title>A club</title><link rel="icon" href="data:,">{frames}')

    host("good.html", *frames(play))
    host("bad.html", f"/plays/{play}/")
    tab = Tab(chromium.new_context(color_scheme="dark"), live_server.url)
    with serving(tmp_path) as site:
        tab.page.goto(f"{site}/good.html")
        card, chart = tab.page.main_frame.child_frames
        card.wait_for_selector("text=Théo")
        chart.wait_for_selector(".chart[data-ready]")
        assert tab.said == []
        tab.page.goto(f"{site}/bad.html")
        until(lambda: any("frame" in line.lower() for line in tab.said))
        assert "Théo" not in tab.page.main_frame.child_frames[0].content()
