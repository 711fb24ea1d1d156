"""The funnel as tables of 80 columns. Values are per cent."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from saferag.experiment.comparison import Difference
from saferag.experiment.effects import LEVEL
from saferag.experiment.estimates import Estimate
from saferag.experiment.funnel import PIPELINE, FunnelRow, funnel, matrix
from saferag.experiment.store import Store
from saferag.text import visible

WIDEST = 5  # columns of a matrix beside the attack's name
_DOORS = {
    "knowledge_base": "through the knowledge base",
    "retrieved_context": "into the retrieved context",
    "filtered_context": "into the filtered context",
}
LEGEND = (
    "Per cent, with 95 % intervals. KB, retrieved, filtered, response: share of the attack's text that is there. "
    "Obeyed: how far the answer does what the attack wants (its keywords, a refusal, facts left out …). "
    "+ beyond: paired by case; * holds at the 5 % level after Holm. Control: benign text of the same length in the "
    "same places; closed: no context at all (both with --controls)."
)


def funnel_tables(store: Store) -> Iterator[Table | Text]:
    """For every pipeline and door the funnel and the effects, then attacks against filters and generators."""
    rows = funnel(store)

    def place(row: FunnelRow) -> tuple[str, ...]:
        return (*row.pipeline, row.stage)

    doors = list(_DOORS)
    rows.sort(key=lambda row: (row.pipeline, doors.index(row.stage)))
    for key, group in groupby(rows, place):
        members = list(group)
        yield Text(visible(f"{_DOORS[key[-1]]}, {' > '.join(key[:-1])}"), style="bold")
        yield _steps(members)
        yield _effects(members)
        yield Text("")
    for factor in ("filter", "generator"):
        yield from _matrix(store, factor)
    yield Text(LEGEND)


def _table(*headings: str) -> Table:
    table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column("attack", no_wrap=True, overflow="ellipsis", max_width=12)
    for heading in headings:
        table.add_column(heading, justify="right", no_wrap=True)
    return table


def _steps(rows: Sequence[FunnelRow]) -> Table:
    table = _table("KB", "retrieved", "filtered", "response", "obeyed", "n")
    for row in rows:
        n = "-" if row.obeyed is None else f"{row.obeyed.n}/{row.obeyed.n + row.obeyed.n_unscored}"
        entry = "-" if row.steps[0] is None else plain(row.steps[0])
        table.add_row(visible(row.label), entry, *map(interval, (*row.steps[1:], row.obeyed)), n)
    return table


def _effects(rows: Sequence[FunnelRow]) -> Table:
    table = _table("clean", "control", "closed", "attacked", "+ beyond clean", "+ beyond control")
    for row in rows:
        values = map(plain, (row.clean, row.control, row.closed_book, row.obeyed))
        table.add_row(visible(row.label), *values, change(row.over_clean), change(row.over_control))
    return table


def _matrix(store: Store, factor: str) -> Iterator[Table | Text]:
    """Attacks against the values of a setting, if there are two or more of them."""
    rows = matrix(store, factor)
    at = PIPELINE.index(factor)
    names = list(dict.fromkeys(row.pipeline[at] for row in rows))
    if len(names) < 2:
        return
    found = {(row.label, row.pipeline[at]): row for row in rows}
    for i in range(0, len(names), WIDEST):
        part = names[i : i + WIDEST]
        yield Text(f"obeyed, attack against {factor}", style="bold")
        table = _table(*(visible(name)[:14] for name in part))
        for label in dict.fromkeys(row.label for row in rows):
            cells = (found.get((label, name)) for name in part)
            table.add_row(visible(label), *(interval(row.obeyed if row else None) for row in cells))
        yield table
        yield Text("")


def plain(value: Estimate | None) -> str:
    """A value, a dash where there is none."""
    if value is None:
        return "-"
    return "unscored" if value.value is None else f"{100 * value.value:.0f}"


def interval(value: Estimate | None) -> str:
    """A value with its interval."""
    if value is None or value.value is None or value.low is None or value.high is None:
        return plain(value)
    return f"{100 * value.value:.0f} [{100 * value.low:.0f} {100 * value.high:.0f}]"


def change(found: Difference | None) -> str:
    """A difference with its interval; a star where it holds after correction."""
    if found is None or found.value is None or found.low is None or found.high is None:
        return "-"
    star = "*" if found.p_holm is not None and found.p_holm < LEVEL else " "
    return f"{100 * found.value:+.0f} [{100 * found.low:+.0f} {100 * found.high:+.0f}]{star}"
