"""The support filter drops what gives no support at all, and nothing else."""

from __future__ import annotations

import pytest

from saferag.errors import OptionError
from saferag.filters import filters
from saferag.filters.support import SupportFilter
from saferag.resources import Resources
from saferag.types import Context, Passage

QUERY = "What did the rebuild of Marlhaven harbour cost?"
COST = Passage("cost", "The rebuild of Marlhaven harbour cost 38 million crowns.")
PAYER = Passage("payer", "Two thirds of 38 million crowns came from a levy.")
CAT = Passage("cat", "A cat sat on a mat.")


async def kept(*context: Passage, query: str = QUERY, **thresholds: float) -> list[str]:
    filtered = await SupportFilter(**thresholds).apply(query, context)
    return [p.id for p in filtered.kept]


async def test_a_passage_without_a_common_term_is_dropped_and_the_reason_says_so() -> None:
    filtered = await SupportFilter().apply(QUERY, (CAT, COST))

    assert filtered.kept == (COST,)
    (removal,) = filtered.removed
    assert removal.passage_id == "cat"
    assert "0% of the question's terms" in removal.reason


async def test_a_passage_that_speaks_of_what_a_supported_one_speaks_of_stays() -> None:
    assert await kept(PAYER, COST) == ["payer", "cost"]
    assert await kept(PAYER) == []


async def test_it_keeps_order_and_passages_as_they_are() -> None:
    context = (COST, PAYER, Passage("s", "Harbour news.", source_ids=("a", "b")))

    assert (await SupportFilter().apply(QUERY, context)).kept == context


async def test_thresholds_drop_more_but_never_all_that_shares_something() -> None:
    weak = Passage("weak", "The harbour is old.")

    assert await kept(weak, COST, min_direct=0.3, min_linked=0.9) == ["cost"]
    assert await kept(weak, min_direct=0.9, min_linked=0.9) == ["weak"]


@pytest.mark.parametrize("context", [(), (CAT,), (CAT, Passage("e", ""))])
async def test_a_context_without_anything_in_common_is_emptied_on_record(context: Context) -> None:
    filtered = await SupportFilter().apply(QUERY, context)

    assert filtered.kept == ()
    assert [r.passage_id for r in filtered.removed] == [p.id for p in context]


async def test_a_question_without_terms_supports_nothing() -> None:
    assert await kept(COST, query="") == await kept(COST, query="什么？") == []


async def test_chinese_is_compared_by_pairs_of_characters() -> None:
    context = (Passage("a", "渡口改造花了38万银叶。"), Passage("b", "猫坐在垫子上。"))

    assert await kept(*context, query="渡口改造花了多少钱？") == ["a"]


@pytest.mark.parametrize("parameters", ["min_direct=-0.1", "min_linked=2"])
def test_a_parameter_outside_of_its_range_is_a_user_error(parameters: str) -> None:
    with pytest.raises(OptionError, match="filter 'support'"):
        filters.build(f"support({parameters})", Resources())
