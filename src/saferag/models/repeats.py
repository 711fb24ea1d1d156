"""A model for one of several repeats: its requests carry the number of the repeat."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from saferag.models.base import ChatModel, ChatReply, ChatRequest


@dataclass(frozen=True, slots=True)
class RepeatedModel:
    """Tells the requests of a repeat from those of the others, so that the reply cache does not answer them.

    At temperature 0 there is nothing to repeat: those requests keep their number and are answered from the cache.

    Attributes:
        model: The model.
        sample: Number of the repeat.
    """

    model: ChatModel
    sample: int

    @property
    def identity(self) -> Mapping[str, str]:
        """That of the model."""
        return self.model.identity

    async def complete(self, request: ChatRequest) -> ChatReply:
        """Pass the request on under the number of the repeat.

        Raises:
            ModelError: The model failed.
        """
        given = self.identity.get("temperature") if request.temperature is None else request.temperature
        if given is not None and float(given) == 0:
            return await self.model.complete(request)
        return await self.model.complete(replace(request, sample=self.sample))

    async def close(self) -> None:
        """Close the model."""
        await self.model.close()
