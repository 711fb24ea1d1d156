"""Vectors as they are kept and compared: unit length, rounded to half precision.

Rounding makes a vector from the cache and a fresh one the same to the last bit. And it makes similarity exact: a
half-precision number is a multiple of 2^-24, so a product of two is one of 2^-48, and a float64 holds any sum of
such products up to 32 without rounding. No order of summation, block size or BLAS library changes a score.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from saferag.errors import BadReplyError

Half = NDArray[np.float16]


def unit_halves(vectors: NDArray[np.float32], count: int) -> Half:
    """Scale rows to unit length and round them; a row of zeros stays one.

    Args:
        vectors: What an embedder made.
        count: How many texts it was given.

    Raises:
        BadReplyError: The embedder gave another number of rows, or something that is not a number.
    """
    if vectors.ndim != 2 or len(vectors) != count or vectors.shape[1] == 0:
        raise BadReplyError(f"the embedder gave an array of shape {vectors.shape} for {count} texts")
    if not np.isfinite(vectors).all():
        raise BadReplyError("the embedder gave a vector that is not finite")
    wide = vectors.astype(np.float64)
    lengths = np.linalg.norm(wide, axis=1, keepdims=True)
    return (wide / np.where(lengths == 0, 1, lengths)).astype(np.float16)
