"""The folder of a build: ``cases.jsonl`` (the dataset), ``build.json`` (what was done) and ``steps/`` (the records)."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from saferag.construct.build import Built
from saferag.construct.records import Document, Draft, Rejection, Segment
from saferag.data.records import Record, validate
from saferag.errors import DataError, OptionError, UserError
from saferag.experiment import lines

R = TypeVar("R", bound=Record)

FORMAT = 1


@dataclass(frozen=True, slots=True)
class Folder:
    """A build's folder.

    Attributes:
        path: Where it is.
    """

    path: Path

    @property
    def cases(self) -> Path:
        """The dataset: what passes the checker and was not rejected."""
        return self.path / "cases.jsonl"

    @property
    def journal(self) -> Path:
        """What reviewers did."""
        return self.path / "review.sqlite"

    @classmethod
    def create(cls, path: Path) -> Folder:
        """Make a folder, or take one that a build has made.

        Raises:
            OptionError: It holds something else.
            UserError: It cannot be made.
        """
        if path.exists() and not _is_ours(path):
            raise OptionError(f"{path} exists and was not made by a build: choose another --out")
        try:
            (path / "steps").mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UserError(f"{path} cannot be written: {error.strerror}; choose another --out") from None
        return cls(path)

    @classmethod
    def open(cls, path: Path) -> Folder:
        """A folder that a build has made.

        Raises:
            DataError: It is none.
        """
        if not (path / "build.json").is_file():
            raise DataError("is not the folder of a build (it has no build.json): run  saferag build", path=path)
        return cls(path)

    def save(self, built: Built, settings: Mapping[str, Any]) -> None:
        """Write the records of all steps."""
        self._write("documents", built.prepared.documents)
        self._write("segments", built.prepared.segments)
        self._write("drafts", built.drafts)
        self._write("rejected", built.rejections)
        about = {"format": FORMAT, **settings, "counts": counts(built)}
        replace_file(self.path / "build.json", json.dumps(about, ensure_ascii=False, indent=2) + "\n")

    def drafts(self) -> list[Draft]:
        """The drafts, in the order of their segments."""
        return self._read("drafts", Draft)

    def segments(self) -> list[Segment]:
        """The segments."""
        return self._read("segments", Segment)

    def documents(self) -> list[Document]:
        """The documents."""
        return self._read("documents", Document)

    def rejections(self) -> list[Rejection]:
        """What was rejected, and why."""
        return self._read("rejected", Rejection)

    def _write(self, name: str, records: Iterable[Record]) -> None:
        text = "".join(lines.line(record.model_dump(exclude_defaults=True)) for record in records)
        replace_file(self.path / "steps" / f"{name}.jsonl", text)

    def _read(self, name: str, kind: type[R]) -> list[R]:
        path = self.path / "steps" / f"{name}.jsonl"
        found, _ = lines.read(path)
        return [validate(kind, item, path=path, line=number) for number, item in enumerate(found, 1)]


def _is_ours(path: Path) -> bool:
    """Whether a folder is a build's, or empty, or one in which a build was about to begin."""
    return path.is_dir() and ((path / "build.json").is_file() or {entry.name for entry in path.iterdir()} <= {"steps"})


def counts(built: Built) -> dict[str, Any]:
    """How much there is of what, and how often each reason for a rejection was given."""
    whole = Counter(f"{r.step}: {r.kind}" for r in built.rejections if r.whole)
    parts = Counter(f"{r.step}: {r.kind}" for r in built.rejections if not r.whole)
    return {
        "documents": len(built.prepared.documents),
        "segments": len(built.prepared.segments),
        "drafts": len(built.drafts),
        "rejected": dict(sorted(whole.items())),
        "left_out": dict(sorted(parts.items())),
        "missing": dict(sorted(Counter(name for draft in built.drafts for name in draft.missing).items())),
    }


def replace_file(path: Path, text: str) -> None:
    """Write a file so that it is there as a whole or not at all.

    Raises:
        UserError: It cannot be written.
    """
    part = path.with_name(f"{path.name}.{os.getpid()}.part")  # another process may write the same file
    try:
        part.write_text(text, encoding="utf-8")
        part.replace(path)
    except OSError as error:
        raise UserError(f"{path} cannot be written: {error.strerror}") from None
