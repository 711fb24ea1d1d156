"""The records that travel through saferag, all frozen, all with ids.

case → (retrieve) → ranking → context → (filter) → context → (generate) → answer; a `Trace` keeps them all.
Nothing here knows how any of it is computed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


class Lang(StrEnum):
    """The language of a case."""

    ZH = "zh"
    EN = "en"


class Origin(StrEnum):
    """Where a passage comes from. Read by metrics and reports only, never by a component under test."""

    GOLDEN = "golden"
    BACKGROUND = "background"
    ATTACK = "attack"


class Label(StrEnum):
    """What is true of an option."""

    CORRECT = "correct"
    INCORRECT = "incorrect"


class Verdict(StrEnum):
    """What a judge finds about an option, given a response."""

    CORRECT = "correct"
    INCORRECT = "incorrect"
    UNDECIDED = "undecided"


class Condition(StrEnum):
    """What was put in: nothing, the attack, or what an attack is held against.

    ``CONTROL`` puts benign text of the same length in the same places; ``CLOSED_BOOK`` leaves the context empty.
    """

    CLEAN = "clean"
    ATTACKED = "attacked"
    CONTROL = "control"
    CLOSED_BOOK = "closed_book"


@dataclass(frozen=True, slots=True)
class Passage:
    """One unit of retrievable text.

    Attributes:
        id: Unique in the corpus, such as ``zh-culture-03/g1``.
        text: The text as it stands in the knowledge base.
        origin: Where it comes from. A passage that is golden for one case is background for every other
            case, so metrics ask ``case.golden_ids``, not this field, whether a passage is golden.
        source_ids: For a rewritten passage (a summary), the ids of the passages that it was made from.
    """

    id: str
    text: str
    origin: Origin = Origin.BACKGROUND
    source_ids: tuple[str, ...] = ()

    @property
    def provenance(self) -> tuple[str, ...]:
        """The ids of the original passages in this one: its sources, or itself."""
        return self.source_ids or (self.id,)


Context = tuple[Passage, ...]


@dataclass(frozen=True, slots=True)
class Hit:
    """A passage with the score that a retriever gave it (higher is better, scale is the retriever's own)."""

    passage: Passage
    score: float


Ranking = tuple[Hit, ...]


@dataclass(frozen=True, slots=True)
class Fact:
    """One proposition of a golden passage.

    Attributes:
        id: Unique in the case.
        text: One self-contained sentence.
        passage_id: The golden passage that states it.
        value: The part of the text that carries the information (a figure, a date, a name, a direction).
    """

    id: str
    text: str
    passage_id: str
    value: str


@dataclass(frozen=True, slots=True)
class Claim:
    """An option as a judge may see it: without its label.

    Attributes:
        id: The option's id.
        text: The statement to judge.
        value: The value that the statement states, where known.
        contrast: The value that its counterpart states, where known. A judge cannot tell from it which is true.
        mention: For "the answer mentions X": X.
    """

    id: str
    text: str
    value: str | None = None
    contrast: str | None = None
    mention: str | None = None


@dataclass(frozen=True, slots=True)
class Option:
    """A statement that a judge holds against a response, with its label."""

    id: str
    text: str
    label: Label
    fact_id: str | None = None
    value: str | None = None
    contrast: str | None = None
    mention: str | None = None
    change: str | None = None

    @property
    def claim(self) -> Claim:
        """The option without its label and without the kind of its distortion."""
        return Claim(self.id, self.text, self.value, self.contrast, self.mention)


@dataclass(frozen=True, slots=True)
class AttackText:
    """A ready attack text that belongs to a case.

    Attributes:
        id: Unique in the case.
        text: The text.
        target: Id of the fact or golden passage that it was made from, if any.
        variant: A kind within the task, such as ``direct`` or ``indirect`` for soft ads.
    """

    id: str
    text: str
    target: str | None = None
    variant: str | None = None


@dataclass(frozen=True, slots=True)
class AttackMaterial:
    """What a case holds for one attack task.

    Attributes:
        texts: Ready attack texts in the order in which they are used.
        options: Options of this task; empty means the case's own options.
        keywords: What stands in the response if the attack succeeded; empty means not applicable.
    """

    texts: tuple[AttackText, ...] = ()
    options: tuple[Option, ...] = ()
    keywords: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Case:
    """One evaluation item: a question with its evidence, its options and its attack material.

    Attributes:
        id: Unique in the dataset.
        lang: Language of all its texts.
        query: The question.
        golden: The passages that answer it.
        background: Passages on the same topic that do not answer it.
        facts: Propositions of the golden passages.
        options: Statements for the judge, for tasks without options of their own.
        attacks: Attack material by attack name.
        answer: A reference answer, or an empty string.
        topic, kind, title, split: For grouping and for people; may be empty.
    """

    id: str
    lang: Lang
    query: str
    golden: tuple[Passage, ...]
    background: tuple[Passage, ...] = ()
    facts: tuple[Fact, ...] = ()
    options: tuple[Option, ...] = ()
    attacks: Mapping[str, AttackMaterial] = field(default_factory=dict)
    answer: str = ""
    topic: str = ""
    kind: str = ""
    title: str = ""
    split: str = ""

    @property
    def golden_ids(self) -> frozenset[str]:
        """Ids of the golden passages of this case."""
        return frozenset(p.id for p in self.golden)


@dataclass(frozen=True, slots=True)
class Usage:
    """What model calls cost.

    Attributes:
        calls: Calls that were needed, cached ones included.
        cached: How many of them the reply cache answered.
        prompt_tokens, completion_tokens: As the provider counted them, 0 where it did not say.
        truncated: How many replies ended at their length limit.
    """

    calls: int = 0
    cached: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    truncated: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.calls + other.calls,
            self.cached + other.cached,
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            self.truncated + other.truncated,
        )


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a step of one case has no result: a recorded outcome, never scored as an answer.

    Attributes:
        step: ``filter``, ``generator`` or ``judge``.
        kind: The `ModelError.kind` of what happened.
        message: For people, without keys.
    """

    step: str
    kind: str
    message: str


@dataclass(frozen=True, slots=True)
class Removal:
    """A passage that a filter took out, and why."""

    passage_id: str
    reason: str


@dataclass(frozen=True, slots=True)
class Filtered:
    """What a filter made of a context.

    Attributes:
        kept: The passages that go on, in order. A rewrite keeps its `Passage.source_ids`.
        removed: Every input passage that is in no kept passage's provenance, with a reason.
        usage: What it cost.
    """

    kept: Context
    removed: tuple[Removal, ...] = ()
    usage: Usage = Usage()


@dataclass(frozen=True, slots=True)
class Answer:
    """A generator's response."""

    text: str
    usage: Usage = Usage()


@dataclass(frozen=True, slots=True)
class Judged:
    """A judge's verdict on one option.

    Attributes:
        option_id: The option.
        verdict: What the judge found.
        reason: One sentence for people; may be empty.
    """

    option_id: str
    verdict: Verdict
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Judgement:
    """A judge's verdicts on all options of one response, in the order of the options."""

    verdicts: tuple[Judged, ...]
    usage: Usage = Usage()

    def ids(self, verdict: Verdict) -> frozenset[str]:
        """Ids of the options with this verdict."""
        return frozenset(j.option_id for j in self.verdicts if j.verdict is verdict)


@dataclass(frozen=True, slots=True)
class Trace:
    """What happened to one case under one condition, without any judgement.

    Attributes:
        case_id: The case.
        condition: Clean or attacked.
        attack: Every attack text of this case that was put in at any door.
        retrieved: The retrieved context, after door 2.
        filtered: What the filter made of it, before door 3.
        context: What the generator saw, after door 3.
        removed: What the filter removed.
        answer: The response, or None if a step failed.
        failure: Why there is no response.
        usage: Cost of filter and generator.
    """

    case_id: str
    condition: Condition
    attack: Context
    retrieved: Context
    filtered: Context = ()
    context: Context = ()
    removed: tuple[Removal, ...] = ()
    answer: str | None = None
    failure: Failure | None = None
    usage: Usage = Usage()


@dataclass(frozen=True, slots=True)
class Score:
    """A measured value of one case."""

    value: float


@dataclass(frozen=True, slots=True)
class Unscored:
    """A value of one case that could not be obtained. It is counted and never becomes a number."""

    reason: str


Measurement = Score | Unscored | None
"""A metric's result for one case. ``None`` means that the metric is not applicable to the case."""
