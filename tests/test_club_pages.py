"""The list of clubs, and which of them a filter offers: the same work however many there are."""

import re
from typing import Any

from django.test import Client
from rest_framework.test import APIClient

from dashboard.views import LATEST_PLAYS, PAGE
from forsale_api.clubs.models import Club
from tests.test_pages import page, signed_in
from tests.test_plays import post


def public_clubs(number: int, name: str = "Table") -> None:
    Club.objects.bulk_create(
        Club(slug=f"{name.lower().replace(' ', '-')}-{n}", name=f"{name} {n // 2:03}", visibility="public")
        for n in range(number)
    )


def listed(html: str) -> list[str]:
    return re.findall(r'<h2><a href="/clubs/([^/]+)/">', html)


def offered(html: str) -> list[str]:
    (choices,) = re.findall(r'<select name="club".*?</select>', html, re.DOTALL)
    return re.findall(r'<option value="([^"]+)"', choices)


def test_the_list_of_clubs_goes_on_without_a_gap_or_a_repeat(db: Any, client: Client) -> None:
    public_clubs(2 * PAGE + 5)
    seen, html = [], page(client, "/clubs/")
    while True:
        seen += listed(html)
        more = re.search(r'href="(\?[^"]*after=[^"]+)"', html)
        if more is None:
            break
        html = page(client, "/clubs/" + more[1].replace("&amp;", "&"))
    assert len(seen) == len(set(seen)) == 2 * PAGE + 5


def test_a_club_is_found_by_a_part_of_its_name(club: Club, db: Any, client: Client) -> None:
    public_clubs(4)
    public_clubs(2, "Nantes Est")
    html = page(client, "/clubs/?q=est")
    assert len(listed(html)) == 2
    assert "No club is called that" in page(client, "/clubs/?q=nantes%20ouest")
    assert club.slug not in listed(page(client, "/clubs/?q=nantes"))  # private, and not the reader's


def test_a_filter_offers_ones_own_clubs_those_that_played_last_and_the_named_one(
    owner: APIClient, club: Club, public_club: Club, client: Client
) -> None:
    public_clubs(LATEST_PLAYS)
    post(owner, club=public_club.slug)
    for address in ("/", "/plays/", "/players/", "/houses/"):
        assert offered(page(client, address)) == [public_club.slug], address
        assert set(offered(page(signed_in(owner), address))) == {club.slug, public_club.slug}
        assert offered(page(client, f"{address}?club=table-1")) == [public_club.slug, "table-1"]
        page(client, f"{address}?club={club.slug}", 404)
