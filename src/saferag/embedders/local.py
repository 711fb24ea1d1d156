"""Embedders in this process through sentence-transformers (extra ``local``)."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from saferag.embedders.base import Kind
from saferag.embedders.template import Templates
from saferag.errors import MissingExtraError, UserError

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

_HOMES = {
    "bge-": "BAAI",
    "e5-": "intfloat",
    "multilingual-e5-": "intfloat",
    "gte-": "thenlper",
    "qwen3-": "Qwen",
}


@dataclass(slots=True)
class LocalEmbedder:
    """A sentence-transformers model, loaded when it is first used.

    Attributes:
        name: Name at the hub, or a folder.
        templates: What is put around questions and passages.
        device: Such as ``cpu`` or ``cuda``; None: the library chooses.
        batch: Texts that go through the model at once.
        identity: Name and state of the model, and the templates.
    """

    name: str
    templates: Templates
    device: str | None
    batch: int
    identity: str
    _model: SentenceTransformer | None = field(default=None, repr=False)

    @classmethod
    def named(cls, name: str, templates: Templates, device: str | None = None, batch: int = 32) -> LocalEmbedder:
        """The embedder of a name; a short name gets the organisation that publishes it.

        Raises:
            MissingExtraError: sentence-transformers is not installed.
        """
        need_extra(f"dense:{name}")
        identity = f"local {state_of(name)} {templates}"
        return cls(full_name(name), templates, device, batch, identity)

    def embed(self, texts: Sequence[str], *, kind: Kind) -> NDArray[np.float32]:
        """One unit row for each text; see `Embedder`."""
        if self._model is None:
            self._model = _load(self.name, self.device)
        framed = [self.templates.frame(text, kind) for text in texts]
        rows = self._model.encode(
            framed, batch_size=self.batch, normalize_embeddings=True, show_progress_bar=False, convert_to_numpy=True
        )
        return np.asarray(rows, np.float32)


def need_extra(feature: str) -> None:
    """Check that sentence-transformers is installed.

    Raises:
        MissingExtraError: It is not.
    """
    if find_spec("sentence_transformers") is None:
        raise MissingExtraError(feature, "local")


def full_name(name: str) -> str:
    """The name at the hub of a short name such as ``bge-base-zh-v1.5``; a folder stays what it is."""
    if "/" in name or Path(name).exists():
        return name
    home = next((home for start, home in _HOMES.items() if name.casefold().startswith(start)), None)
    return f"{home}/{name}" if home else name


def state_of(name: str) -> str:
    """A name that changes with the model: for a folder a hash of its files' names, sizes and times."""
    folder = Path(name)
    if not folder.is_dir():
        return full_name(name)
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    seen = [f"{path.relative_to(folder)} {path.stat().st_size} {path.stat().st_mtime_ns}" for path in files]
    return f"{folder.name}@{hashlib.sha256(chr(10).join(seen).encode()).hexdigest()[:16]}"


def _load(name: str, device: str | None) -> SentenceTransformer:
    from sentence_transformers import SentenceTransformer

    try:
        return SentenceTransformer(name, device=device)
    except (OSError, ValueError, RuntimeError) as error:
        raise cannot_load(name, error) from error


def cannot_load(name: str, error: Exception) -> UserError:
    """The error for a model that is neither here nor to be had."""
    first = (str(error).strip().splitlines() or [type(error).__name__])[0]
    return UserError(f"the model '{name}' cannot be loaded ({first}): give a name at the hub, or a folder")
