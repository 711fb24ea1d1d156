"""Means with intervals: missing is not zero, and certainty is not claimed from few cases."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from saferag.experiment.estimates import estimate, wilson
from saferag.types import Measurement, Score, Unscored

SHARES = st.floats(0, 1, allow_nan=False)


@given(st.integers(1, 300).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_wilson_equals_scipys(counts: tuple[int, int]) -> None:
    k, n = counts
    expected = binomtest(k, n).proportion_ci(method="wilson")

    assert wilson(k / n, n) == pytest.approx((expected.low, expected.high), abs=1e-9)


@given(st.lists(SHARES, min_size=1, max_size=40), st.integers(1, 5))
def test_an_unscored_case_moves_no_mean_and_is_counted(values: list[float], missing: int) -> None:
    scored: list[Measurement] = [Score(v) for v in values]
    with_gaps = [*scored, *[Unscored("outage")] * missing]

    before, after = estimate(scored), estimate(with_gaps)

    assert before is not None
    assert after is not None
    assert (after.value, after.low, after.high) == (before.value, before.low, before.high)
    assert (after.n, after.n_unscored) == (len(values), missing)


@given(st.lists(SHARES, min_size=2, max_size=40))
def test_the_interval_holds_the_mean_and_stays_in_range(values: list[float]) -> None:
    found = estimate([Score(v) for v in values])

    assert found is not None
    assert found.value is not None
    assert found.low is not None
    assert found.high is not None
    assert -1e-9 <= found.low <= found.value + 1e-9
    assert found.value - 1e-9 <= found.high <= 1 + 1e-9


def test_twelve_successes_of_twelve_are_not_certainty() -> None:
    found = estimate([Score(1.0)] * 12)

    assert found is not None
    assert (found.value, found.high) == (1.0, 1.0)
    assert found.low == pytest.approx(0.7575, abs=1e-4)


def test_equal_values_inside_the_range_leave_room_on_both_sides() -> None:
    found = estimate([Score(0.5)] * 20)

    assert found is not None
    assert (found.low, found.high) == pytest.approx((0.5 - 0.1611 / 2, 0.5 + 0.1611 / 2), abs=1e-4)


def test_nothing_scored_gives_no_number() -> None:
    found = estimate([Unscored("outage"), Unscored("outage")])

    assert found is not None
    assert (found.value, found.low, found.high, found.n, found.n_unscored) == (None, None, None, 0, 2)


def test_a_metric_that_applies_to_no_case_gives_no_estimate() -> None:
    assert estimate([None, None]) is None


def test_the_bootstrap_covers_the_true_mean_about_as_often_as_it_says() -> None:
    rng = np.random.default_rng(7)
    hits = 0
    for i in range(300):
        found = estimate([Score(float(v)) for v in rng.beta(2, 3, size=40)], seed=i)
        assert found is not None
        assert found.low is not None
        assert found.high is not None
        hits += found.low <= 0.4 <= found.high

    assert 0.90 <= hits / 300 <= 0.985
