"""What of a context bears on a question, and what says the same twice: by shared terms, without a model.

Filters and generators that need no model are built on this. Nothing here looks at a passage's origin.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from saferag.text import content_terms, split_sentences
from saferag.types import Context


@dataclass(frozen=True, slots=True)
class Relevance:
    """How much a text bears on a question.

    Attributes:
        direct: Share of the weight of the question's terms that the text holds, from 0 to 1.
        linked: Share of the text's own terms that also stand in a text which bears on the question directly.
    """

    direct: float
    linked: float

    @property
    def score(self) -> float:
        """One figure to rank by: what is direct counts in full, what is linked by half."""
        return self.direct + self.linked / 2


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a context.

    Attributes:
        text: The sentence as it stands in its passage.
        passage: Position of the passage in the context.
        terms: Its content terms.
        direct: Share of the weight of the question's terms that it holds.
    """

    text: str
    passage: int
    terms: frozenset[str]
    direct: float


def term_weights(query: str, texts: Sequence[AbstractSet[str]]) -> dict[str, float]:
    """Weight each content term of the question by its rarity among the texts: ln(1 + (n + 1) / (df + 1))."""
    return {
        term: math.log1p((len(texts) + 1) / (sum(term in text for text in texts) + 1))
        for term in sorted(set(content_terms(query)))
    }


def share(weights: Mapping[str, float], terms: AbstractSet[str]) -> float:
    """Share of the weight that the given terms hold, from 0 to 1."""
    total = sum(weights.values())
    return sum(w for term, w in weights.items() if term in terms) / total if total else 0.0


def rate(query: str, context: Context) -> list[Relevance]:
    """Rate each passage of a context: by the question's terms, and by the terms of passages that hold some of them.

    A retrieved passage often answers a part of the question without repeating a word of it, while it does speak
    of what its neighbours speak of; that is what ``linked`` is for.
    """
    texts = [frozenset(content_terms(p.text)) for p in context]
    weights = term_weights(query, texts)
    direct = [share(weights, text) for text in texts]
    rated = []
    for i, text in enumerate(texts):
        neighbours: set[str] = set().union(*(t for j, t in enumerate(texts) if j != i and direct[j] > 0))
        rated.append(Relevance(direct[i], len(text & neighbours) / len(text) if text else 0.0))
    return rated


def sentences_of(query: str, context: Context) -> list[Sentence]:
    """All sentences of a context in context order, each with its own share of the question's terms."""
    found = [
        (text, i, frozenset(content_terms(text)))
        for i, passage in enumerate(context)
        for text in split_sentences(passage.text)
    ]
    weights = term_weights(query, [terms for _, _, terms in found])
    return [Sentence(text, i, terms, share(weights, terms)) for text, i, terms in found]


def repeats(terms: AbstractSet[str], earlier: AbstractSet[str], limit: float) -> bool:
    """Whether a text says hardly more than an earlier one.

    True if at least ``limit`` of all terms of the two are shared (Jaccard), or if at least 95 % of the text's
    own terms stand in the earlier one. A longer text that contains an earlier one does say more.
    """
    if not terms:
        return not earlier
    shared = len(terms & earlier)
    return shared >= limit * len(terms | earlier) or shared >= 0.95 * len(terms)
