"""From per-case values to estimates: a mean with its interval, its n, and the count of what could not be scored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import sqrt

import numpy as np

from saferag.types import Measurement, Score, Unscored

RESAMPLES = 2000
LEVEL = 0.95
_Z = 1.959963984540054  # standard normal quantile of 0.975


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean over cases.

    Attributes:
        value: The mean of the scored cases, None if there are none.
        low, high: A 95 % interval, None if there is no value.
        n: Scored cases.
        n_unscored: Cases that should have a value and have none.
    """

    value: float | None
    low: float | None
    high: float | None
    n: int
    n_unscored: int


def estimate(
    values: Sequence[Measurement], *, binary: bool = False, low: float = 0.0, high: float | None = 1.0, seed: int = 0
) -> Estimate | None:
    """Estimate the mean of a metric.

    A proportion of binary outcomes gets Wilson's score interval (Wilson 1927), any other mean a percentile
    bootstrap over cases (Efron 1979). The bootstrap has no width when all values are equal. That n cases of n
    were alike leaves room for a share of cases that are not: at most the upper end of Wilson's interval for none
    of n. A metric with bounds then gets the means that are possible if that share lay at either bound.

    Args:
        values: One per case; None where the metric is not applicable.
        binary: Whether every value is 0 or 1.
        low: The metric's lower bound.
        high: Its upper bound, None if there is none.
        seed: Of the bootstrap.

    Returns:
        None if the metric is not applicable to any case.
    """
    scored = [v.value for v in values if isinstance(v, Score)]
    missing = sum(isinstance(v, Unscored) for v in values)
    if not scored:
        return Estimate(None, None, None, 0, missing) if missing else None
    mean = float(np.mean(scored))
    if binary:
        bounds = wilson(mean, len(scored))
    elif high is not None and min(scored) == max(scored):
        bounds = unseen(mean, len(scored), low, high)
    else:
        bounds = bootstrap(np.asarray(scored), seed)
    return Estimate(mean, *bounds, len(scored), missing)


def wilson(share: float, n: int) -> tuple[float, float]:
    """Wilson's 95 % score interval for a proportion of ``n`` outcomes."""
    centre = share + _Z**2 / (2 * n)
    half = _Z * sqrt(share * (1 - share) / n + _Z**2 / (4 * n**2))
    scale = 1 + _Z**2 / n
    # At 0 and 1 the bound is exact in theory and off by one rounding in floating point.
    return (0.0 if share == 0 else (centre - half) / scale, 1.0 if share == 1 else (centre + half) / scale)


def unseen(value: float, n: int, low: float, high: float) -> tuple[float, float]:
    """The means that are possible although ``n`` cases of ``n`` had the same value.

    There is room for a share of cases with another one: at most the upper end of Wilson's interval for none of ``n``,
    and these lie between ``low`` and ``high``.
    """
    others = wilson(0.0, n)[1]
    return value - others * (value - low), value + others * (high - value)


def bootstrap(values: np.ndarray, seed: int) -> tuple[float, float]:
    """Percentile bootstrap of the mean, 95 %, from `RESAMPLES` seeded resamples."""
    if len(values) == 1:
        return float(values[0]), float(values[0])
    means = resamples(len(values), seed) @ values / len(values)
    low, high = np.quantile(means, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return float(low), float(high)


@lru_cache(maxsize=4)
def resamples(n: int, seed: int) -> np.ndarray:
    """How often each of ``n`` cases is drawn in each of `RESAMPLES` seeded resamples, shape (`RESAMPLES`, n)."""
    rng = np.random.default_rng(seed)
    draws = (np.bincount(rng.integers(0, n, size=n), minlength=n) for _ in range(RESAMPLES))
    counts = np.array(list(draws), dtype=np.float64)
    counts.setflags(write=False)
    return counts
