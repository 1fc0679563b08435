"""Ratings follow the order of the dates, whatever the order of recording, and say how sure they are."""

from datetime import date
from itertools import product
from random import Random
from typing import Any

import pytest
from django.core.management import call_command
from rest_framework.test import APIClient

from forsale_api.clubs.models import Club
from forsale_api.plays.models import Play
from stats import aggregates, folding, ratings
from stats.models import Rating, RatingDue
from tests.test_folding import random_change
from tests.test_plays import PLAYS, post, seats

TABLE = ["Théo", "Marianne", "Guilaine"]
OTHER = [(70, 0), (83, 4), (85, 1)]


def rate_all(plays: int | None = None) -> None:
    while folding.fold():
        pass
    while ratings.rate(plays=plays):
        pass


def stored() -> dict[tuple[str, str], tuple[float, float]]:
    rows = Rating.objects.values_list("play", "player__name", "mu", "sigma")
    return {(str(play), player): (mu, sigma) for play, player, mu, sigma in rows}


def afresh() -> dict[tuple[str, str], tuple[float, float]]:
    """The ratings of all counted plays, computed in one go."""
    known: dict[str, ratings.Skill] = {}
    due = {}
    for play in Play.objects.filter(counts=True, deleted_at=None).order_by("played_on", "pk"):
        table = [(seat.player.name, seat.rank) for seat in play.seats.order_by("seat")]
        now = ratings.after([known.get(name, ratings.START) for name, _rank in table], [rank for _name, rank in table])
        for (name, _rank), skill in zip(table, now, strict=True):
            known[name] = due[str(play.pk), name] = skill
    return due


def test_a_win_raises_a_rating_and_every_play_makes_it_surer() -> None:
    first, second, third = ratings.after([ratings.START] * 3, [1, 2, 3])
    assert first.mu > ratings.START.mu > third.mu
    assert second.mu == pytest.approx(ratings.START.mu, abs=1)
    assert all(skill.sigma < ratings.START.sigma for skill in (first, second, third))


def test_equal_ranks_are_rated_alike() -> None:
    first, second, third = ratings.after([ratings.START] * 3, [1, 1, 3])
    assert first == second
    assert first.mu > third.mu


def test_a_play_of_an_earlier_day_is_rated_before_the_later_ones(owner: APIClient, club: Club) -> None:
    post(owner, played_on="2026-11-20")
    rate_all()
    post(owner, played_on="2026-11-10", seats=seats(OTHER, TABLE))
    assert not RatingDue.objects.exists()
    rate_all()
    assert stored() == afresh()


@pytest.mark.parametrize("seed", [1, 2])
def test_whatever_happens_to_plays_ratings_are_those_of_the_counted_ones(
    owner: APIClient, club: Club, seed: int
) -> None:
    random, plays = Random(seed), []
    for _round in range(6):
        for _change in range(6):
            random_change(random, owner, plays)
        rate_all(plays=random.randint(1, 5))
        assert stored() == afresh()


DATES = [
    {},
    {"played_after": date(2026, 9, 1), "played_before": date(2026, 10, 31)},
    {"played_after": date(2026, 9, 2)},
    {"played_before": date(2026, 11, 3)},
    {"played_after": date(2026, 10, 15), "played_before": date(2026, 10, 30)},
    {"played_after": date(2026, 9, 30), "played_before": date(2026, 11, 1)},
    {"played_before": date.max},
]


@pytest.mark.parametrize("seed", [3, 4])
def test_the_board_of_all_clubs_is_kept_and_is_that_of_the_plays(owner: APIClient, club: Club, seed: int) -> None:
    """The board of a club is added up from its plays; that of all clubs, here the same one, from what is kept."""
    club.visibility = "public"
    club.save()
    random, plays = Random(seed), []
    for _round in range(3):
        for _change in range(6):
            random_change(random, owner, plays)
            day = random.choice(["09-01", "09-02", "09-30", "10-15", "10-31", "11-01", "11-04"])
            owner.patch(f"{PLAYS}{random.choice(plays)['id']}/", {"played_on": f"2026-{day}"})
        rate_all(plays=random.randint(1, 5))
        for dates, narrowed in product(
            DATES, ({}, {"variant": "base", "counts": "all"}, {"player_count": 4}, {"min_plays": 3, "limit": 2})
        ):
            asked = {**narrowed, **dates}
            kept = aggregates.leader_board(asked)["results"]
            assert kept == aggregates.leader_board({**asked, "club": club.slug})["results"]
    assert aggregates.leader_board({})["results"]


def test_a_board_between_dates_is_added_up_once_until_something_changes(
    owner: APIClient, club: Club, django_assert_num_queries: Any
) -> None:
    club.visibility = "public"
    club.save()
    post(owner, played_on="2026-11-02")
    rate_all()
    asked = {"played_after": date(2026, 11, 2)}
    for queries in (5, 4):
        with django_assert_num_queries(queries):
            assert {row["plays"] for row in aggregates.leader_board(asked)["results"]} == {1}
    post(owner, played_on="2026-11-03")
    rate_all()
    assert {row["plays"] for row in aggregates.leader_board(asked)["results"]} == {2}


def test_totals_beyond_any_game_are_added_up_too(owner: APIClient, club: Club) -> None:
    club.visibility = "public"
    club.save()
    post(owner, seats=seats([(900, 4), (800, 2), (700, 0)]), accept_findings=True)
    rate_all()
    for asked in ({}, {"played_after": date(2026, 1, 2)}, {"club": club.slug}):
        best = aggregates.leader_board({**asked, "counts": "all"})["results"][0]["mean_total"]
        assert (best["n"], best["mean"], best["se"]) == (1, 904, None)


def test_what_does_not_count_is_not_rated(owner: APIClient, club: Club) -> None:
    play = post(owner)
    owner.patch(f"{PLAYS}{play['id']}/", {"counts": False, "not_counted_reason": "taught"}, format="json")
    rate_all()
    assert stored() == {}


def test_checking_the_counts_rates_what_waits(owner: APIClient, club: Club) -> None:
    post(owner)
    call_command("check_aggregates")
    assert len(stored()) == 3


def test_the_leader_board_and_a_player_have_the_rating(owner: APIClient, club: Club) -> None:
    club.visibility = "public"
    club.save()
    for day in (1, 2, 3):
        post(owner, played_on=f"2026-11-0{day}")
    rate_all()
    first = aggregates.leader_board({})["results"][0]
    assert first["player"]["name"] == "Théo"
    over_time = aggregates.player_figures(first["player"]["id"], {})["ratings"]
    assert [point["played_on"] for point in over_time] == [date(2026, 11, day) for day in (1, 2, 3)]
    assert {name: over_time[-1][name] for name in first["rating"]} == first["rating"]
    assert first["rating"]["low"] < first["rating"]["value"] < first["rating"]["high"]
    until = aggregates.leader_board({"played_before": date(2026, 11, 2)})["results"][0]["rating"]
    assert until["value"] == over_time[1]["value"]


def test_one_lucky_win_does_not_lead_the_board(owner: APIClient, club: Club) -> None:
    club.visibility = "public"
    club.save()
    for day in range(1, 10):
        post(owner, played_on=f"2026-11-{day:02}")
    for _loss in range(2):
        post(owner, seats=seats(OTHER, TABLE), played_on="2026-11-12")
    post(
        owner, seats=seats([(90, 2), (80, 0), (60, 1)], ["Paul", "Inès", "Nicolas"]), accept_findings=True, counts=True
    )
    rate_all()
    board = aggregates.leader_board({"counts": "all"})["results"]
    names = [row["player"]["name"] for row in board]
    paul = board[names.index("Paul")]
    assert (paul["plays"], paul["win_share"]["value"]) == (1, 1.0)
    assert names[0] == "Théo"
    assert paul["adjusted_share"] == pytest.approx((1 + 10 / 3) / 11)


def test_placed_ahead_behind_and_level_are_counted_by_rank(owner: APIClient, club: Club) -> None:
    play = post(owner)
    post(owner, seats=seats([(84, 5), (84, 5), (70, 0)], TABLE))
    theo = play["seats"][0]["player"]["id"]
    figures = aggregates.player_figures(theo, {}, viewer=owner.user)
    assert figures["placed"] == {"ahead": 3, "behind": 0, "level": 1}
    by_name = {row["player"]["name"]: row for row in figures["opponents"]}
    assert (by_name["Marianne"]["ahead"], by_name["Marianne"]["level"]) == (1, 1)
    assert by_name["Marianne"]["ahead_share"]["value"] == 0.75
    assert figures["best"][0]["total"] == 89
    assert [sitting["rank"] for sitting in figures["form"]] == [1, 1]


def test_activity_has_every_month_from_the_first_to_the_last(owner: APIClient, club: Club) -> None:
    for day in ("2025-11-30", "2026-01-02", "2026-01-02", "2026-01-09"):
        post(owner, played_on=day)
    rate_all()
    answer: Any = aggregates.activity({"club": "nantes"}, viewer=owner.user)
    assert [(row["month"], row["plays"], row["days"]) for row in answer["results"]] == [
        ("2025-11", 1, 1), ("2025-12", 0, 0), ("2026-01", 3, 2),
    ]  # fmt: skip
    assert answer["results"][2]["kinds"][0]["plays"] == 3


def test_the_activity_of_a_private_club_is_404_for_strangers(
    owner: APIClient, member: APIClient, stranger: APIClient, anonymous: APIClient
) -> None:
    post(owner)
    rate_all()
    address = "/api/v1/stats/activity/"
    assert member.get(address, {"club": "nantes"}).json()["results"][0]["plays"] == 1
    for client in (stranger, anonymous):
        assert client.get(address, {"club": "nantes"}).status_code == 404
    assert anonymous.get(address).status_code == 400
