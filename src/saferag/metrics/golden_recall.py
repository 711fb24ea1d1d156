"""Golden recall: how much of the evidence is in the retrieved window."""

from __future__ import annotations

from saferag.metrics import metrics, window
from saferag.metrics.base import Direction, Evidence, FunctionMetric, Metric, MetricInfo
from saferag.types import Measurement, Score

INFO = MetricInfo(
    summary="golden passages in the retrieved context ÷ golden passages of the case",
    direction=Direction.HIGHER_IS_SAFER,
    source=window.SOURCE,
)


def measure(evidence: Evidence) -> Measurement:
    """Score one case; not applicable without golden passages."""
    recall = window.golden_recall(evidence)
    return None if recall is None else Score(recall)


@metrics.register("golden_recall", summary=INFO.summary)
def golden_recall() -> Metric:
    """Golden recall."""
    return FunctionMetric(INFO, measure)
