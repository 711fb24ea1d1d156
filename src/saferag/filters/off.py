"""No filter: what was retrieved is what the generator sees. The paper's OFF."""

from __future__ import annotations

from dataclasses import dataclass

from saferag.filters import filters
from saferag.filters.base import Filter
from saferag.resources import Resources
from saferag.types import Context, Filtered


@dataclass(frozen=True, slots=True)
class Off:
    """Keeps everything."""

    async def apply(self, query: str, context: Context) -> Filtered:
        """Keep the context as it is."""
        return Filtered(context)


@filters.register("off", summary="keeps everything (the paper's OFF)")
def off(resources: Resources) -> Filter:
    """Build the identity."""
    return Off()
