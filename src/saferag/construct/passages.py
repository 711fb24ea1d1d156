"""Consecutive sentences become passages of a given length."""

from __future__ import annotations

from collections.abc import Sequence

from saferag.data.rules import text_length
from saferag.types import Lang


def passages(sentences: Sequence[str], lang: Lang, low: int, high: int, most: int) -> list[str]:
    """As many passages as there can be, up to ``most``, and with that number as many of the sentences as possible.

    Sentences keep their order and stay together; one that fits nowhere is left out.

    Args:
        sentences: In order.
        lang: Decides what is counted: characters in Chinese, words in English.
        low: Least length of a passage.
        high: Greatest length.
        most: Greatest number of passages.
    """
    gap = "" if lang is Lang.ZH else " "
    # best[k]: sentences covered and where the k passages begin and end, for the sentences up to i.
    best: list[list[tuple[int, tuple[tuple[int, int], ...]] | None]] = [[(0, ())] + [None] * most]
    for end in range(1, len(sentences) + 1):
        row = list(best[end - 1])
        for start in range(end - 1, -1, -1):
            length = text_length(gap.join(sentences[start:end]), lang)
            if length > high:
                break
            if length < low:
                continue
            for k in range(most):
                before = best[start][k]
                after = row[k + 1]
                if before and (after is None or before[0] + end - start > after[0]):
                    row[k + 1] = (before[0] + end - start, (*before[1], (start, end)))
        best.append(row)
    chosen = next(found for found in reversed(best[-1]) if found is not None)
    return [gap.join(sentences[start:end]) for start, end in chosen[1]]
