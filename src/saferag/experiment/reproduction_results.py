"""Our numbers beside the paper's: as records for machines, and as plain tables for terminal and Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from saferag.attacks import attacks
from saferag.experiment.estimates import Estimate
from saferag.experiment.published import load_published
from saferag.experiment.ranks import ranks
from saferag.experiment.reproduction import ICC, SA, SN, WDOS, Block, Components, Point, Series
from saferag.experiment.results import arm_estimates
from saferag.experiment.store import Store
from saferag.types import Condition, Lang

Found = Mapping[str, Mapping[str, Estimate]]

# What the paper concludes, by setting, task and metric.
_CONCLUSIONS = {
    ("stage", SN): "knowledge base safest, then retrieved, then filtered context",
    ("stage", ICC): "knowledge base safest, then retrieved, then filtered context",
    ("stage", SA): "knowledge base safest, then retrieved, then filtered context",
    ("stage", WDOS): "knowledge base safest, then retrieved, then filtered context",
    ("retriever", SN): "hybrid-rerank, hybrid, bm25, dense (DPR)",
    ("retriever", ICC): "hybrid-rerank is the most open",
    ("retriever", SA): "all alike",
    ("retriever", WDOS): "dense (DPR) is the most open",
    ("filter", SN): "SKR hurts",
    ("filter", ICC): "SKR hurts F1",
    ("filter", SA): "SKR helps, NLI hardly",
    ("filter", WDOS): "SKR helps, NLI hardly",
    ("generator", SN): "lighter models are safer",
    ("generator", ICC): "lighter models are safer",
    ("generator", SA): "lighter models are safer",
    ("generator", WDOS): "lighter models are safer",
}
_METRIC = {SN: "f1_avg", ICC: "afr", SA: "afr", WDOS: "afr"}


@dataclass(frozen=True, slots=True)
class PlainTable:
    """A table of texts."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def records(store: Store, blocks: Sequence[Block]) -> Iterator[dict[str, Any]]:
    """Every number of every block, with the published one and the difference."""
    found = arm_estimates(store)
    for block in blocks:
        for series in block.series:
            for column, field in zip(block.columns, series.fields, strict=True):
                for point in field:
                    where = {"part": block.part, "title": block.title, "series": series.label, "column": column}
                    yield where | _record(point, _ours(point, found), block.read_off)


def _record(point: Point, ours: Estimate | None, read_off: bool) -> dict[str, Any]:
    arm = point.cell.clean if point.condition is Condition.CLEAN else point.cell.attacked
    slack = load_published()[1] if read_off else 0.0
    value, low, high = (ours.value, ours.low, ours.high) if ours else (None, None, None)
    published = point.published
    agrees = None
    if low is not None and high is not None and published is not None:
        agrees = low - slack <= published <= high + slack
    return {
        **{key: setting for key, setting in arm.as_dict().items() if key != "epoch"},
        "metric": point.metric,
        "published": published,
        "read_off_figure": read_off,
        "value": value,
        "low": low,
        "high": high,
        "n": ours.n if ours else 0,
        "n_unscored": ours.n_unscored if ours else None,
        "difference": None if value is None or published is None else value - published,
        # Whether our interval, widened by how well a figure can be read, holds the published number.
        "agrees": agrees,
    }


def tables(store: Store, blocks: Sequence[Block]) -> Iterator[PlainTable]:
    """Each block as a table of ours, the paper's and the difference."""
    found = arm_estimates(store)
    for block in blocks:
        rows: list[tuple[str, ...]] = []
        for series in block.series:
            rows += _lines(series, found)
        yield PlainTable(f"{block.part} ({block.lang}): {block.title}", ("", "", *block.columns), tuple(rows))


def _lines(series: Series, found: Found) -> list[tuple[str, ...]]:
    pairs = [[(_value(point, found), point.published) for point in field] for field in series.fields]
    lines = [(series.label, "ours", *(_join([ours for ours, _ in field]) for field in pairs))]
    if any(published is not None for field in pairs for _, published in field):
        lines.append(("", "paper", *(_join([published for _, published in field]) for field in pairs)))
        differences = [[a - b if a is not None and b is not None else None for a, b in field] for field in pairs]
        lines.append(("", "diff.", *(_join(field, signed=True) for field in differences)))
    return lines


def rank_table(store: Store, components: Components, tasks: Sequence[str], lang: Lang) -> PlainTable:
    """Ranks of stages and components under attack, with intervals, beside the paper's conclusions."""
    rows: list[tuple[str, ...]] = []
    for factor in ("stage", "retriever", "filter", "generator"):
        for task in tasks:
            if task not in _METRIC:
                continue
            found = ranks(store, factor, _METRIC[task], task=task, lang=lang.value)
            if found:
                listed = ", ".join(f"{r.component} {r.rank:g} [{r.low:g} {r.high:g}]" for r in found)
                label = attacks.build(task).info.label
                rows.append((factor, label, listed, _CONCLUSIONS.get((factor, task), "")))
    title = f"Ranks under attack ({lang}), 1 = safest, with 95 % intervals (F1 for silver noise, AFR for the others)"
    return PlainTable(title, ("", "task", "ours", "paper"), tuple(rows))


def markdown(store: Store, every_table: Sequence[PlainTable], deviations: Sequence[str], command: str) -> str:
    """The whole comparison as Markdown."""
    source, tolerance, _ = load_published()
    settings = store.settings
    lines = [
        "# The paper's experiments on our components",
        "",
        f"Paper: {source}. Numbers read off its figures are good to ±{tolerance:g}.",
        f"Data: {settings['data']['name']}, sha256 {settings['data']['sha256'][:12]}. Command: `{command}`.",
        f"saferag {settings['saferag']}, fingerprint {settings['fingerprint'][:12]}.",
        "",
        "What is not as in the paper (numbers are sections of docs/deviations.md):",
        "",
        *(f"- {deviation}" for deviation in deviations),
        "",
    ]
    for table in every_table:
        lines += [f"## {_cell(table.title)}", "", _row(table.columns), _row(["---"] * len(table.columns))]
        lines += [*map(_row, table.rows), ""]
    return "\n".join(lines)


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(map(_cell, cells)) + " |"


def _cell(text: str) -> str:
    """Text that cannot break out of its cell."""
    escaped = "".join("\\" + c if c in "\\`*_{}[]<>()#|!" else c for c in " ".join(text.split()))
    return escaped.replace("&", "&amp;")


def _ours(point: Point, found: Found) -> Estimate | None:
    arm = point.cell.clean if point.condition is Condition.CLEAN else point.cell.attacked
    return found.get(arm.id, {}).get(point.metric)


def _value(point: Point, found: Found) -> float | None:
    ours = _ours(point, found)
    return ours.value if ours else None


def _join(values: Sequence[float | None], *, signed: bool = False) -> str:
    if all(value is None for value in values):
        return "-"
    return "→".join("-" if v is None else _number(v, signed=signed) for v in values)


def _number(value: float, *, signed: bool) -> str:
    text = f"{value:+.2f}" if signed else f"{value:.2f}"
    return text.replace("0.", ".", 1) if abs(value) < 1 else text
