"""What must hold for any corpus: an overlay is a rebuild, order does not matter, ranking is by score and id."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import pairwise

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from saferag.embedders.rounding import unit_halves
from saferag.retrievers import Retriever
from saferag.retrievers.bm25 import Bm25, Formula
from saferag.retrievers.dense import Dense
from saferag.retrievers.fusion import reciprocal_rank_fusion
from saferag.retrievers.hybrid import Fusion, Hybrid
from saferag.retrievers.hybrid_rerank import HybridRerank
from saferag.retrievers.rescoring import Overlap
from saferag.text import bigrams, words
from saferag.types import Hit, Passage, Ranking
from toy_embedder import ToyEmbedder

WORDS = st.sampled_from(["bridge", "harbour", "the", "海港", "大桥", "通车", "年", "3.5", "。", " "])
TEXTS = st.one_of(st.lists(WORDS, max_size=12).map(" ".join), st.text(max_size=20))
BM25, BIGRAMS = Bm25(Formula(1.2, 0.75), words), Bm25(Formula(0.9, 0.4), bigrams)
DENSE = Dense(ToyEmbedder(size=6))
HYBRID = Hybrid((BM25, DENSE), Fusion((1.0, 0.5), depth=3))
RETRIEVERS: st.SearchStrategy[Retriever] = st.sampled_from(
    [BM25, BIGRAMS, Bm25(Formula(0.0, 1.0), words), DENSE, HYBRID, HybridRerank(HYBRID, Overlap(ToyEmbedder()), 3)]
)


@st.composite
def corpora(draw: st.DrawFn, min_size: int = 1) -> list[Passage]:
    """Passages with unique, unordered ids; texts repeat, are empty, or mix languages."""
    texts = draw(st.lists(TEXTS, min_size=min_size, max_size=14))
    names = draw(st.permutations([f"{i:02d}" for i in range(len(texts))]))
    return [Passage(name, text) for name, text in zip(names, texts, strict=True)]


@given(corpora(), st.lists(TEXTS, min_size=1, max_size=3), RETRIEVERS, st.data())
@settings(max_examples=150, deadline=None)
def test_overlays_equal_a_rebuild_to_the_last_bit(
    corpus: list[Passage], queries: list[str], retriever: Retriever, data: st.DataObject
) -> None:
    cuts = sorted(data.draw(st.lists(st.integers(1, len(corpus)), max_size=3)))
    top_k = data.draw(st.integers(1, len(corpus) + 2))
    bounds = [*cuts, len(corpus)]

    index = retriever.index(corpus[: bounds[0]])
    for left, right in pairwise(bounds):
        index = index.overlay(corpus[left:right])

    assert index.search(queries, top_k) == retriever.index(corpus).search(queries, top_k)


@given(corpora(), TEXTS, RETRIEVERS, st.randoms(use_true_random=False))
@settings(max_examples=80, deadline=None)
def test_the_order_of_the_corpus_does_not_matter(
    corpus: list[Passage], query: str, retriever: Retriever, rng: random.Random
) -> None:
    shuffled = list(corpus)
    rng.shuffle(shuffled)

    assert retriever.index(corpus).search([query], 5) == retriever.index(shuffled).search([query], 5)


@given(corpora(), TEXTS, RETRIEVERS, st.integers(1, 20))
@settings(max_examples=100, deadline=None)
def test_a_ranking_is_full_sorted_and_free_of_repeats(
    corpus: list[Passage], query: str, retriever: Retriever, top_k: int
) -> None:
    (ranking,) = retriever.index(corpus).search([query], top_k)

    keys = [(-hit.score, hit.passage.id) for hit in ranking]
    assert keys == sorted(set(keys))
    assert len({hit.passage.id for hit in ranking}) == len(ranking) == min(top_k, len(corpus))


@given(corpora(), TEXTS, st.sampled_from([BM25, BIGRAMS, DENSE]), st.integers(1, 20))
@settings(max_examples=80, deadline=None)
def test_a_small_window_is_the_beginning_of_a_large_one(
    corpus: list[Passage], query: str, retriever: Retriever, top_k: int
) -> None:
    index = retriever.index(corpus)

    assert index.search([query], top_k)[0] == index.search([query], len(corpus))[0][:top_k]


RANKINGS = st.lists(
    st.lists(st.integers(0, 9), unique=True, max_size=8).map(
        lambda ids: tuple(Hit(Passage(f"{i}", ""), score=float(i)) for i in ids)
    ),
    min_size=1,
    max_size=4,
)


@given(RANKINGS, st.randoms(use_true_random=False), st.floats(0, 100))
def test_fusion_does_not_depend_on_the_order_of_the_lists(
    rankings: list[Ranking], rng: random.Random, c: float
) -> None:
    weights = [rng.choice([0.0, 0.1, 1.0, 3.0]) for _ in rankings]
    order = rng.sample(range(len(rankings)), len(rankings))

    fused = reciprocal_rank_fusion(rankings, weights, c)

    assert reciprocal_rank_fusion([rankings[i] for i in order], [weights[i] for i in order], c) == fused
    assert {hit.passage for hit in fused} == {hit.passage for ranking in rankings for hit in ranking}
    assert fused == tuple(sorted(fused, key=lambda hit: (-hit.score, hit.passage.id)))


@given(RANKINGS)
def test_a_list_fused_with_itself_keeps_its_order(rankings: list[Ranking]) -> None:
    ranking = tuple(hit for hit in rankings[0] if hit.score)

    fused = reciprocal_rank_fusion([ranking] * 3, [1.0, 1.0, 1.0])

    assert [hit.passage for hit in fused] == [hit.passage for hit in ranking]


@given(st.integers(1, 40), st.integers(1, 6), st.integers(0, 2**32))
@settings(max_examples=60, deadline=None)
def test_similarity_is_exact_whatever_adds_it_up(rows: int, columns: int, seed: int) -> None:
    """The promise of `saferag.embedders.rounding`: float64 holds the sums without rounding, in any order."""
    made = np.random.default_rng(seed).normal(size=(rows, columns * 64)).astype(np.float32)
    halves = unit_halves(made, rows).astype(np.float64)

    exact = [float(sum(Fraction(a) * Fraction(b) for a, b in zip(row, halves[0], strict=True))) for row in halves]

    assert list(halves @ halves[0]) == exact
    assert [float((row[::-1] * halves[0][::-1]).sum()) for row in halves] == exact
