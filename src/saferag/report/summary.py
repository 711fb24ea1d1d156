"""Everything that a report shows, computed from the records of a run, without a word of any language."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from saferag.experiment.estimates import Estimate
from saferag.experiment.ranks import matched, rank
from saferag.experiment.results import coverage
from saferag.experiment.store import Store
from saferag.metrics import Direction
from saferag.report.cases import headline_metric, observe, picks
from saferag.report.cost import costs
from saferag.report.declared import default_dose
from saferag.report.model import (
    FACTORS,
    PIPELINE,
    STAGES,
    STEPS,
    Axis,
    Curve,
    Door,
    Panel,
    Pipeline,
    Ranking,
    Summary,
    Unscored,
)
from saferag.report.values import CellArms, Contrast, Values, corrected, mean_of
from saferag.types import Score
from saferag.types import Unscored as Missing


def summarise(store: Store) -> Summary:
    """Compute everything that a report shows."""
    values = Values.of(store)
    cells = values.cells
    tasks = tuple(dict.fromkeys(c.cell["task"] for c in cells))
    found = {c.cell["stage"] for c in cells}
    metric = {task: headline_metric(values, task, cells) for task in tasks}
    reference = _reference(cells)
    observations = observe(values, reference, metric)
    return Summary(
        store=store,
        values=values,
        tasks=tasks,
        stages=tuple(s for s in STAGES if s in found),
        metric=metric,
        doors=_doors(values, reference, metric),
        curves=tuple(_curves(values, metric)),
        panels=tuple(_panels(values, reference)),
        rankings=tuple(_rankings(values, metric, reference)),
        pipelines=tuple(_pipelines(values, reference, metric)),
        coverage=coverage(store),
        unscored=tuple(_unscored(values)),
        observations=tuple(observations),
        picks=tuple(picks(observations)),
    )


def _reference(cells: Sequence[CellArms]) -> list[CellArms]:
    """The cells at one injection ratio per task: the attack's own, or the middle one of the run's others.

    Doors and components are compared at one dose; what the dose does is for the curves.
    """
    chosen: list[CellArms] = []
    for task in dict.fromkeys(c.cell["task"] for c in cells):
        own = [c for c in cells if c.cell["task"] == task]
        ratios = sorted({c.cell["ratio"] for c in own})
        positive = [r for r in ratios if r > 0] or ratios
        default = default_dose(task)
        ratio = default[0] if default and default[0] in positive else positive[len(positive) // 2]
        chosen += [c for c in own if c.cell["ratio"] == ratio]
    return chosen


def _doors(values: Values, cells: Sequence[CellArms], metric: dict[str, str]) -> dict[tuple[str, str], Door]:
    groups: dict[tuple[str, str], list[CellArms]] = {}
    for task in metric:
        for stage in STAGES:
            own = [c for c in cells if c.cell["task"] == task and c.cell["stage"] == stage]
            if own:
                groups[task, stage] = own
    contrasts = corrected([values.contrast(own, metric[task]) for (task, _), own in groups.items()])
    return {
        key: Door(
            *key,
            contrast,
            tuple(values.estimate(values.attacked(own, step), step) for step in STEPS),
            tuple(sorted({c.cell["ratio"] for c in own})),
            values.estimate(values.control(own, metric[key[0]]), metric[key[0]]),
        )
        for (key, own), contrast in zip(groups.items(), contrasts, strict=True)
    }


def _curves(values: Values, metric: dict[str, str]) -> list[Curve]:
    """Per task and metric one curve for each stage, and one for each value of every setting that varies."""
    curves: list[Curve] = []
    for task, headline in metric.items():
        own = [c for c in values.cells if c.cell["task"] == task]
        if len({c.cell["ratio"] for c in own}) < 2:
            continue
        for factor in ("stage", *FACTORS):
            names = tuple(dict.fromkeys(c.cell[factor] for c in own))
            if factor != "stage" and len(names) < 2:
                continue
            for name in dict.fromkeys((headline, "ra_share")):
                for value in names:
                    points = _points(values, [c for c in own if c.cell[factor] == value], name)
                    if len(points) > 1:
                        curves.append(Curve(task, name, factor, value, points))
    return curves


def _points(values: Values, cells: Sequence[CellArms], metric: str) -> tuple[tuple[float, Estimate], ...]:
    clean = values.estimate(values.clean(cells, metric), metric)
    points = [(0.0, clean)] if clean else []
    for ratio in sorted({c.cell["ratio"] for c in cells} - {0.0}):
        found = values.estimate(values.attacked([c for c in cells if c.cell["ratio"] == ratio], metric), metric)
        if found:
            points.append((ratio, found))
    return tuple((ratio, e) for ratio, e in points if e.value is not None)


def _panels(values: Values, cells: Sequence[CellArms]) -> list[Panel]:
    panels: list[Panel] = []
    for factor in ("stage", "retriever", "filter", "generator"):
        names = tuple(dict.fromkeys(c.cell[factor] for c in cells))
        if factor == "stage":
            names = tuple(s for s in STAGES if s in names)
        if factor != "stage" and len(names) < 2:
            continue
        for value in names:
            axes = tuple(_axes(values, [c for c in cells if c.cell[factor] == value]))
            if axes:
                panels.append(Panel(factor, value, axes))
    return panels


def _axes(values: Values, cells: Sequence[CellArms]) -> list[Axis]:
    axes: list[Axis] = []
    for task in dict.fromkeys(c.cell["task"] for c in cells):
        own = [c for c in cells if c.cell["task"] == task]
        for metric in ("f1_avg", "afr"):
            before = values.estimate(values.clean(own, metric), metric)
            after = values.estimate(values.attacked(own, metric), metric)
            if before and after and before.value is not None and after.value is not None:
                axes.append(Axis(task, metric, before, after))
    return axes


def _rankings(values: Values, metric: dict[str, str], cells: Sequence[CellArms]) -> list[Ranking]:
    found: list[Ranking] = []
    for factor in ("retriever", "filter", "generator"):
        if len({c.cell[factor] for c in cells}) < 2:
            continue
        for task, name in metric.items():
            own = [c for c in cells if c.cell["task"] == task]
            order = rank(_by_component(values, own, factor, name), higher_is_safer=_higher_is_safer(values, name))
            if order:
                found.append(Ranking(factor, task, name, tuple(order)))
    return found


def _by_component(values: Values, cells: Sequence[CellArms], factor: str, metric: str) -> dict[str, dict[str, float]]:
    """As `saferag.experiment.ranks.ranks` does, from values that are read already."""
    found: dict[str, dict[tuple[Any, ...], dict[str, float]]] = {}
    for c in cells:
        rest = tuple(value for key, value in c.cell.items() if key != factor)
        scored = {case: mean_of(v) for case, v in values.attacked([c], metric).items()}
        means = {case: mean for case, mean in scored.items() if mean is not None}
        found.setdefault(str(c.cell[factor]), {})[rest] = means
    return matched(found)


def _higher_is_safer(values: Values, metric: str) -> bool:
    return values.direction(metric) is not Direction.LOWER_IS_SAFER


def _pipelines(values: Values, cells: Sequence[CellArms], metric: dict[str, str]) -> list[Pipeline]:
    groups: dict[tuple[str, ...], list[CellArms]] = {}
    for c in cells:
        groups.setdefault(tuple(c.cell[k] for k in PIPELINE), []).append(c)
    found: list[Pipeline] = []
    for names, own in groups.items():
        utility: dict[str, Estimate] = {}
        for name in ("f1_avg", "fact_coverage", "golden_recall", "refusal_rate"):
            estimate = values.estimate(values.clean(own, name), name)
            if estimate and estimate.value is not None:
                utility[name] = estimate
        security: dict[str, Contrast] = {}
        for task, name in metric.items():
            of_task = [c for c in own if c.cell["task"] == task]
            if of_task:
                security[task] = values.contrast(of_task, name)
        found.append(Pipeline(names, utility, security, costs(values.store, own)))
    flat = corrected([c for p in found for c in p.security.values()])
    results = iter(flat)
    return [Pipeline(p.names, p.utility, {task: next(results) for task in p.security}, p.cost) for p in found]


def _unscored(values: Values) -> list[Unscored]:
    totals: dict[str, list[int]] = {}
    reasons: dict[str, dict[str, int]] = {}
    arms = {arm: c for c in values.cells for arm in (c.clean, c.attacked)}
    for arm, c in arms.items():
        for metric, by_case in values.arm(arm, c.cases).items():
            count = totals.setdefault(metric, [0, 0])
            for found in by_case.values():
                for value in found:
                    count[1] += isinstance(value, Score | Missing)
                    if isinstance(value, Missing):
                        count[0] += 1
                        own = reasons.setdefault(metric, {})
                        own[value.reason] = own.get(value.reason, 0) + 1
    return [
        Unscored(metric, missing, total, tuple(sorted(reasons[metric].items(), key=lambda r: (-r[1], r[0]))[:5]))
        for metric, (missing, total) in totals.items()
        if missing
    ]


def settings_of(cells: Sequence[CellArms], key: str) -> tuple[Any, ...]:
    """The values of a setting, in the order of the run."""
    return tuple(dict.fromkeys(c.cell[key] for c in cells))
