"""The demo clubs in seeds/: what they hold, that they load once, and that their results are right."""

import json
from collections import Counter
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from forsale_api.clubs.models import Club
from forsale_api.plays.models import Play, PlayToFold, Seat
from seeds import make_demo
from tests.referee import judge, standings

SEEDS = Path(__file__).parent.parent / "seeds"
DEMO = [json.loads((SEEDS / name).read_text(encoding="utf-8")) for name in make_demo.CLUBS]
ENTRIES = [entry for demo in DEMO for entry in demo["plays"]]


def figures(body: dict[str, Any]) -> tuple[list[int], list[int]] | None:
    """Totals and tie-breaks by plain addition, or by the referee; None where the tie-breaks are unknown."""
    seats = body["seats"]
    if body.get("record"):
        verdict = judge(body["record"], (body["edition"], body["variant"], len(seats)))
        return verdict.totals, verdict.banknotes
    if all("largest_category" in seat for seat in seats):
        return [seat["points"] for seat in seats], [seat["largest_category"] for seat in seats]
    if all("banknotes" in seat for seat in seats):
        cheques = [seat["cheques"] if "cheques" in seat else sum(seat["cheque_cards"]) for seat in seats]
        return [c + s["banknotes"] for c, s in zip(cheques, seats, strict=True)], [s["banknotes"] for s in seats]
    return None


def test_the_files_are_what_the_script_makes() -> None:
    for name, make in make_demo.CLUBS.items():
        assert (SEEDS / name).read_text(encoding="utf-8") == make_demo.as_text(make())


def test_there_is_something_of_everything() -> None:
    bodies = [entry["body"] for entry in ENTRIES]
    decisions = Counter(entry["expected"]["decided_by"] for entry in ENTRIES)
    kinds = {(b["variant"], len(b["seats"])) for b in bodies if b["edition"] == "iello"}
    assert len(bodies) >= 60
    assert kinds == {(v, n) for v in ("base", "not-enough-for-everyone") for n in (3, 4, 5, 6)}
    assert sum("record" in b for b in bodies) >= 12
    assert decisions.keys() == {"total", "banknotes", "largest_category", "shared", "reported"}
    assert {entry["expected"]["level"] for entry in ENTRIES} == {"total", "sheet", "cards", "record"}
    assert any(b["game"] == "lady-richmond" for b in bodies)
    assert sum("accept_findings" in b for b in bodies) == 1
    assert any(b.get("counts") is False for b in bodies)


def test_the_known_results_are_the_referees() -> None:
    for entry in ENTRIES:
        known = figures(entry["body"])
        if known is None:
            assert entry["expected"]["totals"] == [s.get("total", s.get("points")) for s in entry["body"]["seats"]]
            continue
        ranks, winners, decided_by = standings(*known)
        if entry["body"]["game"] == "lady-richmond" and decided_by == "banknotes":
            decided_by = "largest_category"
        assert entry["expected"] == {
            "level": entry["expected"]["level"],
            "decided_by": decided_by,
            "winners": winners,
            "totals": known[0],
            "ranks": ranks,
            "counts": entry["expected"]["counts"],
        }


@pytest.mark.django_db
def test_seeding_stores_every_play_once_with_its_known_result() -> None:
    call_command("seed", stdout=StringIO())
    for demo in DEMO:
        plays = Play.objects.filter(club__slug=demo["club"]["slug"])
        assert plays.count() == len(demo["plays"])
        stored = {play.source_id: play for play in plays.prefetch_related("seats")}
        for entry in demo["plays"]:
            play = stored[entry["body"]["source_id"]]
            seats = list(play.seats.all())
            assert entry["expected"] == {
                "level": play.level,
                "decided_by": play.decided_by,
                "winners": [seat.seat for seat in seats if seat.is_winner],
                "totals": [seat.total for seat in seats],
                "ranks": [seat.rank for seat in seats],
                "counts": play.counts,
            }, play.source_id
    again = StringIO()
    call_command("seed", stdout=again)
    assert "0 of" in again.getvalue()
    assert Play.objects.count() == PlayToFold.objects.count() == len(ENTRIES)


@pytest.mark.django_db
def test_seeding_leaves_somebody_elses_club_alone() -> None:
    Club.objects.create(slug="nantes", name="Our Nantes")
    with pytest.raises(CommandError, match="nantes"):
        call_command("seed", stdout=StringIO())
    assert Play.objects.filter(club__slug="nantes").count() == 0


@pytest.mark.django_db
def test_recomputing_finds_what_does_not_follow_from_the_facts_and_mends_it() -> None:
    call_command("seed", stdout=StringIO())
    call_command("recompute_scores", stdout=StringIO())
    sheet = Play.objects.filter(level="sheet", club__slug="bristol").first()
    record = Play.objects.filter(level="record", club__slug="nantes").first()
    assert sheet is not None
    assert record is not None
    Seat.objects.filter(play=record, seat=1).update(cheques=1, banknotes=2, total=3, cheque_cards=[1])
    Play.objects.filter(pk=record.pk).update(first_seat=record.first_seat % record.player_count + 1)
    Play.objects.filter(pk=sheet.pk).update(decided_by="unknown", version=7)
    report = StringIO()
    with pytest.raises(CommandError, match="2 differ"):
        call_command("recompute_scores", stdout=report)
    assert f"play {sheet.pk}: decided_by: stored 'unknown'" in report.getvalue()
    assert f"play {record.pk}: seat 1" in report.getvalue()
    assert f"play {record.pk}: first_seat" in report.getvalue()
    call_command("recompute_scores", "--fix", stdout=StringIO())
    call_command("recompute_scores", stdout=StringIO())
    sheet.refresh_from_db()
    assert sheet.version == 8
    assert PlayToFold.objects.filter(play_id=sheet.pk).count() == 2


@pytest.mark.django_db
def test_facts_that_cannot_be_scored_are_reported_and_not_mended() -> None:
    call_command("seed", stdout=StringIO())
    play = Play.objects.filter(level="record").first()
    assert play is not None
    play.record["auctions"].pop()
    play.save()
    report = StringIO()
    with pytest.raises(CommandError, match="1 differ"):
        call_command("recompute_scores", "--fix", stdout=report)
    assert f"play {play.pk}: cannot be scored" in report.getvalue()
