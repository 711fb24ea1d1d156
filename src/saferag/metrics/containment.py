"""What it means that a text stands in another: shared by the keyword, coverage and survival metrics.

Chinese is written without spaces, so spaces beside Chinese characters do not count; a figure is not part of a longer
figure, so ``8个`` does not stand in ``18个``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from saferag.text import normalize, words

_CJK = "㐀-䶿一-鿿豈-﫿"
_SPACE_BESIDE_CJK = re.compile(rf"(?<=[{_CJK}]) | (?=[{_CJK}])")
_NGRAM = 3
_DIGITS = frozenset("0123456789")
_POINTS = frozenset(".,")


def stands_in(needle: str, text: str) -> bool:
    """Whether a keyword or value stands in a text, in the form in which texts are compared."""
    key, within = _key(needle), _key(text)
    place = within.find(key) if key else -1
    while place >= 0:
        if not _is_cut_out(within, place, place + len(key)):
            return True
        place = within.find(key, place + 1)
    return False


def _is_cut_out(text: str, start: int, end: int) -> bool:
    """Whether a figure at either end of a stretch goes on beyond it, as in ``1`` ``8个`` or ``3`` ``.5``."""
    before, after = text[max(0, start - 2) : start], text[end : end + 2]
    left = text[start].isdecimal() and (before[-1:] in _DIGITS or (before[-1:] in _POINTS and before[:-1] in _DIGITS))
    return left or (
        text[end - 1].isdecimal() and (after[:1] in _DIGITS or (after[:1] in _POINTS and after[1:] in _DIGITS))
    )


@lru_cache(maxsize=4096)
def ngrams(text: str) -> frozenset[tuple[str, ...]]:
    """All runs of three words; a shorter text is one run."""
    tokens = words(text)
    size = min(_NGRAM, len(tokens))
    return frozenset(tuple(tokens[i : i + size]) for i in range(len(tokens) - size + 1)) if tokens else frozenset()


def own_ngrams(text: str, others: Iterable[str]) -> frozenset[tuple[str, ...]]:
    """The runs of three words of a text that stand in none of the others."""
    return ngrams(text).difference(*map(ngrams, others))


@lru_cache(maxsize=4096)  # the same passages and responses are asked about again and again
def _key(text: str) -> str:
    return _SPACE_BESIDE_CJK.sub("", normalize(text))
