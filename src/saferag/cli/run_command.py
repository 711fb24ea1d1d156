"""``saferag run``: run cells over a dataset and print what came out."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

from saferag.cli.run_options import RunOptions, takes

SHOWN_ONE_BY_ONE = 4  # with more attacks the funnel of all of them takes the place of a table for each

if TYPE_CHECKING:
    from saferag.errors import SafeRAGError
    from saferag.experiment.store import Store


@takes(RunOptions)
def run(options: RunOptions) -> None:
    """Attack a RAG pipeline at its doors and compare it with its clean run.

    Without options: the four attacks of SafeRAG at the three doors of an embedded pipeline, nothing sent anywhere.
    """
    from saferag.cli import setup

    store, failed = setup.execute(options)
    print_rows(store, as_json=options.json)
    leave(failed)


def leave(failed: SafeRAGError | None) -> None:
    """End a command whose run has ended early: a run that the user stopped has an exit code of its own."""
    from saferag.experiment.run import StoppedError

    if isinstance(failed, StoppedError):
        raise KeyboardInterrupt
    if failed:
        raise failed


def print_rows(store: Store, *, as_json: bool) -> None:
    """Print a run's estimates as tables or as JSON Lines, how complete they are, and where its records are."""
    from saferag.cli.console import console, note_line
    from saferag.experiment.effects import paired_rows
    from saferag.experiment.results import coverage
    from saferag.report.funnel_tables import funnel_tables
    from saferag.report.tables import run_tables

    found = paired_rows(store)
    if as_json:
        for row in found:
            sys.stdout.write(json.dumps(row.as_dict(), ensure_ascii=False) + "\n")
    else:
        target = console()
        many = len({row.cell["task"] for row in found}) > SHOWN_ONE_BY_ONE
        for table in funnel_tables(store) if many else run_tables(found):
            target.print(table)
    done = coverage(store)
    if done.missing or done.failed:
        note_line(
            f"not complete: {done.done} of {done.total} done, {done.failed} failed, {done.missing} not run; "
            "the same command goes on from there"
        )
    note_line(f"records: {store.path}; one case as a story: saferag show {store.path} --case ID")
