"""Numbers in words: what Chinese and English number words, ordinals, fractions and months stand for."""

from __future__ import annotations

import re
from fractions import Fraction

CHINESE_DIGITS = {c: i for i, c in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
_CN_UNITS = (("亿", 10**8), ("万", 10**4), ("千", 1000), ("百", 100), ("十", 10))


def parse_chinese(text: str) -> Fraction | None:
    """The value of a Chinese number such as ``三千三百四十``, ``1.5亿``, ``一万五``, ``三点五`` or ``二〇二四``.

    Returns:
        The value, or None if the text is no number.
    """
    if re.fullmatch(r"[零〇一二三四五六七八九]{2,}", text):
        return Fraction("".join(str(CHINESE_DIGITS[c]) for c in text))
    if match := re.fullmatch(r"(.+)点([零〇一二三四五六七八九]+)", text):
        whole = parse_chinese(match[1])
        decimals = "".join(str(CHINESE_DIGITS[c]) for c in match[2])
        return None if whole is None else whole + Fraction(int(decimals), 10 ** len(decimals))
    for char, unit in _CN_UNITS:
        if char in text:
            return _with_unit(text, char, unit)
    if re.fullmatch(r"\d+(\.\d+)?", text):
        return Fraction(text)
    return Fraction(CHINESE_DIGITS[text]) if text in CHINESE_DIGITS else None


def _with_unit(text: str, char: str, unit: int) -> Fraction | None:
    left, _, right = text.rpartition(char)
    high = parse_chinese(left) if left else (None if unit >= 10**4 else Fraction(1))
    if right in CHINESE_DIGITS and unit >= 100:
        low: Fraction | None = Fraction(CHINESE_DIGITS[right] * unit, 10)  # 三万五 is 35,000
    else:
        low = parse_chinese(right.lstrip("零〇")) if right else Fraction(0)
    return None if high is None or low is None or low >= unit else high * unit + low


_SMALL = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"
ENGLISH_NUMBERS = {w: i for i, w in enumerate((_SMALL + " seventeen eighteen nineteen").split())}
ENGLISH_NUMBERS |= {w: 10 * i for i, w in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split(), 2)}  # noqa: SIM905
ENGLISH_SCALES = {
    "hundred": 100,
    "dozen": 12,
    "thousand": 10**3,
    "million": 10**6,
    "billion": 10**9,
    "trillion": 10**12,
}
ABBREVIATED_SCALES = {"k": 10**3, "m": 10**6, "mn": 10**6, "bn": 10**9, "tn": 10**12}
_ORDINAL = "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth"
ENGLISH_ORDINALS = {w: i for i, w in enumerate((_ORDINAL + " fifteenth sixteenth seventeenth eighteenth").split(), 1)}
ENGLISH_ORDINALS |= {
    "nineteenth": 19,
    "twentieth": 20,
    "thirtieth": 30,
    "fortieth": 40,
    "fiftieth": 50,
    "hundredth": 100,
}
DENOMINATORS = {"half": 2, "halve": 2, "quarter": 4, "fourth": 4, "third": 3, "fifth": 5, "sixth": 6, "seventh": 7}
DENOMINATORS |= {"eighth": 8, "ninth": 9, "tenth": 10, "twelfth": 12, "twentieth": 20, "hundredth": 100}
_MONTH_NAMES = "january february march april may june july august september october november december"
MONTHS = {name: i for i, name in enumerate(_MONTH_NAMES.split(), 1)}
MONTHS |= {name[:3]: i for name, i in MONTHS.items()} | {"sept": 9}


def parse_english(text: str) -> Fraction | None:
    """The value of an English number in words, such as ``three thousand three hundred and forty`` or ``a dozen``."""
    total, section, one = Fraction(0), Fraction(0), Fraction(1)
    seen = False
    for word in re.split(r"[\s-]+", text):
        if word in ENGLISH_NUMBERS:
            section, seen = section + ENGLISH_NUMBERS[word], True
        elif word in ("hundred", "dozen"):
            section, seen = (section or one) * ENGLISH_SCALES[word], True
        elif word in ENGLISH_SCALES:
            total, section, seen = total + (section or one) * ENGLISH_SCALES[word], Fraction(0), True
        elif word not in ("a", "and"):
            return None
    return total + section if seen else None
