"""Sentences, normal form, words and terms in Chinese and English."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saferag.lexicon import stem
from saferag.text import (
    bigrams,
    content_terms,
    display_width,
    has_cjk,
    normalize,
    search_terms,
    split_sentences,
    visible,
    words,
)


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("大桥通车。限载20吨！真的？", ["大桥通车。", "限载20吨！", "真的？"]),
        ("他说：“不予置评。”随后离席。", ["他说：“不予置评。”", "随后离席。"]),
        ("It costs 3.5 crowns. Dr. Pell agrees. Is it so?", ["It costs 3.5 crowns.", "Dr. Pell agrees.", "Is it so?"]),
        ('He said "no." Then he left.', ['He said "no."', "Then he left."]),
        ("J. Pell, e.g. no. 5, came.", ["J. Pell, e.g. no. 5, came."]),
        ("first line\nsecond line", ["first line", "second line"]),
        ("先记音；后记字", ["先记音；", "后记字"]),
        ("等等……然后走了。", ["等等……", "然后走了。"]),
        ("", []),
        ("  \n ", []),
        ("no stop", ["no stop"]),
    ],
)
def test_sentences_end_where_a_reader_ends_them(text: str, sentences: list[str]) -> None:
    assert split_sentences(text) == sentences


@given(st.text(alphabet="ab 1.。！?;\n”’\"')中", max_size=60))
def test_sentences_hold_every_visible_character(text: str) -> None:
    assert "".join("".join(split_sentences(text)).split()) == "".join(text.split())


def test_splitting_is_linear_in_the_length() -> None:
    assert len(split_sentences("a. " * 50_000)) <= 50_000
    assert split_sentences("." * 100_000) != []


def test_the_normal_form_ignores_width_case_and_invisible_characters() -> None:
    assert normalize("ＡＢＣ　１２％\u200b x\u00ad\n y") == "abc 12% x y"
    assert normalize("拒\u200b答") == "拒答"


def test_words_and_pairs() -> None:
    assert words("Co-operative fares rose 3.5%.") == ["co-operative", "fares", "rose", "3.5%"]
    assert bigrams("渡口法 fares") == ["渡口", "口法", "fares"]
    assert has_cjk("a渡") and not has_cjk("ab")


@pytest.mark.parametrize(
    "family",
    [
        ("ferry", "ferries"),
        ("hope", "hopes", "hoped", "hoping"),
        ("plan", "plans", "planned", "planning"),
        ("box", "boxes"),
        ("church", "churches"),
        ("rise", "rises", "rose", "risen", "rising"),
        ("sell", "sold", "selling"),
        ("city", "cities"),
    ],
)
def test_inflections_share_a_stem(family: tuple[str, ...]) -> None:
    assert len({stem(word) for word in family}) == 1


@pytest.mark.parametrize(
    "word", ["bus", "glass", "status", "axis", "seed", "seaweed", "ring", "bed", "red", "3.5", "渡口"]
)
def test_what_only_ends_like_an_inflection_stays_whole(word: str) -> None:
    assert stem(word) == word


def test_content_terms_leave_out_grammar_and_questions() -> None:
    assert content_terms("Which measures does the act contain?") == content_terms("measures act contains")
    assert content_terms("新法规定了哪些措施？") == content_terms("新法规定措施")
    assert content_terms("the and of") == ()


def test_display_width_counts_columns() -> None:
    assert display_width("ab渡口") == 6
    assert display_width("e\u0301") == 1


def test_hostile_text_is_made_visible() -> None:
    assert visible("a\x1b[31mb\u202e\nc") == "a\\x1b[31mb\\u202e c"


def test_search_terms_are_what_a_question_is_about() -> None:
    assert search_terms("What did the two ferries carry?") == ["two", "ferri", "carri"]
    assert search_terms("ferry") == search_terms("Ferries")
    assert "的" not in search_terms("渡口的票价")
    assert search_terms("what is it?") == ["what", "is", "it"]
