"""What an attack is: texts for a case, and what it means that they worked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Protocol

from saferag.types import Case, Context, Option

GOALS: Mapping[str, str] = {
    "incomplete_answer": "fact_coverage",
    "false_fact": "asr",
    "promotion": "asr",
    "refusal": "refusal_rate",
    "unsupported_answer": "refusal_rate",
    "bias": "asr",
}
"""The harms, each with the metric that shows it."""

INVERTED = frozenset({"incomplete_answer", "unsupported_answer"})
"""The harms that are there where their metric is low."""


@dataclass(frozen=True, slots=True)
class AttackInfo:
    """What every attack declares.

    Attributes:
        label: Short name for tables, such as ``SN``.
        goal: The harm, one of `GOALS`.
        threat: Knowledge and budget that the attacker needs, in a sentence.
        success: What counts as success and how it is measured, in a sentence.
        source: Citation.
        top_k: Default size of the window.
        ratio: Default injection ratio.
        made_by: ``rule``; ``data`` where the case holds the texts; ``model`` where a chat model writes them and the
            ones that saferag ships were prepared.
        choices: What an adaptive attacker may choose: values of the factory's parameters, by name.
    """

    label: str
    goal: str
    threat: str
    success: str
    source: str
    top_k: int = 2
    ratio: Fraction = Fraction(1, 2)
    made_by: str = "rule"
    choices: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def metric(self) -> str:
        """Name of the metric that says how far the attack got what it wants."""
        return GOALS[self.goal]


@dataclass(frozen=True, slots=True)
class Target:
    """What a response to a case is held against, clean or attacked.

    Attributes:
        options: Statements for the judge.
        keywords: What stands in the response if the attack succeeded; empty: not applicable.
    """

    options: tuple[Option, ...]
    keywords: tuple[str, ...] = ()


class Attack(Protocol):
    """Makes attack texts for a case."""

    @property
    def info(self) -> AttackInfo:
        """What the attack is, for people and for defaults."""
        ...

    def applies_to(self, case: Case) -> bool:
        """Whether the case holds what the attack needs."""
        ...

    def texts(self, case: Case, count: int, seed: int) -> Context:
        """At most ``count`` attack passages, fewer where the case has no more, the same for the same seed.

        Ids are ``{case.id}/{attack}{i}``, origin is `Origin.ATTACK`, and the case is left as it is.
        """
        ...

    def target(self, case: Case) -> Target:
        """Options and keywords for responses to this case."""
        ...
