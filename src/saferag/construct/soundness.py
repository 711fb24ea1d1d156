"""Which of several cases make a dataset that passes the checker, and what is wrong with the others."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from saferag.data.check import check
from saferag.data.dataset import Dataset
from saferag.data.findings import Finding
from saferag.data.oracle import GOLDEN_F1, oracle_scores
from saferag.types import Case


@dataclass(frozen=True, slots=True)
class Soundness:
    """The outcome.

    Attributes:
        sound: Cases that pass together.
        findings: What is wrong with each of the others, by case.
    """

    sound: tuple[Case, ...]
    findings: dict[str, list[Finding]] = field(default_factory=dict)


def settle(cases: Iterable[Case]) -> Soundness:
    """Take out cases with findings until those that are left pass the checker."""
    left = tuple(cases)
    findings: dict[str, list[Finding]] = {}
    while left:
        bad: dict[str, list[Finding]] = {}
        for finding in findings_of(left):
            bad.setdefault(finding.case_id, []).append(finding)
        if not bad:
            break
        findings.update(bad)
        left = tuple(case for case in left if case.id not in bad)
    return Soundness(left, findings)


def findings_of(cases: Iterable[Case]) -> list[Finding]:
    """The checker's findings, each about one case; where a mean is too low, about the case that is lowest."""
    dataset = Dataset("built", tuple(cases))
    found = [finding for finding in check(dataset) if finding.case_id]
    for (lang, attack, source), scores in oracle_scores(dataset).items():
        mean = sum(scores.values()) / len(scores)
        if mean < GOLDEN_F1:
            lowest = min(scores, key=lambda case_id: (scores[case_id], case_id))
            message = f"F1(avg) of its {source} is {scores[lowest]:.2f} and draws the mean under {GOLDEN_F1}"
            found.append(Finding("golden_oracle", lowest, f"{lang} {attack}", message))
    return found
