"""Answers of a run for human judgement, blind to labels, model, condition and attack; labels as JSON Lines.

An answer has a random-looking number, and the queue is in the order of these numbers, so that neither tells anything.
Equal answers to the same options are one item: nobody judges them twice.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from saferag.attacks import attacks
from saferag.errors import DataError, OptionError
from saferag.experiment import lines
from saferag.experiment.store import Store
from saferag.types import Case, Option, Verdict


@dataclass(frozen=True, slots=True)
class Item:
    """An answer with the options that it is held against.

    Attributes:
        id: Tells nothing about where it comes from.
        case: The case.
        options: The options of the task, in their order.
        answer: The answer.
        keywords: What the attacker wants said.
        records: Arm and case of every record with this answer.
    """

    id: str
    case: Case
    options: tuple[Option, ...]
    answer: str
    keywords: tuple[str, ...]
    records: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Labelled:
    """One person's judgement of one answer.

    Attributes:
        item: The item's id.
        who: Who.
        verdicts: By option id.
        refused: Whether the answer refuses.
        at: When, in UTC.
    """

    item: str
    who: str
    verdicts: Mapping[str, Verdict]
    refused: bool = False
    at: str = ""


def items(store: Store) -> tuple[Item, ...]:
    """The answers of a run, in an order that tells nothing.

    Raises:
        DataError: The run has no answers.
    """
    found: dict[str, Item] = {}
    for (arm, case_id), record in store.records.items():
        settings = store.settings["arms"].get(arm)
        case = store.cases.get(case_id)
        if settings is None or case is None or record.trace.answer is None:
            continue
        target = attacks.build(settings["task"]).target(case)
        if not target.options:
            continue
        item_id = _digest(case_id, record.trace.answer, [option.id for option in target.options])
        before = found[item_id].records if item_id in found else ()
        keywords = tuple(dict.fromkeys((*(found[item_id].keywords if before else ()), *target.keywords)))
        records = (*before, (arm, case_id))
        found[item_id] = Item(item_id, case, target.options, record.trace.answer, keywords, records)
    if not found:
        raise DataError("has no answers to judge", path=store.path)
    return tuple(found[key] for key in sorted(found))


def _digest(case_id: str, answer: str, options: Sequence[str]) -> str:
    text = json.dumps([case_id, answer, options])
    return hashlib.sha256(text.encode()).hexdigest()[:16]


@dataclass(slots=True)
class Labels:
    """A file of labels. A later line of the same person and item replaces an earlier one.

    Attributes:
        path: The file; it need not exist yet.
    """

    path: Path
    _found: dict[tuple[str, str], Labelled] = field(default_factory=dict)
    _read_to: int = 0

    def all(self) -> dict[tuple[str, str], Labelled]:
        """The labels, by person and item.

        Raises:
            DataError: A line is broken.
        """
        fresh, self._read_to = lines.read(self.path, self._read_to)
        for line in fresh:
            labelled = _parse(line, self.path)
            self._found[labelled.who, labelled.item] = labelled
        return self._found

    def add(self, item: Item, who: str, verdicts: Mapping[str, str], *, refused: bool) -> None:
        """Write a person's labels of an item.

        Raises:
            OptionError: An option has no verdict, or there is no such verdict.
            UserError: The file cannot be written.
        """
        if set(verdicts) != {option.id for option in item.options}:
            raise OptionError("every option needs a verdict")
        checked = {option.id: _verdict(verdicts[option.id]).value for option in item.options}
        at = datetime.now(UTC).isoformat(timespec="seconds")
        lines.append(
            self.path, lines.line({"item": item.id, "who": who, "at": at, "verdicts": checked, "refused": refused})
        )

    def people(self) -> list[str]:
        """Who has labelled anything, in order of appearance."""
        return list(dict.fromkeys(who for who, _ in self.all()))


def _verdict(value: str) -> Verdict:
    try:
        return Verdict(value)
    except ValueError:
        raise OptionError(f"there is no verdict '{value}'") from None


def _parse(line: Mapping[str, Any], path: Path) -> Labelled:
    try:
        verdicts = {str(key): Verdict(value) for key, value in line["verdicts"].items()}
        return Labelled(str(line["item"]), str(line["who"]), verdicts, bool(line["refused"]), str(line["at"]))
    except (KeyError, ValueError, AttributeError, TypeError):
        raise DataError("holds a line that is not a label", path=path) from None


def by_item(labels: Labels) -> Iterator[tuple[str, dict[str, Labelled]]]:
    """The labels of each item, by person."""
    found: dict[str, dict[str, Labelled]] = {}
    for (who, item), labelled in labels.all().items():
        found.setdefault(item, {})[who] = labelled
    yield from found.items()
