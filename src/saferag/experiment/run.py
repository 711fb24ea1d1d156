"""Run the arms of a grid: share what is common, keep many cases in flight, write every record as it comes."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from saferag.attacks import Attack, attacks
from saferag.data import Dataset
from saferag.errors import ModelError, SafeRAGError
from saferag.experiment.budget import ErrorBudget
from saferag.experiment.cells import Arm
from saferag.experiment.records import Record
from saferag.experiment.retrieval import Retrieved, Searches
from saferag.experiment.store import Store
from saferag.filters import Filter, filters
from saferag.generators import Generator, generators
from saferag.judges import Judge, judges
from saferag.metrics import Evidence, Metric, metrics
from saferag.models.traffic import BackoffEvent
from saferag.models.waiting import calls_noted, idle
from saferag.pipeline import Pipeline
from saferag.resources import Resources
from saferag.retrievers import retrievers
from saferag.types import Case, Condition, Failure, Judgement, Measurement, Trace

AT_LEAST = 4  # cases in flight; twice the requests in flight where that is more
LOOK_AGAIN = 0.2  # seconds until a case that another process is running is asked for again


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

    def back_off(self, event: BackoffEvent) -> None:
        """A request to a model has failed and will be sent again."""
        ...


class StoppedError(SafeRAGError):
    """The user has stopped the run. What was finished is in the run's folder."""


class _Stop(Exception):  # noqa: N818 - ends work in a thread, never seen outside
    pass


@dataclass(slots=True)
class Runner:
    """Runs arms over a dataset.

    Several processes may run the same arms into the same folder: each case is run by whoever claims it first.

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
    _metrics: dict[str, Metric] = field(default_factory=dict)
    _verdicts: dict[tuple[object, ...], Judgement] = field(default_factory=dict)
    _stopping: bool = False

    def stop(self) -> None:
        """Begin no further case; `run` ends when those in flight have ended. May be called from another thread."""
        self._stopping = True

    async def run(self, arms: Sequence[Arm]) -> None:
        """Run every case of every arm that has no record yet.

        Raises:
            ErrorBudgetError: Too many outages.
            StoppedError: `stop` was called before everything was done.
            UserError: A component cannot be built, the data do not fit, or records cannot be written.
        """
        self._metrics = {entry.name: metrics.build(entry.name) for entry in metrics}
        self.resources.progress = self._embedding
        self.resources.traffic.on_backoff = self.progress.back_off
        searches = Searches(self.dataset, self.resources, self.limit, self.progress.stage)
        todo = [(arm, case) for arm in arms for case in searches.cases(arm) if not self.store.is_done(arm.id, case.id)]
        budget = ErrorBudget(self.max_errors, len(todo))
        self.progress.start(len(todo))
        for arm in arms:  # everything that the user can get wrong shows before the first call
            self._parts(arm)
        try:
            while todo and not self._stopping:
                todo = await self._drain(searches, todo, budget)
                if todo:  # others are at these; they may finish them, or die
                    await asyncio.sleep(LOOK_AGAIN)
        finally:
            self.store.close()
            await self.resources.close()
        budget.settle()
        if self._stopping and todo:
            raise StoppedError("stopped; what was finished is kept, and the same command goes on from there")

    def _embedding(self, done: int, total: int) -> None:
        if self._stopping:
            raise _Stop
        self.progress.stage(f"embedding {done}/{total} texts")

    def _parts(self, arm: Arm) -> tuple[Filter, Generator, Judge]:
        resources = self.resources.with_lang(arm.lang, arm.epoch)
        retrievers.build(arm.retriever, resources)
        return (
            filters.build(arm.filter, resources),
            generators.build(arm.generator, resources),
            judges.build(arm.judge, resources),
        )

    async def _items(
        self, searches: Searches, searching: asyncio.Lock, todo: Iterable[tuple[Arm, Case]]
    ) -> AsyncIterator[_Item]:
        """Every case that is to be run, arm by arm; retrieval is done for a whole arm at once."""
        by_arm: dict[Arm, list[Case]] = {}
        for arm, case in todo:
            by_arm.setdefault(arm, []).append(case)
        for arm, cases in by_arm.items():
            try:
                async with searching:
                    retrieved = await asyncio.to_thread(searches.retrieve, arm)
            except _Stop:
                return
            filter_, generator, judge = self._parts(arm)
            pipeline = Pipeline(retrieved.index, filter_, generator)
            attack = attacks.build(arm.task)
            for case in cases:
                yield _Item(arm, case, retrieved, attack, pipeline, judge)

    async def _drain(
        self, searches: Searches, todo: Sequence[tuple[Arm, Case]], budget: ErrorBudget
    ) -> list[tuple[Arm, Case]]:
        """Keep cases going until there are no more. Returns those that were not run, and are not done.

        Each generator has cases of its own in flight, so that no endpoint waits for another one.
        """
        left = {(arm, case.id): (arm, case) for arm, case in todo}
        searching = asyncio.Lock()
        in_flight = max(AT_LEAST, 2 * self.resources.concurrency)

        async def produce(generator: str, queue: asyncio.Queue[_Item | None]) -> None:
            mine = [(arm, case) for arm, case in todo if arm.generator == generator]
            async for item in self._items(searches, searching, mine):
                await queue.put(item)
            for _ in range(in_flight):
                await queue.put(None)

        async def consume(queue: asyncio.Queue[_Item | None]) -> None:
            while (item := await queue.get()) is not None:
                if not self._stopping and await self._settle(item, budget):
                    del left[item.arm, item.case.id]

        try:
            async with asyncio.TaskGroup() as group:
                for generator in dict.fromkeys(arm.generator for arm, _ in todo):
                    queue: asyncio.Queue[_Item | None] = asyncio.Queue(in_flight)
                    group.create_task(produce(generator, queue))
                    for _ in range(in_flight):
                        group.create_task(consume(queue))
        except BaseExceptionGroup as failures:
            raise failures.exceptions[0] from None
        return list(left.values())

    async def _settle(self, item: _Item, budget: ErrorBudget) -> bool:
        """Run a case, unless another process does or did. Returns whether there is a record of it now."""
        key = item.arm.id, item.case.id
        if not self.store.claim(*key):
            return False
        try:
            self.store.refresh()
            if key not in self.store.fresh:
                record = await self._run_case(item)
                self.store.add(record)
                budget.count(record.failures)
        finally:
            self.store.release(*key)
        self.progress.advance()
        return True

    async def _run_case(self, item: _Item) -> Record:
        started = time.monotonic()
        with calls_noted() as calls:
            trace = await item.answer()
            judgement = await self._judged(item, trace.answer)
        evidence = Evidence(item.case, item.attack.target(item.case), trace, judgement)
        measured = self._measure(evidence)
        return Record(item.arm.id, trace, judgement, measured, time.monotonic() - started - idle(calls))

    async def _judged(self, item: _Item, answer: str | None) -> Judgement | Failure | None:
        """The verdicts on an answer; cells often share one, and the same answer to the same case is judged once."""
        arm = item.arm
        key = (arm.judge, arm.task, arm.lang, arm.epoch, item.case.id, answer)
        known = self._verdicts.get(key)
        if known is not None:
            return replace(known, usage=replace(known.usage, cached=known.usage.calls))
        judgement = await item.verdicts(answer)
        if isinstance(judgement, Judgement):
            self._verdicts[key] = judgement
        return judgement

    def _measure(self, evidence: Evidence) -> dict[str, Measurement]:
        measured = {name: metric.measure(evidence) for name, metric in self._metrics.items()}
        return {name: value for name, value in measured.items() if value is not None}


@dataclass(frozen=True, slots=True)
class _Item:
    """One case of one arm, ready to be run."""

    arm: Arm
    case: Case
    retrieved: Retrieved
    attack: Attack
    pipeline: Pipeline
    judge: Judge

    async def answer(self) -> Trace:
        """The pipeline's answer, with every step before it."""
        found, condition = self.retrieved, self.arm.condition
        return await self.pipeline.answer(
            self.case,
            found.contexts[self.case.id],
            found.texts[self.case.id],
            self.arm.plan,
            condition if condition in (Condition.CONTROL, Condition.CLOSED_BOOK) else None,
        )

    async def verdicts(self, answer: str | None) -> Judgement | Failure | None:
        """The judge's verdicts, its failure, or None where there is no answer or no option."""
        claims = [option.claim for option in self.attack.target(self.case).options]
        if answer is None or not claims:
            return None
        try:
            return await self.judge.judge(self.case.query, answer, claims)
        except ModelError as error:
            return Failure("judge", error.kind, str(error))
