"""Invented cases for benchmarks of the engine, and a progress that says nothing."""

from __future__ import annotations

from saferag.data import Dataset
from saferag.models.traffic import BackoffEvent
from saferag.types import AttackMaterial, AttackText, Case, Fact, Label, Lang, Option, Origin, Passage

TASK = "inter_context_conflict"


class Quiet:
    """Hears everything and says nothing."""

    def start(self, total: int) -> None:
        """So many cases are left to do."""

    def stage(self, text: str) -> None:
        """What is going on now."""

    def advance(self) -> None:
        """A case is done."""

    def back_off(self, event: BackoffEvent) -> None:
        """A request will be sent again."""


def dataset(count: int) -> Dataset:
    """So many English cases about dams, each with a contradicting text."""
    return Dataset("invented", tuple(_case(i) for i in range(count)), sha256=f"invented-{count}")


def _case(i: int) -> Case:
    true, false = f"Dam {i} is {i}2 m high.", f"Dam {i} is {i}9 m high."
    golden = tuple(
        Passage(f"c{i}/g{n}", f"{true} Its part {n} was finished in 19{n:02}.", Origin.GOLDEN) for n in range(1, 5)
    )
    options = (
        Option("o1", true, Label.CORRECT, "f1", value=f"{i}2"),
        Option("o2", false, Label.INCORRECT, "f1", value=f"{i}9", contrast=f"{i}2"),
    )
    material = AttackMaterial((AttackText("a1", false),), options, (f"{i}9",))
    facts = (Fact("f1", true, f"c{i}/g1", f"{i}2"),)
    return Case(f"c{i}", Lang.EN, f"How high is dam {i}?", golden, (), facts, options, {TASK: material})
