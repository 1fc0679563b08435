"""What charts and plays say, in both languages, from the numbers they show."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.utils import translation
from hypothesis import given
from hypothesis import strategies as st

from dashboard import sentences
from forsale_api.rules.for_sale import NOT_ENOUGH, VARIANTS
from stats.distribution import describe

NB, THIN = "\u00a0", "\u202f"


@pytest.fixture(autouse=True)
def english() -> Iterator[None]:
    with translation.override("en"):
        yield


@pytest.fixture
def french() -> Iterator[None]:
    with translation.override("fr"):
        yield


def block(*, median=60, plays=100, players=4, se=0.5, **more):
    """A block whose scores lie around the median, `plays` plays of `players` seats."""
    scores = {median - 8: plays, median: players * plays - 2 * plays, median + 7: plays}
    total = describe(scores, se=se)
    decided = {"total": plays, "banknotes": 0, "shared": 0}
    same = dict.fromkeys(("winning_total", "margin", "banknotes"), total)
    return {"plays": plays, "player_count": players, "total": total, "decided_by": decided} | same | more


def seat(name, total, rank=1, **more):
    return {"seat": 1, "player": {"name": name}, "total": total, "rank": rank, "is_winner": rank == 1} | more


def play(decided_by, *seats, game="for-sale"):
    return {"game": game, "decided_by": decided_by, "seats": list(seats)}


# ---- numbers ----------------------------------------------------------------------------------------


def test_money_is_written_out_as_people_write_it():
    assert [sentences.money(n) for n in (0, 13, 1300, -3)] == ["$0", "$13,000", "$1,300,000", "−$3,000"]


def test_money_in_french(french):
    assert [sentences.money(n) for n in (0, 13)] == [f"0{NB}$", f"13{NB}000{NB}$"]


def test_numbers_of_games():
    said = [sentences.number_of_games(n) for n in (1, 500_000, 1_000_000, 2_500_000, 10_000_000, 10**10, 1_234_567)]
    assert said == [
        "1 game",
        "500,000 games",
        "1 million games",
        "2.5 million games",
        "10 million games",
        "10 billion games",
        "1,234,567 games",
    ]


def test_numbers_of_games_in_french(french):
    said = [sentences.number_of_games(n) for n in (0, 1, 1_500_000, 10_000_000, 10**10)]
    assert said == [
        "0 partie",
        "1 partie",
        "1,5 million de parties",
        "10 millions de parties",
        "10 milliards de parties",
    ]


def test_a_mean_has_no_more_digits_than_its_error_allows():
    assert sentences.mean({"mean": 60.123456, "se": 0.523}) == "60.1 ± 0.5"
    assert sentences.mean({"mean": 60.123456, "se": 0.00231}) == "60.123 ± 0.002"
    assert sentences.mean({"mean": 60.123456, "se": 3.1}) == "60 ± 3"
    assert sentences.mean({"mean": 60.16, "se": None}) == "60.2"
    assert sentences.decimal(0.996, 2) == "1.00"
    assert sentences.mean({"mean": None, "se": None}) == "–"


@given(st.lists(st.text("abcé", min_size=1), min_size=1, max_size=6))
def test_every_name_of_a_list_is_said(people):
    said = sentences.names(people)
    assert said.replace(" and ", ", ").split(", ") == people


# ---- distributions ----------------------------------------------------------------------------------


def test_the_grid_says_that_medians_fall():
    cells = [(n, block(median=m), None) for n, m in ((3, 83), (4, 60), (5, 52), (6, 44))]
    assert sentences.grid_heading("total", cells, "Base game") == (
        "The more players, the less for each: "
        "in the base game the median falls from 83 with three players to 44 with six"
    )


def test_the_grid_does_not_say_so_where_they_do_not():
    cells = [(n, block(median=m), None) for n, m in ((3, 52), (4, 61), (5, 46))]
    assert sentences.grid_heading("total", cells, "Not enough for everyone") == (
        "Final totals, “Not enough for everyone”: the median is 52 with three players and 46 with five"
    )


def test_the_grid_says_when_only_simulated_games_speak():
    cells = [(3, None, block(median=81)), (4, None, block(median=57))]
    assert "simulated, base game" in sentences.grid_heading("total", cells, "Base game")


def test_the_grid_of_one_count_says_its_middle_half():
    cells = [(4, block(median=60), None)]
    assert sentences.grid_heading("total", cells, "Base game") == (
        "With four players half of all scores lie between 52 and 60"
    )


def test_the_grid_of_nothing_says_so():
    assert sentences.grid_heading("total", [(3, None, None)], "Base game") == "No scores for these filters yet"


def test_the_grid_in_french(french):
    cells = [(n, block(median=m), None) for n, m in ((3, 83), (6, 44))]
    assert sentences.grid_heading("total", cells, "Règle de base") == (
        f"Plus on est nombreux, moins chacun gagne{NB}: "
        "règle de base, la médiane passe de 83 à trois joueurs à 44 à six"
    )


def test_a_cell_gives_its_middle_half():
    assert sentences.cell_heading("total", block(), None, narrowed=False) == (
        "Half of all scores lie between <b>52</b> and <b>60</b>"
    )


def test_a_cell_of_few_plays_says_so_far():
    assert sentences.cell_heading("total", block(plays=12, players=3), None, narrowed=False) == (
        "Half of the 36 scores so far lie between <b>52</b> and <b>67</b>"
    )


def test_an_empty_cell_tells_no_plays_from_no_plays_for_these_filters():
    empty = block() | {"total": describe({}, se=None), "plays": 0}
    assert sentences.cell_heading("total", empty, None, narrowed=False) == "No club has played this yet"
    assert sentences.cell_heading("total", empty, None, narrowed=True) == "No play matches these filters yet"


def test_a_cell_speaks_of_simulated_scores_only_where_recorded_ones_are_not_asked_for():
    assert sentences.cell_heading("total", None, block(), narrowed=False) == (
        "Half of all simulated scores lie between <b>52</b> and <b>60</b>"
    )


@pytest.mark.parametrize("measure", sentences.MEASURES)
def test_every_measure_has_its_sentences(measure):
    for recorded, simulated in ((block(), None), (block(plays=3), block()), (None, block())):
        assert sentences.cell_heading(measure, recorded, simulated, narrowed=False)
        assert sentences.cell_note(measure, recorded, simulated)
        assert sentences.grid_heading(measure, [(4, recorded, simulated)], "Base game")
    assert sentences.explained(measure)


def note(recorded_median, interval, simulated_median, plays=100):
    recorded = block(median=recorded_median, plays=plays)
    recorded["total"] = recorded["total"] | {"median_interval": interval}
    simulated = None if simulated_median is None else block(median=simulated_median)
    return sentences.cell_note("total", recorded, simulated)


def test_the_note_says_where_the_simulated_median_lies():
    assert note(60, [59, 61], 59) == "Median 60, 95 % interval 59 to 61; simulated 59, within the interval."
    assert note(60, [59, 61], 57) == "Median 60, 95 % interval 59 to 61; 3 above the simulated 57."
    assert note(60, [59, 61], 64) == "Median 60, 95 % interval 59 to 61; 4 below the simulated 64."
    assert note(60, [59, 61], None) == "Median 60, 95 % interval 59 to 61."


def test_the_note_of_few_plays_says_what_may_be():
    assert note(57, [55, 64], 55, plays=12) == (
        "Only 12 plays: the median, 57 here, may lie anywhere from 55 to 64. Simulated 55."
    )
    assert note(57, None, 55, plays=1) == "Median 57 of 1 play, too few for an interval. Simulated 55."


def test_level_games_are_said_with_their_interval():
    level = block(plays=100) | {"decided_by": {"total": 96, "banknotes": 3, "shared": 1}}
    said = sentences.decided_heading([level, block(plays=10)], simulated=False)
    assert said.startswith("With four players 4 % of games ended level at the top (100 games, 95 % interval ")
    assert sentences.decided_heading([], simulated=False) == "How games were decided"


def test_winners_are_said_of_the_block_that_knows_most():
    assert sentences.winners_heading([block(plays=10, players=3), block(plays=50, median=70)], simulated=False) == (
        "With four players half of all games are won with 70 or less, three quarters with 70 or less"
    )


# ---- simulations ------------------------------------------------------------------------------------


def test_progress_says_done_and_whether_it_runs():
    assert sentences.progress(6_200_000, 10_000_000, running=True) == "62 % of 10 million games, still running"
    assert sentences.progress(0, 10_000_000, running=False) == "0 % of 10 million games, waiting"
    assert sentences.progress(10_000_000, 10_000_000, running=False) == "10 million games, finished"


def test_pace_says_rate_and_time_left():
    assert sentences.pace(3_120_000, 22) == "3.1 million games per second, about 20 seconds left"
    assert sentences.pace(12_345, 150) == "12,000 games per second, about 2 minutes left"
    assert sentences.pace(None, None) == ""


def test_positions_that_the_games_cannot_tell_apart_are_not_ranked():
    close = [
        {"position": n, "win_share": {"value": v, "low": v - 0.05, "high": v + 0.05}} for n, v in ((1, 0.3), (2, 0.35))
    ]
    assert sentences.positions_heading(close).startswith("No position wins more often")
    apart = [{"position": n, "win_share": {"value": v, "low": v, "high": v}} for n, v in ((1, 0.3), (2, 0.365))]
    assert sentences.positions_heading(apart) == "Position 2 wins 36.5 % of games, position 1 only 30.0 %"


def test_the_house_that_gains_most_is_named_once():
    def row(house, price, cheque):
        return {"house": house, "price": {"n": 9, "mean": price}, "cheque": {"n": 9, "mean": cheque}}

    assert sentences.houses_heading([row(24, 2, 9.8), row(30, 5.7, 13.2)]) == (
        "House 24 gains most, 7.8 on average; house 30 costs 5.7 and fetches 13.2"
    )
    assert sentences.houses_heading([row(24, 2, 9), row(30, 4.3, 12.7)]) == (
        "House 30 gains most, 8.4 on average: it costs 4.3 and fetches 12.7"
    )
    assert sentences.houses_heading([]) == "What a house is worth"


# ---- plays ------------------------------------------------------------------------------------------

BY_BANKNOTES = play(
    "banknotes",
    seat("Théo", 87, banknotes=4),
    seat("Marianne", 87, 2, banknotes=2),
    seat("Guilaine", 70, 3, banknotes=0),
)
SHARED = play("shared", seat("Inès", 64, banknotes=3), seat("Hugo", 64, banknotes=3), seat("Karim", 55, 3, banknotes=7))


def test_a_win_by_banknotes_is_explained():
    assert sentences.win_headline(BY_BANKNOTES) == "Théo wins"
    assert sentences.win_headline(BY_BANKNOTES, with_total=True) == "Théo wins on $87,000"
    assert sentences.win_reason(BY_BANKNOTES) == "level at 87 with Marianne, more banknotes left: 4 against 2"


def test_a_win_by_banknotes_over_two_is_measured_against_the_nearest():
    three = play("banknotes", seat("A", 60, banknotes=9), seat("B", 60, 2, banknotes=5), seat("C", 60, 3, banknotes=1))
    assert sentences.win_reason(three) == "level at 60 with B and C, more banknotes left: 9 against 5"


def test_a_win_by_the_total_says_how_far_ahead_of_whom():
    clear = play("total", seat("Chloe", 55), seat("Ben", 51, 2), seat("Amira", 51, 2), seat("Dev", 44, 4))
    assert sentences.win_reason(clear) == "highest total, 4 ahead of Ben and Amira"


def test_a_shared_win_names_all():
    assert sentences.win_headline(SHARED) == "Inès and Hugo share the win"
    assert sentences.win_reason(SHARED) == "level at 64, and 3 banknotes each"


def test_a_tie_of_which_no_more_is_known_names_no_winner():
    tie = play("unknown", seat("Ada", 70, banknotes=None), seat("Bo", 70, banknotes=None), seat("Cy", 60, 3))
    assert sentences.win_headline(tie) == "Ada and Bo are level"
    assert sentences.win_reason(tie) == "level at 70; the tie-break was not written down"


def test_a_winner_named_by_the_table_is_said_to_be():
    reported = play("reported", seat("Ada", 70), seat("Bo", 70, 2))
    assert sentences.win_reason(reported) == "level at 70; the table named the winner"
    both = play("reported", seat("Ada", 70), seat("Bo", 70), seat("Cy", 70, 3))
    assert sentences.win_reason(both) == "level at 70; the table named the winners"


def test_lady_richmond_counts_points_and_collections():
    tie = play(
        "largest_category",
        seat("A", 20, largest_category=6),
        seat("B", 20, 2, largest_category=4),
        game="lady-richmond",
    )
    assert sentences.win_headline(tie, with_total=True) == "A wins on 20 points"
    assert sentences.win_reason(tie) == "level at 20 with B, larger collection: 6 against 4"


def test_reasons_in_french(french):
    assert sentences.win_headline(BY_BANKNOTES, with_total=True) == f"Théo gagne avec 87{NB}000{NB}$"
    assert sentences.win_reason(BY_BANKNOTES) == (
        f"ex æquo à 87 avec Marianne, plus de billets restants{NB}: 4 contre 2"
    )
    assert sentences.win_headline(SHARED) == "Inès et Hugo partagent la victoire"


def test_a_summary_gives_places_reason_and_deals():
    text = sentences.summary(BY_BANKNOTES, title="For Sale", place_and_date="Nantes", deals="best deal: none")
    assert text.splitlines() == [
        "For Sale",
        "Nantes",
        "",
        "1. Théo, $87,000, 4 banknotes",
        "2. Marianne, $87,000, 2 banknotes",
        "3. Guilaine, $70,000, 0 banknotes",
        "",
        "Level at 87 with Marianne, more banknotes left: 4 against 2.",
        "Best deal: none.",
    ]


def test_the_dearest_house_is_named_and_all_of_them_when_level():
    rows = [
        {"auction": 1, "player": "Paul", "house": 30, "paid": 8},
        {"auction": 2, "player": "Ada", "house": 24, "paid": 7},
        {"auction": 2, "player": "Bo", "house": None, "paid": 0},
    ]
    assert sentences.auctions_heading(rows) == "Paul paid the most for one house: $8,000 for 30 in auction 1"
    rows[1]["paid"] = 8
    assert sentences.auctions_heading(rows) == "The most paid for one house was $8,000: for 30 (Paul) and 24 (Ada)"


def test_the_best_deals_are_named_all_of_them_when_level():
    rows = [
        {"house": 18, "player": "Guilaine", "paid": 1, "cheque": 15},
        {"house": 20, "player": "Marianne", "paid": 0, "cheque": 14},
        {"house": 3, "player": "Paul", "paid": 0, "cheque": 5},
    ]
    assert sentences.deals_heading(rows) == "Two deals gained $14,000 each: houses 18 (Guilaine) and 20 (Marianne)"
    assert sentences.deals_heading(rows[1:]) == "Best deal: house 20 of Marianne, paid $0 and sold for $14,000"


def test_who_sold_best():
    assert sentences.sales_heading([("Marianne", 70), ("Paul", 71), ("Nicolas", 35)]) == (
        "Paul sold best: $71,000 in cheques, Marianne $70,000"
    )
    assert (
        sentences.sales_heading([("A", 70), ("B", 70), ("C", 70)])
        == "A, B and C sold equally well: $70,000 in cheques each"
    )


# ---- the catalogue ----------------------------------------------------------------------------------


def test_the_french_catalogue_is_complete_and_compiled():
    """Every entry has its French, and the compiled file is that of the text."""
    folder = Path(sentences.__file__).parent / "locale" / "fr" / "LC_MESSAGES"
    text = (folder / "django.po").read_text(encoding="utf-8")
    entries = text.strip().split("\n\n")[1:]
    untranslated = [entry for entry in entries if re.search(r'^msgstr(\[\d\])? ""(?!\n")', entry, re.M)]
    assert untranslated == []
    assert "fuzzy" not in text
    with (folder / "django.mo").open("rb") as compiled:
        catalogue = translation.trans_real.gettext_module.GNUTranslations(compiled)
    assert sum(1 for key in catalogue._catalog if key) >= len(entries)


MARKS = {"_", "gettext", "gettext_lazy", "gettext_noop", "ngettext", "pgettext_lazy"}


def marked() -> Iterator[tuple[str, str]]:
    """Every text that is marked for translation: (file, text)."""
    root = Path(sentences.__file__).parent.parent
    for room in ("forsale_api", "stats", "dashboard"):
        for path in (root / room).rglob("*.py"):
            for call in ast.walk(ast.parse(path.read_text())):
                if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id in MARKS:
                    text = call.args[1 if call.func.id == "pgettext_lazy" else 0]
                    if isinstance(text, ast.Constant):
                        yield path.name, str(text.value)
        for path in (root / room).rglob("*.html"):
            for quote, text in re.findall(r"""\{% translate (["'])(.*?)\1""", path.read_text()):
                yield path.name, text.replace("%", "%%") if quote else text


def test_every_text_has_its_french():
    """Where this fails: `manage.py makemessages`, the French, `manage.py compilemessages` (see CONTRIBUTING.md)."""
    text = (Path(sentences.__file__).parent / "locale" / "fr" / "LC_MESSAGES" / "django.po").read_text(encoding="utf-8")
    known = {"".join(ast.literal_eval(line) for line in lines.splitlines())
             for lines in re.findall(r'^msgid ((?:".*"\n)+)', text, re.MULTILINE)}  # fmt: skip
    assert [entry for entry in marked() if entry[1] not in known] == []


def test_bots_go_by_their_names(french):
    assert sentences.line_up(["counter"] * 3) == "Compteur à chaque place"
    assert sentences.line_up(["counter", "coin-flip", "gone"]) == "Compteur, Pile ou face et gone"


def test_pages_write_the_apostrophe_of_print(french):
    assert sentences.in_language(VARIANTS[NOT_ENOUGH]) == "Il n’y en aura pas pour tout le monde"


def test_a_question_compares_numbers_of_players_only_once_there_are_two() -> None:
    def answer(players: int, variant: str, change: float) -> dict[str, object]:
        rows = [{"figure": "total", "difference": change}]
        return {"player_count": players, "variant": variant, "rows": rows, "sentence": f"With {players}: {change}."}

    of_four = [answer(4, "base", 0.8), answer(4, NOT_ENOUGH, 0.5)]
    assert sentences.question_heading("rounding", of_four) == "With 4: 0.8"
    assert sentences.question_heading("rounding", [*of_four, answer(6, "base", 0.6)]) == (
        "Rounding up changes the mean total by +$800 with four players and by +$600 with six"
    )
