"""The identity."""

from __future__ import annotations

from saferag.filters import filters
from saferag.resources import Resources
from saferag.types import Filtered, Origin, Passage


async def test_off_keeps_everything_as_it_is(resources: Resources) -> None:
    context = (Passage("a", "x", Origin.ATTACK), Passage("b", "y"))

    assert await filters.build("off", resources).apply("q", context) == Filtered(context)
