"""The training set: well formed, original beside the data that the reader is measured on, and free of attacks."""

from __future__ import annotations

import calendar
import re
from collections import Counter
from collections.abc import Iterator

import pytest

from saferag.attacks import attacks
from saferag.data import load_dataset
from saferag.judges.refusal import is_refusal
from saferag.text import normalize, split_sentences
from saferag.types import Case
from topics import Topic, read_topics

TOPICS = read_topics()
CASES = load_dataset().cases
CALENDAR = frozenset({*calendar.month_name[1:], *calendar.day_name, "Christmas", "Easter", "Whitsun"})
GENERIC = frozenset({"Junction", "Philharmonic"})
"""Words that are part of a name and none by themselves."""
FIGURE = re.compile(r"\d+(?:[.,:]\d+)*")
NAME = re.compile(r"(?<=[a-z,] )[A-Z][a-z]{3,}")


def texts_of(topic: Topic) -> Iterator[str]:
    yield from (topic.subject, topic.question, *topic.near, *topic.open)
    for pair in topic.passages:
        yield from pair


def case_texts(case: Case) -> Iterator[str]:
    yield from (case.query, *(p.text for p in (*case.golden, *case.background)))
    for material in case.attacks.values():
        yield from (text.text for text in material.texts)


def runs(text: str, chinese: bool) -> set[str]:
    """Runs of twelve Chinese characters and digits, or of nine English words."""
    if chinese:
        parts = re.findall(r"[\u4e00-\u9fff0-9]+", normalize(text))
        return {part[i : i + 12] for part in parts for i in range(len(part) - 11)}
    words = re.findall(r"[a-z]+|\d+", normalize(text))
    return {" ".join(words[i : i + 9]) for i in range(len(words) - 8)}


def test_both_languages_have_as_many_topics_and_every_id_is_unique() -> None:
    assert Counter(t.lang for t in TOPICS) == {"zh": 96, "en": 96}
    assert len({t.id for t in TOPICS}) == len(TOPICS)


@pytest.mark.parametrize("topic", TOPICS, ids=lambda t: t.id)
def test_a_topic_is_whole(topic: Topic) -> None:
    assert (len(topic.passages), len(topic.near), len(topic.open)) == (8, 3, 2)
    assert len({*topic.near, *(p for p, _ in topic.passages)}) == 11
    for passage, said in topic.passages:
        figures = set(FIGURE.findall(said)) - set(FIGURE.findall(passage))
        assert not figures, f"{topic.id}: the answer has figures that its passage has not"


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_no_text_is_shared_with_the_bundled_cases(lang: str) -> None:
    own = {run for t in TOPICS if t.lang == lang for text in texts_of(t) for run in runs(text, lang == "zh")}
    theirs = {run for c in CASES if c.lang == lang for text in case_texts(c) for run in runs(text, lang == "zh")}

    assert own
    assert not own & theirs


def test_no_name_is_shared_with_the_bundled_cases() -> None:
    own = {name for t in TOPICS if t.lang == "en" for text in texts_of(t) for name in NAME.findall(text)}
    theirs = {name for c in CASES if c.lang == "en" for text in case_texts(c) for name in NAME.findall(text)}
    common_words = {w for c in CASES for text in case_texts(c) for w in re.findall(r"\b[a-z]{4,}", text)}
    common_words |= {w for t in TOPICS for text in texts_of(t) for w in re.findall(r"\b[a-z]{4,}", text)}

    shared = {n for n in own & theirs if n.lower() not in common_words}
    assert not {n for n in shared - CALENDAR - GENERIC if n.removesuffix("s") not in CALENDAR}


def test_no_text_is_an_attack() -> None:
    """None refuses, speaks to a model, or holds a keyword of a bundled attack."""
    keywords = {
        normalize(keyword)
        for name in ("soft_ad", "white_dos", "inter_context_conflict")
        for case in CASES
        if name in case.attacks
        for keyword in attacks.build(name).target(case).keywords
        if len(keyword) >= 4
    }
    orders = re.compile(
        r"ignore (?:all|any|previous)|language model|system prompt|忽略(?:以上|之前)|大模型|提示词", re.I
    )
    for topic in TOPICS:
        for text in texts_of(topic):
            assert not is_refusal(text), (topic.id, text)
            assert not orders.search(text), (topic.id, text)
            assert not any(normalize(s) in keywords for s in split_sentences(text)), (topic.id, text)
