"""The card counts right, and text from the data cannot break out of it."""

from __future__ import annotations

from saferag.data import Dataset, load_dataset
from saferag.data.card import card
from saferag.types import Case, Fact, Label, Lang, Option, Passage


def test_it_counts_and_measures() -> None:
    golden = (Passage("c/g1", "It fires forty pots."), Passage("c/g2", "It burns alder."))
    facts = (Fact("f1", "It fires forty pots.", "c/g1", "forty"),)
    options = (
        Option("o1", "It fires forty pots.", Label.CORRECT, "f1", "forty"),
        Option("o2", "It fires sixty pots.", Label.INCORRECT, "f1", "sixty", "forty", change="number"),
    )
    cases = (
        Case("c", Lang.EN, "How does it work?", golden, facts=facts, options=options, topic="culture", kind="how"),
    )
    lines = card(Dataset("mine", cases, sha256="abc")).splitlines()

    assert lines[0] == "# mine"
    assert "- sha256: `abc`" in lines
    assert "| golden passages | 2 | 3 | 3.5 | 4 |" in lines
    assert "| of the facts | 1 | 1 | 50 |" in lines
    assert "| kind of distortion | number 1 |" in lines
    assert "| topic | culture 1 |" in lines


def test_text_from_the_data_cannot_break_out() -> None:
    topic = "a | b\n# c <script> \x1b[31m"
    case = Case("c", Lang.EN, "What?", (Passage("c/g1", "Text."),), topic=topic)
    text = card(Dataset("x|y\n<b>", (case,)))

    assert "<script>" not in text
    assert "\x1b" not in text
    assert "a \\| b # c &lt;script>" in text
    assert text.splitlines()[0] == "# x\\|y &lt;b>"


def test_the_card_of_the_shipped_cases_says_where_they_come_from() -> None:
    text = card(load_dataset())

    for heading in ("## Chinese", "## English", "## Checker", "## How it was made", "## Limits"):
        assert f"\n{heading}\n" in text
    assert "CC BY 4.0" in text
    assert "holds, without exceptions" in text
