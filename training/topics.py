"""The training topics: text files with one item a line, ``key: value``, and a blank line between topics.

A topic is eight passages that answer one question, what a good answer says from each, passages near the subject that
do not help, and questions that nothing there answers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent / "topics"


@dataclass(frozen=True, slots=True)
class Topic:
    """One topic.

    Attributes:
        id: Such as ``zh-a-01``; it begins with the language.
        subject: What it is about, in a few words.
        question: What all passages help to answer.
        passages: Each with what an answer says from it.
        near: Passages near the subject that do not help.
        open: Questions on the subject that are not answered here.
    """

    id: str
    subject: str
    question: str
    passages: tuple[tuple[str, str], ...]
    near: tuple[str, ...]
    open: tuple[str, ...]

    @property
    def lang(self) -> str:
        """``zh`` or ``en``."""
        return self.id[:2]


def read_topics(folder: Path = FOLDER) -> list[Topic]:
    """All topics, in the order of file names and of the files."""
    return [topic for path in sorted(folder.glob("*.txt")) for topic in _parse(path.read_text("utf-8"))]


def _parse(text: str) -> Iterator[Topic]:
    for block in re.split(r"\n\s*\n", text.strip()):
        items = [(key.strip(), value.strip()) for key, _, value in (line.partition(":") for line in block.splitlines())]

        def every(name: str, items: list[tuple[str, str]] = items) -> tuple[str, ...]:
            return tuple(value for key, value in items if key == name)

        (topic_id,), (subject,), (question,) = every("id"), every("subject"), every("question")
        passages = tuple(zip(every("p"), every("a"), strict=True))
        yield Topic(topic_id, subject, question, passages, every("near"), every("open"))
