"""How many cases a difference needs, so that a paired comparison will probably find it.

For binary outcomes this is the exact power of McNemar's exact test; for means it is that of the paired t-test by the
non-central t distribution, which stands in for the sign flips that `saferag.experiment.comparison` uses: for the same
cases the two hardly differ in power, and this one has a formula.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import isfinite
from typing import Any

import numpy as np

from saferag.errors import OptionError
from saferag.experiment.results import cell_of, expected_cases, metric_infos, values_by_case
from saferag.experiment.settings import cell_arms
from saferag.experiment.store import Store
from saferag.types import Measurement, Score

MOST = 20_000  # cases; above that nothing useful is said
_HOLDS_FOR = 5  # the power of an exact test goes up in jags, so the next few numbers must do as well


def cases_for_mean(difference: float, sd: float, *, alpha: float = 0.05, power: float = 0.8) -> int | None:
    """Cases for a mean paired difference.

    Args:
        difference: The mean of the differences within cases.
        sd: Their standard deviation.
        alpha: Two-sided level of the test.
        power: Probability that the difference is found.

    Returns:
        None where there is no difference, or more than `MOST` cases are needed.

    Raises:
        OptionError: A number is outside of its range.
    """
    _check(alpha, power)
    if not isfinite(difference) or not isfinite(sd) or sd < 0:
        raise OptionError("the difference must be a number, and so must the standard deviation, of 0 or more")
    if difference == 0:
        return None
    if sd == 0:
        return 2
    effect = abs(difference) / sd
    guess = (_z(1 - alpha / 2) + _z(power)) ** 2 / effect**2
    return _smallest(lambda n: t_power(effect, n, alpha), power, guess)


def cases_for_binary(gained: float, lost: float, *, alpha: float = 0.05, power: float = 0.8) -> int | None:
    """Cases for a difference of two paired proportions.

    Args:
        gained: Share of cases that go from 0 to 1.
        lost: Share of cases that go from 1 to 0. The difference is ``gained - lost``.
        alpha: Two-sided level of the test.
        power: Probability that the difference is found.

    Returns:
        None where there is no difference, or more than `MOST` cases are needed.

    Raises:
        OptionError: A number is outside of its range.
    """
    _check(alpha, power)
    if not (gained >= 0 and lost >= 0 and gained + lost <= 1):
        raise OptionError("the shares of cases that change must lie between 0 and 1, and so must their sum")
    if gained == lost:
        return None
    # Connor (1987), Sample size for testing differences in proportions for the paired-sample design.
    discordant, change = gained + lost, abs(gained - lost)
    root = _z(1 - alpha / 2) * discordant**0.5 + _z(power) * (discordant - change**2) ** 0.5
    guess = (root / change) ** 2
    return _smallest(lambda n: mcnemar_power(gained, lost, n, alpha), power, guess)


def t_power(effect: float, n: int, alpha: float) -> float:
    """Power of the two-sided paired t-test; ``effect`` is the mean difference in standard deviations."""
    from scipy.stats import nct, t

    critical = t.ppf(1 - alpha / 2, n - 1)
    shift = effect * n**0.5
    if shift > critical + 10:  # where the power is 1, and the distribution cannot be computed
        return 1.0
    found = float(nct.sf(critical, n - 1, shift) + nct.cdf(-critical, n - 1, shift))
    return found if isfinite(found) else float(shift > critical)


def mcnemar_power(gained: float, lost: float, n: int, alpha: float) -> float:
    """Power of McNemar's exact test: over all numbers of discordant pairs, the chance of a result in its tails."""
    from scipy.stats import binom

    likely = binom.ppf((1e-9, 1 - 1e-9), n, gained + lost)  # the others weigh nothing
    discordant = np.arange(likely[0], likely[1] + 1)
    weights = binom.pmf(discordant, n, gained + lost)
    # The largest number of pairs in the thinner tail for which the two-sided p is at most alpha; -1: there is none.
    tail = binom.ppf(alpha / 2, discordant, 0.5)
    tail = np.where(2 * binom.cdf(tail, discordant, 0.5) <= alpha, tail, tail - 1)
    share = gained / (gained + lost)
    rejected = binom.cdf(tail, discordant, share) + binom.sf(discordant - tail - 1, discordant, share)
    return float((weights * np.where(tail >= 0, rejected, 0.0)).sum())


def _smallest(power_of: Callable[[int], float], wanted: float, guess: float) -> int | None:
    """The smallest number of cases that has the power and whose successors have it too, near a good guess."""
    if guess > MOST:
        return None
    enough = max(2, int(guess))
    while power_of(enough) < wanted:
        enough = int(enough * 1.2) + 2
    too_few = 1
    while enough - too_few > 1:  # halving, as if the power never fell
        middle = (enough + too_few) // 2
        too_few, enough = (too_few, middle) if power_of(middle) >= wanted else (middle, enough)
    run = 0
    while run <= _HOLDS_FOR:
        run = run + 1 if power_of(enough) >= wanted else 0
        enough += 1
    return enough - run


def _z(p: float) -> float:
    from statistics import NormalDist

    return NormalDist().inv_cdf(p)


def _check(alpha: float, power: float) -> None:
    if not 0 < alpha < 1 or not 0 < power < 1:
        raise OptionError("alpha and power must lie between 0 and 1")


@dataclass(frozen=True, slots=True)
class Need:
    """What a pilot run says about one comparison.

    Attributes:
        cell: The cell's settings.
        metric: The metric.
        n: Pairs in the pilot.
        difference: Mean difference that is to be found: the pilot's, or the one that was asked for.
        spread: Standard deviation of the differences in the pilot, or the share of pairs that changed (binary).
        binary: Whether outcomes are 0 or 1.
        cases: Cases needed, None for no difference or too many.
    """

    cell: dict[str, Any]
    metric: str
    n: int
    difference: float
    spread: float
    binary: bool
    cases: int | None


def needs(store: Store, *, difference: float | None = None, alpha: float = 0.05, power: float = 0.8) -> Iterator[Need]:
    """For every cell and metric of a pilot run the cases that its effect needs, or that a given difference needs."""
    infos = metric_infos()
    for clean, attacked in cell_arms(dict(store.settings)):
        cases = expected_cases(store, attacked)
        before, after = values_by_case(store, clean["id"], cases), values_by_case(store, attacked["id"], cases)
        for metric in after:
            if metric in before and metric in infos:
                pairs = _pairs(before[metric], after[metric])
                if len(pairs) >= 2:
                    binary = infos[metric].binary and bool(np.isin(pairs, (0.0, 1.0)).all())
                    difference_, spread, found = _need(pairs, binary, difference, alpha=alpha, power=power)
                    yield Need(cell_of(attacked), metric, len(pairs), difference_, spread, binary, found)


def _need(
    pairs: np.ndarray, binary: bool, wanted: float | None, *, alpha: float, power: float
) -> tuple[float, float, int | None]:
    """The difference to be found, the pilot's spread, and the cases needed."""
    changes = pairs[:, 1] - pairs[:, 0]
    difference = float(changes.mean()) if wanted is None else wanted
    if binary:
        gained, lost = float((changes > 0).mean()), float((changes < 0).mean())
        spread = gained + lost
        if wanted is not None:  # as many changes by chance as in the pilot, and the difference on top
            least = min(gained, lost)
            gained, lost = (least + wanted, least) if wanted > 0 else (least, least - wanted)
        found = cases_for_binary(gained, lost, alpha=alpha, power=power) if gained + lost <= 1 else None
        return difference, spread, found
    sd = float(changes.std(ddof=1))
    return difference, sd, cases_for_mean(difference, sd, alpha=alpha, power=power)


def _pairs(before: dict[str, list[Measurement]], after: dict[str, list[Measurement]]) -> np.ndarray:
    pairs = [(_mean(before.get(case, [])), _mean(values)) for case, values in after.items()]
    return np.array([pair for pair in pairs if None not in pair], dtype=float).reshape(-1, 2)


def _mean(values: list[Measurement]) -> float | None:
    scored = [v.value for v in values if isinstance(v, Score)]
    return sum(scored) / len(scored) if scored else None
