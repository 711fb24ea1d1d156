"""The report's tables, in the words of a language; the same ones serve HTML, Markdown and LaTeX."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from saferag.experiment.estimates import Estimate
from saferag.report.cost import Cost
from saferag.report.figures import axis_name, mean_text
from saferag.report.model import STEPS, Curve, Door, Panel, Ranking, Summary
from saferag.report.texts import Texts
from saferag.report.values import CellArms, Contrast


@dataclass(frozen=True, slots=True)
class TableView:
    """A table of texts.

    Attributes:
        caption: What it shows.
        heads: Column headings; the first column names the rows.
        rows: Cells.
        numeric: Columns of figures.
    """

    caption: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numeric: frozenset[int]


def pipeline(cell: Mapping[str, Any]) -> str:
    """A pipeline in short."""
    return "\N{NO-BREAK SPACE}› ".join(str(cell[k]) for k in ("retriever", "filter", "generator"))


def matrix_table(summary: Summary, t: Texts) -> TableView:
    """Every attack at every door: clean, attacked, change, interval, p, n; the worst first."""
    keys = ("attack", "head_before", "head_after", "head_change", "head_interval", "head_p", "head_n")
    heads = [t(f"matrix.{k}") for k in keys]
    heads[1:1] = [t.heading("factor", "stage"), t("metric_word")]
    rows = tuple(_door_row(d, t) for d in summary.ranked_doors)
    return TableView(t("section.matrix"), tuple(heads), rows, frozenset(range(3, 9)))


def _door_row(door: Door, t: Texts) -> tuple[str, ...]:
    c, d = door.contrast, door.contrast.difference
    return (
        t.heading("task", door.task),
        t.name("stage", door.stage),
        t.name("metric", c.metric),
        mean_text(c.before, t),
        mean_text(c.after, t),
        t.points(d.value) if d else "–",
        t.span(d.low, d.high, signed=True) if d else "–",
        t.p(d.p_holm) if d else "–",
        _n(c.after),
    )


def _n(estimate: Estimate | None) -> str:
    if estimate is None:
        return "0"
    return f"{estimate.n}/{estimate.n + estimate.n_unscored}" if estimate.n_unscored else str(estimate.n)


def funnel_table(summary: Summary, t: Texts) -> TableView:
    """The share of attack text at each step."""
    heads = (t("matrix.attack"), t.heading("factor", "stage"), *(t.name("step", s) for s in STEPS))
    rows = tuple(
        (t.heading("task", d.task), t.name("stage", d.stage), *(mean_text(e, t) for e in d.funnel))
        for d in summary.doors.values()
    )
    return TableView(t.heading("funnel", "title"), heads, rows, frozenset(range(2, 6)))


def curve_table(curves: Sequence[Curve], t: Texts) -> TableView:
    """All curves: a row for each, a column for each ratio."""
    ratios = sorted({r for c in curves for r, _ in c.points})
    heads = (t("matrix.attack"), t("metric_word"), t("compare.setting"), *(t.percent(r) for r in ratios))
    rows = []
    for c in curves:
        found = dict(c.points)
        name = f"{t.heading('factor', c.factor)}: {t.name(c.factor, c.value)}"
        cells = (t.number(found[r].value) if r in found else "–" for r in ratios)
        rows.append((t.heading("task", c.task), t.name("metric", c.metric), name, *cells))
    return TableView(t("section.curves"), heads, tuple(rows), frozenset(range(3, 3 + len(ratios))))


def panel_table(panels: Sequence[Panel], t: Texts) -> TableView:
    """Before and after on every axis of every panel."""
    heads = (t("compare.setting"), t("panels.head_axis"), t("clean"), t("attacked"))
    rows = tuple(
        (t.name(p.factor, p.value), axis_name(a.task, a.metric, t), mean_text(a.before, t), mean_text(a.after, t))
        for p in panels
        for a in p.axes
    )
    return TableView(t("section.panels"), heads, rows, frozenset({2, 3}))


def bars_table(panels: Sequence[Panel], t: Texts) -> TableView:
    """What is left on every axis, and the sum."""
    names = list(dict.fromkeys((a.task, a.metric) for p in panels for a in p.axes))
    heads = (t("compare.setting"), *(axis_name(*name, t) for name in names), t("bars.head_sum"))
    rows = []
    for p in panels:
        found = {(a.task, a.metric): a.after.value or 0.0 for a in p.axes}
        cells = (t.number(found[name]) if name in found else "–" for name in names)
        rows.append((t.name(p.factor, p.value), *cells, t.number(sum(found.values()))))
    return TableView(t("bars.title"), heads, tuple(rows), frozenset(range(1, len(heads))))


def ranking_table(rankings: Sequence[Ranking], t: Texts) -> TableView:
    """All ranks with their intervals."""
    heads = (
        t("compare.setting"), t("matrix.attack"), t("metric_word"), t("ranking.head_mean"), t("ranking.head_rank"),
        t("matrix.head_interval"), t("matrix.head_n"),
    )  # fmt: skip
    rows = tuple(
        (
            t.name(r.factor, x.component), t.heading("task", r.task), t.name("metric", r.metric), t.percent(x.value),
            t.number(x.rank, 1), f"{t.number(x.low, 1)}–{t.number(x.high, 1)}", str(x.n),
        )
        for r in rankings
        for x in r.ranks
    )  # fmt: skip
    return TableView(t("ranking.axis"), heads, rows, frozenset(range(3, 7)))


_USE = ("f1_avg", "fact_coverage", "golden_recall", "refusal_rate")


def utility_table(summary: Summary, t: Texts) -> TableView:
    """Use, safety and cost of every pipeline; nothing about models where none was asked."""
    asked = any(p.cost.pipeline.calls or p.cost.judge.calls for p in summary.pipelines)
    judges = len({p.names[-1] for p in summary.pipelines}) > 1
    costs = ("calls", "tokens", "judge_calls", "seconds") if asked else ("seconds",)
    heads = (
        t("utility.pipeline"),
        *(t.name("metric", m) for m in _USE),
        *(f"Δ {t.name('label', task)} {t.name('short', summary.metric[task])}" for task in summary.tasks),
        *(t(f"utility.{k}") for k in costs),
    )
    rows = tuple(
        (
            "\N{NO-BREAK SPACE}› ".join(p.names if judges else p.names[:-1]),
            *(t.percent(p.utility[m].value) if m in p.utility else "–" for m in _USE),
            *(_change(p.security.get(task), t) for task in summary.tasks),
            *(_cost(p.cost, k, t) for k in costs),
        )
        for p in summary.pipelines
    )
    return TableView(t("utility.caption"), heads, rows, frozenset(range(1, len(heads))))


def _cost(cost: Cost, key: str, t: Texts) -> str:
    count = max(cost.records, 1)
    if key == "seconds":
        return t.number(cost.seconds, 2)
    if key == "tokens":
        return t.number((cost.pipeline.prompt_tokens + cost.pipeline.completion_tokens) / count, 0)
    return t.number((cost.judge if key == "judge_calls" else cost.pipeline).calls / count, 1)


def _change(contrast: Contrast | None, t: Texts) -> str:
    if contrast is None or contrast.difference is None or contrast.difference.value is None:
        return "–"
    return t.points(contrast.difference.value) + (" ●" if contrast.holds else " ○")


def unscored_table(summary: Summary, t: Texts) -> TableView:
    """Missing values and why they are missing."""
    heads = (t("coverage.metric"), t("coverage.missing"), t("coverage.of"), t("coverage.reasons"))
    rows = tuple(
        (u.metric, t.count(u.missing), t.count(u.total), ", ".join(f"{reason} ({n})" for reason, n in u.reasons))
        for u in summary.unscored
    )
    return TableView(t("section.coverage"), heads, rows, frozenset({1, 2}))


_NUMBERS = ("ra_share", "f1_avg", "asr", "refusal_rate")


def numbers_table(summary: Summary, cells: Sequence[CellArms], t: Texts) -> TableView:
    """Clean and attacked means of every cell."""
    values = summary.values
    keys = [k for k in ("lang", "ratio", "position", "top_k", "judge", "seed") if _varies(values.cells, k)]
    heads = (
        t("matrix.attack"), t.heading("factor", "stage"), t("utility.pipeline"),
        *(t.heading("factor", k) for k in keys), *(t.name("metric", m) for m in _NUMBERS), "n",
    )  # fmt: skip
    rows = []
    for c in cells:
        found = [(values.mean(values.clean([c], m)), values.mean(values.attacked([c], m))) for m in _NUMBERS]
        settings = (t.percent(c.cell[k]) if k == "ratio" else t.name(k, c.cell[k]) for k in keys)
        rows.append(
            (
                t.heading("task", c.cell["task"]), t.name("stage", c.cell["stage"]), pipeline(c.cell), *settings,
                *(_arrow(*x, t) for x in found), str(len(c.cases)),
            )
        )  # fmt: skip
    start = 3 + len(keys)
    return TableView(t("section.numbers"), heads, tuple(rows), frozenset(range(start, start + 5)))


def _arrow(before: float | None, after: float | None, t: Texts) -> str:
    return "–" if before is None and after is None else f"{t.percent(before)} → {t.percent(after)}"


def _varies(cells: Sequence[CellArms], key: str) -> bool:
    return len({c.cell[key] for c in cells}) > 1
