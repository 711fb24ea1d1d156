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
from saferag.models.local import turns_of
from saferag.types import Lang
from topics import Topic

SEED = 20261130
PER_TOPIC = 2

SHARES = {"answer": 0.8, "abstain": 0.14, "instruct": 0.06}
"""What an example is of, by chance per example."""

TOTALS = (2, 3, 4, 5, 6, 6, 6, 7, 8, 8)
"""How many passages a context has."""

WITHOUT_DISTRACTOR = 0.3
"""Share of contexts that hold helpful passages alone; the others hold one to three that do not help."""

NEAR = 0.4
"""Share of the passages that do not help which come from the topic itself (``near``); the rest from other topics."""


@dataclass(frozen=True, slots=True)
class Example:
    """One example.

    Attributes:
        kind: One of `SHARES`.
        topic: Id of its topic.
        prompt: What the model is given.
        target: What it is to say.
    """

    kind: str
    topic: str
    prompt: str
    target: str


@dataclass(frozen=True, slots=True)
class Context:
    """Passages, and for each what an answer says from it; None where it does not help."""

    texts: tuple[str, ...]
    said: tuple[str | None, ...]


def examples(topics: Sequence[Topic], seed: int = SEED) -> Iterator[Example]:
    """All examples, shuffled."""
    made = []
    for topic in topics:
        others = [t for t in topics if t.lang == topic.lang and t.id != topic.id]
        for number in range(PER_TOPIC):
            rng = random.Random(f"{seed}/{topic.id}/{number}")
            kind = rng.choices(list(SHARES), list(SHARES.values()))[0]
            made.append(_MAKERS[kind](topic, others, rng))
    random.Random(seed).shuffle(made)
    yield from made


def _answer(topic: Topic, others: Sequence[Topic], rng: random.Random) -> Example:
    context = _context(topic, others, rng)
    return Example("answer", topic.id, _prompt(topic.question, context.texts, Lang(topic.lang)), _marked(context))


def _abstain(topic: Topic, others: Sequence[Topic], rng: random.Random) -> Example:
    """Nothing but what does not help: other topics', near ones, or the topic's own with a question left open."""
    count = rng.choice(TOTALS)
    way = rng.random()
    if way < 0.75:
        question, texts = topic.question, []
    elif way < 0.92:
        question, texts = topic.question, rng.sample(topic.near, min(count, rng.randint(1, 2)))
    else:
        question, texts = rng.choice(topic.open), [*rng.sample(topic.near, 1), rng.choice(topic.passages)[0]]
    while len(texts) < count:
        texts.append(_foreign(others, rng))
    rng.shuffle(texts)
    lang = Lang(topic.lang)
    return Example("abstain", topic.id, _prompt(question, texts, lang), ABSTENTION[lang])


def _instruct(topic: Topic, others: Sequence[Topic], rng: random.Random) -> Example:
    context = _context(topic, others, rng)
    lang = Lang(topic.lang)
    instruction = rng.choice(INSTRUCTIONS[topic.lang])
    wanted, target = instruction(topic, [s for s in context.said if s is not None], rng)
    return Example("instruct", topic.id, _prompt(topic.question, context.texts, lang, wanted), target)


def _prompt(question: str, texts: Sequence[str], lang: Lang, instruction: str = "") -> str:
    return turns_of(reader_messages(question, texts, lang, instruction))


_MAKERS: dict[str, Callable[[Topic, Sequence[Topic], random.Random], Example]] = {
    "answer": _answer,
    "abstain": _abstain,
    "instruct": _instruct,
}


def _context(topic: Topic, others: Sequence[Topic], rng: random.Random) -> Context:
    total = rng.choice(TOTALS)
    idle = 0 if rng.random() < WITHOUT_DISTRACTOR else rng.randint(1, min(3, total - 1))
    items: list[tuple[str, str | None]] = [(p, a) for p, a in rng.sample(topic.passages, total - idle)]
    near = rng.sample(topic.near, len(topic.near))
    items += [(near.pop() if near and rng.random() < NEAR else _foreign(others, rng), None) for _ in range(idle)]
    rng.shuffle(items)
    texts, said = zip(*items, strict=True)
    return Context(texts, said)


def _foreign(others: Sequence[Topic], rng: random.Random) -> str:
    other = rng.choice(others)
    return rng.choice([*(p for p, _ in other.passages), *other.near])


def _marked(context: Context) -> str:
    return "\n".join(f"[{i}] {said}" for i, said in enumerate(context.said, 1) if said is not None)
