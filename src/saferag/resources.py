"""What component factories may use: the language, folders, and chat models that are shared within a run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeVar

from saferag.errors import OptionError
from saferag.models import ChatModel, models
from saferag.models.cache import CachedModel, Flight
from saferag.models.repeats import RepeatedModel
from saferag.models.replies import MemoryReplies, ReplyStore, SQLiteReplies
from saferag.models.traffic import Traffic
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
        backoff: Seconds before the first repeat; they double from there.
        dry_run: Components are built to be asked about, nothing is sent, so no key is needed.
        progress: Called with (done, total) while many texts are being embedded; None: nobody wants to know.
        sample: Number of the repeat that is being run; 0 is the first (see `saferag.models.repeats`).
        traffic: Counts what goes to chat models and comes back; its ``on_backoff`` is told of every back-off.
    """

    lang: Lang = Lang.ZH
    cache_dir: Path | None = None
    model: str | None = None
    concurrency: int = 8
    timeout: float = 120.0
    retries: int = 4
    backoff: float = 0.5
    dry_run: bool = False
    progress: Callable[[int, int], None] | None = None
    sample: int = 0
    traffic: Traffic = field(default_factory=Traffic)
    _models: dict[str, ChatModel] = field(default_factory=dict, repr=False)
    _shared: dict[str, object] = field(default_factory=dict, repr=False)

    def chat(self, spec: str | None, user: str) -> ChatModel:
        """The chat model of a spec, or the run's model where the spec is None. Built once per spec.

        Args:
            spec: Such as ``openai:gpt-4o(temperature=0)``.
            user: Who asks, for the error message, such as ``filter 'nli'``.

        Raises:
            OptionError: There is neither a spec nor a model for the run, or the model is not made for this.
        """
        chosen = spec or self.model
        if chosen is None:
            raise OptionError(f"{user} needs a chat model: add --model openai:NAME (see 'saferag list models')")
        key = str(ComponentSpec.parse(chosen))
        check_use(key, user)
        if key not in self._models:
            self.provide(key, models.build(key, self))
        return RepeatedModel(self._models[key], self.sample) if self.sample else self._models[key]

    def provide(self, spec: str, model: ChatModel) -> None:
        """Put a model behind the run's reply cache, to be found under this spec; a model of your own, for example."""
        flights: dict[bytes, Flight] = self.share("flights", dict)
        parsed = ComponentSpec.parse(spec)
        code = models.get(parsed.name).foreign_hash if parsed.name in models.names() else None
        self._models[str(parsed)] = CachedModel(model, self.replies, flights, self.traffic, code)

    @property
    def replies(self) -> ReplyStore:
        """Where replies are kept: ``replies.sqlite`` in the cache folder, or memory."""
        return self.share("replies", self._open_replies)

    def _open_replies(self) -> ReplyStore:
        return MemoryReplies() if self.cache_dir is None else SQLiteReplies(self.cache_dir / "replies.sqlite")

    def with_lang(self, lang: Lang, sample: int = 0) -> Resources:
        """The same resources, sharing models and caches, for another language and repeat."""
        return replace(self, lang=lang, sample=sample)

    def share(self, key: str, make: Callable[[], T]) -> T:
        """What ``make`` returns, made once per key and run: an embedder with its cache, for example.

        The key says the type, so that no two kinds of things share one.
        """
        if key not in self._shared:
            self._shared[key] = make()
        return self._shared[key]  # type: ignore[return-value]

    async def close(self) -> None:
        """Close every model that was built, and the reply cache. What is used again after that opens again."""
        for model in self._models.values():
            await model.close()
        self.replies.close()


def check_use(spec: str, user: str) -> None:
    """Let a model that is made for one thing be used for nothing else.

    Raises:
        OptionError: It is not made for this user.
    """
    name = ComponentSpec.parse(spec).name
    serves = models.get(name).serves if name in models.names() else ()
    if serves and user not in serves:
        raise OptionError(
            f"{user} cannot use model '{name}', which serves {', '.join(serves)} alone: add --model openai:NAME"
        )
