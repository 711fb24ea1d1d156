"""A reply of a given form: read tolerantly, checked strictly, repaired once."""

from __future__ import annotations

import contextlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saferag.errors import BadReplyError, ServerError
from saferag.models import ChatReply, Message
from saferag.models.scripted import ScriptedModel
from saferag.models.structured import ReplyForm, Structured, UnusableReply, ask, parse
from saferag.types import Lang, Usage


class Item(ReplyForm):
    id: int
    reason: str = ""


class Form(ReplyForm):
    items: list[Item]


ONE = Form(items=[Item(id=1, reason="a")])
ASKED = (Message("user", "reply in JSON"),)


@pytest.mark.parametrize(
    "text",
    [
        '{"items": [{"id": 1, "reason": "a"}]}',
        '```json\n{"items": [{"id": 1, "reason": "a"}]}\n```',
        'Sure! Here it is:\n{"items": [{"id": 1, "reason": "a"}]}\nAnything else?',
        '{"items": [{"id": 1, "reason": "a",},],}',
        '{"items": [{"id": "1", "reason": "a"}]}',
        '<think>Perhaps {"items": []}? No.</think>{"items": [{"id": 1, "reason": "a"}]}',
        'The form {"like": "this"} is what you want: {"items": [{"id": 1, "reason": "a"}]}',
        '{"items": [{"id": 1, "reason": "a"}]} {"items": [{"id": 1, "reason": "a"}]}',
        "set {x} then " + '{"items": [{"id": 1, "reason": "a"}]}',
    ],
    ids=["plain", "fence", "prose", "commas", "string id", "reasoning", "other object", "twice the same", "braces"],
)
def test_a_good_reply_in_bad_clothes_is_read(text: str) -> None:
    assert parse(text, Form) == ONE


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "empty"),
        ("   \n", "empty"),
        ("I cannot do that.", "no complete JSON object"),
        ('{"items": [{"id": 1, "reas', "no complete JSON object"),
        ('{"items": [], "extra": 1}', "extra"),
        ('{"items": [{"reason": "no id"}]}', "id"),
        ('{"items": [{"id": 1}], "items": []}', "items"),
        ('{"items": [{"id": NaN}]}', "no complete JSON object"),
        ('{"items": []} {"items": [{"id": 1}]}', "several"),
        ("{" + "[" * 30_000, "no complete JSON object"),
        ('{"a":' * 30_000, "no complete JSON object"),
        ("{" * 300_000, "longer than"),
    ],
)
def test_a_bad_reply_is_refused_with_a_reason(text: str, problem: str) -> None:
    with pytest.raises(UnusableReply, match=problem):
        parse(text, Form)


@given(st.text(max_size=200))
def test_any_text_is_read_or_refused(text: str) -> None:
    with contextlib.suppress(UnusableReply):
        parse(text, Form)


@given(st.text(max_size=30))
def test_a_reason_may_hold_anything(reason: str) -> None:
    form = Form(items=[Item(id=3, reason=reason)])

    assert parse(f"Here:\n```\n{form.model_dump_json()}\n```", Form) == form
    assert parse(json.dumps(form.model_dump()), Form) == form


async def run(*replies: str | ChatReply | Exception) -> tuple[Structured[Form] | None, ScriptedModel]:
    model = ScriptedModel.from_replies(replies)

    def check(form: Form) -> None:
        if any(item.id > 9 for item in form.items):
            raise UnusableReply("there is no item 10")

    return await ask(model, ASKED, Form, lang=Lang.EN, check=check), model


async def test_a_bad_reply_is_sent_back_once_with_what_is_wrong() -> None:
    bad, good = '{"items": [{"id": 10}]}', '{"items": [{"id": 1, "reason": "a"}]}'
    reply, model = await run(ChatReply(bad, Usage(1, 0, 5, 2)), ChatReply(good, Usage(1, 0, 9, 2)))

    assert reply == Structured(ONE, Usage(2, 0, 14, 4))
    assert [message.role for message in model.requests[1].messages] == ["user", "assistant", "user"]
    assert model.requests[1].messages[1].content == bad
    assert "there is no item 10" in model.requests[1].messages[2].content


async def test_two_bad_replies_are_an_error_that_says_why() -> None:
    with pytest.raises(BadReplyError, match=r"unusable reply, twice: .*no complete JSON.*; then: .*no item 10"):
        await run("nonsense", '{"items": [{"id": 10}]}', '{"items": []}')


async def test_an_empty_reply_is_repaired_too() -> None:
    reply, _ = await run(BadReplyError("the reply is empty"), '{"items": []}')

    assert reply is not None
    assert reply.value == Form(items=[])


async def test_a_cut_off_reply_is_told_to_be_shorter() -> None:
    _, model = await run(ChatReply('{"items": [{"id": 1, "rea', finish="length"), '{"items": []}')

    assert "cut off" in model.requests[1].messages[-1].content


async def test_an_outage_is_not_repaired() -> None:
    with pytest.raises(ServerError):
        await run(ServerError("down"), '{"items": []}')


def test_the_schema_for_servers_requires_every_field_and_allows_no_other() -> None:
    schema = Form.schema_for_servers()
    item = schema["$defs"]["Item"]

    assert (item["required"], item["additionalProperties"]) == (["id", "reason"], False)
    assert "default" not in json.dumps(schema)
