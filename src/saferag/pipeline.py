"""The pipeline and its three doors, on one page.

    corpus ──(door 1: poison)──> index ──search──> ranking ──(door 2: inject)──> retrieved context
           ──filter──> filtered context ──(door 3: inject)──> context ──generate──> answer

The clean run is the same code with no attack texts. Neither retriever nor filter nor generator can tell.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from saferag.errors import ModelError
from saferag.filters.base import Filter
from saferag.generators.base import Generator
from saferag.injection import InjectionPlan, Stage, inject
from saferag.retrievers.base import Index
from saferag.types import Case, Condition, Context, Failure, Trace


def search(index: Index, cases: Sequence[Case], top_k: int) -> list[Context]:
    """The ``top_k`` best passages for each case, all questions in one batch."""
    rankings = index.search([case.query for case in cases], top_k)
    return [tuple(hit.passage for hit in ranking) for ranking in rankings]


@dataclass(frozen=True, slots=True)
class Pipeline:
    """A filter and a generator behind an index. The index is poisoned already if the plan says so (door 1)."""

    index: Index
    filter: Filter
    generator: Generator

    def retrieve(self, cases: Sequence[Case], top_k: int) -> list[Context]:
        """The ``top_k`` best passages for each case, all questions in one batch."""
        return search(self.index, cases, top_k)

    async def answer(
        self, case: Case, retrieved: Context, attack: Context, plan: InjectionPlan, control: Condition | None = None
    ) -> Trace:
        """Take one case from its retrieved context to an answer.

        Args:
            case: The case.
            retrieved: What the retriever found, best first.
            attack: The case's attack texts, or a control's benign ones; empty in a clean run.
            plan: Where they enter.
            control: What this run is, if it is a control: then nothing of it counts as attack text.
        """
        condition = control or (Condition.ATTACKED if attack else Condition.CLEAN)
        told = () if control else attack
        if plan.stage is Stage.RETRIEVED_CONTEXT:
            retrieved = inject(retrieved, attack, plan, case.id)  # door 2
        try:
            filtered = await self.filter.apply(case.query, retrieved)
        except ModelError as error:
            failure = Failure("filter", error.kind, str(error))
            return Trace(case.id, condition, told, retrieved, failure=failure)

        context = filtered.kept
        if plan.stage is Stage.FILTERED_CONTEXT:
            context = inject(context, attack, plan, case.id)  # door 3
        seen = (case.id, condition, told, retrieved, filtered.kept, context, filtered.removed)
        try:
            answer = await self.generator.generate(case.query, context)
        except ModelError as error:
            failure = Failure("generator", error.kind, str(error))
            return Trace(*seen, failure=failure, usage=filtered.usage)
        return Trace(*seen, answer=answer.text, usage=filtered.usage + answer.usage)
