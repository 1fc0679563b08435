"""From counts to figures: the one description of a distribution, and of a share, used everywhere.

Recorded plays and simulated games pass through the same two functions, so that a page and the API, a play and a
simulation cannot disagree about what a median or an interval is. Scores are whole thousands of dollars.
"""

from collections.abc import Mapping, Sequence
from itertools import accumulate
from math import comb, floor, sqrt
from statistics import NormalDist
from typing import Any

CONFIDENCE = 0.95
Z = NormalDist().inv_cdf(0.5 + CONFIDENCE / 2)
QUANTILES = {"p05": 0.05, "p25": 0.25, "p75": 0.75, "p95": 0.95}
EXACT_UP_TO = 500  # observations: below, the binomial itself; above, its normal approximation


def describe(histogram: Mapping[int, int], *, se: float | None) -> dict[str, Any]:
    """Describe a distribution given as {score: count}, in the API's shape `D`.

    `se` is the standard error of the mean over the independent units (plays, or games: the seats of one play are not
    independent, so the histogram alone cannot tell it); None where it is not known, below two units. `n` is the number
    of values. `sd` divides by n - 1. Median and quantiles are the smallest score whose cumulative share reaches q.
    `median_interval` is the 95 % interval by order statistics (see `median_ranks`) with (sd/se)**2 observations.
    Without values everything but `n` and `histogram` is null. Raises ValueError for a negative count.
    """
    scores = sorted(score for score, count in histogram.items() if count)
    counts = [histogram[score] for score in scores]
    if any(count < 0 for count in counts):
        raise ValueError("a count is negative")
    n = sum(counts)
    bars = [{"score": score, "count": count} for score, count in zip(scores, counts, strict=True)]
    if n == 0:
        nothing = dict.fromkeys(("mean", "se", "sd", "median", "median_interval"))
        return {"n": 0, **nothing, "quantiles": dict.fromkeys(QUANTILES), "histogram": bars}
    cumulated = list(accumulate(counts))
    mean = sum(score * count for score, count in zip(scores, counts, strict=True)) / n
    sd = sqrt(variance(histogram)) if n > 1 else None
    return {
        "n": n,
        "mean": mean,
        "se": se,
        "sd": sd,
        "median": quantile(scores, cumulated, 0.5),
        "median_interval": _median_interval(scores, cumulated, sd, se),
        "quantiles": {name: quantile(scores, cumulated, q) for name, q in QUANTILES.items()},
        "histogram": bars,
    }


def variance(histogram: Mapping[int, int]) -> float:
    """The sample variance (over n - 1) of {score: count}; exact in integers until the last division. Needs n > 1."""
    n = sum(histogram.values())
    first = sum(score * count for score, count in histogram.items())
    second = sum(score * score * count for score, count in histogram.items())
    return (n * second - first * first) / (n * (n - 1))


def standard_error(histogram: Mapping[int, int], *, per_unit: int = 1) -> float | None:
    """The standard error of a mean over independent units, from the histogram of the units' sums.

    Each unit (a game) holds `per_unit` values (its seats) and the mean is that of the values: se = sd of the sums,
    divided by per_unit and by the root of the number of units. None below two units.
    """
    units = sum(histogram.values())
    return sqrt(variance(histogram) / units) / per_unit if units > 1 else None


def quantile(scores: Sequence[int], cumulated: Sequence[int], share: float) -> int:
    """The smallest score whose cumulative count reaches `share` of all. `scores` ascend; counts are cumulated."""
    # a share such as 0.05 is not exact in binary: 0.05 * 60 must not ask for the fourth of sixty
    due = share * cumulated[-1] * (1 - 1e-12)
    return next(score for score, count in zip(scores, cumulated, strict=True) if count >= due)


def median_ranks(observations: float) -> tuple[int, int] | None:
    """The two order statistics, counted from 1, that enclose the median with at least 95 % confidence.

    Ranks r and m + 1 - r with the greatest r for which P(Bin(m, 1/2) < r) <= 2.5 % (W. J. Conover, Practical
    Nonparametric Statistics, 3rd ed., section 3.2); from 500 observations on by the normal approximation with
    continuity correction. None below 6 observations, where no pair reaches 95 %.
    """
    m = floor(observations)
    if m > EXACT_UP_TO:
        rank = floor((m + 1 - Z * sqrt(m)) / 2)
        return rank, m + 1 - rank
    tail, rank = 0, 0
    while True:
        tail += comb(m, rank)
        if tail > (1 - CONFIDENCE) / 2 * 2**m:
            break
        rank += 1
    return (rank, m + 1 - rank) if rank else None


def _median_interval(
    scores: Sequence[int], cumulated: Sequence[int], sd: float | None, se: float | None
) -> list[int] | None:
    if sd is None or se is None:
        return None
    if se == 0:  # every unit has the same mean: nothing is left to chance
        middle = quantile(scores, cumulated, 0.5)
        return [middle, middle]
    effective = (sd / se) ** 2
    ranks = median_ranks(effective)
    if ranks is None:
        return None
    low, high = ranks
    return [quantile(scores, cumulated, low / effective), quantile(scores, cumulated, min(1.0, high / effective))]


def share(successes: float, n: int) -> dict[str, Any]:
    """A share with its 95 % interval, in the API's shape `S`: {"value", "low", "high", "n"}.

    E. B. Wilson's score interval (JASA 22, 1927). `successes` need not be whole: a win shared by k counts 1/k, which
    varies less than a whole win, so the interval then errs on the wide side. All null where n is 0.
    Raises ValueError unless 0 <= successes <= n.
    """
    if not 0 <= successes <= n * (1 + 1e-12):
        raise ValueError(f"{successes} successes of {n}")
    if n == 0:
        return {"value": None, "low": None, "high": None, "n": 0}
    p = min(1.0, successes / n)
    centre = (p + Z * Z / (2 * n)) / (1 + Z * Z / n)
    half = Z / (1 + Z * Z / n) * sqrt(p * (1 - p) / n + Z * Z / (4 * n * n))
    return {"value": p, "low": max(0.0, min(p, centre - half)), "high": min(1.0, max(p, centre + half)), "n": n}
