"""A small stored run for tests of reports."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from pathlib import Path

from saferag.experiment.cells import Grid, arms_of
from saferag.experiment.run import Runner
from saferag.experiment.settings import describe
from saferag.experiment.store import Store
from saferag.injection import Stage
from saferag.resources import Resources
from saferag.types import Lang

from running import RecordingProgress  # isort: skip - modules of the tests
from toy_runs import toy_dataset  # isort: skip

TASKS = ("silver_noise", "inter_context_conflict", "soft_ad", "white_dos")


def toy_store(
    folder: Path,
    *,
    cases: int = 8,
    filters: tuple[str, ...] = ("off", "extract"),
    ratios: tuple[Fraction | None, ...] = (None, Fraction(1)),
    langs: tuple[Lang, ...] = (Lang.EN, Lang.ZH),
) -> Store:
    """Run a small grid over toy data into a folder."""
    grid = Grid(TASKS, tuple(Stage), ratios, retrievers=("bm25",), filters=filters, langs=langs)
    cells = grid.cells()
    dataset = toy_dataset(cases, *langs)
    pairs = dict.fromkeys((cell.attacked.task, cell.attacked.lang) for cell in cells)
    ids = {f"{task}|{lang}": [c.id for c in dataset.for_attack(task, lang)] for task, lang in pairs}
    store = Store.create(folder, describe(cells, dataset, case_ids=ids, model=None), dataset.cases)
    runner = Runner(dataset, Resources(), store, RecordingProgress())
    with ThreadPoolExecutor(1) as pool:  # a browser under test may have an event loop in this thread
        pool.submit(lambda: asyncio.run(runner.run(arms_of(cells)))).result()
    return Store.open(folder)
