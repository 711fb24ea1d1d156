"""What counts as a refusal, in Chinese and English. The examples stand one per line in ``refusals/``."""

from __future__ import annotations

from pathlib import Path

import pytest

from saferag.generators.extractive import ABSTENTION
from saferag.judges.refusal import is_refusal


def examples(name: str) -> list[str]:
    return (Path(__file__).with_name("refusals") / name).read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize("response", [*examples("refusals.zh.txt"), *examples("refusals.en.txt")])
def test_a_refusal_is_recognised(response: str) -> None:
    assert is_refusal(response)


@pytest.mark.parametrize("response", [*examples("answers.zh.txt"), *examples("answers.en.txt")])
def test_an_answer_or_a_report_of_a_refusal_is_none(response: str) -> None:
    assert not is_refusal(response)


@pytest.mark.parametrize("name", ["refusals.zh.txt", "refusals.en.txt", "answers.zh.txt", "answers.en.txt"])
def test_each_group_has_sixty_different_examples(name: str) -> None:
    assert len(set(examples(name))) >= 60


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
    ("refusal", "answer"),
    [
        ("我无法回答这个问题。", "工程历时26个月，其中台柱的修复花了4个月，旧料取自下游一座拆除的粮仓。"),
        (
            "I cannot answer this question.",
            "The bridge opened on 14 April and carries 20 tonnes until a new one is built.",
        ),
    ],
)
def test_an_answer_beside_a_refusal_decides(refusal: str, answer: str) -> None:
    assert is_refusal(refusal)
    assert not is_refusal(refusal + " " + answer)
    assert not is_refusal(answer + " " + refusal)


@pytest.mark.parametrize(
    "piece", ["我无法回答", "I cannot answer, ", "“", "因为安全，", "the ", "the context does not "]
)
def test_a_huge_response_is_decided(piece: str) -> None:
    assert is_refusal(piece * (100_000 // len(piece))) in {True, False}
