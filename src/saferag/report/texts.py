"""What the report says, in Chinese and English, and how numbers are written in each."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from saferag.types import Lang

_MINUS = "\N{MINUS SIGN}"


@dataclass(frozen=True, slots=True)
class Texts:
    """The catalogue of one language.

    Use `texts_of`.

    Attributes:
        lang: The language.
        entries: Texts by key; a key such as ``task.soft_ad`` names a component, a setting or an outcome.
    """

    lang: Lang
    entries: dict[str, str]

    def __call__(self, key: str, **values: Any) -> str:  # noqa: ANN401 - whatever a text names
        """A text with its values filled in. An unknown key is a mistake of ours and raises KeyError."""
        text = self.entries[key]
        return text.format(**values) if values else text

    def name(self, kind: str, value: object) -> str:
        """How people call a value of a setting; the value itself where it has no other name."""
        return self.entries.get(f"{kind}.{value}", str(value))

    def heading(self, kind: str, value: object) -> str:
        """The same at the head of a row, a figure or a column."""
        name = self.name(kind, value)
        return name[:1].upper() + name[1:] if f"{kind}.{value}" in self.entries else name

    def percent(self, value: float | None) -> str:
        """``0.934`` is ``93%``; a dash where there is no value."""
        return "–" if value is None else f"{_round(100 * value):.0f}%".replace("-", _MINUS)

    def points(self, value: float | None) -> str:
        """A difference of two shares in percentage points, with its sign."""
        if value is None:
            return "–"
        rounded = _round(100 * value)
        return f"{rounded:+.0f}".replace("-", _MINUS) if rounded else "0"

    def span(self, low: float | None, high: float | None, *, signed: bool = False) -> str:
        """An interval of shares or of differences of shares, in percent."""
        if low is None or high is None:
            return "–"
        if signed:
            return f"{self.points(low)} {self('to')} {self.points(high)}"
        dash = "～" if self.lang is Lang.ZH else "–"
        return f"{_round(100 * low):.0f}{dash}{_round(100 * high):.0f}%"

    def number(self, value: float | None, digits: int = 2) -> str:
        """A number with so many decimals and thousands marked."""
        return "–" if value is None else f"{value:,.{digits}f}".replace("-", _MINUS)

    def count(self, value: int) -> str:
        """A whole number with thousands marked."""
        return f"{value:,}"

    def p(self, value: float | None) -> str:
        """A p-value: ``p = .012``, or ``p < .001``."""
        if value is None:
            return ""
        text = "< .001" if value < 0.001 else f"= {value:.3f}".replace("0.", ".", 1)
        return f"p {text}"

    def quote(self, text: str) -> str:
        """A text in quotation marks."""
        return f"“{text}”"

    def listed(self, names: list[str]) -> str:
        """Names as a list in a sentence."""
        if len(names) < 2:
            return "".join(names)
        return self("list.comma").join(names[:-1]) + self("list.and") + names[-1]


@cache
def texts_of(lang: Lang) -> Texts:
    """The catalogue of a language."""
    raw = tomllib.loads(Path(__file__).with_name(f"{lang.value}.toml").read_text(encoding="utf-8"))
    return Texts(lang, dict(_flat(raw)))


def _flat(table: dict[str, Any], prefix: str = "") -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for key, value in table.items():
        if isinstance(value, dict):
            found += _flat(value, f"{prefix}{key}.")
        else:
            found.append((prefix + key, value))
    return found


def _round(value: float) -> float:
    """To a whole number, and never to minus zero."""
    return round(value) + 0.0
