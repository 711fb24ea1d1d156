"""An embedder that asks another one only for what nobody has embedded before."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from saferag.embedders.base import Embedder, Kind
from saferag.embedders.rounding import Half, unit_halves
from saferag.embedders.store import VectorStore, text_key
from saferag.errors import BadReplyError


@dataclass(frozen=True, slots=True)
class CachedEmbedder:
    """Looks a vector up in its stores, in their order, and keeps new ones in the last.

    Every vector is rounded to half precision, so that a kept one and a new one are the same (see `rounding`).

    Attributes:
        embedder: Makes what is missing.
        stores: The last one takes what is new; a store before it is only read.
        progress: Called with (done, total) while missing texts are being embedded.
        batch: Texts that are embedded, and then kept, at once.
    """

    embedder: Embedder
    stores: tuple[VectorStore, ...]
    progress: Callable[[int, int], None] | None = None
    batch: int = 64

    @property
    def identity(self) -> str:
        """That of the embedder behind it."""
        return self.embedder.identity

    def embed(self, texts: Sequence[str], *, kind: Kind) -> NDArray[np.float32]:
        """One unit row for each text; see `Embedder`."""
        wanted = {text_key(self.identity, kind, text): text for text in texts}
        found = self._known(list(wanted))
        missing = [key for key in wanted if key not in found]
        for first in range(0, len(missing), self.batch):
            keys = missing[first : first + self.batch]
            new = self._make(keys, [wanted[key] for key in keys], kind)
            self.stores[-1].put(new)
            found |= new
            if self.progress is not None:
                self.progress(first + len(keys), len(missing))
        return self._rows([found[text_key(self.identity, kind, text)] for text in texts])

    def _known(self, keys: Sequence[bytes]) -> dict[bytes, Half]:
        found: dict[bytes, Half] = {}
        for store in self.stores:
            found |= store.get([key for key in keys if key not in found])
        return found

    def _make(self, keys: Sequence[bytes], texts: Sequence[str], kind: Kind) -> dict[bytes, Half]:
        rows = unit_halves(self.embedder.embed([_plain(text) for text in texts], kind=kind), len(texts))
        return dict(zip(keys, rows, strict=True))

    def _rows(self, vectors: Sequence[Half]) -> NDArray[np.float32]:
        lengths = sorted({len(vector) for vector in vectors})
        if len(lengths) > 1:
            raise BadReplyError(f"'{self.identity}' gave vectors of {lengths[0]} and of {lengths[-1]} numbers")
        return np.array(vectors, np.float32).reshape(len(vectors), lengths[0] if lengths else 0)


def _plain(text: str) -> str:
    """The text without what no model can read: NUL, at which C stops, and halves of surrogate pairs."""
    return text.replace("\0", " ").encode("utf-8", "replace").decode("utf-8")
