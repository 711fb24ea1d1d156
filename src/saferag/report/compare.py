"""Two runs of the same questions: what changed from the first to the second, what became worse first."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from saferag.experiment.comparison import Difference, holm, paired, widened
from saferag.experiment.results import KEYS, metric_infos
from saferag.experiment.store import Store
from saferag.metrics import Direction
from saferag.report.values import LEVEL, CellArms, Values

_NO_HARM = ("attack_share", "survival_kb")  # they say what was put in, not what became of it


@dataclass(frozen=True, slots=True)
class Change:
    """One metric of one setting, second run minus first, paired by case.

    Attributes:
        cell: The setting by public name, without what the two runs differ in.
        condition: ``clean`` or ``attacked``.
        metric, direction: Of what.
        difference: Its ``p_holm`` is corrected for all changes in this metric.
    """

    cell: dict[str, Any]
    condition: str
    metric: str
    direction: Direction
    difference: Difference

    @property
    def harm(self) -> float:
        """The difference turned so that more is worse; 0 where there is none, or no direction."""
        value = self.difference.value or 0.0
        if self.direction is Direction.NEUTRAL:
            return 0.0
        return value if self.direction is Direction.LOWER_IS_SAFER else -value

    @property
    def holds(self) -> bool:
        """Whether the difference is there after correction, at the 5 % level."""
        return self.difference.p_holm is not None and self.difference.p_holm < LEVEL


@dataclass(frozen=True, slots=True)
class Comparison:
    """What changed between two runs. Use `compare`.

    Attributes:
        changes: All of them.
        differing: Settings in which the runs differ as a whole: name, first value, second value.
        only_first, only_second: How many settings the other run does not have.
        same_data: Whether both ran over the same data.
    """

    changes: tuple[Change, ...]
    differing: tuple[tuple[str, str, str], ...]
    only_first: int
    only_second: int
    same_data: bool

    @property
    def worse(self) -> list[Change]:
        """What became worse beyond chance, the most harmful first."""
        return sorted((c for c in self.changes if c.holds and c.harm > 0), key=lambda c: (-c.harm, c.metric))

    @property
    def better(self) -> list[Change]:
        """What became better beyond chance, the largest first."""
        return sorted((c for c in self.changes if c.holds and c.harm < 0), key=lambda c: (c.harm, c.metric))

    @property
    def settings(self) -> int:
        """How many settings the runs have in common."""
        return len({tuple(c.cell.items()) for c in self.changes})

    @property
    def metrics(self) -> tuple[str, ...]:
        """What was compared."""
        return tuple(sorted({c.metric for c in self.changes}))


def compare(first: Store, second: Store) -> Comparison:
    """Compare two runs over the settings and cases that they share.

    A setting that has one value throughout each run, and not the same one, is what was changed between them: cells are
    matched without it.
    """
    a, b = Values.of(first), Values.of(second)
    differing = tuple(_differing(a, b))
    keys = tuple(k for k in KEYS if k not in {name for name, _, _ in differing})

    def by_setting(values: Values) -> dict[tuple[Any, ...], CellArms]:
        return {tuple(c.cell[k] for k in keys): c for c in values.cells}

    cells_a, cells_b = by_setting(a), by_setting(b)
    shared = [key for key in cells_a if key in cells_b]
    changes: dict[tuple[Any, ...], Change] = {}
    for key in shared:
        cell = dict(zip(keys, key, strict=True))
        for change in _changes(a, b, cells_a[key], cells_b[key], cell):
            changes.setdefault((*change.cell.values(), change.condition, change.metric), change)
    same = first.settings["data"]["sha256"] == second.settings["data"]["sha256"]
    return Comparison(
        tuple(_corrected(list(changes.values()))),
        differing,
        len(cells_a) - len(shared),
        len(cells_b) - len(shared),
        same,
    )


def _differing(a: Values, b: Values) -> Iterator[tuple[str, str, str]]:
    for key in KEYS:
        one, other = {c.cell[key] for c in a.cells}, {c.cell[key] for c in b.cells}
        if len(one) == 1 and len(other) == 1 and one != other:
            yield key, str(one.pop()), str(other.pop())


def _changes(a: Values, b: Values, one: CellArms, other: CellArms, cell: dict[str, Any]) -> Iterator[Change]:
    infos = metric_infos()
    arms: tuple[tuple[str, Callable[[CellArms], str]], ...] = (
        ("clean", lambda c: c.clean),
        ("attacked", lambda c: c.attacked),
    )
    for condition, arm in arms:
        before, after = a.arm(arm(one), one.cases), b.arm(arm(other), other.cases)
        # Cells that differ in where the attack comes in share their clean run, which is compared once.
        named = {**cell, "stage": "", "ratio": "", "position": ""} if condition == "clean" else cell
        for metric in before:
            if metric not in after or metric not in infos or metric in _NO_HARM:
                continue
            info = infos[metric]
            difference = paired(before[metric], after[metric], binary=info.binary)
            if difference is not None and info.high is not None:
                difference = widened(difference, info.high - info.low)
            if difference is not None and info.direction is not Direction.NEUTRAL:
                yield Change({k: v for k, v in named.items() if v != ""}, condition, metric, info.direction, difference)


def _corrected(changes: Sequence[Change]) -> list[Change]:
    families: dict[str, list[Change]] = {}
    for change in changes:
        families.setdefault(change.metric, []).append(change)
    return [
        replace(change, difference=difference)
        for family in families.values()
        for change, difference in zip(family, holm([c.difference for c in family]), strict=True)
    ]
