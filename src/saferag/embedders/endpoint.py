"""Embedders behind any server with ``/v1/embeddings``: OpenAI, vLLM, Ollama, TEI, Infinity and others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from saferag.embedders.base import Kind
from saferag.embedders.http import Body, JsonServer
from saferag.embedders.template import Templates
from saferag.errors import BadReplyError


@dataclass(frozen=True, slots=True)
class EndpointEmbedder:
    """A model behind a server.

    Attributes:
        server: Where it is.
        templates: What is put around questions and passages.
        batch: Texts in one request.
    """

    server: JsonServer
    templates: Templates
    batch: int = 64

    @property
    def identity(self) -> str:
        """Address, model and templates."""
        return f"endpoint {self.server.identity} {self.templates}"

    def embed(self, texts: Sequence[str], *, kind: Kind) -> NDArray[np.float32]:
        """One row for each text; see `Embedder`.

        Raises:
            ModelError: The server failed, or its reply is not one embedding for each text.
        """
        framed = [self.templates.frame(text, kind) or " " for text in texts]
        parts = [framed[first : first + self.batch] for first in range(0, len(framed), self.batch)]
        bodies: list[Body] = [{"input": part, "encoding_format": "float"} for part in parts]
        replies = self.server.post("/embeddings", bodies)
        rows = [_read(reply, len(part)) for reply, part in zip(replies, parts, strict=True)]
        if len({part.shape[1] for part in rows}) > 1:
            raise BadReplyError(f"{self.server.label}: the embeddings differ in length")
        return np.concatenate(rows) if rows else np.empty((0, 0), np.float32)


def _read(reply: object, count: int) -> NDArray[np.float32]:
    """The embeddings of a reply, in the order of the texts.

    Raises:
        BadReplyError: They are not what was asked for.
    """
    try:
        data = sorted(reply["data"], key=lambda item: item["index"])  # type: ignore[index]
        rows = np.array([item["embedding"] for item in data], np.float32)
        numbers = [item["index"] for item in data]
    except (LookupError, TypeError, ValueError, OverflowError) as error:
        raise BadReplyError("the reply is JSON, but not a list of embeddings") from error
    if numbers != list(range(count)) or rows.ndim != 2:
        raise BadReplyError(f"the reply does not hold one embedding for each of {count} texts")
    return rows
