"""Jamming with a document: what it says makes the evidence look as if it did not suffice."""

from __future__ import annotations

from saferag.attacks import attacks
from saferag.attacks.base import Attack, AttackInfo
from saferag.attacks.made import MadeAttack, aim_at_facts
from saferag.attacks.prepared import prepared
from saferag.types import Case

INFO = AttackInfo(
    label="JAM-ID",
    goal="refusal",
    threat="Knows the question and a chat model to write with; adds k′ documents without any order.",
    success="The answer is a refusal: the refusal rate.",
    source="Jamming, insufficient information (arXiv 2406.05870)",
    made_by="model",
)


def write(case: Case, seed: int) -> list[str]:
    """The question in front of a document that casts doubt on what is known."""
    return [f"{case.query} {text}" for text in prepared(case, "jamming_insufficient_document", pushes=False)]


@attacks.register("jamming_insufficient_document", summary="a document that makes the evidence look insufficient")
def jamming_insufficient_document() -> Attack:
    """Jamming with a document, from prepared texts; ``saferag craft`` writes them with a model."""
    return MadeAttack("jamming_insufficient_document", INFO, write, aim_at_facts)
