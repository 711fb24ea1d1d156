"""``saferag reproduce``: the paper's experiments on chosen components, its numbers beside ours."""

from __future__ import annotations

import json
import math
import shlex
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from saferag.cli.run_options import RunOptions, takes

if TYPE_CHECKING:
    from saferag.experiment.reproduction import Block, Components, Preset
    from saferag.experiment.reproduction_results import PlainTable
    from saferag.experiment.store import Store

_DECIDED = ("stage", "ratio", "position", "top_k", "grid", "seed")


@dataclass(frozen=True)
class ReproduceOptions(RunOptions):
    """What a user can say about a reproduction: a run's options, and whose design is followed."""

    preset: Annotated[
        str,
        typer.Option(
            help="paper (one thing varies at a time) or published-code (as its code confounds them).",
            rich_help_panel="Design",
        ),
    ] = "paper"


@takes(ReproduceOptions)
def reproduce(options: ReproduceOptions) -> None:
    """Run the paper's experiments (Figures 1, 5, 6, 9, 10, Table 4) and set its numbers beside ours.

    Without options: on the embedded components and the cases that we ship. With --model, its filters and judge too.
    """
    from saferag.cli import setup
    from saferag.cli.console import console, note_line
    from saferag.cli.run_command import leave
    from saferag.experiment.reproduction import cells_of, deviations

    chosen, preset, components, blocks = _experiments(options)
    data = setup.dataset(chosen.data, chosen.kb, chosen.split)
    store, failed = setup.execute_cells(chosen, data, cells_of(blocks))
    why = deviations(components, preset, data.name, chosen.limit)
    found = _tables(store, blocks, components)
    numbers = _save(store, blocks, found, why)
    if options.json:
        for number in numbers:
            sys.stdout.write(json.dumps(number, ensure_ascii=False) + "\n")
    else:
        target = console()
        for table in found:
            target.print(_rich(table))
            target.print()
        target.print("What is not as in the paper (numbers are sections of docs/deviations.md):")
        for line in why:
            target.print(f"- {line}")
        target.print(
            "Table 2 (the judge's agreement with people) needs labels by people, which these data do not have."
        )
    compared = [n for n in numbers if n["agrees"] is not None]
    note_line(f"{sum(n['agrees'] for n in compared)} of {len(compared)} published numbers lie in our intervals")
    note_line(f"saved: {store.path / 'reproduce.md'}, {store.path / 'reproduce.json'}")
    leave(failed)


def _experiments(options: ReproduceOptions) -> tuple[ReproduceOptions, Preset, Components, list[Block]]:
    """The options with the preset's limit, and the figures and tables of every language."""
    from saferag.cli import setup
    from saferag.cli.options import enums
    from saferag.errors import OptionError
    from saferag.experiment.reproduction import OLDER, PUBLISHED_CODE_LIMIT, Components, Preset, Reproduction

    given = [key for key in _DECIDED if getattr(options, key) is not None]
    if given:
        raise OptionError(f"--{given[0].replace('_', '-')} is decided by the paper's experiments; use saferag run")
    (preset,) = enums(Preset, [options.preset], "--preset")[:1]
    if preset is Preset.PUBLISHED_CODE and options.limit is None:
        options = replace(options, limit=PUBLISHED_CODE_LIMIT)
    chats = setup.default_model(options.model, options.generator or []) is not None
    first = setup.default_retriever()
    named = replace(
        options,
        retriever=options.retriever or ([first] if first != "dense" else ["dense", "bm25", "hybrid", "hybrid-rerank"]),
        filter=options.filter or (["nli", "off", "skr"] if chats else ["support", "off", "extract"]),
        judge=options.judge or (["llm"] if chats else ["rule"]),
    )
    data = setup.dataset(named.data, named.kb, named.split)
    grid = setup.grid(data, replace(named, stage=["knowledge_base"]))
    if len(grid.judges) > 1:
        raise OptionError("--judge: a reproduction has one judge")
    components = Components(grid.retrievers, grid.filters, grid.generators, grid.judges[0])
    blocks: list[Block] = []
    for lang in grid.langs:
        older = tuple(a for a in OLDER if len(grid.tasks) == 4 and data.for_attack(a, lang))
        blocks += Reproduction(components, lang, preset, grid.tasks, older).blocks()
    return named, preset, components, blocks


def _tables(store: Store, blocks: Sequence[Block], components: Components) -> list[PlainTable]:
    from saferag.experiment.reproduction_results import rank_table, tables

    langs = dict.fromkeys(block.lang for block in blocks)
    tasks = dict.fromkeys(point.cell.attacked.task for b in blocks for s in b.series for f in s.fields for point in f)
    return [*tables(store, blocks), *(rank_table(store, components, list(tasks), lang) for lang in langs)]


def _save(
    store: Store, blocks: Sequence[Block], tables: Sequence[PlainTable], why: Sequence[str]
) -> list[dict[str, Any]]:
    """Write ``reproduce.md`` and ``reproduce.json`` into the run's folder. Returns the numbers of the latter."""
    from saferag.experiment.published import load_published
    from saferag.experiment.reproduction_results import markdown, records

    numbers = list(records(store, blocks))
    source, tolerance, parts = load_published()
    table_2 = parts["table_2"]
    saved = {
        "source": source,
        "tolerance": tolerance,
        "deviations": list(why),
        "fingerprint": store.settings["fingerprint"],
        "numbers": numbers,
        "not_computed": {"Table 2": {"columns": table_2.columns, "published": _without_nan(table_2.series)}},
    }
    command = shlex.join(["saferag", *sys.argv[1:]])
    (store.path / "reproduce.json").write_text(json.dumps(saved, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    (store.path / "reproduce.md").write_text(markdown(store, tables, why, command), encoding="utf-8")
    return numbers


def _without_nan(series: Any) -> dict[str, list[float | None]]:  # noqa: ANN401 - as read from the file
    return {name: [None if math.isnan(value) else value for value in values] for name, values in series.items()}


def _rich(table: PlainTable) -> Any:  # noqa: ANN401 - a rich table
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    from saferag.text import visible

    shown = Table(
        title=visible(table.title),
        title_justify="left",
        title_style="bold",
        box=SIMPLE_HEAD,
        show_edge=False,
        pad_edge=False,
        padding=(0, 1, 0, 0),
    )
    for i, column in enumerate(table.columns):
        numbers = i >= 2 and len(table.columns) != 4
        shown.add_column(column, justify="right" if numbers else "left", no_wrap=numbers or i == 0, overflow="fold")
    for row in table.rows:
        shown.add_row(*(Text(visible(cell)) for cell in row))
    return shown
