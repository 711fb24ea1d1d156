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


def stands_in(needle: str, text: str) -> bool:
    """Whether a keyword or value stands in a text, in the form in which texts are compared."""
    key = _key(needle)
    if not key:
        return False
    before = r"(?<![0-9])(?<![0-9][.,])" if key[0].isdecimal() else ""
    after = r"(?![0-9])(?![.,][0-9])" if key[-1].isdecimal() else ""
    return re.search(before + re.escape(key) + after, _key(text)) is not None


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
