"""What a pipeline took: model calls, tokens and time, from its records."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from saferag.experiment.results import repeats_of
from saferag.experiment.store import Store
from saferag.report.values import CellArms
from saferag.types import Judgement, Usage


@dataclass(frozen=True, slots=True)
class Cost:
    """What some arms took.

    Attributes:
        records: Cases of arms.
        pipeline: Use of models by filter and generator.
        judge: Use of models by the judge.
        seconds: Time per record, without waiting for a free slot of a model.
    """

    records: int
    pipeline: Usage
    judge: Usage
    seconds: float


def costs(store: Store, cells: Sequence[CellArms]) -> Cost:
    """What the arms of some cells took; an arm that cells share counts once."""
    pipeline, judge, seconds, count = Usage(), Usage(), 0.0, 0
    arms = dict.fromkeys((arm, c.cases) for c in cells for arm in (c.clean, c.attacked))
    for arm, cases in arms:
        for repeat in repeats_of(store, arm):
            for case in cases:
                record = store.records.get((repeat, case))
                if record is None:
                    continue
                count += 1
                seconds += record.seconds
                if record.trace.usage.calls:
                    pipeline += record.trace.usage
                if isinstance(record.judgement, Judgement) and record.judgement.usage.calls:
                    judge += record.judgement.usage
    return Cost(count, pipeline, judge, seconds / count if count else 0.0)
