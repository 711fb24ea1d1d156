"""What a retriever is. It never knows of attacks: it sees passages, and does not read their origin."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from saferag.types import Passage, Ranking


class Index(Protocol):
    """An immutable, searchable set of passages."""

    def __len__(self) -> int:
        """Number of passages."""
        ...

    def overlay(self, passages: Sequence[Passage]) -> Index:
        """An index over these passages too, with the results of an index built anew over all of them.

        The work is in proportion to the added passages; this index stays as it is.
        """
        ...

    def search(self, queries: Sequence[str], top_k: int) -> list[Ranking]:
        """For each query the ``top_k`` best passages, best first, ties broken by passage id.

        Exactly ``min(top_k, len(self))`` hits each: a passage without any match has the lowest score.
        """
        ...


class Retriever(Protocol):
    """Builds an index over a corpus."""

    def index(self, passages: Sequence[Passage]) -> Index:
        """Index passages with unique ids. The corpus is not empty."""
        ...
