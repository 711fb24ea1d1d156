"""``saferag report``: a stored run as a report for people, or as files for other tools."""

from __future__ import annotations

import gc
from pathlib import Path
from typing import Annotated

import typer


def report(
    run: Annotated[Path, typer.Argument(help="A run's folder.")],
    lang: Annotated[str, typer.Option(help="Language of the report: en or zh.")] = "en",
    format: Annotated[
        str, typer.Option("--format", "-f", help="html, md, csv, parquet, latex, svg, pdf or json.")
    ] = "html",
    out: Annotated[Path | None, typer.Option(help="File, or folder for several. Default: beside the records.")] = None,
    traces: Annotated[int, typer.Option(help="How many cases an HTML report tells in full.", min=0)] = 200,
) -> None:
    """Make a report from a stored run; nothing is measured anew."""
    from saferag.cli.console import note_line
    from saferag.cli.options import enums
    from saferag.experiment.store import Store
    from saferag.report.export import Request, export
    from saferag.types import Lang

    languages = enums(Lang, [lang], "--lang")
    store = Store.open(run)
    gc.freeze()  # records live until the end: the collector need not look at them again and again
    request = Request(languages[0], format, out, traces, note_line)
    for path in export(store, request):
        note_line(f"written: {path}")
