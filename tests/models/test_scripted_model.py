"""The test double does what it is told, from code and from the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from saferag.errors import BadReplyError, DataError, OptionError, RateLimitedError
from saferag.models import ChatReply, ChatRequest, Message, models
from saferag.models.scripted import ScriptedModel
from saferag.resources import Resources


def asking(text: str) -> ChatRequest:
    return ChatRequest((Message("user", text),))


async def test_a_handler_replies_fails_and_is_recorded() -> None:
    model = ScriptedModel(lambda r: RateLimitedError("no") if "fail" in r.messages[0].content else "yes")

    assert await model.complete(asking("go")) == ChatReply("yes")
    with pytest.raises(RateLimitedError):
        await model.complete(asking("fail"))
    assert model.requests == [asking("go"), asking("fail")]


async def test_replies_come_in_turn_and_end_with_an_error() -> None:
    model = ScriptedModel.from_replies(["one", ChatReply("two", finish="length")])

    assert [await model.complete(asking("x")) for _ in range(2)] == [
        ChatReply("one"),
        ChatReply("two", finish="length"),
    ]
    with pytest.raises(BadReplyError, match="at its end"):
        await model.complete(asking("x"))


async def test_a_spec_can_fix_the_reply() -> None:
    model = models.build("scripted(reply=The dam is 12 m high.)", Resources())

    assert (await model.complete(asking("x"))).text == "The dam is 12 m high."


async def test_the_first_rule_that_fits_counts(tmp_path: Path) -> None:
    rules = tmp_path / "rules.jsonl"
    rules.write_text('{"contains": "水坝", "reply": "十二米"}\n\n{"contains": "", "reply": "other"}\n', "utf-8")
    model = models.build(f"scripted(file={rules})", Resources())

    assert [(await model.complete(asking(q))).text for q in ("水坝有多高？", "x")] == ["十二米", "other"]


async def test_a_line_separator_inside_of_a_rule_does_not_end_its_line(tmp_path: Path) -> None:
    rules = tmp_path / "rules.jsonl"
    rules.write_bytes('{"contains": "", "reply": "one\u2028two\x85"}\r\n'.encode())

    assert (await models.build(f"scripted(file={rules})", Resources()).complete(asking("x"))).text == "one\u2028two\x85"


async def test_no_rule_that_fits_is_an_error_and_never_an_empty_reply(tmp_path: Path) -> None:
    rules = tmp_path / "rules.jsonl"
    rules.write_text('{"contains": "a", "reply": "b"}', "utf-8")

    with pytest.raises(BadReplyError, match=r"no rule of rules\.jsonl"):
        await models.build(f"scripted(file={rules})", Resources()).complete(asking("x"))


@pytest.mark.parametrize("spec", ["scripted", "scripted(reply=a,file=b)"])
def test_it_needs_one_script(spec: str) -> None:
    with pytest.raises(OptionError, match="one of"):
        models.build(spec, Resources())


@pytest.mark.parametrize(
    ("content", "words"),
    [("{", r"rules\.jsonl:1: not JSON"), ('{"contains": "a"}', "field 'reply'"), ("[1]", "field 'contains'")],
)
def test_a_bad_rule_is_named_by_file_line_and_field(tmp_path: Path, content: str, words: str) -> None:
    rules = tmp_path / "rules.jsonl"
    rules.write_text(content)

    with pytest.raises(DataError, match=words):
        models.build(f"scripted(file={rules})", Resources())


def test_a_file_that_is_not_there_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="cannot be read"):
        models.build(f"scripted(file={tmp_path / 'none'})", Resources())
