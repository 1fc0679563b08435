"""The list of clubs, which of them a filter offers, and what owners change: the same work however many there are."""

import re
from typing import Any

import pytest
from django.test import Client
from rest_framework.test import APIClient

from dashboard.views import LATEST_PLAYS, PAGE
from forsale_api.clubs.models import Club
from forsale_api.plays.models import Play
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


# ---- settings ---------------------------------------------------------------------------------------

SETTINGS, DELETE = "/clubs/nantes/settings/", "/clubs/nantes/delete/"
CHANGED = {
    "name": " Nantes  Nord ", "visibility": "unlisted", "time_zone": "Indian/Reunion", "contribute": "on",
    "notes_public": "on",
}  # fmt: skip


def test_an_owner_changes_a_club_on_its_page(owner: APIClient, club: Club) -> None:
    browser = signed_in(owner)
    html = page(browser, SETTINGS)
    assert f'href="{SETTINGS}"' in page(browser, "/clubs/nantes/")
    assert '<option value="Europe/Paris" selected>' in html
    assert browser.post(SETTINGS, CHANGED)["Location"] == "/clubs/nantes/"
    shown = owner.get("/api/v1/clubs/nantes/").json()
    assert {name: shown[name] for name in CHANGED} == {
        "name": "Nantes Nord", "visibility": "unlisted", "time_zone": "Indian/Reunion", "contribute": True,
        "notes_public": True,
    }  # fmt: skip


@pytest.mark.parametrize("wrong", [{"name": "\u200b"}, {"time_zone": "Nantes"}, {"visibility": "secret"}])
def test_a_club_keeps_what_it_was_where_a_setting_is_wrong(owner: APIClient, club: Club, wrong: dict[str, str]) -> None:
    assert "errorlist" in signed_in(owner).post(SETTINGS, CHANGED | wrong).content.decode()
    club.refresh_from_db()
    assert (club.name, club.visibility, club.time_zone) == ("Nantes", "private", "Europe/Paris")


def test_a_club_goes_with_its_plays_once_its_name_is_typed(owner: APIClient, club: Club) -> None:
    post(owner)
    browser = signed_in(owner)
    assert "With it go 1 play and" in page(browser, DELETE)
    assert "not the name of the club" in browser.post(DELETE, {"name": "nantes"}).content.decode()
    assert Play.objects.count() == 1
    assert "Nantes is gone" in browser.post(DELETE, {"name": "Nantes"}, follow=True).content.decode()
    assert not Club.objects.exists()
    assert not Play.objects.exists()


@pytest.mark.parametrize("address", [SETTINGS, DELETE])
def test_only_owners_change_or_delete_a_club_on_its_page(
    club: Club, member: APIClient, stranger: APIClient, client: Client, address: str
) -> None:
    assert SETTINGS not in page(signed_in(member), "/clubs/nantes/")
    for other in (member, stranger):
        page(signed_in(other), address, 404)
        assert signed_in(other).post(address, CHANGED | {"name": "Nantes"}).status_code == 404
    assert client.post(address, {"name": "Nantes"})["Location"].startswith("/accounts/login/")
    club.refresh_from_db()
    assert club.visibility == "private"


def test_the_settings_cost_the_same_queries_however_much_a_club_has(
    owner: APIClient, club: Club, member: APIClient, django_assert_num_queries: Any
) -> None:
    browser = signed_in(owner)
    # session, user, membership with its club, the transaction's two; to delete it the plays are counted
    for address, queries in ((SETTINGS, 5), (DELETE, 6)):
        for _more in range(2):
            with django_assert_num_queries(queries):
                page(browser, address)
            post(owner)
