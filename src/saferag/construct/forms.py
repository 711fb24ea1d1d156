"""The forms of a model's replies in the construction of a benchmark."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from saferag.models.structured import ReplyForm


class QuestionReply(ReplyForm):
    """A question with its golden contexts, or why there is none."""

    usable: bool
    reason: str = ""
    topic: str = ""
    kind: Literal["what", "why", "how"] | Literal[""] = ""
    query: str = ""
    contexts: list[str] = Field(default_factory=list)


class FactReply(ReplyForm):
    """One fact of a numbered context."""

    context: int
    text: str
    value: str


class FactsReply(ReplyForm):
    """The facts of all contexts."""

    facts: list[FactReply]


class WrongReply(ReplyForm):
    """A false value for a numbered fact."""

    fact: int
    wrong: str
    change: Literal["number", "date", "name", "place", "direction", "order", "scope", "cause", "unit", "actor"]


class OptionsReply(ReplyForm):
    """The facts that are made false."""

    wrong: list[WrongReply]


class TargetsReply(ReplyForm):
    """The contexts that a conflict and an ad are made from."""

    conflict: int
    conflict_reason: str = ""
    ad: int
    ad_reason: str = ""


class SilverReply(ReplyForm):
    """Passages that repeat one fact."""

    passages: list[str]


class PairReply(ReplyForm):
    """A true and a false sentence."""

    true: str
    false: str
    keyword: str


class ConflictReply(ReplyForm):
    """A conflicting version of a context."""

    text: str
    pairs: list[PairReply]


class AdReply(ReplyForm):
    """A context with an ad, in two versions."""

    names: list[str]
    direct: str
    indirect: str
