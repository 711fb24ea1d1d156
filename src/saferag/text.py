"""Text handling for Chinese and English: normal form, sentences, words, display width.

Comparison works on `normalize`; what is shown, stored or sent to a model stays as it was written.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable
from functools import lru_cache

from saferag.lexicon import FUNCTION_CHARS, FUNCTION_WORDS, QUESTION_PHRASES, stem

_HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"
_CJK = re.compile(f"[{_HAN}]")
_SPACE = re.compile(r"\s+")
# Zero-width and bidi controls: invisible, and an attacker's way to break a comparison.
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]")
_CLOSERS = "”’\"')）】》」』"
_STOP = re.compile(r"[。！？；\n!?;….]")
_TAIL = re.compile(r"[”’\"')）】》」』。！？!?…]*")
# fmt: off
_ABBREVIATIONS = frozenset(
    {
        "mr", "mrs", "ms", "dr", "prof", "st", "no", "vs", "etc", "e.g", "i.e", "fig",
        "approx", "dept", "est", "inc", "ltd", "co", "corp", "gen", "col", "lt", "sgt", "jan",
        "feb", "mar", "apr", "jun", "jul", "aug", "sep", "sept", "oct", "nov", "dec",
    }
)
# fmt: on
_LETTER = rf"[^\W_{_HAN}]"
_WORD = re.compile(rf"{_LETTER}+(?:[.,:/'’-]{_LETTER}+)*[%‰]?|[{_HAN}]+")
_QUESTION = re.compile("|".join(QUESTION_PHRASES))


def normalize(text: str) -> str:
    """Return the form in which texts are compared.

    NFKC (full width becomes half width), case folded, invisible characters removed, white space collapsed.
    """
    text = _INVISIBLE.sub("", unicodedata.normalize("NFKC", text)).casefold()
    return _SPACE.sub(" ", text).strip()


def has_cjk(text: str) -> bool:
    """Whether the text has a Chinese character."""
    return _CJK.search(text) is not None


def split_sentences(text: str) -> list[str]:
    """Split Chinese and English text into sentences; joined again they hold every visible character.

    A full stop ends a sentence unless it stands in a number, an initial or a common abbreviation; a closing
    quote or bracket stays with the sentence that it closes.
    """
    sentences: list[str] = []
    start = 0
    for match in _STOP.finditer(text):
        if match.start() >= start and _ends_sentence(text, match.start()):
            end = _TAIL.match(text, match.end()).end()  # type: ignore[union-attr]
            sentences.append(text[start:end].strip())
            start = end
    sentences.append(text[start:].strip())
    return [s for s in sentences if s]


def _ends_sentence(text: str, i: int) -> bool:
    char = text[i]
    if char in "。！？；\n":
        return True
    if char in "!?;…":
        return i + 1 == len(text) or not text[i + 1].isalnum()
    if char != ".":
        return False
    after = text[i + 1 : i + 2]
    if after and not after.isspace() and after not in _CLOSERS and not has_cjk(after):
        return False
    before = re.search(r"(\S+)$", text[max(0, i - 16) : i])  # no abbreviation is longer: the work stays linear
    word = before[1].strip("(\"'“‘").casefold() if before else ""
    if word == "no":  # an abbreviation in front of a figure only
        return not after.isspace() or not text[i + 1 : i + 4].strip()[:1].isdigit()
    return not (word in _ABBREVIATIONS or (len(word) == 1 and word.isalpha() and word.isascii()))


def words(text: str, cut: Callable[[str], Iterable[str]] | None = None) -> list[str]:
    """Lexical tokens for search and comparison: English words and numbers, Chinese words as rjieba cuts them.

    Compound tokens such as ``co-operative`` or ``3.5`` stay whole; punctuation is dropped.

    Args:
        text: Any text.
        cut: Cuts a run of Chinese characters; None: rjieba.
    """
    cut = cut or _cut
    tokens: list[str] = []
    for run in _WORD.findall(normalize(text)):
        if has_cjk(run):
            tokens.extend(cut(run))
        else:
            tokens.append(run)
    return tokens


def search_terms(text: str) -> list[str]:
    """Lexical tokens for a search engine: `words` without those that carry grammar or only ask, English ones as stems.

    A text of nothing but such words keeps them, so that a query never becomes empty.
    """
    found = words(text)
    terms = [stem(word) for word in found if word not in FUNCTION_WORDS and word not in FUNCTION_CHARS]
    return terms or found


def bigrams(text: str) -> list[str]:
    """Lexical tokens without a dictionary: English words, and overlapping pairs of Chinese characters."""
    tokens: list[str] = []
    for run in _WORD.findall(normalize(text)):
        if has_cjk(run) and len(run) > 1:
            tokens.extend(run[i : i + 2] for i in range(len(run) - 1))
        else:
            tokens.append(run)
    return tokens


@lru_cache(maxsize=16384)
def content_terms(text: str) -> tuple[str, ...]:
    """What a text is about, for comparison without a model: English stems, pairs of Chinese characters, numbers.

    Grammatical words and characters and question words are left out; a pair never spans punctuation.
    """
    terms: list[str] = []
    for run in _WORD.findall(normalize(text)):
        if not has_cjk(run):
            parts = [run] if run[0].isdigit() else re.split(r"[.:/'’-]", run)
            terms.extend(stem(part) for part in parts if part and part not in FUNCTION_WORDS)
            continue
        kept = "".join(c for c in _QUESTION.sub("", run) if c not in FUNCTION_CHARS)
        terms.extend(kept[i : i + 2] for i in range(max(1, len(kept) - 1)) if kept)
    return tuple(terms)


@lru_cache(maxsize=8192)
def _cut(run: str) -> tuple[str, ...]:
    import rjieba

    return tuple(rjieba.cut(run))


def display_width(text: str) -> int:
    """Columns that a terminal needs for the text: two for a wide character, none for a combining one."""
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def visible(text: str) -> str:
    r"""Make hostile text safe to print: control, bidi and zero-width characters become ``\x1b``-like escapes.

    Line feeds and tabs become spaces, so that one text stays on one line.
    """
    text = re.sub(r"[\n\t]+", " ", text)
    return "".join(c if _printable(c) else c.encode("unicode_escape").decode("ascii") for c in text)


def _printable(char: str) -> bool:
    return unicodedata.category(char) not in {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
