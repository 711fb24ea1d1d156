"""An embedder for tests: pairs of characters, hashed into a few dimensions."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from saferag.embedders import Kind


@dataclass
class ToyEmbedder:
    """Texts with pairs of characters in common are similar; a text without any pair is a row of zeros."""

    identity: str = "toy"
    size: int = 24
    seen: list[tuple[Kind, str]] = field(default_factory=list)

    def embed(self, texts: Sequence[str], *, kind: Kind) -> NDArray[np.float32]:
        self.seen += [(kind, text) for text in texts]
        rows = np.zeros((len(texts), self.size), np.float32)
        for row, text in zip(rows, texts, strict=True):
            for i in range(len(text) - 1):
                row[zlib.crc32(text[i : i + 2].encode("utf-8", "replace")) % self.size] += 1
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        rows /= np.where(lengths == 0, 1, lengths)
        return rows
