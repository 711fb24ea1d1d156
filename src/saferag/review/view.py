"""A case as the page shows it: texts, made inert, in parts that say what to look at; findings; history."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from typing import Any

from saferag.construct.soundness import findings_of
from saferag.data.findings import Finding
from saferag.errors import DataError
from saferag.report.untrusted import one_line, readable
from saferag.review.by_hand import BY_HAND
from saferag.review.fields import fields
from saferag.review.journal import Event, State
from saferag.review.publish import case_of

Part = dict[str, str]
"""A piece of a text: ``text``, and ``kind``: empty, ``fact``, ``ins``, ``del`` or ``keyword``."""

_TOKEN = re.compile(
    "[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]|[^\\W_\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]+|\\s+|.", re.DOTALL
)
_LONGEST_DIFF = 1500  # tokens; comparing takes time with the square of it
_SECTIONS = (
    "question",
    "golden",
    "facts",
    "options",
    "silver_noise",
    "inter_context_conflict",
    "soft_ad",
    "background",
    "about",
)


def summary(state: State, findings: Sequence[Finding]) -> dict[str, Any]:
    """A line of the queue."""
    return {
        "id": state.case_id,
        "lang": state.record.get("lang", ""),
        "title": one_line(state.record.get("title") or state.record.get("query", ""))[:200],
        "status": state.status.value,
        "findings": len(findings),
        "made_by": state.draft.made_by,
        "touched": state.touched,
    }


def view(state: State, found: Sequence[Finding]) -> dict[str, Any]:
    """Everything about a case, with what the checker finds."""
    return {
        **summary(state, found),
        "version": state.version,
        "note": readable(state.note),
        "missing": [name for name in state.draft.missing if name not in state.record.get("attacks", {})],
        "writable": [name for name in BY_HAND if name not in state.record.get("attacks", {})],
        "reasons": {name: readable(reason) for name, reason in state.draft.reasons.items()},
        "problems": [{"rule": f.rule, "where": f.where, "message": one_line(f.message)} for f in found],
        "sections": _sections(state.record),
        "history": [_history(event) for event in reversed(state.events)],
        "undoable": state.undoable is not None,
    }


def findings(state: State) -> list[Finding]:
    """What the checker finds about a case by itself; duplicates show when the dataset is written."""
    try:
        return findings_of([case_of(state)])
    except DataError as error:
        return [Finding("loading", state.case_id, "", str(error))]


def _sections(record: dict[str, Any]) -> list[dict[str, Any]]:
    sections: dict[str, list[dict[str, Any]]] = {name: [] for name in _SECTIONS}
    for path, text in fields(record).items():
        name = _section(path)
        item = {"field": path, "text": text, "parts": parts(record, path, text)}
        if label := _label(record, path):
            item["label"] = label
        sections.setdefault(name, []).append(item)
    return [{"name": name, "items": items} for name, items in sections.items() if items]


def _section(path: str) -> str:
    head, _, rest = path.partition("/")
    if head == "attacks":
        return rest.partition("/")[0]
    return {"query": "question", "title": "about", "topic": "about", "kind": "about", "answer": "about"}.get(head, head)


def _label(record: dict[str, Any], path: str) -> str:
    """Whether an option is true: a reviewer checks labels, so here they show."""
    names = path.split("/")
    if "options" not in names or names[-1] != "text":
        return ""
    places = record["attacks"][names[1]]["options"] if names[0] == "attacks" else record["options"]
    return next((str(option["label"]) for option in places if option["id"] == names[-2]), "")


def parts(record: dict[str, Any], path: str, text: str) -> list[Part]:
    """A text in parts: facts in golden contexts, and what an attack has changed in its golden context."""
    names = path.split("/")
    if names[0] == "golden":
        return _marked(text, [f["value"] for f in record.get("facts", ()) if f["passage"] == names[1]], "fact")
    if names[0] != "attacks" or names[2] != "passages":
        return [_part(text)]
    material = record["attacks"][names[1]]
    item = next(p for p in material["passages"] if p["id"] == names[3])
    target = item.get("target") or material.get("target")
    golden = next((g["text"] for g in record["golden"] if g["id"] == target), None)
    if golden is not None:
        return difference(golden, text)
    values = [f["value"] for f in record.get("facts", ()) if f["id"] == target]
    return _marked(text, values, "fact")


def difference(old: str, new: str) -> list[Part]:
    """What was taken out of one text and put into another, word by word."""
    before, after = _TOKEN.findall(old), _TOKEN.findall(new)
    if max(len(before), len(after)) > _LONGEST_DIFF:
        return [_part(new)]
    found: list[Part] = []
    for kind, a, b, c, d in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if kind != "equal" and a < b:
            found.append(_part("".join(before[a:b]), "del"))
        if c < d:
            found.append(_part("".join(after[c:d]), "" if kind == "equal" else "ins"))
    return found


def _marked(text: str, values: Iterable[str], kind: str) -> list[Part]:
    wanted = sorted({v for v in values if v.strip()}, key=len, reverse=True)
    if not wanted:
        return [_part(text)]
    pieces = re.split("(" + "|".join(map(re.escape, wanted)) + ")", text, flags=re.IGNORECASE)
    return [_part(piece, kind if i % 2 else "") for i, piece in enumerate(pieces) if piece]


def _part(text: str, kind: str = "") -> Part:
    return {"text": readable(text), "kind": kind}


def _history(event: Event) -> dict[str, Any]:
    return {"at": event.at, "who": one_line(event.who)[:80], "kind": event.kind, "what": list(_what(event))}


def _what(event: Event) -> Iterator[str]:
    for change in event.data.get("changes", ()):
        yield f"{change['field']}: {readable(change['old'])[:300]} → {readable(change['new'])[:300]}"
    if "status" in event.data:
        yield str(event.data["status"])
        if event.data["note"]:
            yield readable(event.data["note"])
