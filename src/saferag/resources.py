"""What component factories may use: the language, folders, and chat models that are shared within a run."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from saferag.errors import OptionError
from saferag.models import ChatModel, models
from saferag.registry import ComponentSpec
from saferag.types import Lang


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
    """

    lang: Lang = Lang.ZH
    cache_dir: Path | None = None
    model: str | None = None
    concurrency: int = 8
    timeout: float = 120.0
    retries: int = 4
    _models: dict[str, ChatModel] = field(default_factory=dict, repr=False)

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
        return Resources(lang, self.cache_dir, self.model, self.concurrency, self.timeout, self.retries, self._models)

    async def close(self) -> None:
        """Close every model that was built."""
        for model in self._models.values():
            await model.close()
