"""Answer length and fact coverage."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from saferag.metrics import Evidence, metrics
from saferag.types import Fact, Failure, Lang, Measurement, Score, Unscored

Make = Callable[..., Evidence]


def measure(name: str, evidence: Evidence) -> Measurement:
    return metrics.build(name).measure(evidence)


@pytest.mark.parametrize(
    ("lang", "answer", "expected"),
    [(Lang.EN, "The kiln fires 40 pots.", 5), (Lang.ZH, "窑炉 每天\n烧制。", 7), (Lang.EN, "", 0), (Lang.ZH, " ", 0)],
)
def test_length_is_words_in_english_and_characters_in_chinese(
    make: Make, lang: Lang, answer: str, expected: float
) -> None:
    assert measure("answer_length", make(lang=lang, answer=answer)) == Score(float(expected))


def test_coverage_is_the_share_of_facts_whose_value_is_said(make: Make) -> None:
    facts = tuple(Fact(f"f{i}", f"It is {v}.", "c/g1", v) for i, v in enumerate(("40 pots", "alder", "a guild", "May")))
    evidence = make(answer="Fed with alder, the kiln fires 40 pots.")
    evidence = replace(evidence, case=replace(evidence.case, facts=facts))

    assert measure("fact_coverage", evidence) == Score(0.5)


def test_coverage_is_not_applicable_without_facts(make: Make) -> None:
    assert measure("fact_coverage", make()) is None


@pytest.mark.parametrize("name", ["answer_length", "refusal_rate"])
def test_an_outage_has_no_length(make: Make, name: str) -> None:
    failure = Failure("generator", "rate_limited", "")

    assert measure(name, make(answer=None, failure=failure)) == Unscored("generator: rate_limited")
