"""Which parts of a text come from an attacker: runs of words that stand in his texts and in no benign one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from saferag.text import normalize

RUN = 4  # words, or Chinese characters, that must agree in a row
_TOKEN = re.compile(
    "[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af]|[^\\W_\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]+"
)
_EDGE = ("",) * (RUN - 1)
_LONGEST = 20_000  # characters that are looked at; what follows stays unmarked


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of a text.

    Attributes:
        text: The piece; all pieces joined are the text.
        kind: ``attack``, ``keyword`` (what the attacker wants said), or empty.
    """

    text: str
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Token:
    """A word or Chinese character in normal form, and where it stands."""

    form: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Marker:
    """Marks attack text in passages and answers of one case.

    Use `Marker.of`.
    """

    attack: frozenset[tuple[str, ...]]
    benign: frozenset[tuple[str, ...]]
    keywords: tuple[str, ...] = ()

    @classmethod
    def of(cls, attack: Iterable[str], benign: Iterable[str], keywords: Sequence[str] = ()) -> Marker:
        """A marker for what stands in attack texts and in no benign text."""
        return cls(
            frozenset(gram for text in attack for gram in _grams(text)),
            frozenset(gram for text in benign for gram in _grams(text, edges=True)),
            tuple(sorted({k for k in keywords if k.strip()}, key=len, reverse=True)),
        )

    def parts(self, text: str) -> list[Part]:
        """The text in pieces.

        A word is an attacker's if a run of `RUN` words around it stands in an attack text and no such run stands in a
        benign text: in a copied passage with one changed figure just the figure is marked.
        """
        kinds = [""] * len(text)
        for start, end in _closed(self._attack_spans(text), text):
            kinds[start:end] = ["attack"] * (end - start)
        for keyword in self.keywords:
            for start, end in _places(keyword, text):
                kinds[start:end] = ["keyword"] * (end - start)
        return _pieces(text, kinds)

    def _attack_spans(self, text: str) -> list[tuple[int, int]]:
        tokens = _tokens(text)
        forms = [t.form for t in tokens]
        theirs = _covered(forms, self.attack)
        # The last words of a passage are in no full run; with its ends counted as words they are.
        ours = _covered([*_EDGE, *forms, *_EDGE], self.benign)[len(_EDGE) :]
        return [(t.start, t.end) for t, a, b in zip(tokens, theirs, ours, strict=False) if a and not b]


def _covered(forms: Sequence[str], grams: frozenset[tuple[str, ...]]) -> bytearray:
    """Which words are in a run that is one of these."""
    size = min(RUN, len(forms))
    found = bytearray(len(forms))
    for i in range(len(forms) - size + 1 if size else 0):
        if tuple(forms[i : i + size]) in grams:
            found[i : i + size] = b"\1" * size
    return found


@lru_cache(maxsize=4096)
def _tokens(text: str) -> tuple[Token, ...]:
    found = _TOKEN.finditer(text[:_LONGEST])
    return tuple(Token(normalize(m[0]), m.start(), m.end()) for m in found)


def _grams(text: str, *, edges: bool = False) -> Iterable[tuple[str, ...]]:
    forms = [t.form for t in _tokens(text)]
    if edges and forms:
        forms = [*_EDGE, *forms, *_EDGE]
    size = min(RUN, len(forms))
    return (tuple(forms[i : i + size]) for i in range(len(forms) - size + 1)) if size else ()


def _closed(spans: Sequence[tuple[int, int]], text: str) -> list[tuple[int, int]]:
    """Spans joined where nothing but spaces and punctuation lies between them."""
    joined: list[tuple[int, int]] = []
    for start, end in spans:
        if joined and not _TOKEN.search(text, joined[-1][1], start):
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((start, end))
    return joined


def _places(keyword: str, text: str) -> list[tuple[int, int]]:
    """Where a keyword stands, upper and lower case alike; a figure is no part of a longer figure."""
    before = r"(?<![0-9])" if keyword[0].isdecimal() else ""
    after = r"(?![0-9])" if keyword[-1].isdecimal() else ""
    pattern = before + re.escape(keyword) + after
    return [m.span() for m in re.finditer(pattern, text[:_LONGEST], re.IGNORECASE)]


def _pieces(text: str, kinds: Sequence[str]) -> list[Part]:
    pieces: list[Part] = []
    start = 0
    for i in range(1, len(text) + 1):
        if i == len(text) or kinds[i] != kinds[start]:
            pieces.append(Part(text[start:i], kinds[start]))
            start = i
    return pieces
