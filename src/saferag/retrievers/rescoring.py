"""What a rescorer is, and the one that needs no model of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from saferag.embedders import Embedder
from saferag.relevance import share, term_weights
from saferag.text import content_terms, split_sentences
from saferag.types import Context


class Rescorer(Protocol):
    """Looks at a question and its candidates again, with more care than an index can afford."""

    def rescore(self, queries: Sequence[str], candidates: Sequence[Context]) -> list[list[float]]:
        """For each question one score for each of its candidates, higher is better.

        A question's scores depend on its own candidates only.

        Raises:
            ModelError: A model behind it has failed.
        """
        ...


@dataclass(frozen=True, slots=True)
class Overlap:
    """Rescores by the words that question and passage share, and by the vectors that are there already.

    It is no cross-encoder: nothing reads question and passage together. The words: the share of the question's terms
    that a candidate holds, each weighted by its rarity among the candidates, in the whole passage and in its best
    sentence. The vectors: cosine similarity. Each of the two is standardised over the candidates, and their sum counts.

    Attributes:
        embedder: Has embedded the passages before; None: the words alone.
    """

    embedder: Embedder | None

    def rescore(self, queries: Sequence[str], candidates: Sequence[Context]) -> list[list[float]]:
        """Scores for each question; see `Rescorer`."""
        scores = [
            _standardise(_shared_words(query, context)) for query, context in zip(queries, candidates, strict=True)
        ]
        if self.embedder is not None and any(candidates):
            similar = _similarities(self.embedder, queries, candidates)
            scores = [words + _standardise(cosines) for words, cosines in zip(scores, similar, strict=True)]
        return [[float(score) for score in row] for row in scores]


def _shared_words(query: str, context: Context) -> NDArray[np.float64]:
    passages = [frozenset(content_terms(passage.text)) for passage in context]
    weights = term_weights(query, passages)
    shares = []
    for passage, terms in zip(context, passages, strict=True):
        sentences = (frozenset(content_terms(sentence)) for sentence in split_sentences(passage.text))
        shares.append(share(weights, terms) + max((share(weights, terms) for terms in sentences), default=0.0))
    return np.array(shares)


def _similarities(
    embedder: Embedder, queries: Sequence[str], candidates: Sequence[Context]
) -> list[NDArray[np.float64]]:
    """Cosines, exact: float64 holds sums of products of half-precision numbers (`saferag.embedders.rounding`)."""
    texts = [passage.text for context in candidates for passage in context]
    asked, answers = (
        rows.astype(np.float16).astype(np.float64)
        for rows in (embedder.embed(queries, kind="query"), embedder.embed(texts, kind="passage"))
    )
    ends = np.cumsum([len(context) for context in candidates])
    parts = np.split(answers, ends[:-1])
    return [part @ query if len(part) else np.zeros(0) for part, query in zip(parts, asked, strict=True)]


def _standardise(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Mean 0 and deviation 1; all 0 where nothing differs."""
    spread = values.std() if len(values) else 0.0
    return (values - values.mean()) / spread if spread > 1e-9 else np.zeros(len(values))
