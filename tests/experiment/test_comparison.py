"""Paired comparisons agree with independent implementations and with their definitions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import false_discovery_control, permutation_test

from saferag.experiment.comparison import Difference, holm, mcnemar, paired, sign_flip, widened
from saferag.types import Measurement, Score, Unscored


def values(numbers: list[float]) -> dict[str, list[Measurement]]:
    return {f"c{i}": [Score(v)] for i, v in enumerate(numbers)}


@settings(max_examples=25)
@given(st.lists(st.floats(-1, 1).map(lambda v: round(v, 2)), min_size=2, max_size=9))
def test_sign_flips_equal_scipys_exact_permutations(changes: list[float]) -> None:
    ours = sign_flip(np.array(changes))

    theirs = permutation_test(
        (changes, [0.0] * len(changes)), lambda a, b, axis: np.mean(a - b, axis=axis), permutation_type="samples",
        vectorized=True, n_resamples=10**6,
    ).pvalue  # fmt: skip

    assert ours == pytest.approx(theirs, abs=1e-9)


def test_many_cases_give_the_exact_p_within_its_sampling_error() -> None:
    changes = np.random.default_rng(3).normal(0.12, 0.5, size=60)

    theirs = permutation_test(
        (changes, np.zeros(60)), lambda a, b, axis: np.mean(a - b, axis=axis), permutation_type="samples",
        vectorized=True, n_resamples=20_000, rng=np.random.default_rng(4),
    ).pvalue  # fmt: skip

    assert sign_flip(changes) == pytest.approx(theirs, abs=0.01)


def test_mcnemar_against_a_worked_table() -> None:
    # 10 discordant pairs, 1 gained and 9 lost: two-sided binomial p = 2 * (1 + 10) / 2^10.
    pairs = np.array([(1, 0)] * 9 + [(0, 1)] + [(1, 1)] * 30)

    assert mcnemar(pairs) == pytest.approx(22 / 1024)


def test_no_change_is_no_difference() -> None:
    found = paired(values([0, 1, 1]), values([0, 1, 1]), binary=True)

    assert found is not None
    assert (found.value, found.p) == (0, 1.0)


def test_only_complete_pairs_count_and_the_others_are_counted() -> None:
    first, second = values([0.2, 0.4, 0.6]), values([0.1, 0.1, 0.1])
    second["c1"] = [Unscored("outage")]

    found = paired(first, second, binary=False)

    assert found is not None
    assert found.value == pytest.approx(-0.3)
    assert (found.n, found.n_unpaired) == (2, 1)


def test_a_metric_that_does_not_apply_gives_no_comparison() -> None:
    nothing: dict[str, list[Measurement]] = {"c0": [None]}

    assert paired(nothing, values([1.0]), binary=True) is None


def test_repeats_of_a_case_are_one_pair() -> None:
    repeated: dict[str, list[Measurement]] = {"c0": [Score(1.0), Score(0.0), Score(1.0), Score(0.0)]}

    found = paired(values([1.0]), repeated, binary=True)

    assert found is not None
    assert (found.value, found.n) == (-0.5, 1)


@given(st.lists(st.floats(0.0001, 1), min_size=1, max_size=12))
def test_holm_lies_between_no_correction_and_bonferroni(ps: list[float]) -> None:
    corrected = [d.p_holm for d in holm([Difference(0, 0, 0, p, p, 1, 0) for p in ps])]

    for p, q in zip(ps, corrected, strict=True):
        assert q is not None
        assert p <= q <= min(1.0, p * len(ps)) + 1e-12


@given(st.lists(st.floats(0.0001, 1), min_size=1, max_size=12))
def test_holm_is_never_more_lenient_than_control_of_false_discoveries(ps: list[float]) -> None:
    corrected = [d.p_holm for d in holm([Difference(0, 0, 0, p, p, 1, 0) for p in ps])]
    lenient = false_discovery_control(ps)

    assert all(q is not None and q >= r - 1e-12 for q, r in zip(corrected, lenient, strict=True))


def test_holm_against_a_worked_family() -> None:
    family = [Difference(0, 0, 0, p, p, 1, 0) for p in (0.01, 0.04, 0.03, 0.005)]

    assert [d.p_holm for d in holm(family)] == pytest.approx([0.03, 0.06, 0.06, 0.02])


def test_equal_differences_leave_room_for_pairs_that_were_not_drawn() -> None:
    none_of_200 = Difference(0.0, 0.0, 0.0, 1.0, 1.0, 200, 0)
    all_of_20 = Difference(1.0, 1.0, 1.0, 0.0, 0.0, 20, 0)

    unchanged, changed = widened(none_of_200), widened(all_of_20)

    assert (unchanged.low, unchanged.high) == pytest.approx((-0.0188, 0.0188), abs=1e-4)
    assert (changed.low, changed.high) == pytest.approx((1 - 2 * 0.1611, 1.0), abs=1e-4)
    assert widened(Difference(0.1, 0.0, 0.2, 0.04, 0.04, 9, 0)).low == 0.0
