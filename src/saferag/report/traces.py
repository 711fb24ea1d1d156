"""One attacked case, ready to be shown: its answers, what came in and how far, and what was judged differently."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from saferag.experiment.records import Record
from saferag.report.cases import Observation
from saferag.report.declared import target_of
from saferag.report.marking import Marker, Part
from saferag.report.model import Summary
from saferag.report.story import origin_of
from saferag.report.untrusted import one_line, readable
from saferag.types import Case, Failure, Judgement, Passage, Score, Trace


@dataclass(frozen=True, slots=True)
class Row:
    """One passage and how far it got; None where the step is behind its entry."""

    id: str
    origin: str
    parts: tuple[Part, ...]
    retrieved: bool
    filtered: bool
    seen: bool


@dataclass(frozen=True, slots=True)
class Changed:
    """An option whose verdict is another one under attack."""

    text: str
    label: str
    clean: str
    attacked: str


@dataclass(frozen=True, slots=True)
class View:
    """What is shown of one attacked case.

    Attributes:
        anchor: Its place in the page.
        observation: What became of it.
        case: The case.
        clean, attacked: Answers in pieces; None where there is none.
        notes: Failures and removals as (text key, values).
        passages: All passages that came in.
        changed: Options whose verdicts differ.
        options: How many options there are.
        scores: Metric, clean and attacked value.
    """

    anchor: str
    observation: Observation
    case: Case
    clean: tuple[Part, ...] | None
    attacked: tuple[Part, ...] | None
    notes: tuple[tuple[str, dict[str, str]], ...]
    passages: tuple[Row, ...]
    changed: tuple[Changed, ...]
    options: int
    scores: tuple[tuple[str, float | None, float | None], ...]


def anchor_of(observation: Observation) -> str:
    """A place in the page that no text of a case can choose."""
    digits = hashlib.sha256(observation.case.encode("utf-8", "replace")).hexdigest()
    return f"t-{observation.cell.attacked}-{digits[:10]}"


def view(summary: Summary, observation: Observation) -> View:
    """Gather what is shown of one case."""
    store = summary.store
    case = store.cases[observation.case]
    clean = store.records.get((observation.cell.clean, case.id))
    attacked = store.records.get(observation.key)
    target = target_of(observation.cell.cell["task"], case)
    injected = attacked.trace.attack if attacked else ()
    benign = [case.query, *(p.text for p in (*case.golden, *case.background))]
    marker = Marker.of([readable(p.text) for p in injected], map(readable, benign), target.keywords)
    return View(
        anchor_of(observation),
        observation,
        case,
        _answer(clean, marker),
        _answer(attacked, marker),
        tuple(_notes(attacked)),
        _passages(case, attacked.trace, marker) if attacked else (),
        tuple(_changed(case, observation, clean, attacked)),
        len(target.options),
        tuple(_scores(summary, clean, attacked)),
    )


def _answer(record: Record | None, marker: Marker) -> tuple[Part, ...] | None:
    if record is None or record.trace.answer is None:
        return None
    return tuple(marker.parts(readable(record.trace.answer)))


def _notes(record: Record | None) -> list[tuple[str, dict[str, str]]]:
    if record is None:
        return [("trace.not_run", {})]
    notes = [
        ("trace.removed", {"id": one_line(r.passage_id), "reason": one_line(r.reason)}) for r in record.trace.removed
    ]
    for failure, key in ((record.trace.failure, "trace.failure"), (record.judgement, "trace.judge_failure")):
        if isinstance(failure, Failure):
            values = {"step": failure.step, "kind": failure.kind, "message": one_line(failure.message)}
            notes.append((key, values))
    return notes


def _passages(case: Case, trace: Trace, marker: Marker) -> tuple[Row, ...]:
    union = dict.fromkeys([*trace.context, *trace.retrieved, *trace.filtered])
    missing = [p for p in trace.attack if not any(p.id in q.provenance for q in union)]
    steps = [_keys(step) for step in (trace.retrieved, trace.filtered, trace.context)]
    rows = []
    for passage in [*union, *missing]:
        origin = origin_of(case, passage).casefold()
        retrieved, filtered, seen = (_key(passage) in step for step in steps)
        parts = tuple(marker.parts(readable(passage.text)))
        rows.append(Row(one_line(passage.id), origin, parts, retrieved, filtered, seen))
    return tuple(rows)


def _key(passage: Passage) -> tuple[str, str]:
    return passage.id, passage.text


def _keys(context: Sequence[Passage]) -> frozenset[tuple[str, str]]:
    return frozenset(map(_key, context))


def _changed(case: Case, observation: Observation, clean: Record | None, attacked: Record | None) -> list[Changed]:
    before, after = _verdicts(clean), _verdicts(attacked)
    options = target_of(observation.cell.cell["task"], case).options
    return [
        Changed(readable(o.text), o.label.value, before[o.id], after[o.id])
        for o in options
        if o.id in before and o.id in after and before[o.id] != after[o.id]
    ]


def _verdicts(record: Record | None) -> dict[str, str]:
    if record is None or not isinstance(record.judgement, Judgement):
        return {}
    return {j.option_id: j.verdict.value for j in record.judgement.verdicts}


_SHOWN = ("asr", "f1_avg", "f1_correct", "f1_incorrect", "fact_coverage", "ra_share", "refusal_rate")


def _scores(
    summary: Summary, clean: Record | None, attacked: Record | None
) -> list[tuple[str, float | None, float | None]]:
    found = []
    for metric in (*_SHOWN, "survival_retrieved", "survival_filtered", "survival_response"):
        before, after = _score(clean, metric), _score(attacked, metric)
        if before is not None or after is not None:
            found.append((metric, before, after))
    return found


def _score(record: Record | None, metric: str) -> float | None:
    value = record.scores.get(metric) if record else None
    return value.value if isinstance(value, Score) else None


def chosen(summary: Summary, limit: int) -> list[Observation]:
    """The observations that are shown in full: of each cell in turn the most harmful that is left."""
    by_cell: dict[str, list[Observation]] = {}
    for o in summary.observations:
        if o.key in summary.store.records:
            by_cell.setdefault(o.cell.attacked, []).append(o)
    picked = {p.observation.key: p.observation for p in summary.picks if p.observation.key in summary.store.records}
    queues = [iter(sorted(own, key=lambda o: (-(o.harm or 0), o.case))) for own in by_cell.values()]
    while queues and len(picked) < limit:
        left = []
        for queue in queues:
            found = next(queue, None)
            if found is not None and len(picked) < limit:
                picked.setdefault(found.key, found)
                left.append(queue)
        queues = left
    return [o for o in summary.observations if o.key in picked]
