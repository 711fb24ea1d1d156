"""Small closed word lists and a light English stemmer, shared by everything that compares texts without a model."""

from __future__ import annotations

from functools import lru_cache

_FUNCTION_WORDS = """
a about above after again against all also although am an and any are as at be because been before being below
between both but by can could did do does doing during each either else for from further had has have having he
her here hers him his how i if in into is it its itself just me more most must my neither no nor not now of off on
once only or other our out over own per same shall she should since so some such than that the their them then
there these they this those though through to too under until up upon us very was we were what when where whether
which while who whom whose why will with within without would you your s t d ll ve re m
explain describe list main
"""
FUNCTION_WORDS = frozenset(_FUNCTION_WORDS.split())
"""English words that carry grammar or only ask."""

FUNCTION_CHARS = frozenset("的了在是和与及为也对将被把其这那等并而但或于由从以之所着过又就都还则却")
"""Chinese characters that carry grammar: they are skipped when pairs of characters are compared."""

QUESTION_PHRASES = tuple("哪些 什么 如何 怎样 怎么 为何 为什么 多少 哪个 哪几 分别 请问 是否".split())  # noqa: SIM905
"""Chinese phrases that only ask."""

_IRREGULAR = {
    "rose": "rise", "risen": "rise", "fell": "fall", "fallen": "fall", "grew": "grow", "grown": "grow",
    "shrank": "shrink", "shrunk": "shrink", "built": "build", "bought": "buy", "sold": "sell", "paid": "pay",
    "took": "take", "taken": "take", "gave": "give", "given": "give", "went": "go", "gone": "go", "came": "come",
    "made": "make", "found": "find", "held": "hold", "led": "lead", "left": "leave", "lost": "lose", "met": "meet",
    "began": "begin", "begun": "begin", "brought": "bring", "chose": "choose", "chosen": "choose", "drew": "draw",
    "drawn": "draw", "kept": "keep", "laid": "lay", "ran": "run", "said": "say", "sent": "send", "spent": "spend",
    "stood": "stand", "told": "tell", "won": "win", "wrote": "write", "written": "write", "men": "man",
    "women": "woman", "children": "child", "people": "person", "fewer": "few", "less": "little",
}  # fmt: skip


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """Reduce a lower-case English word to a form that its inflections share. It need not be a word.

    ``ferries`` and ``ferry`` agree, and so do ``hoping``, ``hoped`` and ``hope``; ``bus`` and ``glass`` stay whole.
    """
    word = _IRREGULAR.get(word, word)
    if len(word) <= 3 or not word.isascii() or not word.isalpha():
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "i"
    for suffix in ("ing", "ed", "es", "s"):
        if word.endswith(suffix):
            word = _strip(word, suffix)
            break
    if word.endswith("y") and len(word) > 3:
        return word[:-1] + "i"
    return word[:-1] if word.endswith("e") and len(word) > 3 else word


def _strip(word: str, suffix: str) -> str:
    rest = word[: -len(suffix)]
    if suffix == "ed" and rest.endswith("e"):  # need, seed, seaweed
        return word
    if suffix == "s":
        return word if word[-2] in "sui" else rest
    if len(rest) < 3 or not any(c in "aeiouy" for c in rest):
        return word
    if suffix == "es":
        return rest if rest.endswith(("s", "x", "z", "ch", "sh")) else word[:-1]
    doubled = len(rest) > 3 and rest[-1] == rest[-2] and rest[-1] not in "lsz"
    return rest[:-1] if doubled else rest
