"""Claims prepared for comparison: what a statement turns on, what it is about, and what its counterpart says."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from saferag.judges.reading import Token, is_number, read, terms_of, tokenize
from saferag.text import normalize
from saferag.types import Claim

_QUERY_DISCOUNT = 0.4
_NUMBER_BONUS = 1.5
_FLANK = 6

Weight = Callable[[str], float]


@dataclass(frozen=True, slots=True)
class Pattern:
    """A value to look for.

    Attributes:
        tokens: Its tokens.
        terms: Its terms.
        decisive: The terms that its counterpart does not have; all of them where there is no counterpart.
    """

    tokens: tuple[Token, ...]
    terms: tuple[str, ...]
    decisive: frozenset[str]


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement as the judge compares it.

    Attributes:
        focus: The value that it turns on; None for a statement without a known value.
        anchors: What it is about: its other terms with their weights, which add up to 1.
        left, right: The terms just before and just after the focus.
    """

    focus: Pattern | None
    anchors: Mapping[str, float]
    left: tuple[str, ...] = ()
    right: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PreparedClaim:
    """A claim with its own statement, and with that of its counterpart where one is known."""

    claim: Claim
    own: Statement
    rival: Statement | None = None


@lru_cache(maxsize=1024)
def prepare(query: str, claims: tuple[Claim, ...]) -> tuple[PreparedClaim, ...]:
    """Prepare all claims of one question. What many of them share, or the question says, weighs less."""
    texts = [frozenset(term for term, _ in read(c.text).terms) for c in claims]
    df = Counter(term for terms in texts for term in terms)
    asked = frozenset(term for term, _ in read(query).terms)

    def weight(term: str) -> float:
        rarity = math.log1p(len(claims) / max(1, df[term]))
        return rarity * (_NUMBER_BONUS if is_number(term) else 1.0) * (_QUERY_DISCOUNT if term in asked else 1.0)

    prepared = []
    for claim in claims:
        value, contrast = _usable(claim)
        own = _statement(claim.text, value, contrast, weight)
        rival = None
        if value is not None and contrast is not None:
            rival = _statement(_replace(claim.text, value, contrast), contrast, value, weight)
        prepared.append(PreparedClaim(claim, own, rival))
    return tuple(prepared)


def _usable(claim: Claim) -> tuple[str | None, str | None]:
    """Value and contrast of a claim, in normal form, where the value does stand in the text and says something."""
    value = normalize(claim.value or "")
    contrast = normalize(claim.contrast or "")
    if not value or value not in normalize(claim.text) or not tokenize(value):
        return None, None
    return value, contrast if contrast and tokenize(contrast) and contrast != value else None


def _replace(text: str, value: str, contrast: str) -> str:
    return normalize(text).replace(value, contrast, 1)


def _statement(text: str, value: str | None, contrast: str | None, weight: Weight) -> Statement:
    text = normalize(text)
    before, _, after = text.partition(value) if value else (text, "", "")
    left, right = _terms(before), _terms(after)
    anchors = {term: weight(term) for term in (*left, *right)}
    total = sum(anchors.values())
    if total:
        anchors = {term: w / total for term, w in anchors.items()}
    return Statement(_pattern(value, contrast) if value else None, anchors, left[-_FLANK:], right[:_FLANK])


def _terms(text: str) -> tuple[str, ...]:
    return tuple(term for term, _ in terms_of(tokenize(text)))


def _pattern(value: str, contrast: str | None) -> Pattern:
    tokens, others = tokenize(value), tokenize(contrast or "")
    terms, other_terms = terms_of(tokens), {term for term, _ in terms_of(others)}
    decisive = frozenset(term for term, _ in terms if term not in other_terms)
    return Pattern(tokens, tuple(term for term, _ in terms), decisive or frozenset(term for term, _ in terms))
