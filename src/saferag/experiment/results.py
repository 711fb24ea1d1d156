"""Rows of a stored run: for every cell, condition and metric an estimate."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from saferag.experiment.comparison import Difference
from saferag.experiment.estimates import Estimate, estimate
from saferag.experiment.settings import cell_arms
from saferag.experiment.store import Store
from saferag.metrics import MetricInfo, metrics
from saferag.types import Measurement, Score, Unscored

KEYS = (
    "task", "stage", "ratio", "position", "top_k", "retriever", "filter", "generator", "judge", "lang", "seed",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Row:
    """One metric of one condition of one cell.

    Attributes:
        cell: The cell's settings by public name.
        condition: ``clean`` or ``attacked``.
        metric: The metric's name.
        estimate: Mean, interval, n, unscored.
        difference: Attacked minus clean over the same cases; None in a clean row, or where nobody asked for it.
    """

    cell: dict[str, Any]
    condition: str
    metric: str
    estimate: Estimate
    difference: Difference | None = None

    def as_dict(self) -> dict[str, Any]:
        """The row for machines."""
        e, d = self.estimate, self.difference
        return {
            **self.cell,
            "condition": self.condition,
            "metric": self.metric,
            "value": e.value,
            "low": e.low,
            "high": e.high,
            "n": e.n,
            "n_unscored": e.n_unscored,
            "change": d.value if d else None,
            "change_low": d.low if d else None,
            "change_high": d.high if d else None,
            "p": d.p if d else None,
            "p_holm": d.p_holm if d else None,
            "n_pairs": d.n if d else None,
        }


@dataclass(frozen=True, slots=True)
class Coverage:
    """How much of a run is done.

    Attributes:
        done: Cases of arms that have a record without a failure, repeats included.
        failed: Those whose last record holds a failure.
        total: All of them.
    """

    done: int
    failed: int
    total: int

    @property
    def missing(self) -> int:
        """Cases that have not been run."""
        return self.total - self.done - self.failed


def rows(store: Store) -> Iterator[Row]:
    """All rows of a run, cell by cell, clean before attacked. A clean arm that cells share appears in each."""
    found = arm_estimates(store)
    for clean, attacked in cell_arms(dict(store.settings)):
        cell = cell_of(attacked)
        for arm in (clean, attacked):
            for metric, value in found[arm["id"]].items():
                yield Row(cell, arm["condition"], metric, value)


def arm_estimates(store: Store) -> dict[str, dict[str, Estimate]]:
    """For every arm (of the first epoch) the estimate of each metric."""
    infos = metric_infos()
    arms = {arm["id"]: arm for pair in cell_arms(dict(store.settings)) for arm in pair}
    return {key: _estimates(values_of(store, key, expected_cases(store, arm)), infos) for key, arm in arms.items()}


def _estimates(values: Mapping[str, Sequence[Measurement]], infos: Mapping[str, MetricInfo]) -> dict[str, Estimate]:
    found: dict[str, Estimate] = {}
    for name, measured in values.items():
        if name not in infos:
            continue
        info = infos[name]
        # The mean of repeats of a case is no longer 0 or 1.
        binary = info.binary and all(v.value in (0.0, 1.0) for v in measured if isinstance(v, Score))
        value = estimate(measured, binary=binary, low=info.low, high=info.high)
        if value is not None:
            found[name] = value
    return found


def metric_infos() -> dict[str, MetricInfo]:
    """What every metric declares, by name."""
    return {entry.name: entry.factory().info for entry in metrics}


def cell_of(arm: Mapping[str, Any]) -> dict[str, Any]:
    """A cell's settings by public name, from its attacked arm."""
    return {key: arm[key] for key in KEYS}


def expected_cases(store: Store, arm: Mapping[str, Any]) -> tuple[str, ...]:
    """Ids of the cases that an arm runs over."""
    return tuple(store.settings["case_ids"][f"{arm['task']}|{arm['lang']}"])


def repeats_of(store: Store, arm: str) -> tuple[str, ...]:
    """Ids of the arms that are this one over again (epochs), itself first."""
    return tuple(store.settings.get("repeats", {}).get(arm, (arm,)))


def values_by_case(store: Store, arm: str, case_ids: Sequence[str]) -> dict[str, dict[str, list[Measurement]]]:
    """Per metric and case the values of all repeats.

    A case without a record counts as unscored for every metric that other cases of the arm have.
    """
    found = {c: [store.records.get((repeat, c)) for repeat in repeats_of(store, arm)] for c in case_ids}
    names = dict.fromkeys(name for records in found.values() for r in records if r for name in r.scores)
    return {
        name: {c: [r.scores.get(name) if r else Unscored("not run") for r in records] for c, records in found.items()}
        for name in names
    }


def values_of(store: Store, arm: str, case_ids: Sequence[str]) -> dict[str, list[Measurement]]:
    """Per metric one value for each case, in order: the case is the cluster, so its repeats are averaged first."""
    return {
        name: [_cluster(values) for values in by_case.values()]
        for name, by_case in values_by_case(store, arm, case_ids).items()
    }


def _cluster(values: Sequence[Measurement]) -> Measurement:
    scored = [v.value for v in values if isinstance(v, Score)]
    if scored:
        return Score(sum(scored) / len(scored))
    return next((v for v in values if v is not None), None)


def coverage(store: Store) -> Coverage:
    """How much of a run is done. Estimates of a run that is not complete count its missing cases as unscored."""
    arms = store.settings["arms"]
    wanted = [(key, case) for key, arm in arms.items() for case in expected_cases(store, arm)]
    records = [store.records[key] for key in wanted if key in store.records]
    failed = sum(bool(record.failures) for record in records)
    return Coverage(len(records) - failed, failed, len(wanted))
