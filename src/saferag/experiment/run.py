"""Run the arms of a grid: share what is common, keep many cases in flight, write every record as it comes."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from saferag.attacks import Attack, attacks
from saferag.data import Dataset
from saferag.errors import DataError, ModelError, OptionError, SafeRAGError
from saferag.experiment.cells import Arm, attack_name, digest
from saferag.experiment.records import Record
from saferag.experiment.store import Store
from saferag.filters import filters
from saferag.generators import generators
from saferag.injection import Stage, poison
from saferag.judges import Judge, judges
from saferag.metrics import Evidence, Metric, metrics
from saferag.pipeline import Pipeline
from saferag.resources import Resources
from saferag.retrievers import Index, retrievers
from saferag.types import Case, Condition, Context, Failure, Judgement, Lang, Measurement

IN_FLIGHT = 64
# What a model does with a request is a result; these are outages, and a run that meets too many of them stops.
OUTAGES = frozenset({"timeout", "rate_limited", "server_error", "rejected"})


class Progress(Protocol):
    """Told how a run goes on."""

    def start(self, total: int) -> None:
        """So many cases are left to do."""
        ...

    def stage(self, text: str) -> None:
        """What is going on now, such as indexing."""
        ...

    def advance(self) -> None:
        """A case is done."""
        ...


class ErrorBudgetError(SafeRAGError):
    """More calls failed than the user allows. What was finished is in the run's folder."""


@dataclass(slots=True)
class ErrorBudget:
    """Stops a run that meets too many outages.

    Attributes:
        share: Allowed share of the cases.
        total: Cases of the run.
        failed: Cases with an outage so far.
        last: The last outage, for the message.
    """

    share: float
    total: int
    failed: int = 0
    last: Failure | None = None

    def count(self, failures: Iterable[Failure]) -> None:
        """Take in the failures of one case.

        Raises:
            ErrorBudgetError: The budget is spent. A run is never stopped by its first few failures alone.
        """
        outages = [f for f in failures if f.kind in OUTAGES]
        if outages:
            self.failed += 1
            self.last = outages[-1]
            if self.failed >= 5 and self.is_spent:
                raise ErrorBudgetError(self.message())

    @property
    def is_spent(self) -> bool:
        """Whether more cases failed than allowed."""
        return self.failed > self.share * self.total

    def message(self) -> str:
        """One line about what failed."""
        last = f"; the last one: {self.last.step}: {self.last.message}" if self.last else ""
        return f"{self.failed} of {self.total} cases failed, more than --max-errors allows ({self.share:.0%}){last}"


@dataclass(slots=True)
class Runner:
    """Runs arms over a dataset.

    Attributes:
        dataset: Cases and corpora.
        resources: Models and folders.
        store: Where records go.
        progress: Who is told.
        limit: At most so many cases per arm; None means all.
        max_errors: Allowed share of cases with an outage.
    """

    dataset: Dataset
    resources: Resources
    store: Store
    progress: Progress
    limit: int | None = None
    max_errors: float = 0.1
    _indexes: dict[tuple[str, str, str], Index] = field(default_factory=dict)
    _metrics: dict[str, Metric] = field(default_factory=dict)

    async def run(self, arms: Sequence[Arm]) -> None:
        """Run every case of every arm that has no record yet.

        Raises:
            ErrorBudgetError: Too many outages.
            UserError: A component cannot be built, or the data do not fit.
        """
        self._metrics = {entry.name: metrics.build(entry.name) for entry in metrics}
        todo = {arm: self._todo(arm) for arm in arms}
        total = sum(map(len, todo.values()))
        budget = ErrorBudget(self.max_errors, total)
        self.progress.start(total)
        for arm in arms:  # everything that the user can get wrong shows before the first call
            self._pipeline_parts(arm)
        try:
            await self._drain(self._items(todo), budget)
        finally:
            await self.resources.close()
        if budget.is_spent:
            raise ErrorBudgetError(budget.message())

    def _todo(self, arm: Arm) -> tuple[Case, ...]:
        return tuple(
            case
            for case in cases_of(self.dataset, arm.task, arm.lang, self.limit)
            if not self.store.is_done(arm.id, case.id)
        )

    def _pipeline_parts(self, arm: Arm) -> None:
        resources = self.resources.with_lang(arm.lang)
        retrievers.build(arm.retriever, resources)
        filters.build(arm.filter, resources)
        generators.build(arm.generator, resources)
        judges.build(arm.judge, resources)

    async def _items(self, todo: Mapping[Arm, Sequence[Case]]) -> AsyncIterator[_Item]:
        """Every case that is to be run, arm by arm; retrieval is done for a whole arm at once."""
        for arm, cases in todo.items():
            if not cases:
                continue
            resources = self.resources.with_lang(arm.lang)
            attack = attacks.build(arm.task)
            texts = {case.id: self._texts(arm, attack, case) for case in cases}
            pipeline = Pipeline(
                await asyncio.to_thread(self._index, arm, resources, texts),
                filters.build(arm.filter, resources),
                generators.build(arm.generator, resources),
            )
            judge = judges.build(arm.judge, resources)
            contexts = await asyncio.to_thread(pipeline.retrieve, cases, arm.plan.top_k)
            for case, context in zip(cases, contexts, strict=True):
                yield _Item(arm, case, context, texts[case.id], attack, pipeline, judge)

    @staticmethod
    def _texts(arm: Arm, attack: Attack, case: Case) -> Context:
        if arm.condition is Condition.CLEAN:
            return ()
        return attack.texts(case, arm.plan.count, arm.plan.seed)

    def _index(self, arm: Arm, resources: Resources, texts: Mapping[str, Context]) -> Index:
        """The clean index, shared by all arms over the same corpus, with door 1 on top where the plan says so."""
        corpus = self.dataset.corpus(attack_name(arm.task), arm.lang)
        if not corpus:
            raise DataError(f"no passages for {arm.task} in {arm.lang}: the knowledge base is empty")
        if arm.plan.top_k > len(corpus):
            raise OptionError(f"--top-k {arm.plan.top_k} is larger than the knowledge base ({len(corpus)} passages)")
        key = (arm.retriever, arm.lang, digest({"ids": [p.id for p in corpus]}))
        if key not in self._indexes:
            self.progress.stage(f"indexing {len(corpus)} passages ({arm.retriever}, {arm.lang})")
            self._indexes[key] = retrievers.build(arm.retriever, resources).index(corpus)
        if arm.plan.stage is not Stage.KNOWLEDGE_BASE or arm.condition is Condition.CLEAN:
            return self._indexes[key]
        return poison(self._indexes[key], [text for case_texts in texts.values() for text in case_texts])

    async def _drain(self, items: AsyncIterator[_Item], budget: ErrorBudget) -> None:
        """Keep up to `IN_FLIGHT` cases going until there are no more."""
        queue: asyncio.Queue[_Item | None] = asyncio.Queue(IN_FLIGHT)

        async def produce() -> None:
            async for item in items:
                await queue.put(item)
            for _ in range(IN_FLIGHT):
                await queue.put(None)

        async def consume() -> None:
            while (item := await queue.get()) is not None:
                record = await self._run_case(item)
                self.store.add(record)
                self.progress.advance()
                budget.count(record.failures)

        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(produce())
                for _ in range(IN_FLIGHT):
                    group.create_task(consume())
        except BaseExceptionGroup as failures:
            raise failures.exceptions[0] from None

    async def _run_case(self, item: _Item) -> Record:
        started = time.monotonic()
        trace = await item.pipeline.answer(item.case, item.context, item.attack_texts, item.arm.plan)
        judgement = await item.verdicts(trace.answer)
        evidence = Evidence(item.case, item.attack.target(item.case), trace, judgement)
        scores = self._measure(evidence)
        return Record(item.arm.id, trace, judgement, scores, time.monotonic() - started)

    def _measure(self, evidence: Evidence) -> dict[str, Measurement]:
        measured = {name: metric.measure(evidence) for name, metric in self._metrics.items()}
        return {name: value for name, value in measured.items() if value is not None}


@dataclass(frozen=True, slots=True)
class _Item:
    """One case of one arm, ready to be run."""

    arm: Arm
    case: Case
    context: Context
    attack_texts: Context
    attack: Attack
    pipeline: Pipeline
    judge: Judge

    async def verdicts(self, answer: str | None) -> Judgement | Failure | None:
        """The judge's verdicts, its failure, or None where there is no answer or no option."""
        claims = [option.claim for option in self.attack.target(self.case).options]
        if answer is None or not claims:
            return None
        try:
            return await self.judge.judge(self.case.query, answer, claims)
        except ModelError as error:
            return Failure("judge", error.kind, str(error))


def cases_of(dataset: Dataset, task: str, lang: Lang, limit: int | None) -> tuple[Case, ...]:
    """The cases that an arm runs over: those with what the attack needs, in the dataset's order."""
    return dataset.for_attack(attack_name(task), lang)[:limit]
