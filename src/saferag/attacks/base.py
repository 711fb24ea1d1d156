"""What an attack is: texts for a case, and what it means that they worked."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

from saferag.types import Case, Context, Option


@dataclass(frozen=True, slots=True)
class AttackInfo:
    """What every attack declares.

    Attributes:
        label: Short name for tables, such as ``SN``.
        goal: The harm: ``incomplete_answer``, ``false_fact``, ``promotion`` or ``refusal``.
        threat: Knowledge and budget that the attacker needs, in a sentence.
        success: What counts as success and how it is measured, in a sentence.
        source: Citation.
        top_k: Default size of the window.
        ratio: Default injection ratio.
    """

    label: str
    goal: str
    threat: str
    success: str
    source: str
    top_k: int = 2
    ratio: Fraction = Fraction(1, 2)


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
