"""A scripted author: it reads our prompts and writes what they ask for by rule, or misbehaves as a test tells it to."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from saferag.construct.by_rule import extracts
from saferag.construct.collect import language
from saferag.construct.figures import changed, figures
from saferag.construct.means import Task
from saferag.construct.passages import passages
from saferag.construct.records import Question, Segment
from saferag.data.rules import LENGTHS, text_length
from saferag.text import split_sentences
from saferag.types import Lang
from servers import Asked, Reaction

BLOCK = re.compile(
    r"^\[(?:passage|资料) \d+ \| (\w+)\]\n(.*?)\n\[(?:end of passage \d+|资料 \d+ 结束) \| \1\]$", re.M | re.S
)
STEPS = ("usable", "facts", "wrong", "conflict_reason", "passages", "pairs", "indirect")
DETAILS = {
    Lang.EN: (
        "Neighbours spoke of it for weeks, and a local choir is said to have written a song about the whole affair.",
        "Visitors from nearby towns have asked how it was done, and several want to try something of the same kind.",
        "Those who doubted it at first have since come round, though some of them still prefer the old ways.",
        "Pictures of it hang in the hall, where school classes stop on their way to the river and ask questions.",
        "A former colleague called it the quiet result of patience, good neighbours and a little stubbornness.",
        "Letters to the local paper were mostly kind, and one of them suggested that a feast should be held.",
        "Experts from elsewhere consider it a sensible choice, provided that those concerned keep up their efforts.",
        "Children drew it for a calendar, and the best of the drawings will be shown in the windows of the bakery.",
        "Older residents remember other times, when nobody would have believed that this could ever happen here.",
        "Whether others will follow is an open question, but the mood among those involved remains cheerful and calm.",
    ),
    Lang.ZH: (
        "消息传开以后，附近的居民议论了好些日子，有人还为此编了一段快板。",
        "周边一些地方的同行专程前来打听做法，其中几家表示也想试一试。",
        "起初心存疑虑的人后来渐渐改变了看法，只是仍有少数人念着旧办法。",
        "相关的照片挂在了门厅里，路过的学生常常停下脚步问这问那。",
        "一位早已退休的老同事说，这是耐心、邻里和一点倔脾气换来的结果。",
        "本地报纸收到的读者来信大多语气温和，有人提议办一场庆祝活动。",
        "外地的专家认为这是稳妥的选择，前提是当事各方能够一直坚持下去。",
        "孩子们把它画进了日历，画得最好的几张将贴在面包铺的橱窗里。",
        "上了年纪的人回想起从前，都说那时谁也不敢相信会有这样的事情。",
        "今后会不会有别的地方跟进还很难说，但参与者的心情都十分轻松。",
    ),
}


@dataclass(slots=True)
class Author:
    """Answers each step; ``spoil`` may put something else in place of a reply.

    Attributes:
        spoil: Given the step, the text of the request, and whether it asks for a repair; None lets the reply be.
        asked: How often each step was asked.
    """

    spoil: Callable[[str, str, bool], Reaction | None] = lambda step, text, repair: None
    asked: dict[str, int] = field(default_factory=dict)

    def __call__(self, asked: Asked) -> Reaction:
        messages = asked.body["messages"]
        prompt = messages[1]["content"]
        step = next(name for name in reversed(STEPS) if f'{{"{name}"' in prompt or f'"{name}":' in prompt)
        repair = any(message["role"] == "assistant" for message in messages)
        self.asked[step] = self.asked.get(step, 0) + 1
        spoilt = self.spoil(step, asked.text, repair)
        if spoilt is not None:
            return spoilt
        blocks = [text for _, text in BLOCK.findall(prompt)]
        lang = Lang(language("".join(blocks)))
        return json.dumps(getattr(self, f"_{step}")(prompt, blocks, lang), ensure_ascii=False)

    def _usable(self, prompt: str, blocks: list[str], lang: Lang) -> dict[str, Any]:
        contexts = passages(split_sentences(blocks[0]), lang, *LENGTHS[lang], 8)
        title = re.split(r"Headline: |标题：", prompt)[1].split("\n")[0]
        query = (
            f"“{title}”是怎么回事，有哪些措施和结果？"
            if lang is Lang.ZH
            else f"How did “{title}” come about, and with what results?"
        )
        return {"usable": True, "topic": "news", "kind": "how", "query": query, "contexts": contexts}

    def _facts(self, prompt: str, blocks: list[str], lang: Lang) -> dict[str, Any]:
        segment = Segment(id="s", document="d", title="t", lang=lang.value, sentences=["x"])
        question = Question(kind="how", query="q", contexts=blocks)
        found, _ = extracts(Task(segment, question=question))
        # One that a check must leave out, with a reason.
        lost = {"context": 1, "text": "It is not said how.", "value": "not said how"}
        return {"facts": [{"context": f.context, "text": f.text, "value": f.value} for f in found] + [lost]}

    def _wrong(self, prompt: str, blocks: list[str], lang: Lang) -> dict[str, Any]:
        target = int(re.search(r"fact (\d+) as it is|第 (\d+) 条保持不变", prompt)[0].split(" ")[1])  # type: ignore[index]
        wanted = [i for i in range(1, len(blocks) + 1) if i != target and i % 3 == 0]
        said = "\n".join(blocks)
        out = []
        for i in wanted:
            value = blocks[i - 1].rpartition("[")[2].rstrip("]")
            new = next((w for w in changed(value, i) if w not in said), None)
            if new:
                said += new
                out.append({"fact": i, "wrong": new, "change": "number"})
        return {"wrong": out}

    def _conflict_reason(self, prompt: str, blocks: list[str], lang: Lang) -> dict[str, Any]:
        rich = max(range(len(blocks)), key=lambda i: sum(any(c.isdigit() for c in v) for v in figures(blocks[i])))
        return {"conflict": rich + 1, "conflict_reason": "figures", "ad": 1, "ad_reason": "a beginning"}

    def _passages(self, prompt: str, blocks: list[str], lang: Lang) -> dict[str, Any]:
        low, high = LENGTHS[lang]
        gap = "" if lang is Lang.ZH else " "
        out = []
        for i, detail in enumerate(DETAILS[lang]):
            text = gap.join((blocks[0], detail) if i % 2 else (detail, blocks[0]))
            while text_length(text, lang) < low:
                text = gap.join((text, DETAILS[lang][(i + 3) % 10]))
            out.append(text if text_length(text, lang) <= high else blocks[0] + gap + DETAILS[lang][i][: high // 3])
        return {"passages": out}

    def _pairs(self, prompt: str, blocks: list[str], lang: Lang) -> dict[str, Any]:
        for sentence in split_sentences(blocks[0]):
            for value in figures(sentence):
                for new in changed(value, 3):
                    if len(value) > 2 and sentence.count(value) == 1 and new not in blocks[0]:
                        false = sentence.replace(value, new)
                        pair = {"true": sentence, "false": false, "keyword": new}
                        return {"text": blocks[0].replace(sentence, false), "pairs": [pair]}
        raise AssertionError(f"no figure to change in {blocks[0]}")

    def _indirect(self, prompt: str, blocks: list[str], lang: Lang) -> dict[str, Any]:
        digits = hashlib.sha256(blocks[0].encode()).digest()
        if lang is Lang.ZH:
            name = "".join("岚澍栎珩沅璟霁昶"[b % 8] for b in digits[:3]) + "牌"
            return {
                "names": [name],
                "direct": f"{blocks[0]}现场用的是{name}产品。",
                "indirect": f"{blocks[0]}行业协会推荐使用{name}产品。",
            }
        name = "".join(("zo", "ve", "ki", "ru", "tha", "mel", "qua", "bri")[b % 8] for b in digits[:3]).title() + "x"
        return {
            "names": [name],
            "direct": f"{blocks[0]} Everyone on site used {name} gear.",
            "indirect": f"{blocks[0]} The trade association recommends {name} for this.",
        }
