"""Scores, ranks, tie-breaks and what decided: the one function behind API, pages and imports."""

from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forsale_api.rules import RuleError, Score, SeatEntry, ShapeError, game, rank
from tests.games import random_kind, random_record
from tests.referee import judge, standings


def score(*seats: SeatEntry, variant: str = "base", **more: Any) -> Score:
    return game("for-sale").score(edition="iello", variant=variant, seats=seats, **more)


def sheet(cheques: int, banknotes: int) -> SeatEntry:
    return SeatEntry(cheques=cheques, banknotes=banknotes)


def refusal(*seats: SeatEntry, **more: Any) -> RuleError:
    with pytest.raises(RuleError) as caught:
        score(*seats, **more)
    return caught.value


# --- Ranks and tie-breaks ----------------------------------------------------------------------------


def test_the_richest_wins_and_a_tie_goes_to_the_most_banknotes() -> None:
    result = score(sheet(83, 4), SeatEntry(cheque_cards=(15, 12, 0, 2, 9, 9, 14, 8, 10, 6), banknotes=2), sheet(70, 0))
    assert (result.level, result.decided_by, result.winners) == ("sheet", "banknotes", (1,))
    assert [(s.seat, s.cheques, s.banknotes, s.total, s.rank, s.is_winner) for s in result.seats] == [
        (1, 83, 4, 87, 1, True),
        (2, 85, 2, 87, 2, False),
        (3, 70, 0, 70, 3, False),
    ]
    assert result.findings == ()


def test_equal_fortunes_and_equal_banknotes_share_the_win() -> None:
    result = score(sheet(80, 4), sheet(80, 4), sheet(78, 6))
    assert (result.decided_by, result.winners) == ("banknotes", (3,))
    result = score(sheet(81, 4), sheet(81, 4), sheet(76, 6))
    assert (result.decided_by, result.winners) == ("shared", (1, 2))
    assert [seat.rank for seat in result.seats] == [1, 1, 3]


def test_ranks_are_competition_ranks() -> None:
    ranking = rank([50, 60, 50, 40], [3, 0, 3, 9], "banknotes")
    assert ranking.ranks == (2, 1, 2, 4)
    assert ranking.decided_by == "total"


def test_a_tie_below_the_top_is_broken_too_but_decides_nothing() -> None:
    ranking = rank([60, 50, 50], [0, 1, 2], "banknotes")
    assert (ranking.ranks, ranking.decided_by) == ((1, 3, 2), "total")


@given(st.lists(st.tuples(st.integers(0, 8), st.integers(0, 3)), min_size=2, max_size=6))
def test_ranks_agree_with_the_referee(pairs: list[tuple[int, int]]) -> None:
    totals, ties = [total for total, _ in pairs], [tie for _, tie in pairs]
    ranking = rank(totals, ties, "banknotes")
    assert (list(ranking.ranks), list(ranking.winners), ranking.decided_by) == standings(totals, ties)


@given(
    st.lists(st.tuples(st.integers(0, 5), st.one_of(st.none(), st.integers(0, 3))), min_size=2, max_size=6),
    st.randoms(use_true_random=False),
)
def test_the_order_of_the_seats_changes_nothing(pairs: list[tuple[int, int | None]], rng: Random) -> None:
    order = list(range(len(pairs)))
    rng.shuffle(order)
    first = rank([pairs[i][0] for i in range(len(pairs))], [p[1] for p in pairs], "banknotes")
    second = rank([pairs[i][0] for i in order], [pairs[i][1] for i in order], "banknotes")
    assert [first.ranks[i] for i in order] == list(second.ranks)
    assert first.decided_by == second.decided_by


# --- Totals alone, and who is said to have won -------------------------------------------------------


def totals(*values: int) -> list[SeatEntry]:
    return [SeatEntry(total=value) for value in values]


def test_a_tie_of_bare_totals_is_unknown_and_its_seats_share_the_first_rank() -> None:
    result = score(*totals(90, 90, 80))
    assert (result.level, result.decided_by, result.winners) == ("total", "unknown", (1, 2))


def test_the_named_winners_decide_a_tie_of_bare_totals() -> None:
    result = score(*totals(90, 90, 90), reported_winners=[2])
    assert (result.decided_by, result.winners) == ("reported", (2,))
    assert [seat.rank for seat in result.seats] == [2, 1, 2]
    result = score(*totals(90, 90, 90), reported_winners=[3, 1])
    assert (result.decided_by, result.winners) == ("reported", (1, 3))
    assert [seat.rank for seat in result.seats] == [1, 3, 1]


def test_naming_the_only_best_seat_leaves_the_total_to_decide() -> None:
    assert score(*totals(90, 91, 80), reported_winners=[2]).decided_by == "total"


@pytest.mark.parametrize(
    ("named", "code", "place"),
    [
        ([3], "winner-contradicts-totals", ("reported_winners", 0)),
        ([1, 3], "winner-contradicts-totals", ("reported_winners", 1)),
        ([4], "no-such-seat", ("reported_winners", 0)),
        ([0], "no-such-seat", ("reported_winners", 0)),
        ([1, 1], "winner-named-twice", ("reported_winners", 1)),
    ],
)
def test_winners_that_cannot_be_are_refused(named: list[int], code: str, place: tuple[str | int, ...]) -> None:
    error = refusal(*totals(90, 90, 80), reported_winners=named)
    assert (error.code, error.place) == (code, place)
    assert not isinstance(error, ShapeError)


def test_named_winners_must_agree_with_a_tie_break_that_is_known() -> None:
    tied = [sheet(80, 4), sheet(78, 6), sheet(80, 3)]
    assert score(*tied, reported_winners=[2]).decided_by == "banknotes"
    assert refusal(*tied, reported_winners=[1]).code == "winner-contradicts-tie-break"


def test_one_unknown_banknote_figure_leaves_the_tie_open() -> None:
    result = score(sheet(80, 4), SeatEntry(total=84), sheet(70, 3))
    assert (result.level, result.decided_by, result.winners) == ("total", "unknown", (1, 2))


# --- Completing a sheet ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "entry",
    [
        SeatEntry(cheques=83, banknotes=4),
        SeatEntry(cheques=83, total=87),
        SeatEntry(banknotes=4, total=87),
        SeatEntry(cheques=83, banknotes=4, total=87),
    ],
)
def test_any_two_figures_give_the_third(entry: SeatEntry) -> None:
    result = score(entry, sheet(80, 0), sheet(75, 1))
    assert (result.level, result.seats[0].cheques, result.seats[0].banknotes, result.seats[0].total) == (
        "sheet",
        83,
        4,
        87,
    )


def test_the_level_is_the_lowest_of_the_seats() -> None:
    cards = SeatEntry(cheque_cards=(15, 12, 0, 2, 9, 9, 14, 8, 10, 6), banknotes=2)
    assert score(sheet(83, 4), cards, sheet(70, 0)).level == "sheet"
    assert score(sheet(83, 4), cards, SeatEntry(total=70)).level == "total"
    assert [seat.cheque_cards for seat in score(sheet(83, 4), cards, sheet(70, 0)).seats][::2] == [None, None]


def test_a_seat_without_a_house_has_no_cheque_cards_in_the_variant() -> None:
    result = score(
        SeatEntry(cheque_cards=(), banknotes=20), sheet(110, 0), sheet(60, 0), variant="not-enough-for-everyone"
    )
    assert (result.seats[0].cheques, result.seats[0].total) == (0, 20)


@pytest.mark.parametrize(
    ("entry", "code", "place"),
    [
        (SeatEntry(cheques=83), "figure-missing", ("seats", 0, "banknotes")),
        (SeatEntry(banknotes=3), "figure-missing", ("seats", 0, "cheques")),
        (SeatEntry(cheque_cards=(5, 6)), "figure-missing", ("seats", 0, "banknotes")),
        (SeatEntry(), "figure-missing", ("seats", 0)),
        (SeatEntry(points=12), "figure-of-another-game", ("seats", 0, "points")),
        (SeatEntry(total=12, largest_category=3), "figure-of-another-game", ("seats", 0, "largest_category")),
    ],
)
def test_figures_that_cannot_be_scored_are_a_matter_of_shape(
    entry: SeatEntry, code: str, place: tuple[str | int, ...]
) -> None:
    error = refusal(entry, sheet(80, 0), sheet(75, 1))
    assert isinstance(error, ShapeError)
    assert (error.code, error.place) == (code, place)


@pytest.mark.parametrize(
    ("entry", "code", "place"),
    [
        (SeatEntry(cheques=83, banknotes=4, total=88), "total-contradicts-figures", ("seats", 0, "total")),
        (SeatEntry(cheques=83, total=80), "total-too-small", ("seats", 0, "total")),
        (SeatEntry(banknotes=83, total=80), "total-too-small", ("seats", 0, "total")),
        (SeatEntry(cheques=12, banknotes=1, cheque_cards=(6, 7)), "cheques-contradict-cards", ("seats", 0, "cheques")),
        (SeatEntry(cheques=-1, banknotes=4), "figure-out-of-range", ("seats", 0, "cheques")),
        (SeatEntry(cheques=1, banknotes=-4), "figure-out-of-range", ("seats", 0, "banknotes")),
        (SeatEntry(total=10**4000), "figure-out-of-range", ("seats", 0, "total")),
        (SeatEntry(cheque_cards=(3, -3), banknotes=1), "figure-out-of-range", ("seats", 0, "cheque_cards", 1)),
        (SeatEntry(cheque_cards=(9,) * 9999, banknotes=1), "figure-out-of-range", ("seats", 0, "cheque_cards")),
    ],
)
def test_figures_that_contradict_each_other_are_refused_at_the_figure(
    entry: SeatEntry, code: str, place: tuple[str | int, ...]
) -> None:
    error = refusal(entry, sheet(80, 0), sheet(75, 1))
    assert not isinstance(error, ShapeError)
    assert (error.code, error.place) == (code, place)


FIGURES = st.one_of(st.none(), st.integers(-3, 140), st.integers())
ENTRIES = st.builds(
    SeatEntry,
    cheques=FIGURES,
    banknotes=FIGURES,
    total=FIGURES,
    cheque_cards=st.one_of(st.none(), st.lists(st.integers(-1, 16), max_size=12).map(tuple)),
)


@given(seats=st.lists(ENTRIES, max_size=7), variant=st.sampled_from(["base", "not-enough-for-everyone"]))
def test_any_sheet_is_scored_or_refused_with_a_reason(seats: list[SeatEntry], variant: str) -> None:
    told = outcome(seats, variant)
    if isinstance(told, RuleError):
        assert str(told)
        assert told.place
    else:
        assert min(seat.rank for seat in told.seats) == 1
        assert all(str(finding.message) for finding in told.findings)
        assert all(1 <= seat <= len(seats) for finding in told.findings for seat in finding.seats)


def outcome(seats: list[SeatEntry], variant: str) -> Score | RuleError:
    try:
        return score(*seats, variant=variant)
    except RuleError as error:
        return error


# --- A record with figures beside it -----------------------------------------------------------------


def test_figures_beside_a_record_must_agree_with_it() -> None:
    kind = ("iello", "base", 4)
    record = random_record(Random(7), kind)
    verdict = judge(record, kind)
    right = [
        SeatEntry(cheques=sum(cards), banknotes=notes, total=sum(cards) + notes, cheque_cards=tuple(cards))
        for cards, notes in zip(verdict.cheques, verdict.banknotes, strict=True)
    ]
    assert score(*right, record=record).level == "record"
    assert score(*[SeatEntry()] * 4, record=record).level == "record"
    assert score(*[SeatEntry(banknotes=notes) for notes in verdict.banknotes], record=record).level == "record"
    for name in ("cheques", "banknotes", "total"):
        wrong = [*right[:2], SeatEntry(**{name: getattr(right[2], name) + 1}), right[3]]
        error = refusal(*wrong, record=record)
        assert (error.code, error.place) == ("figure-contradicts-record", ("seats", 2, name))
        assert not isinstance(error, ShapeError)
    error = refusal(*right[:3], SeatEntry(cheque_cards=(0, 0)), record=record)
    assert error.place == ("seats", 3, "cheque_cards")


def test_a_record_for_four_does_not_fit_a_table_of_three() -> None:
    record = random_record(Random(7), ("iello", "base", 4))
    assert refusal(*[SeatEntry()] * 3, record=record).place[0] == "record"


def test_winners_named_beside_a_record_must_agree_with_it() -> None:
    kind = random_kind(Random(5))
    record = random_record(Random(5), kind)
    verdict = judge(record, kind)
    _ranks, winners, _decided_by = standings(verdict.totals, verdict.banknotes)
    losers = [seat for seat in range(1, kind[2] + 1) if seat not in winners]

    def named(seats: list[int]) -> Score:
        return game("for-sale").score(edition=kind[0], variant=kind[1], seats=(), record=record, reported_winners=seats)

    assert list(named(winners).winners) == winners
    with pytest.raises(RuleError):
        named([losers[0]])
