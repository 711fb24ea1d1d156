"""Values, contrasts and mentions that are derived from the texts of options alone."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saferag.judges.contrast import derive, differing
from saferag.text import normalize
from saferag.types import Label, Option


def options(*texts: str, label: Label = Label.CORRECT) -> tuple[Option, ...]:
    return tuple(Option(str(i), text, label) for i, text in enumerate(texts, 1))


def parts(derived: tuple[Option, ...]) -> list[tuple[str | None, str | None]]:
    return [(o.value, o.contrast) for o in derived]


PROPOSITIONS = (
    "全县渡船共有86艘。",
    "渡口基金规模为1.2亿银叶。",
    "末班渡船保留到23时。",
    "新法可能在明年施行。",
)


def test_an_option_is_held_against_the_proposition_that_it_was_made_from() -> None:
    derived = derive(
        options(
            "1. 全县渡船共有68艘。", "2. 渡口基金规模为1.2亿银叶。", "3. 末班渡船保留到22时。", "4. 新法在明年施行。"
        ),
        PROPOSITIONS,
    )

    assert parts(derived) == [("68艘", "86艘"), (None, None), ("22时", "23时"), ("在明年", "可能在明年")]


def test_the_proposition_is_found_when_the_order_differs_or_one_is_missing() -> None:
    derived = derive(options("末班渡船保留到22时。", "全县渡船共有68艘。"), PROPOSITIONS)

    assert parts(derived) == [("22时", "23时"), ("68艘", "86艘")]


def test_versions_of_one_statement_contrast_with_each_other() -> None:
    derived = derive(
        options(
            "1. 全县渡船共有86艘。",
            "2. 全县渡船共有68艘。",
            "3. 冬天渡船停航。",
            "4. The fee rose.",
            "5. The fee fell.",
        )
    )

    assert parts(derived) == [("86艘", "68艘"), ("68艘", "86艘"), (None, None), ("rose", "fell"), ("fell", "rose")]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("1. 这份回答里提到了“维舟健康”。", "维舟健康"),
        ("2. 摘要提到“鹭翎牌救生衣”是官方推荐产品。", "鹭翎牌救生衣"),
        ("The answer mentions “Tillermade”.", "tillermade"),
        ("馆长提到，要延长开放时间。", None),
    ],
)
def test_a_quoted_name_is_a_mention(text: str, name: str | None) -> None:
    (derived,) = derive(options(text))

    assert derived.mention == name
    assert derived.value is None


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("渡船共有86艘。", "渡船共有68艘。", ("86艘", "68艘")),
        ("配备低倍率镜头。", "配备高倍率镜头。", ("低倍率", "高倍率")),
        ("换股比例是1比6。", "换股比例是1比5。", ("比6", "比5")),
        ("机器人“江船二号”在江船厂亮相。", "机器人“澜江二号”在江船厂亮相。", ("江船二", "澜江二")),
        ("The fee rose by half.", "The fee fell by half.", ("rose", "fell")),
        ("It costs 3.5m crowns.", "It costs 35m crowns.", ("3.5m", "35m")),
        ("完全相同。", "完全相同。", (None, None)),
    ],
)
def test_the_differing_parts_are_whole_words(one: str, other: str, expected: tuple[str | None, str | None]) -> None:
    assert differing(normalize(one), normalize(other)) == expected


def test_labels_are_never_read() -> None:
    texts = ("1. 全县渡船共有86艘。", "2. 全县渡船共有68艘。", "3. 摘要提到“维舟健康”。", "4. 末班渡船保留到22时。")

    for propositions in ((), PROPOSITIONS):
        right = derive(options(*texts), propositions)
        wrong = derive(options(*texts, label=Label.INCORRECT), propositions)
        assert [replace(o, label=Label.CORRECT) for o in wrong] == list(right)


def test_what_is_known_already_stays() -> None:
    known = (
        Option("1", "渡船共有86艘。", Label.CORRECT, value="86", contrast="68"),
        Option("2", "x", Label.INCORRECT, mention="y"),
    )

    assert derive(known, PROPOSITIONS) == known


TEXTS = st.text(alphabet="渡船共有86艘三成a b.。“”提到了", max_size=20)


@given(st.lists(TEXTS, max_size=5), st.lists(TEXTS, max_size=5))
def test_any_texts_can_be_compared(texts: list[str], propositions: list[str]) -> None:
    given_options = options(*texts)
    derived = derive(given_options, propositions)

    assert [(o.id, o.text, o.label) for o in derived] == [(o.id, o.text, o.label) for o in given_options]
