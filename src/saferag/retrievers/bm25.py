"""Exact BM25 over an immutable index, with overlays whose statistics are pooled with the base.

The formula is Lucene's, with the length of a passage kept exactly (Kamphuis, de Vries, Boytsov and Lin, "Which
BM25 do you mean?", ECIR 2020, the variant "Lucene (accurate)"). For a question q and a passage d of length |d|:

    score(q, d) = sum over the tokens t of q of  idf(t) · tf / (tf + k1 · (1 - b + b · |d| / avgdl))
    idf(t)      = ln(1 + (N - df + 0.5) / (df + 0.5))

Only counts are stored, no weights: N, df and avgdl are those of base and overlays together at the moment of the
search. So an overlay has the scores of a rebuild to the last bit, and the base is never touched.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from saferag.errors import OptionError
from saferag.resources import Resources
from saferag.retrievers import retrievers
from saferag.retrievers.postings import Postings, Tokenizer
from saferag.retrievers.ranking import Best, merge
from saferag.retrievers.tokens import tokenizer
from saferag.types import Passage, Ranking

T = TypeVar("T")
_Share = tuple[NDArray[np.intp], NDArray[np.float64]]
_BLOCK = 65_536  # passages scored at once, so that their scores stay in the processor's cache


@dataclass(frozen=True, slots=True)
class Formula:
    """The two constants of BM25.

    Attributes:
        k1: How slowly repetition saturates; 0 ignores repetition.
        b: How much a long passage is discounted, from 0 to 1.
    """

    k1: float
    b: float

    def idf(self, frequency: int, size: int) -> float:
        """Weight of a term that ``frequency`` of ``size`` passages hold."""
        return math.log(1 + (size - frequency + 0.5) / (frequency + 0.5))

    def norms(self, longest: int, mean: float) -> NDArray[np.float64]:
        """The term count at which half of the weight is reached, for each passage length up to the longest."""
        lengths = np.arange(longest + 1, dtype=np.float64)
        return self.k1 * (1 - self.b + self.b * (lengths / mean if mean else lengths))


@dataclass(frozen=True, slots=True)
class Bm25Index:
    """A base and its overlays, searched as one.

    Attributes:
        layers: The base first; a layer is never changed.
        tokenize: How a text becomes terms.
        formula: The constants.
    """

    layers: tuple[Postings, ...]
    tokenize: Tokenizer
    formula: Formula

    def __len__(self) -> int:
        return sum(len(layer.shelf) for layer in self.layers)

    def overlay(self, passages: Sequence[Passage]) -> Bm25Index:
        """An index that holds these passages too; only they are read.

        Raises:
            DataError: An id is taken.
        """
        layer = Postings.of(passages, self.tokenize, [known.shelf for known in self.layers])
        return Bm25Index((*self.layers, layer), self.tokenize, self.formula)

    def idf(self, term: str) -> float:
        """Weight of a term in this index."""
        return self.formula.idf(sum(layer.frequency(term) for layer in self.layers), len(self))

    def search(self, queries: Sequence[str], top_k: int) -> list[Ranking]:
        """The best passages for each question; see `Index`."""
        tokens = sum(int(layer.lengths.sum(dtype=np.int64)) for layer in self.layers)
        longest = max(int(layer.lengths.max(initial=0)) for layer in self.layers)
        norms = self.formula.norms(longest, tokens / len(self))
        idf = _Memo(self.idf)
        # The terms keep the order of the question, so that every index adds the same numbers in the same order.
        weights = [{t: n * idf[t] for t, n in Counter(self.tokenize(query)).items()} for query in queries]
        found = [_search(layer, weights, norms, top_k) for layer in self.layers]
        return merge(found, top_k)


class _Memo(dict[str, T]):
    """Asks for the value of each term once."""

    def __init__(self, make: Callable[[str], T]) -> None:
        self._make = make

    def __missing__(self, term: str) -> T:
        value = self[term] = self._make(term)
        return value


def _search(
    layer: Postings, weights: Sequence[Mapping[str, float]], norms: NDArray[np.float64], top_k: int
) -> list[Best]:
    """Score a layer in blocks, all questions at once: what a term adds to a passage is worked out once per block."""
    found = [Best(layer.shelf, top_k) for _ in weights]
    for first in range(0, len(layer.shelf), _BLOCK):
        norm = norms[layer.lengths[first : first + _BLOCK]]

        def share(term: str, first: int = first, norm: NDArray[np.float64] = norm) -> _Share:
            docs, counts = layer.where(term, first, first + len(norm))
            places = (docs - first).astype(np.intp)
            return places, counts / (counts + norm[places])

        shares = _Memo(share)
        for best, question in zip(found, weights, strict=True):
            scores = np.zeros(len(norm))
            for term, weight in question.items():
                places, saturation = shares[term]
                scores[places] += weight * saturation
            best.offer_block(first, scores)
    return found


@dataclass(frozen=True, slots=True)
class Bm25:
    """Builds BM25 indexes.

    Attributes:
        formula: The constants.
        tokenize: How a text becomes terms.
    """

    formula: Formula
    tokenize: Tokenizer

    def index(self, passages: Sequence[Passage]) -> Bm25Index:
        """Index passages; see `Retriever`.

        Raises:
            DataError: Two passages have the same id.
        """
        return Bm25Index((Postings.of(passages, self.tokenize),), self.tokenize, self.formula)


@retrievers.register("bm25", summary="exact BM25 (Lucene's formula); Chinese words by rjieba, or character bigrams")
def bm25(resources: Resources, *, k1: float = 1.2, b: float = 0.75, tokens: str = "terms") -> Bm25:
    """Build the retriever.

    Args:
        resources: Not used.
        k1: Saturation of repetition, 0 or more.
        b: Discount for length, from 0 to 1.
        tokens: ``terms`` (English stems and Chinese words by a dictionary, without words that carry grammar or only
            ask), ``words`` (all words as they are), ``bigrams`` (pairs of Chinese characters, no dictionary) or
            ``jieba`` (the cuts of the original jieba, extra ``jieba``).

    Raises:
        OptionError: A parameter is out of range.
    """
    if not (0 <= k1 < math.inf and 0 <= b <= 1):
        raise OptionError(f"retriever 'bm25': k1={k1:g} must be 0 or more and b={b:g} from 0 to 1")
    return Bm25(Formula(k1, b), tokenizer(tokens))
