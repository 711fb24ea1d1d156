"""What reviewers did, as a journal in SQLite: who, when, what. A case is its draft with all its events applied.

Nothing is ever changed or removed; an undo is an event, too. An event has been written through to the disk when
`Journal.add` returns, so neither a killed process nor a second one loses it.
"""

from __future__ import annotations

import copy
import hashlib
import json
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Any

from saferag.construct.records import Draft
from saferag.errors import OptionError, SafeRAGError, UserError
from saferag.review.by_hand import by_hand
from saferag.review.fields import Change, apply, changes, fields


class Status(StrEnum):
    """Where a case stands in the review."""

    OPEN = "open"
    ACCEPTED = "accepted"
    REJECTED = "rejected"
    RETURNED = "returned"


class ConflictError(SafeRAGError):
    """Somebody else has changed what this action is about. ``who`` is who."""

    def __init__(self, who: str) -> None:
        super().__init__(f"{who} has changed this since you loaded it")
        self.who = who


@dataclass(frozen=True, slots=True)
class Event:
    """One entry of the journal.

    Attributes:
        seq: Its number.
        at: When, in UTC.
        who: Who.
        kind: ``draft``, ``edit``, ``decide`` or ``undo``.
        data: What; see `Journal`.
    """

    seq: int
    at: str
    who: str
    kind: str
    data: dict[str, Any]


@dataclass(slots=True)
class State:
    """A case as it stands.

    Attributes:
        case_id: Its id.
        draft: The draft that it came from.
        record: The case record with all edits.
        status, note: The decision and what was noted with it.
        version: Number of the last event.
        events: All of its events, in order.
    """

    case_id: str
    draft: Draft
    record: dict[str, Any]
    status: Status = Status.OPEN
    note: str = ""
    version: int = 0
    events: list[Event] = field(default_factory=list)

    @property
    def undoable(self) -> Event | None:
        """The last event that an undo would take back."""
        undone = {e.data["undoes"] for e in self.events if e.kind == "undo"}
        for event in reversed(self.events):
            if event.kind == "draft":
                return None
            if event.kind != "undo" and event.seq not in undone:
                return event
        return None

    @property
    def touched(self) -> bool:
        """Whether a person has done anything since the draft came."""
        return bool(self.events) and self.events[-1].kind != "draft"


@dataclass(frozen=True, slots=True)
class Journal:
    """The journal of a folder.

    Events: ``draft`` (a `Draft`), ``edit`` (``changes``: field, old, new), ``decide`` (``status``, ``note``, and what
    they were before), ``undo`` (``undoes``: a number, and either ``changes`` or ``status`` and ``note``).

    Attributes:
        path: The file.
    """

    path: Path

    def take_in(self, drafts: Sequence[Draft]) -> list[str]:
        """Take in drafts. A new draft replaces an untouched or returned case.

        Returns:
            The cases that people have worked on, and that therefore stay as they are.
        """
        kept: list[str] = []
        with self._writing() as db:
            for draft in drafts:
                state = self._state(db, draft.case["id"])
                if state is not None:
                    if _digest(state.draft) == _digest(draft):
                        continue
                    if state.touched and state.status is not Status.RETURNED:
                        kept.append(state.case_id)
                        continue
                self._insert(db, draft.case["id"], "build", "draft", draft.model_dump())
        return kept

    def states(self) -> list[State]:
        """All cases, in the order in which they came."""
        with self._open() as db:
            ids = [row[0] for row in db.execute("SELECT case_id FROM events GROUP BY case_id ORDER BY MIN(seq)")]
            found = [self._state(db, case_id) for case_id in ids]
        return [state for state in found if state is not None]

    def state(self, case_id: str) -> State:
        """One case.

        Raises:
            OptionError: There is none of this id.
        """
        with self._open() as db:
            state = self._state(db, case_id)
        if state is None:
            raise OptionError(f"there is no case '{case_id}'")
        return state

    def edit(self, case_id: str, who: str, field_path: str, old: str, new: str) -> State:
        """Replace a text. ``old`` is what the reviewer saw; edits of other texts in between do no harm.

        Raises:
            ConflictError: The text is another one by now.
            OptionError: There is no such case or text, or the new text cannot be used.
        """
        with self._writing() as db:
            state = self._require(db, case_id)
            current = fields(state.record).get(field_path)
            if current is not None and current != old:
                raise ConflictError(_last_editor(state, field_path))
            found = changes(state.record, field_path, new)
            if new == old:
                return state
            self._insert(db, case_id, who, "edit", {"changes": [asdict(change) for change in found]})
            return self._require(db, case_id)

    def write(self, case_id: str, who: str, attack: str, data: dict[str, Any]) -> State:
        """Add attack texts that a person has written.

        Raises:
            ConflictError: Somebody else has written some.
            UserError: There is no such case, or the texts do not fit together.
        """
        with self._writing() as db:
            state = self._require(db, case_id)
            if attack in state.record.get("attacks", {}):
                raise ConflictError(_last_editor(state, f"attacks/{attack}"))
            text = json.dumps(by_hand(state.record, attack, data), ensure_ascii=False)
            change = {"field": f"attacks/{attack}", "old": "", "new": text}
            self._insert(db, case_id, who, "edit", {"changes": [change]})
            return self._require(db, case_id)

    def decide(self, case_id: str, who: str, version: int, status: Status, note: str = "") -> State:
        """Accept, reject, send back to the model with a note, or open again. ``version`` is what the reviewer saw.

        Raises:
            ConflictError: Something has happened to the case since then.
            OptionError: There is no such case, or a note is missing.
        """
        if status is Status.RETURNED and not note.strip():
            raise OptionError("a case goes back to the model with a note that says what to change")
        with self._writing() as db:
            state = self._require(db, case_id)
            if state.version != version:
                raise ConflictError(state.events[-1].who)
            before = {"old_status": state.status.value, "old_note": state.note}
            self._insert(db, case_id, who, "decide", {"status": status.value, "note": note, **before})
            return self._require(db, case_id)

    def undo(self, case_id: str, who: str, version: int) -> State:
        """Take back the last edit or decision that was not taken back yet.

        Raises:
            ConflictError: Something has happened to the case since the reviewer looked.
            OptionError: There is no such case, or nothing to take back.
        """
        with self._writing() as db:
            state = self._require(db, case_id)
            if state.version != version:
                raise ConflictError(state.events[-1].who)
            event = state.undoable
            if event is None:
                raise OptionError("there is nothing to undo")
            data: dict[str, Any] = {"undoes": event.seq}
            if event.kind == "edit":
                pairs = reversed(event.data["changes"])
                data["changes"] = [{"field": c["field"], "old": c["new"], "new": c["old"]} for c in pairs]
            else:
                data |= {"status": event.data["old_status"], "note": event.data["old_note"]}
            self._insert(db, case_id, who, "undo", data)
            return self._require(db, case_id)

    def _require(self, db: sqlite3.Connection, case_id: str) -> State:
        state = self._state(db, case_id)
        if state is None:
            raise OptionError(f"there is no case '{case_id}'")
        return state

    def _state(self, db: sqlite3.Connection, case_id: str) -> State | None:
        query = "SELECT seq, at, who, kind, data FROM events WHERE case_id = ? ORDER BY seq"
        state: State | None = None
        events: list[Event] = []
        for seq, at, who, kind, data in db.execute(query, (case_id,)):
            event = Event(seq, at, who, kind, json.loads(data))
            events.append(event)
            if kind == "draft":
                draft = Draft.model_validate(event.data)
                state = State(case_id, draft, copy.deepcopy(draft.case))
            elif state is not None:
                _apply(state, event)
        if state is not None:
            state.version, state.events = events[-1].seq, events
        return state

    def _insert(self, db: sqlite3.Connection, case_id: str, who: str, kind: str, data: dict[str, Any]) -> None:
        at = datetime.now(UTC).isoformat(timespec="seconds")
        text = json.dumps(data, ensure_ascii=False)
        db.execute(
            "INSERT INTO events (case_id, at, who, kind, data) VALUES (?, ?, ?, ?, ?)", (case_id, at, who, kind, text)
        )

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        try:
            db = sqlite3.connect(self.path, isolation_level=None, timeout=30)
        except sqlite3.Error as error:
            raise UserError(f"{self.path} cannot be opened: {error}") from None
        try:
            db.execute("PRAGMA journal_mode = WAL")
            db.execute("PRAGMA synchronous = FULL")
            db.execute(
                "CREATE TABLE IF NOT EXISTS events (seq INTEGER PRIMARY KEY, case_id TEXT NOT NULL, at TEXT NOT NULL,"
                " who TEXT NOT NULL, kind TEXT NOT NULL, data TEXT NOT NULL)"
            )
            db.execute("CREATE INDEX IF NOT EXISTS by_case ON events (case_id, seq)")
            yield db
        except sqlite3.Error as error:
            raise UserError(f"{self.path} cannot be used: {error}") from None
        finally:
            db.close()

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """A transaction that nobody else writes in between."""
        with self._open() as db:
            db.execute("BEGIN IMMEDIATE")
            try:
                yield db
            except BaseException:
                db.execute("ROLLBACK")
                raise
            db.execute("COMMIT")


def _apply(state: State, event: Event) -> None:
    for change in event.data.get("changes", ()):
        apply(state.record, Change(**change))
    if "status" in event.data:
        state.status, state.note = Status(event.data["status"]), event.data["note"]


def _last_editor(state: State, field_path: str) -> str:
    for event in reversed(state.events):
        if any(change["field"] == field_path for change in event.data.get("changes", ())):
            return event.who
    return state.events[-1].who


def _digest(draft: Draft) -> str:
    return hashlib.sha256(json.dumps(draft.model_dump(), sort_keys=True).encode()).hexdigest()
