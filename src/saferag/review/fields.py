"""The texts of a case record that a reviewer can edit, by path, such as ``golden/g3`` or ``options/o2/text``."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from saferag.errors import OptionError

MAX_LENGTH = 20_000
_PLAIN = ("title", "query", "topic", "kind", "answer")
_MAY_BE_EMPTY = frozenset({"title", "topic", "kind", "answer"})
_PARTS = {
    "golden": ("text",),
    "background": ("text",),
    "facts": ("text", "value"),
    "options": ("text", "value", "contrast", "mention"),
    "passages": ("text",),
}


@dataclass(frozen=True, slots=True)
class Change:
    """One text of a case record, before and after."""

    field: str
    old: str
    new: str


def fields(record: dict[str, Any]) -> dict[str, str]:
    """Every text that can be edited, by path, in reading order."""
    return {path: place[key] for path, place, key in _places(record)}


def apply(record: dict[str, Any], change: Change) -> None:
    """Put a change into a record. A change of ``attacks/NAME`` adds a whole attack (JSON), or removes it (empty).

    Raises:
        OptionError: The record has no such text.
    """
    head, _, name = change.field.partition("/")
    if head == "attacks" and name and "/" not in name:
        attacks = record.setdefault("attacks", {})
        attacks.pop(name, None)
        if change.new:
            attacks[name] = json.loads(change.new)
        return
    for path, place, key in _places(record):
        if path == change.field:
            place[key] = change.new
            return
    raise OptionError(f"there is no text '{change.field}' in this case")


def changes(record: dict[str, Any], field: str, new: str) -> list[Change]:
    """What an edit changes: the text itself, and what repeats it by rule.

    A true option says what its fact says, and the value of a fact is the contrast of the false option made of it.

    Raises:
        OptionError: The record has no such text, or it cannot be replaced by this one.
    """
    known = fields(record)
    if field not in known:
        raise OptionError(f"there is no text '{field}' in this case")
    if not new.strip() and field not in _MAY_BE_EMPTY:
        raise OptionError("a text must not be empty")
    if len(new) > MAX_LENGTH or any("\ud800" <= c <= "\udfff" for c in new):
        raise OptionError(f"a text has at most {MAX_LENGTH} characters and no half characters")
    found = [Change(field, known[field], new)]
    parts = field.split("/")
    if parts[0] == "facts":
        for option in record.get("options", ()):
            if option.get("fact") != parts[1]:
                continue
            key = parts[2] if option["label"] == "correct" else "contrast" if parts[2] == "value" else ""
            if key and option.get(key) == known[field]:
                found.append(Change(f"options/{option['id']}/{key}", known[field], new))
    return found


def _places(record: dict[str, Any]) -> Iterator[tuple[str, Any, Any]]:
    """Path, holder and key of every text."""
    for name in _PLAIN:
        if name in record:
            yield name, record, name
    for part in ("golden", "background", "facts", "options"):
        yield from _items(part, part, record.get(part, ()))
    for attack, material in record.get("attacks", {}).items():
        for part in ("passages", "options"):
            yield from _items(f"attacks/{attack}/{part}", part, material.get(part, ()))
        keywords = material.get("keywords", [])
        for i in range(len(keywords)):
            yield f"attacks/{attack}/keywords/{i + 1}", keywords, i


def _items(where: str, part: str, items: Any) -> Iterator[tuple[str, Any, Any]]:  # noqa: ANN401 - JSON
    names = _PARTS[part]
    for item in items:
        for name in names:
            if item.get(name) is not None:
                yield (f"{where}/{item['id']}" if len(names) == 1 else f"{where}/{item['id']}/{name}"), item, name
