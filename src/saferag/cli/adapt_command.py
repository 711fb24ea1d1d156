"""``saferag adapt``: the strongest wording of an attack, chosen on dev and reported on test."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from saferag.cli.run_options import RunOptions, takes

if TYPE_CHECKING:
    from saferag.data import Dataset
    from saferag.experiment.adaptive import Candidate, Search
    from saferag.experiment.cells import Cell


@dataclass(frozen=True)
class AdaptOptions(RunOptions):
    """The options of a run, and what the attacker may spend."""

    budget: Annotated[int, typer.Option(help="Questions that may be asked on dev.", min=1)] = 200


@takes(AdaptOptions)
def adapt(options: AdaptOptions) -> None:
    """Let an attacker try out an attack's wordings on dev with a budget of questions, and report the best on test.

    One attack, one door and one pipeline. Nothing of test is seen before the choice is made.
    """
    from saferag.cli import options as cli_options
    from saferag.cli import setup
    from saferag.errors import OptionError
    from saferag.experiment.adaptive import Candidate, candidates, search
    from saferag.injection import Position, Stage

    _, blocks = setup.blocks_of(options)
    options = blocks[0]
    if options.split is not None or not (options.task or options.attack_texts):
        raise OptionError("adapt chooses on dev and reports on test: leave --split away, and name one --attack")
    if len(blocks) > 1:
        raise OptionError("adapt takes one attack at one door of one pipeline, and no blocks")
    (dev, brought), (test, _) = (setup.data_of(replace(options, split=split)) for split in ("dev", "test"))
    task, stage = options.task or list(brought), options.stage or ["knowledge_base"]
    one = replace(options, task=task, stage=stage, controls=False)
    cells = setup.grid(dev, replace(one, position=["front"])).cells()
    first = cells[0].attacked
    if len({replace(cell.attacked, lang=first.lang) for cell in cells}) != 1:
        raise OptionError("adapt takes one attack at one door of one pipeline")
    at_door_1 = first.plan.stage is Stage.KNOWLEDGE_BASE
    given = cli_options.enums(Position, options.position or [], "--position")
    positions = (Position.FRONT,) if at_door_1 else given or (Position.FRONT, Position.SPREAD, Position.BACK)
    found = candidates(first.task, positions)
    folder = options.out or Path("runs") / f"adapt-{first.id}"
    langs = tuple(dict.fromkeys(cell.attacked.lang for cell in cells))
    cases = min(len(dev.for_attack(first.task, lang)) for lang in langs)

    def evaluate(left: Sequence[Candidate], count: int) -> Mapping[Candidate, float]:
        out = folder / f"dev-{count}-{len(left)}"
        return _harms(one, dev, left, replace(one, out=out, limit=count))

    result = search(found, options.budget // len(langs), cases, evaluate)
    default = Candidate(first.task, positions[0])
    _report(one, test, result, default, chosen=replace(one, out=folder / "test"), queries=result.queries * len(langs))


def _cells(options: AdaptOptions, data: Dataset, candidate: Candidate, *, controls: bool = False) -> tuple[Cell, ...]:
    from saferag.cli import setup

    chosen = replace(options, task=[candidate.task], position=[candidate.position.value], controls=controls)
    return setup.grid(data, chosen).cells()


def _harms(
    one: AdaptOptions, data: Dataset, left: Sequence[Candidate], chosen: AdaptOptions
) -> Mapping[Candidate, float]:
    """Mean harm of each candidate over the cases of a run; a candidate without a value did no harm."""
    from saferag.cli import setup
    from saferag.experiment.funnel import grouped

    by_cell = {(c.task, c.position.value): c for c in left}
    store, failed = setup.execute_cells(chosen, data, [cell for c in left for cell in _cells(one, data, c)])
    if failed:
        raise failed
    rows = grouped(store, lambda cell: (cell["task"], cell["stage"], cell["position"]))
    harms = {by_cell[row.task, row.pipeline[0]]: row.obeyed for row in rows}
    return {c: e.value if (e := harms.get(c)) is not None and e.value is not None else 0.0 for c in left}


def _report(
    one: AdaptOptions, test: Dataset, result: Search, default: Candidate, *, chosen: AdaptOptions, queries: int
) -> None:
    """Run the default and the chosen wording on test, and set them side by side."""
    from saferag.cli import setup
    from saferag.cli.console import console, note_line
    from saferag.experiment.funnel import grouped
    from saferag.report.adaptive_tables import adaptive_tables

    both = [cell for c in dict.fromkeys([default, result.best]) for cell in _cells(one, test, c, controls=True)]
    store, failed = setup.execute_cells(chosen, test, both)
    rows = grouped(store, lambda cell: (cell["task"], cell["stage"], cell["position"]))
    if one.json:
        for row in rows:
            is_best = (row.task, row.pipeline[0]) == (result.best.task, result.best.position.value)
            line = row.as_dict(("position",)) | {"chosen": is_best, "queries": queries}
            sys.stdout.write(json.dumps(line, ensure_ascii=False) + "\n")
    else:
        target = console()
        for table in adaptive_tables(result, rows, queries):
            target.print(table)
    note_line(f"records: {store.path}")
    if failed:
        raise failed
