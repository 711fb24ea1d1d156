"""What a run writes down for one case of one arm, and how it becomes JSON and back."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

from saferag.types import (
    Case,
    Condition,
    Context,
    Failure,
    Judged,
    Judgement,
    Measurement,
    Origin,
    Passage,
    Removal,
    Score,
    Trace,
    Unscored,
    Usage,
    Verdict,
)

if TYPE_CHECKING:
    from pydantic import TypeAdapter


@dataclass(frozen=True, slots=True)
class Record:
    """One case of one arm: the trace, the judgement, and every metric's value.

    Attributes:
        arm: Id of the arm.
        trace: What happened.
        judgement: The verdicts, or why there are none, or None if there was nothing to judge.
        scores: By metric name; metrics that are not applicable are absent.
        seconds: Time that the case took, without that in which it only waited for a free slot of a model.
    """

    arm: str
    trace: Trace
    judgement: Judgement | Failure | None
    scores: Mapping[str, Measurement] = field(default_factory=dict)
    seconds: float = 0.0

    @property
    def key(self) -> tuple[str, str]:
        """Arm and case."""
        return self.arm, self.trace.case_id

    @property
    def failures(self) -> tuple[Failure, ...]:
        """Steps of this case that have no result."""
        found = (self.trace.failure, self.judgement)
        return tuple(f for f in found if isinstance(f, Failure))


class PassageTable:
    """The distinct passages of a run under short keys, so that records name texts instead of repeating them."""

    def __init__(self, passages: Mapping[str, Passage] | None = None) -> None:
        self._by_key: dict[str, Passage] = dict(passages or {})
        self._keys: dict[Passage, str] = {p: k for k, p in self._by_key.items()}

    def __getitem__(self, key: str) -> Passage:
        return self._by_key[key]

    def add(self, key: str, passage: Passage) -> None:
        """Take in a passage that was read from disk."""
        self._by_key[key] = passage
        self._keys[passage] = key

    def key(self, passage: Passage) -> tuple[str, bool]:
        """The key of a passage, and whether it is new.

        The key is the passage's id and a hash of all that it holds, because a filter may leave other words under the
        same id. So the same passage has the same key in whatever order, and by whichever process, it is written.
        """
        if passage in self._keys:
            return self._keys[passage], False
        digits = hashlib.sha256(repr(passage).encode("utf-8", "replace")).hexdigest()
        key = f"{passage.id}~{digits[:8]}"
        if key in self._by_key:  # somebody has made a text to this end
            key = f"{passage.id}~{digits}"
        self.add(key, passage)
        return key, True


def passage_to_json(key: str, passage: Passage) -> dict[str, Any]:
    """A line of ``passages.jsonl``."""
    line: dict[str, Any] = {"key": key, "id": passage.id, "origin": passage.origin.value, "text": passage.text}
    return line | ({"source_ids": list(passage.source_ids)} if passage.source_ids else {})


def passage_from_json(line: Mapping[str, Any]) -> tuple[str, Passage]:
    """The inverse of `passage_to_json`."""
    passage = Passage(line["id"], line["text"], Origin(line["origin"]), tuple(line.get("source_ids", ())))
    return line["key"], passage


def record_to_json(record: Record, table: PassageTable) -> dict[str, Any]:
    """A line of ``records.jsonl``; every passage of the record must be in the table.

    What may differ from one run to the next of the same settings stands under ``took``, and nothing else does.
    """

    def keys(context: Context) -> list[str]:
        return [table.key(p)[0] for p in context]

    trace = record.trace
    return {
        "arm": record.arm,
        "case": trace.case_id,
        "condition": trace.condition.value,
        "attack": keys(trace.attack),
        "retrieved": keys(trace.retrieved),
        "filtered": keys(trace.filtered),
        "removed": {r.passage_id: r.reason for r in trace.removed},
        "context": keys(trace.context),
        "answer": trace.answer,
        "failure": asdict(trace.failure) if trace.failure else None,
        "judgement": _judgement_to_json(record.judgement),
        "scores": {name: _measurement_to_json(value) for name, value in record.scores.items()},
        "usage": _usage_to_json(trace.usage),
        "took": _took(record),
    }


def record_from_json(line: Mapping[str, Any], table: PassageTable) -> Record:
    """The inverse of `record_to_json`."""

    def passages(keys: list[str]) -> Context:
        return tuple(table[k] for k in keys)

    trace = Trace(
        case_id=line["case"],
        condition=Condition(line["condition"]),
        attack=passages(line["attack"]),
        retrieved=passages(line["retrieved"]),
        filtered=passages(line["filtered"]),
        context=passages(line["context"]),
        removed=tuple(Removal(k, v) for k, v in line["removed"].items()),
        answer=line["answer"],
        failure=Failure(**line["failure"]) if line["failure"] else None,
        usage=Usage(**line["usage"], cached=line["took"]["cached"]),
    )
    scores = {name: _measurement_from_json(value) for name, value in line["scores"].items()}
    judgement = _judgement_from_json(line["judgement"])
    if isinstance(judgement, Judgement):
        judgement = replace(judgement, usage=replace(judgement.usage, cached=line["took"]["judge_cached"]))
    return Record(line["arm"], trace, judgement, scores, line["took"]["seconds"])


def _took(record: Record) -> dict[str, Any]:
    """The time, and how many calls the reply cache answered: both depend on what ran before and beside it."""
    judgement = record.judgement
    judge_cached = judgement.usage.cached if isinstance(judgement, Judgement) else 0
    return {"seconds": round(record.seconds, 4), "cached": record.trace.usage.cached, "judge_cached": judge_cached}


def _usage_to_json(usage: Usage) -> dict[str, int]:
    return {f.name: getattr(usage, f.name) for f in fields(usage) if f.name != "cached"}


def _judgement_to_json(judgement: Judgement | Failure | None) -> dict[str, Any] | None:
    if judgement is None:
        return None
    if isinstance(judgement, Failure):
        return {"failure": asdict(judgement)}
    verdicts = {j.option_id: [j.verdict.value, j.reason] for j in judgement.verdicts}
    return {"verdicts": verdicts, "usage": _usage_to_json(judgement.usage)}


def _judgement_from_json(line: Mapping[str, Any] | None) -> Judgement | Failure | None:
    if line is None:
        return None
    if "failure" in line:
        return Failure(**line["failure"])
    verdicts = tuple(_judged(k, v, reason) for k, (v, reason) in line["verdicts"].items())
    return Judgement(verdicts, Usage(**line["usage"]))


def _measurement_to_json(value: Measurement) -> float | dict[str, str] | None:
    if isinstance(value, Score):
        return value.value
    return {"unscored": value.reason} if isinstance(value, Unscored) else None


def _measurement_from_json(value: float | dict[str, str] | None) -> Measurement:
    if value is None:
        return None
    return Unscored(value["unscored"]) if isinstance(value, dict) else _score(float(value))


# A run of many records says the same things again and again: kept once, they are read faster and need less memory.


@lru_cache(maxsize=65_536)
def _score(value: float) -> Score:
    return Score(value)


@lru_cache(maxsize=65_536)
def _judged(option_id: str, verdict: str, reason: str) -> Judged:
    return Judged(option_id, Verdict(verdict), reason)


@cache
def _case_adapter() -> TypeAdapter[Case]:
    from pydantic import TypeAdapter

    return TypeAdapter(Case)


def case_to_json(case: Case) -> dict[str, Any]:
    """A line of ``cases.jsonl``. Ids are written in full, because published data has passages of no case."""
    dumped: dict[str, Any] = _case_adapter().dump_python(case, mode="json", exclude_defaults=True)
    return dumped


def case_from_json(line: Mapping[str, Any]) -> Case:
    """The inverse of `case_to_json`."""
    return _case_adapter().validate_python(line)
