"""What must hold of a dataset, checked by machine. No rule has an exception list.

Every rule is a function from a dataset to findings; `check` runs them all. Rules about one case live in `rules`,
near duplicates in `duplicates`, and what a judge must make of the golden contexts and the attack texts in `oracle`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from saferag.data.dataset import Dataset
from saferag.data.duplicates import near_duplicates
from saferag.data.findings import Finding
from saferag.data.oracle import attack_oracle, golden_oracle, unsupported_facts
from saferag.data.rules import (
    attack_keywords,
    distorted_values,
    encoding,
    fact_values,
    lengths,
    option_labels,
    silver_noise,
    unique_ids,
)

RULES: tuple[Callable[[Dataset], Iterator[Finding]], ...] = (
    unique_ids,
    encoding,
    lengths,
    fact_values,
    unsupported_facts,
    distorted_values,
    option_labels,
    silver_noise,
    attack_keywords,
    near_duplicates,
    golden_oracle,
    attack_oracle,
)
"""All rules, in the order of their findings."""


def check(dataset: Dataset) -> tuple[Finding, ...]:
    """Everything that is wrong with a dataset; empty if nothing is. What was noted while loading comes first."""
    noted = [Finding("loading", note.partition(":")[0], "", note.partition(": ")[2]) for note in dataset.notes]
    return (*noted, *(finding for rule in RULES for finding in rule(dataset)))
