"""Figures from counts are those of a plain calculation over the plays, at a fixed number of queries."""

import statistics
from collections import Counter
from datetime import date
from itertools import accumulate
from math import sqrt
from random import Random
from typing import Any

import pytest
from rest_framework.test import APIClient

from forsale_api.api.problems import NotFound, Problem
from forsale_api.clubs.models import Club
from forsale_api.plays.models import Play, Seat
from stats import aggregates, pools, services
from stats.models import Simulation, SimulationResult, Status
from stats.simulation import ENGINE, simulate
from tests.test_folding import fold_all, random_body
from tests.test_plays import PLAYS, post, record_body, seats

TIED = [(84, 5), (84, 5), (70, 0)]


def publish(club: Club) -> None:
    club.visibility = "public"
    club.save()


def one(**filters: Any) -> dict[str, Any]:
    (block,) = aggregates.score_blocks(filters)["results"]
    return block


def plain(values: list[int], se: float | None) -> dict[str, Any]:
    """`D` of the values, calculated with the standard library."""
    ordered, n = sorted(values), len(values)
    counts = sorted(Counter(values).items())

    def quantile(q: float) -> int:
        return next(v for v, total in zip(ordered, accumulate([1] * n), strict=True) if total >= q * n - 1e-9)

    return {
        "n": n,
        "mean": pytest.approx(statistics.fmean(values)),
        "se": None if se is None else pytest.approx(se),
        "sd": pytest.approx(statistics.stdev(values)) if n > 1 else None,
        "median": quantile(0.5),
        "quantiles": {name: quantile(int(name[1:]) / 100) for name in ("p05", "p25", "p75", "p95")},
        "histogram": [{"score": score, "count": count} for score, count in counts],
    }


def se_over(units: list[float]) -> float | None:
    return statistics.stdev(units) / sqrt(len(units)) if len(units) > 1 else None


def check_block(block: dict[str, Any], plays: list[list[Seat]]) -> None:
    """The block holds what a plain calculation over these plays gives."""
    totals = [[seat.total for seat in play] for play in plays]
    due = {
        "total": plain([t for play in totals for t in play], se_over([statistics.fmean(t) for t in totals])),
        "winning_total": plain(best := [max(t) for t in totals], se_over(best)),
        "margin": plain(gaps := [sorted(t)[-1] - sorted(t)[-2] for t in totals], se_over(gaps)),
    }
    assert block["plays"] == len(plays)
    for name, distribution in due.items():
        assert {k: v for k, v in block[name].items() if k != "median_interval"} == distribution, name
    known = [[s.banknotes for s in play if s.banknotes is not None] for play in plays]
    assert block["banknotes"]["n"] == sum(map(len, known))
    assert sum(block["decided_by"].values()) == len(plays)


def test_every_block_is_a_plain_calculation_over_its_plays(owner: APIClient, club: Club) -> None:
    random = Random(11)
    for _play in range(40):
        assert owner.post(PLAYS, random_body(random)).status_code == 201
    fold_all()
    publish(club)
    for counts in ("true", "all"):
        blocks = aggregates.score_blocks({"counts": counts})["results"]
        assert len(blocks) == 3
        for block in blocks:
            kind = {name: block[name] for name in aggregates.KIND}
            plays = Play.objects.filter(**kind, **({} if counts == "all" else {"counts": True}))
            check_block(block, [list(play.seats.all()) for play in plays])


def test_dates_are_inclusive_and_add_up_days(owner: APIClient, club: Club) -> None:
    for day in (1, 2, 3, 4):
        post(owner, played_on=f"2026-11-0{day}")
    fold_all()
    publish(club)
    assert one(played_after=date(2026, 11, 2), played_before=date(2026, 11, 3))["plays"] == 2
    assert one(played_after=date(2026, 11, 4))["plays"] == 1
    assert one()["plays"] == 4
    assert aggregates.score_blocks({"played_after": date(2026, 11, 5)})["results"] == []


def test_banknotes_known_of_some_seats_weigh_as_many_values(owner: APIClient, club: Club) -> None:
    """The ratio estimate, worked by hand: plays of 3 and of 1 known seats, sums 6 and 5, mean 11/4."""
    post(owner)
    mixed = [*seats()[:1], {"player": "Marianne", "total": 80}, {"player": "Guilaine", "total": 76}]
    mixed[0] = {"player": "Théo", "cheques": 80, "banknotes": 5}
    post(owner, seats=mixed, accept_findings=True)
    fold_all()
    publish(club)
    banknotes = one(counts="all")["banknotes"]
    assert (banknotes["n"], banknotes["mean"]) == (4, 11 / 4)
    squares = (6 - 3 * 11 / 4) ** 2 + (5 - 11 / 4) ** 2
    assert banknotes["se"] == pytest.approx(sqrt(squares * 2 / 1) / 4)


def test_a_players_figures_are_of_their_seats_in_the_plays_they_sat_in(owner: APIClient, club: Club) -> None:
    play = post(owner)
    post(owner, seats=seats([(90, 1), (80, 0), (70, 3)], ["Théo", "Paul", "Inès"]), accept_findings=True)
    post(owner, seats=seats([(90, 1), (80, 0), (70, 3)], ["Nicolas", "Paul", "Inès"]), accept_findings=True)
    theo = play["seats"][0]["player"]["id"]
    block = _as_member(owner, player=theo, counts="all")
    assert block["plays"] == 2
    assert block["total"]["histogram"] == [{"score": 87, "count": 1}, {"score": 91, "count": 1}]
    assert block["banknotes"]["mean"] == 2.5
    assert block["winning_total"]["mean"] == (87 + 91) / 2
    assert block["total"]["se"] == pytest.approx(2.0)


def _as_member(owner: APIClient, **filters: Any) -> dict[str, Any]:
    (block,) = aggregates.score_blocks(filters, viewer=owner.user)["results"]
    return block


def test_one_play_has_no_spread(owner: APIClient, club: Club) -> None:
    post(owner)
    fold_all()
    publish(club)
    block = one()
    assert (block["winning_total"]["sd"], block["winning_total"]["se"]) == (None, None)
    assert (block["total"]["n"], block["total"]["se"], block["total"]["median_interval"]) == (3, None, None)
    assert block["decided_by"] == {
        "total": 0, "banknotes": 1, "largest_category": 0, "shared": 0, "reported": 0, "unknown": 0,
    }  # fmt: skip


def test_what_is_not_on_offer_is_refused_and_what_is_named(db: Any) -> None:
    with pytest.raises(Problem, match="“3” is not offered") as refused:
        aggregates.score_blocks({"edition": "classic1997", "variant": "not-enough-for-everyone", "player_count": 3})
    assert refused.value.status_code == 400
    assert refused.value.errors[0]["pointer"] == "/player_count"
    assert "4, 5" in str(refused.value.detail)
    with pytest.raises(Problem) as refused:
        aggregates.score_blocks({"game": "lady-richmond", "edition": "iello"})
    assert refused.value.errors[0]["code"] == "edition-not-offered"


@pytest.mark.parametrize(
    ("plays", "contribute", "visibility", "shown"),
    [
        (5, True, "private", True), (4, True, "private", False), (5, False, "private", False),
        (5, False, "unlisted", False), (1, False, "public", True),
    ],
)  # fmt: skip
def test_whose_figures_are_in_those_of_all_clubs(
    owner: APIClient, club: Club, plays: int, contribute: bool, visibility: str, shown: bool
) -> None:
    for _play in range(plays):
        post(owner)
    fold_all()
    Club.objects.update(contribute=contribute, visibility=visibility)
    assert [block["plays"] for block in aggregates.score_blocks({})["results"]] == [plays] * shown


def contributed(owner: APIClient, **day_of: list[int]) -> None:
    """Plays on these days of November 2026 in the private club, which contributes."""
    for day in day_of["days"]:
        post(owner, played_on=f"2026-11-{day:02}")
    fold_all()
    Club.objects.update(contribute=True)


def shown(**filters: Any) -> int:
    return sum(block["plays"] for block in aggregates.score_blocks(filters)["results"])


def test_five_plays_are_counted_after_the_filters(owner: APIClient, club: Club) -> None:
    contributed(owner, days=[1, 1, 1, 1, 2])
    assert one()["plays"] == 5
    assert aggregates.score_blocks({"played_before": date(2026, 11, 1)})["results"] == []


def test_no_two_ranges_of_dates_differ_by_fewer_than_five_plays_of_a_private_club(owner: APIClient, club: Club) -> None:
    contributed(owner, days=[1, 1, 2, 3, 3, 3, 5, 8, 8, 9, 9, 12, 13, 13])
    days = [None, *(date(2026, 11, day) for day in (1, 2, 3, 4, 8, 13))]
    ranges = {(first, last) for first in days for last in days if not (first and last and last < first)}
    numbers = {shown(played_after=first, played_before=last) for first, last in ranges} | {shown()}
    assert numbers == {0, 6, 8, 14}, "whole bundles: of days 1 to 3, and of 5 to 13"


def test_a_figure_that_few_plays_of_a_private_club_have_stays_with_the_club(owner: APIClient, club: Club) -> None:
    totals = [{"player": name, "total": total} for name, total in (("A", 87), ("B", 86), ("C", 70))]
    contributed(owner, days=[1])
    for day in range(2, 8):
        post(owner, played_on=f"2026-11-{day:02}", seats=totals, first_seat=1 if day < 5 else None)
    post(owner, **{name: value for name, value in record_body(5).items() if name != "club"})
    fold_all()
    assert shown() == 8
    (block,) = aggregates.score_blocks({})["results"]
    assert (block["total"]["n"], block["banknotes"]["n"]) == (24, 0)
    assert aggregates.seat_blocks({})["results"] == aggregates.house_blocks({})["results"] == []
    assert aggregates.house_blocks({"club": "nantes"}, viewer=owner.user)["results"]


def test_uncounted_plays_of_a_private_club_are_in_nobody_elses_figures(owner: APIClient, club: Club) -> None:
    for _play in range(5):
        post(owner, counts=False)
    contributed(owner, days=[1, 2, 3, 4, 5])
    assert shown(counts="all") == shown() == 5


def test_a_private_club_and_its_players_are_for_members(
    owner: APIClient, member: APIClient, stranger: APIClient
) -> None:
    player = post(owner)["seats"][0]["player"]["id"]
    fold_all()
    for filters in ({"club": "nantes"}, {"player": player}):
        assert aggregates.score_blocks(filters, viewer=member.user)["results"]
        for viewer in (stranger.user, None):
            with pytest.raises(NotFound):
                aggregates.score_blocks(filters, viewer=viewer)


def test_positions_count_from_the_opener_and_share_wins(owner: APIClient, club: Club) -> None:
    post(owner)  # knows no first seat
    post(owner, first_seat=2)
    post(owner, seats=seats(TIED), first_seat=1)
    fold_all()
    publish(club)
    (block,) = aggregates.seat_blocks({})["results"]
    assert block["plays"] == 2
    shares = [place["win_share"]["value"] for place in block["positions"]]
    assert shares == pytest.approx([1 / 4, 1 / 4, 1 / 2])
    assert block["positions"][0]["total"]["mean"] == (87 + 89) / 2


def test_the_leader_board_counts_wins_and_shared_wins(owner: APIClient, club: Club) -> None:
    post(owner)
    post(owner, seats=seats(TIED))
    publish(club)
    fold_all()
    rows = aggregates.leader_board({})["results"]
    assert [row["player"]["name"] for row in rows] == ["Théo", "Marianne", "Guilaine"]
    assert (rows[0]["wins"], rows[0]["shared_wins"]) == (1, 1)
    assert rows[0]["win_share"]["value"] == pytest.approx((1 + 1 / 2) / 2)
    assert rows[0]["expected_share"] == pytest.approx(1 / 3)
    assert rows[0]["mean_total"]["mean"] == (87 + 89) / 2
    assert rows[0]["mean_total"]["se"] == pytest.approx(statistics.stdev([87, 89]) / sqrt(2))
    assert aggregates.leader_board({"min_plays": 3})["results"] == []


def stored(games: int, **asked: Any) -> Simulation:
    """A finished reference simulation, its games played here."""
    summary = simulate(**asked, games=games)
    result = SimulationResult.objects.create(
        key=summary.setting.key, engine=ENGINE, games=games, complete=True, summary=summary.to_bytes()
    )
    opener = None if asked.get("opener", "random") == "random" else asked["opener"]
    return Simulation.objects.create(
        **{**asked, "opener": opener}, games=games, games_done=games, next_game=games, result=result,
        status=Status.FINISHED, reference=True,
    )  # fmt: skip


ASKED = {
    "game": "for-sale", "edition": "iello", "variant": "base", "player_count": 3, "bots": ["coin-flip"] * 3, "seed": 1,
}  # fmt: skip


def test_simulated_figures_are_those_of_the_reference_and_say_so(db: Any) -> None:
    simulation = stored(3000, **ASKED)
    block = one(data="simulated", edition="iello", variant="base", player_count=3)
    results = services.results_of(simulation)
    assert {name: block[name] for name in results["overall"]} == results["overall"]
    assert block["decided_by"] == {**dict.fromkeys(block["decided_by"], 0), **results["decided_by"]}
    assert (block["bots"], block["seed"], block["engine"]) == (["coin-flip"] * 3, 1, ENGINE)
    assert (block["plays"], block["games"], block["complete"]) == (3000, 3000, True)
    (houses,) = aggregates.house_blocks({"data": "simulated", "player_count": 3})["results"]
    assert houses["houses"] == results["houses"]


def test_editions_of_equal_numbers_share_a_reference(db: Any) -> None:
    simulation = stored(500, **{**ASKED, "edition": "uberplay-up"})
    blocks = [one(data="simulated", edition=e, variant="base", player_count=3) for e in ("uberplay-up", "bga-up")]
    assert [block["edition"] for block in blocks] == ["uberplay-up", "bga-up"]
    assert {block["simulation"] for block in blocks} == {simulation.pk}
    kind: dict[str, Any] = {"game": "for-sale", "variant": "base", "player_count": 3}
    assert services.start_reference(edition="bga-up", **kind) == simulation
    assert services.start_reference(edition="bga-down", **kind).edition == "eagle"


def test_filters_of_plays_do_not_go_with_simulations(db: Any) -> None:
    for filters in ({"club": "nantes"}, {"played_after": date(2026, 1, 1)}):
        with pytest.raises(Problem) as refused:
            aggregates.score_blocks({"data": "simulated", **filters})
        assert refused.value.errors[0]["code"] == "filter-of-plays"


def test_the_number_of_queries_does_not_grow(owner: APIClient, club: Club, django_assert_num_queries: Any) -> None:
    publish(club)
    stored(1000, **ASKED)
    for _round in range(2):
        random = Random(5)
        for _play in range(8):
            owner.post(PLAYS, random_body(random))
        fold_all()
        with django_assert_num_queries(5):  # the pools are out of date
            aggregates.score_blocks({})
        pools.refresh()
        for read, filters, queries in [
            (aggregates.score_blocks, {}, 3),
            (aggregates.score_blocks, {"club": "nantes", "played_after": date(2026, 1, 1)}, 4),
            (aggregates.score_blocks, {"data": "simulated"}, 1),
            (aggregates.seat_blocks, {}, 3),
            (aggregates.house_blocks, {}, 3),
            (aggregates.leader_board, {}, 4),
            (aggregates.leader_board, {"club": "nantes"}, 5),
            (aggregates.activity, {"club": "nantes"}, 3),
        ]:
            with django_assert_num_queries(queries):
                read(filters)
    player = Seat.objects.first().player_id
    with django_assert_num_queries(4):
        aggregates.score_blocks({"player": player})
