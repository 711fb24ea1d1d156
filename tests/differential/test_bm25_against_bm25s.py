"""Our BM25 against bm25s, an independent implementation of the same formula."""

from __future__ import annotations

import random

import bm25s
import numpy as np
import pytest

from saferag.resources import Resources
from saferag.retrievers import retrievers
from saferag.text import words
from saferag.types import Passage

ZH = [
    "海港",
    "大桥",
    "通车",
    "市政府",
    "公布",
    "新的",
    "学校",
    "建设",
    "计划",
    "博物馆",
    "预算",
    "增长",
    "的",
    "在",
    "年",
]
EN = [
    "harbour",
    "bridge",
    "opened",
    "council",
    "school",
    "plan",
    "museum",
    "bought",
    "budget",
    "of",
    "the",
    "in",
    "3.5%",
]


def corpus(vocabulary: list[str], joint: str, size: int, seed: int) -> list[str]:
    rng = random.Random(seed)
    weights = [1 / (rank + 1) for rank in range(len(vocabulary))]
    return [joint.join(rng.choices(vocabulary, weights, k=rng.randint(1, 40))) for _ in range(size)]


def theirs(texts: list[str], query: str, k1: float, b: float) -> dict[str, float]:
    oracle = bm25s.BM25(method="lucene", k1=k1, b=b, dtype="float64")
    oracle.index([words(text) for text in texts], show_progress=False)
    known = [token for token in words(query) if token in oracle.vocab_dict]
    scores = oracle.get_scores(known) if known else np.zeros(len(texts))
    return {f"p{i:04d}": float(score) for i, score in enumerate(scores)}


@pytest.mark.parametrize(("vocabulary", "joint"), [(ZH, ""), (EN, " ")], ids=["zh", "en"])
@pytest.mark.parametrize(("k1", "b"), [(1.2, 0.75), (0.9, 0.4), (2.0, 1.0)])
def test_scores_equal_those_of_bm25s_before_and_after_injection(
    vocabulary: list[str], joint: str, k1: float, b: float
) -> None:
    texts = corpus(vocabulary, joint, 120, seed=1)
    queries = corpus(vocabulary, joint, 8, seed=2)
    passages = [Passage(f"p{i:04d}", text) for i, text in enumerate(texts)]
    base = retrievers.build(f"bm25(k1={k1},b={b},tokens=words)", Resources()).index(passages[:80])
    injected = base.overlay(passages[80:])

    for index, size in ((base, 80), (injected, 120)):
        for query, ranking in zip(queries, index.search(queries, size), strict=True):
            ours = {hit.passage.id: hit.score for hit in ranking}

            assert ours == pytest.approx(theirs(texts[:size], query, k1, b), rel=1e-9, abs=1e-12)
