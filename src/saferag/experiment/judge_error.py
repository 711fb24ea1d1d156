"""A run's estimates with the judge's measured error in their intervals.

What people would have said about every option of the run is drawn from what they said about the labelled ones, given
the judge's verdict and the option's label; F1 is computed from each draw. Every draw first resamples the labelled
answers and the cases, so that the interval holds the uncertainty of both (multiple imputation; Rubin 1987). For a
single share the same is done in closed form by `rogan_gladen`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from saferag.attacks import attacks
from saferag.experiment.agreement import ORDER, Pair, Share
from saferag.experiment.results import expected_cases
from saferag.experiment.store import Store
from saferag.types import Judgement, Label

DRAWS = 500
_LABELS = (Label.CORRECT, Label.INCORRECT)
_LEVELS = (0.025, 0.975)
_PRIOR = 1 / 9  # of each verdict, a third of an option in all, so that what was never seen is not impossible


@dataclass(frozen=True, slots=True)
class Carried:
    """An estimate of one arm, as the judge has it and with his error.

    Attributes:
        arm: The arm's settings.
        metric: ``f1_correct`` or ``f1_incorrect``.
        judged: The mean by the judge's verdicts.
        value, low, high: With the judge's error.
        cases: Cases of the arm.
        labelled: Labelled answers that the error was measured on.
    """

    arm: Mapping[str, object]
    metric: str
    judged: float
    value: float
    low: float
    high: float
    cases: int
    labelled: int


def rogan_gladen(observed: float, sensitivity: float, specificity: float) -> float | None:
    """The share that a judge of this sensitivity and specificity would have to be shown to observe this one.

    (observed + specificity − 1) ÷ (sensitivity + specificity − 1), kept within 0 and 1 (Rogan and Gladen 1978).
    None where the judge is no better than chance.
    """
    power = sensitivity + specificity - 1
    return None if power <= 0 else min(1.0, max(0.0, (observed + specificity - 1) / power))


def corrected_share(observed: Share, sensitivity: Share, specificity: Share, seed: int = 0) -> Share:
    """`rogan_gladen` with an interval: each of the three is drawn from a beta distribution (Jeffreys prior).

    Counts of independent things; for clustered ones the interval is too narrow.
    """
    values = (observed.value, sensitivity.value, specificity.value)
    if None in values:
        return Share(None, None, None, 0, 0)
    point = rogan_gladen(*(v for v in values if v is not None))
    rng = np.random.default_rng(seed)
    drawn = [
        rng.beta(0.5 + (v or 0) * s.n, 0.5 + (1 - (v or 0)) * s.n, 4 * DRAWS)
        for v, s in zip(values, (observed, sensitivity, specificity), strict=True)
    ]
    known = [found for row in zip(*drawn, strict=True) if (found := rogan_gladen(*map(float, row))) is not None]
    if point is None or not known:
        return Share(None, None, None, observed.n, observed.clusters)
    low, high = map(float, np.quantile(known, _LEVELS))
    return Share(point, min(low, point), max(high, point), observed.n, observed.clusters)


def carried(store: Store, pairs: Mapping[tuple[str, str], Sequence[Pair]], seed: int = 0) -> Iterator[Carried]:
    """Every arm whose task and judge have labelled answers, with the judge's error.

    Args:
        store: The run.
        pairs: From `saferag.experiment.agreement.judge_pairs`.
        seed: Of the draws.
    """
    for arm_id, arm in store.settings["arms"].items():
        labelled = pairs.get((arm["task"], arm["judge"]))
        cases = _cases(store, arm_id, arm)
        if not labelled or not cases:
            continue
        tables = _tables(labelled)
        rng = np.random.default_rng(seed)
        draws = np.array([_draw(cases, tables, rng) for _ in range(DRAWS)])
        for place, name in enumerate(("f1_correct", "f1_incorrect")):
            judged = _mean([_f1(case, case.judged, place) for case in cases])
            known = draws[:, place][~np.isnan(draws[:, place])]
            if judged is not None and len(known):
                low, high = map(float, np.quantile(known, _LEVELS))
                mean, settings = float(known.mean()), {"id": arm_id, **arm}
                yield Carried(settings, name, judged, mean, low, high, len(cases), len(tables))


@dataclass(frozen=True, slots=True)
class _Case:
    """Labels and the judge's verdicts of a case's options, as numbers."""

    labels: np.ndarray
    judged: np.ndarray


def _cases(store: Store, arm_id: str, arm: Mapping[str, object]) -> list[_Case]:
    attack = attacks.build(str(arm["task"]))
    found = []
    for case_id in expected_cases(store, arm):
        record = store.records.get((arm_id, case_id))
        if record is None or not isinstance(record.judgement, Judgement):
            continue
        labels = {o.id: _LABELS.index(o.label) for o in attack.target(store.cases[case_id]).options}
        verdicts = [
            (labels[j.option_id], ORDER.index(j.verdict)) for j in record.judgement.verdicts if j.option_id in labels
        ]
        if verdicts:
            found.append(_Case(np.array([a for a, _ in verdicts]), np.array([b for _, b in verdicts])))
    return found


def _tables(pairs: Sequence[Pair]) -> np.ndarray:
    """For each labelled answer: options by label, verdict of the judge, and verdict of a person."""
    found: dict[str, np.ndarray] = {}
    for pair in pairs:
        counts = found.setdefault(pair.item.id, np.zeros((2, 3, 3)))
        for option in pair.item.options:
            if option.id in pair.one and option.id in pair.other:
                place = (
                    _LABELS.index(option.label),
                    ORDER.index(pair.one[option.id]),
                    ORDER.index(pair.other[option.id]),
                )
                counts[place] += 1
    return np.array(list(found.values()))


def _draw(cases: Sequence[_Case], tables: np.ndarray, rng: np.random.Generator) -> tuple[float, float]:
    """Mean F1(correct) and F1(incorrect) of one draw of labelled answers, cases and verdicts."""
    counts = tables[rng.integers(0, len(tables), len(tables))].sum(0) + _PRIOR
    below = np.cumsum(counts / counts.sum(2, keepdims=True), axis=2)
    sums: list[list[float | None]] = [[], []]
    for i in rng.integers(0, len(cases), len(cases)):
        case = cases[i]
        verdicts = (rng.random(len(case.judged))[:, None] > below[case.labels, case.judged]).sum(1).clip(max=2)
        for place in (0, 1):
            sums[place].append(_f1(case, verdicts, place))
    first, second = (_mean(values) for values in sums)
    return np.nan if first is None else first, np.nan if second is None else second


def _f1(case: _Case, verdicts: np.ndarray, place: int) -> float | None:
    """F1 of one label; None where no option has it."""
    wanted = case.labels == place
    if not wanted.any():
        return None
    found = verdicts == place
    return float(2 * (found & wanted).sum() / (found.sum() + wanted.sum()))


def _mean(values: Sequence[float | None]) -> float | None:
    known = [v for v in values if v is not None]
    return sum(known) / len(known) if known else None
