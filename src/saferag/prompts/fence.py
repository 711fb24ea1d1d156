"""Delimiters that the text between them cannot forge.

A fence carries a mark that stands in none of the fenced texts. It is derived from them, so the same texts
always give the same prompt, and whatever an attacker writes, the mark becomes another one.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from itertools import count

from saferag.text import normalize
from saferag.types import Lang

_LETTERS = "bcdfghjkmnpqrstvwxz"
_NAMES = {Lang.ZH: ("资料", "结束"), Lang.EN: ("passage", "end of")}


def mark_for(texts: Iterable[str]) -> str:
    """A short mark of consonants that occurs in none of the texts, however it is spelt there (case, full width)."""
    joined = normalize("\n".join(texts))
    digest = hashlib.sha256(joined.encode("utf-8", "surrogatepass")).digest()
    for attempt in count():
        digest = hashlib.sha256(digest + attempt.to_bytes(4, "big")).digest()
        # Longer marks after a few misses: a text could hold every short one.
        mark = "".join(_LETTERS[b % len(_LETTERS)] for b in digest[: 6 + attempt // 8])
        if mark not in joined:
            return mark
    raise AssertionError("count() never ends")


def fence(name: str, text: str, mark: str) -> str:
    """The text between two lines that carry the mark."""
    return f"<<<{name} {mark}>>>\n{text}\n<<<end {name} {mark}>>>"


def number_passages(texts: Sequence[str], lang: Lang) -> str:
    """The texts, numbered from 1, each between two lines that no text can forge."""
    name, end = _NAMES[lang]
    mark = mark_for(texts)
    blocks = []
    for i, text in enumerate(texts, 1):
        closing = f"{name} {i} {end}" if lang is Lang.ZH else f"{end} {name} {i}"
        blocks.append(f"[{name} {i} | {mark}]\n{text}\n[{closing} | {mark}]")
    return "\n\n".join(blocks)
