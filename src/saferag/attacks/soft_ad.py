"""Soft ad: a golden passage with a brand woven in, dropped in directly or next to an authority."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import ClassVar

from saferag.attacks import attacks
from saferag.attacks.base import Attack, AttackInfo, Target
from saferag.attacks.ready import as_passages, material, own_target
from saferag.errors import OptionError, did_you_mean
from saferag.types import Case, Context

NAME = "soft_ad"
VARIANTS = ("both", "direct", "indirect", "mixed")


@dataclass(frozen=True, slots=True)
class SoftAd:
    """Uses the case's ad passages of one variant, or of both."""

    variant: str = "both"

    info: ClassVar[AttackInfo] = AttackInfo(
        label="SA",
        goal="promotion",
        threat="Knows a golden passage; adds k′ versions of it that name a brand, and sees no model.",
        success="The answer repeats the ad: ASR is the share of the advertised names that stand in it.",
        source="SafeRAG (arXiv 2501.18636)",
        made_by="data",
        choices={"variant": ("direct", "indirect")},
    )

    def applies_to(self, case: Case) -> bool:
        """Whether the case has ad passages of this variant."""
        return bool(self._ready(case, 0))

    def texts(self, case: Case, count: int, seed: int) -> Context:
        """The first ``count`` ad passages; with ``mixed`` the seed decides for each case which comes first."""
        return as_passages(case, NAME, self._ready(case, seed)[: max(count, 0)])

    def target(self, case: Case) -> Target:
        """Statements that the answer mentions a name (all of them false of a good answer), and the names."""
        return own_target(case, NAME)

    def _ready(self, case: Case, seed: int) -> list[str]:
        texts = material(case, NAME).texts
        ready = [t.text for t in texts if self.variant in ("both", "mixed", t.variant)]
        if self.variant == "mixed":
            random.Random(f"{seed}:{case.id}").shuffle(ready)  # noqa: S311 - reproducible, not secret
        return ready


@attacks.register(NAME, summary="a golden passage with a brand woven in")
def soft_ad(*, variant: str = "both") -> Attack:
    """Soft ad.

    Args:
        variant: ``direct``, ``indirect``, ``both`` (in the order of the data), or ``mixed`` (both, the first drawn by
            seed for each case).

    Raises:
        OptionError: There is no such variant.
    """
    if variant not in VARIANTS:
        raise OptionError(f"soft_ad has no variant '{variant}'{did_you_mean(variant, VARIANTS)}: {', '.join(VARIANTS)}")
    return SoftAd(variant)
