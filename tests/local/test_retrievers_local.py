"""Embedders and cross-encoders through sentence-transformers, with tiny random models made here."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from saferag.embedders.local import LocalEmbedder, state_of
from saferag.embedders.setup import EmbedderChoice, embedder
from saferag.embedders.template import templates
from saferag.errors import UserError
from saferag.resources import Resources
from saferag.retrievers import retrievers
from saferag.types import Passage

pytestmark = pytest.mark.local

ZH = ["海港大桥因维修封闭三周。", "博物馆购入两幅油画。", "市议会批准了预算。", "渡船夜间停运。"]
CORPUS = tuple(Passage(f"p{i}", text) for i, text in enumerate(ZH))
QUERIES = ["海港大桥为什么封闭？", "博物馆购入什么？"]


def make_bert(folder: Path, *, cross_encoder: bool) -> str:
    """Write a one-layer BERT over the characters of the texts above."""
    import torch
    from transformers import BertConfig, BertForSequenceClassification, BertModel, BertTokenizer

    characters = sorted(set("".join(ZH + QUERIES)))
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *characters]
    torch.manual_seed(0)
    sizes: dict[str, Any] = {"hidden_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2, "num_labels": 1}
    config = BertConfig(vocab_size=len(words), intermediate_size=32, initializer_range=1.0, **sizes)
    model = BertForSequenceClassification(config) if cross_encoder else BertModel(config)
    model.save_pretrained(folder)
    BertTokenizer(vocab={word: number for number, word in enumerate(words)}).save_pretrained(folder)
    return str(folder)


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> str:
    return make_bert(tmp_path_factory.mktemp("encoder"), cross_encoder=False)


@pytest.fixture(scope="module")
def cross_encoder(tmp_path_factory: pytest.TempPathFactory) -> str:
    return make_bert(tmp_path_factory.mktemp("cross"), cross_encoder=True)


def test_dense_search_with_a_model_from_a_folder(encoder: str, resources: Resources) -> None:
    index = retrievers.build(f"dense:{encoder}", resources).index(CORPUS)

    rankings = index.search(ZH, 4)

    assert [ranking[0].passage for ranking in rankings] == list(CORPUS)
    assert [ranking[0].score for ranking in rankings] == pytest.approx([1.0] * 4, abs=2e-3)


def test_overlays_equal_a_rebuild(encoder: str, cross_encoder: str, resources: Resources) -> None:
    for spec in (f"dense:{encoder}", f"hybrid:{encoder}", f"hybrid-rerank:{cross_encoder}(dense=dense:{encoder})"):
        retriever = retrievers.build(spec, resources)

        overlaid = retriever.index(CORPUS[:2]).overlay(CORPUS[2:])

        assert overlaid.search(QUERIES, 3) == retriever.index(CORPUS).search(QUERIES, 3)


def test_templates_change_the_vectors_and_the_identity(encoder: str, resources: Resources) -> None:
    plain = embedder(resources, EmbedderChoice(encoder))
    framed = embedder(resources, EmbedderChoice(encoder, query_template="市议会 {text}"))

    assert plain.identity != framed.identity
    assert (plain.embed(QUERIES, kind="query") != framed.embed(QUERIES, kind="query")).any()
    assert (plain.embed(ZH, kind="passage") == framed.embed(ZH, kind="passage")).all()


def test_a_model_that_changes_in_its_folder_has_another_identity(encoder: str) -> None:
    before = state_of(encoder)
    assert before == state_of(encoder)

    (Path(encoder) / "note.txt").write_text("changed", encoding="utf-8")

    assert state_of(encoder) != before
    (Path(encoder) / "note.txt").unlink()


def test_a_cross_encoder_orders_the_candidates(cross_encoder: str, resources: Resources) -> None:
    from sentence_transformers import CrossEncoder

    retriever = retrievers.build(f"hybrid-rerank:{cross_encoder}(dense=bm25(tokens=bigrams))", resources)
    (ranking,) = retriever.index(CORPUS).search(QUERIES[:1], 4)

    oracle = CrossEncoder(cross_encoder, num_labels=1)
    expected = oracle.predict([(QUERIES[0], text) for text in ZH], show_progress_bar=False)
    order = [int(i) for i in np.argsort(-expected)]
    assert [hit.passage for hit in ranking] == [CORPUS[i] for i in order]


def test_scores_of_a_question_do_not_depend_on_the_others(cross_encoder: str, resources: Resources) -> None:
    spec = f"hybrid-rerank:{cross_encoder}(dense=bm25(tokens=bigrams))"
    index = retrievers.build(spec, resources).index(CORPUS)

    assert index.search([*QUERIES, "海" * 90], 3)[:2] == [index.search([query], 3)[0] for query in QUERIES]


@pytest.mark.parametrize("spec", ["dense:{}", "hybrid-rerank:{}(dense=bm25(tokens=bigrams))"])
def test_a_model_that_is_not_there_is_one_clear_line(spec: str, tmp_path: Path, resources: Resources) -> None:
    missing = tmp_path / "missing"

    with pytest.raises(UserError, match=f"the model '{missing}' cannot be loaded") as caught:
        retrievers.build(spec.format(missing), resources).index(CORPUS).search(QUERIES, 2)
    assert "\n" not in str(caught.value)


def test_a_short_name_is_the_one_at_the_hub_and_building_loads_nothing() -> None:
    made = LocalEmbedder.named("bge-base-zh-v1.5", templates("bge-base-zh-v1.5"))

    assert made.name == "BAAI/bge-base-zh-v1.5"
    assert "_model" not in repr(made)
