"""Reciprocal rank fusion: one list out of several, by ranks alone.

Cormack, Clarke and Buettcher, "Reciprocal Rank Fusion outperforms Condorcet and individual Rank Learning Methods",
SIGIR 2009:  score(d) = sum over the lists that hold d of  weight / (c + rank of d),  with ranks from 1.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from saferag.retrievers.ranking import in_order
from saferag.types import Hit, Passage, Ranking


def reciprocal_rank_fusion(rankings: Sequence[Ranking], weights: Sequence[float], c: float = 60.0) -> Ranking:
    """Fuse rankings of one question.

    A hit with a score of exactly 0 found nothing of the question in its passage and stands where it stands by its id
    alone: it adds nothing, and the passage comes last if no other list holds it.

    Args:
        rankings: The lists, best first.
        weights: One for each list, 0 or more.
        c: How slowly the worth of a rank decays; more than -1.

    Returns:
        Every passage of any list, best first, equal scores by passage id. The order of the lists does not matter.
    """
    passages: dict[str, Passage] = {}
    shares: dict[str, list[float]] = {}
    for ranking, weight in zip(rankings, weights, strict=True):
        for rank, hit in enumerate(ranking, start=1):
            passages[hit.passage.id] = hit.passage
            shares.setdefault(hit.passage.id, []).append(weight / (c + rank) if hit.score else 0.0)
    # fsum rounds once: the sum is the same in any order.
    return in_order((Hit(passages[key], math.fsum(parts)) for key, parts in shares.items()), len(passages))
