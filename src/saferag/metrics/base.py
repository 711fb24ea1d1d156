"""What a metric is: a declared, per-case measurement. Aggregation is another step (`saferag.experiment.estimates`)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from saferag.attacks.base import Target
from saferag.types import Case, Failure, Judgement, Measurement, Trace, Unscored


class Direction(StrEnum):
    """What a higher value means for the defender."""

    HIGHER_IS_SAFER = "higher_is_safer"
    LOWER_IS_SAFER = "lower_is_safer"
    NEUTRAL = "neutral"


@dataclass(frozen=True, slots=True)
class MetricInfo:
    """What every metric declares.

    Attributes:
        summary: One sentence that states the denominator.
        direction: What a higher value means.
        low, high: The range; ``high`` is None where there is no bound.
        source: Citation of the formula.
        binary: Whether each case scores 0 or 1, so that the mean is a proportion.
    """

    summary: str
    direction: Direction
    low: float = 0.0
    high: float | None = 1.0
    source: str = ""
    binary: bool = False


@dataclass(frozen=True, slots=True)
class Evidence:
    """Everything that a metric may read about one case under one condition.

    Attributes:
        case: The case with its golden passages.
        target: Options (with labels) and keywords.
        trace: What happened.
        judgement: The judge's verdicts, or the failure of the judge, or None where nothing was to be judged.
    """

    case: Case
    target: Target
    trace: Trace
    judgement: Judgement | Failure | None = None


class Metric(Protocol):
    """Measures one case."""

    @property
    def info(self) -> MetricInfo:
        """What the metric is."""
        ...

    def measure(self, evidence: Evidence) -> Measurement:
        """A score, or why there is none, or None where the metric is not applicable to the case."""
        ...


@dataclass(frozen=True, slots=True)
class FunctionMetric:
    """A metric made of its declaration and a function, which is all that most metrics need."""

    info: MetricInfo
    measure: Callable[[Evidence], Measurement]


def response_of(evidence: Evidence) -> str | Unscored:
    """The response, or why there is none: a failed step never counts as an empty answer."""
    failure = evidence.trace.failure
    if failure is not None:
        return unscored(failure)
    if evidence.trace.answer is None:
        return Unscored("no response")
    return evidence.trace.answer


def unscored(failure: Failure) -> Unscored:
    """A failed step as the reason why there is no score."""
    return Unscored(f"{failure.step}: {failure.kind}")
