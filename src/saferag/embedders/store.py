"""Where vectors are kept between texts and between runs, by a key that is a hash of the text."""

from __future__ import annotations

import hashlib
import logging
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

import numpy as np

from saferag.embedders.base import Kind
from saferag.embedders.rounding import Half

_log = logging.getLogger(__name__)
_PATIENCE = 30.0  # seconds to wait for another process that is writing
_AT_ONCE = 500  # keys in one question to the file
_TABLE = """
CREATE TABLE IF NOT EXISTS vectors (id INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE, vector BLOB NOT NULL)
"""


def text_key(identity: str, kind: Kind, text: str) -> bytes:
    """The key of a text as one embedder sees it: 16 bytes of a SHA-256."""
    parts = (part.encode("utf-8", "surrogatepass") for part in (identity, kind, text))
    return hashlib.sha256(b"\0".join(parts)).digest()[:16]


class VectorStore(Protocol):
    """Keeps vectors by key. Losing one costs time, never correctness."""

    def get(self, keys: Sequence[bytes]) -> dict[bytes, Half]:
        """The vectors of those keys that are known."""
        ...

    def put(self, vectors: Mapping[bytes, Half]) -> None:
        """Keep vectors; a key that is known keeps its vector."""
        ...


@dataclass(frozen=True, slots=True)
class MemoryStore:
    """Keeps vectors as long as it lives."""

    vectors: dict[bytes, Half] = field(default_factory=dict)

    def get(self, keys: Sequence[bytes]) -> dict[bytes, Half]:
        """The vectors of those keys that are known."""
        return {key: self.vectors[key] for key in keys if key in self.vectors}

    def put(self, vectors: Mapping[bytes, Half]) -> None:
        """Keep vectors; a key that is known keeps its vector."""
        self.vectors.update({key: vector for key, vector in vectors.items() if key not in self.vectors})


@dataclass(frozen=True, slots=True)
class SqliteStore:
    """Keeps vectors in a file that several processes may share.

    A file that cannot be used is reported once per call in the log and otherwise ignored: the vectors are made anew.

    Attributes:
        path: The file; it is made where it is missing, with its folder.
    """

    path: Path

    def get(self, keys: Sequence[bytes]) -> dict[bytes, Half]:
        """The vectors of those keys that are known."""
        found: dict[bytes, Half] = {}
        if not self.path.exists():
            return found
        try:
            with self._open() as database:
                for first in range(0, len(keys), _AT_ONCE):
                    some = keys[first : first + _AT_ONCE]
                    marks = ",".join("?" * len(some))
                    rows = database.execute(f"SELECT key, vector FROM vectors WHERE key IN ({marks})", some)  # noqa: S608
                    found |= {key: np.frombuffer(blob, np.float16) for key, blob in rows}
        except (sqlite3.Error, OSError, ValueError) as error:
            _log.warning("embeddings in %s cannot be read (%s): they are made anew", self.path, error)
        return found

    def put(self, vectors: Mapping[bytes, Half]) -> None:
        """Keep vectors; a key that is known keeps its vector."""
        rows = [(key, vector.tobytes()) for key, vector in vectors.items()]
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self._open() as database, database:
                database.executemany("INSERT OR IGNORE INTO vectors (key, vector) VALUES (?, ?)", rows)
        except (sqlite3.Error, OSError) as error:
            _log.warning("embeddings cannot be kept in %s (%s)", self.path, error)

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        # A connection for each call: it may come from any thread or process, and none is ever left open.
        with closing(sqlite3.connect(self.path, timeout=_PATIENCE)) as database:
            if database.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
                database.execute("PRAGMA journal_mode = WAL")
            database.execute("PRAGMA synchronous = NORMAL")
            database.execute(_TABLE)
            yield database
