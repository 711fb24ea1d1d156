"""What does the steps from a segment to a draft: a chat model or rules. Both keep to this interface."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from saferag.construct.records import Distortion, Proposition, Question, Rejection, Segment, Targets
from saferag.data.pack import AdSource, ConflictSource, SilverSource
from saferag.types import Usage


class RejectedError(Exception):
    """A step cannot do its part. Whoever runs the steps records it.

    Args:
        step: The step.
        kind: A short name for counting.
        reason: For people.
    """

    def __init__(self, step: str, kind: str, reason: str) -> None:
        super().__init__(reason)
        self.step, self.kind, self.reason = step, kind, reason

    def record(self, item: str, *, whole: bool) -> Rejection:
        """As a record about an item."""
        return Rejection(step=self.step, item=item, kind=self.kind, reason=self.reason, whole=whole)


@dataclass(frozen=True, slots=True)
class Task:
    """One segment on its way, with what the steps may look at.

    Attributes:
        segment: The segment.
        question: Set from the second step on.
        facts: Set from the third step on.
        background: Passages on other things.
        spare: Sentences that are in no segment and state no figure, for side details.
        note: A reviewer's note, if the case was sent back.
    """

    segment: Segment
    question: Question | None = None
    facts: tuple[Proposition, ...] = ()
    background: tuple[str, ...] = ()
    spare: tuple[str, ...] = ()
    note: str = ""

    @property
    def asked(self) -> Question:
        """The question, which the first step has set."""
        assert self.question is not None
        return self.question

    @property
    def benign(self) -> tuple[str, ...]:
        """Every benign passage of the case."""
        return (*self.asked.contexts, *self.background)


class Means(Protocol):
    """Does the steps. Every method may raise `RejectedError`; a model's may raise `ModelError` too."""

    @property
    def made_by(self) -> Literal["model", "rules"]:
        """Who that is."""
        ...

    @property
    def usage(self) -> Usage:
        """What it has cost so far."""
        ...

    async def question(self, task: Task) -> Question:
        """One comprehensive question and up to eight golden contexts."""
        ...

    async def facts(self, task: Task) -> tuple[Sequence[Proposition], Sequence[Rejection]]:
        """Propositions of the golden contexts, and what was left out of them."""
        ...

    async def targets(self, task: Task) -> Targets:
        """What the attack texts are to be made from."""
        ...

    async def distortions(self, task: Task, targets: Targets) -> Sequence[Distortion]:
        """False values for some of the facts, never for the target of silver noise."""
        ...

    async def silver(self, task: Task, targets: Targets) -> SilverSource:
        """Ten passages that repeat the target fact."""
        ...

    async def conflict(self, task: Task, targets: Targets) -> ConflictSource | None:
        """A golden context with its facts changed; None where these means do not write any."""
        ...

    async def ad(self, task: Task, targets: Targets) -> AdSource | None:
        """A golden context with an ad, direct and indirect; None where these means do not write any."""
        ...
