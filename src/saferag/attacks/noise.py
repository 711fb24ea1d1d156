"""Noise as RGB and RAAT mean it: passages without the answer, near to the question or far from it."""

from __future__ import annotations

import random

from saferag.attacks.filler import FILLER
from saferag.types import Case


def related(case: Case) -> list[str]:
    """The case's background: on its topic, without its answer."""
    return [p.text for p in case.background]


def most_related(case: Case) -> list[str]:
    """The case's background, the passages that share most with the question first."""
    from saferag.text import content_terms

    asked = set(content_terms(case.query))
    return sorted(related(case), key=lambda text: (-len(asked & set(content_terms(text))), text))


def unrelated(case: Case, seed: int) -> list[str]:
    """Passages about something else, in an order of the case's own."""
    texts = list(FILLER[case.lang])
    random.Random(f"{seed}:{case.id}").shuffle(texts)  # noqa: S311 - reproducible, not secret
    return texts
