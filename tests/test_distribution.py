"""Describing a distribution, and a share."""

from itertools import accumulate
from math import comb, sqrt
from statistics import NormalDist, fmean, stdev

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stats.distribution import describe, median_ranks, quantile, share, standard_error

HISTOGRAMS = st.dictionaries(st.integers(-5, 160), st.integers(0, 30), min_size=1, max_size=20)


def values_of(histogram):
    return sorted(score for score, count in histogram.items() for _copy in range(count))


@given(HISTOGRAMS)
def test_mean_sd_and_quantiles_are_those_of_the_values_written_out(histogram):
    values = values_of(histogram)
    d = describe(histogram, se=None)
    assert d["n"] == len(values) == sum(bar["count"] for bar in d["histogram"])
    if not values:
        assert (d["mean"], d["sd"], d["median"], d["quantiles"]["p95"]) == (None, None, None, None)
        return
    assert d["mean"] == pytest.approx(fmean(values))
    assert d["sd"] == (pytest.approx(stdev(values), abs=1e-9) if len(values) > 1 else None)
    for q, found in [(0.5, d["median"]), *((int(name[1:]) / 100, d["quantiles"][name]) for name in d["quantiles"])]:
        reached = [x for x in set(values) if sum(v <= x for v in values) * 100 >= round(q * 100) * len(values)]
        assert found == min(reached)


def test_the_histogram_ascends_and_leaves_out_what_never_occurred():
    bars = describe({9: 1, 3: 2, 5: 0}, se=None)["histogram"]
    assert bars == [{"score": 3, "count": 2}, {"score": 9, "count": 1}]


def test_the_median_of_an_even_number_is_the_lower_of_the_two_in_the_middle():
    assert describe({1: 1, 2: 1, 10: 1, 20: 1}, se=None)["median"] == 2


def test_a_share_that_binary_cannot_write_still_stops_at_the_right_score():
    scores = list(range(1, 61))
    assert quantile(scores, scores, 0.05) == 3  # three of sixty are exactly 5 %


def test_one_value_has_no_spread():
    d = describe({40: 1}, se=None)
    assert (d["mean"], d["median"], d["sd"], d["se"], d["median_interval"]) == (40, 40, None, None, None)


def test_a_negative_count_is_refused():
    with pytest.raises(ValueError, match="negative"):
        describe({3: -1}, se=None)


@pytest.mark.parametrize("m", [6, 7, 20, 99, 100, 500])
def test_median_ranks_are_the_narrowest_that_reach_95_percent(m):
    low, high = median_ranks(m)
    assert low + high == m + 1
    tail = [t / 2**m for t in accumulate(comb(m, k) for k in range(m + 1))]
    assert tail[low - 1] <= 0.025 < tail[low]


def test_below_six_observations_no_pair_of_values_encloses_the_median():
    assert median_ranks(5.99) is None
    assert median_ranks(6) == (1, 6)


def test_the_normal_ranks_join_the_exact_ones():
    for m in (501, 750, 1000):
        exact = next(r for r in range(m) if NormalDist(m / 2, sqrt(m) / 2).cdf(r + 0.5) > 0.025)
        assert abs(median_ranks(m)[0] - exact) <= 1


def test_the_median_interval_widens_when_the_values_hang_together():
    histogram = dict.fromkeys(range(100), 10)
    alone = describe(histogram, se=describe(histogram, se=None)["sd"] / sqrt(1000))["median_interval"]
    together = describe(histogram, se=describe(histogram, se=None)["sd"] / sqrt(100))["median_interval"]
    assert alone == [46, 53]
    assert together == [39, 60]


def test_no_uncertainty_gives_an_interval_of_one_score():
    assert describe({1: 30, 2: 10}, se=0.0)["median_interval"] == [1, 1]


def test_the_standard_error_is_over_units_not_values():
    games = [(70, 50, 30), (60, 60, 30), (80, 20, 50), (40, 55, 61)]
    sums = {}
    for game in games:
        sums[sum(game)] = sums.get(sum(game), 0) + 1
    assert standard_error(sums, per_unit=3) == pytest.approx(stdev(fmean(game) for game in games) / 2)
    assert standard_error({150: 1}, per_unit=3) is None


@given(st.integers(1, 10**7), st.floats(0, 1))
def test_a_share_lies_inside_its_interval(n, part):
    s = share(part * n, n)
    assert 0 <= s["low"] <= s["value"] <= s["high"] <= 1
    assert s["n"] == n


def test_the_interval_solves_wilsons_equation():
    z = NormalDist().inv_cdf(0.975)
    s = share(12.5, 40)
    for edge in (s["low"], s["high"]):
        assert abs(s["value"] - edge) == pytest.approx(z * sqrt(edge * (1 - edge) / 40))


def test_a_share_of_nothing_is_unknown_and_more_than_all_is_refused():
    assert share(0, 0) == {"value": None, "low": None, "high": None, "n": 0}
    with pytest.raises(ValueError, match="successes"):
        share(3, 2)
