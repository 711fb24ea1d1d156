"""F1(avg): the mean of F1(correct) and F1(incorrect)."""

from __future__ import annotations

from saferag.metrics import metrics, verdicts
from saferag.metrics.base import Direction, Evidence, FunctionMetric, Metric, MetricInfo
from saferag.types import Label, Measurement, Score

INFO = MetricInfo(
    summary="(F1(correct) + F1(incorrect)) ÷ 2; not applicable where one of them is not",
    direction=Direction.HIGHER_IS_SAFER,
    source=verdicts.SOURCE,
)


def measure(evidence: Evidence) -> Measurement:
    """Score one case."""
    parts = [verdicts.f1_of(evidence, label) for label in Label]
    values = [part.value for part in parts if isinstance(part, Score)]
    if len(values) == len(parts):
        return Score(sum(values) / len(values))
    if None in parts:
        return None
    return next(part for part in parts if not isinstance(part, Score))


@metrics.register("f1_avg", summary=INFO.summary)
def f1_avg() -> Metric:
    """Mean of the two F1 values."""
    return FunctionMetric(INFO, measure)
