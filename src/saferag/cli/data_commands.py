"""``saferag data``: check, describe and pack datasets."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(help="Check, describe and pack datasets.", no_args_is_help=True)

_Data = Annotated[
    Path | None,
    typer.Argument(help="A .jsonl file, a folder of them, or the published .json. Default: the cases that we ship."),
]
_Kb = Annotated[Path | None, typer.Option(help="For the published .json: the folder with SN/db.txt and so on.")]


@app.command()
def check(data: _Data = None, kb: _Kb = None) -> None:
    """Prove that a dataset is sound, and say line by line where it is not. Exit code 1 if there are findings."""
    from saferag.cli.console import note_line
    from saferag.data import load_dataset
    from saferag.data.check import RULES
    from saferag.data.check import check as find
    from saferag.text import visible

    dataset = load_dataset(data, kb)
    note_line(f"checking {len(dataset.cases)} cases by {len(RULES)} rules")
    findings = find(dataset)
    for finding in findings:
        sys.stdout.write(visible(str(finding)) + "\n")
    note_line(f"{dataset.name}: {len(dataset.cases)} cases, {len(findings)} findings")
    if findings:
        raise typer.Exit(1)


@app.command()
def card(data: _Data = None, kb: _Kb = None) -> None:
    """Print a dataset's card: counts, lengths, mixes and hashes, in Markdown."""
    from saferag.data import load_dataset
    from saferag.data.card import card as describe

    sys.stdout.write(describe(load_dataset(data, kb)))


@app.command()
def pack(
    sources: Annotated[list[Path], typer.Argument(help="YAML files, or folders of them.")],
    out: Annotated[Path, typer.Option(help="The .jsonl file to write.")],
) -> None:
    """Turn cases written by hand (YAML) into a dataset (JSONL)."""
    from saferag.cli.console import note_line
    from saferag.data.jsonl import write_cases
    from saferag.data.pack import pack as read

    cases = read(sources)
    write_cases(out, cases)
    note_line(f"{out}: {len(cases)} cases")
