"""Numbers as they are written in Chinese and English news, brought into one canonical form.

=============================================================  ==============
``3,340``, ``3 340``, ``三千三百四十``, ``3.34 thousand``          ``#3340``
``1.5亿``, ``15000万``, ``150 million``, ``150m``                ``#150000000``
``35%``, ``三成五``, ``百分之三十五``, ``35 per cent``              ``%35``
``half``, ``一半``, ``50%``                                      ``%50``
``7th``, ``seventh``                                           ``#7th``
``3月4日``, ``4 March``, ``the 4th of March``, ``2024-03-04``     ``@3-4``
``下午3点``, ``3 pm``, ``15:00``                                  ``T15:00``
=============================================================  ==============

Texts are expected in the form of `saferag.text.normalize`, so full width has become half width already.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache

from saferag.number_words import (
    ABBREVIATED_SCALES,
    DENOMINATORS,
    ENGLISH_NUMBERS,
    ENGLISH_ORDINALS,
    ENGLISH_SCALES,
    MONTHS,
    parse_chinese,
    parse_english,
)


@dataclass(frozen=True, slots=True)
class Numeral:
    """A number, share, ordinal, date or time in a text.

    Attributes:
        start, end: Where it stands.
        form: Its canonical form, equal for equal quantities.
        other: A second reading where the writing is ambiguous: ``58m`` is 58 metres or 58 million, ``3点`` is three
            in the morning or in the afternoon.
        year: The year of a full date, as a canonical number.
    """

    start: int
    end: int
    form: str
    other: str | None = None
    year: str | None = None


@lru_cache(maxsize=32768)
def find_numerals(text: str) -> tuple[Numeral, ...]:
    """All numerals of a normalised text in order, none overlapping another."""
    taken = bytearray(len(text))
    found: list[Numeral] = []
    for pattern, read in _RULES:
        for match in pattern.finditer(text):
            if any(taken[match.start() : match.end()]):
                continue
            numeral = read(match)
            if numeral is not None:
                found.append(numeral)
                taken[match.start() : match.end()] = b"\x01" * (match.end() - match.start())
    return tuple(sorted(found, key=lambda n: n.start))


def _plain(value: Fraction) -> str:
    denominator = value.denominator
    for prime in (2, 5):
        while denominator % prime == 0:
            denominator //= prime
    if denominator != 1:
        return str(value)
    return f"{(Decimal(value.numerator) / Decimal(value.denominator)).normalize():f}"


def _number(value: Fraction | None, prefix: str = "#", suffix: str = "") -> str | None:
    return None if value is None else f"{prefix}{_plain(value)}{suffix}"


def _arabic(text: str) -> Fraction:
    return Fraction(re.sub(r"[, ]", "", text))


def _any(text: str) -> Fraction | None:
    """A number in digits, or in Chinese, or in both."""
    return parse_chinese(re.sub(r"[, ]", "", text))


def _at(match: re.Match[str], form: str | None, other: str | None = None, year: str | None = None) -> Numeral | None:
    return None if form is None else Numeral(match.start(), match.end(), form, other, year)


def _date(match: re.Match[str]) -> Numeral | None:
    parts = match.groupdict()
    month_text, day_text = parts["month"], parts.get("day")
    month = Fraction(MONTHS[month_text]) if month_text in MONTHS else _any(month_text)
    day = _any(day_text) if day_text else None
    if month is None or not 1 <= month <= 12 or (day is not None and not 1 <= day <= 31):
        return None
    year = _number(_any(parts["year"])) if parts.get("year") else None
    return _at(match, f"@{month}-{day}" if day is not None else f"@{month}", None, year)


def _year(match: re.Match[str]) -> Numeral | None:
    return _at(match, _number(parse_chinese(match[1])))


_LATER = ("下午", "晚上", "傍晚", "夜间", "晚", "pm")


def _time(match: re.Match[str]) -> Numeral | None:
    parts = match.groupdict()
    hour, minute = _any(parts["hour"]), _any(parts["minute"]) if parts.get("minute") else Fraction(0)
    if parts.get("half"):
        minute = Fraction(30)
    if hour is None or minute is None or hour > 24 or minute > 59:
        return None
    part = (parts.get("part") or "").replace(".", "")
    later = hour + 12 if hour < 12 else hour
    if part in _LATER:
        hour = later
    elif part == "am" and hour == 12:
        hour = Fraction(0)
    other = f"T{later}:{int(minute):02}" if not part and later != hour else None
    return _at(match, f"T{hour}:{int(minute):02}", other)


def _percent(match: re.Match[str]) -> Numeral | None:
    return _at(match, _number(_any(match["n"]), "%"))


def _percent_words(match: re.Match[str]) -> Numeral | None:
    return _at(match, _number(parse_english(match["n"]), "%"))


def _half(match: re.Match[str]) -> Numeral | None:
    return _at(match, "%50")


def _and_a_half(match: re.Match[str]) -> Numeral | None:
    whole = _any(match["n"]) if match["n"].isdigit() else parse_english(match["n"])
    return _at(match, None if whole is None else _number(whole + Fraction(1, 2)))


def _per_mille(match: re.Match[str]) -> Numeral | None:
    value = _any(match["n"])
    return _at(match, None if value is None else _number(value / 10, "%"))


def _tenths(match: re.Match[str]) -> Numeral | None:
    tenths = _any(match["n"])
    extra = Fraction(5) if match["rest"] == "半" else _any(match["rest"]) if match["rest"] else Fraction(0)
    if tenths is None or extra is None or tenths > 10:
        return None
    return _at(match, _number(tenths * 10 + extra, "%"))


def _fraction(match: re.Match[str]) -> Numeral | None:
    above, below = _any(match["a"]), _any(match["b"])
    if above is None or not below or above >= below:
        return None
    return _at(match, _number(above / below * 100, "%"))


def _english_fraction(match: re.Match[str]) -> Numeral | None:
    words = match["a"].strip(" -")
    above = Fraction(1) if words in ("a", "") else _any(words) if words.isdigit() else parse_english(words)
    below = DENOMINATORS[match["b"].removesuffix("s")]
    return None if above is None or above >= below else _at(match, _number(above / below * 100, "%"))


def _third(match: re.Match[str]) -> Numeral | None:
    # "a third" in front of a noun: a part of it, or the one after the second
    below = DENOMINATORS[match["b"].removesuffix("s")]
    return _at(match, _number(Fraction(100, below), "%"), f"#{below}th")


def _scaled(match: re.Match[str]) -> Numeral | None:
    value, scale = _arabic(match["n"]), match["scale"]
    factor = ABBREVIATED_SCALES.get(scale) or ENGLISH_SCALES[scale]
    # "58m" without a space may be metres; the unit word, if any, tells it apart from a sum only for people.
    return _at(match, _number(value * factor), _number(value) if scale == "m" else None)


def _ordinal(match: re.Match[str]) -> Numeral | None:
    return _at(match, _number(_arabic(match["n"]), suffix="th"))


def _ordinal_words(match: re.Match[str]) -> Numeral | None:
    tens = ENGLISH_NUMBERS[match["tens"]] if match["tens"] else 0
    return _at(match, f"#{tens + ENGLISH_ORDINALS[match['last']]}th")


def _english(match: re.Match[str]) -> Numeral | None:
    return _at(match, _number(parse_english(match[0])))


def _chinese(match: re.Match[str]) -> Numeral | None:
    text = match["n"]
    vague = re.fullmatch(r"(.+)[多余几]([十百千万亿]+)", text)
    if vague:
        text = vague[1] + vague[2]
    return _at(match, _number(_any(text)))


_DIGITS = r"(?<![\d.])(?:\d{1,3}(?:,\d{3}){1,5}|\d{1,3}(?: \d{3}){1,5}|\d{1,15})(?!\d)(?:\.\d{1,12}(?!\d))?"
_CN_ONE = "[一二三四五六七八九]"
_CN_DECIMALS = "点[零〇一二三四五六七八九]{1,8}"
_ANY = rf"(?:{_DIGITS}|[零〇一二三四五六七八九两十百千万亿]{{1,20}}(?:{_CN_DECIMALS})?)"
_CN_DATE = r"(?:\d{1,2}|[一二三四五六七八九十]{1,3})"
_NAME = "|".join(sorted(MONTHS, key=len, reverse=True))
_FULL_NAME = "|".join(n for n in MONTHS if len(n) > 3 and n not in ("march", "may"))
_YEAR_AFTER = r"(?:,? (?P<year>\d{4})\b)?"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_WORD = "|".join(sorted([*ENGLISH_NUMBERS, *ENGLISH_SCALES], key=len, reverse=True))
_TENS = "twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety"
_PARTS = "|".join(f"{w}s?" for w in DENOMINATORS if w not in ("half", "halve")) + "|half|halves"
_AFTER_PART = "of|more|less|higher|lower|fewer|to|in|from|below|above|over|as|and|each"
_SCALE = "hundred|dozen|thousand|million|billion|trillion|bn|mn|tn|k|m"
# A single Chinese digit is a number only in front of a word that counts or after one that leads to a figure, and not
# inside of a fixed word; 一 is in more fixed words than the others.
_COUNTED = (
    "个名位人家座艘条辆台架项次年月日天周岁米吨亩元层处所支队组批届轮种类件幅份场门栋间套棵匹张本部章期级颗枚块县乡镇村"
    "户倍克斤里尺升小公平立毫厘席股班段道轨路城国省市州校院馆站厂店车船机桥"
)
_COUNTED_TOO = "起例分秒度款根号块只口声面排环成种头笔桩步样方声点"
_LEADS = "到至为有达仅约近共前每超减增用花于过剩余占"
_PART_OF_DAY = "上午|下午|晚上|凌晨|中午|傍晚|早上|清晨|夜间|晚|早"
_Reader = Callable[[re.Match[str]], Numeral | None]

_RULES: tuple[tuple[re.Pattern[str], _Reader], ...] = tuple(
    (re.compile(pattern), reader)
    for pattern, reader in (
        # dates and years
        (r"(?<!\d)(?P<year>\d{4})(?P<sep>[-/.])(?P<month>\d{1,2})(?P=sep)(?P<day>\d{1,2})(?!\d)", _date),
        (rf"(?<![\da-z]){_DAY}(?: of)? (?P<month>{_NAME})\b\.?{_YEAR_AFTER}", _date),
        (rf"\b(?P<month>{_NAME})\b\.? {_DAY}(?!\d){_YEAR_AFTER}", _date),
        (rf"\b(?P<month>{_NAME})\b,? (?P<year>\d{{4}})\b", _date),
        (rf"\b(?P<month>{_FULL_NAME})\b", _date),
        (r"(?:(?<=\bin )|(?<=\bof )|(?<=\blast )|(?<=\bnext )|(?<=\bby ))(?P<month>march|may)\b", _date),
        (r"(?<!\d)(\d{4}|[一二][零〇一二三四五六七八九]{3})\s?年", _year),
        (rf"(?<![\d个])(?P<month>{_CN_DATE})\s?月份?(?:\s?(?P<day>{_CN_DATE})\s?[日号])?", _date),
        # times of day
        (rf"(?P<part>{_PART_OF_DAY})(?P<hour>{_CN_DATE})[点时:](?:(?P<half>半)|(?P<minute>{_CN_DATE})分?)?", _time),
        (r"(?<![\d.])(?P<hour>\d{1,2})[点时](?!之|\d)(?P<half>半)?", _time),
        (r"(?<![\d.])(?P<hour>\d{1,2})[点时](?P<minute>\d{1,2})分", _time),
        (
            r"(?P<hour>[一二]?十[一二三四五六七八九]?|[一二三四五六七八九两])[点时](?P<minute>[零一二三四五六七八九十]{1,3})分",
            _time,
        ),
        (r"(?P<hour>[一二]?十[一二三四五六七八九]?)时(?![候间期代尚])", _time),
        (r"(?<![\d.,])(?P<hour>\d{1,2})(?:[:.](?P<minute>\d{2}))?\s?(?P<part>[ap]\.?m\.?)(?![a-z])", _time),
        (r"(?<![\d.:])(?P<hour>\d{1,2}):(?P<minute>\d{2})(?!\d)", _time),
        # shares
        (rf"百分之(?P<n>{_ANY})", _percent),
        (rf"千分之(?P<n>{_ANY})", _per_mille),
        (rf"(?P<n>{_DIGITS})\s?(?:%|per ?cent\b|pct\b)", _percent),
        (rf"(?P<n>{_DIGITS})\s?‰", _per_mille),
        (rf"\b(?P<n>(?:{_WORD})(?:[ -](?:{_WORD})){{0,3}}) per ?cent\b", _percent_words),
        (rf"(?P<b>{_ANY})分之(?P<a>{_ANY})", _fraction),
        (rf"(?P<n>{_CN_ONE}|[两\d])成(?![为立功员本果都长熟就交品型年人不])(?P<rest>{_CN_ONE}|半)?", _tenths),
        (r"(?<![\d./])(?P<a>\d{1,4})/(?P<b>\d{1,4})(?![\d./万亿])", _fraction),
        (rf"\b(?P<n>\d{{1,3}}|{_WORD}) and a half\b", _and_a_half),
        (rf"\b(?P<a>(?:{_WORD}|\d{{1,2}})[ -])(?P<b>{_PARTS})\b(?![ -](?:hour|day|year))", _english_fraction),
        (rf"\b(?P<a>a )(?P<b>quarter\b|(?:{_PARTS})(?= (?:{_AFTER_PART})\b|[.,;)]|$))", _english_fraction),
        (rf"\b(?P<a>a )(?P<b>{_PARTS})\b", _third),
        (r"\b(?P<a>)(?P<b>half)\b", _english_fraction),
        (r"一半|半数", _half),
        # plain numbers
        (rf"(?<![a-z\d])(?P<n>{_DIGITS})[ -]?(?P<scale>{_SCALE})\b", _scaled),
        (rf"(?<![a-z\d])(?P<n>{_DIGITS})(?:st|nd|rd|th)\b", _ordinal),
        (rf"(?P<n>{_DIGITS}[多余几]?[十百千万亿]{{1,4}}(?:{_DIGITS}[十百千万亿]{{1,3}})?)", _chinese),
        (rf"(?<![a-z\d])(?P<n>{_DIGITS})(?!\d)", _chinese),
        (rf"\b(?:(?P<tens>{_TENS})[ -])?(?P<last>{'|'.join(ENGLISH_ORDINALS)})\b", _ordinal_words),
        (rf"\b(?:a )?(?:{_WORD})(?:[ -](?:and )?(?:{_WORD})){{0,12}}\b", _english),
        (rf"(?P<n>[零〇一二三四五六七八九两十百千万亿]{{2,20}}(?:{_CN_DECIMALS})?)", _chinese),
        (rf"(?P<n>[一二三四五六七八九两]{_CN_DECIMALS})", _chinese),
        (rf"(?<![统单唯之同另某每进万])(?P<n>[一二三四五六七八九两十百千])(?=[{_COUNTED}])", _chinese),
        (rf"(?<![十万])(?P<n>[二三四五六七八九两])(?=[{_COUNTED_TOO}])", _chinese),
        (rf"(?<=[{_LEADS}])(?P<n>[二三四五六七八九两])(?=[㐀-鿿])", _chinese),
        (r"(?<=第)(?P<n>[一二三四五六七八九十])", _chinese),
    )
)
