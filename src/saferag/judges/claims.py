"""Claims prepared for comparison: what a statement turns on, what it is about, and what its counterpart says."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from saferag.judges.reading import Token, denied, is_number, read, terms_of, tokenize
from saferag.lexicon import stem
from saferag.text import normalize
from saferag.types import Claim

_QUERY_DISCOUNT = 0.4
_NUMBER_BONUS = 1.5
_FLANK = 6
_BESIDE = 4

_BESIDE_NUMBERS = (
    "year month week day hour minute time people percent majority within than more about nearly almost over"
)
_COMMON = {stem(w) for w in _BESIDE_NUMBERS.split()}
"""Words that stand beside a number in any text: they say little about which statement it belongs to."""

Weight = Callable[[str], float]


@dataclass(frozen=True, slots=True)
class Pattern:
    """A value to look for.

    Attributes:
        tokens: Its tokens.
        terms: Its terms.
        decisive: The terms that its counterpart does not have; all of them where there is no counterpart.
        distinct: How unlikely it is that the value stands in a text by chance: the sum over its terms of 1
            to 3 for a numeral, by its digits, 1.5 for an English word and 1 for a pair of characters.
    """

    tokens: tuple[Token, ...]
    terms: tuple[str, ...]
    decisive: frozenset[str]
    distinct: float


@dataclass(frozen=True, slots=True)
class Slot:
    """A numeral of a statement.

    Attributes:
        numeral: Its token.
        before, after: The tokens next to it, the nearest first.
        in_focus: Whether it belongs to the value.
    """

    numeral: Token
    before: tuple[Token, ...]
    after: tuple[Token, ...]
    in_focus: bool


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement as the judge compares it.

    Attributes:
        focus: The value that it turns on; None for a statement without a known value.
        anchors: What it is about: its other terms with their weights.
        weights: The weights of the value's terms. With the anchors' they add up to 1.
        left, right: The terms just before and just after the focus.
        before, after: The tokens next to the focus, the nearest first.
        slots: Every numeral of the statement with the tokens beside it.
        denies: Whether it holds a negation.
        denies_focus: Whether it negates its value.
    """

    focus: Pattern | None
    anchors: Mapping[str, float]
    weights: Mapping[str, float]
    left: tuple[str, ...] = ()
    right: tuple[str, ...] = ()
    before: tuple[Token, ...] = ()
    after: tuple[Token, ...] = ()
    slots: tuple[Slot, ...] = ()
    denies: bool = False
    denies_focus: bool = False


@dataclass(frozen=True, slots=True)
class PreparedClaim:
    """A claim with its own statement, with that of its counterpart where one is known, and with what it mentions."""

    claim: Claim
    own: Statement
    rival: Statement | None = None
    mention: Pattern | None = None


@dataclass(frozen=True, slots=True)
class Brief:
    """All claims of one question.

    Attributes:
        claims: The claims in their order.
        asked: The terms of the question.
        names: Those of them that many claims hold as well, such as the name of what the question is about.
    """

    claims: tuple[PreparedClaim, ...]
    asked: frozenset[str]
    names: frozenset[str]


@lru_cache(maxsize=1024)
def prepare(query: str, claims: tuple[Claim, ...]) -> Brief:
    """Prepare all claims of one question. What many of them share, or the question says, weighs less."""
    texts = [frozenset(term for term, _ in read(c.text).terms) for c in claims]
    df = Counter(term for terms in texts for term in terms)
    asked = frozenset(term for term, _ in read(query).terms)
    names = frozenset(term for term in asked if df[term] >= max(2, len(claims) / 8))

    def weight(term: str) -> float:
        rarity = math.log1p(len(claims) / max(1, df[term]))
        return rarity * (_NUMBER_BONUS if is_number(term) else 1.0) * (_QUERY_DISCOUNT if term in asked else 1.0)

    return Brief(tuple(_prepare(claim, weight) for claim in claims), asked, names)


def _prepare(claim: Claim, weight: Weight) -> PreparedClaim:
    text, value, contrast = normalize(claim.text), normalize(claim.value or ""), normalize(claim.contrast or "")
    start = text.find(value) if value else -1
    if start < 0:
        mention = _pattern(tokenize(claim.mention or ""), ())
        return PreparedClaim(claim, _statement(tokenize(text), (0, 0), None, weight), None, mention)
    own = tokenize(text)
    span = (start, start + len(value))
    if not contrast or contrast == value:
        return PreparedClaim(claim, _statement(own, span, None, weight))
    other = tokenize(text[:start] + contrast + text[start + len(value) :])
    other_span = (start, start + len(contrast))
    return PreparedClaim(
        claim,
        _statement(own, span, _inside(other, other_span), weight),
        _statement(other, other_span, _inside(own, span), weight),
    )


def _inside(tokens: tuple[Token, ...], span: tuple[int, int]) -> tuple[Token, ...]:
    """The tokens that lie in a span, also in part: a value never cuts a numeral in two."""
    return tuple(t for t in tokens if t.start < span[1] and t.end > span[0])


def _statement(
    tokens: tuple[Token, ...], span: tuple[int, int], contrast: tuple[Token, ...] | None, weight: Weight
) -> Statement:
    focus = _inside(tokens, span)
    left = _terms(t for t in tokens if t.end <= span[0] and t not in focus)
    right = _terms(t for t in tokens if t.start >= span[1] and t not in focus)
    terms = _terms(focus)
    total = sum(weight(term) for term in {*left, *right, *terms}) or 1.0
    anchors = {term: weight(term) / total for term in (*left, *right) if term not in terms}
    weights = {term: weight(term) / total for term in terms}
    slots = tuple(_slot(tokens, i, focus) for i, token in enumerate(tokens) if is_number(token.form))
    first = tokens.index(focus[0]) if focus else 0
    last = first + len(focus)
    return Statement(
        _pattern(focus, contrast or ()),
        anchors,
        weights,
        left[-_FLANK:],
        right[:_FLANK],
        tokens[max(0, first - _BESIDE) : first][::-1],
        tokens[last : last + _BESIDE],
        slots,
        any(token.denies for token in tokens),
        bool(focus) and denied(tokens, first),
    )


def _slot(tokens: tuple[Token, ...], i: int, focus: tuple[Token, ...]) -> Slot:
    return Slot(tokens[i], tokens[max(0, i - _BESIDE) : i][::-1], tokens[i + 1 : i + 1 + _BESIDE], tokens[i] in focus)


def _terms(tokens: Iterable[Token]) -> tuple[str, ...]:
    return tuple(term for term, _ in terms_of(tuple(tokens)))


def _pattern(tokens: tuple[Token, ...], contrast: tuple[Token, ...]) -> Pattern | None:
    if not tokens:
        return None
    terms, others = _terms(tokens), set(_terms(contrast))
    decisive = frozenset(t for t in terms if t not in others) or frozenset(terms)
    return Pattern(tokens, terms, decisive, sum(_distinct(t) for t in set(terms)))


def _distinct(term: str) -> float:
    if is_number(term):
        digits = len(term.replace(".", "").strip("#%@T").strip("0"))
        return float(min(3, max(1, digits)))
    if term in _COMMON:
        return 0.5
    return 1.5 if term[0].isascii() else len(term) / 2
