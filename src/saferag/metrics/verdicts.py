"""Set F1 between a judge's verdicts and the labels: shared by the F1 metrics."""

from __future__ import annotations

from collections.abc import Set

from saferag.metrics.base import Evidence, response_of, unscored
from saferag.types import Failure, Label, Measurement, Score, Unscored, Verdict

SOURCE = "SafeRAG (arXiv 2501.18636), F1 variant"


def f1(found: Set[str], wanted: Set[str]) -> float:
    """Twice the common elements ÷ the sizes of both sets; 1 if both are empty."""
    total = len(found) + len(wanted)
    return 2 * len(found & wanted) / total if total else 1.0


def f1_of(evidence: Evidence, label: Label) -> Measurement:
    """F1 of one label.

    Returns:
        None where no option has the label; `Unscored` where there is no response or no judgement of it.
    """
    wanted = {o.id for o in evidence.target.options if o.label is label}
    if not wanted:
        return None
    response = response_of(evidence)
    if isinstance(response, Unscored):
        return response
    judgement = evidence.judgement
    if isinstance(judgement, Failure):
        return unscored(judgement)
    if judgement is None:
        return Unscored("not judged")
    return Score(f1(judgement.ids(Verdict(label.value)), wanted))
