"""The records that travel through the construction of a benchmark. Each has a schema and is one line of JSON."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from saferag.data.records import Id, Record, Text
from saferag.types import Lang


class Document(Record):
    """A document as it was read.

    Attributes:
        id: Made of its path within the folder; unique.
        path: Where it was read, relative to the folder.
        title: Its headline.
        lang: ``zh`` or ``en``, by its characters.
        paragraphs: Its text; a paragraph that is a heading stands in ``headings`` too, by its number.
    """

    id: Id
    path: str
    title: str
    lang: Literal["zh", "en"]
    paragraphs: list[Text]
    headings: list[int] = Field(default_factory=list)


class Segment(Record):
    """More than eight consecutive sentences on one topic.

    Attributes:
        id: The document's id and a number; the id of the case that becomes of it.
        document: The document's id.
        title: The heading above it, or the document's title.
        lang: Its language.
        sentences: In order.
    """

    id: Id
    document: Id
    title: str
    lang: Literal["zh", "en"]
    sentences: list[Text]

    @property
    def language(self) -> Lang:
        """Its language as an enumeration."""
        return Lang(self.lang)

    @property
    def text(self) -> str:
        """Its sentences, joined."""
        return ("" if self.lang == "zh" else " ").join(self.sentences)


class Rejection(Record):
    """Something that does not go on, and why. Nothing is dropped without one.

    Attributes:
        step: The step that rejects it: ``collect``, ``segment``, ``question``, ``facts`` …
        item: A document, segment or fact.
        kind: A short name for counting, such as ``too_short`` or ``unusable_reply``.
        reason: For people.
        whole: Whether no case comes of the item; otherwise the case goes on without a part.
    """

    step: str
    item: str
    kind: str
    reason: str
    whole: bool = True


class Question(Record):
    """A question with the golden contexts that answer it."""

    topic: str = ""
    kind: Literal["what", "why", "how"]
    query: Text
    contexts: list[Text] = Field(min_length=1)


class Proposition(Record):
    """One fact of golden context ``context`` (counted from 1); ``value`` carries the information."""

    context: int = Field(ge=1)
    text: Text
    value: Text


class Distortion(Record):
    """What a false option says in place of the value of fact ``fact`` (counted from 1)."""

    fact: int = Field(ge=1)
    wrong: Text
    change: Text


class Targets(Record):
    """What the attack texts are made from, counted from 1, with the reasons of whoever chose.

    Attributes:
        silver: The fact nearest to the question.
        conflict, ad: Golden contexts; None where nobody has chosen.
    """

    silver: int = Field(ge=1)
    conflict: int | None = None
    conflict_reason: str = ""
    ad: int | None = None
    ad_reason: str = ""


class Draft(Record):
    """A case with how it came to be.

    Attributes:
        case: The case, in the form of a data file.
        segment: Id of the segment.
        made_by: ``model`` or ``rules``: who wrote it. No person has seen it yet.
        reasons: Why whoever chose them chose the targets of the conflict and of the ad.
        missing: What has to be added by hand or with a model.
        note: The reviewer's note that this draft answers, if it was sent back.
    """

    case: dict[str, Any]
    segment: Id
    made_by: Literal["model", "rules"]
    reasons: dict[str, str] = Field(default_factory=dict)
    missing: list[str] = Field(default_factory=list)
    note: str = ""
