"""The whole games of seeds/ give their known results, through the rules and through the referee."""

import json
from pathlib import Path
from typing import Any

import pytest

from forsale_api.rules import SeatEntry, game
from tests.referee import judge, standings

GAMES = sorted((Path(__file__).parent.parent / "seeds" / "games").glob("*.json"))


def read(path: Path) -> dict[str, Any]:
    seed: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return seed


@pytest.mark.parametrize("path", GAMES, ids=lambda path: path.stem)
def test_a_golden_game_gives_its_known_result(path: Path) -> None:
    seed = read(path)
    score = game(seed["game"]).score(edition=seed["edition"], variant=seed["variant"], seats=(), record=seed["record"])
    assert {
        "cheques": [seat.cheques for seat in score.seats],
        "banknotes": [seat.banknotes for seat in score.seats],
        "totals": [seat.total for seat in score.seats],
        "ranks": [seat.rank for seat in score.seats],
        "winners": list(score.winners),
        "decided_by": score.decided_by,
    } == seed["expected"]
    assert score.level == "record"


@pytest.mark.parametrize("path", GAMES, ids=lambda path: path.stem)
def test_a_golden_game_gives_its_known_result_for_the_referee_too(path: Path) -> None:
    seed = read(path)
    verdict = judge(seed["record"], (seed["edition"], seed["variant"], len(seed["players"])))
    ranks, winners, decided_by = standings(verdict.totals, verdict.banknotes)
    known = seed["expected"]
    assert (verdict.totals, verdict.banknotes) == (known["totals"], known["banknotes"])
    assert (ranks, winners, decided_by) == (known["ranks"], known["winners"], known["decided_by"])


@pytest.mark.parametrize("path", GAMES, ids=lambda path: path.stem)
def test_the_sheet_of_a_golden_game_scores_the_same_and_passes_the_audit(path: Path) -> None:
    seed = read(path)
    known = seed["expected"]
    entries = [SeatEntry(cheques=c, banknotes=b) for c, b in zip(known["cheques"], known["banknotes"], strict=True)]
    score = game(seed["game"]).score(edition=seed["edition"], variant=seed["variant"], seats=entries)
    assert [seat.rank for seat in score.seats] == known["ranks"]
    assert (score.level, score.decided_by, score.findings) == ("sheet", known["decided_by"], ())


def test_the_golden_games_cover_every_count_both_variants_and_every_way_to_decide() -> None:
    seeds = [read(path) for path in GAMES]
    iello = {(s["variant"], len(s["players"])) for s in seeds if s["edition"] == "iello"}
    assert iello == {(v, n) for v in ("base", "not-enough-for-everyone") for n in (3, 4, 5, 6)}
    assert {s["expected"]["decided_by"] for s in seeds} == {"total", "banknotes", "shared"}
