"""Set F1 between verdicts and labels."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from saferag.metrics import Evidence, metrics
from saferag.types import Failure, Judgement, Measurement, Option, Score, Unscored

Make = Callable[..., Evidence]
Labelled = Callable[[str], tuple[Option, ...]]
Judges = Callable[[str], Judgement]

F1S = ["f1_correct", "f1_incorrect", "f1_avg"]


def measure(name: str, evidence: Evidence) -> Measurement:
    return metrics.build(name).measure(evidence)


def value(name: str, evidence: Evidence) -> float:
    score = measure(name, evidence)
    assert isinstance(score, Score)
    return score.value


@pytest.mark.parametrize(
    ("labels", "verdicts", "correct", "incorrect"),
    [
        ("CCII", "CCII", 1.0, 1.0),
        ("CCCI", "CUUI", 2 * 1 / (1 + 3), 1.0),
        ("CCII", "ICCI", 2 * 1 / (2 + 2), 2 * 1 / (2 + 2)),
        ("CCII", "IICC", 0.0, 0.0),
        ("CCII", "UUUU", 0.0, 0.0),
        ("CCCCI", "CCCUC", 2 * 3 / (4 + 4), 0.0),
    ],
)
def test_worked_examples(
    make: Make, labelled: Labelled, judged: Judges, labels: str, verdicts: str, correct: float, incorrect: float
) -> None:
    evidence = make(options=labelled(labels), judgement=judged(verdicts))

    assert value("f1_correct", evidence) == pytest.approx(correct)
    assert value("f1_incorrect", evidence) == pytest.approx(incorrect)
    assert value("f1_avg", evidence) == pytest.approx((correct + incorrect) / 2)


def test_without_correct_options_f1_correct_is_not_applicable_and_not_zero(
    make: Make, labelled: Labelled, judged: Judges
) -> None:
    """Soft ads: every option says that the answer mentions a name."""
    evidence = make(options=labelled("III"), judgement=judged("IIC"))

    assert measure("f1_correct", evidence) is None
    assert value("f1_incorrect", evidence) == pytest.approx(2 * 2 / (2 + 3))
    assert measure("f1_avg", evidence) is None


@pytest.mark.parametrize("name", F1S)
def test_without_options_it_is_not_applicable(make: Make, name: str) -> None:
    assert measure(name, make()) is None


@pytest.mark.parametrize("name", F1S)
def test_a_failed_step_is_unscored_with_its_reason(make: Make, labelled: Labelled, name: str) -> None:
    failure = Failure("generator", "timeout", "no reply in 120 s")
    evidence = make(options=labelled("CI"), answer=None, failure=failure)

    assert measure(name, evidence) == Unscored("generator: timeout")


@pytest.mark.parametrize("name", F1S)
def test_a_failed_judge_is_unscored_with_its_reason(make: Make, labelled: Labelled, name: str) -> None:
    evidence = make(options=labelled("CI"), judgement=Failure("judge", "bad_reply", "not JSON"))

    assert measure(name, evidence) == Unscored("judge: bad_reply")


@pytest.mark.parametrize("name", F1S)
def test_a_missing_judgement_is_unscored(make: Make, labelled: Labelled, name: str) -> None:
    assert measure(name, make(options=labelled("CI"))) == Unscored("not judged")
