"""Rows for machines: estimates and records as CSV, Parquet and JSON."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from saferag.errors import MissingExtraError
from saferag.experiment.effects import paired_rows
from saferag.experiment.records import Record
from saferag.experiment.results import KEYS, coverage
from saferag.experiment.store import Store
from saferag.report import headline
from saferag.report.model import Summary
from saferag.report.texts import Texts
from saferag.report.untrusted import cell
from saferag.types import Judgement, Score, Unscored

_CELL = (*KEYS, "condition", "epoch")


def estimate_rows(store: Store) -> list[dict[str, Any]]:
    """A row for each cell, condition and metric, as ``saferag run --json`` prints them."""
    return [row.as_dict() for row in paired_rows(store)]


def record_rows(store: Store) -> Iterator[dict[str, Any]]:
    """A row for each record: settings, answer, outcome, a column for each metric and one for why it is missing."""
    arms = store.settings["arms"]
    metrics = sorted({name for record in store.records.values() for name in record.scores})
    for (arm, case_id), record in sorted(store.records.items()):
        settings = {key: arms[arm].get(key) for key in _CELL}
        yield {"arm": arm, "case": case_id, **settings, **_outcome(record), **_scores(record, metrics)}


def _outcome(record: Record) -> dict[str, Any]:
    trace = record.trace
    judge = record.judgement.usage if isinstance(record.judgement, Judgement) else None
    return {
        "answer": trace.answer,
        "retrieved": " ".join(p.id for p in trace.retrieved),
        "context": " ".join(p.id for p in trace.context),
        "attack": " ".join(p.id for p in trace.attack),
        "failures": "; ".join(f"{f.step}: {f.kind}" for f in record.failures) or None,
        "calls": trace.usage.calls,
        "prompt_tokens": trace.usage.prompt_tokens,
        "completion_tokens": trace.usage.completion_tokens,
        "judge_calls": judge.calls if judge else 0,
        "seconds": record.seconds,
    }


def _scores(record: Record, metrics: Sequence[str]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    reasons = []
    for name in metrics:
        value = record.scores.get(name)
        found[name] = value.value if isinstance(value, Score) else None
        if isinstance(value, Unscored):
            reasons.append(f"{name}: {value.reason}")
    return {**found, "unscored": "; ".join(reasons) or None}


def csv_text(rows: Iterable[Mapping[str, Any]]) -> str:
    """Rows as CSV that a spreadsheet reads without running anything: UTF-8 with a mark, formulas disarmed."""
    target = io.StringIO()
    writer: Any = None
    for row in rows:
        if writer is None:
            writer = csv.writer(target, lineterminator="\r\n")
            writer.writerow([cell(key) for key in row])
        writer.writerow([cell(value) for value in row.values()])
    return "\ufeff" + target.getvalue()


def parquet_bytes(rows: Iterable[Mapping[str, Any]]) -> bytes:
    """Rows as a Parquet file, texts as they are.

    Raises:
        MissingExtraError: pyarrow is not installed.
    """
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise MissingExtraError("Parquet", "parquet") from None
    target = io.BytesIO()
    clean = [{_storable(key): _storable(value) for key, value in row.items()} for row in rows]
    pq.write_table(pa.Table.from_pylist(clean), target)
    return target.getvalue()


def _storable(value: Any) -> Any:  # noqa: ANN401 - a cell of any type
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else value


def json_text(summary: Summary, t: Texts) -> str:
    """The whole report for machines: the answer, every door, estimates, coverage and settings."""
    store = summary.store
    done = coverage(store)
    value = {
        "answer": [*headline.answer(summary, t), *headline.certainty(summary, t)],
        "doors": [_door(summary, key) for key in summary.doors],
        "estimates": estimate_rows(store),
        "coverage": {"done": done.done, "failed": done.failed, "missing": done.missing, "total": done.total},
        "unscored": {u.metric: {"missing": u.missing, "total": u.total} for u in summary.unscored},
        "settings": store.settings,
    }
    return json.dumps(value, ensure_ascii=True, indent=1, default=str) + "\n"


def _door(summary: Summary, key: tuple[str, str]) -> dict[str, Any]:
    door = summary.doors[key]
    c, d = door.contrast, door.contrast.difference
    return {
        "task": door.task,
        "stage": door.stage,
        "metric": c.metric,
        "before": c.before.value if c.before else None,
        "after": c.after.value if c.after else None,
        "change": d.value if d else None,
        "change_low": d.low if d else None,
        "change_high": d.high if d else None,
        "p_holm": d.p_holm if d else None,
        "holds": c.holds,
        "survival": [e.value if e else None for e in door.funnel],
    }
