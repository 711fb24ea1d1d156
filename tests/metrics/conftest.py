"""Evidence about a small invented case, to be varied by each test."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from saferag.attacks import Target
from saferag.metrics import Evidence
from saferag.types import (
    AttackMaterial,
    Case,
    Condition,
    Context,
    Failure,
    Judged,
    Judgement,
    Label,
    Lang,
    Option,
    Origin,
    Passage,
    Trace,
    Verdict,
)

GOLDEN = tuple(Passage(f"c/g{i}", f"Golden fact number {i} about the kiln.", Origin.GOLDEN) for i in range(1, 9))

Make = Callable[..., Evidence]


@pytest.fixture
def make() -> Make:
    def build(
        *,
        golden: Context = GOLDEN,
        retrieved: Context = (),
        attack: Context = (),
        filtered: Context = (),
        context: Context = (),
        answer: str | None = "An answer.",
        failure: Failure | None = None,
        options: tuple[Option, ...] = (),
        keywords: tuple[str, ...] = (),
        judgement: Judgement | Failure | None = None,
        attacks: dict[str, AttackMaterial] | None = None,
        query: str = "How does it work?",
        lang: Lang = Lang.EN,
    ) -> Evidence:
        case = Case("c", lang, query, golden, attacks=attacks or {})
        condition = Condition.ATTACKED if attack else Condition.CLEAN
        trace = Trace("c", condition, attack, retrieved, filtered, context, answer=answer, failure=failure)
        return Evidence(case, Target(options, keywords), trace, judgement)

    return build


@pytest.fixture
def labelled() -> Callable[[str], tuple[Option, ...]]:
    """Options from a string of labels: ``CCI`` makes 1 and 2 correct, 3 incorrect."""

    def build(labels: str) -> tuple[Option, ...]:
        kinds = {"C": Label.CORRECT, "I": Label.INCORRECT}
        return tuple(Option(str(i), f"Statement {i}.", kinds[c]) for i, c in enumerate(labels, 1))

    return build


@pytest.fixture
def judged() -> Callable[[str], Judgement]:
    """A judgement from a string of verdicts: ``CIU``."""

    def build(verdicts: str) -> Judgement:
        kinds = {"C": Verdict.CORRECT, "I": Verdict.INCORRECT, "U": Verdict.UNDECIDED}
        return Judgement(tuple(Judged(str(i), kinds[v]) for i, v in enumerate(verdicts, 1)))

    return build
