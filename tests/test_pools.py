"""The figures of all clubs are kept, and are those of the clubs, whatever changed since."""

from random import Random
from typing import Any

import pytest
from rest_framework.test import APIClient

from forsale_api.clubs.models import Club
from stats import aggregates, pools
from stats.models import Pool
from tests.test_folding import fold_all, random_change
from tests.test_plays import post

READS = (aggregates.score_blocks, aggregates.seat_blocks, aggregates.house_blocks)
ASKED: tuple[dict[str, Any], ...] = ({}, {"counts": "all"}, {"variant": "base"}, {"player_count": 4, "counts": "all"})


def answers() -> list[Any]:
    return [read(asked)["results"] for read in READS for asked in ASKED]


@pytest.mark.parametrize("seed", [1, 2])
def test_kept_figures_are_those_added_up_over_the_clubs(owner: APIClient, club: Club, seed: int) -> None:
    club.visibility = "public"
    club.save()
    random, plays = Random(seed), list[dict[str, Any]]()
    for _round in range(3):
        for _change in range(8):
            random_change(random, owner, plays)
        fold_all()
        added_up = answers()
        assert pools.refresh()
        assert not pools.refresh()  # nothing has changed since
        assert answers() == added_up
    assert any(added_up)
    assert Pool.objects.exists()


def test_kept_figures_are_what_is_read_until_plays_or_clubs_change(owner: APIClient, public_club: Club) -> None:
    post(owner, club=public_club.slug)
    fold_all()
    pools.refresh()
    Pool.objects.update(plays=7)
    assert [block["plays"] for block in aggregates.score_blocks({})["results"]] == [7]
    post(owner, club=public_club.slug)
    fold_all()
    assert [block["plays"] for block in aggregates.score_blocks({})["results"]] == [2]
    pools.refresh()
    public_club.visibility = "private"
    public_club.save()
    assert aggregates.score_blocks({})["results"] == []  # at once, before they are kept anew
    pools.refresh()
    assert aggregates.score_blocks({})["results"] == []
