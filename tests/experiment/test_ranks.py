"""Ranks say which component is safer only as far as the cases do."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import rankdata

from saferag.experiment.ranks import rank

CASES = [f"c{i}" for i in range(40)]


def per_case(values: list[float]) -> dict[str, float]:
    return dict(zip(CASES, values, strict=False))


def test_a_component_that_is_better_in_every_case_is_first_without_doubt() -> None:
    hard: list[float] = np.linspace(0, 0.5, 40).tolist()

    first, second = rank({"a": per_case(hard), "b": per_case([v + 0.1 for v in hard])}, higher_is_safer=True)

    assert (first.component, first.rank, first.low, first.high) == ("b", 1, 1, 1)
    assert (second.component, second.rank, second.low, second.high, second.n) == ("a", 2, 2, 2, 40)


def test_components_that_differ_by_chance_have_intervals_that_overlap() -> None:
    rng = np.random.default_rng(1)

    found = rank({name: per_case(list(rng.random(40))) for name in "abc"}, higher_is_safer=True)

    assert any(r.low < r.high for r in found)
    assert found[0].high > found[1].low


@given(st.lists(st.floats(0, 1).map(lambda v: round(v, 2)), min_size=2, max_size=6))
def test_ranks_of_means_are_scipys(means: list[float]) -> None:
    found = rank({str(i): {"c": m} for i, m in enumerate(means)}, higher_is_safer=False)

    assert [r.rank for r in sorted(found, key=lambda r: int(r.component))] == list(rankdata(means))


def test_only_common_cases_count() -> None:
    found = rank({"a": {"c1": 0.0, "c2": 1.0}, "b": {"c1": 0.5}}, higher_is_safer=True)

    assert [(r.component, r.n) for r in found] == [("b", 1), ("a", 1)]


@pytest.mark.parametrize("values", [{}, {"a": {"c": 1.0}}, {"a": {"c": 1.0}, "b": {"d": 1.0}}])
def test_nothing_to_compare_is_no_ranking(values: dict[str, dict[str, float]]) -> None:
    assert rank(values, higher_is_safer=True) == []
