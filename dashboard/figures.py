"""Plotly figures from plain rows.

Every function takes the rows that the statistics API gives (``D``, the blocks of ``stats/scores/``,
the houses of a simulation) and returns one figure as plain data, ``{"data": [...], "layout": {...}}``.
Plain data because a page draws some twenty of them and building ``plotly.graph_objects`` costs
milliseconds each; the tests hold every figure against that schema.

Scores, prices and cheques are thousands of dollars. Shares are percentages. Colours are those of
``PALETTE``: the page swaps each for the same token of the theme in use, so that a figure stays a
valid figure wherever else it is shown.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
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

SELECTION = "selection"
"""In place of a variant: bars are drawn in the accent, for a club or player beside everybody."""

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
    position_axis: str = "Position from the opener of the first auction"
    whisker: str = "%(who)s, position %(position)d: %(share)s, 95 %% interval %(low)s to %(high)s, n = %(n)s"
    price: str = "mean price"
    cheque: str = "mean cheque"
    house_point: str = "house %(house)d, %(what)s: %(mean)s, n = %(n)s"
    wins: str = "%(who)s: %(share)s of %(n)s plays, 95 %% interval %(low)s to %(high)s"
    luck: str = "%(who)s: luck alone gives %(share)s"
    from_zero: str = "%(what)s: %(value)s, 95 %% interval %(low)s to %(high)s"
    rated: str = "%(day)s: %(value)s, 95 %% interval %(low)s to %(high)s"
    months: tuple[str, ...] = ("J", "F", "M", "A", "M", "J", "J", "A", "S", "O", "N", "D")
    month_bar: str = "%(month)s: %(plays)s"
    decimal: Callable[[float, int], str] = lambda value, digits: f"{value:.{digits}f}"
    day: Callable[[Any], str] = str
    short_day: Callable[[Any], str] = str
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


def position_bounds(tables: Iterable[Sequence[Mapping[str, Any]]]) -> tuple[float, float]:
    """Lowest and highest per cent that the intervals of these tables reach: the y axis of all cells of a grid."""
    shares = [row["win_share"] for rows in tables for row in rows if row["win_share"]["n"]]
    low = min([100 * share["low"] for share in shares], default=0.0)
    high = max([100 * share["high"] for share in shares], default=100.0)
    room = max(1.0, (high - low) * 0.15)
    return max(0.0, low - room), min(100.0, high + 1.6 * room)


def positions(
    simulated: Sequence[Mapping[str, Any]],
    *,
    recorded: Sequence[Mapping[str, Any]] = (),
    variant: str = "base",
    bounds: tuple[float, float] | None = None,
    words: Words = ENGLISH,
    axis_title: bool = True,
) -> Figure:
    """Share of wins by position from the opener of the first auction, with 95 % intervals as whiskers.

    Rows are ``{"position", "win_share": S}``: recorded ones filled in the variant's hue, simulated ones in the colour
    of simulations. The dashed line is an equal share. ``bounds`` is the y axis in per cent.
    """
    strong = _mark(variant)
    both = bool(recorded and simulated)
    data = []
    if simulated:
        data.append(
            _whiskers(simulated, PALETTE["sim"], words.simulated, words, shift=0.14 if both else 0, named=not both)
        )
    if recorded:
        data.append(_whiskers(recorded, strong, words.recorded, words, shift=-0.14 if both else 0, named=not both))
    seats = max(len(simulated), len(recorded))
    equal = 100 / seats if seats else 0
    low, high = bounds or position_bounds([recorded, simulated])
    layout = _layout(
        words,
        margin={"l": 44, "r": 8, "t": 16, "b": 40 if axis_title else 26, "pad": 0},
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
            range=[0.5, seats + 0.5],
            dtick=1,
            showgrid=False,
            showline=True,
            linecolor=PALETTE["edge"],
            **({"title": _title(words.position_axis)} if axis_title else {}),
        ),
        yaxis=_axis(
            range=[low, high],
            gridcolor=PALETTE["rule"],
            nticks=5,
            ticksuffix=words.percent_suffix,
        ),
    )
    return {"data": data, "layout": layout}


def _whiskers(
    rows: Sequence[Mapping[str, Any]], colour: str, who: str, words: Words, *, shift: float, named: bool
) -> dict[str, Any]:
    shares = [row["win_share"] for row in rows]

    def percent(share: float) -> str:
        return words.decimal(100 * share, 1) + words.percent_suffix

    return {
        "type": "scatter",
        "mode": "markers+text" if named else "markers",
        "x": [row["position"] + shift for row in rows],
        "y": [100 * share["value"] for share in shares],
        "text": [words.decimal(100 * share["value"], 1) for share in shares],
        "textposition": "top center",
        "textfont": {"size": LABEL_SIZE, "color": colour},
        "marker": {"size": 9, "color": colour, "symbol": "circle" if who == words.recorded else "diamond"},
        "error_y": {
            "type": "data",
            "symmetric": False,
            "array": [100 * (share["high"] - share["value"]) for share in shares],
            "arrayminus": [100 * (share["value"] - share["low"]) for share in shares],
            "color": colour,
            "thickness": 1.5,
            "width": 5,
        },
        "customdata": [
            words.whisker
            % {
                "who": who,
                "position": row["position"],
                "share": percent(share["value"]),
                "low": percent(share["low"]),
                "high": percent(share["high"]),
                "n": share["n"],
            }
            for row, share in zip(rows, shares, strict=True)
        ],
        "hovertemplate": "%{customdata}<extra></extra>",
    }


def about_zero(
    series: Sequence[tuple[str, Sequence[Mapping[str, Any]]]],
    *,
    ticks: Mapping[float, str],
    digits: int = 1,
    suffix: str = "",
    mark: float | None = None,
    connected: bool = False,
    axis_title: str = "",
    bounds: tuple[float, float] | None = None,
    words: Words = ENGLISH,
) -> Figure:
    """Differences from nothing with 95 % intervals as whiskers, about a line at 0.

    ``series`` are ``(colour, points)``, side by side; a point is ``{"x", "value", "se", "what"}``, ``what`` the words
    it is called by. ``ticks`` are the places of the x axis with their labels, ``mark`` a place that a vertical line
    shows, ``connected`` says that points of one series lie on one line. ``bounds`` is the y axis.
    """
    data = []
    apart = 0.24 * (min((b - a for a, b in pairwise(sorted(ticks))), default=1))
    for place, (colour, points) in enumerate(series):
        shift = apart * (place - (len(series) - 1) / 2)
        spread = [1.96 * (point["se"] or 0) for point in points]
        data.append(
            {
                "type": "scatter",
                "mode": "lines+markers" if connected else "markers",
                "x": [point["x"] + shift for point in points],
                "y": [point["value"] for point in points],
                "line": {"color": colour, "width": 1.5},
                "marker": {"size": 9, "color": colour, "symbol": ("diamond", "circle")[place % 2]},
                "error_y": {"type": "data", "array": spread, "color": colour, "thickness": 1.5, "width": 5},
                "customdata": [
                    words.from_zero
                    % {
                        "what": point["what"],
                        "value": words.decimal(point["value"], digits) + suffix,
                        "low": words.decimal(point["value"] - error, digits) + suffix,
                        "high": words.decimal(point["value"] + error, digits) + suffix,
                    }
                    for point, error in zip(points, spread, strict=True)
                ],
                "hovertemplate": "%{customdata}<extra></extra>",
            }
        )
    shapes = [_line(0, 1, 0, 0, PALETTE["edge"], xref="paper", yref="y")]
    annotations = []
    if mark is not None:
        shapes.append(_line(mark, mark, 0, 1, PALETTE["accent"], xref="x", yref="paper") | {"layer": "below"})
        annotations = _median_labels([(mark, "", True)], [0, 1], PALETTE["accent"], False)
        annotations[0]["text"] = f"<b>{words.decimal(mark, 1)}</b>"
    low, high = bounds or zero_bounds(points for _colour, points in series)
    layout = _layout(
        words,
        margin={"l": 40, "r": 8, "t": 26 if mark is not None else 12, "b": 40 if axis_title else 26, "pad": 0},
        shapes=shapes,
        annotations=annotations,
        xaxis=_axis(
            range=[min(ticks, default=0) - 2.2 * apart, max(ticks, default=1) + 2.2 * apart],
            tickvals=list(ticks),
            ticktext=list(ticks.values()),
            showgrid=False,
            **({"title": _title(axis_title)} if axis_title else {}),
        ),
        yaxis=_axis(range=[low, high], gridcolor=PALETTE["rule"], nticks=5, ticksuffix=suffix),
    )
    return {"data": data, "layout": layout}


def zero_bounds(groups: Iterable[Sequence[Mapping[str, Any]]]) -> tuple[float, float]:
    """The y axis that holds the intervals of these points, and 0."""
    points = [point for points in groups for point in points]
    reach = [point["value"] + sign * 1.96 * (point["se"] or 0) for point in points for sign in (-1, 1)]
    low, high = min([0.0, *reach]), max([0.0, *reach])
    room = 0.12 * (high - low) or 1.0
    return low - room, high + room


def _line(x0: float, x1: float, y0: float, y1: float, colour: str, **where: str) -> dict[str, Any]:
    return {"type": "line", "x0": x0, "x1": x1, "y0": y0, "y1": y1, "line": {"color": colour, "width": 1}, **where}


def wins(rows: Sequence[Mapping[str, Any]], *, words: Words = ENGLISH, digits: int = 0) -> Figure:
    """Share of wins of each player with its 95 % interval, and what luck alone would give as a small line.

    ``rows`` are those of the leader board, in its order, the first on top.
    """
    places = [-place for place in range(len(rows))]
    shares = [row["win_share"] for row in rows]

    def percent(share: float) -> str:
        return words.decimal(100 * share, digits) + words.percent_suffix

    said = [
        {
            "who": row["player"]["name"],
            "share": percent(share["value"]),
            "low": percent(share["low"]),
            "high": percent(share["high"]),
            "n": share["n"],
        }
        for row, share in zip(rows, shares, strict=True)
    ]
    data = [
        {
            "type": "scatter",
            "mode": "markers",
            "x": [100 * row["expected_share"] for row in rows],
            "y": places,
            "marker": {"symbol": "line-ns", "size": 18, "line": {"width": 1.5, "color": PALETTE["sim"]}},
            "customdata": [
                words.luck % {"who": row["player"]["name"], "share": percent(row["expected_share"])} for row in rows
            ],
            "hovertemplate": "%{customdata}<extra></extra>",
        },
        {
            "type": "scatter",
            "mode": "markers",
            "x": [100 * share["value"] for share in shares],
            "y": places,
            "marker": {"size": 10, "color": PALETTE["accent"]},
            "error_x": {
                "type": "data",
                "symmetric": False,
                "array": [100 * (share["high"] - share["value"]) for share in shares],
                "arrayminus": [100 * (share["value"] - share["low"]) for share in shares],
                "color": PALETTE["accent"],
                "thickness": 1.5,
                "width": 5,
            },
            "customdata": [words.wins % each for each in said],
            "hovertemplate": "%{customdata}<extra></extra>",
        },
    ]
    longest = max([len(row["player"]["name"]) for row in rows], default=8)
    end = min(101.0, max([50.0, *(100 * share["high"] for share in shares)]) + 2)
    layout = _layout(
        words,
        margin={"l": min(150, 16 + 8 * longest), "r": 16, "t": 8, "b": 26, "pad": 0},
        xaxis=_axis(range=[0, end], dtick=25, gridcolor=PALETTE["rule"], ticksuffix=words.percent_suffix),
        yaxis=_axis(
            range=[-len(rows) + 0.4, 0.6],
            tickvals=places,
            ticktext=[_short(row["player"]["name"]) for row in rows],
            ticklabelstandoff=8,
            showgrid=False,
            tickfont={"size": LABEL_SIZE, "color": PALETTE["ink"]},
        ),
    )
    return {"data": data, "layout": layout}


def _short(name: str, longest: int = 17) -> str:
    """A name as an axis can hold it. Plotly reads tags in labels: what would open one is written out."""
    cut = name if len(name) <= longest else name[: longest - 1] + "…"
    return cut.replace("&", "&amp;").replace("<", "&lt;")


def rating_line(points: Sequence[Mapping[str, Any]], *, words: Words = ENGLISH) -> Figure:
    """A rating over time as a line with its 95 % band.

    ``points`` are ``{"played_on", "value", "low", "high"}``, oldest first; of one day only the last is drawn.
    """
    last = list({point["played_on"]: point for point in points}.values())
    days = [point["played_on"].isoformat() for point in last]
    data = [
        {
            "type": "scatter",
            "mode": "lines",
            "x": days + days[::-1],
            "y": [point["high"] for point in last] + [point["low"] for point in last[::-1]],
            "fill": "toself",
            "fillcolor": PALETTE["rule"],
            "line": {"width": 0},
            "hoverinfo": "skip",
        },
        {
            "type": "scatter",
            "mode": "lines+markers" if len(last) < 40 else "lines",
            "x": days,
            "y": [point["value"] for point in last],
            "line": {"color": PALETTE["accent"], "width": 2},
            "marker": {"size": 6, "color": PALETTE["accent"]},
            "customdata": [
                words.rated
                % {
                    "day": words.day(point["played_on"]),
                    **{name: words.decimal(point[name], 1) for name in ("value", "low", "high")},
                }
                for point in last
            ],
            "hovertemplate": "%{customdata}<extra></extra>",
        },
    ]
    low = min([point["low"] for point in last], default=0.0)
    high = max([point["high"] for point in last], default=50.0)
    ticks = _apart(last)
    layout = _layout(
        words,
        margin={"l": 32, "r": 24, "t": 8, "b": 26, "pad": 0},
        xaxis=_axis(
            type="date",
            showgrid=False,
            showline=True,
            linecolor=PALETTE["edge"],
            tickvals=[point["played_on"].isoformat() for point in ticks],
            ticktext=[
                f"{point['played_on'].day}.{point['played_on'].month}.{point['played_on']:%y}" for point in ticks
            ],
        ),
        yaxis=_axis(range=[low - 1, high + 1], gridcolor=PALETTE["rule"], nticks=5),
    )
    return {"data": data, "layout": layout}


def _apart(points: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Points whose dates are far enough from each other on the axis to be written under it; the last is one."""
    if not points:
        return []
    span = (points[-1]["played_on"] - points[0]["played_on"]).days or 1
    kept = [points[-1]]
    for point in reversed(points):
        if (kept[-1]["played_on"] - point["played_on"]).days > 0.22 * span:
            kept.append(point)
    return kept


def activity_bars(months: Sequence[Mapping[str, Any]], *, words: Words = ENGLISH) -> Figure:
    """Plays by month: ``months`` are ``{"month": "2026-11", "plays"}``, without a gap."""
    years = [row["month"][:4] for row in months]
    numbers = [int(row["month"][5:]) for row in months]
    step = max(1, -(-len(months) // 24))
    shown = [place for place in range(len(months)) if place % step == 0]
    labels = []
    for place in shown:
        is_first = place == 0 or years[place] != years[place - step]
        labels.append(words.months[numbers[place] - 1] + (f"<br>{years[place]}" if is_first else ""))
    most = max([row["plays"] for row in months], default=1)
    data = [
        {
            "type": "bar",
            "x": list(range(len(months))),
            "y": [row["plays"] for row in months],
            "width": 0.82,
            "marker": {"color": PALETTE["accent"], "line": {"width": 0}},
            "customdata": [words.month_bar % {"month": row["month"], "plays": row["plays"]} for row in months],
            "hovertemplate": "%{customdata}<extra></extra>",
        }
    ]
    layout = _layout(
        words,
        margin={"l": 32, "r": 8, "t": 8, "b": 44, "pad": 0},
        bargap=0,
        xaxis=_axis(
            range=[-0.6, max(len(months), 12) - 0.4],
            tickvals=shown,
            ticktext=labels,
            showgrid=False,
            showline=True,
            linecolor=PALETTE["edge"],
        ),
        yaxis=_axis(range=[0, most * 1.1], gridcolor=PALETTE["rule"], nticks=5, tickformat="d"),
    )
    return {"data": data, "layout": layout}


def house_lines(
    houses: Sequence[Mapping[str, Any]],
    *,
    recorded: Sequence[Mapping[str, Any]] = (),
    variant: str = "base",
    words: Words = ENGLISH,
    small: bool = False,
) -> Figure:
    """Mean price paid and mean cheque fetched by house: simulated as lines with 95 % bands, recorded as points.

    Rows are ``{"house", "price": {"n", "mean", "se"}, "cheque": {...}}``; the whiskers of recorded points are 95 %
    intervals too. ``small`` is for one cell of a grid: lines alone.
    """
    data: list[dict[str, Any]] = []
    for key, dash, name in (("cheque", "solid", words.mean_cheque), ("price", "3px,3px", words.mean_price)):
        data += _house_line(houses, key, PALETTE["sim"], dash, name, words)
    if small:
        for line in data[1::2]:
            line["mode"] = "lines"
    strong = _mark(variant)
    for key, name, shift in (("cheque", words.cheque, 0.12), ("price", words.price, -0.12)):
        rows = [row for row in recorded if row[key]["n"]]
        if rows:
            data.append(_house_points(rows, key, strong, name, shift, words))
    means = [row[key]["mean"] for row in [*houses, *recorded] for key in ("cheque", "price") if row[key]["n"]]
    return {"data": data, "layout": _house_layout(words, max([15.0, *means]), small=small)}


def house_pair(
    first: Sequence[Mapping[str, Any]], second: Sequence[Mapping[str, Any]], *, words: Words = ENGLISH
) -> Figure:
    """What houses cost and fetch in two simulations: the first in the accent, the second in the colour of others."""
    data: list[dict[str, Any]] = []
    for houses, colour in ((second, PALETTE["sim"]), (first, PALETTE["accent"])):
        for key, dash, name in (("cheque", "solid", words.cheque), ("price", "3px,3px", words.price)):
            data += _house_line(houses, key, colour, dash, name, words)
    means = [row["cheque"]["mean"] for row in [*first, *second] if row["cheque"]["n"]]
    return {"data": data, "layout": _house_layout(words, max([15.0, *means]))}


def _house_line(
    houses: Sequence[Mapping[str, Any]], key: str, colour: str, dash: str, name: str, words: Words
) -> list[dict[str, Any]]:
    rows = [row for row in houses if row[key]["n"]]
    spread = [1.96 * (row[key]["se"] or 0) for row in rows]
    numbers = [row["house"] for row in rows]
    means = [row[key]["mean"] for row in rows]
    band = {
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
    line = {
        "type": "scatter",
        "mode": "lines+markers",
        "x": numbers,
        "y": means,
        "line": {"color": colour, "width": 1.5, "dash": dash},
        "marker": _house_marker(key, colour),
        "customdata": [words.house % {"house": number} for number in numbers],
        "hovertemplate": f"%{{customdata}}: {name} %{{y:.2f}}<extra></extra>",
    }
    return [band, line]


def _house_points(
    rows: Sequence[Mapping[str, Any]], key: str, colour: str, name: str, shift: float, words: Words
) -> dict[str, Any]:
    spread = [1.96 * (row[key]["se"] or 0) for row in rows]
    return {
        "type": "scatter",
        "mode": "markers",
        "x": [row["house"] + shift for row in rows],
        "y": [row[key]["mean"] for row in rows],
        "marker": _house_marker(key, colour),
        "error_y": {"type": "data", "array": spread, "color": colour, "thickness": 1, "width": 0},
        "customdata": [
            words.house_point
            % {
                "house": row["house"],
                "what": f"{name}, {words.recorded}",
                "mean": words.decimal(row[key]["mean"], 1),
                "n": row[key]["n"],
            }
            for row in rows
        ],
        "hovertemplate": "%{customdata}<extra></extra>",
    }


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
    """Fill and strong colour of a variant; those of a selection where it is one."""
    if variant == SELECTION:
        return PALETTE["accent"], PALETTE["ink"]
    key = "base" if variant == "base" else "variant"
    return PALETTE[key], PALETTE[f"{key}-text"]


def _mark(variant: str) -> str:
    """Colour of points and whiskers: the strong one of a variant, the accent of a selection."""
    hue, strong = _hues(variant)
    return hue if variant == SELECTION else strong


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


def _house_layout(words: Words, highest: float, *, small: bool = False) -> dict[str, Any]:
    return _layout(
        words,
        margin={"l": 28, "r": 8, "t": 20, "b": 26 if small else 40, "pad": 0},
        xaxis=_axis(
            range=[0.3, 30.7],
            tickvals=[1, 10, 20, 30] if small else [1, 5, 10, 15, 20, 25, 30],
            showgrid=False,
            showline=True,
            linecolor=PALETTE["edge"],
            **({} if small else {"title": _title(words.house_axis)}),
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
