"""What must hold for any corpus: an overlay is a rebuild, order does not matter, ranking is by score and id."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from saferag.resources import Resources
from saferag.retrievers import retrievers
from saferag.types import Passage

WORDS = st.sampled_from(["bridge", "harbour", "the", "海港", "大桥", "通车", "年", "3.5", "。", " "])
TEXTS = st.one_of(st.lists(WORDS, max_size=12).map(" ".join), st.text(max_size=20))
SPECS = st.sampled_from(["bm25", "bm25(tokens=bigrams)", "bm25(k1=0,b=1)"])


@st.composite
def corpora(draw: st.DrawFn, min_size: int = 1) -> list[Passage]:
    """Passages with unique, unordered ids; texts repeat, are empty, or mix languages."""
    texts = draw(st.lists(TEXTS, min_size=min_size, max_size=14))
    names = draw(st.permutations([f"{i:02d}" for i in range(len(texts))]))
    return [Passage(name, text) for name, text in zip(names, texts, strict=True)]


@given(corpora(), st.lists(TEXTS, min_size=1, max_size=3), SPECS, st.data())
@settings(max_examples=150, deadline=None)
def test_overlays_equal_a_rebuild_to_the_last_bit(
    corpus: list[Passage], queries: list[str], spec: str, data: st.DataObject
) -> None:
    cuts = sorted(data.draw(st.lists(st.integers(1, len(corpus)), max_size=3)))
    top_k = data.draw(st.integers(1, len(corpus) + 2))
    retriever = retrievers.build(spec, Resources())
    bounds = [*cuts, len(corpus)]

    index = retriever.index(corpus[: bounds[0]])
    for left, right in pairwise(bounds):
        index = index.overlay(corpus[left:right])

    assert index.search(queries, top_k) == retriever.index(corpus).search(queries, top_k)


@given(corpora(), TEXTS, SPECS, st.randoms(use_true_random=False))
@settings(max_examples=80, deadline=None)
def test_the_order_of_the_corpus_does_not_matter(corpus: list[Passage], query: str, spec: str, rng: object) -> None:
    shuffled = list(corpus)
    rng.shuffle(shuffled)  # type: ignore[attr-defined]
    retriever = retrievers.build(spec, Resources())

    assert retriever.index(corpus).search([query], 5) == retriever.index(shuffled).search([query], 5)


@given(corpora(), TEXTS, st.integers(1, 20))
@settings(max_examples=80, deadline=None)
def test_a_ranking_is_full_sorted_and_free_of_repeats(corpus: list[Passage], query: str, top_k: int) -> None:
    (ranking,) = retrievers.build("bm25", Resources()).index(corpus).search([query], top_k)

    keys = [(-hit.score, hit.passage.id) for hit in ranking]
    assert keys == sorted(set(keys))
    assert len(ranking) == min(top_k, len(corpus))
    full = retrievers.build("bm25", Resources()).index(corpus).search([query], len(corpus))[0]
    assert ranking == full[:top_k]
