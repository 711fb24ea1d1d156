"""What an attack changes: every attacked cell against its clean run, case by case."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from saferag.experiment.comparison import Difference, holm, paired, widened
from saferag.experiment.results import Row, cell_of, expected_cases, metric_infos, rows, values_by_case
from saferag.experiment.settings import cell_arms
from saferag.experiment.store import Store
from saferag.metrics import Direction

LEVEL = 0.05


@dataclass(frozen=True, slots=True)
class Effect:
    """The difference that an attack makes to one metric of one cell.

    Attributes:
        cell: The cell's settings by public name.
        metric: The metric's name.
        direction: What a higher value of it means.
        difference: Attacked minus clean, over the cases that both have; its ``p_holm`` is corrected for all cells of
            the run in this metric.
    """

    cell: dict[str, Any]
    metric: str
    direction: Direction
    difference: Difference

    @property
    def harm(self) -> float | None:
        """The difference with the sign turned so that more is worse; None for metrics without a direction."""
        if self.difference.value is None or self.direction is Direction.NEUTRAL:
            return None
        return self.difference.value if self.direction is Direction.LOWER_IS_SAFER else -self.difference.value

    @property
    def holds(self) -> bool:
        """Whether the difference is there after correction for the family, at the 5 % level."""
        return self.difference.p_holm is not None and self.difference.p_holm < LEVEL


def effects(store: Store) -> list[Effect]:
    """The effect of every cell on every metric that clean and attacked runs share.

    A family, corrected by Holm, is all cells of the run in one metric: whoever reads a column of a table for what
    stands out in it looks at just those comparisons.
    """
    families: dict[str, list[Effect]] = {}
    for effect in _uncorrected(store):
        families.setdefault(effect.metric, []).append(effect)
    return [effect for family in families.values() for effect in correct(family)]


def correct(family: Sequence[Effect]) -> list[Effect]:
    """Correct effects as one family."""
    corrected = holm([effect.difference for effect in family])
    return [replace(effect, difference=d) for effect, d in zip(family, corrected, strict=True)]


def paired_rows(store: Store) -> list[Row]:
    """All rows of a run, the attacked ones with their difference from the clean run."""
    found = {(_key(e.cell), e.metric): e.difference for e in effects(store)}
    return [
        replace(row, difference=found.get((_key(row.cell), row.metric))) if row.condition == "attacked" else row
        for row in rows(store)
    ]


def _uncorrected(store: Store) -> Iterator[Effect]:
    infos = metric_infos()
    for clean, attacked in cell_arms(dict(store.settings)):
        cases = expected_cases(store, attacked)
        before = values_by_case(store, clean["id"], cases)
        after = values_by_case(store, attacked["id"], cases)
        for metric, values in after.items():
            if metric not in infos or metric not in before:
                continue
            difference = paired(before[metric], values, binary=infos[metric].binary)
            if difference is not None:
                high = infos[metric].high
                difference = difference if high is None else widened(difference, high - infos[metric].low)
                yield Effect(cell_of(attacked), metric, infos[metric].direction, difference)


def _key(cell: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(cell.values())
