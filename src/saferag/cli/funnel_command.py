"""``saferag funnel``: where the attacks of a stored run end."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer


def funnel(
    run: Annotated[Path, typer.Argument(help="A run's folder.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON Lines instead of tables.")] = False,
) -> None:
    """Show how much of every attack is left at each step of a stored run, and what is due to it."""
    from saferag.cli.console import console
    from saferag.experiment.funnel import funnel as rows
    from saferag.experiment.store import Store
    from saferag.report.funnel_tables import funnel_tables

    store = Store.open(run)
    if as_json:
        for row in rows(store):
            sys.stdout.write(json.dumps(row.as_dict(), ensure_ascii=False) + "\n")
        return
    target = console()
    for table in funnel_tables(store):
        target.print(table)
