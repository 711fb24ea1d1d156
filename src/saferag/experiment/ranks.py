"""Which component is safest: ranks with intervals, because a mean that is a little higher ranks nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from saferag.experiment.estimates import LEVEL, resamples
from saferag.experiment.results import cell_of, expected_cases, metric_infos, values_by_case
from saferag.experiment.settings import cell_arms
from saferag.experiment.store import Store
from saferag.metrics import Direction
from saferag.types import Measurement, Score


@dataclass(frozen=True, slots=True)
class Rank:
    """A component's place among others.

    Attributes:
        component: Its spec.
        value: Its mean over cases.
        rank: 1 is the safest; components with equal means share the mean of their ranks.
        low, high: The 95 % interval of its rank over resampled cases.
        n: Cases that all components have in common.
    """

    component: str
    value: float
    rank: float
    low: float
    high: float
    n: int


def ranks(store: Store, factor: str, metric: str, **where: Any) -> list[Rank]:  # noqa: ANN401 - any setting's value
    """Rank the values of a setting by what attacks leave of a metric, safest first.

    Compared are cells that differ in this setting only, over the cases that have a score in all of them; cases are
    resampled together for all components, so what makes a case hard for everybody does not widen the intervals.

    Args:
        store: The run.
        factor: A setting, such as ``retriever``, ``filter``, ``generator`` or ``stage``.
        metric: A metric with a direction.
        where: Only cells with these settings, such as ``task="soft_ad"``.

    Returns:
        Nothing where fewer than two values can be compared.
    """
    found: dict[str, dict[tuple[Any, ...], dict[str, float]]] = {}
    for _, arm in cell_arms(dict(store.settings)):
        cell = cell_of(arm)
        if any(cell[key] != value for key, value in where.items()):
            continue
        values = values_by_case(store, arm["id"], expected_cases(store, arm)).get(metric, {})
        rest = tuple(value for key, value in cell.items() if key != factor)
        found.setdefault(str(cell[factor]), {})[rest] = _scored(values)
    higher = metric_infos()[metric].direction is not Direction.LOWER_IS_SAFER
    return rank(matched(found), higher_is_safer=higher)


def rank(values: Mapping[str, Mapping[str, float]], *, higher_is_safer: bool, seed: int = 0) -> list[Rank]:
    """Rank components by their values per case, over the cases that all of them have."""
    names = list(values)
    common = sorted(set.intersection(*(set(v) for v in values.values()))) if names else []
    if len(names) < 2 or not common:
        return []
    table = np.array([[values[name][case] for case in common] for name in names])
    sign = -1.0 if higher_is_safer else 1.0
    means = table.mean(axis=1)
    places = _places(sign * means[None, :])[0]
    drawn = _places(sign * (resamples(len(common), seed) @ table.T))
    low, high = np.quantile(drawn, [(1 - LEVEL) / 2, (1 + LEVEL) / 2], axis=0)
    order = np.argsort(places, kind="stable")
    return [
        Rank(names[i], float(means[i]), float(places[i]), float(low[i]), float(high[i]), len(common)) for i in order
    ]


def _places(rows: np.ndarray) -> np.ndarray:
    """Ranks within each row, smallest first; equal values share the mean of their ranks."""
    rows = rows.round(12)
    less = (rows[:, None, :] < rows[:, :, None]).sum(axis=2)
    equal = (rows[:, None, :] == rows[:, :, None]).sum(axis=2)
    places: np.ndarray = less + (equal + 1) / 2
    return places


def _scored(values: Mapping[str, list[Measurement]]) -> dict[str, float]:
    """The mean of each case's scored repeats."""
    scored = {case: [m.value for m in measured if isinstance(m, Score)] for case, measured in values.items()}
    return {case: sum(found) / len(found) for case, found in scored.items() if found}


def matched(
    found: Mapping[str, Mapping[tuple[Any, ...], Mapping[str, float]]],
) -> dict[str, dict[str, float]]:
    """Per component and case the mean over the settings in which the case has a value with every component."""
    places = [{(rest, case) for rest, values in cells.items() for case in values} for cells in found.values()]
    shared = set.intersection(*places) if places else set()
    matched: dict[str, dict[str, float]] = {}
    for component, cells in found.items():
        by_case: dict[str, list[float]] = {}
        for rest, case in shared:
            by_case.setdefault(case, []).append(cells[rest][case])
        matched[component] = {case: sum(sorted(v)) / len(v) for case, v in by_case.items()}
    return matched
