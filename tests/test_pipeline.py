"""The pipeline's doors: who sees what."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import pytest

from saferag.errors import ModelError, ServerError
from saferag.injection import InjectionPlan, Stage, poison
from saferag.pipeline import Pipeline
from saferag.types import (
    Answer,
    Case,
    Condition,
    Context,
    Filtered,
    Hit,
    Lang,
    Origin,
    Passage,
    Ranking,
    Removal,
    Trace,
)

GOLD = tuple(Passage(f"c/g{i}", f"golden {i}", Origin.GOLDEN) for i in range(4))
EVIL = tuple(Passage(f"c/a{i}", f"attack {i}", Origin.ATTACK) for i in range(2))
CASE = Case("c", Lang.EN, "what?", GOLD)


@dataclass(frozen=True)
class ListIndex:
    """Finds passages in the order given, attack text first as a good attack would."""

    passages: Context

    def __len__(self) -> int:
        return len(self.passages)

    def overlay(self, passages: Sequence[Passage]) -> ListIndex:
        return ListIndex((*passages, *self.passages))

    def search(self, queries: Sequence[str], top_k: int) -> list[Ranking]:
        return [tuple(Hit(p, -i) for i, p in enumerate(self.passages[:top_k])) for _ in queries]


@dataclass
class Spy:
    """A filter that drops the last passage, and a generator that joins what it sees; both remember what they saw."""

    fail: ModelError | None = None
    seen: dict[str, Context] = field(default_factory=dict)

    async def apply(self, query: str, context: Context) -> Filtered:
        self.seen["filter"] = context
        return Filtered(context[:-1], (Removal(context[-1].id, "last"),))

    async def generate(self, query: str, context: Context) -> Answer:
        self.seen["generator"] = context
        if self.fail:
            raise self.fail
        return Answer(" ".join(p.text for p in context))


async def run(stage: Stage, spy: Spy, attack: Context = EVIL) -> Trace:
    plan = InjectionPlan(stage, Fraction(1, 2), 4)
    index = ListIndex(GOLD)
    if stage is Stage.KNOWLEDGE_BASE and attack:
        pipeline = Pipeline(poison(index, attack), spy, spy)
    else:
        pipeline = Pipeline(index, spy, spy)
    (retrieved,) = pipeline.retrieve([CASE], plan.top_k)
    return await pipeline.answer(CASE, retrieved, attack, plan)


async def test_at_door_1_the_retriever_decides() -> None:
    trace = await run(Stage.KNOWLEDGE_BASE, Spy())

    assert trace.retrieved == (*EVIL, *GOLD[:2])


async def test_at_door_2_the_filter_sees_the_attack() -> None:
    spy = Spy()

    trace = await run(Stage.RETRIEVED_CONTEXT, spy)

    assert spy.seen["filter"] == trace.retrieved == (*EVIL, *GOLD[:2])
    assert spy.seen["generator"] == trace.context == (*EVIL, GOLD[0])


async def test_at_door_3_only_the_generator_sees_the_attack() -> None:
    spy = Spy()

    trace = await run(Stage.FILTERED_CONTEXT, spy)

    assert spy.seen["filter"] == trace.retrieved == GOLD
    assert trace.filtered == GOLD[:3]
    assert spy.seen["generator"] == trace.context == (*EVIL, *GOLD[:2])


@pytest.mark.parametrize("stage", Stage)
async def test_a_clean_run_is_the_same_code_without_texts(stage: Stage) -> None:
    trace = await run(stage, Spy(), attack=())

    assert trace.condition is Condition.CLEAN
    assert (trace.retrieved, trace.context) == (GOLD, GOLD[:3])
    assert trace.removed == (Removal("c/g3", "last"),)


async def test_an_outage_is_a_failure_on_record_and_no_empty_answer() -> None:
    trace = await run(Stage.KNOWLEDGE_BASE, Spy(fail=ServerError("503 from the provider")))

    assert trace.answer is None
    assert trace.failure is not None
    assert (trace.failure.step, trace.failure.kind) == ("generator", "server_error")
    assert trace.context == (*EVIL, GOLD[0])
