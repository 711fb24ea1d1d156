"""What a generator is. It never knows of attacks: it sees a question and passages, and does not read their origin."""

from __future__ import annotations

from typing import Protocol

from saferag.types import Answer, Context


class Generator(Protocol):
    """Answers a question from a context."""

    async def generate(self, query: str, context: Context) -> Answer:
        """Answer one question. The context may be empty.

        Raises:
            ModelError: The model has failed. An outage is never an empty answer.
        """
        ...
