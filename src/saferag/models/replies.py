"""Where replies of models are kept: in memory, or in a file that several processes share."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import sqlite3
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Protocol

from saferag.errors import UserError
from saferag.locks import lock, unlock
from saferag.models.base import ChatReply
from saferag.types import Usage

log = logging.getLogger(__name__)

_SCHEMA_VERSION = 1
_TABLE = """
CREATE TABLE IF NOT EXISTS replies (
    id INTEGER PRIMARY KEY,
    key BLOB NOT NULL UNIQUE,
    model TEXT NOT NULL,
    reply TEXT NOT NULL,
    created REAL NOT NULL
)
"""


class ReplyStore(Protocol):
    """Where replies are kept."""

    def get(self, key: bytes) -> ChatReply | None:
        """The reply of a key, or None."""
        ...

    async def put(self, key: bytes, model: str, reply: ChatReply) -> bool:
        """Keep a reply; False: it is only in memory, and the reason has been logged."""
        ...

    def hold(self, key: bytes) -> bool:
        """Ask to be the one who fetches a reply; False: another process is at it. Ends with `let_go`, or with us."""
        ...

    def let_go(self, key: bytes) -> None:
        """The reply is there, or will not come."""
        ...

    def close(self) -> None:
        """Release the file. May be called twice; the next use opens it again."""
        ...


@dataclass(slots=True)
class MemoryReplies:
    """Replies of this process."""

    replies: dict[bytes, ChatReply] = field(default_factory=dict)

    def get(self, key: bytes) -> ChatReply | None:
        """The reply of a key, or None."""
        return self.replies.get(key)

    async def put(self, key: bytes, model: str, reply: ChatReply) -> bool:
        """Keep a reply."""
        self.replies[key] = reply
        return True

    def hold(self, key: bytes) -> bool:
        """There is no other process."""
        return True

    def let_go(self, key: bytes) -> None:
        """Nothing is held."""

    def close(self) -> None:
        """Nothing to release."""


@dataclass(slots=True)
class SQLiteReplies:
    """Replies in a file that several processes may share.

    Attributes:
        path: The file; its folder is made if need be.
        patience: Seconds to wait for other processes that are writing.
    """

    path: Path
    patience: float = 30.0
    _connection: sqlite3.Connection | None = field(default=None, repr=False)
    _unsaved: dict[bytes, ChatReply] = field(default_factory=dict, repr=False)
    _locks: int | None = field(default=None, repr=False)

    def get(self, key: bytes) -> ChatReply | None:
        """The reply of a key, or None.

        Raises:
            UserError: The file cannot be read.
        """
        if key in self._unsaved:
            return self._unsaved[key]
        try:
            row = self._open().execute("SELECT reply FROM replies WHERE key = ?", (key,)).fetchone()
        except sqlite3.DatabaseError as error:
            if is_locked(error):
                return None
            raise UserError(
                f"{self.path} cannot be read ({error}): delete it, or choose another cache folder"
            ) from None
        return None if row is None else _load(row[0])

    async def put(self, key: bytes, model: str, reply: ChatReply) -> bool:
        """Keep a reply. Whatever is wrong with the disk, the reply itself is not lost to this process."""
        row = (key, model, _dump(reply), time.time())
        deadline = time.monotonic() + self.patience
        while True:
            try:
                self._open().execute(
                    "INSERT OR REPLACE INTO replies (key, model, reply, created) VALUES (?, ?, ?, ?)", row
                )
                return True
            except sqlite3.DatabaseError as error:
                if not is_locked(error) or time.monotonic() > deadline:
                    self._keep_in_memory(key, reply, error)
                    return False
            await asyncio.sleep(0.02)  # another process is writing; this one goes on with its other requests

    def hold(self, key: bytes) -> bool:
        """Ask to be the one who fetches a reply, by a lock in a file beside this one."""
        try:
            if self._locks is None:
                self._locks = os.open(self.path.with_suffix(".lock"), os.O_RDWR | os.O_CREAT, 0o644)
            return lock(self._locks, _place(key), wait=False)
        except OSError:
            return True  # no locks on this file system: the worst that can happen is that a request is sent twice

    def let_go(self, key: bytes) -> None:
        """Give the lock back."""
        if self._locks is not None:
            with contextlib.suppress(OSError):
                unlock(self._locks, _place(key))

    def close(self) -> None:
        """Close the files."""
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()
        locks, self._locks = self._locks, None
        if locks is not None:
            os.close(locks)

    def _keep_in_memory(self, key: bytes, reply: ChatReply, error: sqlite3.DatabaseError) -> None:
        if not self._unsaved:
            log.warning("%s: %s; replies are kept in memory and will be lost at the end", self.path, error)
        self._unsaved[key] = reply

    def _open(self) -> sqlite3.Connection:
        if self._connection is None:
            self._connection = open_replies(self.path)
        return self._connection


def open_replies(path: Path) -> sqlite3.Connection:
    """Open or make a reply file.

    A write-ahead log with ``synchronous=NORMAL``: a commit survives the death of the process. A rowid table with a
    unique key, since one without rowid is many times slower to fill in the order of hashes.

    Raises:
        UserError: It is not a reply file, or cannot be opened.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        connection = sqlite3.connect(path, timeout=0.05, isolation_level=None, check_same_thread=False)
    except (OSError, sqlite3.DatabaseError) as error:
        raise UserError(f"the reply cache {path} cannot be opened: {error}") from None
    try:
        _prepare(connection)
    except sqlite3.DatabaseError as error:
        connection.close()
        if is_locked(error):
            raise
        raise UserError(f"the reply cache {path} cannot be used ({error}): delete it, or choose another") from None
    return connection


def _prepare(connection: sqlite3.Connection) -> None:
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if version not in (0, _SCHEMA_VERSION):
        raise sqlite3.DatabaseError(f"it was made by another version of saferag, format {version}")
    if version == 0:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute(_TABLE)
        connection.execute(f"PRAGMA user_version={_SCHEMA_VERSION}")
    connection.execute("PRAGMA synchronous=NORMAL")
    connection.execute("PRAGMA cache_size=-65536")


def is_locked(error: sqlite3.Error) -> bool:
    """Whether somebody else is using the file just now."""
    return isinstance(error, sqlite3.OperationalError) and any(w in str(error) for w in ("locked", "busy"))


def _dump(reply: ChatReply) -> str:
    """A reply for the store, readable as it is unless it holds half a surrogate pair."""
    text = json.dumps(asdict(reply), ensure_ascii=False)
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.dumps(asdict(reply))
    return text


def _load(text: str) -> ChatReply | None:
    """A stored reply, or None where the row is not one: the request is then sent again."""
    try:
        row = json.loads(text)
        return ChatReply(str(row["text"]), Usage(**row["usage"]), str(row["finish"]))
    except (ValueError, TypeError, KeyError):
        return None


def _place(key: bytes) -> int:
    """The byte of the lock file that stands for a request."""
    return int.from_bytes(key[:7], "big")
