"""One case as a story: the question, what was retrieved and from where, the filter, the answer, the verdicts."""

from __future__ import annotations

from collections.abc import Iterator

from rich.padding import Padding
from rich.text import Text

from saferag.experiment.records import Record
from saferag.experiment.store import Store
from saferag.report.declared import target_of
from saferag.text import visible
from saferag.types import Case, Context, Failure, Origin, Passage, Score, Unscored, Verdict

Block = Text | Padding
_MARK = {Verdict.CORRECT: "correct", Verdict.INCORRECT: "incorrect", Verdict.UNDECIDED: "undecided"}

_WITHOUT = {"clean": "clean run", "closed_book": "closed book: no context"}


def stories(store: Store, case_id: str, *, task: str | None = None, stage: str | None = None) -> Iterator[Block]:
    """The story of a case in every arm that it was run in, clean arms first."""
    case = store.cases[case_id]
    yield Text(f"{visible(case.id)}  {visible(case.title)}".rstrip(), style="bold")
    yield Text(f"Question: {visible(case.query)}")
    arms = {key: fields for key, fields in store.settings["arms"].items() if task in (None, fields["task"])}
    for key, fields in arms.items():
        record = store.records.get((key, case_id))
        if record is None or (stage is not None and fields["stage"] not in (None, stage)):
            continue
        yield Text("")
        yield Text(visible(_heading(fields)), style="bold underline")
        yield from _steps(case, record, fields["task"])


def _heading(fields: dict[str, object]) -> str:
    pipeline = " > ".join(str(fields[k]) for k in ("retriever", "filter", "generator"))
    if (condition := str(fields["condition"])) in _WITHOUT:
        return f"{fields['task']}, {_WITHOUT[condition]}, top-k {fields['top_k']}, {pipeline}"
    how = "attacked" if condition == "attacked" else "control: benign text"
    return (
        f"{fields['task']}, {how} at {fields['stage']}, ratio {fields['ratio']:g}, {fields['position']}, "
        f"top-k {fields['top_k']}, {pipeline}"
    )


def _steps(case: Case, record: Record, task: str) -> Iterator[Block]:
    trace = record.trace
    yield from _context("Retrieved", case, trace.retrieved)
    removed = {r.passage_id: r.reason for r in trace.removed}
    if removed:
        yield Text("Filter removed:")
        for passage_id, reason in removed.items():
            yield _indented(f"{passage_id}: {reason}")
    if trace.filtered != trace.retrieved:
        yield from _context("After the filter", case, trace.filtered)
    if trace.context != trace.filtered:
        yield from _context("What the generator saw", case, trace.context)
    if trace.failure:
        yield Text(
            f"No answer: {trace.failure.step} failed ({visible(trace.failure.kind)}): {visible(trace.failure.message)}"
        )
    else:
        yield Text("Answer:")
        yield _indented(trace.answer or "(empty)")
    yield from _verdicts(case, record, task)
    yield from _scores(record)


def _context(title: str, case: Case, context: Context) -> Iterator[Block]:
    yield Text(f"{title}:" if context else f"{title}: nothing")
    for number, passage in enumerate(context, 1):
        yield _indented(f"{number}. [{origin_of(case, passage)}] {passage.id}: {passage.text}")


def origin_of(case: Case, passage: Passage) -> str:
    """What a passage is to this case: attack, golden, background; ``rewritten`` where it has several sources."""
    if passage.origin is Origin.ATTACK:
        return "ATTACK"
    if len(passage.source_ids) > 1:
        return "rewritten"
    return "golden" if case.golden_ids & set(passage.provenance) else "background"


def _verdicts(case: Case, record: Record, task: str) -> Iterator[Block]:
    if record.judgement is None:
        return
    if isinstance(record.judgement, Failure):
        yield Text(f"Judge failed ({visible(record.judgement.kind)}): {visible(record.judgement.message)}")
        return
    yield Text("Options (label / verdict):")
    options = {option.id: option for option in target_of(task, case).options}
    for judged in record.judgement.verdicts:
        option = options.get(judged.option_id)
        label, text = (option.label.value, option.text) if option else ("?", judged.option_id)
        mark = "+" if judged.verdict.value == label else " "
        yield _indented(f"{mark} {label:>9} / {_MARK[judged.verdict]:<9} {text}")


def _scores(record: Record) -> Iterator[Block]:
    parts = []
    for name, value in sorted(record.scores.items()):
        if isinstance(value, Score):
            parts.append(f"{name} {value.value:.2f}")
        elif isinstance(value, Unscored):
            parts.append(f"{name} unscored ({visible(value.reason)})")
    yield Text(visible("Scores: " + ", ".join(parts)))


def _indented(text: str) -> Padding:
    return Padding(Text(visible(text)), (0, 0, 0, 2))
