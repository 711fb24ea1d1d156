"""A run's folder: ``run.json`` (settings), ``cases.jsonl``, ``passages.jsonl`` and ``records.jsonl`` (results).

Lines are appended as they come, passages before the record that names them. A process that is killed loses at most
the line that it was writing. Several processes may work on one run: each claims a case of an arm before it runs it,
and whoever dies has given his claims back (see `saferag.locks`).
"""

from __future__ import annotations

import gc
import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from saferag.errors import DataError, OptionError, UserError
from saferag.experiment import lines
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
from saferag.locks import lock, unlock
from saferag.types import Case

FORMAT = 2
CLAIMS = "claims.lock"
_ALWAYS = frozenset({"arms", "case_ids", "cells", "code", "data", "environment", "fingerprint", "saferag"})
_CREATION = 2**62  # the byte of the claims file that is locked while a folder is made


@dataclass(slots=True)
class Store:
    """The records of one run, on disk and in memory.

    Use `Store.create` or `Store.open`.

    Attributes:
        path: The folder.
        settings: What ``run.json`` holds.
        cases: By id.
        records: By arm and case; where a failed case was run again the later record stands.
        fresh: Which of them have come since the folder was opened, from this process or another.
    """

    path: Path
    settings: Mapping[str, Any]
    cases: dict[str, Case] = field(default_factory=dict)
    records: dict[tuple[str, str], Record] = field(default_factory=dict)
    fresh: set[tuple[str, str]] = field(default_factory=set)
    _table: PassageTable = field(default_factory=PassageTable)
    _read_to: dict[str, int] = field(default_factory=dict)
    _claims: int | None = None

    @classmethod
    def create(cls, path: Path, settings: Mapping[str, Any], cases: Iterable[Case]) -> Store:
        """Make a run's folder, or open it if it holds the same run.

        Raises:
            OptionError: The folder holds something else.
            UserError: It cannot be made.
        """
        if path.exists() and (not path.is_dir() or not _is_ours(path)):
            raise OptionError(f"{path} exists and is not a run's folder: choose another --out")
        try:
            path.mkdir(parents=True, exist_ok=True)
            with _creating(path):
                if not (path / "run.json").exists():
                    _replace(path / "cases.jsonl", "".join(lines.line(case_to_json(c)) for c in cases))
                    # Last, because its presence says that the folder is complete enough to be opened.
                    _replace(path / "run.json", _readable(settings))
        except OSError as error:
            raise UserError(f"{path} cannot be written: {error.strerror}; choose another --out") from None
        store = cls.open(path)
        if store.settings.get("fingerprint") != settings["fingerprint"]:
            raise OptionError(f"{path} holds a run with other settings: choose another --out, or remove it")
        return store

    @classmethod
    def open(cls, path: Path) -> Store:
        """Read a run's folder, also while others write to it.

        Raises:
            DataError: It is not one, or a line in it is broken.
        """
        if not (path / "run.json").is_file():
            raise DataError("is not a run's folder (it has no run.json)", path=path)
        store = cls(path, _settings(path / "run.json"))
        with _damage(path / "cases.jsonl"):
            for case in map(case_from_json, lines.read(path / "cases.jsonl")[0]):
                store.cases[case.id] = case
        with _no_collection():
            store.refresh()
        store.fresh.clear()
        return store

    def refresh(self) -> None:
        """Take in what has been written since the last look, by other processes above all."""
        records = self._new_lines("records.jsonl")  # before the passages, which are written first
        if not records:
            return
        with _damage(self.path / "passages.jsonl"):
            for line in self._new_lines("passages.jsonl"):
                self._table.add(*passage_from_json(line))
        with _damage(self.path / "records.jsonl"):
            for line in records:
                self._take(record_from_json(line, self._table))

    def add(self, record: Record) -> None:
        """Write a record; when this returns, it has been handed to the operating system.

        Raises:
            UserError: It cannot be written.
        """
        new = ""
        trace = record.trace
        for passage in (*trace.attack, *trace.retrieved, *trace.filtered, *trace.context):
            key, is_new = self._table.key(passage)
            if is_new:
                new += lines.line(passage_to_json(key, passage))
        if new:
            self._append("passages.jsonl", new)
        self._append("records.jsonl", lines.line(record_to_json(record, self._table)))
        self._take(record)

    def is_done(self, arm: str, case_id: str) -> bool:
        """Whether the case has a record without a failure."""
        record = self.records.get((arm, case_id))
        return record is not None and not record.failures

    def claim(self, arm: str, case_id: str) -> bool:
        """Ask to run a case of an arm; False: another process is at it. A claim ends with `release`, or with us."""
        if self._claims is None:
            self._claims = os.open(self.path / CLAIMS, os.O_RDWR | os.O_CREAT, 0o644)
        return lock(self._claims, _place(arm, case_id), wait=False)

    def release(self, arm: str, case_id: str) -> None:
        """Give a claim back."""
        if self._claims is not None:
            unlock(self._claims, _place(arm, case_id))

    def close(self) -> None:
        """Give every claim back. May be called twice."""
        descriptor, self._claims = self._claims, None
        if descriptor is not None:
            os.close(descriptor)

    def _take(self, record: Record) -> None:
        self.records[record.key] = record
        self.fresh.add(record.key)

    def _new_lines(self, name: str) -> list[dict[str, Any]]:
        begin = self._read_to.get(name, 0)
        path = self.path / name
        if not path.exists() or path.stat().st_size == begin:
            return []
        found, self._read_to[name] = lines.read(path, begin)
        return found

    def _append(self, name: str, text: str) -> None:
        begin, end = lines.append(self.path / name, text)
        if begin == self._read_to.get(name, 0):  # nobody else has written in between
            self._read_to[name] = end


def _settings(path: Path) -> dict[str, Any]:
    """What ``run.json`` holds."""
    with _damage(path):
        settings = json.loads(path.read_text(encoding="utf-8"))
        found = settings.get("format")
        if found == FORMAT:
            if missing := _ALWAYS - settings.keys():
                raise LookupError(f"no {', '.join(sorted(missing))}")
            return dict(settings)
    raise DataError(f"was written in another format ({found})", path=path)


@contextmanager
def _damage(path: Path) -> Iterator[None]:
    """Whatever a file holds that no run has written there is one clear line."""
    try:
        yield
    except (LookupError, TypeError, AttributeError, ValueError) as error:
        reason = f"{type(error).__name__}: {error}".splitlines()[0]
        raise DataError(f"is damaged ({reason}): remove the run's folder, or restore it", path=path) from None


def _place(arm: str, case_id: str) -> int:
    """The byte of the claims file that stands for a case of an arm."""
    digits = hashlib.sha256(f"{arm}\0{case_id}".encode("utf-8", "replace")).digest()
    return int.from_bytes(digits[:7], "big")


@contextmanager
def _no_collection() -> Iterator[None]:
    """Pause the collector of cycles: what is read from disk has none, and looking for them takes most of the time."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _is_ours(path: Path) -> bool:
    """Whether a folder is a run's, or empty, or one in which a run was just about to be made."""
    names = {entry.name for entry in path.iterdir()}
    return "run.json" in names or names <= {CLAIMS, "cases.jsonl", "cases.jsonl.part", "run.json.part"}


@contextmanager
def _creating(path: Path) -> Iterator[None]:
    """Let one process at a time make the folder's files."""
    descriptor = os.open(path / CLAIMS, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        lock(descriptor, _CREATION, wait=True)
        yield
    finally:
        os.close(descriptor)


def _readable(settings: Mapping[str, Any]) -> str:
    """Settings as JSON for people, or in ASCII where a name holds half a surrogate pair."""
    text = json.dumps(settings, ensure_ascii=False, indent=2) + "\n"
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.dumps(settings, indent=2) + "\n"
    return text


def _replace(path: Path, text: str) -> None:
    part = path.with_name(path.name + ".part")
    part.write_text(text, encoding="utf-8")
    part.replace(path)
