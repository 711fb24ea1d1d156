"""What an embedder is: texts in, unit vectors out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

Kind = Literal["query", "passage"]
"""What a text is. Many models embed a question in another way than a passage."""


class Embedder(Protocol):
    """Turns texts into vectors whose dot product is their similarity."""

    @property
    def identity(self) -> str:
        """What makes its vectors its own (model, version, templates): part of cache keys. It holds no key."""
        ...

    def embed(self, texts: Sequence[str], *, kind: Kind) -> NDArray[np.float32]:
        """One unit row for each text, in their order.

        Raises:
            ModelError: The model has failed.
        """
        ...
