"""A text as the rule judge reads it: a stream of canonical tokens with an index of where each term stands."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
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
_CN_UNITS = {
    "平方公里": "km2", "平方千米": "km2", "公里": "km", "千米": "km", "公斤": "kg", "千克": "kg", "公顷": "ha",
    "摄氏度": "°c", "厘米": "cm", "毫米": "mm",
}  # fmt: skip
# "不仅", "未来", "无人机" and the like deny nothing.
_NEGATION = re.compile(r"不(?![仅断少同过久但论料错])|没(?!收)|未(?!来|婚|知)|非(?!常|遗)|无(?!人机|线|论|疑|数|比|锡)")
_NEGATIONS = frozenset("not no never without neither nor cannot nobody none".split())  # noqa: SIM905
_PIECE = re.compile(
    rf"(?P<up>{_RISE})|(?P<down>{_FALL})|(?P<unit>{'|'.join(_CN_UNITS)})|(?P<word>[a-z][a-z0-9]*(?:['’][a-z]+)?)|(?P<cjk>[㐀-䶿一-鿿豈-﫿])"
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
        denies: Whether it negates what follows.
    """

    form: str
    other: str | None = None
    silent: bool = False
    clause: int = 0
    start: int = 0
    end: int = 0
    denies: bool = False

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
        elif kind != "skip" and piece not in _DROPPED:
            form, silent, denies = _form(kind or "", piece, text, match.start())
            tokens.append(Token(form, None, silent, clause, match.start(), match.end(), denies))
    return clause


def _form(kind: str, piece: str, text: str, at: int) -> tuple[str, bool, bool]:
    """The form of a piece, whether it is silent, and whether it denies."""
    if kind == "word":
        word = "not" if piece.endswith(("n't", "n’t")) else stem(re.split("['’]", piece)[0])
        return _CANONICAL.get(word, word), piece in _SILENT, word in _NEGATIONS
    if kind == "cjk":
        return piece, piece in FUNCTION_CHARS, _NEGATION.match(text, at) is not None
    return {"up": "↑", "down": "↓"}.get(kind) or _CN_UNITS.get(piece, piece), False, False


def denied(tokens: Sequence[Token], at: int, reach: int = 1) -> bool:
    """Whether one of the ``reach`` tokens before a place negates it: in its clause, and silent tokens do not count."""
    for token in reversed(tokens[max(0, at - 2 * reach - 1) : at]):
        if token.clause != tokens[at].clause or reach == 0:
            return False
        if token.denies:
            return True
        reach -= not token.silent
    return False


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
