"""Embeddings and reranking against a server on this machine, well and badly behaved."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable

import pytest

from saferag.embedders.setup import EmbedderChoice, embedder
from saferag.errors import (
    BadReplyError,
    MissingKeyError,
    ModelError,
    ModelTimeoutError,
    RateLimitedError,
    RequestRejectedError,
    ServerError,
)
from saferag.resources import Resources
from saferag.retrievers import retrievers
from saferag.types import Passage
from servers import Asked, ChatServer, CutInHalf, Disconnect, Fail, Hang, Raw, Reaction, in_turn

CORPUS = tuple(Passage(f"p{i}", text) for i, text in enumerate(["old bridge", "new museum", "sea wall", "night ferry"]))


def vectors(asked: Asked) -> Reaction:
    """Embeddings by length of the text, listed backwards."""
    data = [{"index": i, "embedding": [float(len(t)), 1.0]} for i, t in enumerate(asked.body["input"])]
    return Raw(json.dumps({"data": data[::-1]}).encode())


def relevance(asked: Asked) -> Reaction:
    """The longest document is the most relevant; listed backwards."""
    results = [{"index": i, "relevance_score": len(text)} for i, text in enumerate(asked.body["documents"])]
    return Raw(json.dumps({"results": results[::-1]}).encode())


def embed(server: ChatServer, resources: Resources, texts: list[str], **choice: object) -> list[list[float]]:
    made = embedder(resources, EmbedderChoice("endpoint", "m", server.url, **choice))  # type: ignore[arg-type]
    return [list(map(float, row)) for row in made.embed(texts, kind="passage")]


def rerank(server: ChatServer, resources: Resources) -> list[str]:
    spec = f"hybrid-rerank:endpoint(model=m,base_url={server.url},dense=bm25(tokens=bigrams))"
    (ranking,) = retrievers.build(spec, resources).index(CORPUS).search(["bridge"], 2)
    return [hit.passage.id for hit in ranking]


def test_embeddings_come_in_the_order_of_the_texts_in_batches(chat_server: ChatServer, resources: Resources) -> None:
    chat_server.handler = vectors

    rows = embed(chat_server, resources, ["a", "bb", "ccc", "dddd", "bb"], batch=2)

    assert [round(row[0] / row[1]) for row in rows] == [1, 2, 3, 4, 2]
    assert sorted(len(asked.body["input"]) for asked in chat_server.requests) == [2, 2]
    assert {asked.path for asked in chat_server.requests} == {"/v1/embeddings"}
    assert {asked.body["model"] for asked in chat_server.requests} == {"m"}
    assert resources.traffic.sent == 2


def test_templates_surround_questions_and_passages(chat_server: ChatServer, resources: Resources) -> None:
    chat_server.handler = vectors
    frames = "query_template=Q {text},passage_template=P {text}"
    retriever = retrievers.build(f"dense:endpoint(model=m,base_url={chat_server.url},{frames})", resources)

    retriever.index(CORPUS[:1]).search(["which?"], 1)

    assert [asked.body["input"] for asked in chat_server.requests] == [["P old bridge"], ["Q which?"]]


def test_the_key_is_sent_and_never_shown(
    chat_server: ChatServer, resources: Resources, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_KEY", "k-123456789")
    chat_server.handler = lambda asked: Fail(401, "wrong key k-123456789")
    made = embedder(resources, EmbedderChoice("endpoint", "m", chat_server.url, key_env="MY_KEY"))

    with pytest.raises(RequestRejectedError) as caught:
        made.embed(["a"], kind="query")

    assert chat_server.requests[0].headers["Authorization"] == "Bearer k-123456789"
    assert "k-123456789" not in f"{caught.value} {made!r} {made.identity}"


def test_a_key_that_is_missing_is_one_clear_line(resources: Resources) -> None:
    with pytest.raises(MissingKeyError, match="set the environment variable MY_KEY"):
        retrievers.build("dense:endpoint(model=m,base_url=https://example.org/v1,key_env=MY_KEY)", resources)


def test_the_best_documents_come_first(chat_server: ChatServer, resources: Resources) -> None:
    chat_server.handler = relevance

    assert rerank(chat_server, resources) == ["p3", "p0"]
    (asked,) = chat_server.requests
    assert asked.path == "/v1/rerank"
    assert (asked.body["model"], asked.body["query"], asked.body["top_n"]) == ("m", "bridge", 4)


async def test_retrieval_works_while_an_event_loop_runs(chat_server: ChatServer, resources: Resources) -> None:
    chat_server.handler = relevance

    assert asyncio.get_running_loop().is_running()
    assert rerank(chat_server, resources) == ["p3", "p0"]


Call = Callable[[ChatServer, Resources], object]
CALLS = {
    "embeddings": (lambda server, resources: embed(server, resources, ["a"]), vectors),
    "rerank": (rerank, relevance),
}


@pytest.fixture(params=CALLS)
def call(request: pytest.FixtureRequest) -> tuple[Call, Callable[[Asked], Reaction]]:
    made: tuple[Call, Callable[[Asked], Reaction]] = CALLS[request.param]
    return made


@pytest.mark.parametrize(
    "trouble",
    [
        Fail(429, headers={"retry-after-ms": "1"}),
        Fail(429),
        Fail(500),
        Fail(503),
        Raw(b"{broken"),
        Raw(b""),
        CutInHalf(),
        Disconnect(),
    ],
    ids=repr,
)
def test_a_passing_trouble_is_tried_again_and_counted(
    trouble: Reaction,
    call: tuple[Call, Callable[[Asked], Reaction]],
    chat_server: ChatServer,
    resources: Resources,
) -> None:
    ask, well = call
    chat_server.handler = lambda asked: trouble if asked.number < 3 else well(asked)

    ask(chat_server, resources)

    assert len(chat_server.requests) == resources.traffic.sent == 3
    assert (resources.traffic.backoffs, resources.traffic.failed) == (2, 0)


@pytest.mark.parametrize(
    ("trouble", "error", "sent"),
    [
        (Fail(429, headers={"retry-after-ms": "1"}), RateLimitedError, 4),
        (Fail(500), ServerError, 4),
        (Raw(b"{broken"), ServerError, 4),
        (Disconnect(), ServerError, 4),
        (Fail(404, "no such model"), RequestRejectedError, 1),
        (Raw(b"[]"), BadReplyError, 1),
        (Raw(b'{"data": [], "results": []}'), BadReplyError, 1),
        (Raw(b'{"data": [{"index": 0}], "results": [{"index": 0}]}'), BadReplyError, 1),
        (Raw(b"<html>", content_type="text/html"), BadReplyError, 1),
    ],
    ids=repr,
)
def test_a_lasting_trouble_is_a_typed_error(
    trouble: Reaction,
    error: type[ModelError],
    sent: int,
    call: tuple[Call, Callable[[Asked], Reaction]],
    chat_server: ChatServer,
    resources: Resources,
) -> None:
    ask, _ = call
    chat_server.handler = lambda asked: trouble

    with pytest.raises(error):
        ask(chat_server, resources)
    assert len(chat_server.requests) == sent


def test_no_reply_in_time_is_a_timeout(
    call: tuple[Call, Callable[[Asked], Reaction]], chat_server: ChatServer, resources: Resources
) -> None:
    resources.timeout, resources.retries = 0.1, 1
    chat_server.handler = lambda asked: Hang()

    with pytest.raises(ModelTimeoutError, match=r"m at 127\.0\.0\.1:.* within 0\.1 s \(tried 2 times\)"):
        call[0](chat_server, resources)
    assert len(chat_server.requests) == 2


def test_a_server_that_is_not_there(resources: Resources) -> None:
    resources.retries = 1
    made = embedder(resources, EmbedderChoice("endpoint", "m", "http://127.0.0.1:9/v1"))

    with pytest.raises(ServerError, match=r"connection failed.*tried 2 times"):
        made.embed(["a"], kind="query")


@pytest.mark.parametrize(
    "data",
    [
        [{"index": 0, "embedding": [1.0]}, {"index": 0, "embedding": [1.0]}],
        [{"index": 0, "embedding": [1.0]}, {"index": 1, "embedding": [1.0, 2.0]}],
        [{"index": 0, "embedding": [1.0]}, {"index": 1, "embedding": ["x"]}],
        [{"index": 0, "embedding": [1.0]}, {"index": 1, "embedding": [float("nan")]}],
        [{"index": 0, "embedding": 1.0}, {"index": 1, "embedding": 1.0}],
        [{"index": 0, "embedding": []}, {"index": 1, "embedding": []}],
        {"index": 0},
        None,
    ],
    ids=repr,
)
def test_embeddings_that_are_none_are_refused(data: object, chat_server: ChatServer, resources: Resources) -> None:
    chat_server.handler = in_turn([Raw(json.dumps({"data": data}).encode())])

    with pytest.raises(BadReplyError):
        embed(chat_server, resources, ["a", "b"])


@pytest.mark.parametrize("scores", [[1, 2, 3], [1, 2, 3, "x"], [1, 2, 3, float("nan")], [1, 2, 3, 4, 5]], ids=repr)
def test_scores_that_are_none_are_refused(scores: list[object], chat_server: ChatServer, resources: Resources) -> None:
    results = [{"index": i, "relevance_score": score} for i, score in enumerate(scores)]
    chat_server.handler = in_turn([Raw(json.dumps({"results": results}).encode())])

    with pytest.raises(BadReplyError):
        rerank(chat_server, resources)


def test_many_batches_go_side_by_side_within_the_limit(chat_server: ChatServer, resources: Resources) -> None:
    resources.concurrency = 3
    chat_server.handler = vectors

    embed(chat_server, resources, [f"{i:03d}" for i in range(40)], batch=2)

    assert len(chat_server.requests) == 20
    assert chat_server.most_in_flight <= 3
