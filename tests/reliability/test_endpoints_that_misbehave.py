"""Whole runs against a server that misbehaves: everything is counted, nothing is scored that was not answered."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from running import RecordingProgress, Setup, one_arm
from saferag.errors import ModelError
from saferag.experiment.budget import ErrorBudgetError
from saferag.types import Failure, Unscored
from servers import Asked, CutInHalf, Disconnect, Fail, Hang, Raw, Reaction, Say
from servers import ChatServer as Server

EMPTY = Say("")
WITHHELD = Say(None, finish="content_filter")
NOT_JSON = Raw(b"<html>Bad gateway</html>", content_type="text/html")
HUGE = Say("The dam is 12 m high. " * 500_000)

# What happens to the first request, and how its case ends: answered after a repeat, or failed for good as this kind.
REACTIONS: list[tuple[str, Reaction, str | None]] = [
    ("429 with Retry-After", Fail(429, headers={"Retry-After": "0"}), None),
    ("429 without Retry-After", Fail(429), None),
    ("500", Fail(500), None),
    ("slow first byte", Say("late but whole", delay=0.3), None),
    ("hang", Hang(), None),
    ("disconnect", Disconnect(), None),
    ("disconnect in the middle of the body", CutInHalf(), None),
    ("not JSON", NOT_JSON, None),
    ("empty content", EMPTY, "bad_reply"),
    ("content filter", WITHHELD, "content_filtered"),
    ("wrong model name", Fail(404, "the model does not exist", "model_not_found"), "rejected"),
    ("huge reply", HUGE, "bad_reply"),
]


@pytest.mark.parametrize(("reaction", "kind"), [r[1:] for r in REACTIONS], ids=[r[0] for r in REACTIONS])
def test_a_request_that_goes_wrong_once_is_repeated_or_recorded(
    setup: Setup, chat_server: Server, reaction: Reaction, kind: str | None
) -> None:
    chat_server.handler = lambda asked: reaction if asked.number == 1 else "The dam is 12 m high."
    # Only what never answers may run into the limit, however busy the machine is.
    setup.resources.timeout = 1.0 if isinstance(reaction, Hang) else 60.0

    setup.run(one_arm(chat_server.spec()), max_errors=1.0)

    failures = [f for r in setup.store().records.values() for f in r.failures]
    assert [f.kind for f in failures] == ([] if kind is None else [kind])
    assert len(setup.store().records) == setup.cases
    for record in setup.store().records.values():
        if record.failures:
            assert record.trace.answer is None
            assert isinstance(record.scores["asr"], Unscored)
            assert isinstance(record.scores["f1_incorrect"], Unscored)


def test_an_endpoint_that_never_recovers_stops_the_run_and_keeps_what_was_finished(
    setup: Setup, chat_server: Server
) -> None:
    chat_server.handler = lambda asked: "The dam is 12 m high." if asked.number <= 10 else Fail(500)
    setup.resources.concurrency = 1

    with pytest.raises(ErrorBudgetError, match="more than --max-errors allows"):
        setup.run(one_arm(chat_server.spec()), max_errors=0.1)

    answered = [r for r in setup.store().records.values() if not r.failures]
    assert len(answered) == 10


def test_an_outage_is_made_good_by_the_same_command(setup: Setup, chat_server: Server) -> None:
    down = True

    def handler(asked: Asked) -> Reaction:
        return Fail(500) if down and asked.number % 3 == 0 else "The dam is 12 m high."

    chat_server.handler = handler
    setup.resources.retries = 0
    setup.run(one_arm(chat_server.spec()), max_errors=1.0)
    failed = sum(bool(r.failures) for r in setup.store().records.values())
    before = len(chat_server.requests)
    down = False

    setup.run(one_arm(chat_server.spec()), max_errors=1.0)

    assert failed > 0
    assert len(chat_server.requests) == before + failed
    assert not any(r.failures for r in setup.store().records.values())


def test_back_off_is_told_while_it_happens(setup: Setup, chat_server: Server) -> None:
    chat_server.handler = lambda asked: Fail(429) if asked.number <= 2 else "The dam is 12 m high."
    progress = RecordingProgress()

    setup.run(one_arm(chat_server.spec()), max_errors=1.0, progress=progress)

    assert len(progress.backoffs) == 2
    assert {event.kind for event in progress.backoffs} == {"rate_limited"}


@pytest.mark.parametrize("reply", ["no JSON at all", '{"verdicts": []}', '{"mark": "x", "verdicts": "all of them"}'])
def test_a_judge_that_talks_nonsense_is_unscored_and_never_zero(setup: Setup, chat_server: Server, reply: str) -> None:
    chat_server.handler = lambda asked: reply if "response_format" in asked.body else "The dam is 12 m high."

    setup.run(one_arm(chat_server.spec(), judge="llm"), max_errors=1.0)

    for record in setup.store().records.values():
        assert isinstance(record.judgement, Failure)
        assert record.judgement.kind == "bad_reply"
        assert isinstance(record.scores["f1_incorrect"], Unscored)


def test_identical_requests_of_many_cells_are_sent_once(setup: Setup, chat_server: Server) -> None:
    chat_server.handler = lambda asked: Say("The dam is 12 m high.", delay=0.01)

    setup.run(one_arm(chat_server.spec(), stages="all", filters=("off", "support")), max_errors=0.0)

    asked = [repr(request.body) for request in chat_server.requests]
    assert len(asked) == len(set(asked))
    assert len(asked) < len(setup.store().records)


def test_epochs_repeat_at_a_temperature_and_not_without(setup: Setup, chat_server: Server) -> None:
    setup.run(one_arm(chat_server.spec()), max_errors=0.0)
    cold = len(chat_server.requests)
    setup.out = setup.out.with_name("cold3")
    setup.run(one_arm(chat_server.spec()), max_errors=0.0, epochs=3)
    assert len(chat_server.requests) == cold

    setup.out = setup.out.with_name("warm3")
    setup.run(one_arm(chat_server.spec(temperature=0.7)), max_errors=0.0, epochs=3)

    assert len(chat_server.requests) == 4 * cold
    assert len(setup.store().records) == 3 * setup.cases


def test_a_failing_embedding_server_is_one_error_and_no_score(setup: Setup, chat_server: Server) -> None:
    chat_server.handler = lambda asked: Fail(500)
    retriever = f"dense:endpoint(base_url={chat_server.url},model=m)"

    with pytest.raises(ModelError):
        setup.run(one_arm("extractive", retriever=retriever), max_errors=0.0)

    assert setup.store().records == {}


def test_a_run_leaves_no_task_behind(setup: Setup, chat_server: Server) -> None:
    async def run() -> int:
        await setup.runner(max_errors=0.0).run(setup.arms(one_arm(chat_server.spec())))
        return len(asyncio.all_tasks()) - 1

    setup.make_store(one_arm(chat_server.spec()))

    assert asyncio.run(run()) == 0


def test_what_is_written_holds_no_key(
    setup: Setup, chat_server: Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret-1234567890")
    chat_server.handler = lambda asked: Fail(401, f"wrong key {asked.headers.get('Authorization')}")

    with pytest.raises(ErrorBudgetError) as caught:
        setup.run(one_arm(chat_server.spec()), max_errors=0.0)

    written = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert b"sk-very-secret" not in written
    assert "sk-very-secret" not in str(caught.value)
