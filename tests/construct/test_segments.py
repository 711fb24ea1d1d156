"""Segments have more than eight consecutive sentences on one topic; what is none says why."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from saferag.construct.figures import changed, figures
from saferag.construct.passages import passages
from saferag.construct.records import Document
from saferag.construct.segments import MAX_SENTENCES, MIN_SENTENCES, leftovers, segments
from saferag.metrics.containment import stands_in
from saferag.types import Lang


def document(*sections: tuple[str, str]) -> Document:
    paragraphs = [text for section in sections for text in section if text]
    headings = [paragraphs.index(head) for head, _ in sections if head]
    return Document(id="d", path="d.txt", title=sections[0][0], lang="en", paragraphs=paragraphs, headings=headings)


def ferry(count: int) -> str:
    return " ".join(f"The ferry carried {i + 10} lorries over the sound." for i in range(count))


def test_nine_sentences_are_a_segment_and_eight_are_not() -> None:
    found, rejected = segments(document(("Long", ferry(9)), ("Short", ferry(8))))
    assert [(s.id, s.title, len(s.sentences)) for s in found] == [("d-1", "Long", 9)]
    assert [(r.kind, r.reason) for r in rejected] == [("too_short", "8 sentences in a row; a segment has at least 9")]


def test_sentences_without_figures_carry_no_question() -> None:
    dull = " ".join(["The ferry was pleasant and the sound was calm."] * 10)
    assert [r.kind for r in segments(document(("Dull", dull)))[1]] == ["no_substance"]


def test_a_list_of_unrelated_sentences_is_no_segment() -> None:
    nouns = "apple bridge candle dragon engine forest guitar hammer island jacket".split()  # noqa: SIM905
    text = " ".join(f"{noun.title()}{noun[::-1]} weighs {i + 3}." for i, noun in enumerate(nouns))
    text = text.replace("weighs", "=")
    assert [r.kind for r in segments(document(("Mixed", text)))[1]] == ["several_topics"]


def test_a_long_section_is_cut_where_the_topic_changes() -> None:
    bees = " ".join(f"Beekeepers harvested {i + 40} jars of clover honey." for i in range(15))
    found, _ = segments(document(("Both", f"{ferry(15)} {bees}")))
    assert [len(s.sentences) for s in found] == [15, 15]
    assert all(MIN_SENTENCES <= len(s.sentences) <= MAX_SENTENCES for s in found)


def test_what_is_in_no_segment_is_left_over_and_nothing_is_in_both() -> None:
    doc = document(("Long", ferry(9)), ("Short", "Bees hum. Honey is sweet."))
    found, _ = segments(doc)
    assert leftovers(doc, found) == ["Bees hum.", "Honey is sweet."]


def test_figures_come_with_their_units() -> None:
    assert list(figures("It cost 48 million crowns on 14 September, 5 per cent more.")) == [
        "48 million crowns",
        "14 September",
        "5 per cent",
    ]
    assert list(figures("坝高52米，9月18日验收，投资4.7亿元，占14%。")) == ["52米", "9月18日", "4.7亿元", "14%"]


@given(
    st.integers(1, 10**7),
    st.integers(0, 10**6),
    st.sampled_from(["{} crowns", "{}万吨", "{:,} tonnes", "{}%", "{}.5米"]),
)
def test_a_changed_figure_is_another_figure_of_the_same_form(number: int, seed: int, form: str) -> None:
    value = form.format(number)
    for other in changed(value, seed):
        assert other != value and not stands_in(other, value)
        assert other.strip("0123456789.,") == value.strip("0123456789.,")
        assert "," in other or "," not in value or number < 2000


@given(st.lists(st.integers(1, 70), max_size=30), st.integers(1, 9))
def test_passages_keep_order_and_length_and_drop_nothing_that_fits(lengths: list[int], most: int) -> None:
    sentences = [" ".join([f"w{i}"] * n) for i, n in enumerate(lengths)]
    found = passages(sentences, Lang.EN, 30, 60, most)
    assert len(found) <= most
    assert all(30 <= len(p.split()) <= 60 for p in found)
    order = [int(word[1:]) for p in found for word in p.split()]
    assert order == sorted(order)
    if any(30 <= n <= 60 for n in lengths):
        assert found
