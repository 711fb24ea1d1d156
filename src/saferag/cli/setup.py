"""From options to a run: the dataset, the grid, the resources, the folder."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from saferag.attacks import attacks
from saferag.cli import options
from saferag.cli.console import TerminalProgress, error_line, note_line
from saferag.cli.run_options import RunOptions
from saferag.data import Dataset, load_dataset
from saferag.data.attack_texts import with_attack_texts
from saferag.errors import DataError, OptionError, SafeRAGError
from saferag.experiment.budget import ErrorBudgetError
from saferag.experiment.cells import Arm, Cell, Grid, arms_of
from saferag.experiment.grid_file import LISTS, read_grid
from saferag.experiment.retrieval import cases_of
from saferag.experiment.run import Runner, StoppedError
from saferag.experiment.settings import describe
from saferag.experiment.store import Store
from saferag.filters import filters
from saferag.generators import generators
from saferag.injection import Position, Stage
from saferag.judges import judges
from saferag.models import models
from saferag.resources import Resources
from saferag.retrievers import retrievers
from saferag.types import Lang

OptionsT = TypeVar("OptionsT", bound=RunOptions)


def dataset(path: Path | None, kb: Path | None, split: str | None) -> Dataset:
    """Load the data and keep one split of it, if one is named. The knowledge base stays whole."""
    loaded = load_dataset(path, kb)
    if split is None:
        return loaded
    cases = tuple(case for case in loaded.cases if case.split == split)
    if not cases:
        known = sorted({case.split for case in loaded.cases} - {""})
        raise OptionError(f"--split '{split}' has no cases; the data have: {', '.join(known) or 'no splits'}")
    return replace(loaded, cases=cases, pool=loaded.cases)


def grid(data: Dataset, chosen: RunOptions) -> Grid:
    """Read every option; whatever is wrong shows here, before anything is run."""
    for name in LISTS:
        if (given := getattr(chosen, name)) and not options.split(given):
            raise OptionError(f"--{name.replace('_', '-')} has no value")
    return Grid(
        tasks=options.tasks(chosen.task or ["paper"]),
        stages=options.enums(Stage, chosen.stage or ["all"], "--stage"),
        ratios=options.ratios(chosen.ratio or []),
        positions=options.enums(Position, chosen.position or ["front"], "--position"),
        top_ks=options.integers(chosen.top_k or [], "--top-k", 1) or (None,),
        retrievers=options.components(retrievers, chosen.retriever or [default_retriever()]),
        filters=options.components(filters, chosen.filter or ["support"]),
        generators=options.components(generators, chosen.generator or ["extractive"]),
        judges=options.components(judges, chosen.judge or ["rule"]),
        langs=options.enums(Lang, chosen.lang or [], "--lang") or data.langs,
        seeds=options.integers(chosen.seed or ["0"], "--seed", 0),
        controls=chosen.controls,
    )


def default_retriever() -> str:
    """The embedded default; says so where it has to be another than ``dense``."""
    from saferag.embedders import default_retriever as choose

    name, note = choose()
    if note:
        note_line(note)
    return name


def default_model(model: str | None, generator_specs: Sequence[str]) -> str | None:
    """The chat model for whoever names none: the one given, or the generator's if there is just one such."""
    if model is not None:
        return chat_model(model)
    specs = [options.component(generators, spec) for spec in generator_specs]
    chats = [spec for spec in specs if spec.name in models.names()]
    if len(chats) != 1:
        return None
    (spec,) = chats
    known = models.get(spec.name).parameters  # a generator may have parameters of its own
    return str(replace(spec, params=tuple((key, value) for key, value in spec.params if key in known)))


def chat_model(spec: str) -> str:
    """The canonical spec of a chat model that a user names, by ``FILE.py:NAME`` if it is an own one."""
    return str(options.component(models, spec))


def resources(chosen: RunOptions, model: str | None) -> Resources:
    """What component factories may use."""
    folder = chosen.cache or cache_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OptionError(f"cannot make the cache folder {folder}: {error.strerror}; choose another --cache") from None
    return Resources(
        cache_dir=folder,
        model=model,
        concurrency=chosen.concurrency,
        timeout=chosen.timeout,
        retries=chosen.retries,
    )


def cache_folder() -> Path:
    """The user's cache folder: ``$SAFERAG_CACHE``, or ``saferag`` where the system keeps caches."""
    if given := os.environ.get("SAFERAG_CACHE"):
        return Path(given)
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "saferag"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "saferag"


def cells_of(chosen: RunOptions) -> tuple[RunOptions, Dataset, tuple[Cell, ...]]:
    """The options with what a grid file adds to them, the data, and the cells of all blocks."""
    chosen, blocks = blocks_of(chosen)
    data, given = data_of(chosen)
    blocks = [replace(block, task=block.task or list(given)) for block in blocks]
    found = tuple(
        dict.fromkeys(cell for block in blocks for cell in with_texts(data, block, grid(data, block).cells()))
    )
    return chosen, data, found


def blocks_of(chosen: OptionsT) -> tuple[OptionsT, list[OptionsT]]:
    """The options with what a grid file says of the whole run, and those of each of its blocks."""
    if chosen.grid is None:
        return chosen, [chosen]
    whole, lists = read_grid(chosen.grid)
    for name in ("data", "kb", "attack_texts"):
        if name in whole:
            whole[name] = Path(whole[name])
    chosen = _put_under(chosen, whole)
    return chosen, [_put_under(chosen, block) for block in lists]


def data_of(chosen: RunOptions) -> tuple[Dataset, tuple[str, ...]]:
    """The data with the ready attack texts, if there are any, and the attacks that these belong to."""
    data = dataset(chosen.data, chosen.kb, chosen.split)
    return (data, ()) if chosen.attack_texts is None else with_attack_texts(data, chosen.attack_texts)


def with_texts(data: Dataset, chosen: RunOptions, cells: Sequence[Cell]) -> tuple[Cell, ...]:
    """The cells without those that a group of attacks brought in and for which the data hold no texts.

    Where nothing would be left, everything is: then the mistake is said when the cases are looked for.
    """
    optional = options.from_groups(chosen.task or ["paper"])
    empty = {
        (task, lang): None
        for task, lang in dict.fromkeys((cell.attacked.task, cell.attacked.lang) for cell in cells)
        if task in optional and not cases_of(data, task, lang, 1)
    }
    kept = tuple(cell for cell in cells if (cell.attacked.task, cell.attacked.lang) not in empty)
    if empty and kept:
        note_line(f"left out, because the data have no texts for them: {', '.join(f'{t} ({x})' for t, x in empty)}")
    return kept or tuple(cells)


def _put_under(chosen: OptionsT, settings: Mapping[str, Any]) -> OptionsT:
    """The options, with settings where they are still at their default."""
    return replace(chosen, **{k: v for k, v in settings.items() if getattr(chosen, k) == getattr(RunOptions(), k)})


def execute(chosen: RunOptions) -> tuple[Store, SafeRAGError | None]:
    """Run what the options say. Returns the records, and the error that ended the run early, if one did."""
    return execute_cells(*cells_of(chosen))


def execute_cells(chosen: RunOptions, data: Dataset, cells: Sequence[Cell]) -> tuple[Store, SafeRAGError | None]:
    """Run cells with the options' resources, into the options' folder."""
    model = default_model(chosen.model, list(dict.fromkeys(cell.attacked.generator for cell in cells)))
    ids = case_ids(cells, data, chosen.limit)
    settings = describe(cells, data, case_ids=ids, model=model, epochs=chosen.epochs)
    path = chosen.out or Path("runs") / settings["fingerprint"][:12]
    wanted = {case_id for of_task in ids.values() for case_id in of_task}
    store = Store.create(path, settings, [case for case in data.cases if case.id in wanted])
    with TerminalProgress() as progress:
        runner = Runner(data, resources(chosen, model), store, progress, chosen.limit, chosen.max_errors)
        try:
            asyncio.run(interruptible(runner, arms_of(cells, chosen.epochs), progress))
        except (ErrorBudgetError, StoppedError) as error:
            return store, error
    return store, None


async def interruptible(runner: Runner, arms: Sequence[Arm], progress: TerminalProgress) -> None:
    """Run; Ctrl-C once finishes what is in flight, twice stops at once. Nothing written is lost either way."""
    loop = asyncio.get_running_loop()
    pressed = 0

    def on_interrupt() -> None:
        nonlocal pressed
        pressed += 1
        if pressed == 1:
            runner.stop()
            note_line("finishing what is in flight; Ctrl-C again stops at once")
            return
        progress.__exit__()
        error_line("stopped at once; what was finished is kept, and the same command goes on from there")
        os._exit(130)  # threads that compute would hold up any other way out

    with contextlib.suppress(NotImplementedError, RuntimeError):  # on Windows, and outside of the main thread
        loop.add_signal_handler(signal.SIGINT, on_interrupt)
    try:
        await runner.run(arms)
    finally:
        with contextlib.suppress(NotImplementedError, RuntimeError):
            loop.remove_signal_handler(signal.SIGINT)


def case_ids(cells: Sequence[Cell], data: Dataset, limit: int | None) -> dict[str, list[str]]:
    """The cases of every task and language of the grid; a pair without cases is a user's mistake."""
    found: dict[str, list[str]] = {}
    for cell in cells:
        arm = cell.attacked
        key = f"{arm.task}|{arm.lang}"
        if key in found:
            continue
        found[key] = [case.id for case in cases_of(data, arm.task, arm.lang, limit)]
        if not found[key]:
            label = attacks.build(arm.task).info.label
            raise DataError(f"{data.name} has no {arm.lang} case with attack texts for {arm.task} ({label})")
    return found
