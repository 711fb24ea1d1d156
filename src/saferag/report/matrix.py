"""The matrix of attacks and doors, in words."""

from __future__ import annotations

from dataclasses import dataclass

from saferag.report import figures
from saferag.report.model import Summary
from saferag.report.svg import Figure
from saferag.report.texts import Texts


@dataclass(frozen=True, slots=True)
class MatrixCell:
    """One attack at one door, in words."""

    stage: str
    door: bool
    heat: int = 0
    before: str = ""
    after: str = ""
    change: str = ""
    span: str = ""
    n: str = ""
    holds: bool = False
    control: str = ""
    figure: Figure | None = None


@dataclass(frozen=True, slots=True)
class MatrixRow:
    """One attack at all doors."""

    name: str
    metric: str
    direction: str
    cells: tuple[MatrixCell, ...]


def matrix_row(summary: Summary, task: str, t: Texts) -> MatrixRow:
    """One attack at all doors of the run."""
    metric = summary.metric[task]
    worse = "worse_up" if summary.values.direction(metric) == "lower_is_safer" else "worse_down"
    cells = tuple(_matrix_cell(summary, task, stage, t) for stage in summary.stages)
    return MatrixRow(t.heading("task", task), t.name("metric", metric), t(f"matrix.{worse}"), cells)


def _matrix_cell(summary: Summary, task: str, stage: str, t: Texts) -> MatrixCell:
    door = summary.doors.get((task, stage))
    if door is None:
        return MatrixCell(stage, False)
    c, d = door.contrast, door.contrast.difference
    shown = d is not None and d.value is not None
    harm = c.harm or 0.0
    return MatrixCell(
        stage,
        True,
        heat=sum(harm >= step for step in (0.05, 0.25, 0.5, 0.75)),
        before=t.percent(c.before.value if c.before else None),
        after=t.percent(c.after.value if c.after else None),
        change=t.points(d.value) if d else "–",
        span=t.span(d.low, d.high, signed=True) if d else "–",
        n=t.count(c.after.n if c.after else 0),
        holds=c.holds,
        control=t.percent(door.control.value) if door.control else "",
        figure=figures.whisker(c, t) if shown else None,
    )
