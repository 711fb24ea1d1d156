"""What of a context bears on a question, and what says the same twice: by shared terms, without a model.

Filters and generators that need no model are built on this. Nothing here looks at a passage's origin.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from saferag.text import content_terms, split_sentences
from saferag.types import Context

_CONTAINED = 0.95
_MOST_HOLDERS = 200


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
    held = Counter(term for text, d in zip(texts, direct, strict=True) if d > 0 for term in text)
    rated = []
    for text, d in zip(texts, direct, strict=True):
        linked = sum(held[term] > (d > 0) for term in text)  # by another passage than this one
        rated.append(Relevance(d, linked / len(text) if text else 0.0))
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


class Merger:
    """Finds, among texts that are given one after another, those that say hardly more than an earlier one.

    A text repeats an earlier one if at least ``limit`` of all terms of the two are shared (Jaccard), or if at least
    95 % of its own terms stand in the earlier one. A longer text that contains an earlier one does say more, and two
    texts of which each has a figure that the other lacks disagree: they are never the same.

    Args:
        texts: All texts that will be given, for the rarity of their terms.
        limit: Share of common terms, above 0 and at most 1.
    """

    def __init__(self, texts: Iterable[AbstractSet[str]], limit: float) -> None:
        self._limit = limit
        self._df = Counter(term for text in texts for term in text)
        self._kept: list[AbstractSet[str]] = []
        self._holders: dict[str, list[int]] = {}

    def first(self, terms: AbstractSet[str]) -> int | None:
        """Number (from 0, of the texts that were kept) of the first one that a text repeats, or keep the text.

        Whatever shares ``limit`` of its terms with a text shares one of the text's rarest terms if these are more than
        the others may differ in, so only texts that hold one of them are compared, and of one term at most 200.
        """
        if terms:
            spare = int((1 - min(self._limit, _CONTAINED)) * len(terms)) + 1
            rarest = sorted(terms, key=lambda t: (self._df[t], t))[:spare]
            candidates = {i for term in rarest for i in self._holders.get(term, ())[:_MOST_HOLDERS]}
            found = next((i for i in sorted(candidates) if self._repeats(terms, self._kept[i])), None)
            if found is not None:
                return found
        for term in terms:
            self._holders.setdefault(term, []).append(len(self._kept))
        self._kept.append(terms)
        return None

    def _repeats(self, terms: AbstractSet[str], earlier: AbstractSet[str]) -> bool:
        if _has_figure(terms - earlier) and _has_figure(earlier - terms):
            return False
        shared = len(terms & earlier)
        return shared >= self._limit * (len(terms) + len(earlier) - shared) or shared >= _CONTAINED * len(terms)


def _has_figure(terms: AbstractSet[str]) -> bool:
    return any(term[0].isdigit() for term in terms)
