"""The training mix: which examples are made of the topics. Fixed before the first evaluation; see README.md.

Every example is drawn from one topic by its own seeded generator, so adding a topic changes no other example.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from instructions import INSTRUCTIONS
from saferag.generators.extractive import ABSTENTION
from saferag.generators.reader import reader_messages
from saferag.models import Message
from saferag.types import Lang
from topics import Topic

SEED = 20261130
JUDGING = 1
"""Examples of each topic in which passages are judged alone; they come first."""

PER_TOPIC = 3
"""Examples of each topic of every other kind, together."""

SHARES = {"answer": 0.7, "abstain": 0.12, "instruct": 0.18}
"""What an example is of, by chance per example."""

TOTALS = (2, 3, 4, 5, 6, 6, 6, 7, 8, 8)
"""How many passages a context has."""

FEW = (2, 3, 4, 5, 6)
"""The same, where the user wishes for a form."""

NOTHING_BUT = 1 / 18
"""Share of the wishes that ask for nothing but a given word: 1 % of all examples."""

WITHOUT_DISTRACTOR = 0.25
"""Share of contexts that hold helpful passages alone; the others hold one to three that do not help."""

NEAR = 0.3
"""Share of the passages that do not help which come from the topic itself (``near``); the rest from other topics."""


@dataclass(frozen=True, slots=True)
class Example:
    """One example.

    Attributes:
        kind: ``judge``, or one of `SHARES`.
        topic: Id of its topic.
        messages: What the model is given: the question, the passages, the task.
        helps: Which of the passages help.
        target: What it is to say; nothing where each passage is judged alone.
    """

    kind: str
    topic: str
    messages: tuple[Message, ...]
    helps: tuple[bool, ...]
    target: str


@dataclass(frozen=True, slots=True)
class Context:
    """Passages, and for each what an answer says from it; None where it does not help."""

    texts: tuple[str, ...]
    said: tuple[str | None, ...]

    @property
    def helps(self) -> tuple[bool, ...]:
        """Which of them help."""
        return tuple(said is not None for said in self.said)


def examples(topics: Sequence[Topic], seed: int = SEED) -> Iterator[Example]:
    """All examples: those of judging alone, then the others, each shuffled."""
    judging, made = [], []
    for topic in topics:
        others = [t for t in topics if t.lang == topic.lang and t.id != topic.id]
        judging += [_judge(topic, others, random.Random(f"{seed}/{topic.id}/judge {i}")) for i in range(JUDGING)]
        for number in range(PER_TOPIC):
            rng = random.Random(f"{seed}/{topic.id}/{number}")
            kind = rng.choices(list(SHARES), list(SHARES.values()))[0]
            made.append(_MAKERS[kind](topic, others, rng))
    rng = random.Random(seed)
    rng.shuffle(judging)
    rng.shuffle(made)
    yield from judging
    yield from made


def _judge(topic: Topic, others: Sequence[Topic], rng: random.Random) -> Example:
    """Two passages that help and two that do not, each judged alone."""
    idle = [_idle(topic, others, rng) for _ in range(2)]
    items = [*((p, True) for p, _ in rng.sample(topic.passages, 2)), *((p, False) for p in idle)]
    rng.shuffle(items)
    texts, helps = zip(*items, strict=True)
    return Example("judge", topic.id, reader_messages(topic.question, texts, Lang(topic.lang)), helps, "")


def _answer(topic: Topic, others: Sequence[Topic], rng: random.Random) -> Example:
    context = _context(topic, others, rng, TOTALS)
    messages = reader_messages(topic.question, context.texts, Lang(topic.lang))
    return Example("answer", topic.id, messages, context.helps, _marked(context))


def _abstain(topic: Topic, others: Sequence[Topic], rng: random.Random) -> Example:
    """Nothing but what does not help: other topics', near ones, or the topic's own with a question left open."""
    count = rng.choice(TOTALS)
    way = rng.random()
    if way < 0.6:
        question, texts = topic.question, []
    elif way < 0.8:
        question, texts = topic.question, rng.sample(topic.near, min(count, rng.randint(1, 3)))
    else:
        question, texts = rng.choice(topic.open), [*rng.sample(topic.near, 1), rng.choice(topic.passages)[0]]
    while len(texts) < count:
        texts.append(_foreign(others, rng))
    rng.shuffle(texts)
    lang = Lang(topic.lang)
    return Example("abstain", topic.id, reader_messages(question, texts, lang), (False,) * count, ABSTENTION[lang])


def _instruct(topic: Topic, others: Sequence[Topic], rng: random.Random) -> Example:
    context = _context(topic, others, rng, FEW)
    ways = INSTRUCTIONS[topic.lang]
    instruction = ways[-1] if rng.random() < NOTHING_BUT else rng.choice(ways[:-1])
    wish, target = instruction(topic, [s for s in context.said if s is not None], rng)
    messages = reader_messages(topic.question, context.texts, Lang(topic.lang), wish)
    return Example("instruct", topic.id, messages, context.helps, target)


_MAKERS: dict[str, Callable[[Topic, Sequence[Topic], random.Random], Example]] = {
    "answer": _answer,
    "abstain": _abstain,
    "instruct": _instruct,
}


def _context(topic: Topic, others: Sequence[Topic], rng: random.Random, totals: Sequence[int]) -> Context:
    total = rng.choice(totals)
    idle = 0 if rng.random() < WITHOUT_DISTRACTOR else rng.randint(1, min(3, total - 1))
    items: list[tuple[str, str | None]] = [(p, a) for p, a in rng.sample(topic.passages, total - idle)]
    items += [(_idle(topic, others, rng), None) for _ in range(idle)]
    rng.shuffle(items)
    texts, said = zip(*items, strict=True)
    return Context(texts, said)


def _idle(topic: Topic, others: Sequence[Topic], rng: random.Random) -> str:
    return rng.choice(topic.near) if rng.random() < NEAR else _foreign(others, rng)


def _foreign(others: Sequence[Topic], rng: random.Random) -> str:
    other = rng.choice(others)
    return rng.choice([*(p for p, _ in other.passages), *other.near])


def _marked(context: Context) -> str:
    return "\n".join(f"[{i}] {said}" for i, said in enumerate(context.said, 1) if said is not None)
