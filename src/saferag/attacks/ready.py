"""What the attacks with ready texts share: a case's material becomes passages and a target."""

from __future__ import annotations

from collections.abc import Sequence

from saferag.attacks.base import Target
from saferag.types import AttackMaterial, Case, Context, Origin, Passage

_NONE = AttackMaterial()


def material(case: Case, attack: str) -> AttackMaterial:
    """What the case holds for an attack; empty if nothing."""
    return case.attacks.get(attack, _NONE)


def as_passages(case: Case, attack: str, texts: Sequence[str]) -> Context:
    """Attack passages with the ids ``{case}/{attack}1`` and so on."""
    return tuple(Passage(f"{case.id}/{attack}{i}", text, Origin.ATTACK) for i, text in enumerate(texts, 1))


def own_target(case: Case, attack: str) -> Target:
    """The task's options, or the case's own where the task has none, and the task's keywords."""
    own = material(case, attack)
    return Target(own.options or case.options, own.keywords)
