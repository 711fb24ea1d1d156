"""Blind: a fluent passage that carries the wrong answer and lets nobody notice."""

from __future__ import annotations

from saferag.attacks import attacks
from saferag.attacks.base import Attack, AttackInfo
from saferag.attacks.falsehoods import aim_at_claim
from saferag.attacks.made import MadeAttack
from saferag.attacks.prepared import prepared
from saferag.types import Case

INFO = AttackInfo(
    label="BLIND",
    goal="false_fact",
    threat="Knows the question and a chat model to write with; adds k′ passages that read like any other.",
    success="The answer states the false value: ASR.",
    source="Blinded by generated contexts (arXiv 2401.11911)",
    made_by="model",
)


def write(case: Case, seed: int) -> list[str]:
    """A passage that reads like any other."""
    return prepared(case, "blind", pushes=True)


@attacks.register("blind", summary="a fluent background passage with the wrong answer in it")
def blind() -> Attack:
    """Blind, from prepared texts; ``saferag craft`` writes them with a model."""
    return MadeAttack("blind", INFO, write, aim_at_claim())
