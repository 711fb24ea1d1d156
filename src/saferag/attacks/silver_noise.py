"""Silver noise: honest-looking passages that all repeat one part of the answer and crowd out the rest."""

from __future__ import annotations

import random
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from saferag.attacks import attacks
from saferag.attacks.base import Attack, AttackInfo, Target
from saferag.attacks.ready import as_passages, material, own_target
from saferag.types import Case, Context

NAME = "silver_noise"


@dataclass(frozen=True, slots=True)
class SilverNoise:
    """Uses the case's silver-noise passages, in their order or drawn by seed."""

    draw: bool = False

    info: ClassVar[AttackInfo] = AttackInfo(
        label="SN",
        goal="incomplete_answer",
        threat="Knows the question and one true fact of the answer; adds k′ passages and sees no model.",
        success="The answer covers fewer of the case's facts: F1(correct) and fact coverage fall.",
        source="SafeRAG (arXiv 2501.18636)",
        made_by="data",
        top_k=6,
        ratio=Fraction(3, 6),
    )

    def applies_to(self, case: Case) -> bool:
        """Whether the case has silver-noise passages."""
        return bool(material(case, NAME).texts)

    def texts(self, case: Case, count: int, seed: int) -> Context:
        """The first ``count`` passages, or as many drawn by the seed."""
        ready = [t.text for t in material(case, NAME).texts]
        if self.draw:
            random.Random(f"{seed}:{case.id}").shuffle(ready)  # noqa: S311 - reproducible, not secret
        return as_passages(case, NAME, ready[: max(count, 0)])

    def target(self, case: Case) -> Target:
        """The case's fact options. There are no keywords: nothing false is said."""
        return own_target(case, NAME)


@attacks.register(NAME, summary="passages that repeat one true fact and crowd out the others")
def silver_noise(*, draw: bool = False) -> Attack:
    """Silver noise.

    Args:
        draw: Draw the passages by seed instead of taking them in order.
    """
    return SilverNoise(draw)
