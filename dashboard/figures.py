"""Plotly figures from plain rows.

Every function takes the rows that the statistics API gives (``D``, the blocks of ``stats/scores/``,
the houses of a simulation) and returns one figure as plain data, ``{"data": [...], "layout": {...}}``.
Plain data because a page draws some twenty of them and building ``plotly.graph_objects`` costs
milliseconds each; the tests hold every figure against that schema.

Scores, prices and cheques are thousands of dollars. Shares are percentages. Colours are those of
``PALETTE``: the page swaps each for the same token of the theme in use, so that a figure stays a
valid figure wherever else it is shown.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import floor
from typing import Any

type Figure = dict[str, Any]
type Distribution = Mapping[str, Any]

PALETTE: Mapping[str, str] = {
    "paper": "#ffffff",
    "ink": "#17211c",
    "muted": "#56605a",
    "rule": "#dde2de",
    "edge": "#7f8983",
    "accent": "#14664a",
    "base": "#6394bf",
    "base-text": "#255a88",
    "variant": "#bf8430",
    "variant-text": "#85520c",
    "sim": "#39433e",
}
"""Token of the style sheet -> its colour in the light theme."""

CLEAR = "rgba(0,0,0,0)"
LABEL_SIZE = 13


@dataclass(frozen=True)
class Axis:
    """The scores a histogram shows, in steps; what lies beyond is counted in one bar at each end.

    ``low`` and ``high`` are bounds of the steps: the first holds ``low <= score < low + step``.
    ``floor`` says that nothing can lie below ``low`` (a margin, banknotes), so that there is no bar
    for it. ``labels`` is the side on which the percentages stand, where bars leave room.
    """

    low: int
    high: int
    step: int
    ticks: tuple[int, ...]
    floor: bool = False
    labels: str = "left"

    @property
    def edges(self) -> list[int]:
        """Bounds of all bars, the two end bars included."""
        first = self.low if self.floor else self.low - self.step
        return list(range(first, self.high + self.step + 1, self.step))

    def bar_of(self, score: int) -> int:
        """Index of the bar that counts ``score``."""
        edges = self.edges
        return min(max((score - edges[0]) // self.step, 0), len(edges) - 2)


_TOTALS = Axis(10, 130, 5, (25, 50, 75, 100, 125))
_POINTS = Axis(-10, 70, 5, (0, 20, 40, 60))
_MARGINS = Axis(0, 40, 2, (0, 10, 20, 30, 40), floor=True, labels="right")
_BANKNOTES = Axis(0, 28, 2, (0, 10, 20), floor=True, labels="right")

AXES: Mapping[tuple[str, str], Axis] = {
    ("for-sale", "total"): _TOTALS,
    ("for-sale", "winning_total"): _TOTALS,
    ("for-sale", "margin"): _MARGINS,
    ("for-sale", "banknotes"): _BANKNOTES,
    ("lady-richmond", "total"): _POINTS,
    ("lady-richmond", "winning_total"): _POINTS,
    ("lady-richmond", "margin"): _MARGINS,
}
"""(game, measure) -> axis: the same in every cell of a grid, so that cells can be compared."""


@dataclass(frozen=True)
class Words:
    """The words a figure needs, in the reader's language. Templates hold Plotly's or named fields."""

    recorded: str = "recorded"
    simulated: str = "simulated"
    players: str = "%(count)d players"
    bar: str = "%{customdata[0]}: %{customdata[1]} of %{customdata[2]} (%{y:.1f} %)"
    step: str = "simulated, %{customdata[0]}: %{y:.1f} %"
    below: str = "under %(score)d"
    above: str = "%(score)d and more"
    between: str = "%(low)d to %(high)d"
    percent: str = "%(value)d %%"
    percent_suffix: str = " %"
    strip: str = "%(who)s: nine in ten from %(p05)d to %(p95)d, half from %(p25)d to %(p75)d"
    decided: Mapping[str, str] | None = None
    decided_bar: str = "%{customdata[0]}: %{customdata[1]} of %{customdata[2]} plays (%{x:.2f} %)"
    mean_price: str = "mean price, simulated"
    mean_cheque: str = "mean cheque, simulated"
    house: str = "house %(house)d"
    deal: str = "%{customdata[0]}, house %{customdata[1]}: paid %{customdata[2]}, cheque %{customdata[3]}"
    house_axis: str = "House"
    position: str = "position %{x}: %{y:.2f} % of wins"
    position_axis: str = "Position from the opener of the first auction"
    separators: str = ".,"


ENGLISH = Words()


def bars(distribution: Distribution, axis: Axis) -> list[int]:
    """How many values of a ``D`` fall into each bar of the axis; their sum is ``n``."""
    counts = [0] * (len(axis.edges) - 1)
    for row in distribution["histogram"]:
        counts[axis.bar_of(row["score"])] += row["count"]
    return counts


def top_share(distributions: Iterable[Distribution | None], axis: Axis) -> float:
    """The height, in percent, at which all cells of one grid end: 28, or more where a bar needs it."""
    highest = 0.0
    for distribution in distributions:
        if distribution and distribution["n"]:
            highest = max(highest, 100 * max(bars(distribution, axis)) / distribution["n"])
    return 28.0 if highest <= 27 else min(100.0, 5.0 * (floor(highest / 5) + 1))


def histogram_cell(
    *,
    recorded: Distribution | None,
    simulated: Distribution | None,
    variant: str,
    axis: Axis,
    top: float,
    words: Words = ENGLISH,
    name_medians: bool = False,
) -> Figure:
    """One cell of the grid: recorded as bars, simulated as an outline, medians marked.

    ``recorded`` and ``simulated`` are ``D`` or None; without values nothing is drawn for them.
    ``top`` is the height of the y axis in percent (see :func:`top_share`). ``name_medians`` writes
    the words beside the two numbers, for the first cell of a row.
    """
    hue, strong = _hues(variant)
    edges = axis.edges
    data: list[dict[str, Any]] = []
    shapes: list[dict[str, Any]] = []
    medians: list[tuple[float, str, bool]] = []
    if recorded and recorded["n"]:
        data.append(_recorded_bars(recorded, axis, hue, words))
        quantiles = recorded["quantiles"]
        shapes += [
            _vertical(recorded["median"], PALETTE["paper"], 5),
            _vertical(recorded["median"], strong, 2.5),
            {
                "type": "rect",
                "xref": "x",
                "yref": "paper",
                "x0": quantiles["p25"],
                "x1": quantiles["p75"],
                "y0": -0.028,
                "y1": 0,
                "fillcolor": strong,
                "line": {"width": 0},
            },
        ]
        medians.append((recorded["median"], words.recorded, True))
    if simulated and simulated["n"]:
        data.append(_simulated_outline(simulated, axis, words))
        shapes.append(_vertical(simulated["median"], PALETTE["sim"], 1.25, dash="3px,3px"))
        medians.append((simulated["median"], words.simulated, False))
    steps = [step for step in (10, 20, 40, 60, 80) if step < top and (top <= 40 or step >= 20)]
    layout = _layout(
        words,
        margin={"l": 0, "r": 0, "t": 26, "b": 26, "pad": 0},
        bargap=0,
        shapes=shapes,
        annotations=_median_labels(medians, edges, strong, name_medians),
        xaxis=_axis(
            range=[edges[0], edges[-1]],
            tickvals=list(axis.ticks),
            showgrid=False,
            showline=True,
            linecolor=PALETTE["edge"],
            ticklabelshift=0,
        ),
        yaxis=_axis(
            range=[0, top],
            tickvals=steps,
            ticktext=[words.percent % {"value": step} for step in steps],
            gridcolor=PALETTE["rule"],
            side=axis.labels,
            ticklabelposition="inside top",
        ),
    )
    return {"data": data, "layout": layout}


def winners_strip(
    rows: Sequence[tuple[int, Distribution | None, Distribution | None]],
    *,
    variant: str,
    axis: Axis,
    words: Words = ENGLISH,
) -> Figure:
    """Winning totals by player count: nine in ten, the middle half and the median, one line a count.

    ``rows`` are ``(player_count, recorded, simulated)`` with the ``winning_total`` of each block.
    """
    hue, strong = _hues(variant)
    data: list[dict[str, Any]] = []
    for place, (_, recorded, simulated) in enumerate(rows):
        if recorded and recorded["n"]:
            data += _strip(recorded, -place + 0.17, hue, strong, words.recorded, words, solid=True)
        if simulated and simulated["n"]:
            data += _strip(
                simulated, -place - 0.17, PALETTE["sim"], PALETTE["sim"], words.simulated, words, solid=False
            )
    layout = _layout(
        words,
        margin={"l": 80, "r": 24, "t": 8, "b": 26, "pad": 0},
        xaxis=_axis(
            range=[axis.edges[0], axis.edges[-1]],
            tickvals=list(axis.ticks),
            gridcolor=PALETTE["rule"],
        ),
        yaxis=_axis(
            range=[-len(rows) + 0.45, 0.55],
            tickvals=[-place for place in range(len(rows))],
            ticktext=[words.players % {"count": count} for count, _, _ in rows],
            ticklabelstandoff=8,
            showgrid=False,
        ),
    )
    return {"data": data, "layout": layout}


def decided_bars(
    rows: Sequence[tuple[int, Mapping[str, int] | None, Mapping[str, int] | None]],
    *,
    variant: str,
    words: Words = ENGLISH,
) -> Figure:
    """How games were decided when the best totals were level, in percent of plays.

    ``rows`` are ``(player_count, recorded, simulated)`` with ``decided_by`` of each block. What is
    missing to 100 % was decided by the total alone; drawn, it would hide the rest.
    """
    hue, strong = _hues(variant)
    fills = {
        "banknotes": hue,
        "largest_category": hue,
        "shared": strong,
        "reported": PALETTE["edge"],
        "unknown": PALETTE["rule"],
    }
    names = words.decided or {}
    data: list[dict[str, Any]] = []
    highest = 0.0
    for solid in (True, False):
        counted = [(place, recorded if solid else simulated) for place, (_, recorded, simulated) in enumerate(rows)]
        present = [(place, counts) for place, counts in counted if counts and sum(counts.values())]
        highest = max([highest, *(100 * _level(counts) / sum(counts.values()) for _, counts in present)])
        for way, fill in fills.items():
            if any(counts.get(way) for _, counts in present):
                data.append(_decided_trace(present, way, fill, names.get(way, way), words, solid=solid))
    layout = _layout(
        words,
        margin={"l": 80, "r": 24, "t": 8, "b": 26, "pad": 0},
        barmode="stack",
        bargap=0,
        xaxis=_axis(
            range=[0, max(10.0, highest * 1.08)],
            gridcolor=PALETTE["rule"],
            nticks=5,
            ticksuffix=words.percent_suffix,
        ),
        yaxis=_axis(
            range=[-len(rows) + 0.45, 0.55],
            tickvals=[-place for place in range(len(rows))],
            ticktext=[words.players % {"count": count} for count, _, _ in rows],
            ticklabelstandoff=8,
            showgrid=False,
        ),
    )
    return {"data": data, "layout": layout}


def positions(rows: Sequence[Mapping[str, Any]], *, words: Words = ENGLISH) -> Figure:
    """Share of wins by position from the opener of the first auction, with 95 % intervals as whiskers.

    ``rows`` are ``{"position", "win_share": S}`` of a simulation; the dashed line is an equal share.
    """
    shares = [row["win_share"] for row in rows]
    values = [100 * share["value"] for share in shares]
    low = min([100 * share["low"] for share in shares], default=0)
    high = max([100 * share["high"] for share in shares], default=100)
    room = max(1.0, (high - low) * 0.25)
    data = [
        {
            "type": "scatter",
            "mode": "markers+text",
            "x": [row["position"] for row in rows],
            "y": values,
            "text": [f"{value:.1f}".replace(".", words.separators[0]) for value in values],
            "textposition": "top center",
            "textfont": {"size": LABEL_SIZE, "color": PALETTE["ink"]},
            "marker": {"size": 9, "color": PALETTE["sim"]},
            "error_y": {
                "type": "data",
                "symmetric": False,
                "array": [100 * (share["high"] - share["value"]) for share in shares],
                "arrayminus": [100 * (share["value"] - share["low"]) for share in shares],
                "color": PALETTE["sim"],
                "thickness": 1.5,
                "width": 5,
            },
            "hovertemplate": words.position + "<extra></extra>",
        }
    ]
    equal = 100 / len(rows) if rows else 0
    layout = _layout(
        words,
        margin={"l": 44, "r": 8, "t": 16, "b": 40, "pad": 0},
        shapes=[
            {
                "type": "line",
                "xref": "paper",
                "yref": "y",
                "x0": 0,
                "x1": 1,
                "y0": equal,
                "y1": equal,
                "line": {"color": PALETTE["edge"], "width": 1, "dash": "3px,3px"},
            }
        ],
        xaxis=_axis(
            range=[0.5, len(rows) + 0.5],
            dtick=1,
            showgrid=False,
            showline=True,
            linecolor=PALETTE["edge"],
            title=_title(words.position_axis),
        ),
        yaxis=_axis(
            range=[low - room, high + 2 * room],
            gridcolor=PALETTE["rule"],
            nticks=5,
            ticksuffix=words.percent_suffix,
        ),
    )
    return {"data": data, "layout": layout}


def house_lines(houses: Sequence[Mapping[str, Any]], *, words: Words = ENGLISH) -> Figure:
    """Mean price paid and mean cheque fetched by house, with 95 % bands.

    ``houses`` are rows ``{"house", "price": {"n", "mean", "se"}, "cheque": {...}}`` of a simulation.
    """
    data: list[dict[str, Any]] = []
    for key, colour, dash, name in (
        ("cheque", PALETTE["sim"], "solid", words.mean_cheque),
        ("price", PALETTE["sim"], "3px,3px", words.mean_price),
    ):
        rows = [row for row in houses if row[key]["n"]]
        spread = [1.96 * (row[key]["se"] or 0) for row in rows]
        numbers = [row["house"] for row in rows]
        means = [row[key]["mean"] for row in rows]
        data.append(
            {
                "type": "scatter",
                "mode": "lines",
                "x": numbers + numbers[::-1],
                "y": [m + s for m, s in zip(means, spread, strict=True)]
                + [m - s for m, s in zip(means[::-1], spread[::-1], strict=True)],
                "fill": "toself",
                "fillcolor": PALETTE["rule"],
                "line": {"width": 0},
                "hoverinfo": "skip",
            }
        )
        data.append(
            {
                "type": "scatter",
                "mode": "lines+markers",
                "x": numbers,
                "y": means,
                "line": {"color": colour, "width": 1.5, "dash": dash},
                "marker": _house_marker(key, colour),
                "customdata": [words.house % {"house": number} for number in numbers],
                "hovertemplate": f"%{{customdata}}: {name} %{{y:.2f}}<extra></extra>",
            }
        )
    highest = max([15.0, *(row["cheque"]["mean"] for row in houses if row["cheque"]["n"])])
    return {"data": data, "layout": _house_layout(words, highest)}


def deals(
    rows: Sequence[Mapping[str, Any]],
    *,
    simulated: Sequence[Mapping[str, Any]] = (),
    named: Sequence[int] = (),
    words: Words = ENGLISH,
) -> Figure:
    """Price paid and cheque fetched for every house of one play, the difference as a line.

    ``rows`` are ``{"house", "seat", "player", "paid", "cheque"}``; ``simulated`` the houses of a
    simulation, drawn behind as two lines; ``named`` the houses whose deals were the best. One trace a
    seat (``meta: {"seat": n}``), so that a page can follow one of them.
    """
    data: list[dict[str, Any]] = []
    for key, dash, name in (("cheque", "solid", words.mean_cheque), ("price", "3px,3px", words.mean_price)):
        known = [row for row in simulated if row[key]["n"]]
        if known:
            data.append(
                {
                    "type": "scatter",
                    "mode": "lines",
                    "x": [row["house"] for row in known],
                    "y": [row[key]["mean"] for row in known],
                    "line": {"color": PALETTE["sim"], "width": 1.5, "dash": dash},
                    "hovertemplate": f"{name} %{{y:.1f}}<extra></extra>",
                }
            )
    for seat in sorted({row["seat"] for row in rows}):
        data += _deals_of_seat([row for row in rows if row["seat"] == seat], seat, words)
    highest = max([15.0, *(max(row["paid"], row["cheque"]) for row in rows)])
    layout = _house_layout(words, highest)
    layout["annotations"] = [
        {
            "x": row["house"],
            "y": max(row["paid"], row["cheque"]),
            "text": f"<b>{row['house']}</b>",
            "showarrow": False,
            "yshift": 12,
            "font": {"color": PALETTE["ink"], "size": LABEL_SIZE},
        }
        for row in rows
        if row["house"] in named
    ]
    return {"data": data, "layout": layout}


def _hues(variant: str) -> tuple[str, str]:
    """Fill and strong colour of a variant."""
    key = "base" if variant == "base" else "variant"
    return PALETTE[key], PALETTE[f"{key}-text"]


def _bar_names(axis: Axis, words: Words) -> list[str]:
    edges = axis.edges
    names = [
        words.between % {"low": low, "high": high - 1} if axis.step > 1 else str(low) for low, high in pairwise(edges)
    ]
    if not axis.floor:
        names[0] = words.below % {"score": axis.low}
    names[-1] = words.above % {"score": axis.high}
    return names


def _recorded_bars(distribution: Distribution, axis: Axis, hue: str, words: Words) -> dict[str, Any]:
    counts = bars(distribution, axis)
    n = distribution["n"]
    return {
        "type": "bar",
        "x": [edge + axis.step / 2 for edge in axis.edges[:-1]],
        "y": [round(100 * count / n, 4) for count in counts],
        "width": axis.step * 0.92,
        "marker": {"color": hue, "line": {"width": 0}},
        "customdata": [[name, count, n] for name, count in zip(_bar_names(axis, words), counts, strict=True)],
        "hovertemplate": words.bar + "<extra></extra>",
    }


def _simulated_outline(distribution: Distribution, axis: Axis, words: Words) -> dict[str, Any]:
    """A step line with a point in the middle of each bar too, where the pointer looks for it."""
    counts = bars(distribution, axis)
    edges, n = axis.edges, distribution["n"]
    shares = [round(100 * count / n, 4) for count in counts]
    names = _bar_names(axis, words)
    x: list[float] = [edges[0]]
    y: list[float] = [0]
    custom = [names[0]]
    for index, share in enumerate(shares):
        x += [edges[index], edges[index] + axis.step / 2, edges[index + 1]]
        y += [share] * 3
        custom += [names[index]] * 3
    return {
        "type": "scatter",
        "mode": "lines",
        "x": [*x, edges[-1]],
        "y": [*y, 0],
        "line": {"color": PALETTE["sim"], "width": 1.5, "shape": "linear"},
        "customdata": [[name] for name in [*custom, names[-1]]],
        "hovertemplate": words.step + "<extra></extra>",
    }


def _vertical(x: float, colour: str, width: float, dash: str = "solid") -> dict[str, Any]:
    return {
        "type": "line",
        "xref": "x",
        "yref": "paper",
        "x0": x,
        "x1": x,
        "y0": 0,
        "y1": 1.03,
        "line": {"color": colour, "width": width, "dash": dash},
    }


def _median_labels(
    medians: Sequence[tuple[float, str, bool]], edges: Sequence[int], strong: str, name_medians: bool
) -> list[dict[str, Any]]:
    """The numbers above their lines: the one further left to the left, so that they never collide."""
    labels = []
    for place, (median, name, solid) in enumerate(sorted(medians, key=lambda entry: entry[0])):
        left = len(medians) == 2 and place == 0
        share = (median - edges[0]) / (edges[-1] - edges[0])
        named = name_medians and 0.3 < share < 0.7
        text = f"{median:g}"
        if named:
            text = f"{name} {text}" if left else f"{text} {name}"
        labels.append(
            {
                "x": median,
                "y": 1,
                "xref": "x",
                "yref": "paper",
                "text": f"<b>{text}</b>" if solid else text,
                "showarrow": False,
                "xanchor": "right" if left else "left",
                "yanchor": "bottom",
                "xshift": -2 if left else 2,
                "yshift": 2,
                "font": {"color": strong if solid else PALETTE["muted"], "size": LABEL_SIZE},
            }
        )
    return labels


def _strip(
    distribution: Distribution, y: float, fill: str, strong: str, who: str, words: Words, *, solid: bool
) -> list[dict[str, Any]]:
    quantiles = distribution["quantiles"]
    text = words.strip % {"who": who, **quantiles}
    common = {"type": "scatter", "hovertemplate": f"{text}<extra></extra>"}
    low, high = quantiles["p25"], quantiles["p75"]
    box = (
        {"x": [low, high], "y": [y, y], "mode": "lines", "line": {"color": fill, "width": 12}}
        if solid
        else {
            "x": [low, high, high, low, low],
            "y": [y - 0.11, y - 0.11, y + 0.11, y + 0.11, y - 0.11],
            "mode": "lines",
            "line": {"color": fill, "width": 1.5},
        }
    )
    return [
        common
        | {
            "x": [quantiles["p05"], quantiles["p95"]],
            "y": [y, y],
            "mode": "lines+text",
            "line": {"color": fill, "width": 1.5},
            "text": ["", f" <b>{distribution['median']:g}</b>" if solid else f" {distribution['median']:g}"],
            "textposition": "middle right",
            "textfont": {"size": LABEL_SIZE, "color": strong if solid else PALETTE["muted"]},
        },
        common | box,
        common
        | {
            "x": [distribution["median"]],
            "y": [y],
            "mode": "markers",
            "marker": {
                "symbol": "line-ns",
                "size": 14,
                "line": {"width": 2.5 if solid else 1.25, "color": strong},
            },
        },
    ]


def _level(counts: Mapping[str, int]) -> int:
    return sum(count for way, count in counts.items() if way != "total")


def _decided_trace(
    present: Sequence[tuple[int, Mapping[str, int]]],
    way: str,
    fill: str,
    name: str,
    words: Words,
    *,
    solid: bool,
) -> dict[str, Any]:
    who = words.recorded if solid else words.simulated
    outline = {"color": PALETTE["paper"], "width": 1} if solid else {"color": PALETTE["sim"], "width": 1.25}
    pattern = {"shape": "/", "size": 6, "solidity": 0.25, "fgcolor": PALETTE["sim"], "bgcolor": CLEAR}
    marker: dict[str, Any] = {"color": fill if solid else CLEAR, "line": outline}
    if not solid and way == "shared":
        marker["pattern"] = pattern
    return {
        "type": "bar",
        "orientation": "h",
        "x": [round(100 * counts.get(way, 0) / sum(counts.values()), 4) for _, counts in present],
        "y": [-place + (0.17 if solid else -0.17) for place, _ in present],
        "width": 0.3,
        "marker": marker,
        "customdata": [[f"{name} ({who})", counts.get(way, 0), sum(counts.values())] for _, counts in present],
        "hovertemplate": words.decided_bar + "<extra></extra>",
    }


def _house_marker(key: str, colour: str) -> dict[str, Any]:
    """Open circle = paid, filled slip = cheque, everywhere."""
    if key == "price":
        line = {"color": colour, "width": 1.5}
        return {"symbol": "circle", "size": 8, "color": PALETTE["paper"], "line": line}
    return {"symbol": "square", "size": 8, "color": colour}


def _deals_of_seat(rows: Sequence[Mapping[str, Any]], seat: int, words: Words) -> list[dict[str, Any]]:
    colour = PALETTE["edge"]
    x: list[int | None] = []
    y: list[int | None] = []
    for row in rows:
        x += [row["house"], row["house"], None]
        y += [row["paid"], row["cheque"], None]
    line = {
        "type": "scatter",
        "mode": "lines",
        "x": x,
        "y": y,
        "line": {"color": colour, "width": 2},
        "hoverinfo": "skip",
        "meta": {"seat": seat},
    }
    points = {
        key: {
            "type": "scatter",
            "mode": "markers",
            "x": [row["house"] for row in rows],
            "y": [row[key] for row in rows],
            "customdata": [[row["player"], row["house"], row["paid"], row["cheque"]] for row in rows],
            "hovertemplate": words.deal + "<extra></extra>",
            "marker": _house_marker("price" if key == "paid" else key, colour),
            "meta": {"seat": seat},
        }
        for key in ("paid", "cheque")
    }
    return [line, points["paid"], points["cheque"]]


def _house_layout(words: Words, highest: float) -> dict[str, Any]:
    return _layout(
        words,
        margin={"l": 28, "r": 8, "t": 20, "b": 40, "pad": 0},
        xaxis=_axis(
            range=[0.3, 30.7],
            tickvals=[1, 5, 10, 15, 20, 25, 30],
            showgrid=False,
            showline=True,
            linecolor=PALETTE["edge"],
            title=_title(words.house_axis),
        ),
        yaxis=_axis(range=[-0.4, highest + 1.2], dtick=5, tick0=0, gridcolor=PALETTE["rule"]),
    )


def _title(text: str) -> dict[str, Any]:
    return {"text": text, "standoff": 4, "font": {"size": LABEL_SIZE, "color": PALETTE["muted"]}}


def _axis(**extra: Any) -> dict[str, Any]:
    return {
        "fixedrange": True,
        "zeroline": False,
        "ticks": "",
        "tickfont": {"size": LABEL_SIZE, "color": PALETTE["muted"]},
        "automargin": False,
    } | extra


def _layout(words: Words, **extra: Any) -> dict[str, Any]:
    return {
        "showlegend": False,
        "dragmode": False,
        "hovermode": "closest",
        "separators": words.separators,
        "paper_bgcolor": CLEAR,
        "plot_bgcolor": CLEAR,
        "font": {"family": "inherit", "size": LABEL_SIZE, "color": PALETTE["ink"]},
        "hoverlabel": {
            "bgcolor": PALETTE["paper"],
            "bordercolor": PALETTE["edge"],
            "font": {"color": PALETTE["ink"], "size": LABEL_SIZE},
        },
    } | extra
