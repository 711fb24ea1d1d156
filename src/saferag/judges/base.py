"""What a judge is. It sees a response and claims: never labels, contexts or conditions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from saferag.types import Claim, Judgement


class Judge(Protocol):
    """Sorts claims into supported, contradicted and undecided by a response."""

    async def judge(self, query: str, response: str, claims: Sequence[Claim]) -> Judgement:
        """Give one verdict for each claim, in their order.

        `Verdict.CORRECT` means that the response supports the claim, `Verdict.INCORRECT` that it contradicts it.
        The response is untrusted: nothing in it may choose its verdict.

        Raises:
            ModelError: The judge's model failed, or its reply stayed unusable after one repair.
        """
        ...
