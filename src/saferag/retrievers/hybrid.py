"""BM25 and dense search, fused by rank into one list."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from saferag.errors import OptionError
from saferag.resources import Resources
from saferag.retrievers import Index, Retriever, retrievers
from saferag.retrievers.fusion import reciprocal_rank_fusion
from saferag.types import Passage, Ranking

SHALLOWEST = 20
"""The least depth of a list to be fused, unless it is set."""


@dataclass(frozen=True, slots=True)
class Fusion:
    """How lists are fused.

    Attributes:
        weights: One for each list.
        c: The constant of reciprocal rank fusion.
        depth: How much of each list is looked at; None: twice the window, at least `SHALLOWEST`.
    """

    weights: tuple[float, ...]
    c: float = 60.0
    depth: int | None = None

    def depth_for(self, top_k: int) -> int:
        """How much of each list is looked at for a window; never less than the window."""
        return max(top_k, self.depth or max(2 * top_k, SHALLOWEST))


@dataclass(frozen=True, slots=True)
class HybridIndex:
    """Indexes over the same passages, searched as one.

    Attributes:
        parts: One index for each list.
        fusion: How their lists are fused.
    """

    parts: tuple[Index, ...]
    fusion: Fusion

    def __len__(self) -> int:
        return len(self.parts[0])

    def overlay(self, passages: Sequence[Passage]) -> HybridIndex:
        """An index that holds these passages too, in each of its parts."""
        return HybridIndex(tuple(part.overlay(passages) for part in self.parts), self.fusion)

    def search(self, queries: Sequence[str], top_k: int) -> list[Ranking]:
        """The best passages for each question; see `Index`."""
        depth = self.fusion.depth_for(top_k)
        lists = [part.search(queries, depth) for part in self.parts]
        weights, c = self.fusion.weights, self.fusion.c
        return [reciprocal_rank_fusion(rankings, weights, c)[:top_k] for rankings in zip(*lists, strict=True)]


@dataclass(frozen=True, slots=True)
class Hybrid:
    """Builds hybrid indexes.

    Attributes:
        parts: The retrievers whose lists are fused.
        fusion: How.
    """

    parts: tuple[Retriever, ...]
    fusion: Fusion

    def index(self, passages: Sequence[Passage]) -> HybridIndex:
        """Index passages in each part; see `Retriever`."""
        return HybridIndex(tuple(part.index(passages) for part in self.parts), self.fusion)


@retrievers.register("hybrid", summary="bm25 and dense, fused by reciprocal rank; hybrid:NAME for a dense model")
def hybrid(
    resources: Resources,
    *,
    variant: str | None = None,
    bm25: str = "bm25",
    dense: str | None = None,
    c: float = 60.0,
    bm25_weight: float = 1.0,
    dense_weight: float = 1.0,
    depth: int | None = None,
) -> Hybrid:
    """Build the retriever.

    Args:
        resources: Passed on to both parts.
        variant: A variant of ``dense``, such as ``bge-base-zh-v1.5``: short for ``dense=dense:…``.
        bm25: Spec of the first part, such as ``bm25(k1=0.9)``; any retriever will do.
        dense: Spec of the second part, such as ``dense:bge-base-zh-v1.5``; any retriever will do.
        c: The constant of reciprocal rank fusion, 0 or more.
        bm25_weight: Weight of the first list, 0 or more.
        dense_weight: Weight of the second list, 0 or more.
        depth: How much of each list is fused; default: twice the window, at least 20.

    Raises:
        UserError: A parameter cannot be used, or a part cannot be built.
    """
    if variant and dense:
        raise OptionError(f"retriever 'hybrid:{variant}' names its dense part twice: leave out dense={dense}")
    specs = (bm25, dense or (f"dense:{variant}" if variant else "dense"))
    return build(resources, "hybrid", specs, Fusion((bm25_weight, dense_weight), c, depth))


def build(resources: Resources, name: str, specs: Sequence[str], fusion: Fusion) -> Hybrid:
    """Build a hybrid of the retrievers of some specs, for the retriever of a name.

    Raises:
        UserError: A parameter cannot be used, or a part cannot be built.
    """
    if not (0 <= fusion.c < math.inf and all(0 <= w < math.inf for w in fusion.weights) and any(fusion.weights)):
        raise OptionError(f"retriever '{name}': c and the weights must be 0 or more, and one weight more than 0")
    if fusion.depth is not None and fusion.depth < 1:
        raise OptionError(f"retriever '{name}': depth={fusion.depth} must be 1 or more")
    return Hybrid(tuple(retrievers.build(spec, resources) for spec in specs), fusion)
