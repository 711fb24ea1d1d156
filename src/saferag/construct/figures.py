"""Figures with their units in a sentence, and other figures that could stand in their place."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal

from saferag.numbers import find_numerals
from saferag.text import normalize

_DIGITS = re.compile(r"\d+(?:,\d{3})+|\d+(?:\.\d+)?")
_UNIT = re.compile(r"[ -](?:(?:square|cubic) )?[a-z]{2,}s\b", re.IGNORECASE)
_NO_UNIT = frozenset("was is has this its his hers across as us plus minus less versus".split())  # noqa: SIM905
_CN_UNIT = re.compile(
    "立方米|平方米|平方公里|公里|千米|厘米|毫米|米|吨|公斤|千克|克|千卡|摄氏度|千瓦|元|个百分点|个月|个|年|天|小时|分钟|秒|"
    "名|人|户|张|株|台|套|次|门|所|座|间|根|支|孔|条|只|头|辆|亩|倍|升|岁|组|家|处|度|路|道|项|件|层|册|艘|架|枚"
)
_DATE = re.compile("月|January|February|March|April|May|June|July|August|September|October|November|December")
_SHARE = re.compile(r"\s*(?:%|per cent)")
_STEPS = (0.2, -0.1, 0.35, -0.25, 0.5, -0.4, 0.15, 0.7)


def figures(sentence: str) -> Iterator[str]:
    """The figures of a sentence as they stand there, each with its unit."""
    plain = normalize(sentence)
    if len(plain) != len(sentence):
        return  # places in the normal form would not be places in the sentence
    for numeral in find_numerals(plain):
        value = sentence[numeral.start : numeral.end].strip(" .")
        if not any(c.isdigit() for c in value):
            continue  # "one" or 一 may be anything
        if numeral.form[0] not in "@T":  # dates and times have no unit
            value += _unit(sentence[numeral.start + len(value) :])
        if len(value) >= 2 and not (value.isdigit() and len(value) < 4):
            yield value


def _unit(rest: str) -> str:
    if match := _CN_UNIT.match(rest):
        return match[0]
    match = _UNIT.match(rest)
    return "" if match is None or match[0].strip(" -").casefold() in _NO_UNIT else match[0]


def changed(value: str, seed: int) -> Iterator[str]:
    """Other figures in the form of a value: a day of the month, a year, a share, a number. None without digits."""
    matches = list(_DIGITS.finditer(value))
    if not matches:
        return
    match = matches[-1] if re.search(r"月", value) else matches[0]
    for turn in range(len(_STEPS)):
        step = _STEPS[(seed + turn) % len(_STEPS)]
        new = _moved(match[0], step, value, match.end())
        if new is not None and new != match[0]:
            yield value[: match.start()] + new + value[match.end() :]


def _moved(digits: str, step: float, value: str, end: int) -> str | None:
    number = Decimal(digits.replace(",", ""))
    places = len(digits.partition(".")[2])
    if re.fullmatch(r"(?:19|20)\d\d", digits) and (len(value) == 4 or value[end : end + 1] == "年"):
        return str(int(number) + round(step * 20))
    share = Decimal(str(step))
    least = Decimal(1).scaleb(-places)
    moved = round(number + max(abs(number * share), least).copy_sign(share), places)
    length = len(str(int(number)))
    if places == 0 and length > 2 and len(str(int(number)).rstrip("0")) <= 2:  # a round figure stays a round one
        moved = round(moved / 10 ** (length - 2)) * Decimal(10) ** (length - 2)
    limit = 28 if _DATE.search(value) else 100 if _SHARE.match(value[end:]) else None
    if moved <= 0 or (limit is not None and moved > limit):
        return None
    return f"{moved:,.{places}f}" if "," in digits else f"{moved:.{places}f}"
