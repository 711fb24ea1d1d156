"""A text as the rule judge reads it: a stream of canonical tokens with an index of where each term stands."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from saferag.lexicon import FUNCTION_CHARS, stem
from saferag.numbers import Numeral, find_numerals
from saferag.text import normalize, split_sentences

# Words that say nothing about whether a statement holds. Words such as "not", "before", "all" or "only" do, and stay.
_SILENT = frozenset(
    "a an the of to in on at for by with as and or that which it its their his her is are was were be been being has "  # noqa: SIM905
    "have had will would this these those from into also who there they he she s".split()
)
_DROPPED = frozenset("a an the 的 了".split())  # noqa: SIM905
_RISE = "增长|增加|上升|提高|提升|上涨|增至|升至|升到|上调|增幅"
_FALL = "下降|减少|降低|下滑|下跌|降至|降到|减至|回落|下调|缩减|降幅"
_PIECE = re.compile(
    rf"(?P<up>{_RISE})|(?P<down>{_FALL})|(?P<word>[a-z][a-z0-9]*(?:['’][a-z]+)?)|(?P<cjk>[㐀-䶿一-鿿豈-﫿])"
    r"|(?P<digits>\d+(?:\.\d+)?)|(?P<sign>[%°℃£$€+])|(?P<skip>[\s\"'“”‘’「」『』《》()（）\-·_*#])|(?P<stop>.)"
)
_DIRECTION = {stem(w): "↑" for w in "rise increase climb grow gain jump raise".split()}  # noqa: SIM905
_DIRECTION |= {stem(w): "↓" for w in "fall decrease decline drop shrink reduce lower".split()}  # noqa: SIM905
_UNITS = {
    "km": "kilometre kilometer", "m": "metre meter", "t": "tonne ton", "ha": "hectare",
    "kg": "kilogram kilogramme kilo", "l": "litre liter",
}  # fmt: skip
_CANONICAL = _DIRECTION | {stem(word): unit for unit, words in _UNITS.items() for word in words.split()}


def is_number(form: str) -> bool:
    """Whether a token or term is a canonical numeral."""
    return len(form) > 1 and form[0] in "#%@T"


@dataclass(frozen=True, slots=True)
class Token:
    """One token in canonical form.

    Attributes:
        form: English stem, Chinese character, canonical numeral, or an arrow for a rise or a fall.
        other: A second reading of an ambiguous numeral.
        silent: Whether it carries grammar only.
        clause: Number of the clause within the sentence.
        start, end: Where it stands in the normal form of its sentence.
    """

    form: str
    other: str | None = None
    silent: bool = False
    clause: int = 0
    start: int = 0
    end: int = 0

    def same(self, token: Token) -> bool:
        """Whether two tokens agree in one of their readings."""
        return self.form == token.form or (
            (self.other is not None and self.other in (token.form, token.other)) or token.other == self.form
        )


@dataclass(frozen=True, slots=True)
class Reading:
    """A text as tokens and terms.

    Attributes:
        tokens: All tokens in order.
        terms: What is compared, each with the position of its first token: stems, numerals, pairs of characters.
        positions: For each token form, where it stands, ascending.
        term_positions: For each term, where it stands, ascending.
        sentence: For each token the number of its sentence.
    """

    tokens: tuple[Token, ...]
    terms: tuple[tuple[str, int], ...]
    positions: Mapping[str, list[int]]
    term_positions: Mapping[str, list[int]]
    sentence: tuple[int, ...]


def read(text: str) -> Reading:
    """Read a text. Linear in its length; sentences that were read before come from a cache."""
    tokens: list[Token] = []
    terms: list[tuple[str, int]] = []
    sentence: list[int] = []
    for number, part in enumerate(split_sentences(text)):
        own_tokens, own_terms = _read_sentence(part)
        terms.extend((term, start + len(tokens)) for term, start in own_terms)
        tokens.extend(own_tokens)
        sentence.extend([number] * len(own_tokens))
    positions: dict[str, list[int]] = {}
    for i, token in enumerate(tokens):
        positions.setdefault(token.form, []).append(i)
        if token.other is not None:
            positions.setdefault(token.other, []).append(i)
    term_positions: dict[str, list[int]] = {}
    for term, i in terms:
        term_positions.setdefault(term, []).append(i)
        other = tokens[i].other
        if other is not None and term == tokens[i].form:
            term_positions.setdefault(other, []).append(i)
    return Reading(tuple(tokens), tuple(terms), positions, term_positions, tuple(sentence))


@lru_cache(maxsize=16384)
def _read_sentence(text: str) -> tuple[tuple[Token, ...], tuple[tuple[str, int], ...]]:
    tokens = tokenize(text)
    return tokens, terms_of(tokens)


def tokenize(text: str) -> tuple[Token, ...]:
    """Cut a sentence into canonical tokens."""
    text = normalize(text)
    tokens: list[Token] = []
    clause = end = 0
    for numeral in (*find_numerals(text), None):
        clause = _pieces(text, end, len(text) if numeral is None else numeral.start, clause, tokens)
        if numeral is not None:
            tokens.extend(_numeral_tokens(numeral, clause))
            end = numeral.end
    return tuple(tokens)


def _numeral_tokens(numeral: Numeral, clause: int) -> list[Token]:
    span = (False, clause, numeral.start, numeral.end)
    year = [] if numeral.year is None else [Token(numeral.year, None, *span)]
    return [*year, Token(numeral.form, numeral.other, *span)]


def _pieces(text: str, start: int, end: int, clause: int, tokens: list[Token]) -> int:
    """Append the tokens between two numerals and return the number of the clause that they end in."""
    for match in _PIECE.finditer(text, start, end):
        kind, piece = match.lastgroup, match[0]
        if kind == "stop":
            clause += 1
        elif kind == "word":
            word = stem(piece.split("'")[0].split("’")[0]) if not piece.endswith(("n't", "n’t")) else "not"
            if piece not in _DROPPED:
                tokens.append(Token(_CANONICAL.get(word, word), None, piece in _SILENT, clause, *match.span()))
        elif kind != "skip" and piece not in _DROPPED:
            form = {"up": "↑", "down": "↓"}.get(kind or "", piece)
            tokens.append(Token(form, None, piece in FUNCTION_CHARS, clause, *match.span()))
    return clause


def _is_cjk(form: str) -> bool:
    return len(form) == 1 and "㐀" <= form <= "﫿"


def terms_of(tokens: tuple[Token, ...]) -> tuple[tuple[str, int], ...]:
    """The terms of a sentence: what is not silent, with neighbouring Chinese characters taken in pairs."""
    terms: list[tuple[str, int]] = []
    previous: tuple[str, int, int] | None = None  # a Chinese character, its position, its clause
    paired = True
    for i, token in enumerate(tokens):
        if token.silent:
            continue
        if not _is_cjk(token.form):
            if not paired and previous is not None:
                terms.append((previous[0], previous[1]))
            terms.append((token.form, i))
            previous, paired = None, True
            continue
        if previous is not None and previous[2] == token.clause:
            terms.append((previous[0] + token.form, previous[1]))
            paired = True
        else:
            if not paired and previous is not None:
                terms.append((previous[0], previous[1]))
            paired = False
        previous = (token.form, i, token.clause)
    if not paired and previous is not None:
        terms.append((previous[0], previous[1]))
    return tuple(terms)
