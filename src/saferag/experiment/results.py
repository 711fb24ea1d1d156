"""Rows of a stored run: for every cell, condition and metric an estimate."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from saferag.experiment.estimates import Estimate, estimate
from saferag.experiment.settings import cell_arms
from saferag.experiment.store import Store
from saferag.metrics import metrics
from saferag.types import Measurement, Unscored

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
    """

    cell: dict[str, Any]
    condition: str
    metric: str
    estimate: Estimate

    def as_dict(self) -> dict[str, Any]:
        """The row for machines."""
        e = self.estimate
        return {
            **self.cell,
            "condition": self.condition,
            "metric": self.metric,
            "value": e.value,
            "low": e.low,
            "high": e.high,
            "n": e.n,
            "n_unscored": e.n_unscored,
        }


def rows(store: Store) -> Iterator[Row]:
    """All rows of a run, cell by cell, clean before attacked. A clean arm that cells share appears in each."""
    infos = {entry.name: entry.factory().info for entry in metrics}
    expected: dict[str, tuple[str, ...]] = {k: tuple(v) for k, v in store.settings["case_ids"].items()}
    cache: dict[str, dict[str, Estimate]] = {}
    for clean, attacked in cell_arms(dict(store.settings)):
        cell = {key: attacked[key] for key in KEYS}
        for arm in (clean, attacked):
            if arm["id"] not in cache:
                values = values_of(store, arm["id"], expected[f"{arm['task']}|{arm['lang']}"])
                found = {
                    name: estimate(v, binary=infos[name].binary, low=infos[name].low, high=infos[name].high)
                    for name, v in values.items()
                    if name in infos
                }
                cache[arm["id"]] = {name: e for name, e in found.items() if e is not None}
            for metric, value in cache[arm["id"]].items():
                yield Row(cell, arm["condition"], metric, value)


def values_of(store: Store, arm: str, case_ids: tuple[str, ...]) -> dict[str, list[Measurement]]:
    """Per metric one value for each case, in order.

    A case without a record counts as unscored for every metric that other cases of the arm have.
    """
    found = [store.records.get((arm, case_id)) for case_id in case_ids]
    names = dict.fromkeys(name for record in found if record for name in record.scores)
    return {name: [record.scores.get(name) if record else Unscored("not run") for record in found] for name in names}
