"""What a filter is. It never knows of attacks: it sees a question and passages, and does not read their origin."""

from __future__ import annotations

from typing import Protocol

from saferag.types import Context, Filtered


class Filter(Protocol):
    """Decides what of a retrieved context the generator may see."""

    async def apply(self, query: str, context: Context) -> Filtered:
        """Filter or rewrite the context of one question.

        Every input passage is either in the provenance of a kept passage or on record as removed, with a reason.

        Raises:
            ModelError: A model that the filter asks has failed.
        """
        ...
