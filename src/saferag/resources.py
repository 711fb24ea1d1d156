"""What component factories may use: the language, folders, and chat models that are shared within a run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeVar

from saferag.errors import OptionError
from saferag.models import ChatModel, models
from saferag.registry import ComponentSpec
from saferag.types import Lang

T = TypeVar("T")


@dataclass(slots=True)
class Resources:
    """Shared by all components of one run.

    Attributes:
        lang: The language of the prompts.
        cache_dir: Where replies and embeddings are kept; None keeps them in memory only.
        model: Spec of the chat model for whoever names none (``--model``), such as ``openai:gpt-4o``.
        concurrency: Requests in flight per model.
        timeout: Seconds for one request.
        retries: How often a failed request is sent again.
        progress: Called with (done, total) while many texts are being embedded; None: nobody wants to know.
    """

    lang: Lang = Lang.ZH
    cache_dir: Path | None = None
    model: str | None = None
    concurrency: int = 8
    timeout: float = 120.0
    retries: int = 4
    progress: Callable[[int, int], None] | None = None
    _models: dict[str, ChatModel] = field(default_factory=dict, repr=False)
    _shared: dict[str, object] = field(default_factory=dict, repr=False)

    def chat(self, spec: str | None, user: str) -> ChatModel:
        """The chat model of a spec, or the run's model where the spec is None. Built once per spec.

        Args:
            spec: Such as ``openai:gpt-4o(temperature=0)``.
            user: Who asks, for the error message, such as ``filter 'nli'``.

        Raises:
            OptionError: There is neither a spec nor a model for the run.
        """
        chosen = spec or self.model
        if chosen is None:
            raise OptionError(f"{user} needs a chat model: add --model openai:NAME (see 'saferag list models')")
        key = str(ComponentSpec.parse(chosen))
        if key not in self._models:
            self._models[key] = models.build(key, self)
        return self._models[key]

    def with_lang(self, lang: Lang) -> Resources:
        """The same resources, sharing models and caches, for another language."""
        return replace(self, lang=lang)

    def share(self, key: str, make: Callable[[], T]) -> T:
        """What ``make`` returns, made once per key and run: an embedder with its cache, for example.

        The key says the type, so that no two kinds of things share one.
        """
        if key not in self._shared:
            self._shared[key] = make()
        return self._shared[key]  # type: ignore[return-value]

    async def close(self) -> None:
        """Close every model that was built."""
        for model in self._models.values():
            await model.close()
