"""A comparison of two runs as a terminal table, as Markdown and as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from saferag.report.compare import Change, Comparison
from saferag.report.plain import markdown_table
from saferag.report.texts import Texts
from saferag.report.untrusted import markdown
from saferag.report.views import TableView
from saferag.text import visible

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text

_SHOWN = 40
_MIRRORED = ("afr",)  # 1 - ASR, and said by it
_SETTINGS = ("task", "stage", "ratio", "position", "top_k", "retriever", "filter", "generator", "judge", "lang", "seed")


def lines(found: Comparison, names: tuple[str, str], t: Texts) -> list[str]:
    """What was compared, in sentences."""
    said = [t("compare.lead", first=names[0], second=names[1])]
    said += [f"{t.heading('factor', k)}{t('colon')} {a} → {b}" for k, a, b in found.differing]
    said.append(t("compare.pairs", cells=found.settings, metrics=len(found.metrics)))
    for name, count in zip(names, (found.only_first, found.only_second), strict=True):
        if count:
            said.append(t("compare.only", name=name, n=count))
    if not found.same_data:
        said.append(t("compare.differ"))
    if not found.worse:
        said.append(t("compare.none_worse"))
    return said


def table(changes: Sequence[Change], caption: str, t: Texts) -> TableView:
    """Changes as a table."""
    changes = [c for c in changes if c.metric not in _MIRRORED]
    varying = [k for k in _SETTINGS if _varies(changes, k)]
    heads = (t("metric_word"), t("matrix.head_change"), t("matrix.head_interval"), t("compare.setting"))
    rows = tuple(
        (
            c.metric,
            t.points(c.difference.value),
            t.span(c.difference.low, c.difference.high, signed=True),
            _setting(c, varying, t),
        )
        for c in changes[:_SHOWN]
    )
    more = f" ({_SHOWN}/{len(changes)})" if len(changes) > _SHOWN else ""
    return TableView(caption + more, heads, rows, frozenset({1, 2}))


def _varies(changes: Sequence[Change], key: str) -> bool:
    """Whether a setting says anything: it has several values, also within one task."""
    return len({(c.cell.get("task"), c.cell.get(key)) for c in changes if key in c.cell}) > len(
        {c.cell.get("task") for c in changes if key in c.cell}
    )


def _setting(change: Change, varying: Sequence[str], t: Texts) -> str:
    named = [t("clean")] if change.condition == "clean" else []
    for key in dict.fromkeys(("task", *varying)):
        if key in change.cell:
            value = change.cell[key]
            named.append(t.percent(value) if key == "ratio" else t.name(key, value))
    return t("aside").join(named)


def tables(found: Comparison, t: Texts) -> list[TableView]:
    """What became worse, then what became better."""
    parts = ((found.worse, t("compare.worse")), (found.better, t("compare.better")))
    return [table(changes, caption, t) for changes, caption in parts if changes]


def terminal(found: Comparison, names: tuple[str, str], t: Texts) -> Iterator[Table | Text]:
    """For a terminal of 80 columns."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    for line in lines(found, names, t):
        yield Text(visible(line))
    for view in tables(found, t):
        yield Text("")
        yield Text(visible(view.caption), style="bold")
        shown = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
        for i, head in enumerate(view.heads):
            last = i == len(view.heads) - 1
            shown.add_column(head, justify="right" if i in view.numeric else "left", no_wrap=not last,
                             overflow="fold")  # fmt: skip
        for row in view.rows:
            shown.add_row(*map(visible, row))
        yield shown
    yield Text("")
    yield Text(t("compare.same", n=_same(found)))


def markdown_text(found: Comparison, names: tuple[str, str], t: Texts) -> str:
    """For a comment on a pull request."""
    parts = [f"## {markdown(t('compare.title'))}", *(markdown(line) for line in lines(found, names, t))]
    parts += [f"### {markdown(view.caption)}\n\n{markdown_table(view)}" for view in tables(found, t)]
    return "\n\n".join([*parts, markdown(t("compare.same", n=_same(found)))]) + "\n"


def json_text(found: Comparison) -> str:
    """For machines: all changes."""
    value = {
        "differing": [{"setting": k, "first": a, "second": b} for k, a, b in found.differing],
        "settings": found.settings,
        "only_first": found.only_first,
        "only_second": found.only_second,
        "same_data": found.same_data,
        "changes": [_as_dict(c) for c in sorted(found.changes, key=lambda c: (-c.harm * c.holds, c.metric))],
    }
    return json.dumps(value, ensure_ascii=True) + "\n"


def _as_dict(change: Change) -> dict[str, Any]:
    d = change.difference
    return {
        **change.cell,
        "condition": change.condition,
        "metric": change.metric,
        "change": d.value,
        "low": d.low,
        "high": d.high,
        "p_holm": d.p_holm,
        "n": d.n,
        "worse": change.holds and change.harm > 0,
        "better": change.holds and change.harm < 0,
    }


def _same(found: Comparison) -> int:
    return len(found.changes) - len(found.worse) - len(found.better)
