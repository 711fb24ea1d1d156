"""``saferag show``: a stored run as tables, or one of its cases as a story."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def show(
    run: Annotated[Path, typer.Argument(help="A run's folder.")],
    case: Annotated[str | None, typer.Option(help="A case id (or the start of one): tell it as a story.")] = None,
    task: Annotated[str | None, typer.Option("--task", "--attack", help="Only this attack, by name or label.")] = None,
    stage: Annotated[str | None, typer.Option(help="Only this door.")] = None,
) -> None:
    """Show a stored run: its tables, or with --case one case from the question to the verdict on each option."""
    from saferag.cli.console import console
    from saferag.cli.options import tasks
    from saferag.errors import OptionError
    from saferag.experiment.effects import paired_rows
    from saferag.experiment.settings import cell_arms
    from saferag.experiment.store import Store
    from saferag.report.cases import successes
    from saferag.report.story import stories
    from saferag.report.tables import case_table, run_tables

    store = Store.open(run)
    target = console()
    names = tasks([task]) if task is not None else (None,)
    if len(names) != 1:
        raise OptionError(f"--task '{task}' is not one attack")
    name = names[0]
    cells = dict.fromkeys((arm["task"], arm["stage"]) for _, arm in cell_arms(dict(store.settings)))
    if not any(name in (None, a) and stage in (None, s) for a, s in cells):
        raise OptionError(f"{run} has no such cell; it has: {', '.join(f'{a} at {s}' for a, s in cells)}")
    if case is None:
        found = [r for r in paired_rows(store) if name in (None, r.cell["task"]) and stage in (None, r.cell["stage"])]
        for table in run_tables(found):
            target.print(table)
        target.print(case_table(store, successes(store)))
        return
    ids = [i for i in store.cases if i == case] or [i for i in store.cases if i.startswith(case)]
    if len(ids) != 1:
        raise OptionError(f"{run} has {len(ids) or 'no'} cases '{case}': name one of {', '.join(ids or store.cases)}")
    for block in stories(store, ids[0], task=name, stage=stage):
        target.print(block)
