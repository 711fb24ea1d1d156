"""Numbers in any usual writing have one canonical form."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saferag.number_words import parse_chinese, parse_english
from saferag.numbers import find_numerals
from saferag.text import normalize


def forms(text: str) -> list[str]:
    return [numeral.form for numeral in find_numerals(normalize(text))]


@pytest.mark.parametrize(
    ("form", "writings"),
    [
        ("#3340", ["3340", "3,340", "3 340", "３３４０", "３，３４０", "三千三百四十", "3.34 thousand", "3340.0"]),
        ("#3340", ["three thousand three hundred and forty", "三千三百四"]),
        ("#150000000", ["1.5亿", "15000万", "150 million", "150m", "一亿五千万", "0.15bn", "150,000,000", "１．５亿"]),
        ("#206000", ["206,000", "two hundred and six thousand", "20.6万", "二十万六千", "206k"]),
        ("#35000", ["三万五", "35,000", "3.5万", "thirty-five thousand"]),
        ("#120", ["一百二", "一百二十", "a hundred and twenty", "120"]),
        ("#12", ["12", "twelve", "a dozen", "十二", "１２"]),
        ("#2.5", ["2.5", "two and a half", "二点五", "2 and a half"]),
        (
            "%35",
            [
                "35%",
                "35 %",
                "35％",
                "35 per cent",
                "35 percent",
                "百分之三十五",
                "百分之35",
                "三成五",
                "thirty-five per cent",
            ],
        ),
        ("%50", ["half", "一半", "50%", "五成", "二分之一", "1/2", "one half"]),
        ("%25", ["a quarter", "25%", "两成半", "四分之一", "one quarter", "25 per cent"]),
        ("%75", ["three quarters", "three-quarters", "75%", "四分之三", "七成五"]),
        ("%0.62", ["6.2‰", "千分之6.2", "0.62%"]),
        ("%200/3", ["two thirds", "two-thirds", "三分之二", "2/3"]),
        ("#7th", ["7th", "seventh"]),
        (
            "@3-4",
            ["3月4日", "三月四日", "3月4号", "4 March", "March 4", "4th of March", "Mar 4th", "4 Mar.", "３月４日"],
        ),
        ("@9", ["9月", "九月", "9月份", "September", "in September"]),
        ("T15:00", ["15:00", "3 pm", "3 p.m.", "下午3点", "下午三点", "15时"]),
        ("T20:30", ["20:30", "8.30 pm", "晚上8点半", "20时30分", "二十时三十分"]),
    ],
)
def test_every_writing_of_a_number_has_the_same_form(form: str, writings: list[str]) -> None:
    assert {writing: forms(writing) for writing in writings} == {writing: [form] for writing in writings}


@pytest.mark.parametrize("writing", ["March 4, 2024", "4 March 2024", "2024-03-04", "2024/3/4"])
def test_a_full_date_holds_its_year(writing: str) -> None:
    (numeral,) = find_numerals(normalize(writing))

    assert (numeral.form, numeral.year) == ("@3-4", "#2024")


def test_a_chinese_full_date_is_a_year_and_a_date() -> None:
    assert forms("2024年3月4日") == forms("二〇二四年三月四日") == ["#2024", "@3-4"]


@pytest.mark.parametrize(
    "text",
    [
        "进一步加强统一管理，一些地方一直如此，一律不变",
        "十分重要，千方百计",
        "百分点",
        "He may march on",
        "A500ETF",
        "",
        "no figures here",
    ],
)
def test_words_that_only_look_like_numbers_are_none(text: str) -> None:
    assert forms(text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("修了13座石桥和125个村渡", ["#13", "#125"]),
        ("41 votes to 17", ["#41", "#17"]),
        ("from 10,500 to 18,000 within a decade", ["#10500", "#18000"]),
        ("水位合格率由9.1%提高到11.5%", ["%9.1", "%11.5"]),
        ("30多亿元", ["#3000000000"]),
        ("五家银行、两座水库、第七次", ["#5", "#2", "#7"]),
        ("F-22 and 7.62 mm", ["#22", "#7.62"]),
        ("减到五起，仅四款，高于二银叶", ["#5", "#4", "#2"]),
    ],
)
def test_numbers_in_running_text(text: str, expected: list[str]) -> None:
    assert forms(text) == expected


def test_an_ambiguous_writing_has_both_readings() -> None:
    (metres_or_millions,) = find_numerals("58m")
    (morning_or_afternoon,) = find_numerals("3点")

    assert {metres_or_millions.form, metres_or_millions.other} == {"#58000000", "#58"}
    assert {morning_or_afternoon.form, morning_or_afternoon.other} == {"T3:00", "T15:00"}


@given(st.integers(0, 10**12))
def test_a_number_reads_the_same_with_and_without_separators(number: int) -> None:
    assert forms(f"{number:,}") == forms(str(number)) == [f"#{number}"]


@given(st.integers(1, 10**8 - 1))
def test_a_chinese_number_has_the_value_that_it_was_written_for(number: int) -> None:
    assert parse_chinese(chinese(number)) == number


def chinese(number: int) -> str:
    """Write a number below 10^8 in Chinese: an independent writer to test the reader with."""
    if number >= 10_000:
        high, low = divmod(number, 10_000)
        gap = "零" if 0 < low < 1000 else ""
        return chinese(high) + "万" + gap + (chinese(low) if low else "")
    text, zero = "", False
    for unit, name in ((1000, "千"), (100, "百"), (10, "十"), (1, "")):
        digit, number = divmod(number, unit)
        if digit:
            text += ("零" if zero and text else "") + "零一二三四五六七八九"[digit] + name
        zero = digit == 0
    return text


@given(st.text(max_size=300))
def test_any_text_can_be_searched(text: str) -> None:
    found = find_numerals(normalize(text))

    assert all(a.end <= b.start for a, b in pairwise(found))


@pytest.mark.parametrize("text", ["", "abc", "and", "a", "thousandfold"])
def test_what_is_no_english_number_has_no_value(text: str) -> None:
    assert parse_english(text) is None


def test_digits_beyond_any_quantity_are_left_alone() -> None:
    assert forms("9" * 50_000) == []
    assert parse_english("twelve hundred and five") == Fraction(1205)
