"""All steps in order: documents → segments → drafts, with everything that was rejected on the way.

Drafts are made side by side. A model's replies come from the run's reply cache where it has them, so that building
again after a change of one prompt asks for the changed step and what depends on it only.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeVar

from saferag.construct.collect import collect
from saferag.construct.means import Means, RejectedError, Task
from saferag.construct.passages import passages
from saferag.construct.records import Distortion, Document, Draft, Rejection, Segment, Targets
from saferag.construct.segments import leftovers, segments
from saferag.data.pack import AdSource, CaseParts, ConflictSource, FactSource, SilverSource, SourceError, record_of
from saferag.data.rules import LENGTHS
from saferag.errors import DataError, ModelError
from saferag.metrics.containment import stands_in
from saferag.types import Lang, Usage

T = TypeVar("T")

MAX_BACKGROUND = 6
SPLITS = {"model": "model", "rules": "machine"}
"""The split of a case that no person has accepted, by who made it; an accepted one is in ``reviewed``."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """What there is before the first question is asked.

    Attributes:
        documents, segments: What was read and cut.
        tasks: One for each segment, with background and spare sentences.
        rejections: What did not go on.
    """

    documents: tuple[Document, ...]
    segments: tuple[Segment, ...]
    tasks: tuple[Task, ...]
    rejections: tuple[Rejection, ...]


@dataclass(frozen=True, slots=True)
class Built:
    """The outcome of a build."""

    prepared: Prepared
    drafts: tuple[Draft, ...]
    rejections: tuple[Rejection, ...]
    usage: Usage = field(default_factory=Usage)


def prepare(folder: Path, notes: Mapping[str, str] | None = None) -> Prepared:
    """Read documents, cut segments, and share out what is in no segment as background.

    Args:
        folder: The documents.
        notes: Reviewers' notes by case.

    Raises:
        DataError: Nothing can be read, or no document has a segment.
        MissingExtraError: A file needs a package that is not installed.
    """
    documents, rejections = collect(folder)
    found: dict[str, list[Segment]] = {}
    spare: dict[str, list[str]] = {}
    for document in documents:
        found[document.id], refused = segments(document)
        spare[document.id] = leftovers(document, found[document.id])
        rejections.extend(refused)
    if not any(found.values()):
        raise DataError("no document has a segment of more than eight sentences on one topic", path=folder)
    plain = {lang.value: [s for d in documents if d.lang == lang for s in _plain(spare[d.id])] for lang in Lang}
    tasks: list[Task] = []
    for document in documents:
        own = _plain(spare[document.id])
        details = own if len(own) >= 4 else [*own, *(s for s in plain[document.lang] if s not in own)]
        background = _background(spare[document.id], Lang(document.lang))
        parts = found[document.id]
        for i, segment in enumerate(parts):
            shared = tuple(background[i :: len(parts)][:MAX_BACKGROUND])
            note = (notes or {}).get(segment.id, "")
            tasks.append(Task(segment, background=shared, spare=tuple(details), note=note))
    every = tuple(segment for parts in found.values() for segment in parts)
    return Prepared(tuple(documents), every, tuple(tasks), tuple(rejections))


async def build(prepared: Prepared, means: Means, done: Callable[[], None] = lambda: None) -> Built:
    """Make a draft of every segment.

    Args:
        prepared: The segments.
        means: A model or rules.
        done: Called after each segment.

    Raises:
        ModelError: The model failed on every segment; the first failure.
    """
    failures: list[ModelError] = []

    async def one(task: Task) -> tuple[Draft | None, list[Rejection]]:
        refused: list[Rejection] = []
        try:
            return await draft(task, means, refused), refused
        except RejectedError as error:
            refused.append(error.record(task.segment.id, whole=True))
        except ModelError as error:
            failures.append(error)
            refused.append(Rejection(step="model", item=task.segment.id, kind=error.kind, reason=str(error)))
        finally:
            done()
        return None, refused

    found = await asyncio.gather(*map(one, prepared.tasks))
    if failures and len(failures) == len(prepared.tasks):
        raise failures[0]
    drafts = tuple(made for made, _ in found if made is not None)
    refused = tuple(rejection for _, several in found for rejection in several)
    return Built(prepared, drafts, (*prepared.rejections, *refused), means.usage)


async def draft(task: Task, means: Means, refused: list[Rejection]) -> Draft:
    """Make a draft of one segment; parts that a case can do without are left out and noted in ``refused``.

    Raises:
        RejectedError: No case comes of the segment.
        ModelError: The model failed.
    """
    task = replace(task, question=await means.question(task))
    facts, left_out = await means.facts(task)
    refused.extend(left_out)
    values = [f.value for f in facts]
    background = tuple(p for p in task.background if not any(stands_in(v, p) for v in values))
    task = replace(task, facts=tuple(facts), background=background)
    targets = await means.targets(task)

    async def part(made: Awaitable[T], otherwise: T) -> T:
        try:
            return await made
        except RejectedError as error:
            refused.append(error.record(task.segment.id, whole=False))
            return otherwise

    found = await asyncio.gather(
        part(means.distortions(task, targets), ()),
        part(means.silver(task, targets), None),
        part(means.conflict(task, targets), None),
        part(means.ad(task, targets), None),
    )
    return _assemble(task, means, targets, _Written(*found))


@dataclass(frozen=True, slots=True)
class _Written:
    """What was written about a question and its facts."""

    wrong: Sequence[Distortion]
    silver: SilverSource | None
    conflict: ConflictSource | None
    ad: AdSource | None


def _assemble(task: Task, means: Means, targets: Targets, written: _Written) -> Draft:
    try:
        case = record_of(_parts(task, written), task.segment.lang)
    except SourceError as error:
        raise RejectedError("options", "unusable_value", f"{error.field}: {error}") from None
    names = {
        "false options": written.wrong,
        "silver_noise": written.silver,
        "inter_context_conflict": written.conflict,
        "soft_ad": written.ad,
    }
    missing = ["a question of its own"] if means.made_by == "rules" else []
    missing += [name for name, made in names.items() if not made]
    reasons = {"conflict": targets.conflict_reason, "ad": targets.ad_reason}
    return Draft(
        case=case | {"split": SPLITS[means.made_by]},
        segment=task.segment.id,
        made_by=means.made_by,
        reasons={name: reason for name, reason in reasons.items() if reason},
        missing=missing,
        note=task.note,
    )


def _parts(task: Task, written: _Written) -> CaseParts:
    question, segment = task.asked, task.segment
    false = {d.fact: d for d in written.wrong}
    facts = []
    for i, f in enumerate(task.facts, 1):
        wrong = {"wrong": false[i].wrong, "change": false[i].change} if i in false else {}
        facts.append(FactSource(g=f.context, text=f.text, value=f.value, **wrong))
    return CaseParts(
        id=segment.id,
        topic=question.topic,
        kind=question.kind,
        title=segment.title,
        query=question.query,
        golden=question.contexts,
        facts=facts,
        silver=written.silver,
        conflict=[written.conflict] if written.conflict else [],
        ad=written.ad,
        background=list(task.background),
        answer=("" if segment.lang == "zh" else " ").join(f.text for f in task.facts),
    )


def _plain(sentences: Sequence[str]) -> list[str]:
    """Sentences without figures, so that they can state no fact of a case."""
    return [s for s in sentences if not any(c.isdigit() for c in s)]


def _background(sentences: Sequence[str], lang: Lang) -> list[str]:
    low, high = LENGTHS[lang]
    return passages(sentences, lang, low, high, 4 * MAX_BACKGROUND)
