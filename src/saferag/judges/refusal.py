"""Whether a response is a refusal."""

from __future__ import annotations

import re

from saferag.text import normalize

_REFUSAL = re.compile(
    r"^(?:抱歉|对不起|很遗憾)?[,，]?(?:我|我们|本助手)?(?:拒答|拒绝回答|无法回答|不能回答|暂不作答)|^(?:i'?m sorry|sorry)?,? ?(?:but )?i (?:can(?:no|')t|am unable to) (?:answer|help|assist)"
)


def is_refusal(response: str) -> bool:
    """Whether a response refuses to answer."""
    return _REFUSAL.match(normalize(response)) is not None
