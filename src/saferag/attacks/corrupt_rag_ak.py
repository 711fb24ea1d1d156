"""CorruptRAG-AK: the text of CorruptRAG-AS, rewritten so that it reads like knowledge."""

from __future__ import annotations

from saferag.attacks import attacks
from saferag.attacks.base import Attack, AttackInfo
from saferag.attacks.falsehoods import aim_at_claim
from saferag.attacks.made import MadeAttack
from saferag.attacks.prepared import prepared
from saferag.types import Case

INFO = AttackInfo(
    label="CR-AK",
    goal="false_fact",
    threat="Knows the question, one true fact and a chat model to write with; adds a single text.",
    success="The answer states the false value: ASR.",
    source="CorruptRAG-AK (arXiv 2504.03957)",
    made_by="model",
)


def write(case: Case, seed: int) -> list[str]:
    """The question in front of a fluent correction of the truth."""
    return [f"{case.query} {text}" for text in prepared(case, "corrupt_rag_ak", pushes=True)]


@attacks.register("corrupt_rag_ak", summary="calls the truth outdated, in fluent prose")
def corrupt_rag_ak() -> Attack:
    """CorruptRAG-AK, from prepared texts; ``saferag craft`` writes them with a model."""
    return MadeAttack("corrupt_rag_ak", INFO, write, aim_at_claim())
