"""Whole runs for tests: toy data, a folder, and what happened."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from saferag.data import Dataset
from saferag.experiment.cells import Arm, Cell, Grid, arms_of
from saferag.experiment.run import Progress, Runner
from saferag.experiment.settings import describe
from saferag.experiment.store import Store
from saferag.injection import Stage
from saferag.models.traffic import BackoffEvent
from saferag.resources import Resources
from saferag.types import Lang

from toy_runs import toy_dataset  # isort: skip - a module of the tests


@dataclass
class RecordingProgress:
    """Remembers what it was told."""

    total: int = 0
    done: int = 0
    stages: list[str] = field(default_factory=list)
    backoffs: list[BackoffEvent] = field(default_factory=list)

    def start(self, total: int) -> None:
        self.total = total

    def stage(self, text: str) -> None:
        self.stages.append(text)

    def advance(self) -> None:
        self.done += 1

    def back_off(self, event: BackoffEvent) -> None:
        self.backoffs.append(event)


def one_arm(
    generator: str,
    *,
    judge: str = "rule",
    retriever: str = "bm25",
    stages: str = "filtered_context",
    filters: tuple[str, ...] = ("off",),
    tasks: tuple[str, ...] = ("inter_context_conflict",),
    langs: tuple[Lang, ...] = (Lang.EN,),
) -> tuple[Cell, ...]:
    """The cells of a small grid over a chat model (a clean and an attacked arm, unless told otherwise)."""
    chosen = tuple(Stage) if stages == "all" else (Stage(stages),)
    return Grid(
        tasks,
        stages=chosen,
        retrievers=(retriever,),
        filters=filters,
        generators=(generator,),
        judges=(judge,),
        langs=langs,
    ).cells()


@dataclass
class Setup:
    """A dataset and folders for runs.

    Attributes:
        out: The run's folder.
        resources: Without a cache on disk, unless a test gives one.
        dataset: The data.
    """

    out: Path
    resources: Resources
    dataset: Dataset = field(default_factory=lambda: toy_dataset(8))
    epochs: int = 1
    _store: Store | None = None

    @property
    def cases(self) -> int:
        """Records of a run of two arms."""
        return 2 * len(self.dataset.cases)

    def make_store(self, cells: Sequence[Cell], epochs: int = 1) -> Store:
        generator = cells[0].attacked.generator
        self.resources.model = generator if generator.startswith(("openai", "scripted")) else None
        self.epochs = epochs
        ids = {
            f"{cell.attacked.task}|{cell.attacked.lang}": [
                case.id for case in self.dataset.for_attack(cell.attacked.task, cell.attacked.lang)
            ]
            for cell in cells
        }
        settings = describe(cells, self.dataset, case_ids=ids, model=self.resources.model, epochs=epochs)
        self._store = Store.create(self.out, settings, self.dataset.cases)
        return self._store

    def store(self) -> Store:
        """The records as they stand on disk."""
        return Store.open(self.out)

    def arms(self, cells: Sequence[Cell]) -> tuple[Arm, ...]:
        return arms_of(cells, self.epochs)

    def runner(self, *, max_errors: float, progress: Progress | None = None) -> Runner:
        assert self._store is not None
        return Runner(self.dataset, self.resources, self._store, progress or RecordingProgress(), max_errors=max_errors)

    def run(
        self, cells: Sequence[Cell], *, max_errors: float = 0.0, epochs: int = 1, progress: Progress | None = None
    ) -> None:
        """Run the cells into the folder."""
        self.make_store(cells, epochs)
        asyncio.run(self.runner(max_errors=max_errors, progress=progress).run(self.arms(cells)))
