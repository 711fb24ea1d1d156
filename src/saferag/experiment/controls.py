"""What an attack is held against besides the clean run: benign text in its place, and no text at all.

An attack text pushes other passages out of the window, and it changes what the retriever ranks. So does any text. The
*control* puts benign text of the same length into the same places, one for each attack text; what an attack does
beyond its control is due to what it says. The *closed book* leaves the context empty: what a model then gets right it
knows already, and an attack that works there was not needed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import cycle, islice

from saferag.attacks.filler import FILLER
from saferag.text import split_sentences
from saferag.types import Case, Context, Lang, Passage

_ENDS = {Lang.ZH: "。", Lang.EN: "."}


def benign(case: Case, attack: Context) -> Context:
    """Benign passages that match attack texts one by one in number and length (in characters, within a word).

    They are made of sentences of the case's own background, which is on its topic and does not answer it, and of
    unrelated text where the background is too short. Each begins at another sentence. They name nothing of the attack.
    """
    sentences = _sentences(case)
    return tuple(
        Passage(
            f"{case.id}/control{i + 1}", _of_length(sentences[i % len(sentences) :], len(p.text), case.lang, sentences)
        )
        for i, p in enumerate(attack)
    )


def _sentences(case: Case) -> list[str]:
    texts = [*(p.text for p in case.background), *FILLER[case.lang]]
    return [sentence for text in texts for sentence in split_sentences(text)]


def _of_length(first: Sequence[str], length: int, lang: Lang, again: Sequence[str]) -> str:
    gap = "" if lang is Lang.ZH else " "
    text = ""
    for sentence in _endless(first, again):
        text = f"{text}{gap}{sentence}" if text else sentence
        if len(text) >= length:
            break
    if len(text) == length:
        return text
    cut = text[: max(length - 1, 1)]
    if lang is Lang.EN and not text[len(cut)].isspace() and " " in cut:
        cut = cut[: cut.rindex(" ")]
    return cut.rstrip(" ,;:，；：、。.") + _ENDS[lang]


def _endless(first: Sequence[str], again: Sequence[str]) -> Iterator[str]:
    yield from first
    yield from islice(cycle(again), 100_000)
