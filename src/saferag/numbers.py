"""Numbers as they are written in Chinese and English news, brought into one canonical form.

``3,340``, ``3 340``, ``三千三百四十`` and ``3.34 thousand`` all become ``#3340``; ``1.5亿`` and ``150 million`` become
``#150000000``; ``35%``, ``三成五``, ``百分之三十五`` and ``35 per cent`` become ``%35``, and ``half`` is ``%50``; ``3月4日``,
``4 March`` and ``the 4th of March`` become ``@3-4``; ``下午3点`` and ``3 pm`` become ``T15:00``; ``7th`` and ``seventh``
become ``#7th``. Texts are expected in the form of `saferag.text.normalize`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache


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


# --- Chinese numbers ----------------------------------------------------------------------------------------------

_CN_DIGIT = {c: i for i, c in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
_CN_UNITS = (("亿", 10**8), ("万", 10**4), ("千", 1000), ("百", 100), ("十", 10))


def parse_chinese(text: str) -> Fraction | None:
    """The value of a Chinese number such as ``三千三百四十``, ``1.5亿``, ``一万五``, ``三点五`` or ``二〇二四``.

    Returns:
        The value, or None if the text is no number.
    """
    if re.fullmatch(r"[零〇一二三四五六七八九]{2,}", text):
        return Fraction("".join(str(_CN_DIGIT[c]) for c in text))
    if match := re.fullmatch(r"(.+)点([零〇一二三四五六七八九]+)", text):
        whole = parse_chinese(match[1])
        decimals = "".join(str(_CN_DIGIT[c]) for c in match[2])
        return None if whole is None else whole + Fraction(int(decimals), 10 ** len(decimals))
    for char, unit in _CN_UNITS:
        if char in text:
            return _with_unit(text, char, unit)
    if re.fullmatch(r"\d+(\.\d+)?", text):
        return Fraction(text)
    return Fraction(_CN_DIGIT[text]) if text in _CN_DIGIT else None


def _with_unit(text: str, char: str, unit: int) -> Fraction | None:
    left, _, right = text.rpartition(char)
    high = parse_chinese(left) if left else (None if unit >= 10**4 else Fraction(1))
    if right in _CN_DIGIT and unit >= 100:
        low: Fraction | None = Fraction(_CN_DIGIT[right] * unit, 10)  # 三万五 is 35,000
    else:
        low = parse_chinese(right.lstrip("零〇")) if right else Fraction(0)
    return None if high is None or low is None or low >= unit else high * unit + low


# --- English numbers ----------------------------------------------------------------------------------------------

_SMALL = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"
_EN_VALUE = {w: i for i, w in enumerate((_SMALL + " seventeen eighteen nineteen").split())}
_EN_VALUE |= {w: 10 * i for i, w in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split(), 2)}  # noqa: SIM905
_EN_SCALE = {"hundred": 100, "dozen": 12, "thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}
_ABBREVIATED = {"k": 10**3, "m": 10**6, "mn": 10**6, "bn": 10**9, "tn": 10**12}
_ORDINAL = "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth"
_EN_ORDINAL = {w: i for i, w in enumerate((_ORDINAL + " fifteenth sixteenth seventeenth eighteenth").split(), 1)}
_EN_ORDINAL |= {"nineteenth": 19, "twentieth": 20, "thirtieth": 30, "fortieth": 40, "fiftieth": 50, "hundredth": 100}
_DENOMINATOR = {"half": 2, "halve": 2, "quarter": 4, "fourth": 4, "third": 3, "fifth": 5, "sixth": 6, "seventh": 7}
_DENOMINATOR |= {"eighth": 8, "ninth": 9, "tenth": 10, "twelfth": 12, "twentieth": 20, "hundredth": 100}
_MONTHS = "january february march april may june july august september october november december"
_MONTH = {
    name[:n]: i
    for i, name in enumerate(_MONTHS.split(), 1)
    for n in (3, 4, len(name))
    if n == 3 or n == len(name) or name[:4] == "sept"
}


def parse_english(text: str) -> Fraction | None:
    """The value of an English number in words, such as ``three thousand three hundred and forty`` or ``a dozen``."""
    total = section = Fraction(0)
    seen = False
    for word in re.split(r"[\s-]+", text):
        if word in _EN_VALUE:
            section, seen = section + _EN_VALUE[word], True
        elif word in ("hundred", "dozen"):
            section, seen = (section or 1) * _EN_SCALE[word], True
        elif word in _EN_SCALE:
            total, section, seen = total + (section or 1) * _EN_SCALE[word], Fraction(0), True
        elif word not in ("a", "and"):
            return None
    return total + section if seen else None


# --- canonical forms ----------------------------------------------------------------------------------------------


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


# --- one reader for each way to write a number --------------------------------------------------------------------


def _date(match: re.Match[str]) -> Numeral | None:
    parts = match.groupdict()
    month_text, day_text = parts["month"], parts.get("day")
    month = Fraction(_MONTH[month_text]) if month_text in _MONTH else _any(month_text)
    day = _any(day_text) if day_text else None
    if month is None or not 1 <= month <= 12 or (day is not None and not 1 <= day <= 31):
        return None
    year = _number(_any(parts["year"])) if parts.get("year") else None
    return _at(match, f"@{month}-{day}" if day is not None else f"@{month}", None, year)


def _year(match: re.Match[str]) -> Numeral | None:
    return _at(match, _number(parse_chinese(match[1])))


_EVENING = ("下午", "晚上", "傍晚", "夜间", "晚", "pm")


def _time(match: re.Match[str]) -> Numeral | None:
    parts = match.groupdict()
    hour, minute = _any(parts["hour"]), _any(parts["minute"]) if parts.get("minute") else Fraction(0)
    if parts.get("half"):
        minute = Fraction(30)
    if hour is None or minute is None or hour > 24 or minute > 59:
        return None
    part = (parts.get("part") or parts.get("half_day") or "").replace(".", "")
    later = hour + 12 if hour < 12 else hour
    if part in _EVENING:
        hour = later
    elif part == "am" and hour == 12:
        hour = Fraction(0)
    other = f"T{later}:{int(minute):02}" if not part and later != hour else None
    return _at(match, f"T{hour}:{int(minute):02}", other)


def _percent(match: re.Match[str]) -> Numeral | None:
    return _at(match, _number(_any(match["n"]), "%"))


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
    below = _DENOMINATOR[match["b"].removesuffix("s")]
    return None if above is None or above >= below else _at(match, _number(above / below * 100, "%"))


def _scaled(match: re.Match[str]) -> Numeral | None:
    value, scale = _arabic(match["n"]), match["scale"]
    factor = _ABBREVIATED.get(scale) or _EN_SCALE[scale]
    # "58m" without a space may be metres; the unit word, if any, tells it apart from a sum only for people.
    return _at(match, _number(value * factor), _number(value) if scale == "m" else None)


def _ordinal(match: re.Match[str]) -> Numeral | None:
    return _at(match, _number(_arabic(match["n"]), suffix="th"))


def _ordinal_words(match: re.Match[str]) -> Numeral | None:
    tens = _EN_VALUE[match["tens"]] if match["tens"] else 0
    return _at(match, f"#{tens + _EN_ORDINAL[match['last']]}th")


def _english(match: re.Match[str]) -> Numeral | None:
    return _at(match, _number(parse_english(match[0])))


def _chinese(match: re.Match[str]) -> Numeral | None:
    text = match["n"]
    vague = re.fullmatch(r"(.+)[多余几]([十百千万亿]+)", text)
    if vague:
        text = vague[1] + vague[2]
    return _at(match, _number(_any(text)), None)


# --- patterns ------------------------------------------------------------------------------------------------------

_DIGITS = r"(?<![\d.])(?:\d{1,3}(?:,\d{3}){1,5}|\d{1,3}(?: \d{3}){1,5}|\d{1,15})(?![\d])(?:\.\d{1,12}(?!\d))?"
_CN = "[零〇一二三四五六七八九两十百千万亿]"
_ANY = rf"(?:{_DIGITS}|{_CN}{{1,20}}(?:点[零〇一二三四五六七八九]{{1,8}})?)"
_MONTH_NAME = "|".join(sorted(_MONTH, key=len, reverse=True))
_EN_WORD = "|".join(sorted([*_EN_VALUE, *_EN_SCALE], key=len, reverse=True))
_BELOW = "|".join(f"{w}s?" for w in _DENOMINATOR if w not in ("half", "halve")) + "|half|halves"
# A single Chinese digit is a number only in front of a word that counts, and not inside of a fixed word.
_COUNTED = (
    "个名位人家座艘条辆台架项次年月日天周岁米吨亩元层处所支队组批届轮种类件幅份场门栋间套棵匹张本部章期级颗枚块县乡镇村"
    "户倍克斤里尺升小公平立毫厘席股班段道轨路城国省市州校院馆站厂店车船机桥"
)
_PM = r"\s?(?P<half_day>[ap]\.?m\.?)(?![a-z])"

_RULES: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], Numeral | None]], ...] = tuple(
    (re.compile(pattern), read)
    for pattern, read in (
        (r"(?<!\d)(?P<year>\d{4})([-/.])(?P<month>\d{1,2})\2(?P<day>\d{1,2})(?!\d)", _date),
        (
            rf"(?<![\da-z])(?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? (?P<month>{_MONTH_NAME})\b\.?(?:,? (?P<year>\d{{4}})\b)?",
            _date,
        ),
        (
            rf"\b(?P<month>{_MONTH_NAME})\b\.? (?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?!\d)(?:,? (?P<year>\d{{4}})\b)?",
            _date,
        ),
        (rf"\b(?P<month>{_MONTH_NAME})\b,? (?P<year>\d{{4}})\b", _date),
        (rf"\b(?P<month>{'|'.join(n for n in _MONTH if len(n) > 3 and n not in ('march', 'may'))})\b", _date),
        (r"(?<=\bin )(?P<month>march|may)\b|(?<=\bof )(?P<month2>march|may)\b", lambda m: _named_month(m)),
        (r"(?<!\d)(\d{4}|[一二][零〇一二三四五六七八九]{3})\s?年", _year),
        (
            r"(?<![\d个])(?P<month>\d{1,2}|[一二三四五六七八九十]{1,2})\s?月份?(?:\s?(?P<day>\d{1,2}|[一二三四五六七八九十]{1,3})\s?[日号])?",
            _date,
        ),
        (
            r"(?P<part>上午|下午|晚上|凌晨|中午|傍晚|早上|清晨|夜间|晚|早)(?P<hour>\d{1,2}|[一二三四五六七八九十两]{1,3})"
            r"[点时:](?:(?P<half>半)|(?P<minute>\d{1,2}|[零〇一二三四五六七八九十]{1,3})分?)?",
            _time,
        ),
        (r"(?<![\d.])(?P<hour>\d{1,2})[点时](?!之|\d)(?:(?P<half>半)|(?P<minute>\d{1,2})分)?", _time),
        (r"(?<![\d.])(?P<hour>\d{1,2})[点时](?P<minute>\d{1,2})分", _time),
        (rf"(?<![\d.,])(?P<hour>\d{{1,2}})(?:[:.](?P<minute>\d{{2}}))?{_PM}", _time),
        (r"(?<![\d.:])(?P<hour>\d{1,2}):(?P<minute>\d{2})(?!\d)", _time),
        (rf"百分之(?P<n>{_ANY})", _percent),
        (rf"千分之(?P<n>{_ANY})", _per_mille),
        (rf"(?P<n>{_DIGITS})\s?(?:%|per ?cent\b|pct\b)", _percent),
        (rf"(?P<n>{_DIGITS})\s?‰", _per_mille),
        (rf"(?P<b>{_ANY})分之(?P<a>{_ANY})", _fraction),
        (
            r"(?P<n>[一二三四五六七八九两\d])成(?![为立功员本果都长熟就交品型年人不])(?P<rest>[一二三四五六七八九半])?",
            _tenths,
        ),
        (r"(?<![\d./])(?P<a>\d{1,4})/(?P<b>\d{1,4})(?![\d./万亿])", _fraction),
        (rf"(?:\b(?P<a>(?:{_EN_WORD}|\d{{1,2}})[ -]))(?P<b>{_BELOW})\b(?![ -](?:hour|day|year))", _english_fraction),
        (
            rf"\b(?P<a>a )(?P<b>quarter\b|(?:{_BELOW})(?= (?:of|more|less|higher|lower|fewer|to|in|from|below|above|over|as|and|each)\b|[.,;)]|$))",
            _english_fraction,
        ),
        (r"\b(?P<a>)(?P<b>half)\b", _english_fraction),
        (r"(?P<a>)(?P<b>一半|半数)", lambda m: _at(m, "%50")),
        (
            rf"(?<![a-z\d])(?P<n>{_DIGITS})[ -]?(?P<scale>hundred|dozen|thousand|million|billion|trillion|bn|mn|tn|k|m)\b",
            _scaled,
        ),
        (rf"(?<![a-z\d])(?P<n>{_DIGITS})(?:st|nd|rd|th)\b", _ordinal),
        (rf"(?P<n>{_DIGITS}[多余几]?[十百千万亿]{{1,4}}(?:{_DIGITS}[十百千万亿]{{1,3}})?)", _chinese),
        (rf"(?<![a-z\d])(?P<n>{_DIGITS})(?![\d])", _chinese),
        (
            rf"\b(?:(?P<tens>twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)[ -])?(?P<last>{'|'.join(_EN_ORDINAL)})\b",
            _ordinal_words,
        ),
        (rf"\b(?:a )?(?:{_EN_WORD})(?:[ -](?:and )?(?:{_EN_WORD}))*\b", _english),
        (
            r"(?P<n>[一二三四五六七八九两十百千万亿零〇]{2,20}(?:点[零〇一二三四五六七八九]{1,8})?|[一二三四五六七八九两]点[零〇一二三四五六七八九]{1,8})",
            _chinese,
        ),
        (rf"(?<![统单唯之同另某每进万])(?P<n>[一二三四五六七八九两十百千])(?=[{_COUNTED}])", _chinese),
        (r"(?<=第)(?P<n>[一二三四五六七八九十])", _chinese),
    )
)


def _named_month(match: re.Match[str]) -> Numeral | None:
    return _at(match, f"@{_MONTH[match['month'] or match['month2']]}")
