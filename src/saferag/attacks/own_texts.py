"""Texts of your own, from a file: ``--attack-texts FILE``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from saferag.attacks import attacks
from saferag.attacks.base import Attack, AttackInfo, Target
from saferag.attacks.ready import as_passages, material, own_target
from saferag.types import Case, Context

NAME = "own_texts"


@dataclass(frozen=True, slots=True)
class OwnTexts:
    """Uses what the file holds for the case."""

    info: ClassVar[AttackInfo] = AttackInfo(
        label="OWN",
        goal="false_fact",
        threat="Whatever the author of the file knew; adds k′ of its texts.",
        success="The answer says the keywords that the file gives: ASR.",
        source="the user's file",
        made_by="data",
    )

    def applies_to(self, case: Case) -> bool:
        """Whether the file holds a text for the case."""
        return bool(material(case, NAME).texts)

    def texts(self, case: Case, count: int, seed: int) -> Context:
        """The first ``count`` texts in the order of the file."""
        return as_passages(case, NAME, [t.text for t in material(case, NAME).texts][: max(count, 0)])

    def target(self, case: Case) -> Target:
        """The file's keywords, and the case's options."""
        return own_target(case, NAME)


@attacks.register(NAME, summary="ready texts of your own: --attack-texts FILE")
def own_texts() -> Attack:
    """Texts of your own."""
    return OwnTexts()
