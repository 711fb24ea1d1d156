"""What becomes a search term."""

from __future__ import annotations

import pytest

from saferag.retrievers.tokens import tokenizer


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("The GDP grew by 3.5%.", ["the", "gdp", "grew", "by", "3.5%"]),
        ("Łódź, a café; naïve_plan", ["łódź", "a", "café", "naïve", "plan"]),
        ("海港大桥2031年通车", ["海港", "大桥", "2031", "年", "通车"]),
        ("ＡＢＣ１２", ["abc12"]),
        ("har\u200bbour", ["harbour"]),
        ("\ud800\0", []),
        ("？！。 …", []),
    ],
)
def test_words(text: str, terms: list[str]) -> None:
    assert tokenizer("words")(text) == terms


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("海港大桥", ["海港", "港大", "大桥"]),
        ("桥", ["桥"]),
        ("GDP 海港", ["gdp", "海港"]),
        ("海\U00020000", ["海\U00020000"]),
    ],
)
def test_bigrams(text: str, terms: list[str]) -> None:
    assert tokenizer("bigrams")(text) == terms
