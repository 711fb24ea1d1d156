"""Passages with an order of their ids, and the best of many scores: nothing but scores and ids decides."""

from __future__ import annotations

import math
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


class Best:
    """Keeps the highest scores of a shelf that is scored block by block; equal scores go by passage id.

    Args:
        shelf: The passages.
        top_k: How many to keep, or fewer where there are not so many.
    """

    def __init__(self, shelf: Shelf, top_k: int) -> None:
        self._shelf = shelf
        self._count = max(0, top_k)
        self._found = np.empty(0, np.intp)
        self._scores = np.empty(0)

    @property
    def floor(self) -> float:
        """A score below this one cannot enter any more."""
        return float(self._scores.min()) if 0 < self._count <= len(self._scores) else -math.inf

    def offer(self, positions: NDArray[np.intp], scores: NDArray[np.float64]) -> None:
        """Take what belongs to the best of these passages and of those that came before."""
        found = np.concatenate([self._found, positions])
        scores = np.concatenate([self._scores, scores])
        if len(found) > self._count:
            kept = _highest(scores, self._shelf.ranks[found], self._count)
            found, scores = found[kept], scores[kept]
        self._found, self._scores = found, scores

    def offer_block(self, first: int, scores: NDArray[np.float64]) -> None:
        """Take what belongs to the best of the passages from position ``first`` on."""
        positions = np.flatnonzero(scores >= self.floor)
        self.offer(positions + first, scores[positions])

    def hits(self) -> list[Hit]:
        """What was kept, in no particular order."""
        return [Hit(self._shelf.passages[i], float(s)) for i, s in zip(self._found, self._scores, strict=True)]


def _highest(scores: NDArray[np.float64], ranks: NDArray[np.int32], count: int) -> NDArray[np.intp]:
    """Positions of the ``count`` highest scores, of which there are more; equal ones by rank."""
    if count == 0:
        return np.empty(0, np.intp)
    last = np.partition(scores, len(scores) - count)[len(scores) - count]
    above = np.flatnonzero(scores > last)
    level = np.flatnonzero(scores == last)
    missing = count - len(above)
    if missing < len(level):
        level = level[np.argpartition(ranks[level], missing - 1)[:missing]]
    return np.concatenate([above, level])


def in_order(hits: Iterable[Hit], top_k: int) -> Ranking:
    """The ``top_k`` best hits, best first, equal scores by passage id."""
    return tuple(sorted(hits, key=lambda hit: (-hit.score, hit.passage.id))[:top_k])


def merge(layers: Sequence[Sequence[Best]], top_k: int) -> list[Ranking]:
    """For each question the best of all layers.

    Args:
        layers: For each layer what was found for each question.
        top_k: How many.
    """
    return [in_order([hit for best in found for hit in best.hits()], top_k) for found in zip(*layers, strict=True)]
