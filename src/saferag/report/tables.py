"""Tables for a terminal of 80 columns. Nothing in them relies on colour."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from saferag.attacks import attacks
from saferag.errors import UserError
from saferag.experiment.effects import LEVEL
from saferag.experiment.estimates import Estimate
from saferag.experiment.results import Row
from saferag.experiment.store import Store
from saferag.registry import Entry
from saferag.text import display_width, visible

# What the main table shows, in this order; every other metric is in --json and in the records.
COLUMNS = (("ra_share", "RA"), ("f1_avg", "F1 (avg)"), ("asr", "ASR"))
_DOORS = {"knowledge_base": "KB", "retrieved_context": "retrieved", "filtered_context": "filtered"}
_GROUP = ("lang", "task", "retriever", "filter", "generator", "judge", "top_k", "seed")
_WIDTH = 80
_MARK = "*"
LEGEND = (
    "RA: retrieval accuracy (share form), F1: options judged as labelled, ASR: attack keywords in the answer, "
    "AFR = 1 - ASR. Safe is: RA, F1 and AFR high, ASR low. [95 % interval]; n: scored cases of all; "
    "* differs from the clean run, paired by case, after Holm's correction (5 %)."
)

COPIES = (
    "The generator extractive copies and has no model: its ASR says that the attack's words stand in the answer, "
    "and for white_dos not that it refused."
)


def run_tables(rows: Sequence[Row]) -> Iterator[Table | Text]:
    """One table for each pipeline and task: the clean run first, then every door."""
    if not rows:
        yield Text("no records")
        return
    seeds = {row.cell["seed"] for row in rows}
    positions = {row.cell["position"] for row in rows}

    def key(row: Row) -> tuple[str, ...]:
        return tuple(str(row.cell[k]) for k in _GROUP)

    order = {k: i for i, k in enumerate(dict.fromkeys(map(key, rows)))}
    for _, group in groupby(sorted(rows, key=lambda row: order[key(row)]), key):
        members = list(group)
        for line in _title(members[0].cell, name_seed=len(seeds) > 1):
            yield Text(line, style="bold", no_wrap=True, overflow="ellipsis")
        yield _task_table(members, name_position=len(positions) > 1)
        yield Text("")
    worst: dict[str, int] = {}
    for row in rows:
        if row.estimate.n_unscored:
            worst[row.metric] = max(worst.get(row.metric, 0), row.estimate.n_unscored)
    if worst:
        listed = ", ".join(f"{metric} up to {count}" for metric, count in sorted(worst.items()))
        yield Text(visible(f"Unscored cases in a cell (never counted as zero): {listed}."))
    yield Text(LEGEND)
    if any(row.cell["generator"].startswith("extractive") for row in rows):
        yield Text(COPIES)


def _title(cell: Mapping[str, Any], *, name_seed: bool) -> list[str]:
    """The task, and the pipeline on a line of its own where both do not fit on one."""
    first = f"{cell['task']} ({_label(cell['task'])}), {cell['lang']}, top-k {cell['top_k']}"
    first += f", seed {cell['seed']}" if name_seed else ""
    second = " > ".join([cell["retriever"], cell["filter"], cell["generator"], cell["judge"]])
    whole = visible(f"{first}: {second}")
    return [whole] if display_width(whole) < _WIDTH else [visible(first), visible(f"  {second}")]


def _label(task: str) -> str:
    try:
        return attacks.build(task).info.label
    except UserError:  # a run of an attack whose file is not here
        return task


def _task_table(rows: Sequence[Row], *, name_position: bool) -> Table:
    cell = rows[0].cell
    lines = [("clean", *_cells({r.metric: r for r in rows if r.condition == "clean"}))]
    attacked = [r for r in rows if r.condition == "attacked"]
    for place, group in groupby(attacked, lambda r: (r.cell["stage"], r.cell["ratio"], r.cell["position"])):
        name = f"{_DOORS.get(place[0], place[0])} {_ratio(place[1], cell['top_k'])}"
        if name_position and place[0] != "knowledge_base":
            name += f" {place[2]}"
        lines.append((visible(name), *_cells({r.metric: r for r in group})))
    return _fitting(["door, ratio", *(f"{heading} " for _, heading in COLUMNS), "AFR", "n"], lines)


def _fitting(headings: Sequence[str], lines: Sequence[Sequence[str]]) -> Table:
    """A table in which nothing is cropped, because a cropped interval or count would be a wrong number.

    Where the lines are too wide, the gaps go first, and then the column of AFR, which is 1 - ASR.
    """
    least = [13, *(15 for _ in COLUMNS), 4, 7]
    columns = zip(headings, least, zip(*lines, strict=True), strict=True)
    widths = [max(wide, display_width(heading), *map(display_width, cells)) for heading, wide, cells in columns]
    afr = len(headings) - 2
    without_afr = sum(widths) + len(widths) - 1 > _WIDTH
    shown = [i for i in range(len(headings)) if not (without_afr and i == afr)]
    gap = 1 if sum(widths[i] for i in shown) + 2 * (len(shown) - 1) <= _WIDTH else 0
    table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, gap, 0, 0))
    for i in shown:
        table.add_column(headings[i], justify="right" if i else "left", no_wrap=True, min_width=widths[i])
    for line in lines:
        table.add_row(*(line[i] for i in shown))
    return table


def _cells(rows: Mapping[str, Row]) -> list[str]:
    asr = rows.get("asr")
    afr = "-" if asr is None or asr.estimate.value is None else _number(1 - asr.estimate.value)
    counted = rows.get("f1_avg") or rows.get("ra_share")
    n = "-" if counted is None else f"{counted.estimate.n}/{counted.estimate.n + counted.estimate.n_unscored}"
    return [*(_marked(rows.get(metric)) for metric, _ in COLUMNS), afr, n]


def _marked(row: Row | None) -> str:
    """An interval, with a mark where the value differs from the clean run beyond chance."""
    d = row.difference if row else None
    holds = d is not None and d.p_holm is not None and d.p_holm < LEVEL
    return interval(row.estimate if row else None) + (_MARK if holds else " ")


def interval(estimate: Estimate | None) -> str:
    """``.87 [.80 .93]``; a dash where a metric does not apply, ``unscored`` where no case has a value."""
    if estimate is None:
        return "-"
    if estimate.value is None or estimate.low is None or estimate.high is None:
        return "unscored"
    return f"{_number(estimate.value)} [{_number(estimate.low)} {_number(estimate.high)}]"


def _number(value: float) -> str:
    text = f"{value:.2f}"
    return text[1:] if text.startswith("0.") else text


def _ratio(ratio: float, top_k: int) -> str:
    return f"{round(ratio * top_k)}/{top_k}"


def component_table(kind: str, entries: Iterable[Entry[Any]]) -> Table:
    """The components of one kind with their parameters and defaults."""
    table = Table(title=kind, title_justify="left", title_style="bold", box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("name", no_wrap=True)
    table.add_column("what it is, and its parameters")
    for entry in entries:
        parameters = ", ".join(
            name if p.default is p.empty or p.default is None else f"{name}={p.default}"
            for name, p in entry.parameters.items()
        )
        needs = f" [needs {', '.join(entry.requires)}]" if entry.requires else ""
        serves = f" [serves {', '.join(entry.serves)} alone]" if entry.serves else ""
        table.add_row(entry.name, visible(entry.summary + needs + serves + (f" ({parameters})" if parameters else "")))
    return table


def case_table(store: Store, harm: Mapping[str, tuple[int, int]] | None = None) -> Table:
    """The cases of a run by id and question.

    Args:
        store: The run.
        harm: Per case in how many of its attacked records the attack succeeded, and of how many: the most harmed case
            comes first.
    """
    table = Table(title="cases", title_justify="left", title_style="bold", box=SIMPLE_HEAD, pad_edge=False)
    widest = max((display_width(visible(case_id)) for case_id in store.cases), default=2)
    table.add_column("id", no_wrap=True, min_width=min(widest, 32), max_width=32, overflow="ellipsis")
    if harm is not None:
        table.add_column("succeeded", no_wrap=True, justify="right", min_width=9)
    table.add_column("question", no_wrap=True, overflow="ellipsis")
    cases = list(store.cases.values())
    if harm is not None:
        cases.sort(key=lambda case: -_share(harm.get(case.id, (0, 0))))
    for case in cases:
        count = [] if harm is None else ["{}/{}".format(*harm.get(case.id, (0, 0)))]
        table.add_row(visible(case.id), *count, visible(case.query))
    return table


def _share(counts: tuple[int, int]) -> float:
    return counts[0] / counts[1] if counts[1] else -1.0
