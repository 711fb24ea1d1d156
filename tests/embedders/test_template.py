from __future__ import annotations

import pytest

from saferag.embedders.local import full_name
from saferag.embedders.template import Templates, templates
from saferag.errors import OptionError


@pytest.mark.parametrize(
    ("model", "query", "passage"),
    [
        ("bge-base-zh-v1.5", "为这个句子生成表示以用于检索相关文章：x", "x"),
        ("BAAI/bge-small-en-v1.5", "Represent this sentence for searching relevant passages: x", "x"),
        ("intfloat/multilingual-e5-large", "query: x", "passage: x"),
        ("bge-m3", "x", "x"),
        ("some-folder/bge-m3/", "x", "x"),
    ],
)
def test_a_known_model_gets_what_its_card_asks_for(model: str, query: str, passage: str) -> None:
    frames = templates(model)

    assert (frames.frame("x", "query"), frames.frame("x", "passage")) == (query, passage)


def test_what_the_user_gives_counts() -> None:
    assert templates("bge-base-zh-v1.5", query="{text}") == Templates("{text}", "{text}")
    assert templates("m", passage="P: {text}").frame("{text} {0}", "passage") == "P: {text} {0}"


def test_a_template_without_a_place_for_the_text_is_refused() -> None:
    with pytest.raises(OptionError, match=r"no {text}"):
        templates("m", query="query:")


@pytest.mark.parametrize(
    ("short", "full"),
    [
        ("bge-base-zh-v1.5", "BAAI/bge-base-zh-v1.5"),
        ("bge-reranker-base", "BAAI/bge-reranker-base"),
        ("multilingual-e5-small", "intfloat/multilingual-e5-small"),
        ("some/other-model", "some/other-model"),
        ("all-MiniLM-L6-v2", "all-MiniLM-L6-v2"),
    ],
)
def test_a_short_name_gets_its_organisation(short: str, full: str) -> None:
    assert full_name(short) == full
