"""Near duplicates across cases: an exact set-similarity join, so that no pair is missed and few pairs are compared."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from saferag.data.dataset import Dataset
from saferag.data.findings import Finding
from saferag.text import bigrams
from saferag.types import Case

THRESHOLD = 0.5
"""Jaccard similarity of their shingles from which two texts count as near duplicates."""


@dataclass(frozen=True, slots=True)
class _Text:
    case_id: str
    where: str
    shingles: frozenset[str]


def near_duplicates(dataset: Dataset) -> Iterator[Finding]:
    """No two cases of a language and task share a question or a passage, or nearly so."""
    groups: dict[tuple[str, str], list[_Text]] = defaultdict(list)
    for case in dataset.cases:
        # Published data repeats its cases from task to task, each with a knowledge base of its own.
        task = next(iter(case.attacks), "") if dataset.corpora else ""
        groups[case.lang.value, task].extend(_texts(case))
    for texts in groups.values():
        for one, other, similarity in similar_pairs(texts, THRESHOLD):
            message = f"is nearly the same as {other.case_id} {other.where} (Jaccard {similarity:.2f})"
            yield Finding("near_duplicates", one.case_id, one.where, message)


def similar_pairs(texts: Sequence[_Text], threshold: float) -> Iterator[tuple[_Text, _Text, float]]:
    """All pairs from different cases with at least this Jaccard similarity.

    Two sets that similar share an element among the rarest ``n − ⌈t·n⌉ + 1`` of each (prefix filter; Bayardo, Ma and
    Srikant, "Scaling up all pairs similarity search", 2007), so only those are looked up.
    """
    frequency = Counter(s for text in texts for s in text.shingles)
    holders: dict[str, list[int]] = defaultdict(list)
    for i, text in enumerate(texts):
        size = len(text.shingles)
        rare = sorted(text.shingles, key=lambda s: (frequency[s], s))[: size - math.ceil(threshold * size) + 1]
        for j in sorted({j for s in rare for j in holders[s]}):
            other = texts[j]
            if other.case_id == text.case_id:
                continue
            common = len(text.shingles & other.shingles)
            similarity = common / (size + len(other.shingles) - common)
            if similarity >= threshold:
                yield other, text, similarity
        for s in rare:
            holders[s].append(i)


def _texts(case: Case) -> Iterator[_Text]:
    yield _Text(case.id, "query", _shingles(case.query))
    seen = set()
    for kind, passages in (("golden", case.golden), ("background", case.background)):
        for p in passages:
            yield _Text(case.id, f"{kind}.{p.id.rpartition('/')[2]}", _shingles(p.text))
            seen.add(p.text)
    for name, material in case.attacks.items():
        for t in material.texts:
            if name != "white_dos" and t.text not in seen:
                yield _Text(case.id, f"attacks.{name}.{t.id}", _shingles(t.text))


def _shingles(text: str) -> frozenset[str]:
    """Runs of two tokens, where a token is an English word or a pair of Chinese characters."""
    tokens = bigrams(text)
    return frozenset(" ".join(pair) for pair in pairwise(tokens)) or frozenset(tokens)
