"""``saferag compare``: what changed from one stored run to another, and whether that ends a build."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from collections.abc import Iterable

FORMATS = ("table", "md", "json")


def compare(
    first: Annotated[Path, typer.Argument(help="The run to compare with.")],
    second: Annotated[Path, typer.Argument(help="The run that may have changed.")],
    lang: Annotated[str, typer.Option(help="Language: en or zh.")] = "en",
    format: Annotated[str, typer.Option("--format", "-f", help="table, md or json.")] = "table",
    fail_on: Annotated[
        list[str] | None,
        typer.Option(help="Exit with 1 if one of these metrics became worse beyond chance; 'any' means every metric."),
    ] = None,
) -> None:
    """Compare two runs over the same questions, paired by question, regressions first."""
    from saferag.cli.console import console, note_line
    from saferag.cli.options import enums
    from saferag.errors import OptionError
    from saferag.experiment.store import Store
    from saferag.report import compare_text
    from saferag.report.compare import compare as paired
    from saferag.report.texts import texts_of
    from saferag.types import Lang

    if format not in FORMATS:
        raise OptionError(f"--format has no '{format}'; it takes: {', '.join(FORMATS)}")
    wanted = _metrics(fail_on or [])
    t = texts_of(enums(Lang, [lang], "--lang")[0])
    names = (first.name, second.name)
    found = paired(Store.open(first), Store.open(second))
    if not found.changes:
        raise OptionError(f"{first} and {second} have no setting and metric in common")
    if format == "table":
        target = console()
        for part in compare_text.terminal(found, names, t):
            target.print(part)
    else:
        text = compare_text.markdown_text(found, names, t) if format == "md" else compare_text.json_text(found)
        sys.stdout.write(text)
    failing = sorted({c.metric for c in found.worse if "any" in wanted or c.metric in wanted})
    if failing:
        note_line(f"became worse beyond chance: {', '.join(failing)}")
        raise typer.Exit(1)


def _metrics(named: Iterable[str]) -> frozenset[str]:
    from saferag.cli.options import split
    from saferag.errors import OptionError, did_you_mean
    from saferag.experiment.results import metric_infos

    known = [*metric_infos(), "any"]
    wanted = split(named)
    for name in wanted:
        if name not in known:
            raise OptionError(f"--fail-on has no '{name}'{did_you_mean(name, known)}; it takes: {', '.join(known)}")
    return frozenset(wanted)
