"""Rescorers that are models: a cross-encoder in this process, or one behind a server."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from saferag.embedders.http import Body, JsonServer
from saferag.embedders.local import cannot_load, full_name, need_extra
from saferag.errors import BadReplyError
from saferag.types import Context

if TYPE_CHECKING:
    from sentence_transformers import CrossEncoder


@dataclass(slots=True)
class LocalCrossEncoder:
    """A cross-encoder through sentence-transformers (extra ``local``), loaded when it is first used.

    Attributes:
        name: Name at the hub, or a folder.
        device: Such as ``cpu`` or ``cuda``; None: the library chooses.
    """

    name: str
    device: str | None = None
    _model: CrossEncoder | None = field(default=None, repr=False)

    @classmethod
    def named(cls, name: str, device: str | None) -> LocalCrossEncoder:
        """The cross-encoder of a name; a short name gets the organisation that publishes it.

        Raises:
            MissingExtraError: sentence-transformers is not installed.
        """
        need_extra(f"hybrid-rerank:{name}")
        return cls(full_name(name), device)

    def rescore(self, queries: Sequence[str], candidates: Sequence[Context]) -> list[list[float]]:
        """Scores for each question; see `Rescorer`."""
        if self._model is None:
            self._model = self._load()
        # One question at a time: padding to the longest text of a batch moves the last bits of a score, and other
        # questions must not.
        return [self._one(self._model, query, context) for query, context in zip(queries, candidates, strict=True)]

    def _one(self, model: CrossEncoder, query: str, context: Context) -> list[float]:
        pairs = [(_plain(query), _plain(passage.text)) for passage in context]
        if not pairs:
            return []
        from torch.nn import Identity

        # The raw scores: a sigmoid would make the best ones equal.
        rows = model.predict(pairs, batch_size=32, activation_fn=Identity(), show_progress_bar=False)
        scores = [float(score) for score in rows]
        if not all(map(math.isfinite, scores)):
            raise BadReplyError(f"the model '{self.name}' gave a score that is not finite")
        return scores

    def _load(self) -> CrossEncoder:
        from sentence_transformers import CrossEncoder

        try:
            model: CrossEncoder = CrossEncoder(self.name, num_labels=1, device=self.device)
        except (OSError, ValueError, RuntimeError) as error:
            raise cannot_load(self.name, error) from error
        return model


@dataclass(frozen=True, slots=True)
class RerankEndpoint:
    """A reranker behind a server with ``/rerank``, as vLLM, Jina, Cohere, TEI-compatible gateways and others have it.

    Attributes:
        server: Where it is.
    """

    server: JsonServer

    def rescore(self, queries: Sequence[str], candidates: Sequence[Context]) -> list[list[float]]:
        """Scores for each question; see `Rescorer`.

        Raises:
            ModelError: The server failed, or its reply is not one score for each candidate.
        """
        asked = [i for i, context in enumerate(candidates) if context]
        replies = self.server.post("/rerank", [_body(queries[i], candidates[i]) for i in asked])
        scores: list[list[float]] = [[] for _ in candidates]
        for i, reply in zip(asked, replies, strict=True):
            scores[i] = _read(reply, len(candidates[i]))
        return scores


def _body(query: str, context: Context) -> Body:
    documents = [_plain(passage.text) for passage in context]
    return {"query": _plain(query), "documents": documents, "top_n": len(documents)}


def _read(reply: object, count: int) -> list[float]:
    """The scores of a reply, in the order of the candidates.

    Raises:
        BadReplyError: They are not what was asked for.
    """
    try:
        scores = {int(item["index"]): float(item["relevance_score"]) for item in reply["results"]}  # type: ignore[index]
    except (LookupError, TypeError, ValueError, OverflowError) as error:
        raise BadReplyError("the reply is JSON, but not a list of relevance scores") from error
    if sorted(scores) != list(range(count)) or not all(map(math.isfinite, scores.values())):
        raise BadReplyError(f"the reply does not hold one relevance score for each of {count} passages")
    return [scores[i] for i in range(count)]


def _plain(text: str) -> str:
    """The text as it can be sent, never empty: some servers refuse an empty text."""
    return text.replace("\0", " ").encode("utf-8", "replace").decode("utf-8") or " "
