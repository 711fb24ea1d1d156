"""A request is paid for once; an error is never kept; a reply is never lost."""

from __future__ import annotations

import asyncio
import sqlite3
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from saferag.errors import ModelError, ServerError, UserError
from saferag.models import ChatModel, ChatReply, ChatRequest, Message
from saferag.models.cache import CachedModel, Flight, request_key
from saferag.models.replies import MemoryReplies, SQLiteReplies
from saferag.models.scripted import ScriptedModel
from saferag.resources import Resources
from saferag.types import Usage
from servers import ChatServer, Fail, Hang, Say, in_turn

HELLO = ChatRequest((Message("user", "hello"),))


@dataclass
class Gate:
    """A model that replies when the test opens the gate, and counts what reaches it."""

    outcome: str | Exception = "hello"
    calls: int = 0
    cancelled: int = 0
    open: asyncio.Event = field(default_factory=asyncio.Event)
    identity: dict[str, str] = field(default_factory=lambda: {"model": "gate"})

    async def complete(self, request: ChatRequest) -> ChatReply:
        self.calls += 1
        try:
            await self.open.wait()
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        if isinstance(self.outcome, Exception):
            raise self.outcome
        return ChatReply(self.outcome, Usage(1, 0, 10, 5))

    async def close(self) -> None:
        pass


async def started(count: int, model: ChatModel, request: ChatRequest = HELLO) -> list[asyncio.Task[ChatReply]]:
    tasks = [asyncio.create_task(model.complete(request)) for _ in range(count)]
    for _ in range(3):
        await asyncio.sleep(0)
    return tasks


@pytest.mark.parametrize("text", ["half \ud800 a pair", "\0\x1b[31m", "十二米 🏺"])
async def test_any_text_is_kept_as_it_is(tmp_path: Path, text: str) -> None:
    store = SQLiteReplies(tmp_path / "replies.sqlite")
    await store.put(b"k" * 32, "model", ChatReply(text))
    store.close()

    assert SQLiteReplies(tmp_path / "replies.sqlite").get(b"k" * 32) == ChatReply(text)


async def test_fifty_identical_requests_in_flight_are_sent_once(chat_server: ChatServer, resources: Resources) -> None:
    chat_server.handler = lambda asked: Say("hello", delay=0.05)
    # Two spellings of one model: what counts is what goes over the wire.
    specs = [chat_server.spec(), chat_server.spec(temperature=0)]
    models = [resources.chat(spec, "a test") for spec in specs]

    replies = await asyncio.gather(*(models[i % 2].complete(HELLO) for i in range(50)))
    await resources.close()

    assert len(chat_server.requests) == 1
    assert {reply.text for reply in replies} == {"hello"}
    assert sum(reply.usage.cached for reply in replies) == 49
    assert resources.traffic.joined == 49


async def test_a_cancelled_first_request_does_not_take_the_others_with_it() -> None:
    gate = Gate()
    model = CachedModel(gate, MemoryReplies())
    first, *others = await started(3, model)
    first.cancel()
    await asyncio.sleep(0)
    gate.open.set()

    assert [(await task).text for task in others] == ["hello", "hello"]
    assert (gate.calls, gate.cancelled) == (1, 0)


async def test_a_request_that_nobody_waits_for_any_more_is_given_up() -> None:
    gate = Gate()
    model = CachedModel(gate, MemoryReplies())
    for task in await started(2, model):
        task.cancel()
    late = asyncio.create_task(model.complete(HELLO))  # in the same moment: it must not join what is being given up
    gate.open.set()

    assert (await late).text == "hello"
    assert (gate.calls, gate.cancelled) == (2, 1)


async def test_a_failure_goes_to_all_who_waited_and_is_not_kept() -> None:
    gate = Gate(ServerError("down"))
    model = CachedModel(gate, MemoryReplies())
    tasks = await started(3, model)
    gate.open.set()
    errors = await asyncio.gather(*tasks, return_exceptions=True)
    gate.outcome = "up again"

    assert [str(error) for error in errors] == ["down"] * 3
    assert len({id(error) for error in errors}) == 3
    assert (await model.complete(HELLO)).text == "up again"


async def test_a_reply_is_found_again_by_the_next_run(tmp_path: Path) -> None:
    said = ChatReply("你好\n\x00", Usage(1, 0, 10, 5), "length")
    for run in range(2):
        script = ScriptedModel.from_replies([said])
        store = SQLiteReplies(tmp_path / "new" / "replies.sqlite")
        reply = await CachedModel(script, store).complete(HELLO)
        store.close()

        assert (reply.text, reply.finish, len(script.requests)) == (said.text, "length", 1 - run)
        assert reply.usage == Usage(1, run, 10, 5)


async def test_everything_that_a_reply_depends_on_is_in_its_key() -> None:
    identity = {"model": "m", "temperature": "0"}
    others = [
        ChatRequest((Message("system", "hello"),)),
        ChatRequest((Message("user", "hello"),), max_tokens=9),
        ChatRequest((Message("user", "hello"),), temperature=1.0),
        ChatRequest((Message("user", "hello"),), schema={"type": "object"}),
        ChatRequest((Message("user", "hello"),), sample=1),
        ChatRequest((Message("user", "hel"), Message("user", "lo"))),
    ]
    keys = {request_key(identity, request) for request in (HELLO, *others)}
    keys.add(request_key({**identity, "temperature": "1"}, HELLO))

    assert len(keys) == len(others) + 2
    assert request_key(dict(reversed(identity.items())), HELLO) in keys


async def test_a_failed_call_over_the_wire_is_sent_again_by_the_next_run(
    chat_server: ChatServer, resources: Resources, tmp_path: Path
) -> None:
    resources.cache_dir, resources.retries = tmp_path, 0
    chat_server.handler = in_turn([Fail(500), "hello"])
    model = resources.chat(chat_server.spec(), "a test")
    with pytest.raises(ModelError):
        await model.complete(HELLO)

    assert (await model.complete(HELLO)).text == "hello"
    await resources.close()
    assert (tmp_path / "replies.sqlite").is_file()


async def test_a_full_disk_costs_no_reply(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    resources = Resources(cache_dir=tmp_path)
    store = resources.replies
    assert isinstance(store, SQLiteReplies)
    store.get(b"")  # open it
    pages = store._open().execute("PRAGMA page_count").fetchone()[0]
    store._open().execute(f"PRAGMA max_page_count={pages}")
    script = ScriptedModel(lambda request: request.messages[0].content * 10_000)
    resources.provide("mine", script)
    model = resources.chat("mine", "a test")

    for _ in range(2):
        for text in "ab":
            assert (await model.complete(ChatRequest((Message("user", text),)))).text == text * 10_000
    await resources.close()

    assert (len(script.requests), resources.traffic.unsaved) == (2, 2)
    assert caplog.text.count("kept in memory") == 1


async def test_a_file_locked_by_somebody_else_is_waited_for(tmp_path: Path) -> None:
    store = SQLiteReplies(tmp_path / "replies.sqlite")
    store.get(b"")
    other = sqlite3.connect(store.path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    putting = asyncio.create_task(store.put(b"k", "m", ChatReply("kept")))
    await asyncio.sleep(0.1)
    pending = not putting.done()
    other.execute("COMMIT")
    other.close()

    assert pending
    assert await putting
    assert store.get(b"k") == ChatReply("kept")
    store.close()


async def test_a_file_locked_for_too_long_costs_no_reply(tmp_path: Path) -> None:
    store = SQLiteReplies(tmp_path / "replies.sqlite", patience=0.05)
    store.get(b"")
    other = sqlite3.connect(store.path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    saved = await store.put(b"k", "m", ChatReply("kept"))
    other.close()

    assert (saved, store.get(b"k")) == (False, ChatReply("kept"))
    store.close()


def test_a_file_that_is_something_else_is_one_clear_line(tmp_path: Path) -> None:
    path = tmp_path / "replies.sqlite"
    path.write_text("this is my diary, " * 100)

    with pytest.raises(UserError, match=r"cannot be used .*delete it") as caught:
        SQLiteReplies(path).get(b"k")

    assert "\n" not in str(caught.value)
    assert path.read_text().startswith("this is my diary")


def test_a_folder_that_cannot_be_made_is_one_clear_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    with pytest.raises(UserError, match="cannot be opened"):
        SQLiteReplies(tmp_path / "file" / "replies.sqlite").get(b"k")


def test_a_file_of_another_format_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "replies.sqlite"
    with sqlite3.connect(path) as other:
        other.execute("PRAGMA user_version=99")
    other.close()

    with pytest.raises(UserError, match="format 99"):
        SQLiteReplies(path).get(b"k")


WRITER = """
import asyncio, sys
from pathlib import Path
from saferag.models import ChatReply
from saferag.models.replies import SQLiteReplies

async def write(first):
    store = SQLiteReplies(Path(sys.argv[1]))
    for i in range(first, first + 50):
        assert await store.put(i.to_bytes(4, "big"), "m", ChatReply(str(i)))
    store.close()

asyncio.run(write(int(sys.argv[2])))
"""


def test_several_processes_share_one_file(tmp_path: Path) -> None:
    path = tmp_path / "replies.sqlite"
    writers = [subprocess.Popen([sys.executable, "-c", WRITER, str(path), str(100 * i)]) for i in range(3)]
    codes = [writer.wait() for writer in writers]
    store = SQLiteReplies(path)
    found = [store.get((100 * i + j).to_bytes(4, "big")) for i in range(3) for j in range(50)]
    store.close()

    assert codes == [0, 0, 0]
    assert found == [ChatReply(str(100 * i + j)) for i in range(3) for j in range(50)]


async def test_a_row_that_cannot_be_read_is_asked_for_again(tmp_path: Path) -> None:
    store = SQLiteReplies(tmp_path / "replies.sqlite")
    script = ScriptedModel.from_replies(["one", "two"])
    model = CachedModel(script, store)
    await model.complete(HELLO)
    store._open().execute("UPDATE replies SET reply = '{broken'")

    assert [(await model.complete(HELLO)).text for _ in range(2)] == ["two", "two"]
    store.close()


async def test_stopping_in_the_middle_leaves_nothing_behind(chat_server: ChatServer, resources: Resources) -> None:
    chat_server.handler = lambda asked: Hang()
    model = resources.chat(chat_server.spec(), "a test")
    tasks = await started(5, model)
    while not chat_server.requests:
        await asyncio.sleep(0.005)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    await resources.close()
    flights: dict[bytes, Flight] = resources.share("flights", dict)

    assert flights == {}
