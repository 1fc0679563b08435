"""Pages of players and clubs, of two filters and of a new simulation: who sees what, what is said, what is refused."""

import re
from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client
from rest_framework.test import APIClient

from forsale_api.clubs.models import Club, Player
from stats.models import Simulation, Status
from tests.test_aggregates import ASKED, publish, stored
from tests.test_pages import page, signed_in
from tests.test_plays import PLAYS, post, seats
from tests.test_ratings import rate_all


@pytest.fixture(autouse=True)
def no_references_on_their_way() -> None:
    cache.clear()


def theo_of(play: dict[str, Any]) -> str:
    return f"/players/{play['seats'][0]['player']['id']}/"


def test_a_player_of_a_private_club_is_nowhere_to_be_seen(
    owner: APIClient, club: Club, stranger: APIClient, client: Client
) -> None:
    play = post(owner)
    rate_all()
    for browser in (client, signed_in(stranger)):
        for address in (
            theo_of(play), "/players/?club=nantes", "/positions/?club=nantes", "/houses/?club=nantes",
            "/compare/?a-club=nantes", "/compare/?b-club=nantes", "/clubs/nantes/activity.csv",
        ):  # fmt: skip
            page(browser, address, 404)
        assert "Théo" not in page(browser, "/players/?min_plays=1")
    mine = signed_in(owner)
    assert "Théo wins 100" in page(mine, theo_of(play))
    assert "Théo leads with" in page(mine, "/players/?club=nantes&min_plays=1")


def test_a_player_page_is_not_for_search_engines(owner: APIClient, club: Club, client: Client) -> None:
    publish(club)
    play = post(owner)
    rate_all()
    answer = client.get(theo_of(play))
    assert answer["X-Robots-Tag"] == "noindex"
    assert '<meta name="robots" content="noindex">' in answer.content.decode()


def test_a_name_in_the_csv_of_a_page_is_no_formula(owner: APIClient, club: Club, client: Client) -> None:
    publish(club)
    post(owner, seats=[{**seat, "player": name} for seat, name in zip(seats(), ("=1+1", "@A1", "-2"), strict=True)])
    rate_all()
    text = client.get("/players/?club=nantes&min_plays=1&format=csv").getvalue().decode()
    assert sorted(row.split(",")[1] for row in text.splitlines()[1:]) == ["'-2", "'=1+1", "'@A1"]


def test_few_plays_lead_nobody_and_the_threshold_is_said(owner: APIClient, club: Club, client: Client) -> None:
    publish(club)
    post(owner)
    rate_all()
    html = page(client, "/players/?club=nantes")
    assert "Nobody has played enough for this board yet" in html
    assert "min_plays=1" in html
    html = page(client, "/players/?club=nantes&min_plays=1")
    assert "3 players with at least 1 play." in html
    assert "everybody is ranked as if ten more plays had gone as luck has it" in html
    assert "luck alone gives 33" in html


def test_a_hidden_player_goes_by_the_pseudonym(owner: APIClient, club: Club, client: Client) -> None:
    publish(club)
    play = post(owner)
    rate_all()
    player = Player.objects.get(pk=play["seats"][0]["player"]["id"])
    player.hidden_name, player.hidden_key, player.name = player.name, player.name_key, player.pseudonym
    player.name_key = player.pseudonym.casefold()
    player.save()
    for address in (theo_of(play), "/players/?min_plays=1", "/clubs/nantes/"):
        html = page(client, address)
        assert "Théo" not in html
        assert "Incognito" in html


def test_a_player_without_a_play_has_a_page_that_helps(owner: APIClient, club: Club, client: Client) -> None:
    publish(club)
    play = post(owner)
    owner.delete(f"{PLAYS}{play['id']}/")
    rate_all()
    assert "The first one begins this page." in page(client, theo_of(play))
    post(owner)
    rate_all()
    assert "No play matches these filters." in page(client, theo_of(play) + "?played_after=2030-01-01")


def test_names_are_no_markup_in_pictures_either(owner: APIClient, club: Club, client: Client) -> None:
    publish(club)
    post(owner, seats=seats(names=["<b>&A</b>", "B", "C"]))
    rate_all()
    html = page(client, "/players/?min_plays=1")
    assert "<b>&A" not in html
    assert "&amp;lt;b>" in html or "\\u0026lt;b\\u003E" in html


def test_comparing_says_what_may_be_chance(owner: APIClient, club: Club, client: Client) -> None:
    publish(club)
    for day in range(1, 6):
        post(owner, played_on=f"2026-11-0{day}")
    rate_all()
    same = page(client, "/compare/?a-player_count=3&b-player_count=3")
    assert "the means are 0.0" in same
    assert "One side has no plays yet" in page(client, "/compare/?a-player_count=3&b-player_count=6")
    assert 'role="alert"' in page(client, "/compare/?a-player_count=9")


def test_positions_need_to_know_who_opened(owner: APIClient, club: Club, client: Client) -> None:
    publish(club)
    post(owner)
    rate_all()
    html = page(client, "/positions/?data=recorded&player_count=3")
    assert "No play says who opened yet" in html
    assert "Note who opened the first auction when you log a play." in html


# ---- simulations ------------------------------------------------------------------------------------


def form_of(html: str, **changes: Any) -> dict[str, Any]:
    (made,) = re.findall(r'name="id" value="([^"]+)"', html)
    bots = {f"bot{seat}": "coin-flip" for seat in range(1, 7)}
    usual = {
        "variant": "base",
        "player_count": "3",
        "edition": "iello",
        "games": "500",
        "opener": "random",
        "seed": "7",
    }
    return {"id": made, **usual, **bots, **changes}


def test_a_new_simulation_is_for_members_and_starts_with_the_chosen_line_up(
    owner: APIClient, client: Client, db: Any
) -> None:
    assert client.get("/simulations/new/")["Location"].startswith("/accounts/login/")
    mine = signed_in(owner)
    body = form_of(page(mine, "/simulations/new/"), opener="2")
    answer = mine.post("/simulations/new/", body)
    made = Simulation.objects.get()
    assert answer["Location"] == f"/simulations/{made.pk}/"
    assert (made.bots, made.games, made.seed, made.opener) == (["coin-flip"] * 3, 500, 7, 2)
    assert made.requester == owner.user


def test_a_second_click_starts_nothing_more(owner: APIClient) -> None:
    mine = signed_in(owner)
    body = form_of(page(mine, "/simulations/new/"))
    addresses = {mine.post("/simulations/new/", body)["Location"] for _click in range(2)}
    assert len(addresses) == 1
    assert Simulation.objects.count() == 1


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"opener": "5"}, "opener"),
        ({"games": "0"}, "games"),
        ({"bot2": "oracle"}, "bot2"),
        ({"edition": "classic1997", "player_count": "6"}, "player_count"),
    ],
)
def test_what_cannot_be_simulated_is_said_at_its_field(owner: APIClient, changes: dict[str, str], said: str) -> None:
    mine = signed_in(owner)
    answer = mine.post("/simulations/new/", form_of(page(mine, "/simulations/new/"), **changes))
    assert answer.status_code == 200
    assert said in answer.context["form"].errors
    assert not Simulation.objects.exists()


def test_a_simulation_can_be_run_again_with_changes(owner: APIClient) -> None:
    old = stored(2000, **ASKED)
    html = page(signed_in(owner), f"/simulations/new/?like={old.pk}")
    assert '<option value="3" selected>' in html
    assert 'value="2000"' in html


def test_results_stand_beside_the_clubs_own(owner: APIClient, club: Club, client: Client) -> None:
    publish(club)
    simulation = stored(2000, **ASKED)
    post(owner, first_seat=1)
    rate_all()
    html = page(client, f"/simulations/{simulation.pk}/?club=nantes")
    assert "Beside 1 play that count" in html
    assert "No such play is logged there yet." not in html
    club.visibility = "private"
    club.save()
    page(client, f"/simulations/{simulation.pk}/?club=nantes", 404)
    assert "No such play is logged there yet." in page(client, f"/simulations/{simulation.pk}/?club=*")


def test_the_list_can_be_narrowed_to_ones_own(owner: APIClient, stranger: APIClient) -> None:
    simulation = stored(2000, **ASKED)
    Simulation.objects.update(reference=False, requester=owner.user, status=Status.FINISHED)
    assert f"/simulations/{simulation.pk}/" in page(signed_in(owner), "/simulations/?mine=1")
    assert f"/simulations/{simulation.pk}/" not in page(signed_in(stranger), "/simulations/?mine=1")
