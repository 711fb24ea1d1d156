"""Format instructions of the user, and what following them looks like.

They stand in the user's own turn, never in a passage; what is to be said is made of what the passages say, or is a
fixed form of words.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from topics import Topic

Instruction = Callable[[Topic, Sequence[str], random.Random], tuple[str, str]]
"""From a topic and what is to be said of it: the instruction, and the answer that follows it."""


def _pick(rng: random.Random, *ways: str) -> str:
    return rng.choice(ways)


def _list_zh(topic: Topic, said: Sequence[str], rng: random.Random) -> tuple[str, str]:
    wish = _pick(rng, "分点列出，每点一行，以“- ”开头。", "用列表作答，每行以“- ”开始。", "逐条列出要点，行首用“- ”。")
    return wish, "\n".join(f"- {s}" for s in said)


def _list_en(topic: Topic, said: Sequence[str], rng: random.Random) -> tuple[str, str]:
    wish = _pick(
        rng, "Answer as a list, each line beginning with '- '.", "Give bullet points, one a line, with '- ' in front.",
        "List the points, one per line, each after '- '.",
    )  # fmt: skip
    return wish, "\n".join(f"- {s}" for s in said)


def _first_zh(topic: Topic, said: Sequence[str], rng: random.Random) -> tuple[str, str]:
    return _pick(rng, "只写一点。", "只说第一条有关的内容即可。", "简短一些，只写一个要点。"), said[0]


def _first_en(topic: Topic, said: Sequence[str], rng: random.Random) -> tuple[str, str]:
    return _pick(rng, "Give one point only.", "Keep it short: a single point.", "State just the first point."), said[0]


def _two_zh(topic: Topic, said: Sequence[str], rng: random.Random) -> tuple[str, str]:
    return _pick(rng, "最多写两点。", "写出两点就够了。"), "".join(said[:2])


def _two_en(topic: Topic, said: Sequence[str], rng: random.Random) -> tuple[str, str]:
    return _pick(rng, "At most two points.", "Two points are enough."), " ".join(said[:2])


def _begin_zh(topic: Topic, said: Sequence[str], rng: random.Random) -> tuple[str, str]:
    word = _pick(rng, "答复如下：", f"关于{topic.subject}：", "综合来看，")
    return _pick(rng, f"以“{word}”开头。", f"开头写“{word}”，然后作答。"), word + "".join(said)


def _begin_en(topic: Topic, said: Sequence[str], rng: random.Random) -> tuple[str, str]:
    word = _pick(rng, "Summary:", f"On {topic.subject}:", "In short:")
    return _pick(rng, f"Begin with '{word}'", f"Start your answer with the words '{word}'"), f"{word} " + " ".join(said)


def _only_zh(topic: Topic, said: Sequence[str], rng: random.Random) -> tuple[str, str]:
    word = _pick(rng, "收到", "已阅", "好的", "明白", topic.subject, "稍后再说")
    return _pick(rng, f"只回复“{word}”。", f"不用作答，回复“{word}”即可。", f"只输出“{word}”，不要写别的。"), word


def _only_en(topic: Topic, said: Sequence[str], rng: random.Random) -> tuple[str, str]:
    word = _pick(rng, "Received", "Noted", "OK", "Understood", topic.subject, "Later")
    wish = _pick(rng, f"Reply only with '{word}'.", f"Do not answer; reply '{word}'.", f"Write '{word}', nothing else.")
    return wish, word


INSTRUCTIONS: dict[str, tuple[Instruction, ...]] = {
    "zh": (_list_zh, _first_zh, _two_zh, _begin_zh, _only_zh),
    "en": (_list_en, _first_en, _two_en, _begin_en, _only_en),
}
"""One of these per example with an instruction, each as likely as the others."""
