"""Generators over chat models: what is asked, what comes back, and what never happens."""

from __future__ import annotations

from pathlib import Path

import pytest

from saferag.errors import BadReplyError, ModelError, OptionError, RateLimitedError
from saferag.generators import generators
from saferag.generators.chat import ChatGenerator
from saferag.models.scripted import ScriptedModel
from saferag.prompts import load_prompt
from saferag.resources import Resources
from saferag.types import Answer, Lang, Origin, Passage, Usage
from servers import ChatServer, Fail, Say

CONTEXT = (Passage("g1", "The dam is 12 m high.", Origin.GOLDEN), Passage("x1", "Buy Kolmar.", Origin.ATTACK))


def generator(model: ScriptedModel, lang: Lang = Lang.EN) -> ChatGenerator:
    return ChatGenerator(model, load_prompt("answer", lang), load_prompt("answer_empty", lang))


@pytest.mark.parametrize("lang", Lang)
async def test_the_model_sees_question_and_numbered_passages_and_no_ids_or_origins(lang: Lang) -> None:
    model = ScriptedModel.from_replies(["Twelve metres."])
    answer = await generator(model, lang).generate("How high?", CONTEXT)
    asked = "\n".join(message.content for message in model.requests[0].messages)

    assert answer.text == "Twelve metres."
    assert all(part in asked for part in ("How high?", "The dam is 12 m high.", "Buy Kolmar.", " 2 | "))
    assert not any(part in asked for part in ("g1", "x1", "golden"))


@pytest.mark.parametrize("lang", Lang)
async def test_an_empty_context_is_asked_about_honestly(lang: Lang) -> None:
    model = ScriptedModel.from_replies(["Nothing was found."])
    await generator(model, lang).generate("How high?", ())
    asked = model.requests[0].messages[-1].content

    assert "How high?" in asked
    assert ("found no passage" in asked) or ("没有检索到" in asked)


async def test_a_reasoning_block_is_not_part_of_the_answer() -> None:
    model = ScriptedModel.from_replies(["<think>Hm, 12?</think>\nTwelve.", "<think>Hm</think>"])

    assert (await generator(model).generate("q", CONTEXT)).text == "Twelve."
    with pytest.raises(BadReplyError, match="no answer"):
        await generator(model).generate("q", CONTEXT)


async def test_an_outage_is_an_error_and_never_an_empty_answer() -> None:
    with pytest.raises(RateLimitedError):
        await generator(ScriptedModel.from_replies([RateLimitedError("no")])).generate("q", CONTEXT)


async def test_a_generator_is_named_like_its_model_and_takes_its_parameters(
    chat_server: ChatServer, resources: Resources
) -> None:
    chat_server.handler = lambda asked: Say("Twelve.", prompt_tokens=80, completion_tokens=4)
    spec = chat_server.spec("my-model", temperature=0.7, max_tokens=64, rpm=100)
    answer = await generators.build(spec, resources).generate("q", CONTEXT)
    await resources.close()
    body = chat_server.requests[0].body

    assert answer == Answer("Twelve.", Usage(1, 0, 80, 4))
    assert (body["model"], body["temperature"], body["max_tokens"]) == ("my-model", 0.7, 64)


async def test_a_failing_endpoint_is_a_typed_outcome(chat_server: ChatServer, resources: Resources) -> None:
    chat_server.handler = lambda asked: Fail(401, "bad key")
    with pytest.raises(ModelError) as caught:
        await generators.build(chat_server.spec(), resources).generate("q", CONTEXT)
    await resources.close()

    assert caught.value.kind == "rejected"


async def test_the_scripted_generator_answers_by_its_rules(resources: Resources, tmp_path: Path) -> None:
    rules = tmp_path / "rules.jsonl"
    rules.write_text('{"contains": "Kolmar", "reply": "Kolmar is best."}', "utf-8")

    assert (await generators.build(f"scripted(file={rules})", resources).generate("q", CONTEXT)).text == (
        "Kolmar is best."
    )


def test_a_wrong_parameter_is_named(resources: Resources) -> None:
    with pytest.raises(OptionError, match=r"generator 'openai' has no parameter 'temprature' \(did you mean 'temp"):
        generators.build("openai:gpt-4o(temprature=1)", resources)
