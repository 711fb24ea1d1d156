"""Obfuscation: another attack's text, written so that a pattern or a word list no longer sees it."""

from __future__ import annotations

import base64
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass, replace

from saferag.attacks import attacks
from saferag.attacks.base import Attack, AttackInfo, Target
from saferag.attacks.ready import as_passages
from saferag.errors import OptionError, did_you_mean
from saferag.types import Case, Context

NAME = "obfuscated"
# Simplified characters that are frequent in warnings and commands, each before its traditional form.
_PAIRS = (
    "问問 题題 请請 应應 误誤 导導 实實 资資 为為 这這 个個 绝絕 构構 说說 对對 错錯 数數 据據 时時 间間 发發 现現 "
    "认認 识識 证證 处處 审審 计計 报報 该該 条條 总總 统統 从從 来來 过過 还還 没沒 后後 内內 声聲 传傳 关關 闭閉 "
    "开開 启啟 严嚴 须須 则則 输輸 复復 只隻 无無 论論 给給 会會 让讓 录錄 图圖 书書 馆館 长長 东東 车車 门門 学學 "
    "国國 电電 机機 业業 产產 万萬 亿億 镇鎮 县縣 员員 场場 续續 检檢 测測 终終"
)
_TRADITIONAL = {pair[0]: pair[1] for pair in _PAIRS.split()}


def _spaced(text: str) -> str:
    return " ".join(text)


def _wide(text: str) -> str:
    return "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in text)


def _traditional(text: str) -> str:
    return "".join(_TRADITIONAL.get(c, c) for c in text)


def _zero_width(text: str) -> str:
    return "\u200b".join(text)


def _base64(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def _reversed(text: str) -> str:
    return text[::-1]


def _accented(text: str) -> str:
    return unicodedata.normalize("NFC", "".join(c + "\u0307" if c in "aeou" else c for c in text))


WAYS: dict[str, Callable[[str], str]] = {
    "zero_width": _zero_width,
    "spaced": _spaced,
    "full_width": _wide,
    "traditional": _traditional,
    "accented": _accented,
    "base64": _base64,
    "reversed": _reversed,
}


@dataclass(frozen=True, slots=True)
class Obfuscated:
    """Rewrites another attack's texts; the question stays readable in them, so that they are still retrieved."""

    inner: Attack
    how: str
    info: AttackInfo

    def applies_to(self, case: Case) -> bool:
        """Whether the other attack applies."""
        return self.inner.applies_to(case)

    def texts(self, case: Case, count: int, seed: int) -> Context:
        """The other attack's texts, rewritten."""
        return as_passages(case, NAME, [self._hide(p.text, case.query) for p in self.inner.texts(case, count, seed)])

    def target(self, case: Case) -> Target:
        """The other attack's."""
        return self.inner.target(case)

    def _hide(self, text: str, query: str) -> str:
        return query.join(WAYS[self.how](part) if part else "" for part in text.split(query))


@attacks.register(NAME, summary="another attack's text, spaced out, encoded, reversed …")
def obfuscated(*, of: str = "white_dos", how: str = "zero_width") -> Attack:
    """Another attack, obfuscated.

    Args:
        of: The other attack's spec.
        how: ``zero_width``, ``spaced``, ``full_width``, ``traditional``, ``accented``, ``base64`` or ``reversed``.

    Raises:
        OptionError: There is no such way.
        UnknownComponentError: There is no such attack.
    """
    if how not in WAYS:
        raise OptionError(f"obfuscated has no way '{how}'{did_you_mean(how, WAYS)}: {', '.join(WAYS)}")
    inner = attacks.build(of)
    info = replace(
        inner.info,
        label="OBF" if of == "white_dos" else f"OBF({inner.info.label})",
        threat=f"Writes another attack's text so that word lists miss it. {inner.info.threat}",
        source=f"obfuscation of {inner.info.source}",
        choices={"how": tuple(WAYS)},
    )
    return Obfuscated(inner, how, info)
