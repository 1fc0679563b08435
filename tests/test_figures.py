"""Figures: rows in, Plotly out. No Django in any of them."""

import hashlib
import re
from pathlib import Path

import plotly.graph_objects as go
import pytest
from hypothesis import given
from hypothesis import strategies as st
from plotly.offline import get_plotlyjs_version

from dashboard import figures
from dashboard.figures import AXES, PALETTE
from stats.distribution import describe, share

STATIC = Path(figures.__file__).parent / "static" / "dashboard"
TOTALS = AXES["for-sale", "total"]
RECORDED = describe({40: 2, 52: 5, 60: 9, 67: 4, 88: 1, 141: 1}, se=1.5)
SIMULATED = describe({score: 100 - abs(60 - score) for score in range(120)}, se=0.01)
NOTHING = describe({}, se=None)


def cell(recorded=RECORDED, simulated=SIMULATED, **options):
    axis = options.pop("axis", TOTALS)
    top = figures.top_share([recorded, simulated], axis)
    return figures.histogram_cell(
        recorded=recorded, simulated=simulated, variant=options.pop("variant", "base"), axis=axis, top=top, **options
    )


def houses():
    return [
        {
            "house": house,
            "price": {"n": 100, "mean": house / 6, "se": 0.1},
            "cheque": {"n": 100, "mean": house / 3, "se": 0.1},
        }
        for house in range(1, 31)
    ]


CHANGE = {"x": 1, "value": -0.5, "se": 0.1, "what": "three players"}
DEALS = [
    {"house": 30, "seat": 1, "player": "Paul", "paid": 8, "cheque": 14},
    {"house": 20, "seat": 2, "player": "Marianne", "paid": 0, "cheque": 14},
    {"house": 2, "seat": 2, "player": "Marianne", "paid": 3, "cheque": 0},
]


@pytest.mark.parametrize(
    "figure",
    [
        cell(),
        cell(recorded=None),
        cell(recorded=NOTHING, name_medians=True),
        cell(simulated=None),
        cell(recorded=NOTHING, simulated=NOTHING),
        figures.winners_strip([(3, RECORDED, SIMULATED), (4, None, None)], variant="base", axis=TOTALS),
        figures.decided_bars([(3, {"total": 9, "banknotes": 1}, {"total": 90, "shared": 10})], variant="x"),
        figures.decided_bars([(3, {}, None)], variant="base"),
        figures.house_lines(houses()),
        figures.positions([{"position": n, "win_share": share(n, 10)} for n in (1, 2, 3)]),
        figures.house_lines(houses(), small=True),
        figures.about_zero([], ticks={}),
        figures.about_zero([(PALETTE["sim"], [CHANGE])], ticks={1: "1"}, mark=1.5, connected=True, suffix=" %"),
        figures.about_zero([(PALETTE["base"], [CHANGE]), (PALETTE["variant"], [CHANGE])], ticks={1: "1", 2: "2"}),
        figures.deals(DEALS, simulated=houses(), named=[20]),
    ],
)
def test_every_figure_is_valid_plotly(figure):
    go.Figure(figure)


@given(st.dictionaries(st.integers(-20, 200), st.integers(1, 1000), min_size=1), st.sampled_from(sorted(AXES)))
def test_bars_count_every_score_once(histogram, axis):
    distribution = describe(histogram, se=None)
    assert sum(figures.bars(distribution, AXES[axis])) == distribution["n"]


def test_scores_beyond_the_axis_are_counted_in_the_end_bars_which_say_so():
    distribution = describe({3: 1, 9: 1, 10: 1, 129: 1, 130: 1, 158: 2}, se=None)
    counts = figures.bars(distribution, TOTALS)
    assert (counts[0], counts[1], counts[-2], counts[-1]) == (2, 1, 1, 3)
    bar = cell(recorded=distribution)["data"][0]
    assert bar["customdata"][0][0] == "under 10"
    assert bar["customdata"][-1][0] == "130 and more"


def test_what_cannot_lie_below_has_no_bar_below():
    axis = AXES["for-sale", "margin"]
    bar = cell(recorded=describe({0: 3, 5: 1, 90: 1}, se=None), axis=axis)["data"][0]
    assert bar["customdata"][0] == ["0 to 1", 3, 5]
    assert bar["customdata"][-1] == ["40 and more", 1, 5]


def test_shares_are_per_cent_of_all_scores():
    bar = cell()["data"][0]
    assert sum(bar["y"]) == pytest.approx(100, abs=0.01)
    assert bar["y"][TOTALS.bar_of(60)] == pytest.approx(100 * 9 / 22, abs=0.001)


def test_a_difference_has_its_interval_and_an_axis_with_nothing_on_it():
    figure = figures.about_zero(
        [(PALETTE["sim"], [CHANGE, CHANGE | {"x": 2, "value": 1.0, "se": None}])], ticks={1: ""}
    )
    (trace,) = figure["data"]
    assert trace["error_y"]["array"] == [pytest.approx(0.196), 0]
    assert trace["customdata"][0] == "three players: -0.5, 95 % interval -0.7 to -0.3"
    low, high = figure["layout"]["yaxis"]["range"]
    assert low < -0.7 < 0 < 1 < high


def test_recorded_is_filled_and_simulated_an_outline():
    recorded, simulated = cell()["data"]
    assert recorded["type"] == "bar"
    assert (simulated["type"], simulated["mode"], "fill" in simulated) == ("scatter", "lines", False)


def test_all_cells_of_a_grid_have_the_same_axes():
    small, large = describe({60: 1}, se=None), SIMULATED
    top = figures.top_share([small, large], TOTALS)
    layouts = [
        figures.histogram_cell(recorded=d, simulated=None, variant="base", axis=TOTALS, top=top)["layout"]
        for d in (small, large)
    ]
    assert layouts[0]["xaxis"] == layouts[1]["xaxis"]
    assert layouts[0]["yaxis"] == layouts[1]["yaxis"]
    assert layouts[0]["yaxis"]["range"] == [0, 100]


def test_the_y_axis_ends_at_28_per_cent_unless_a_bar_needs_more():
    assert figures.top_share([SIMULATED, None, NOTHING], TOTALS) == 28
    assert figures.top_share([describe({60: 3, 80: 7}, se=None)], TOTALS) == 75


@given(st.integers(0, 140), st.integers(0, 140))
def test_median_labels_stand_on_opposite_sides_of_their_lines(one, other):
    labels = cell(recorded=describe({one: 1}, se=None), simulated=describe({other: 1}, se=None))["layout"][
        "annotations"
    ]
    left, right = sorted(labels, key=lambda label: label["x"])
    assert {left["xanchor"], right["xanchor"]} == {"left", "right"}
    if left["x"] < right["x"]:
        assert left["xanchor"] == "right"


def test_the_words_of_the_medians_stand_in_the_first_cell_only():
    def texts(figure):
        return [label["text"] for label in figure["layout"]["annotations"]]

    assert "<b>60</b>" in texts(cell())
    assert any("recorded" in text for text in texts(cell(name_medians=True)))


def test_the_strip_on_the_axis_is_the_middle_half():
    (strip,) = [shape for shape in cell()["layout"]["shapes"] if shape["type"] == "rect"]
    assert (strip["x0"], strip["x1"]) == (RECORDED["quantiles"]["p25"], RECORDED["quantiles"]["p75"])


def test_an_empty_cell_keeps_the_simulated_outline():
    figure = cell(recorded=NOTHING)
    assert [trace["type"] for trace in figure["data"]] == ["scatter"]
    assert [label["text"] for label in figure["layout"]["annotations"]] == [f"{SIMULATED['median']}"]


def test_the_variant_has_its_own_hue():
    assert cell()["data"][0]["marker"]["color"] == PALETTE["base"]
    assert cell(variant="not-enough-for-everyone")["data"][0]["marker"]["color"] == PALETTE["variant"]


def test_decided_bars_leave_out_what_the_total_decided():
    counts = {"total": 180, "banknotes": 15, "shared": 4, "unknown": 1}
    figure = figures.decided_bars([(3, counts, None)], variant="base")
    assert [trace["x"] for trace in figure["data"]] == [[7.5], [2.0], [0.5]]
    assert figure["layout"]["xaxis"]["range"] == [0, pytest.approx(10.8)]


def test_winners_are_one_line_a_player_count():
    figure = figures.winners_strip([(3, RECORDED, None), (4, None, SIMULATED)], variant="base", axis=TOTALS)
    assert figure["layout"]["yaxis"]["ticktext"] == ["3 players", "4 players"]
    assert figure["data"][0]["x"] == [RECORDED["quantiles"]["p05"], RECORDED["quantiles"]["p95"]]


def test_position_whiskers_are_the_interval():
    rows = [{"position": 1, "win_share": {"value": 0.30, "low": 0.28, "high": 0.33, "n": 100}}]
    (points,) = figures.positions(rows)["data"]
    assert points["y"] == [pytest.approx(30)]
    assert points["error_y"]["array"] == [pytest.approx(3)]
    assert points["error_y"]["arrayminus"] == [pytest.approx(2)]


def test_houses_that_were_never_sold_are_left_out():
    unsold = {"house": 31, "price": {"n": 0, "mean": None, "se": None}, "cheque": {"n": 0, "mean": None, "se": None}}
    lines = [trace for trace in figures.house_lines([*houses(), unsold])["data"] if trace["mode"] != "lines"]
    assert [trace["x"][-1] for trace in lines] == [30, 30]


def test_deals_join_price_and_cheque_of_each_house_and_name_the_best():
    figure = figures.deals(DEALS, named=[20])
    assert [trace["meta"]["seat"] for trace in figure["data"]] == [1, 1, 1, 2, 2, 2]
    line, paid, cheque = figure["data"][3:]
    assert (line["x"], line["y"]) == ([20, 20, None, 2, 2, None], [0, 14, None, 3, 0, None])
    assert (paid["y"], cheque["y"]) == ([0, 3], [14, 0])
    assert [label["text"] for label in figure["layout"]["annotations"]] == ["<b>20</b>"]


def test_the_style_sheet_has_the_colours_of_the_figures():
    css = (STATIC / "site.css").read_text()
    light = dict(re.findall(r"--([\w-]+): light-dark\((#\w+),", css))
    assert {token: light[token] for token in PALETTE} == dict(PALETTE)


def test_no_two_tokens_share_a_colour_so_that_a_theme_can_swap_them():
    assert len(set(PALETTE.values())) == len(PALETTE)


def test_the_served_plotly_is_what_its_authors_published():
    versions = (STATIC / "vendor" / "VERSIONS.txt").read_text()
    listed = re.findall(r"^([0-9a-f]{64})  (\S+)$", versions, re.MULTILINE)
    assert {name for _digest, name in listed} == {path.name for path in (STATIC / "vendor").iterdir()} - {
        "VERSIONS.txt"
    }
    for digest, name in listed:
        assert hashlib.sha256((STATIC / "vendor" / name).read_bytes()).hexdigest() == digest
    assert f"plotly.js {get_plotlyjs_version()}, cartesian bundle" in versions
