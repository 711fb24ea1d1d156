"""Names for several attacks at once, as ``--attack`` takes them."""

from __future__ import annotations

from saferag.attacks import attacks
from saferag.attacks.base import GOALS

PAPER = ("silver_noise", "inter_context_conflict", "soft_ad", "white_dos")
"""The four of SafeRAG."""

APART = ("own_texts",)
"""In no group: there is nothing of it without a file."""


def groups() -> dict[str, tuple[str, ...]]:
    """Every group with its attacks: ``paper``, ``field`` (the others), ``all``, and one for each goal."""
    rest = tuple(name for name in attacks.names() if name not in (*PAPER, *APART))
    everything = (*PAPER, *rest)
    goals = {name: attacks.build(name).info.goal for name in everything}
    by_goal = {goal: tuple(name for name in everything if goals[name] == goal) for goal in GOALS}
    return {"paper": PAPER, "field": rest, "all": everything, **{k: v for k, v in by_goal.items() if v}}
