"""What has not changed costs one query beside that of the token, and what has is never answered 304."""

from typing import Any

import pytest
from rest_framework.test import APIClient

from forsale_api.clubs.models import Club
from stats.folding import fold
from stats.ratings import rate
from tests.test_folding import fold_all
from tests.test_plays import PLAYS, body, patch, post

SCORES = "/api/v1/stats/scores/"
LEADERS = "/api/v1/stats/players/"
FIGURES = [SCORES, "/api/v1/stats/seats/", "/api/v1/stats/houses/", LEADERS]


def is_unchanged(client: APIClient, address: str, tag: str) -> bool:
    return client.get(address, headers={"if-none-match": tag}).status_code == 304


@pytest.mark.parametrize("query", ["", "?club=nantes", "?game=for-sale&player_count=3"])
@pytest.mark.parametrize("address", FIGURES)
def test_unchanged_figures_cost_one_query(
    owner: APIClient, club: Club, address: str, query: str, django_assert_num_queries: Any
) -> None:
    post(owner)
    fold_all()
    tag = owner.get(address + query)["ETag"]
    with django_assert_num_queries(2):
        assert is_unchanged(owner, address + query, tag)


def test_unchanged_figures_of_a_player_and_months_of_a_club_cost_one_query(
    owner: APIClient, club: Club, django_assert_num_queries: Any
) -> None:
    player = post(owner)["seats"][0]["player"]["id"]
    fold_all()
    for address in (f"{LEADERS}{player}/", f"{SCORES}?player={player}", "/api/v1/stats/activity/?club=nantes"):
        tag = owner.get(address)["ETag"]
        with django_assert_num_queries(2):
            assert is_unchanged(owner, address, tag), address


def test_boards_and_players_have_a_new_tag_after_every_change_that_can_touch_them(
    owner: APIClient, public_club: Club
) -> None:
    first = post(owner, club="bristol")
    player = first["seats"][0]["player"]["id"]
    addresses = (LEADERS, LEADERS + "?club=bristol", f"{LEADERS}{player}/", f"{LEADERS}?played_after=2026-01-01")
    seen: dict[str, list[tuple[str, Any]]] = {address: [] for address in addresses}

    def look() -> None:
        for address in addresses:
            answer = owner.get(address)
            seen[address].append((answer["ETag"], {**answer.json(), "as_of": None}))

    fold_all()
    look()
    for change in (
        lambda: post(owner, club="bristol", played_on="2026-11-01"),
        fold,  # counted, and not rated yet
        rate,
        lambda: patch(owner, first, counts=False),
        fold_all,
        lambda: owner.patch(f"/api/v1/clubs/bristol/players/{player}/", {"name": "Théodore"}),
        lambda: owner.post(f"/api/v1/clubs/bristol/players/{player}/hide/"),
        lambda: owner.delete(f"{PLAYS}{first['id']}/"),
        fold_all,
        lambda: owner.patch("/api/v1/clubs/bristol/", {"slug": "bath"}),
    ):
        change()
        if "bath" in owner.get("/api/v1/clubs/").content.decode():
            addresses = tuple(address for address in addresses if "bristol" not in address)
        look()
    for address, answers in seen.items():
        bodies: dict[str, Any] = {}
        for tag, body_shown in answers:
            assert bodies.setdefault(tag, body_shown) == body_shown, f"{address}: one tag, two answers"


def test_unchanged_public_figures_cost_a_stranger_one_query(
    owner: APIClient, anonymous: APIClient, public_club: Club, django_assert_num_queries: Any
) -> None:
    post(owner, club="bristol")
    fold()
    for address in (SCORES, SCORES + "?club=bristol", SCORES + "?data=simulated&player_count=3"):
        anonymous.get(address)
        tag = anonymous.get(address)["ETag"]
        with django_assert_num_queries(1):
            assert is_unchanged(anonymous, address, tag)


def test_an_unchanged_play_costs_one_query(
    owner: APIClient, anonymous: APIClient, club: Club, public_club: Club, django_assert_num_queries: Any
) -> None:
    for client, slug, queries in ((owner, "nantes", 2), (anonymous, "bristol", 1)):
        play = f"{PLAYS}{post(owner, club=slug)['id']}/"
        for address in (play, play + "scores/"):
            tag = client.get(address)["ETag"]
            with django_assert_num_queries(queries):
                assert is_unchanged(client, address, tag)


@pytest.mark.parametrize("query", ["", "?club=bristol"])
def test_figures_have_a_new_tag_after_every_change_that_can_touch_them(
    owner: APIClient, public_club: Club, query: str
) -> None:
    def tag() -> str:
        return str(owner.get(SCORES + query)["ETag"])

    play = post(owner, club="bristol")
    seen = {tag()}
    fold()
    seen.add(tag())
    patch(owner, play, counts=False)
    fold()
    seen.add(tag())
    owner.delete(f"{PLAYS}{play['id']}/")
    fold()
    seen.add(tag())
    owner.patch("/api/v1/clubs/bristol/", {"visibility": "unlisted"})
    seen.add(tag())
    assert len(seen) == 5


def test_figures_of_all_change_when_a_club_goes(owner: APIClient, public_club: Club) -> None:
    owner.post("/api/v1/clubs/", {"name": "Later", "visibility": "public"})
    post(owner, club="bristol")
    owner.post(PLAYS, body(club="later"))
    fold()
    tag = owner.get(SCORES)["ETag"]
    owner.delete("/api/v1/clubs/bristol/")
    assert not is_unchanged(owner, SCORES, tag)


def test_a_tag_opens_nothing(
    owner: APIClient, member: APIClient, stranger: APIClient, anonymous: APIClient, club: Club
) -> None:
    player = post(owner)["seats"][0]["player"]["id"]
    fold_all()
    address = SCORES + "?club=nantes"
    tag = owner.get(address)["ETag"]
    assert is_unchanged(member, address, tag)
    figures = {path: owner.get(path)["ETag"] for path in (f"{LEADERS}{player}/", f"{SCORES}?player={player}")}
    owner.delete("/api/v1/clubs/nantes/members/marcel/")
    for client in (member, stranger, anonymous):
        for path, tag_of_it in {address: tag, **figures}.items():
            assert client.get(path, headers={"if-none-match": tag_of_it}).status_code == 404, path
