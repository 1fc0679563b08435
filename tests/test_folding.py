"""Plays are folded into counts exactly, whatever happens to them and however often the folding dies."""

import threading
from datetime import date
from random import Random
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connections
from rest_framework.test import APIClient

from forsale_api.clubs.models import Club
from forsale_api.plays.models import Play, PlayToFold
from stats import folding, ratings
from stats.models import Block, Count, FoldedPlay, Measure
from tests.games import random_record
from tests.test_plays import PLAYS, body, post, record_body, seats

NAMES = ["Théo", "Marianne", "Guilaine", "Nicolas", "Paul", "Inès"]


def fold_all() -> None:
    while folding.fold():
        pass
    while ratings.rate():
        pass


def n(measure: Measure, part: int = 0, **block: Any) -> dict[int, int]:
    """{value: n} of the one block that `block` names."""
    counts = Count.objects.filter(measure=measure, part=part, **{f"block__{name}": v for name, v in block.items()})
    return dict(counts.values_list("value", "n"))


def random_body(random: Random) -> dict[str, Any]:
    kind = random.choice([("iello", "base", 3), ("iello", "not-enough-for-everyone", 4), ("eagle", "base", 5)])
    edition, variant, players = kind
    facts: dict[str, Any] = {"played_on": f"2026-11-{random.randint(1, 5):02}", "counts": random.random() < 0.8}
    if random.random() < 0.3:
        facts["record"] = random_record(random, kind)
        named = [{"player": name} for name in NAMES[:players]]
    else:
        named = [{"player": name, "total": random.randint(30, 60)} for name in NAMES[:players]]
        facts["first_seat"] = random.choice([None, 1, 2])
    return body(edition=edition, variant=variant, seats=named, accept_findings=True, **facts)


def random_change(random: Random, client: APIClient, plays: list[dict[str, Any]]) -> None:
    """One of: record, correct, delete, restore."""
    play = random.choice(plays) if plays else None
    act = random.choice(["record", "record", "correct", "delete", "restore"]) if play else "record"
    if act == "record":
        plays.append(client.post(PLAYS, random_body(random)).json())
        assert "id" in plays[-1], plays[-1]
    elif act == "delete":
        client.delete(f"{PLAYS}{play['id']}/")
    elif act == "restore":
        client.post(f"{PLAYS}{play['id']}/restore/")
    else:
        day = {"played_on": f"2026-11-{random.randint(1, 5):02}"}
        totals = [{"total": random.randint(30, 60)} for _seat in play["seats"]]
        changes = random.choice([day, {"counts": random.random() < 0.5}, {"seats": totals, "accept_findings": True}])
        client.patch(f"{PLAYS}{play['id']}/", changes)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_after_any_changes_the_counts_are_those_of_the_plays(owner: APIClient, club: Club, seed: int) -> None:
    random, plays = Random(seed), list[dict[str, Any]]()
    for step in range(50):
        random_change(random, owner, plays)
        if random.random() < 0.3:
            folding.fold(batch=random.randint(1, 5))
        if step % 10 == 9:
            fold_all()
            assert list(folding.differences()) == [], f"seed {seed}, step {step}"
    assert Block.objects.exists()
    for play in plays:
        owner.delete(f"{PLAYS}{play['id']}/")
    fold_all()
    assert (Block.objects.count(), Count.objects.count(), FoldedPlay.objects.count()) == (0, 0, 0)


def test_a_play_gives_its_figures_to_its_day_and_to_all_days(owner: APIClient, club: Club) -> None:
    post(owner, first_seat=2)
    fold_all()
    assert set(Block.objects.values_list("day", "plays")) == {(date(2026, 11, 28), 1), (None, 1)}
    for day in (date(2026, 11, 28), None):
        assert n(Measure.TOTAL, day=day) == {87: 2, 70: 1}
        assert n(Measure.BANKNOTES, day=day) == {4: 1, 2: 1, 0: 1}
        assert n(Measure.WINNING_TOTAL, day=day) == {87: 1}
        assert n(Measure.MARGIN, day=day) == {0: 1}
        assert n(Measure.DECIDED_BY, day=day) == {1: 1}
        assert n(Measure.TABLE_TOTAL, part=3, day=day) == {244: 1}
        assert n(Measure.POSITION_TOTAL, part=3, day=day) == {87: 1}, "seat 1 sits last after seat 2"
        assert n(Measure.POSITION_WIN, part=3, day=day) == {1: 1}


def test_houses_are_counted_from_records_only(owner: APIClient, club: Club) -> None:
    post(owner)
    fold_all()
    assert not Count.objects.filter(measure__in=[Measure.PRICE, Measure.CHEQUE]).exists()
    post(owner, **{k: v for k, v in record_body(5).items() if k != "club"})
    fold_all()
    prices = Count.objects.filter(measure=Measure.PRICE, block__day=None)
    assert sorted(prices.values_list("part", flat=True)) == list(range(1, 31)), "every house is bought once"
    cheques = Count.objects.filter(measure=Measure.CHEQUE, block__day=None)
    assert sum(count.value for count in cheques) == sum(range(2, 16)) * 2


def test_an_edit_takes_back_exactly_what_was_given(owner: APIClient, club: Club) -> None:
    play = post(owner)
    fold_all()
    owner.patch(f"{PLAYS}{play['id']}/", {"seats": seats([(90, 1), (85, 2), (65, 0)]), "accept_findings": True})
    assert n(Measure.TOTAL, day=None) == {87: 2, 70: 1}, "not before it is folded"
    fold_all()
    assert n(Measure.TOTAL, day=None) == {91: 1, 87: 1, 65: 1}


def test_a_message_that_comes_twice_changes_nothing(owner: APIClient, club: Club) -> None:
    play = post(owner)
    fold_all()
    before = set(Count.objects.values_list("block", "measure", "part", "value", "n"))
    PlayToFold.objects.create(play_id=play["id"])
    PlayToFold.objects.create(play_id=play["id"])
    fold_all()
    assert set(Count.objects.values_list("block", "measure", "part", "value", "n")) == before


def test_a_fold_that_dies_has_done_nothing(owner: APIClient, club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    post(owner)
    refold = folding._refold

    def die_late(play_ids: Any) -> None:
        refold(play_ids)
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(folding, "_refold", die_late)
        with pytest.raises(KeyboardInterrupt):
            folding.fold()
    assert (Block.objects.count(), FoldedPlay.objects.count(), PlayToFold.objects.count()) == (0, 0, 1)
    fold_all()
    assert n(Measure.TOTAL, day=None) == {87: 2, 70: 1}


def test_a_club_that_goes_leaves_no_counts(owner: APIClient, club: Club) -> None:
    post(owner)
    fold_all()
    PlayToFold.objects.create(play_id=Play.objects.get().pk)
    assert owner.delete("/api/v1/clubs/nantes/").status_code == 204
    fold_all()
    assert (Block.objects.count(), FoldedPlay.objects.count(), PlayToFold.objects.count()) == (0, 0, 0)


def test_two_folders_at_a_time_count_nothing_twice(transactional_db: Any, owner: APIClient, club: Club) -> None:
    for _play in range(12):
        post(owner)

    def work() -> None:
        try:
            for _turn in range(10):
                folding.fold(batch=2)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=work) for _worker in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    fold_all()
    assert n(Measure.TOTAL, day=None) == {87: 24, 70: 12}
    assert list(folding.differences()) == []


def test_check_aggregates_says_that_all_is_well(owner: APIClient, club: Club, capsys: Any) -> None:
    post(owner)
    call_command("check_aggregates")
    assert capsys.readouterr().out == "The counts are those of the plays.\n"


@pytest.mark.parametrize("wrong", ["count", "block", "gift", "no gift", "orphan"])
def test_check_aggregates_finds_what_is_wrong(owner: APIClient, club: Club, capsys: Any, wrong: str) -> None:
    play = post(owner)
    fold_all()
    match wrong:
        case "count":
            Count.objects.filter(measure=Measure.TOTAL, value=70, block__day=None).update(n=2)
        case "block":
            Block.objects.filter(day=None).update(plays=7)
        case "gift":
            Play.objects.update(first_seat=1)
        case "no gift":
            FoldedPlay.objects.all().delete()
        case "orphan":
            Play.objects.get().changes.all().delete()
            Play.objects.all().delete()
    with pytest.raises(SystemExit) as ended:
        call_command("check_aggregates")
    assert ended.value.code == 1
    said = capsys.readouterr()
    assert "differences." in said.err
    if wrong == "count":
        assert "total 0 70 is counted 2 times, given 1 times" in said.out
    if wrong in ("gift", "orphan"):
        assert f"play {play['id']}" in said.out
