"""The rule numbers of every edition, the scalar formulas, and what the registry says about them."""

import json
import subprocess
import sys

import pytest

from forsale_api import rules
from forsale_api.rules import for_sale, lady_richmond
from tests import referee

IELLO = for_sale.EDITIONS["iello"]
EAGLE = for_sale.EDITIONS["eagle"]
CLASSIC = for_sale.EDITIONS["classic1997"]
NOT_ENOUGH = "not-enough-for-everyone"


def test_every_edition_has_the_numbers_the_referee_knows() -> None:
    assert set(for_sale.EDITIONS) == set(referee.NUMBERS)
    for slug, (houses, cheques, money, aside, short_aside, up, equal) in referee.NUMBERS.items():
        edition = for_sale.EDITIONS[slug]
        assert (edition.houses, list(edition.cheques)) == (houses, sorted(cheques))
        assert edition.money == money
        assert edition.aside == {players: aside.get(players, 0) for players in money}
        assert edition.refund_rounds_up is up
        assert edition.equal_bid_allowed is equal
        assert edition.variant_aside == {
            players: short_aside.get(players, 0)
            for other, variant, players in referee.KINDS
            if (other, variant) == (slug, referee.SHORT)
        }


def test_the_offers_are_exactly_the_kinds_the_referee_plays() -> None:
    game = rules.game("for-sale")
    offered = [(*key, players) for key, counts in game.offers.items() for players in counts]
    assert sorted(offered) == sorted(referee.KINDS)


@pytest.mark.parametrize(("edition", "variant", "players"), referee.KINDS)
def test_rounds_are_as_many_and_as_large_as_the_referee_counts(edition: str, variant: str, players: int) -> None:
    sizes = for_sale.round_sizes(for_sale.EDITIONS[edition], variant, players)
    assert list(sizes) == referee.table_sizes((edition, variant, players))


def test_the_iello_box_holds_84_banknotes_and_238_thousand_in_cheques() -> None:
    assert sum(IELLO.cheques) == 238
    assert len(IELLO.cheques) == IELLO.houses == 30
    assert [players * IELLO.money[players] for players in (3, 4, 5, 6)] == [84, 84, 80, 84]


def test_base_phases_last_10_7_6_and_5_rounds() -> None:
    assert [len(for_sale.round_sizes(IELLO, "base", players)) for players in (3, 4, 5, 6)] == [10, 7, 6, 5]


def test_the_variant_with_five_ends_in_a_round_of_three_houses() -> None:
    assert for_sale.round_sizes(IELLO, NOT_ENOUGH, 5) == (4, 4, 4, 4, 4, 4, 3)
    assert [for_sale.empty_handed(houses, 5) for houses in (4, 3)] == [1, 2]


def test_half_of_the_stake_comes_back_rounded_up_in_the_iello_edition() -> None:
    assert [for_sale.refund(stake, IELLO) for stake in (0, 1, 2, 3, 5, 6)] == [0, 1, 1, 2, 3, 3]


def test_half_of_the_stake_comes_back_rounded_down_in_the_eagle_edition() -> None:
    assert [for_sale.refund(stake, EAGLE) for stake in (0, 1, 2, 3, 5, 6)] == [0, 0, 1, 1, 2, 3]


def test_a_bid_tops_the_last_but_may_equal_it_in_1997_if_ones_own_stake_grows() -> None:
    assert for_sale.lowest_bid(0, 0, IELLO) == for_sale.lowest_bid(0, 0, CLASSIC) == 1
    assert for_sale.lowest_bid(5, 2, IELLO) == 6
    assert for_sale.lowest_bid(5, 2, CLASSIC) == 5
    assert for_sale.lowest_bid(5, 5, CLASSIC) == 6


@pytest.mark.parametrize("slug", rules.GAMES)
def test_a_game_describes_itself_as_plain_data_in_both_languages(slug: str) -> None:
    told = json.loads(json.dumps(rules.game(slug).describe()))
    names = [told["name"], *(e["name"] for e in told["editions"]), *(v["name"] for v in told["variants"])]
    assert all(set(name) == {"en", "fr"} and all(name.values()) for name in names)
    assert told["default_edition"] in [edition["edition"] for edition in told["editions"]]


def test_the_description_gives_money_aside_and_rounds_per_player_count() -> None:
    told = rules.game("for-sale").describe()
    iello = next(edition for edition in told["editions"] if edition["edition"] == "iello")
    setups = {(s["variant"], s["player_count"]): (s["money"], s["cards_aside"], s["rounds"]) for s in iello["setups"]}
    assert setups["base", 4] == (21, 2, 7)
    assert setups[NOT_ENOUGH, 3] == (28, 10, 10)
    assert told["players"] == {"min": 3, "max": 6}
    assert rules.game("lady-richmond").describe()["players"] == {"min": 2, "max": 5}


@pytest.mark.parametrize(
    ("edition", "variant", "players", "code", "place", "named"),
    [
        ("gryphon", "base", 4, "edition-not-offered", ("edition",), "eagle"),
        ("iello", "solo", 4, "variant-not-offered", ("variant",), NOT_ENOUGH),
        ("iello", "base", 7, "players-not-offered", ("seats",), "3, 4, 5, 6"),
        ("iello", "base", 0, "players-not-offered", ("seats",), "3, 4, 5, 6"),
        ("classic1997", NOT_ENOUGH, 3, "players-not-offered", ("seats",), "4, 5"),
        ("classic1997", "base", 6, "players-not-offered", ("seats",), "3, 4, 5"),
    ],
)
def test_a_combination_that_is_not_offered_names_what_is(
    edition: str, variant: str, players: int, code: str, place: tuple[str, ...], named: str
) -> None:
    with pytest.raises(rules.NotOffered, match=named) as refusal:
        rules.game("for-sale").check_offer(edition, variant, players)
    assert (refusal.value.code, refusal.value.place) == (code, place)


def test_setup_itself_refuses_a_table_the_edition_has_no_numbers_for() -> None:
    with pytest.raises(rules.NotOffered):
        for_sale.setup(CLASSIC, NOT_ENOUGH, 3)
    with pytest.raises(rules.IllegalStep, match="no seat 5"):
        for_sale.setup(IELLO, "base", 4, first_seat=5)


def test_an_unknown_game_is_refused_by_name() -> None:
    with pytest.raises(rules.UnknownGame, match="lady-richmond"):
        rules.game("monopoly")


def test_the_rules_know_no_other_room_of_the_house() -> None:
    code = (
        "import sys, forsale_api.rules; print([m for m in sys.modules if m.startswith(('django', 'numpy', 'celery'))])"
    )
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert loaded.stdout.strip() == "[]"


def test_lady_richmond_has_37_objects_and_12_auctioneer_cards_each_with_its_provenance() -> None:
    rows = lady_richmond.DECK["cards"]
    counted = {part: sum(r["count"] for r in rows if r["part"] == part) for part in ("object", "auctioneer")}
    assert counted == {"object": 37, "auctioneer": 12}
    assert {row["count_provenance"] for row in rows} <= {"seed", "review", "inferred"}
    assert {row["value_provenance"] for row in rows if row["part"] == "object"} <= {"seed", "review", "inferred"}
