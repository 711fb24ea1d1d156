"""The NLI filter drops what the model says gives no support, and nothing else."""

from __future__ import annotations

import pytest

from saferag.errors import BadReplyError, OptionError
from saferag.filters import filters
from saferag.filters.nli import BATCH_CHARACTERS, NLIFilter, batches
from saferag.models import ChatReply, ChatRequest
from saferag.models.scripted import ScriptedModel
from saferag.prompts import load_prompt
from saferag.resources import Resources
from saferag.types import Context, Filtered, Lang, Origin, Passage, Removal, Usage

CONTEXT = tuple(Passage(f"p{i}", f"text {i}", Origin.ATTACK if i == 2 else Origin.GOLDEN) for i in (1, 2, 3))


async def run(model: ScriptedModel, context: Context = CONTEXT, lang: Lang = Lang.EN) -> Filtered:
    return await NLIFilter(model, load_prompt("nli", lang)).apply("How high?", context)


async def test_what_gives_no_support_goes_with_its_reason() -> None:
    reply = ChatReply('{"drop": [{"id": 2, "reason": "about cats"}]}', Usage(1, 0, 50, 9))

    assert await run(ScriptedModel.from_replies([reply])) == Filtered(
        (CONTEXT[0], CONTEXT[2]), (Removal("p2", "about cats"),), Usage(1, 0, 50, 9)
    )


@pytest.mark.parametrize("lang", Lang)
async def test_the_model_sees_the_question_and_the_texts_and_no_ids_or_origins(lang: Lang) -> None:
    model = ScriptedModel.from_replies(['{"drop": []}'])
    await run(model, lang=lang)
    asked = "\n".join(message.content for message in model.requests[0].messages)

    assert all(part in asked for part in ("How high?", "text 1", "text 2", "text 3", "JSON"))
    assert not any(part in asked for part in ("p1", "p2", "attack", "golden"))


@pytest.mark.parametrize("bad", ['{"drop": [{"id": 4}]}', '{"drop": [{"id": 0}]}', '{"drop": [{"id": 1}, {"id": 1}]}'])
async def test_numbers_that_make_no_sense_are_repaired_once_then_an_error(bad: str) -> None:
    repaired = await run(ScriptedModel.from_replies([bad, '{"drop": []}']))

    assert repaired.kept == CONTEXT
    with pytest.raises(BadReplyError):
        await run(ScriptedModel.from_replies([bad, bad]))


async def test_an_empty_context_costs_nothing() -> None:
    assert await run(ScriptedModel.from_replies([]), ()) == Filtered(())


async def test_a_long_context_is_judged_in_batches_and_keeps_its_order() -> None:
    context = tuple(Passage(f"p{i}", f"text {i} " + "x" * 1000) for i in range(30))

    def handler(request: ChatRequest) -> str:
        return '{"drop": [{"id": 1, "reason": "first of its batch"}]}'

    model = ScriptedModel(handler)
    filtered = await run(model, context)
    dropped = {removal.passage_id for removal in filtered.removed}

    assert len(model.requests) == len(dropped) > 1
    assert filtered.kept == tuple(p for p in context if p.id not in dropped)


def test_batches_lose_nothing_and_one_giant_passage_is_a_batch_of_its_own() -> None:
    context = (*CONTEXT, Passage("giant", "x" * 5 * BATCH_CHARACTERS), Passage("last", "y"))
    parts = list(batches(context))

    assert tuple(p for part in parts for p in part) == context
    assert [len(part) for part in parts] == [3, 1, 1]


def test_without_a_model_it_says_what_to_add() -> None:
    with pytest.raises(OptionError, match="filter 'nli' needs a chat model: add --model"):
        filters.build("nli", Resources())


async def test_it_takes_a_model_of_its_own(resources: Resources) -> None:
    resources.model = "scripted(reply=never asked)"
    nli = filters.build('nli(model=scripted(reply={"drop": []}))', resources)

    assert (await nli.apply("q", CONTEXT)).kept == CONTEXT
