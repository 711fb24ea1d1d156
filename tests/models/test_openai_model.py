"""What a user can rely on when a server misbehaves: every call ends in a reply or in a typed error."""

from __future__ import annotations

import asyncio
import logging

import pytest

from saferag.errors import (
    BadReplyError,
    ContentFilteredError,
    MissingKeyError,
    ModelError,
    ModelTimeoutError,
    OptionError,
    RateLimitedError,
    RequestRejectedError,
    ServerError,
)
from saferag.models import ChatModel, ChatReply, ChatRequest, Message, models
from saferag.models.openai_wire import MAX_BODY
from saferag.models.traffic import BackoffEvent, Traffic
from saferag.resources import Resources
from servers import Asked, ChatServer, CutInHalf, Disconnect, Fail, Hang, Raw, Reaction, Say, in_turn

HELLO = ChatRequest((Message("user", "hello"),))
FORM = ChatRequest((Message("user", "reply in JSON"),), schema={"type": "object"}, schema_name="form")


def numbered(number: int) -> ChatRequest:
    return ChatRequest((Message("user", f"question {number}"),))


async def say(
    server: ChatServer, resources: Resources, request: ChatRequest = HELLO, **parameters: object
) -> ChatReply:
    """One call through everything that a component uses."""
    model = resources.chat(server.spec(**parameters), "a test")
    try:
        return await model.complete(request)
    finally:
        await resources.close()


async def test_a_reply_carries_text_finish_and_tokens(chat_server: ChatServer, resources: Resources) -> None:
    chat_server.handler = lambda asked: Say("hi", prompt_tokens=7, completion_tokens=3)

    reply = await say(chat_server, resources, temperature=0.5, max_tokens=9)

    assert (
        reply.text,
        reply.finish,
        reply.usage.calls,
        reply.usage.prompt_tokens,
        reply.usage.completion_tokens,
    ) == ("hi", "stop", 1, 7, 3)
    assert {key: chat_server.requests[0].body[key] for key in ("model", "temperature", "max_tokens")} == {
        "model": "test-model",
        "temperature": 0.5,
        "max_tokens": 9,
    }


@pytest.mark.parametrize(
    "trouble",
    [
        Fail(429, "slow down", headers={"Retry-After": "0"}),
        Fail(429, "slow down"),
        Fail(500),
        Fail(503, headers={"Retry-After": "0"}),
        Disconnect(),
        CutInHalf(),
        Raw(b'{"choices": [{"message": {"content": "half'),
        Raw(b"<html>a gateway is unhappy</html>", content_type="text/html"),
        Raw(b'{"error": {"message": "upstream", "code": 502}}'),
    ],
    ids=["429 with Retry-After", "429", "500", "503", "disconnect", "cut", "half JSON", "HTML", "error with 200"],
)
async def test_what_may_pass_is_tried_again_and_shown(
    chat_server: ChatServer, resources: Resources, trouble: Reaction
) -> None:
    events: list[BackoffEvent] = []
    resources.traffic.on_backoff = events.append
    chat_server.handler = in_turn([trouble, trouble, "here you are"])

    reply = await say(chat_server, resources)

    assert reply.text == "here you are"
    assert 3 == len(chat_server.requests) == resources.traffic.sent
    assert [event.attempt for event in events] == [1, 2]
    assert events[0].endpoint.startswith("test-model at 127.0.0.1")


@pytest.mark.parametrize("listens", [True, False])
def test_a_back_off_is_said_once(listens: bool, caplog: pytest.LogCaptureFixture) -> None:
    """By whoever is told of it, or by a warning where nobody is."""
    events: list[BackoffEvent] = []
    traffic = Traffic(on_backoff=events.append if listens else None)
    traffic.back_off(BackoffEvent("m at h", "server", "is down", 1, 0.5, 8))

    warnings = [record for record in caplog.records if record.levelno >= logging.WARNING]
    assert len(events) + len(warnings) == 1


@pytest.mark.parametrize(
    ("trouble", "error"),
    [
        (Fail(429, "slow down"), RateLimitedError),
        (Fail(500), ServerError),
        (Disconnect(), ServerError),
        (CutInHalf(), ServerError),
        (Raw(b"not JSON"), ServerError),
    ],
)
async def test_the_last_failure_is_raised_with_its_type(
    chat_server: ChatServer, resources: Resources, trouble: Reaction, error: type[ModelError]
) -> None:
    chat_server.handler = lambda asked: trouble

    with pytest.raises(error, match="tried 4 times"):
        await say(chat_server, resources)

    assert (len(chat_server.requests), resources.traffic.failed) == (4, 1)


@pytest.mark.parametrize(
    ("trouble", "error", "words"),
    [
        (Fail(400, "this model's maximum context length is 8192 tokens"), RequestRejectedError, "maximum context"),
        (Fail(401, "incorrect key"), RequestRejectedError, "HTTP 401: incorrect key"),
        (Fail(404, "the model `gtp-4` does not exist", "model_not_found"), RequestRejectedError, "does not exist"),
        (Fail(402, "insufficient balance"), RequestRejectedError, "402"),
        (Fail(429, "no more credit", "insufficient_quota"), RateLimitedError, "insufficient_quota"),
        (Fail(429, "slow down", headers={"Retry-After": "100000"}), RateLimitedError, "100000 s, which is too long"),
        (Fail(400, "Content Exists Risk"), ContentFilteredError, "Risk"),
        (Fail(400, "filtered", "content_filter"), ContentFilteredError, "filtered"),
        (Fail(302, headers={"Location": "http://127.0.0.1:1/"}), RequestRejectedError, "302"),
        (Say("something", finish="content_filter"), ContentFilteredError, "withheld"),
        (Say(""), BadReplyError, "empty"),
        (Say(None), BadReplyError, "empty"),
        (Raw(b'{"choices": []}'), BadReplyError, "not a chat completion"),
        (Raw(b"[1, 2]"), BadReplyError, "not a chat completion"),
        (Say("x" * MAX_BODY), BadReplyError, "more than any answer"),
    ],
)
async def test_what_cannot_pass_is_not_tried_again(
    chat_server: ChatServer, resources: Resources, trouble: Reaction, error: type[ModelError], words: str
) -> None:
    chat_server.handler = lambda asked: trouble

    with pytest.raises(error, match=words):
        await say(chat_server, resources)

    assert len(chat_server.requests) == 1


@pytest.mark.parametrize("trouble", [Hang(), Say("late", delay=30)], ids=["hang", "slow first byte"])
async def test_a_server_that_does_not_answer_in_time_is_a_timeout(
    chat_server: ChatServer, resources: Resources, trouble: Reaction
) -> None:
    resources.timeout, resources.retries = 1.0, 1
    chat_server.handler = lambda asked: trouble

    with pytest.raises(ModelTimeoutError, match=r"within 1 s"):
        await say(chat_server, resources)

    assert len(chat_server.requests) == 2


async def test_an_unreachable_server_is_a_server_error_in_one_line(resources: Resources) -> None:
    resources.retries = 0
    model = resources.chat("openai:x(base_url=http://127.0.0.1:9/v1)", "a test")

    with pytest.raises(ServerError) as caught:
        await model.complete(HELLO)

    await resources.close()
    assert "connection failed" in str(caught.value)
    assert "\n" not in str(caught.value)


async def test_a_reply_at_its_length_limit_says_so(chat_server: ChatServer, resources: Resources) -> None:
    chat_server.handler = lambda asked: Say("half a sen", finish="length")

    reply = await say(chat_server, resources)

    assert (reply.finish, reply.usage.truncated) == ("length", 1)


async def test_a_refusal_in_its_own_field_is_the_reply(chat_server: ChatServer, resources: Resources) -> None:
    chat_server.handler = lambda asked: Raw(b'{"choices": [{"message": {"content": null, "refusal": "I will not."}}]}')

    assert (await say(chat_server, resources)).text == "I will not."


async def test_half_a_character_from_either_side_does_no_harm(chat_server: ChatServer, resources: Resources) -> None:
    chat_server.handler = lambda asked: Raw(b'{"choices": [{"message": {"content": "a\\ud83d"}}]}')

    reply = await say(chat_server, resources, ChatRequest((Message("user", "b\ud83d"),)))

    assert (reply.text, chat_server.requests[0].text) == ("a\ufffd", "b\ufffd")


async def test_retry_after_holds_for_the_whole_endpoint(chat_server: ChatServer, resources: Resources) -> None:
    chat_server.handler = in_turn([Fail(429, headers={"Retry-After": "1"}), "fine"])
    model = resources.chat(chat_server.spec(), "a test")
    refused = asyncio.create_task(model.complete(numbered(1)))
    while not resources.traffic.backoffs:
        await asyncio.sleep(0.005)
    other = asyncio.create_task(model.complete(numbered(2)))
    await asyncio.sleep(0.05)

    assert len(chat_server.requests) == 1
    assert [reply.text for reply in await asyncio.gather(refused, other)] == ["fine", "fine"]
    await resources.close()


async def test_a_burst_of_429_halves_the_concurrency_once(chat_server: ChatServer, resources: Resources) -> None:
    events: list[BackoffEvent] = []
    resources.traffic.on_backoff = events.append
    chat_server.handler = lambda asked: Fail(429) if asked.number <= 8 else Say("fine", delay=0.02)
    model = resources.chat(chat_server.spec(), "a test")

    await asyncio.gather(*(model.complete(numbered(i)) for i in range(8)))
    await resources.close()

    assert {4} == {event.concurrency for event in events}


async def test_no_more_requests_are_in_flight_than_allowed(chat_server: ChatServer, resources: Resources) -> None:
    resources.concurrency = 3
    chat_server.handler = lambda asked: Say("fine", delay=0.02)
    # Two specs of one model at one server share its limit.
    warm, cold = (resources.chat(chat_server.spec(temperature=t), "a test") for t in (1, 0))

    await asyncio.gather(*(model.complete(numbered(i)) for i in range(9) for model in (warm, cold)))
    await resources.close()

    assert (len(chat_server.requests), chat_server.most_in_flight) == (18, 3)


async def test_a_cancelled_call_gives_its_place_back(chat_server: ChatServer, resources: Resources) -> None:
    resources.concurrency = 1
    chat_server.handler = lambda asked: Hang() if asked.number == 1 else "fine"
    model = resources.chat(chat_server.spec(), "a test")
    hanging = asyncio.create_task(model.complete(numbered(1)))
    while not chat_server.requests:
        await asyncio.sleep(0.005)
    waiting = asyncio.create_task(model.complete(numbered(2)))
    await asyncio.sleep(0.01)
    hanging.cancel()
    waiting_too = asyncio.create_task(model.complete(numbered(3)))

    assert [reply.text for reply in await asyncio.gather(waiting, waiting_too)] == ["fine", "fine"]
    await resources.close()


@pytest.mark.parametrize(
    ("known", "formats"),
    [
        ({"json_schema"}, ["json_schema", "json_schema"]),
        ({"json_object"}, ["json_schema", "json_object", "json_object"]),
        (set(), ["json_schema", "json_object", None, None]),
    ],
)
async def test_a_form_is_asked_for_in_the_best_way_that_the_server_knows(
    chat_server: ChatServer, resources: Resources, known: set[str], formats: list[str | None]
) -> None:
    def handler(asked: Asked) -> Reaction:
        kind = asked.body.get("response_format", {}).get("type")
        return Say("{}") if kind in {None, *known} else Fail(400, "this response_format type is unavailable now")

    chat_server.handler = handler
    model = resources.chat(chat_server.spec(), "a test")
    await model.complete(FORM)
    await model.complete(ChatRequest(FORM.messages, schema=FORM.schema, sample=1))
    await resources.close()

    assert formats == [asked.body.get("response_format", {}).get("type") for asked in chat_server.requests]


async def test_a_request_that_is_wrong_in_itself_does_not_cost_the_server_its_best_form(
    chat_server: ChatServer, resources: Resources
) -> None:
    chat_server.handler = lambda asked: Fail(400, "too long") if asked.number <= 3 else "{}"
    model = resources.chat(chat_server.spec(), "a test")
    with pytest.raises(RequestRejectedError):
        await model.complete(FORM)
    await model.complete(FORM)
    await resources.close()

    assert chat_server.requests[-1].body["response_format"]["type"] == "json_schema"


async def test_the_newer_name_of_the_length_limit_is_learnt(chat_server: ChatServer, resources: Resources) -> None:
    def handler(asked: Asked) -> Reaction:
        if "max_tokens" in asked.body:
            return Fail(400, "unsupported parameter: use 'max_completion_tokens' instead")
        return Say(str(asked.body["max_completion_tokens"]))

    chat_server.handler = handler

    assert (await say(chat_server, resources, max_tokens=77)).text == "77"


async def test_a_key_reaches_the_server_and_nothing_else(
    chat_server: ChatServer,
    resources: Resources,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Not the identity, a repr, a log, an event, nor an error whose provider repeats it."""
    secret = "sk-very-secret-0123456789"
    monkeypatch.setenv("MY_KEY", secret + "\n")
    monkeypatch.setenv("OPENAI_ORG_ID", "org-mine")
    caplog.set_level(logging.INFO)
    events: list[BackoffEvent] = []
    resources.traffic.on_backoff = events.append
    chat_server.handler = in_turn([Fail(500, f"key {secret} broke it"), Fail(401, f"Incorrect API key: {secret}")])
    model = resources.chat(chat_server.spec(key_env="MY_KEY"), "a test")

    with pytest.raises(RequestRejectedError) as caught:
        await model.complete(HELLO)

    await resources.close()
    assert f"Bearer {secret}" == chat_server.requests[0].headers["Authorization"]
    assert not any("org-mine" in value for value in chat_server.requests[0].headers.values())
    everything = f"{caught.value!r} {model!r} {model.identity} {events} {caplog.text} {resources!r}"
    assert secret not in everything
    assert "***" in str(caught.value)


async def test_a_provider_s_words_are_short_and_safe_to_print(chat_server: ChatServer, resources: Resources) -> None:
    chat_server.handler = lambda asked: Fail(400, "\x1b[31mred\nalert " + "x" * 5000)

    with pytest.raises(RequestRejectedError) as caught:
        await say(chat_server, resources)

    assert len(str(caught.value)) < 300
    assert str(caught.value).isprintable()


def build(spec: str) -> ChatModel:
    return models.build(spec, Resources())


def test_a_missing_key_is_one_line_that_names_the_variable() -> None:
    with pytest.raises(
        MissingKeyError, match=r"^deepseek-chat at api\.deepseek\.com needs a key: .* DEEPSEEK_API_KEY$"
    ):
        build("openai:deepseek")


def test_a_dry_run_needs_no_key() -> None:
    model = models.build("openai:gpt-4o", Resources(dry_run=True))

    assert model.identity["model"] == "gpt-4o"


@pytest.mark.parametrize(
    "spec",
    [
        "openai",
        "openai:x(base_url=ftp://somewhere)",
        "openai:x(base_url=not an address)",
        "openai:x(base_url=http://[::1/v1)",
        "openai:x(base_url=http://127.0.0.1:99999/v1)",
        "openai:x(base_url=https://me:sk-secret@host.example/v1)",
        "openai:x(temperature=warm)",
        "openai:x(temprature=1)",
    ],
)
def test_a_wrong_spec_is_refused_at_once_without_repeating_secrets(spec: str) -> None:
    with pytest.raises(OptionError) as caught:
        build(spec)

    assert "sk-secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("spec", "environment", "url", "name"),
    [
        ("openai:deepseek", {"DEEPSEEK_API_KEY": "k"}, "https://api.deepseek.com/v1", "deepseek-chat"),
        ("openai:gpt-4o", {"OPENAI_API_KEY": "k"}, "https://api.openai.com/v1", "gpt-4o"),
        ("openai:gpt-4o", {"OPENAI_BASE_URL": "http://localhost:1234/v1/"}, "http://localhost:1234/v1", "gpt-4o"),
        ("openai:my/model", {"OPENAI_BASE_URL": "http://127.0.0.2:1/v1"}, "http://127.0.0.2:1/v1", "my/model"),
        ("openai:qwen-7b", {"OPENAI_BASE_URL": "http://else.example"}, "http://127.0.0.1:8000/v1", "Qwen/Qwen-7B-Chat"),
        ("openai:qwen2.5:7b(base_url=http://127.0.0.1:11434/v1)", {}, "http://127.0.0.1:11434/v1", "qwen2.5:7b"),
    ],
)
def test_presets_and_the_environment_say_where_a_model_is(
    spec: str, environment: dict[str, str], url: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for key, value in environment.items():
        monkeypatch.setenv(key, value)

    identity = build(spec).identity

    assert (url, name) == (identity["base_url"], identity["model"])


async def test_a_model_goes_on_in_another_event_loop(chat_server: ChatServer, resources: Resources) -> None:
    """Notebooks and tests call asyncio.run more than once."""
    model = resources.chat(chat_server.spec(), "a test")

    async def once(number: int) -> str:
        reply = await model.complete(numbered(number))
        await model.close()
        return reply.text

    def in_a_loop_of_its_own(number: int) -> str:
        return asyncio.run(once(number))

    texts = [await asyncio.to_thread(in_a_loop_of_its_own, number) for number in (1, 2)]

    assert texts == ["hello", "hello"]
