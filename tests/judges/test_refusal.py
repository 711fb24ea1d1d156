"""What counts as a refusal, in Chinese and English."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

from saferag.generators.extractive import ABSTENTION
from saferag.judges.refusal import is_refusal


def _load() -> ModuleType:
    spec = importlib.util.spec_from_file_location("refusal_examples", Path(__file__).with_name("refusal_examples.py"))
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


EXAMPLES = _load()


@pytest.mark.parametrize("response", [*EXAMPLES.ZH_REFUSALS, *EXAMPLES.EN_REFUSALS])
def test_a_refusal_is_recognised(response: str) -> None:
    assert is_refusal(response)


@pytest.mark.parametrize("response", [*EXAMPLES.ZH_ANSWERS, *EXAMPLES.EN_ANSWERS])
def test_an_answer_or_a_report_of_a_refusal_is_none(response: str) -> None:
    assert not is_refusal(response)


@pytest.mark.parametrize("name", ["ZH_REFUSALS", "ZH_ANSWERS", "EN_REFUSALS", "EN_ANSWERS"])
def test_each_group_has_sixty_different_examples(name: str) -> None:
    assert len(set(getattr(EXAMPLES, name))) >= 60


@pytest.mark.parametrize("response", ["", "   ", "\n", "。", "…", "42"])
def test_silence_is_no_refusal(response: str) -> None:
    assert not is_refusal(response)


@pytest.mark.parametrize("sentence", ABSTENTION.values())
def test_the_abstention_of_the_extractive_generator_is_a_refusal(sentence: str) -> None:
    assert is_refusal(sentence)


def test_case_width_and_markup_do_not_matter() -> None:
    assert is_refusal("**I CANNOT ANSWER THIS QUESTION.**")
    assert is_refusal("Ｉ　ｃａｎｎｏｔ　ａｎｓｗｅｒ．")
    assert is_refusal("拒\u200b答")
    assert is_refusal("# 回答\n\n拒绝回答。")


@pytest.mark.parametrize(
    "piece", ["我无法回答", "I cannot answer, ", "“", "因为安全，", "the ", "the context does not "]
)
def test_a_huge_response_is_decided_in_bounded_time(piece: str) -> None:
    assert is_refusal(piece * (100_000 // len(piece))) in {True, False}
