"""Where attack text enters a pipeline, how much of it, and at which place. Pure functions.

The three doors are those of SafeRAG (arXiv 2501.18636, section 3): before the retriever, after it, and after
the filter. At the first door the retriever decides what comes of the text; at the others ``count`` attack
texts take their places in a window of ``top_k`` and push the lowest-ranked benign passages out.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import TypeVar

from saferag.errors import OptionError
from saferag.retrievers.base import Index
from saferag.types import Context, Passage

T = TypeVar("T")
# As many digits as a floating point number tells apart, since a ratio is recorded as one, and no endless exponent.
_RATIO = re.compile(r"[+-]?(\d{1,9}/\d{1,9}|(\d{1,9}\.?\d{0,17}|\.\d{1,17})(e[+-]?\d{1,2})?)", re.ASCII | re.IGNORECASE)


class Stage(StrEnum):
    """The door at which attack text enters."""

    KNOWLEDGE_BASE = "knowledge_base"
    RETRIEVED_CONTEXT = "retrieved_context"
    FILTERED_CONTEXT = "filtered_context"


class Position(StrEnum):
    """Which places of the window the attack texts take. The paper's is ``front``."""

    FRONT = "front"
    BACK = "back"
    SPREAD = "spread"
    RANDOM = "random"


def parse_ratio(text: str) -> Fraction:
    """Read an injection ratio such as ``3/6`` or ``0.5``.

    Raises:
        OptionError: It is not a number from 0 to 1.
    """
    try:
        ratio = Fraction(text.strip() if _RATIO.fullmatch(text.strip()) else "")
    except (ValueError, ZeroDivisionError):
        raise OptionError(f"ratio '{text}' is not a number: write 3/6 or 0.5") from None
    if not 0 <= ratio <= 1:
        raise OptionError(f"ratio '{text}' is outside of 0 to 1")
    return ratio


@dataclass(frozen=True, slots=True)
class InjectionPlan:
    """How an attack enters.

    Attributes:
        stage: The door.
        ratio: Attack texts divided by ``top_k``, from 0 to 1.
        top_k: Size of the window.
        position: Places in the window; at the knowledge base the retriever decides instead.
        seed: Decides the places of `Position.RANDOM` and whatever an attack draws.
    """

    stage: Stage
    ratio: Fraction
    top_k: int
    position: Position = Position.FRONT
    seed: int = 0

    @property
    def count(self) -> int:
        """Number of attack texts, k′: the ratio of the window, rounded half up."""
        return int(self.ratio * self.top_k + Fraction(1, 2))


def poison(index: Index, attack: Iterable[Passage]) -> Index:
    """Door 1: an index that also holds the attack texts. The given index stays as it is."""
    return index.overlay(tuple(attack))


def inject(context: Context, attack: Context, plan: InjectionPlan, key: str = "") -> Context:
    """Doors 2 and 3: put attack texts into a context.

    Args:
        context: Benign passages, best first.
        attack: The attack texts in order; at most ``plan.top_k`` of them are used.
        plan: Window size, position and seed.
        key: What makes a random place differ from case to case, such as the case id.

    Returns:
        At most ``plan.top_k`` passages. Benign passages are lost from the bottom only, and both groups keep
        their order. Without attack texts the context comes back as it is.
    """
    if not attack:
        return context
    attack = attack[: plan.top_k]
    survivors = context[: plan.top_k - len(attack)]
    total = len(attack) + len(survivors)
    return _merge(attack, survivors, _places(len(attack), total, plan, key))


def _places(count: int, total: int, plan: InjectionPlan, key: str) -> Sequence[int]:
    """The places, ascending, that ``count`` attack texts take among ``total``."""
    match plan.position:
        case Position.FRONT:
            return range(count)
        case Position.BACK:
            return range(total - count, total)
        case Position.SPREAD:
            return [(2 * i + 1) * total // (2 * count) for i in range(count)]
        case Position.RANDOM:
            rng = random.Random(f"{plan.seed}:{key}")  # noqa: S311 - reproducible, not secret
            return sorted(rng.sample(range(total), count))


def _merge(chosen: Sequence[T], others: Sequence[T], places: Sequence[int]) -> tuple[T, ...]:
    first, second = iter(chosen), iter(others)
    taken = set(places)
    return tuple(next(first) if i in taken else next(second) for i in range(len(chosen) + len(others)))
