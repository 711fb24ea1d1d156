from __future__ import annotations

from collections.abc import Sequence

import pytest

from saferag.errors import MissingExtraError, OptionError
from saferag.resources import Resources
from saferag.retrievers import retrievers
from saferag.retrievers.bm25 import Bm25, Formula
from saferag.retrievers.hybrid import Fusion, Hybrid
from saferag.retrievers.hybrid_rerank import HybridRerank
from saferag.retrievers.rescoring import Overlap
from saferag.text import words
from saferag.types import Context, Passage
from toy_embedder import ToyEmbedder

CORPUS = tuple(Passage(f"p{i:02d}", f"bridge number {i}") for i in range(30))


class Backwards:
    """The later the id, the better; notes what it was shown."""

    def __init__(self) -> None:
        self.shown: list[int] = []

    def rescore(self, queries: Sequence[str], candidates: Sequence[Context]) -> list[list[float]]:
        self.shown += [len(context) for context in candidates]
        return [[float(passage.id[1:]) for passage in context] for context in candidates]


def rerank(rescorer: Backwards, candidates: int | None = None) -> HybridRerank:
    sparse = Bm25(Formula(1.2, 0.75), words)
    return HybridRerank(Hybrid((sparse, sparse), Fusion((1.0, 1.0))), rescorer, candidates)


def test_the_rescorer_decides_the_order_of_the_candidates() -> None:
    rescorer = Backwards()

    (ranking,) = rerank(rescorer).index(CORPUS).search(["bridge"], 3)

    assert rescorer.shown == [20]
    assert [(hit.passage.id, hit.score) for hit in ranking] == [("p19", 19.0), ("p18", 18.0), ("p17", 17.0)]


@pytest.mark.parametrize(("candidates", "top_k", "shown"), [(5, 2, 5), (5, 8, 8), (None, 12, 24), (None, 99, 30)])
def test_the_candidates_fill_at_least_the_window(candidates: int | None, top_k: int, shown: int) -> None:
    rescorer = Backwards()

    (ranking,) = rerank(rescorer, candidates).index(CORPUS).search(["bridge"], top_k)

    assert rescorer.shown == [shown]
    assert len(ranking) == min(top_k, len(CORPUS))


def test_overlap_prefers_the_candidate_that_holds_the_rare_terms_of_the_question() -> None:
    context = tuple(
        Passage(name, text)
        for name, text in [
            ("common", "The bridge and the harbour and the bridge."),
            ("rare", "The bridge closed because a cable snapped."),
            ("apart", "The ferry runs again. A bridge closed. Nothing happened to any cable."),
        ]
    )

    (scores,) = Overlap(None).rescore(["Why did the cable of the bridge snap and the bridge close?"], [context])

    assert max(zip(scores, ["common", "rare", "apart"], strict=True))[1] == "rare"


def test_overlap_adds_the_similarity_of_the_vectors() -> None:
    context = (Passage("a", "zzz qqq"), Passage("b", "bridge!"))
    query = "xbridgex"  # no term in common with either, pairs of characters with one

    assert Overlap(None).rescore([query], [context]) == [[0.0, 0.0]]
    (scores,) = Overlap(ToyEmbedder()).rescore([query], [context])
    assert scores[1] > scores[0]


def test_overlap_of_nothing_is_nothing() -> None:
    assert Overlap(ToyEmbedder()).rescore(["a", "b"], [(), (Passage("a", "b"),)]) == [[], [0.0]]
    assert Overlap(ToyEmbedder()).rescore(["a"], [()]) == [[]]
    assert Overlap(ToyEmbedder()).rescore([], []) == []


def test_overlap_uses_the_embedder_of_the_dense_part(resources: Resources) -> None:
    without = retrievers.build("hybrid-rerank(dense=bm25(tokens=bigrams))", resources)

    assert isinstance(without, HybridRerank)
    assert without.rescorer == Overlap(None)


def test_a_cross_encoder_needs_the_extra(monkeypatch: pytest.MonkeyPatch, resources: Resources) -> None:
    monkeypatch.setattr("saferag.embedders.local.find_spec", lambda name: None)

    with pytest.raises(MissingExtraError, match=r"hybrid-rerank:bge-reranker-base needs .*'saferag\[local\]'"):
        retrievers.build("hybrid-rerank:bge-reranker-base(dense=bm25)", resources)


@pytest.mark.parametrize(
    ("spec", "words_"),
    [
        ("hybrid-rerank(candidates=0)", "candidates=0"),
        ("hybrid-rerank(model=m)", "'model'"),
        ("hybrid-rerank(device=cpu)", "'device'"),
        ("hybrid-rerank:endpoint(dense=bm25)", "needs a model"),
        ("hybrid-rerank:endpoint(model=m,device=cpu)", "'device'"),
        ("hybrid-rerank:bge-reranker-base(base_url=http://localhost/v1)", "'base_url'"),
    ],
)
def test_a_parameter_that_cannot_be_used_is_one_clear_line(spec: str, words_: str, resources: Resources) -> None:
    with pytest.raises(OptionError) as caught:
        retrievers.build(spec, resources)

    assert words_ in str(caught.value)
    assert "\n" not in str(caught.value)
