"""AuthChain: one document with a chain of evidence for the wrong answer and an authority behind it."""

from __future__ import annotations

from saferag.attacks import attacks
from saferag.attacks.base import Attack, AttackInfo
from saferag.attacks.falsehoods import aim_at_claim
from saferag.attacks.made import MadeAttack
from saferag.attacks.prepared import prepared
from saferag.types import Case

INFO = AttackInfo(
    label="AUTH",
    goal="false_fact",
    threat="Knows the question and a chat model to write with; adds a single document.",
    success="The answer states the false value: ASR.",
    source="AuthChain (arXiv 2505.11548)",
    made_by="model",
)


def write(case: Case, seed: int) -> list[str]:
    """A document whose evidence leads to the wrong answer."""
    return prepared(case, "auth_chain", pushes=True)


@attacks.register("auth_chain", summary="a chain of evidence and an authority for a wrong answer")
def auth_chain() -> Attack:
    """AuthChain, from prepared texts; ``saferag craft`` writes them with a model."""
    return MadeAttack("auth_chain", INFO, write, aim_at_claim())
