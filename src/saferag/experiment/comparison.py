"""Paired comparison of two arms over the same cases: how large the difference is, and whether it is one.

Every case is its own control, so the comparison is of differences within cases. The interval of a mean difference
is a percentile bootstrap over cases (Efron 1979); the test is a randomisation of signs (Fisher 1935), which holds
for any distribution of the differences. Binary outcomes get McNemar's test in its exact form (McNemar 1947). A
family of tests is corrected by Holm (1979). Repeats of a case are averaged first: the case is the cluster.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from saferag.experiment.estimates import bootstrap, unseen
from saferag.types import Measurement, Score

FLIPS = 20_000
BLOCK = 2_000  # sign patterns at once, so that memory stays small for many cases
EXACT_UP_TO = 14  # 2^14 sign patterns are fewer than FLIPS


@dataclass(frozen=True, slots=True)
class Difference:
    """A mean paired difference, second minus first.

    Attributes:
        value: The mean over pairs, None if there are none.
        low: Lower end of the 95 % interval.
        high: Upper end.
        p: Two-sided p-value of no difference.
        p_holm: The same, corrected for its family; equal to ``p`` until `holm` is applied.
        n: Pairs.
        n_unpaired: Cases for which one side or both could not be scored.
    """

    value: float | None
    low: float | None
    high: float | None
    p: float | None
    p_holm: float | None
    n: int
    n_unpaired: int


def paired(
    first: Mapping[str, Sequence[Measurement]],
    second: Mapping[str, Sequence[Measurement]],
    *,
    binary: bool,
    seed: int = 0,
) -> Difference | None:
    """Compare two arms.

    Args:
        first: Per case its values (several where it was repeated), None where the metric does not apply.
        second: The same for the other arm.
        binary: Whether single values are 0 or 1. Averaged repeats are no longer binary.
        seed: Of the resampling.

    Returns:
        None if the metric applies to no case of one of the arms.
    """
    cases = [case for case in first if _applies(first[case]) and _applies(second.get(case, ()))]
    if not cases:
        return None
    pairs = [(_mean(first[case]), _mean(second[case])) for case in cases]
    scored = np.array([(a, b) for a, b in pairs if a is not None and b is not None], dtype=float).reshape(-1, 2)
    missing = len(pairs) - len(scored)
    if not len(scored):
        return Difference(None, None, None, None, None, 0, missing)
    changes = scored[:, 1] - scored[:, 0]
    low, high = bootstrap(changes, seed)
    p = mcnemar(scored) if binary and np.isin(scored, (0.0, 1.0)).all() else sign_flip(changes, seed)
    return Difference(float(changes.mean()), low, high, p, p, len(scored), missing)


def mcnemar(pairs: np.ndarray) -> float:
    """Exact McNemar test of pairs of 0 and 1, shape (n, 2): the discordant pairs against a fair coin."""
    from scipy.stats import binomtest

    gained = int(((pairs[:, 0] == 0) & (pairs[:, 1] == 1)).sum())
    lost = int(((pairs[:, 0] == 1) & (pairs[:, 1] == 0)).sum())
    return float(binomtest(gained, gained + lost).pvalue) if gained + lost else 1.0


def sign_flip(changes: np.ndarray, seed: int = 0) -> float:
    """Two-sided randomisation test that paired differences are symmetric about zero.

    Exact for up to `EXACT_UP_TO` differences that are not zero; otherwise from `FLIPS` seeded sign patterns, with the
    observed one counted, so that p is never zero (Phipson & Smyth 2010).
    """
    observed = abs(changes.sum()) - 1e-12
    nonzero = changes[changes != 0]
    if not len(nonzero):
        return 1.0
    if len(nonzero) <= EXACT_UP_TO:
        patterns = (np.arange(2 ** len(nonzero))[:, None] >> np.arange(len(nonzero))) & 1
        sums = (2 * patterns - 1) @ nonzero
        return float((np.abs(sums) >= observed).mean())
    reached = sum(
        int((np.abs(_signs(len(changes), seed, block) @ changes) >= observed).sum()) for block in range(FLIPS // BLOCK)
    )
    return (reached + 1) / (FLIPS + 1)


@lru_cache(maxsize=2 * FLIPS // BLOCK)
def _signs(n: int, seed: int, block: int) -> np.ndarray:
    """A block of seeded sign patterns, shape (`BLOCK`, n); every metric over the same cases uses the same ones."""
    rng = np.random.default_rng((seed, block))
    return rng.integers(0, 2, size=(BLOCK, n), dtype=np.int8) * np.int8(2) - np.int8(1)


def holm(differences: Sequence[Difference]) -> list[Difference]:
    """Correct the p-values of one family (Holm 1979). Comparisons without a p-value do not count as tests."""
    tested = sorted((d.p, i) for i, d in enumerate(differences) if d.p is not None)
    corrected: dict[int, float] = {}
    highest = 0.0
    for rank, (p, i) in enumerate(tested):
        highest = max(highest, min(1.0, p * (len(tested) - rank)))
        corrected[i] = highest
    return [replace(d, p_holm=corrected.get(i)) for i, d in enumerate(differences)]


def widened(difference: Difference, reach: float = 1.0) -> Difference:
    """An interval where a bootstrap of equal differences has no width.

    The pairs that were drawn all changed alike; `unseen` says which means are possible all the same.

    Args:
        difference: Of a metric with bounds.
        reach: Its upper bound minus its lower one: the largest difference that there can be.
    """
    if difference.value is None or difference.low != difference.high:
        return difference
    low, high = unseen(difference.value, difference.n, -reach, reach)
    return replace(difference, low=low, high=high)


def _applies(values: Sequence[Measurement]) -> bool:
    return any(value is not None for value in values)


def _mean(values: Sequence[Measurement]) -> float | None:
    """The mean of a case's scored repeats, None if none is scored."""
    scored = [value.value for value in values if isinstance(value, Score)]
    return sum(scored) / len(scored) if scored else None
