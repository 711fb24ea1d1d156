"""A run's folder: ``run.json`` (settings), ``cases.jsonl``, ``passages.jsonl`` and ``records.jsonl`` (results).

Lines are appended as they come, each in one write, passages before the record that names them. A process that is
killed loses at most the line that it was writing; the broken tail is cut off when the folder is opened again.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from saferag.errors import DataError, OptionError
from saferag.experiment.records import (
    PassageTable,
    Record,
    case_from_json,
    case_to_json,
    passage_from_json,
    passage_to_json,
    record_from_json,
    record_to_json,
)
from saferag.types import Case

FORMAT = 1


@dataclass(slots=True)
class Store:
    """The records of one run, on disk and in memory.

    Use `Store.create` or `Store.open`.

    Attributes:
        path: The folder.
        settings: What ``run.json`` holds.
        cases: By id.
        records: By arm and case; where a failed case was run again the later record stands.
    """

    path: Path
    settings: Mapping[str, Any]
    cases: dict[str, Case] = field(default_factory=dict)
    records: dict[tuple[str, str], Record] = field(default_factory=dict)
    _table: PassageTable = field(default_factory=PassageTable)

    @classmethod
    def create(cls, path: Path, settings: Mapping[str, Any], cases: Iterable[Case]) -> Store:
        """Make a run's folder, or open it if it holds the same run.

        Raises:
            OptionError: The folder holds something else.
        """
        if (path / "run.json").exists():
            store = cls.open(path)
            if store.settings.get("fingerprint") != settings["fingerprint"]:
                raise OptionError(f"{path} holds a run with other settings: choose another --out, or remove it")
            return store
        if path.exists() and (not path.is_dir() or any(path.iterdir())):
            raise OptionError(f"{path} exists and is not a run's folder: choose another --out")
        path.mkdir(parents=True, exist_ok=True)
        store = cls(path, dict(settings), {case.id: case for case in cases})
        _replace(path / "cases.jsonl", "".join(_line(case_to_json(c)) for c in store.cases.values()))
        # Last, because its presence says that the folder is complete enough to be opened.
        _replace(path / "run.json", json.dumps(settings, ensure_ascii=False, indent=2) + "\n")
        return store

    @classmethod
    def open(cls, path: Path) -> Store:
        """Read a run's folder.

        Raises:
            DataError: It is not one, or a line in it is broken.
        """
        if not (path / "run.json").is_file():
            raise DataError("is not a run's folder (it has no run.json)", path=path)
        settings = json.loads((path / "run.json").read_text(encoding="utf-8"))
        if settings.get("format") != FORMAT:
            raise DataError(f"was written in another format ({settings.get('format')})", path=path / "run.json")
        store = cls(path, settings)
        for case in map(case_from_json, _read(path / "cases.jsonl")):
            store.cases[case.id] = case
        for line in _read(path / "passages.jsonl"):
            store._table.add(*passage_from_json(line))
        for line in _read(path / "records.jsonl"):
            record = record_from_json(line, store._table)
            store.records[record.key] = record
        return store

    def add(self, record: Record) -> None:
        """Write a record; when this returns, it has been handed to the operating system."""
        new = ""
        trace = record.trace
        for passage in (*trace.attack, *trace.retrieved, *trace.filtered, *trace.context):
            key, is_new = self._table.key(passage)
            if is_new:
                new += _line(passage_to_json(key, passage))
        if new:
            _append(self.path / "passages.jsonl", new)
        _append(self.path / "records.jsonl", _line(record_to_json(record, self._table)))
        self.records[record.key] = record

    def is_done(self, arm: str, case_id: str) -> bool:
        """Whether the case has a record without a failure."""
        record = self.records.get((arm, case_id))
        return record is not None and not record.failures


def _line(value: Mapping[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")) + "\n"


def _append(path: Path, text: str) -> None:
    # One write on a descriptor opened for appending: lines of several processes do not mix.
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
    try:
        data = text.encode()
        while data:
            data = data[os.write(descriptor, data) :]
    finally:
        os.close(descriptor)


def _replace(path: Path, text: str) -> None:
    part = path.with_name(path.name + ".part")
    part.write_text(text, encoding="utf-8")
    part.replace(path)


def _read(path: Path) -> list[dict[str, Any]]:
    """The lines of a JSON Lines file. A last line that was never finished is cut off."""
    if not path.exists():
        return []
    data = path.read_bytes()
    end = data.rfind(b"\n") + 1
    if end < len(data):
        with path.open("r+b") as file:
            file.truncate(end)
    lines = []
    for number, line in enumerate(data[:end].split(b"\n")[:-1], 1):
        try:
            lines.append(json.loads(line))
        except ValueError as error:
            raise DataError(f"is not JSON ({error})", path=path, line=number) from None
    return lines
