"""A filter without a model: drops only the passages that give no support at all to the question."""

from __future__ import annotations

from dataclasses import dataclass

from saferag.errors import OptionError
from saferag.filters import filters
from saferag.filters.base import Filter
from saferag.relevance import Relevance, rate
from saferag.resources import Resources
from saferag.types import Context, Filtered, Removal


@dataclass(frozen=True, slots=True)
class SupportFilter:
    """Keeps a passage that shares terms with the question, or with a passage that does.

    Attributes:
        min_direct: Least share (0 to 1) of the weight of the question's terms; it must be exceeded.
        min_linked: Least share (0 to 1) of a passage's own terms that it has in common with passages that hold terms
            of the question; it must be exceeded.
    """

    min_direct: float = 0.0
    min_linked: float = 0.0

    async def apply(self, query: str, context: Context) -> Filtered:
        """Filter one context. If no passage passes, those that share anything with the question are kept."""
        rated = rate(query, context)
        passes = [r.direct > self.min_direct or r.linked > self.min_linked for r in rated]
        if not any(passes):
            passes = [r.direct > 0 for r in rated]
        kept = tuple(p for p, ok in zip(context, passes, strict=True) if ok)
        removed = tuple(Removal(p.id, _reason(r)) for p, r, ok in zip(context, rated, passes, strict=True) if not ok)
        return Filtered(kept, removed)


def _reason(rated: Relevance) -> str:
    return (
        f"no support: holds {rated.direct:.0%} of the question's terms and shares {rated.linked:.0%} of its own "
        "with passages that hold some"
    )


@filters.register("support", summary="drops passages that share no terms with the question; no model")
def support(resources: Resources, *, min_direct: float = 0.0, min_linked: float = 0.0) -> Filter:
    """Build the support filter.

    Raises:
        OptionError: A threshold is outside of 0 to 1.
    """
    for name, value in (("min_direct", min_direct), ("min_linked", min_linked)):
        if not 0 <= value <= 1:
            raise OptionError(f"filter 'support': {name}={value} is outside of 0 to 1")
    return SupportFilter(min_direct, min_linked)
