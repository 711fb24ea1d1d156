"""Passages with an order of their ids, and the best of many scores: nothing but scores and ids decides."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from saferag.errors import DataError
from saferag.types import Hit, Passage, Ranking


@dataclass(frozen=True, slots=True)
class Shelf:
    """Passages with unique ids, in the order in which they came.

    Attributes:
        passages: The passages.
        by_id: Positions of the passages in the order of their ids.
        ranks: For each position its place in ``by_id``.
    """

    passages: tuple[Passage, ...]
    by_id: NDArray[np.int32]
    ranks: NDArray[np.int32]

    @classmethod
    def of(cls, passages: Sequence[Passage], known: Sequence[Shelf] = ()) -> Shelf:
        """Put up passages beside the ``known`` ones.

        Raises:
            DataError: Two passages have the same id.
        """
        ids = [passage.id for passage in passages]
        order = sorted(range(len(ids)), key=ids.__getitem__)
        for left, right in pairwise(order):
            if ids[left] == ids[right]:
                raise DataError(f"two passages have the id '{ids[left]}'")
        for shelf in known:
            for taken in filter(shelf.__contains__, ids):
                raise DataError(f"two passages have the id '{taken}'")
        by_id = np.array(order, np.int32)
        ranks = np.empty_like(by_id)
        ranks[by_id] = np.arange(len(ids), dtype=np.int32)
        return cls(tuple(passages), by_id, ranks)

    def __len__(self) -> int:
        return len(self.passages)

    def __contains__(self, passage_id: str) -> bool:
        place = bisect_left(self.by_id, passage_id, key=lambda position: self.passages[position].id)
        return place < len(self) and self.passages[self.by_id[place]].id == passage_id

    def best(self, scores: NDArray[np.float64], top_k: int) -> list[Hit]:
        """The passages with the ``top_k`` highest scores, best first, equal scores by passage id.

        Args:
            scores: One for each passage.
            top_k: How many, or fewer where there are not so many.
        """
        found = self._candidates(scores, min(top_k, len(self)))
        found = found[np.lexsort((self.ranks[found], -scores[found]))]
        return [Hit(self.passages[i], float(scores[i])) for i in found]

    def _candidates(self, scores: NDArray[np.float64], count: int) -> NDArray[np.intp]:
        if count <= 0:
            return np.empty(0, np.intp)
        last = np.partition(scores, len(scores) - count)[len(scores) - count]
        above = np.flatnonzero(scores > last)
        level = np.flatnonzero(scores == last)
        missing = count - len(above)
        if missing < len(level):
            level = level[np.argpartition(self.ranks[level], missing - 1)[:missing]]
        return np.concatenate([above, level])


def in_order(hits: Iterable[Hit], top_k: int) -> Ranking:
    """The ``top_k`` best hits, best first, equal scores by passage id."""
    return tuple(sorted(hits, key=lambda hit: (-hit.score, hit.passage.id))[:top_k])
