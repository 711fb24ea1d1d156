"""What an adaptive attacker found, as tables of 80 columns. Values are per cent."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from saferag.experiment.adaptive import Search
from saferag.experiment.funnel import FunnelRow
from saferag.registry import ComponentSpec
from saferag.report.funnel_tables import change, interval, plain
from saferag.text import visible

LEGEND = (
    "Obeyed, per cent, with 95 % intervals. The wording was chosen on dev and measured on test, where nothing was "
    "chosen. + beyond: paired by case; * holds at the 5 % level after Holm."
)


def adaptive_tables(result: Search, rows: Sequence[FunnelRow], queries: int) -> Iterator[Table | Text]:
    """The rounds of the search, then the default and the chosen wording on test."""
    yield Text(f"chosen on dev, {queries} questions", style="bold")
    table = _table("wording", "position", *(f"n={r.cases}" for r in result.rounds))
    reached = [dict(r.found) for r in result.rounds]
    order = {c: (-sum(c in found for found in reached), -reached[0][c]) for c in reached[0]}
    for candidate in sorted(order, key=lambda c: (c != result.best, *order[c])):
        harms = (f"{100 * found[candidate]:.0f}" if candidate in found else "" for found in reached)
        chosen = " (chosen)" if candidate == result.best else ""
        table.add_row(_wording(candidate.task) + chosen, candidate.position.value, *harms)
    yield table
    yield Text("")
    yield Text("reported on test", style="bold")
    table = _table("wording", "position", "clean", "control", "obeyed", "+ beyond control")
    for row in rows:
        values = (plain(row.clean), plain(row.control), interval(row.obeyed), change(row.over_control))
        table.add_row(_wording(row.task), row.pipeline[0], *values)
    yield table
    yield Text(LEGEND)


def _wording(task: str) -> str:
    """The parameters of a spec, which tell the wordings of one attack apart."""
    spec = ComponentSpec.parse(task)
    return visible(", ".join(f"{k}={v}" for k, v in spec.params) or "default")


def _table(first: str, second: str, *headings: str) -> Table:
    table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column(first, overflow="fold", max_width=30)
    table.add_column(second, no_wrap=True)
    for heading in headings:
        table.add_column(heading, justify="right", no_wrap=True)
    return table
