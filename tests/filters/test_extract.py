"""The extracting filter: fewer sentences, and every passage accounted for."""

from __future__ import annotations

import pytest

from saferag.errors import OptionError
from saferag.filters import filters
from saferag.filters.extract import ExtractFilter
from saferag.resources import Resources
from saferag.types import Filtered, Passage

QUERY = "What did the rebuild of Marlhaven harbour cost?"
COST = "The rebuild of Marlhaven harbour cost 38 million crowns."
CAT = "A cat sat on a mat."


async def extract(*passages: Passage, query: str = QUERY) -> Filtered:
    return await ExtractFilter().apply(query, passages)


async def test_a_passage_is_cut_down_to_what_bears_on_the_question() -> None:
    filtered = await extract(Passage("p", f"{CAT} {COST} Nobody was hurt."))

    assert [(p.id, p.text, p.provenance) for p in filtered.kept] == [("p", COST, ("p",))]


async def test_a_passage_that_needs_no_cut_stays_as_it_is() -> None:
    passage = Passage("p", COST)

    assert (await extract(passage)).kept == (passage,)


async def test_a_repetition_goes_and_its_passage_becomes_a_source() -> None:
    filtered = await extract(Passage("a", COST), Passage("b", COST.replace("crowns", "thalers")), Passage("c", CAT))

    assert [(p.id, p.text, p.source_ids) for p in filtered.kept] == [("a", COST, ("a", "b"))]
    assert [r.passage_id for r in filtered.removed] == ["c"]


async def test_another_figure_is_no_repetition() -> None:
    other = COST.replace("38", "52")

    filtered = await extract(Passage("a", COST), Passage("b", other))

    assert [p.text for p in filtered.kept] == [COST, other]


async def test_the_sources_of_a_summary_survive() -> None:
    filtered = await extract(Passage("s", f"{COST} {CAT}", source_ids=("x", "y")), Passage("t", COST))

    assert [p.source_ids for p in filtered.kept] == [("x", "y", "t")]


async def test_of_a_passage_that_only_a_neighbour_supports_the_fullest_sentence_stays() -> None:
    linked = Passage("l", "It rained. Two thirds of 38 million crowns came from a levy on drinks.")

    filtered = await extract(Passage("c", COST), linked)

    assert [p.text for p in filtered.kept] == [COST, "Two thirds of 38 million crowns came from a levy on drinks."]


async def test_chinese_sentences_stay_together_without_a_space() -> None:
    filtered = await extract(
        Passage("p", "渡口改造花了38万银叶。猫睡着了。改造由州库出钱。"), query="渡口改造花了多少钱？"
    )

    assert [p.text for p in filtered.kept] == ["渡口改造花了38万银叶。改造由州库出钱。"]


async def test_what_shares_nothing_is_removed_with_a_reason() -> None:
    filtered = await extract(Passage("c", CAT), Passage("e", ""))

    assert filtered.kept == ()
    assert [r.passage_id for r in filtered.removed] == ["c", "e"]
    assert all("no sentence shares a term" in r.reason for r in filtered.removed)


async def test_it_never_makes_a_context_longer() -> None:
    context = tuple(Passage(f"p{i}", f"{COST} Part {i} was done by {i + 7} crews. {CAT}") for i in range(30))

    filtered = await extract(*context)

    assert sum(len(p.text) for p in filtered.kept) < sum(len(p.text) for p in context)


@pytest.mark.parametrize("parameters", ["duplicate=0", "duplicate=1.5"])
def test_a_parameter_outside_of_its_range_is_a_user_error(parameters: str) -> None:
    with pytest.raises(OptionError, match="filter 'extract'"):
        filters.build(f"extract({parameters})", Resources())
