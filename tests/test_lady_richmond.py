"""Lady Richmond: points (negative ones too), the largest category, and what the deck allows."""

from itertools import product
from random import Random
from typing import Any

import pytest

from forsale_api.rules import RuleError, Score, SeatEntry, ShapeError, game, lady_richmond


def score(*seats: tuple[int, int | None], **more: Any) -> Score:
    entries = [SeatEntry(points=points, largest_category=largest) for points, largest in seats]
    return game("lady-richmond").score(edition="haba", variant="base", seats=entries, **more)


def findings(*seats: tuple[int, int | None]) -> list[tuple[str, str, tuple[int, ...]]]:
    return [(finding.code, finding.severity, finding.seats) for finding in score(*seats).findings]


def test_the_most_points_win_and_points_may_be_negative() -> None:
    result = score((-3, None), (12, None), (-8, None))
    assert [seat.rank for seat in result.seats] == [2, 1, 3]
    assert (result.level, result.decided_by, result.winners) == ("total", "total", (2,))
    assert [seat.total for seat in result.seats] == [-3, 12, -8]


def test_a_tie_goes_to_the_largest_category_then_the_win_is_shared() -> None:
    assert score((20, 5), (20, 6), (1, 1)).winners == (2,)
    assert score((20, 5), (20, 6), (1, 1)).decided_by == "largest_category"
    shared = score((20, 6), (20, 6), (1, 1))
    assert (shared.decided_by, shared.winners, shared.level) == ("shared", (1, 2), "sheet")


def test_a_tie_without_the_categories_is_unknown_or_as_reported() -> None:
    assert score((20, None), (20, 6)).decided_by == "unknown"
    assert score((20, None), (20, None), reported_winners=[2]).winners == (2,)


def test_the_largest_category_is_needed_only_to_break_a_tie() -> None:
    result = score((30, None), (20, 4), (20, 5))
    assert [seat.rank for seat in result.seats] == [1, 3, 2]


def test_total_is_another_word_for_points_and_must_agree() -> None:
    lady = game("lady-richmond")
    seats = [SeatEntry(total=5), SeatEntry(points=7, total=7)]
    assert lady.score(edition="haba", variant="base", seats=seats).seats[0].points == 5
    with pytest.raises(RuleError) as caught:
        lady.score(edition="haba", variant="base", seats=[SeatEntry(points=7, total=8), SeatEntry(points=1)])
    assert caught.value.place == ("seats", 0, "total")


@pytest.mark.parametrize(
    ("entry", "place"),
    [
        (SeatEntry(), ("seats", 0, "points")),
        (SeatEntry(largest_category=3), ("seats", 0, "points")),
        (SeatEntry(points=3, banknotes=1), ("seats", 0, "banknotes")),
        (SeatEntry(points=3, cheque_cards=()), ("seats", 0, "cheque_cards")),
    ],
)
def test_a_seat_without_points_or_with_figures_of_for_sale_has_the_wrong_shape(
    entry: SeatEntry, place: tuple[str | int, ...]
) -> None:
    with pytest.raises(ShapeError) as caught:
        game("lady-richmond").score(edition="haba", variant="base", seats=[entry, SeatEntry(points=1)])
    assert caught.value.place == place


def test_a_record_is_not_offered() -> None:
    with pytest.raises(ShapeError):
        score((1, None), (2, None), record={"first_seat": 1})


def test_two_to_five_play() -> None:
    with pytest.raises(RuleError, match="2, 3, 4, 5"):
        score((1, None))


# --- The audit ---------------------------------------------------------------------------------------


def test_over_all_readings_a_pile_is_worth_52_below_to_146_above_and_in_the_likely_one_8_below_to_86_above() -> None:
    best, worst = lady_richmond.widest_reading(lady_richmond.OBJECTS)
    assert (lady_richmond.least_points(worst), lady_richmond.most_points(best)) == (-52, 146)
    objects = lady_richmond.OBJECTS
    assert (lady_richmond.least_points(objects), lady_richmond.most_points(objects)) == (-8, 86)


@pytest.mark.parametrize(
    ("points", "expected"),
    [
        ((146, 0), [("points-too-high", "unlikely", (1,))]),
        ((147, 0), [("points-too-high", "impossible", (1,))]),
        ((86, -8), []),
        ((87, 0), [("points-too-high", "unlikely", (1,))]),
        ((80, 7), [("points-too-high", "unlikely", (1, 2))]),
        ((80, 67), [("points-too-high", "impossible", (1, 2))]),
        ((-52, 0), [("points-too-low", "unlikely", (1,))]),
        ((-53, 0), [("points-too-low", "impossible", (1,))]),
        ((-5, -4), [("points-too-low", "unlikely", (1, 2))]),
        ((78, 0), []),
    ],
)
def test_points_beyond_every_reading_are_impossible_and_beyond_the_likely_one_unlikely(
    points: tuple[int, ...], expected: list[Any]
) -> None:
    assert findings(*[(p, None) for p in points]) == expected


@pytest.mark.parametrize(("players", "limit"), [(2, 18), (3, 24), (4, 28), (5, 32)])
def test_the_largest_categories_add_up_to_18_24_28_or_32_at_most(players: int, limit: int) -> None:
    most = [10, 8, 6, 4, 4][:players]
    assert sum(most) == limit
    assert findings(*[(10, largest) for largest in most]) == []
    most[1] += 1
    assert findings(*[(10, largest) for largest in most])[0][:2] == ("categories-too-large", "impossible")


def test_one_category_has_ten_objects() -> None:
    assert findings((30, 11), (1, 1)) == [("category-too-large", "impossible", (1,))]


def test_a_largest_category_bounds_the_points() -> None:
    assert findings((0, 0), (21, 1)) == []
    assert findings((1, 0), (21, 1)) == [("points-too-high", "impossible", (1,))]
    assert findings((0, 0), (22, 1)) == [("points-too-high", "impossible", (2,))]
    assert findings((0, 0), (-7, 1)) == [("points-too-low", "impossible", (2,))]


def test_piles_dealt_from_any_reading_of_the_deck_are_never_impossible() -> None:
    rng = Random(20)
    counts = [10, 8, 6, 4, 4, 2, 1, 1, 1]
    for _ in range(1500):
        values = [-3, -2, -1, 1, 2, 3, 4, 5, 6]
        rng.shuffle(values)
        players = rng.randint(2, 5)
        greedy = rng.random() < 0.4
        piles = [[0] * 9 for _ in range(players)]
        for kind, count in enumerate(counts):
            for _card in range(count):
                if greedy:
                    owner = 0 if values[kind] > 0 else rng.randrange(1, players + 1)
                else:
                    owner = rng.randrange(players + 1)  # the last one is the discard pile
                if owner < players:
                    piles[owner][kind] += 1
        points = [sum(n * v for n, v in zip(pile, values, strict=True)) for pile in piles]
        told = findings(*[(p, rng.choice([None, max(pile)])) for p, pile in zip(points, piles, strict=True)])
        assert not [finding for finding in told if finding[1] == "impossible"]


def test_the_bound_by_the_largest_category_is_reached_and_never_passed() -> None:
    cards = [(card.count, card.value) for card in lady_richmond.OBJECTS if card.count <= 2]
    for largest in (0, 1, 2):
        piles = product(*[range(min(count, largest) + 1) for count, _value in cards])
        points = [sum(n * value for n, (_count, value) in zip(pile, cards, strict=True)) for pile in piles]
        small = [lady_richmond.Card(count, value) for count, value in cards]
        assert max(points) == lady_richmond.most_points(small, largest)
        assert min(points) == lady_richmond.least_points(small, largest)


def test_the_finding_says_by_how_much() -> None:
    assert "4 more than the objects can be worth (146)" in str(score((150, None), (0, None)).findings[0].message)
