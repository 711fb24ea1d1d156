"""Differences that an attack makes, pooled over any set of cells: what the report's figures are made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from saferag.experiment.comparison import Difference, holm, paired, widened
from saferag.experiment.estimates import Estimate, estimate
from saferag.experiment.results import cell_of, expected_cases, metric_infos, repeats_of
from saferag.experiment.settings import cell_arms
from saferag.experiment.store import Store
from saferag.metrics import Direction
from saferag.types import Measurement, Score, Unscored

LEVEL = 0.05
ByCase = Mapping[str, Sequence[Measurement]]


@dataclass(frozen=True, slots=True)
class CellArms:
    """One cell of a stored run.

    Attributes:
        cell: Its settings by public name.
        clean, attacked: Ids of its arms.
        cases: Ids of the cases that it runs over.
    """

    cell: dict[str, Any]
    clean: str
    attacked: str
    cases: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Contrast:
    """A metric before and after an attack, over the same cases.

    Attributes:
        metric: The metric's name.
        direction: What a higher value means.
        before, after: Means of the clean and the attacked runs; None where the metric does not apply.
        difference: After minus before; None where there are no pairs.
    """

    metric: str
    direction: Direction
    before: Estimate | None
    after: Estimate | None
    difference: Difference | None

    @property
    def sign(self) -> int:
        """1 where more is worse, -1 where less is worse."""
        return 1 if self.direction is Direction.LOWER_IS_SAFER else -1

    @property
    def harm(self) -> float | None:
        """The difference turned so that more is worse."""
        if self.difference is None or self.difference.value is None:
            return None
        return self.sign * self.difference.value

    @property
    def holds(self) -> bool:
        """Whether the difference is there after correction, at the 5 % level."""
        return self.difference is not None and self.difference.p_holm is not None and self.difference.p_holm < LEVEL


@dataclass(slots=True)
class Values:
    """The values of a run by arm, metric and case, read from the records once.

    Use `Values.of`.
    """

    store: Store
    cells: tuple[CellArms, ...]
    _by_arm: dict[str, dict[str, dict[str, list[Measurement]]]] = field(default_factory=dict)
    _infos: dict[str, Any] = field(default_factory=metric_infos)

    @classmethod
    def of(cls, store: Store) -> Values:
        """The values of a run."""
        cells = tuple(
            CellArms(cell_of(attacked), clean["id"], attacked["id"], expected_cases(store, attacked))
            for clean, attacked in cell_arms(dict(store.settings))
        )
        return cls(store, cells)

    def arm(self, arm: str, cases: Sequence[str]) -> dict[str, dict[str, list[Measurement]]]:
        """Values of an arm by metric and case."""
        if arm not in self._by_arm:
            self._by_arm[arm] = self._read(arm, cases)
        return self._by_arm[arm]

    def _read(self, arm: str, cases: Sequence[str]) -> dict[str, dict[str, list[Measurement]]]:
        """As `saferag.experiment.results.values_by_case`, without a place for what is not applicable."""
        found: dict[str, dict[str, list[Measurement]]] = {}
        missing = []
        for repeat in repeats_of(self.store, arm):
            for case in cases:
                record = self.store.records.get((repeat, case))
                if record is None:
                    missing.append(case)
                    continue
                for name, value in record.scores.items():
                    if value is not None:
                        found.setdefault(name, {}).setdefault(case, []).append(value)
        for case in missing:
            for by_case in found.values():
                by_case.setdefault(case, []).append(Unscored("not run"))
        return found

    def metrics(self, cells: Sequence[CellArms]) -> tuple[str, ...]:
        """Names of the metrics that have values in attacked runs of these cells."""
        return tuple(dict.fromkeys(name for c in cells for name in self.arm(c.attacked, c.cases)))

    def clean(self, cells: Sequence[CellArms], metric: str) -> ByCase:
        """All clean values of each case over some cells; an arm that cells share counts once."""
        arms = {c.clean: c for c in cells}
        return _joined([self.arm(arm, c.cases).get(metric, {}) for arm, c in arms.items()])

    def attacked(self, cells: Sequence[CellArms], metric: str) -> ByCase:
        """All attacked values of each case over some cells."""
        return _joined([self.arm(c.attacked, c.cases).get(metric, {}) for c in cells])

    def control(self, cells: Sequence[CellArms], metric: str) -> ByCase:
        """All values of each case with benign text in the attack's place; empty where the run has no controls."""
        controls = self.store.settings.get("controls", {})
        arms = [(controls[c.attacked]["control"], c.cases) for c in cells if c.attacked in controls]
        return _joined([self.arm(arm, cases).get(metric, {}) for arm, cases in arms]) if arms else {}

    def estimate(self, values: ByCase, metric: str) -> Estimate | None:
        """The mean over cases, each averaged over its values first."""
        info = self._infos[metric]
        merged = [_cluster(found) for found in values.values()]
        binary = info.binary and all(v.value in (0.0, 1.0) for v in merged if isinstance(v, Score))
        return estimate(merged, binary=binary, low=info.low, high=info.high)

    def mean(self, values: ByCase) -> float | None:
        """The mean over cases alone, where no interval is shown."""
        means = [m for m in map(mean_of, values.values()) if m is not None]
        return sum(means) / len(means) if means else None

    def contrast(self, cells: Sequence[CellArms], metric: str) -> Contrast:
        """Clean against attacked over some cells, paired by case.

        Args:
            cells: Their values are averaged within each case, so that the case stays the unit.
            metric: The metric.
        """
        before, after = self.clean(cells, metric), self.attacked(cells, metric)
        info = self._infos[metric]
        difference = paired(before, after, binary=info.binary)
        if difference and info.high is not None:
            difference = widened(difference, info.high - info.low)
        return Contrast(metric, info.direction, self.estimate(before, metric), self.estimate(after, metric), difference)

    @property
    def known(self) -> frozenset[str]:
        """Metrics that are registered; a run may hold values of others."""
        return frozenset(self._infos)

    def direction(self, metric: str) -> Direction:
        """What a higher value of a metric means."""
        direction: Direction = self._infos[metric].direction
        return direction

    def summary(self, metric: str) -> str:
        """What a metric is, in a sentence."""
        return str(self._infos[metric].summary)


def corrected(contrasts: Sequence[Contrast]) -> list[Contrast]:
    """Correct contrasts as one family (Holm)."""
    found = holm([c.difference for c in contrasts if c.difference is not None])
    differences = iter(found)
    return [replace(c, difference=next(differences)) if c.difference is not None else c for c in contrasts]


def mean_of(values: Sequence[Measurement]) -> float | None:
    """The mean of the scored values, None if there is none."""
    if len(values) == 1:  # nearly always
        return values[0].value if isinstance(values[0], Score) else None
    scored = [v.value for v in values if isinstance(v, Score)]
    return sum(scored) / len(scored) if scored else None


def _cluster(values: Sequence[Measurement]) -> Measurement:
    mean = mean_of(values)
    return Score(mean) if mean is not None else next((v for v in values if v is not None), None)


def _joined(parts: Sequence[ByCase]) -> ByCase:
    if len(parts) == 1:
        return parts[0]
    joined: dict[str, list[Measurement]] = {}
    for part in parts:
        for case, values in part.items():
            joined.setdefault(case, []).extend(values)
    return joined
