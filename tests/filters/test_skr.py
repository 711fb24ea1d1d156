"""The SKR filter condenses, and the provenance of what it keeps survives."""

from __future__ import annotations

import pytest

from saferag.errors import BadReplyError
from saferag.filters.skr import SKRFilter
from saferag.models.scripted import ScriptedModel
from saferag.prompts import load_prompt
from saferag.types import Context, Filtered, Lang, Passage

CONTEXT = (Passage("a", "one"), Passage("b", "two", source_ids=("b1", "b2")), Passage("c", "three"))


async def run(*replies: str, context: Context = CONTEXT) -> Filtered:
    model = ScriptedModel.from_replies(replies)
    return await SKRFilter(model, load_prompt("skr", Lang.EN)).apply("How high?", context)


async def test_the_summary_is_one_passage_with_the_sources_that_the_model_names() -> None:
    filtered = await run('{"summary": " Both. ", "used": [2, 1]}')
    (summary,) = filtered.kept

    assert (summary.text, summary.provenance) == ("Both.", ("a", "b1", "b2"))
    assert [removal.passage_id for removal in filtered.removed] == ["c"]
    assert summary.id == (await run('{"summary": "Both.", "used": [1, 2]}')).kept[0].id


async def test_an_empty_summary_removes_everything() -> None:
    filtered = await run('{"summary": "", "used": []}')

    assert filtered.kept == ()
    assert [removal.passage_id for removal in filtered.removed] == ["a", "b", "c"]


@pytest.mark.parametrize(
    "bad",
    [
        '{"summary": "x", "used": [4]}',
        '{"summary": "x", "used": [1, 1]}',
        '{"summary": "x", "used": []}',
        '{"summary": "", "used": [1]}',
    ],
)
async def test_sources_that_make_no_sense_are_repaired_once_then_an_error(bad: str) -> None:
    assert (await run(bad, '{"summary": "x", "used": [3]}')).kept[0].provenance == ("c",)
    with pytest.raises(BadReplyError):
        await run(bad, bad)


async def test_an_empty_context_costs_nothing() -> None:
    assert await run(context=()) == Filtered(())
