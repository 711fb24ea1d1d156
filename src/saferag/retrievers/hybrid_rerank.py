"""Hybrid search whose candidates are looked at again before the window is filled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from saferag.embedders.http import JsonServer
from saferag.errors import OptionError
from saferag.resources import Resources
from saferag.retrievers import retrievers
from saferag.retrievers.dense import Dense
from saferag.retrievers.hybrid import SHALLOWEST, Fusion, Hybrid, HybridIndex, build
from saferag.retrievers.ranking import in_order
from saferag.retrievers.rescoring import Overlap, Rescorer
from saferag.retrievers.rescoring_models import LocalCrossEncoder, RerankEndpoint
from saferag.types import Hit, Passage, Ranking


@dataclass(frozen=True, slots=True)
class RerankIndex:
    """A hybrid index and what looks at its candidates again.

    Attributes:
        first: Finds the candidates.
        rescorer: Decides their order.
        candidates: How many are looked at again; None: twice the window, at least `SHALLOWEST`.
    """

    first: HybridIndex
    rescorer: Rescorer
    candidates: int | None

    def __len__(self) -> int:
        return len(self.first)

    def overlay(self, passages: Sequence[Passage]) -> RerankIndex:
        """An index that holds these passages too; see `Index`."""
        return RerankIndex(self.first.overlay(passages), self.rescorer, self.candidates)

    def search(self, queries: Sequence[str], top_k: int) -> list[Ranking]:
        """The best passages for each question; see `Index`.

        Raises:
            ModelError: A model behind the search has failed.
        """
        count = max(top_k, self.candidates or max(2 * top_k, SHALLOWEST))
        found = [tuple(hit.passage for hit in ranking) for ranking in self.first.search(queries, count)]
        scores = self.rescorer.rescore(queries, found)
        return [in_order(map(Hit, *pair), top_k) for pair in zip(found, scores, strict=True)]


@dataclass(frozen=True, slots=True)
class HybridRerank:
    """Builds hybrid indexes with a rescorer.

    Attributes:
        first: Builds what finds the candidates.
        rescorer: Decides their order.
        candidates: How many are looked at again.
    """

    first: Hybrid
    rescorer: Rescorer
    candidates: int | None

    def index(self, passages: Sequence[Passage]) -> RerankIndex:
        """Index passages; see `Retriever`."""
        return RerankIndex(self.first.index(passages), self.rescorer, self.candidates)


@retrievers.register(
    "hybrid-rerank",
    summary="hybrid, rescored: by overlap (no model), hybrid-rerank:NAME for a cross-encoder, hybrid-rerank:endpoint",
)
def hybrid_rerank(
    resources: Resources,
    *,
    variant: str = "overlap",
    candidates: int | None = None,
    model: str | None = None,
    base_url: str | None = None,
    key_env: str | None = None,
    device: str | None = None,
    bm25: str = "bm25",
    dense: str = "dense",
    c: float = 60.0,
    bm25_weight: float = 1.0,
    dense_weight: float = 1.0,
    depth: int | None = None,
) -> HybridRerank:
    """Build the retriever.

    Args:
        resources: Passed on to all parts; limits for requests.
        variant: ``overlap`` (shared words and the vectors that are there already; no cross-encoder), ``endpoint`` (a
            server with ``/rerank``), or the name or folder of a cross-encoder such as ``bge-reranker-base`` (extra
            ``local``).
        candidates: How many fused candidates are rescored; default: twice the window, at least 20.
        model: For ``endpoint``: the model's name at the server.
        base_url: For ``endpoint``: root of the API, such as ``https://api.jina.ai/v1``.
        key_env: For ``endpoint``: the environment variable that holds the key; default ``OPENAI_API_KEY``.
        device: For a cross-encoder: ``cpu``, ``cuda`` …; default: the library's choice.
        bm25: As for ``hybrid``.
        dense: As for ``hybrid``.
        c: As for ``hybrid``.
        bm25_weight: As for ``hybrid``.
        dense_weight: As for ``hybrid``.
        depth: As for ``hybrid``; the window is here the number of candidates.

    Raises:
        UserError: A parameter cannot be used, or a part cannot be built.
    """
    if candidates is not None and candidates < 1:
        raise OptionError(f"retriever 'hybrid-rerank': candidates={candidates} must be 1 or more")
    user = f"retriever 'hybrid-rerank:{variant}'"
    where = {"model": model, "base_url": base_url, "key_env": key_env}
    useless = (
        {"device": device} if variant == "endpoint" else where if variant != "overlap" else where | {"device": device}
    )
    for name, value in useless.items():
        if value is not None:
            raise OptionError(f"{user} has no use for the parameter '{name}'")
    first = build(resources, "hybrid-rerank", (bm25, dense), Fusion((bm25_weight, dense_weight), c, depth))
    match variant:
        case "overlap":
            embedders = [part.embedder for part in first.parts if isinstance(part, Dense)]
            return HybridRerank(first, Overlap(embedders[0] if embedders else None), candidates)
        case "endpoint":
            server = JsonServer.of(resources, user, model, base_url, key_env)
            return HybridRerank(first, RerankEndpoint(server), candidates)
    return HybridRerank(first, LocalCrossEncoder.named(variant, device), candidates)
