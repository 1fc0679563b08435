"""The audit: exact where it says so, never against a legal sheet, and plain about what is wrong."""

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from itertools import combinations, combinations_with_replacement, product
from random import Random

import pytest

from forsale_api.rules import Finding, SeatEntry, for_sale, game, score_sheet
from forsale_api.rules.score_sheet import Deal, Figures, audit, deal_of, highest, lowest, sums_of
from tests.games import KINDS, Kind, random_record
from tests.referee import judge

IELLO = for_sale.EDITIONS["iello"]
NOT_ENOUGH = "not-enough-for-everyone"


def findings(
    *seats: tuple[int, int], variant: str = "base", edition: str = "iello", severity: str = "impossible"
) -> tuple[Finding, ...]:
    figures = [Figures(cheques + banknotes, cheques, banknotes) for cheques, banknotes in seats]
    found = audit(figures, edition=for_sale.EDITIONS[edition], variant=variant)
    assert {finding.severity for finding in found} <= {severity}
    return found


def codes(*seats: tuple[int, int], variant: str = "base", edition: str = "iello") -> list[tuple[str, tuple[int, ...]]]:
    return [(f.code, f.seats) for f in findings(*seats, variant=variant, edition=edition)]


def said(found: Sequence[Finding]) -> list[str]:
    return [str(finding.message) for finding in found]


# --- Legal games always pass -------------------------------------------------------------------------


def audit_random_games(number: int, seed: int) -> None:
    """Random legal games of all kinds, their sheets written down in every degree of detail."""
    rng = Random(seed)
    for i in range(number):
        kind = KINDS[i % len(KINDS)]
        edition, variant, _players = kind
        verdict = judge(random_record(rng, kind), kind)
        for detail in ("sheet", rng.choice(["cards", "total", "mixed"])):
            figures = [
                written(detail if detail != "mixed" else rng.choice(["cards", "sheet", "total"]), cards, notes)
                for cards, notes in zip(verdict.cheques, verdict.banknotes, strict=True)
            ]
            found = audit(figures, edition=for_sale.EDITIONS[edition], variant=variant)
            assert not found, f"seed {seed}, game {i}, {kind}, {detail}: {said(found)} {figures}"


def written(detail: str, cards: list[int], notes: int) -> Figures:
    total = sum(cards) + notes
    if detail == "total":
        return Figures(total)
    return Figures(total, sum(cards), notes, tuple(cards) if detail == "cards" else None)


def test_three_thousand_legal_games_over_all_kinds_pass() -> None:
    audit_random_games(3_000, seed=1)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2, 12))
def test_a_hundred_thousand_legal_games_over_all_kinds_pass(seed: int) -> None:
    audit_random_games(10_000, seed)


# --- Base game: exact in cheques ---------------------------------------------------------------------


def dealt_vectors(deal: Deal) -> set[tuple[int, ...]]:
    """Cheque sums of real deals, sorted: from any deal by exchanging two cards, as far as that leads."""
    players, hand = deal.players, deal.rounds
    deck = sorted(deal.deck)
    start = [deck[i * hand : (i + 1) * hand] for i in range(players)] + [deck[players * hand :]]
    found = {tuple(sorted(map(sum, start[:players])))}
    queue = deque([start])
    while queue:
        hands = queue.popleft()
        sums = [sum(cards) for cards in hands]
        for i, j in combinations(range(players + 1), 2):
            for a, b in product(range(len(hands[i])), range(len(hands[j]))):
                gain = hands[j][b] - hands[i][a]
                moved = sums[:]
                moved[i] += gain
                moved[j] -= gain
                key = tuple(sorted(moved[:players]))
                if gain and key not in found:
                    found.add(key)
                    swapped = [list(cards) for cards in hands]
                    swapped[i][a], swapped[j][b] = hands[j][b], hands[i][a]
                    queue.append(swapped)
    return found


def sorted_vectors(low: int, high: int, players: int, sums: tuple[int, int]) -> Iterator[tuple[int, ...]]:
    for vector in combinations_with_replacement(range(low, high + 1), players - 1):
        for total in range(sums[0], sums[1] + 1):
            if total - sum(vector) >= vector[-1]:
                yield (*vector, total - sum(vector))


def passes(vector: Sequence[int], edition: for_sale.Edition, variant: str = "base") -> bool:
    return not audit([Figures(c + 1, c, 1) for c in vector], edition=edition, variant=variant)


def test_with_three_players_exactly_the_1352_triples_that_can_be_dealt_pass() -> None:
    dealt = dealt_vectors(deal_of(IELLO, "base", 3))
    assert len(dealt) == 1352
    passing = {v for v in sorted_vectors(26, 107, 3, (236, 239)) if passes(v, IELLO)}
    assert passing == dealt


@pytest.mark.long
@pytest.mark.parametrize(
    ("slug", "players", "number"),
    [("classic1997", 3, 33_926), ("classic1997", 4, 12_740), ("classic1997", 5, 94_703), ("eagle", 3, 65_184)],
)
def test_in_the_other_decks_too_exactly_what_can_be_dealt_passes(slug: str, players: int, number: int) -> None:
    edition = for_sale.EDITIONS[slug]
    deal = deal_of(edition, "base", players)
    dealt = dealt_vectors(deal)
    assert len(dealt) == number
    bounded = set(bounded_vectors(deal))
    assert bounded == dealt
    for vector in Random(4).sample(sorted(bounded), 4_000):
        assert passes(vector, edition)


def bounded_vectors(deal: Deal) -> Iterator[tuple[int, ...]]:
    """Sorted vectors within the bounds of every group and with a possible sum, written out plainly."""
    deck, hand, players = sorted(deal.deck), deal.rounds, deal.players
    least = [sum(deck[: size * hand]) for size in range(players + 1)]
    most = [sum(deck[len(deck) - size * hand :]) for size in range(players + 1)]
    aside = len(deck) - hand * players
    possible = {sum(deck) - sum(cards) for cards in combinations(deck, aside)}

    def extend(vector: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        size = len(vector)
        if size == players:
            if sum(vector) in possible and all(sum(vector[players - n :]) <= most[n] for n in range(1, players)):
                yield vector
            return
        for cheques in range(vector[-1] if vector else least[1], most[1] + 1):
            if sum(vector) + cheques * (players - size) > most[players]:
                return
            if least[size + 1] <= sum(vector) + cheques <= most[size + 1]:
                yield from extend((*vector, cheques))

    return extend(())


@pytest.mark.long
@pytest.mark.parametrize(("players", "number"), [(4, 412_858), (5, 140_225), (6, 786_191)])
def test_the_number_of_vectors_within_the_bounds_is_the_known_one(players: int, number: int) -> None:
    assert sum(1 for _ in bounded_vectors(deal_of(IELLO, "base", players))) == number


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind[1] == "base"], ids=str)
def test_near_the_bounds_the_audit_says_what_the_bounds_say(kind: Kind) -> None:
    """Real deals, the richest or the poorest hands pushed over the edge by a little."""
    edition, _variant, players = kind
    deal = deal_of(for_sale.EDITIONS[edition], "base", players)
    deck, hand = sorted(deal.deck), deal.rounds
    least = [sum(deck[: size * hand]) for size in range(players + 1)]
    most = [sum(deck[len(deck) - size * hand :]) for size in range(players + 1)]
    sums = sums_of(deal.deck)[deal.dealt]
    rng = Random(repr(kind))
    seen = set()
    for _ in range(400):
        cards = deck[:]
        for _swap in range(rng.choice([0, 1, 2, 4, 30])):
            i, j = rng.randrange(len(cards)), rng.randrange(len(cards))
            cards[i], cards[j] = cards[j], cards[i]
        vector = [sum(cards[i * hand : (i + 1) * hand]) for i in range(players)]
        for _push in range(rng.choice([1, 2])):
            i, j, by = rng.randrange(players), rng.randrange(players), rng.choice([0, 1, 2])
            vector[i] += by
            vector[j] -= by * rng.choice([1, 1, 1, 0])
        in_order = sorted(vector)
        possible = bool(sum(vector) >= 0 and sums >> sum(vector) & 1) and all(
            least[n] <= sum(in_order[:n]) and sum(in_order[players - n :]) <= most[n] for n in range(players + 1)
        )
        if min(vector) >= 0:
            assert passes(vector, for_sale.EDITIONS[edition]) is possible
            seen.add(possible)
    assert seen == {True, False}


# --- The published table of what can be --------------------------------------------------------------


@pytest.mark.parametrize(
    ("players", "groups", "sums"),
    [
        (3, [(28, 130), (108, 210)], (238, 238)),
        (4, [(14, 96), (54, 168), (119, 215)], (208, 238)),
        (5, [(10, 84), (40, 150), (88, 198), (154, 228)], (238, 238)),
        (6, [(7, 71), (28, 130), (62, 176), (108, 210), (167, 231)], (238, 238)),
    ],
)
def test_the_limits_of_every_group_of_seats(players: int, groups: list[tuple[int, int]], sums: tuple[int, int]) -> None:
    deal = deal_of(IELLO, "base", players)
    reach = sums_of(deal.deck)
    limits = [(lowest(reach[n * deal.rounds]), highest(reach[n * deal.rounds])) for n in range(1, players)]
    assert limits == groups
    assert (lowest(reach[deal.dealt]), highest(reach[deal.dealt])) == sums


@pytest.mark.parametrize(("low", "high"), [(28, 130)])
def test_every_cheque_sum_between_the_limits_passes_with_three_players(low: int, high: int) -> None:
    for cheques in range(low, high + 1):
        rest = 238 - cheques
        assert codes((cheques, 1), (rest // 2, 1), (rest - rest // 2, 1)) == []
    assert codes((low - 1, 1), (105, 1), (106, 1))[0] == ("cheques-too-low", (1,))


# --- Banknotes ---------------------------------------------------------------------------------------


def banknotes_after_buying(edition: for_sale.Edition, players: int) -> set[tuple[int, ...]]:
    """Every distribution of banknotes some buying phase ends with, by playing them all."""

    @cache
    def one_round(number: int, opener: int, notes: tuple[int, ...]) -> frozenset[tuple[int, tuple[int, ...]]]:
        state = for_sale.setup(edition, "base", players, opener)
        state.buying_round = number
        for hand, left in zip(state.hands, notes, strict=True):
            hand.banknotes = left
        for_sale.apply(state, for_sale.RevealHouses(tuple(range(1, players + 1))))
        ends, stack = set(), [state]
        while stack:
            state = stack.pop()
            for action in list(for_sale.legal_actions(state)):
                after = state.copy()
                for_sale.apply(after, action)
                if after.houses:
                    stack.append(after)
                else:
                    ends.add((after.turn, tuple(hand.banknotes for hand in after.hands)))
        return frozenset(ends)

    money = (edition.money[players],) * players
    positions = {(opener, money) for opener in range(1, players + 1)}
    for number in range(len(for_sale.round_sizes(edition, "base", players))):
        positions = {end for opener, notes in positions for end in one_round(number, opener, notes)}
    return {notes for _opener, notes in positions}


def small_edition(rounds: int, money: int, *, up: bool, equal: bool) -> for_sale.Edition:
    return replace(
        IELLO,
        houses=3 * rounds,
        cheques=tuple(range(3 * rounds)),
        money={3: money},
        aside={3: 0},
        refund_rounds_up=up,
        equal_bid_allowed=equal,
    )


@pytest.mark.parametrize(
    ("rounds", "money", "up", "equal"),
    [(2, 4, True, False), (2, 6, True, False), (2, 5, False, False), (2, 3, True, True), (3, 3, True, False)],
)
def test_banknotes_pass_exactly_if_some_buying_phase_leaves_them(
    rounds: int, money: int, up: bool, equal: bool
) -> None:
    small = small_edition(rounds, money, up=up, equal=equal)
    left = banknotes_after_buying(small, 3)
    for notes in product(range(money + 2), repeat=3):
        assert banknotes_pass(notes, small) is (notes in left), notes


@pytest.mark.parametrize(("money", "up", "equal"), [(4, False, False), (5, True, False), (3, False, True)])
def test_banknotes_that_some_buying_phase_leaves_always_pass(money: int, up: bool, equal: bool) -> None:
    small = small_edition(2, money, up=up, equal=equal)
    assert all(banknotes_pass(notes, small) for notes in banknotes_after_buying(small, 3))


def banknotes_pass(notes: Sequence[int], edition: for_sale.Edition) -> bool:
    deal = deal_of(edition, "base", len(notes))
    return not score_sheet._audit_banknotes([Figures(n, 0, n) for n in notes], deal)


def test_no_seat_has_more_banknotes_than_it_was_dealt() -> None:
    assert codes((79, 29), (79, 28), (80, 0)) == [("banknotes-above-dealt", (1,))]
    assert said(findings((79, 30), (79, 28), (80, 0))) == [
        "Seat 1 has 30 in banknotes, 2 more than the 28 it was dealt."
    ]


SIX = (40, 40, 40, 40, 39, 39)


@pytest.mark.parametrize(
    ("notes", "code"),
    [
        ((0, 0, 0, 0, 0, 0), "too-many-without-banknotes"),
        ((0, 0, 0, 0, 0, 1), None),
        ((12, 13, 12, 13, 12, 13), "too-little-spent"),
        ((13,) * 6, "too-little-spent"),
        ((12,) * 6, "too-little-spent"),
        ((12, 12, 12, 12, 12, 11), "too-little-spent"),
        ((12, 10, 12, 12, 12, 12), "too-little-spent"),
        ((12, 12, 12, 9, 12, 12), None),
        ((12, 12, 12, 12, 11, 11), None),
        ((13, 13, 13, 13, 13, 14), None),
        ((14,) * 6, None),
        ((13, 13, 11, 13, 13, 13), None),
    ],
)
def test_six_seats_and_five_rounds_leave_no_more_and_no_other_banknotes(
    notes: tuple[int, ...], code: str | None
) -> None:
    found = codes(*zip(SIX, notes, strict=True))
    assert [c for c, _seats in found] == ([code] if code else [])


def test_all_seats_may_end_without_a_banknote_where_refunds_round_down() -> None:
    assert codes(*zip(SIX, (0,) * 6, strict=True), edition="eagle") == []


# --- What is wrong, and by how much ------------------------------------------------------------------


def test_237_cannot_be_with_four_players() -> None:
    assert said(findings((60, 1), (60, 1), (60, 1), (57, 1))) == ["The cheques add up to 237, 1 short of 238."]
    assert codes((60, 1), (60, 1), (60, 1), (56, 1)) == codes((60, 1), (60, 1), (60, 1), (58, 1)) == []


def test_the_finding_names_the_nearest_possible_sum() -> None:
    assert said(findings((80, 1), (80, 1), (82, 1))) == ["The cheques add up to 242, 4 more than 238."]
    assert said(findings((50, 1), (50, 1), (50, 1), (50, 1))) == ["The cheques add up to 200, 8 short of 208."]


def test_one_seat_beyond_the_limit_is_named_with_the_limit() -> None:
    assert said(findings((131, 1), (60, 1), (47, 1))) == [
        "The cheques of seat 1, 131, are 1 more than possible; the most is 130."
    ]
    assert said(findings((27, 1), (111, 1), (100, 1))) == [
        "The cheques of seat 1, 27, are 1 less than possible; the least is 28."
    ]


def test_a_group_beyond_the_limit_is_named_with_the_limit() -> None:
    found = findings((84, 1), (67, 1), (40, 1), (25, 1), (22, 1))
    assert [(f.code, f.seats) for f in found] == [("cheques-too-high", (1, 2))]
    assert said(found) == ["The cheques of seats 1, 2 add up to 151, 1 more than possible (150)."]


def test_totals_alone_are_audited_against_possible_fortunes() -> None:
    def of(*totals: int) -> list[str]:
        return said(audit([Figures(total) for total in totals], edition=IELLO, variant="base"))

    assert of(158, 80, 60) == []
    assert of(159, 80, 60) == ["The total of seat 1, 159, is 1 more than possible; the most is 158."]
    assert of(27, 100, 120) == ["The total of seat 1, 27, is 1 less than possible; the least is 28."]
    assert of(110, 110, 103) == ["The totals add up to 323, at least 1 more than possible."]
    assert of(80, 80, 77) == ["The totals add up to 237, at least 1 less than possible."]
    assert of(40, 40, 40, 40, 39, 39) == ["The totals add up to 238, at least 1 less than possible."]
    assert of(40, 40, 40, 40, 40, 39) == []
    assert of(140, 130, 50) == ["The totals of seats 1, 2 add up to 270, 4 more than possible (266)."]


def test_a_total_beside_full_sheets_is_held_against_what_they_leave() -> None:
    figures = [Figures(101, 100, 1), Figures(91, 90, 1), Figures(50)]
    assert audit(figures, edition=IELLO, variant="base") == ()
    figures[2] = Figures(100)
    assert [f.code for f in audit(figures, edition=IELLO, variant="base")] == ["totals-sum"]


# --- Cheque cards ------------------------------------------------------------------------------------


def cards(*hands: tuple[int, ...], variant: str = "base", open_seats: Sequence[Figures] = ()) -> list[str]:
    figures = [*(Figures(sum(hand) + 1, sum(hand), 1, hand) for hand in hands), *open_seats]
    return [f.code for f in audit(figures, edition=IELLO, variant=variant)]


DECK = IELLO.cheques
HANDS = (DECK[0::3], DECK[1::3], DECK[2::3])


def test_cheque_cards_are_held_against_the_deck() -> None:
    assert cards(*HANDS) == []
    assert cards((1, *HANDS[0][1:]), *HANDS[1:])[0] == "no-such-cheque-card"
    assert cards((15, 15, *HANDS[0][2:]), *HANDS[1:])[0] == "cheque-card-too-often"
    assert cards(HANDS[0][1:], *HANDS[1:])[0] == "wrong-number-of-cheque-cards"


def test_a_card_that_one_seat_shows_cannot_be_in_the_cheques_of_another() -> None:
    high = (15, 15, 14, 14, 13, 13, 12, 12, 11, 11)
    left = 238 - sum(high)
    assert cards(high, open_seats=[Figures(81, 80, 1), Figures(left - 79, left - 80, 1)]) == []
    assert cards(high, open_seats=[Figures(82, 81, 1), Figures(left - 80, left - 81, 1)]) == [
        "cheques-too-high",
        "cheques-too-low",
    ]


def test_in_the_variant_hands_differ_but_add_up_to_the_houses_dealt() -> None:
    assert cards((), DECK[:10], DECK[20:], variant=NOT_ENOUGH) == []
    assert cards((0,), DECK[2:11], DECK[20:], variant=NOT_ENOUGH) == []
    assert cards((0,), DECK[1:11], DECK[20:], variant=NOT_ENOUGH) == ["cheque-cards-in-all"]
    assert (
        cards(DECK[:11], DECK[11:20], variant=NOT_ENOUGH, open_seats=[Figures(1, 0, 1)])[0] == "too-many-cheque-cards"
    )


# --- The variant -------------------------------------------------------------------------------------


def test_one_is_no_sum_of_cheques() -> None:
    assert said(findings((1, 1), (80, 1), (60, 1), variant=NOT_ENOUGH)) == [
        "No cheques add up to 1; the nearest sum is 2 (seat 1)."
    ]


def test_two_seats_cannot_both_end_without_a_house() -> None:
    assert codes((0, 1), (0, 1), (110, 1), variant=NOT_ENOUGH) == [("cheques-too-low", (1, 2))]


def test_with_five_players_what_fits_only_two_cards_aside_is_unlikely() -> None:
    assert codes((50, 1), (47, 1), (48, 1), (48, 1), (43, 1), variant=NOT_ENOUGH) == []
    found = findings((50, 1), (47, 1), (48, 1), (48, 1), (45, 1), variant=NOT_ENOUGH, severity="unlikely")
    assert said(found) == ["This fits only a game with 2 cards of each pile set aside; the rules say 3."]
    assert codes((50, 1), (47, 1), (48, 1), (48, 1), (44, 1), variant=NOT_ENOUGH)[0][0] == "cheques-sum"
    assert codes((40, 1), (40, 1), (40, 1), (40, 1), (33, 1), variant=NOT_ENOUGH)[0][0] == "cheques-sum"


def test_the_doubt_about_five_players_does_not_touch_the_1997_edition() -> None:
    assert for_sale.EDITIONS["classic1997"].variant_aside_doubt == {}


def test_uneven_houses_take_bids() -> None:
    """Without a single bid every seat goes without a house in turn, so nobody can have all ten of them."""
    even = [(75, 28), (65, 28), (60, 28)]
    assert codes(*even, variant=NOT_ENOUGH) == []
    uneven = [(0, 28), (100, 28), (60, 28)]
    assert codes(*uneven, variant=NOT_ENOUGH) == [("too-little-spent", (1, 2, 3))]
    assert codes((0, 28), (100, 28), (60, 19), variant=NOT_ENOUGH) == []


def dealt_in_variant(deal: Deal) -> set[tuple[int, ...]]:
    """Cheque sums of every way to give the cards out, at most one per round and seat, sorted."""
    deals = {((0,) * deal.players, (0,) * deal.players)}
    for card in deal.deck:
        for counts, sums in list(deals):
            for seat in range(deal.players):
                if counts[seat] < deal.rounds:
                    deals.add((plus(counts, seat, 1), plus(sums, seat, card)))
    return {tuple(sorted(sums)) for counts, sums in deals if sum(counts) == deal.dealt}


def plus(vector: tuple[int, ...], seat: int, by: int) -> tuple[int, ...]:
    return (*vector[:seat], vector[seat] + by, *vector[seat + 1 :])


@pytest.mark.parametrize(
    ("deck", "players", "sizes"),
    [
        ((0, 0, 2, 2, 3, 3, 4, 4, 5, 5), 3, (2, 2, 2, 2)),
        ((0, 0, 3, 4, 5, 6, 7, 8, 9), 3, (2, 2, 2)),
        ((0, 0, 2, 2, 3, 3, 4, 4), 4, (3, 3, 2)),
        ((0, 0, 2, 2, 3, 3, 4, 4, 5), 4, (3, 3, 3)),
    ],
)
def test_in_tiny_variants_exactly_what_can_be_dealt_passes(
    deck: tuple[int, ...], players: int, sizes: tuple[int, ...]
) -> None:
    deal = Deal(deck, players, 20, sizes, is_base=False, refund_rounds_up=True, equal_bid_allowed=False)
    vectors = combinations_with_replacement(range(sum(deck[-deal.rounds :]) + 2), players)
    passing = {v for v in vectors if not score_sheet._audit_cheques([Figures(c, c, 0) for c in v], deal)}
    assert passing == dealt_in_variant(deal)


def test_a_search_that_takes_too_long_speaks_for_the_sheet(monkeypatch: pytest.MonkeyPatch) -> None:
    deal = Deal((0, 0, 2, 2, 3, 3, 4, 4, 5, 5), 3, 20, (2, 2, 2, 2), False, True, False)
    sheet = [Figures(c, c, 0) for c in (2, 4, 18)]
    assert [f.code for f in score_sheet._audit_cheques(sheet, deal)] == ["no-common-deal"]
    monkeypatch.setattr(score_sheet._Dealing, "STEPS", 1)
    assert score_sheet._audit_cheques(sheet, deal) == []


def test_house_counts_and_bids_are_those_of_real_variant_games() -> None:
    rng = Random(9)
    for kind in [kind for kind in KINDS if kind[1] == NOT_ENOUGH] * 40:
        record = random_record(rng, kind)
        counts = tuple(len(cheques) for cheques in judge(record, kind).cheques)
        fewest = score_sheet.fewest_bidding_rounds(
            kind[2], deal_of(for_sale.EDITIONS[kind[0]], NOT_ENOUGH, kind[2]).sizes
        )
        with_bid = sum(any("bid" in action for action in auction["actions"]) for auction in record["auctions"])
        assert fewest[counts] <= with_bid


# --- Through the one function ------------------------------------------------------------------------


def test_score_hands_the_findings_on() -> None:
    seats = [SeatEntry(cheques=c, banknotes=1) for c in (60, 60, 60, 57)]
    score = game("for-sale").score(edition="iello", variant="base", seats=seats)
    assert [f.code for f in score.findings] == ["cheques-sum"]
    assert score.findings[0].seats == (1, 2, 3, 4)
    assert score.winners == (1, 2, 3)


def test_the_same_sheet_is_audited_by_the_numbers_of_its_edition() -> None:
    assert codes((79, 20), (79, 1), (80, 1)) == []
    assert codes((70, 20), (70, 1), (70, 1), edition="eagle") == [("banknotes-above-dealt", (1,))]
