"""What a server's answers mean, case by case."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saferag.models.base import ChatReply, ChatRequest, Message
from saferag.models.openai_wire import Dialect, Trouble, clean, read_reply, read_status, retry_after


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "3"}, 3.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after": "3", "retry-after-ms": "250"}, 0.25),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-4"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after-ms": "-1"}, 0.0),
        ({"retry-after": "Wed, 21 Oct 2026 07:28:30 GMT", "date": "Wed, 21 Oct 2026 07:28:00 GMT"}, 30.0),
        ({"retry-after": "Wed, 21 Oct 2026 07:28:00 GMT", "date": "Wed, 21 Oct 2026 07:28:30 GMT"}, 0.0),
        ({"retry-after": "Wed, 21 Oct 2026 07:28:00 GMT"}, None),
    ],
)
def test_a_pause_is_read_in_all_its_forms(headers: dict[str, str], seconds: float | None) -> None:
    """A date is held against the server's own clock, so that a wrong clock here does no harm."""
    assert retry_after(headers) == seconds


@given(st.binary(max_size=400))
def test_any_bytes_are_a_reply_or_a_trouble(content: bytes) -> None:
    assert isinstance(read_reply(content), ChatReply | Trouble)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["choices", "message", "content", "error", "code", "usage", "finish_reason", "text"]), inner
        )
    ),
)


@given(json_values)
def test_any_json_is_a_reply_or_a_trouble(payload: object) -> None:
    import json

    assert isinstance(read_reply(json.dumps(payload).encode()), ChatReply | Trouble)


@given(st.integers(300, 600), json_values)
def test_any_status_is_a_trouble_in_one_line(status: int, body: object) -> None:
    trouble = read_status(status, {}, body)

    assert str(trouble.error).isprintable()


def test_parts_of_a_reply_are_joined() -> None:
    content = b'{"choices": [{"message": {"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}}]}'

    assert read_reply(content) == ChatReply("ab")


def test_what_a_provider_says_loses_whatever_looks_like_a_key() -> None:
    said = clean("key sk-proj-abc123456 and Bearer abcdefgh and mine-is-plain", "mine-is-plain")

    assert said == "key *** and *** and ***"


def test_a_request_s_own_settings_go_before_those_of_the_model() -> None:
    request = ChatRequest((Message("user", "x"),), max_tokens=5, temperature=0.0, sample=3)
    body = Dialect().body(request, "m", {"max_tokens": 99, "temperature": 1.0, "seed": 40, "top_p": None})

    assert {k: v for k, v in body.items() if k != "messages"} == {
        "model": "m",
        "max_tokens": 5,
        "temperature": 0.0,
        "seed": 43,
    }
