"""What the page can ask for: the review desk (cases of a build) and the label desk (answers of a run)."""

from __future__ import annotations

import asyncio
import contextlib
from dataclasses import dataclass, field
from typing import Any, Protocol

from saferag.construct.folder import Folder
from saferag.data.findings import Finding
from saferag.errors import OptionError, SafeRAGError
from saferag.report.untrusted import readable
from saferag.review import view
from saferag.review.journal import Journal, State, Status
from saferag.review.labelling import Item, Labels
from saferag.review.publish import publish

Json = dict[str, Any]

_AMONG_CASES = frozenset({"near_duplicates", "attack_keywords"})
"""Rules that may find something about a case only when they see the others, too."""


class Desk(Protocol):
    """Answers requests of the page. Methods may block; the server calls them in threads."""

    @property
    def mode(self) -> str:
        """``review`` or ``label``."""
        ...

    def queue(self, who: str) -> list[Json]:
        """A line for each thing to look at."""
        ...

    def show(self, key: str, who: str) -> Json:
        """One of them in full."""
        ...

    def act(self, key: str, who: str, action: str, data: Json) -> Json:
        """Do something to it and show it again.

        Raises:
            ConflictError: Somebody else was faster.
            OptionError: It cannot be done.
        """
        ...

    def changed(self) -> None:
        """Called in the server's event loop after an action."""
        ...

    async def close(self) -> None:
        """Finish what is under way."""
        ...


@dataclass(slots=True)
class ReviewDesk:
    """Cases of a build.

    Attributes:
        folder: The build's folder.
    """

    folder: Folder
    _known: dict[tuple[str, int], list[Finding]] = field(default_factory=dict)
    _publishing: asyncio.Task[None] | None = None
    _again: bool = False
    _together: dict[str, list[Finding]] = field(default_factory=dict)

    @property
    def mode(self) -> str:
        """Review."""
        return "review"

    def queue(self, who: str) -> list[Json]:
        """All cases: open ones with findings first, then open ones, then the others."""
        found = [view.summary(state, self._findings(state)) for state in self._journal.states()]
        return sorted(found, key=lambda line: (line["status"] != Status.OPEN, not line["findings"]))

    def show(self, key: str, who: str) -> Json:
        """A case."""
        return self._view(self._journal.state(key))

    def act(self, key: str, who: str, action: str, data: Json) -> Json:
        """Edit, write attack texts, decide or undo."""
        journal = self._journal
        match action:
            case "edit":
                state = journal.edit(key, who, _text(data, "field"), _text(data, "old"), _text(data, "new"))
            case "write":
                state = journal.write(key, who, _text(data, "attack"), data)
            case "decide":
                status = _text(data, "status")
                if status not in set(Status):
                    raise OptionError(f"there is no decision '{status}'")
                state = journal.decide(key, who, _number(data, "version"), Status(status), data.get("note") or "")
            case "undo":
                state = journal.undo(key, who, _number(data, "version"))
            case _:
                raise OptionError(f"there is no action '{action}'")
        return self._view(state)

    def changed(self) -> None:
        """Write the dataset anew, soon, and in a thread: a decision does not wait for it."""
        self._again = True
        if self._publishing is None or self._publishing.done():
            self._publishing = asyncio.create_task(self._publish())

    async def close(self) -> None:
        """Wait for the dataset."""
        if self._publishing is not None:
            await self._publishing

    async def _publish(self) -> None:
        while self._again:
            self._again = False
            with contextlib.suppress(SafeRAGError):  # the journal has everything; the next action writes it again
                found = await asyncio.to_thread(publish, self.folder)
                self._together = found.waiting

    def _findings(self, state: State) -> list[Finding]:
        key = state.case_id, state.version
        if key not in self._known:
            self._known[key] = view.findings(state)
        others = [f for f in self._together.get(state.case_id, ()) if f.rule in _AMONG_CASES]
        return [*self._known[key], *(f for f in others if f not in self._known[key])]

    def _view(self, state: State) -> Json:
        return view.view(state, self._findings(state))

    @property
    def _journal(self) -> Journal:
        return Journal(self.folder.journal)


@dataclass(slots=True)
class LabelDesk:
    """Answers of a run.

    Attributes:
        items: By id, in the order of the queue.
        labels: Where labels go.
    """

    items: dict[str, Item]
    labels: Labels

    @property
    def mode(self) -> str:
        """Label."""
        return "label"

    def queue(self, who: str) -> list[Json]:
        """All answers, with whether this person has judged them. Nothing here says where an answer comes from."""
        done = {item for person, item in self.labels.all() if person == who}
        return [
            {"id": key, "lang": item.case.lang.value, "title": readable(item.case.query)[:200], "done": key in done}
            for key, item in self.items.items()
        ]

    def show(self, key: str, who: str) -> Json:
        """An answer with its options, and what this person has said about it."""
        item = self._item(key)
        mine = self.labels.all().get((who, key))
        return {
            "id": key,
            "lang": item.case.lang.value,
            "query": readable(item.case.query),
            "answer": readable(item.answer),
            "options": [{"id": option.id, "text": readable(option.text)} for option in item.options],
            "verdicts": {name: verdict.value for name, verdict in mine.verdicts.items()} if mine else {},
            "refused": mine.refused if mine else False,
            "done": mine is not None,
        }

    def act(self, key: str, who: str, action: str, data: Json) -> Json:
        """Take a person's labels."""
        if action != "label" or not isinstance(data.get("verdicts"), dict):
            raise OptionError(f"there is no action '{action}'")
        verdicts = {str(name): str(value) for name, value in data["verdicts"].items()}
        self.labels.add(self._item(key), who, verdicts, refused=data.get("refused") is True)
        return self.show(key, who)

    def changed(self) -> None:
        """Nothing follows from a label."""

    async def close(self) -> None:
        """Nothing is under way."""

    def _item(self, key: str) -> Item:
        if key not in self.items:
            raise OptionError("there is no such answer")
        return self.items[key]


def _text(data: Json, name: str) -> str:
    value = data.get(name)
    if not isinstance(value, str):
        raise OptionError(f"'{name}' must be a text")
    return value


def _number(data: Json, name: str) -> int:
    value = data.get(name)
    if not isinstance(value, int) or isinstance(value, bool):
        raise OptionError(f"'{name}' must be a number")
    return value
