"""What statements turn on, derived from texts alone, for data that do not say it. Labels are never read.

The published data give propositions and numbered options only. An option that was made from a proposition differs
from it in one place: that place is its value, and the proposition's wording there is the contrast. Options that are
true and false versions of one another are each other's contrast. An option such as “the summary mentions “X”” is
about a name.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from difflib import SequenceMatcher

from saferag.numbers import find_numerals
from saferag.text import has_cjk, normalize, words
from saferag.types import Option

_NUMBER = re.compile(r"^\s*\d{1,3}\s*[.、．)）]\s*")
_MENTION = re.compile(r"(?:提到|提及|mention(?:s|ed)?)\s?了?\s?[“\"'‘「『]([^”\"'’」』]+)[”\"'’」』][^，,]{0,20}$")
_UNIT = re.compile(r"[a-z0-9]+(?:[-'’][a-z0-9]+)*|[㐀-䶿一-鿿豈-﫿]+|\s+|.", re.DOTALL)
_ALIGNED = 0.5
"""Least likeness of an option and the proposition that it was made from."""
_SIBLINGS = 0.6
"""Least likeness of two options that are versions of one another."""


def derive(options: Sequence[Option], propositions: Sequence[str] = ()) -> tuple[Option, ...]:
    """Fill in value, contrast and mention of options that have none of them.

    Args:
        options: Options in the order of the data. A number at the start of the text is ignored.
        propositions: True statements that the options were made from, mostly in the same order; empty where the
            options are to be compared with one another.

    Returns:
        The options in the same order with the same labels. An option that equals its proposition, or that resembles
        nothing, stays without a value and is judged by its whole text.
    """
    texts = [_bare(o.text) for o in options]
    known = [_bare(p) for p in propositions]
    derived = []
    for i, option in enumerate(options):
        if option.value is not None or option.mention is not None:
            derived.append(option)
            continue
        match = None if known else _MENTION.search(texts[i])
        if match is not None:
            derived.append(replace(option, mention=match[1]))
            continue
        other = _source(texts[i], known, i) if known else _sibling(texts, i)
        value, contrast = (None, None) if other is None else differing(texts[i], other)
        derived.append(replace(option, value=value, contrast=contrast))
    return tuple(derived)


def _bare(text: str) -> str:
    return normalize(_NUMBER.sub("", text))


def _likeness(one: str, other: str) -> float:
    matcher = SequenceMatcher(None, one, other, autojunk=False)
    return matcher.ratio() if matcher.real_quick_ratio() > _ALIGNED and matcher.quick_ratio() > _ALIGNED else 0.0


def _source(text: str, propositions: Sequence[str], place: int) -> str | None:
    """The proposition that an option was made from: itself, else the likest, of equals the one at its own place."""
    if text in propositions:
        return text
    near = sorted(range(len(propositions)), key=lambda j: (abs(j - place), j))
    best = max(near, key=lambda j: _likeness(text, propositions[j]))
    return propositions[best] if _likeness(text, propositions[best]) >= _ALIGNED else None


def _sibling(texts: Sequence[str], place: int) -> str | None:
    """The option that is likest to an option without being equal to it."""
    others = [t for t in texts if t != texts[place]]
    if not others:
        return None
    best = max(others, key=lambda t: _likeness(texts[place], t))
    return best if _likeness(texts[place], best) >= _SIBLINGS else None


def differing(one: str, other: str) -> tuple[str | None, str | None]:
    """The parts in which two normalised statements differ, each long enough to be looked for; None, None if equal.

    Words and numbers are never cut. The parts are widened by whole words, first to the right, while one of them is
    empty or a single Chinese character, or does not stand in its statement just once; the measure word after a number
    belongs to it.
    """
    left, right = _units(one), _units(other)
    start = 0
    while start < min(len(left), len(right)) and left[start] == right[start]:
        start += 1
    end = 0
    while end < min(len(left), len(right)) - start and left[-1 - end] == right[-1 - end]:
        end += 1
    if start == len(left) == len(right):
        return None, None
    if end and _counted(left, right, end):
        end -= 1
    while True:
        value, contrast = ("".join(u[start : len(u) - end]).strip() for u in (left, right))
        if (_usable(value, one) and _usable(contrast, other)) or not (start or end):
            return value or None, contrast or None
        if end and _is_word(left[-end]):
            end -= 1
        elif start:
            start -= 1
        else:
            end -= 1


def _units(text: str) -> list[str]:
    """Numerals, words and single other characters; joined again they are the text."""
    units: list[str] = []
    end = 0
    for start, stop in [*((n.start, n.end) for n in find_numerals(text)), (len(text), len(text))]:
        for piece in _UNIT.findall(text[end:start]):
            units.extend(words(piece) if has_cjk(piece) else [piece])
        if stop > start:
            units.append(text[start:stop])
        end = stop
    return units


def _is_word(unit: str) -> bool:
    return any(c.isalnum() for c in unit)


def _counted(left: Sequence[str], right: Sequence[str], end: int) -> bool:
    """Whether both parts end in a numeral that the next unit counts."""
    both = all(len(units) > end and find_numerals(units[-1 - end]) for units in (left, right))
    return both and has_cjk(left[-end])


def _usable(part: str, text: str) -> bool:
    letters = "".join(c for c in part if c.isalnum())
    return (len(letters) > 1 or (letters.isdigit() and len(part) > 1)) and text.count(part) == 1
