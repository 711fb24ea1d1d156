"""Processes that are stopped, killed, run out of disk or share a run: nothing is lost, nothing runs twice."""

from __future__ import annotations

import json
import os
import random
import resource
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from saferag.data.jsonl import write_cases
from saferag.types import Lang
from servers import Asked, ChatServer, Say
from toy_runs import toy_dataset

CASES = 20
RECORDS = 3 * CASES  # a clean arm and two doors

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Toy cases in our format."""
    path = tmp_path / "toy.jsonl"
    write_cases(path, toy_dataset(CASES, Lang.EN).cases)
    return path


def slow(seconds: float) -> Callable[[Asked], Say]:
    return lambda asked: Say("The dam is 12 m high.", delay=seconds)


class Command:
    """A ``saferag run`` in a process of its own."""

    def __init__(
        self, tmp_path: Path, data: Path, server: ChatServer, out: str, *more: str, cache: str = "cache"
    ) -> None:
        self.out, self.server = tmp_path / out, server
        self.arguments = [
            *(sys.executable, "-c", "from saferag.cli import main; main()", "run"),
            *("--task", "ICC", "--stage", "retrieved_context", "filtered_context", "--data", str(data)),
            *("--retriever", "bm25", "--filter", "off", "--generator", server.spec(), "--out", str(self.out)),
            *("--cache", str(tmp_path / cache), "--json", *more),
        ]

    def start(self, **how: Any) -> subprocess.Popen[str]:
        return subprocess.Popen(self.arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **how)

    def run(self, **how: Any) -> tuple[int, str, str]:
        process = self.start(**how)
        out, err = process.communicate(timeout=60)
        return process.returncode, out, err

    def wait_for(self, requests: int) -> None:
        """Until so many requests have come."""
        deadline = time.monotonic() + 30
        while len(self.server.requests) < requests:
            assert time.monotonic() < deadline, "the run has not come so far"
            time.sleep(0.005)

    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in (self.out / "records.jsonl").read_text(encoding="utf-8").splitlines()]

    def written(self) -> list[str]:
        """The records without what depends on time, in a fixed order."""
        return sorted(
            json.dumps({k: v for k, v in line.items() if k != "took"}, sort_keys=True) for line in self.lines()
        )

    def assert_complete(self) -> None:
        """Every case of every arm has one record, none has two."""
        assert len(self.lines()) == len({(line["arm"], line["case"]) for line in self.lines()}) == RECORDS


def sent_twice(server: ChatServer) -> int:
    return sum(count - 1 for count in Counter(json.dumps(r.body, sort_keys=True) for r in server.requests).values())


@pytest.mark.parametrize("seed", range(2))
def test_a_killed_run_goes_on_and_equals_an_uninterrupted_one(
    tmp_path: Path, data: Path, chat_server: ChatServer, seed: int
) -> None:
    chat_server.handler = slow(0.01)
    whole = Command(tmp_path, data, chat_server, "whole", cache="other")
    ended, expected, _ = whole.run()
    assert ended == 0
    chat_server.requests.clear()
    command = Command(tmp_path, data, chat_server, "killed")
    concurrency = 8

    process = command.start()
    command.wait_for(random.Random(seed).randint(1, 50))
    process.kill()
    process.communicate()
    code, out, _ = command.run()

    assert code == 0
    command.assert_complete()
    assert command.written() == whole.written()
    assert sent_twice(chat_server) <= concurrency  # those in flight, and no other
    assert out == expected


def test_ctrl_c_once_finishes_what_is_in_flight(tmp_path: Path, data: Path, chat_server: ChatServer) -> None:
    chat_server.handler = slow(0.2)
    command = Command(tmp_path, data, chat_server, "stopped", "--concurrency", "4")

    process = command.start()
    command.wait_for(6)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)

    assert process.returncode == 130
    assert "finishing what is in flight" in err
    assert "Traceback" not in err
    assert len(command.lines()) >= 4
    assert all(line["answer"] for line in command.lines())
    assert {json.loads(line)["n_unscored"] for line in out.splitlines()} != {0}  # partial, and marked as such
    chat_server.handler = slow(0)
    assert command.run()[0] == 0
    command.assert_complete()
    assert sent_twice(chat_server) == 0


def test_ctrl_c_twice_stops_at_once(tmp_path: Path, data: Path, chat_server: ChatServer) -> None:
    chat_server.handler = slow(3600)
    command = Command(tmp_path, data, chat_server, "stopped")

    process = command.start()
    command.wait_for(1)
    process.send_signal(signal.SIGINT)
    time.sleep(0.5)
    assert process.poll() is None
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)

    assert process.returncode == 130
    assert "Traceback" not in err
    chat_server.handler = slow(0)
    assert command.run()[0] == 0
    command.assert_complete()


def test_processes_share_a_run_and_nothing_runs_twice(tmp_path: Path, data: Path, chat_server: ChatServer) -> None:
    chat_server.handler = slow(0.05)
    commands = [Command(tmp_path, data, chat_server, "shared", "--concurrency", "4") for _ in range(3)]

    processes = [command.start() for command in commands]
    ends = [process.communicate(timeout=100) for process in processes]

    assert [process.returncode for process in processes] == [0, 0, 0]
    commands[0].assert_complete()
    assert sent_twice(chat_server) == 0
    assert ends[0][0] == ends[1][0] == ends[2][0]


def test_a_process_takes_over_from_one_that_was_killed(tmp_path: Path, data: Path, chat_server: ChatServer) -> None:
    chat_server.handler = slow(3600)
    command = Command(tmp_path, data, chat_server, "shared", "--concurrency", "2")
    dying = command.start()
    command.wait_for(2)
    chat_server.handler = slow(0)
    living = command.start()
    deadline = time.monotonic() + 30
    # All but the two that hang; the others in the dying one's hands wait for a place there, and are claimed.
    while len(chat_server.requests) < 3 and time.monotonic() < deadline:
        time.sleep(0.01)

    dying.kill()
    dying.communicate()
    living.communicate(timeout=60)

    assert living.returncode == 0
    command.assert_complete()


def test_a_full_disk_is_one_line_and_loses_nothing(tmp_path: Path, data: Path, chat_server: ChatServer) -> None:
    command = Command(tmp_path, data, chat_server, "full", "--limit", "20")
    limit = 40_000

    def small_disk() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    code, _, err = command.run(preexec_fn=small_disk)

    assert code == 2
    assert "cannot be written: File too large" in err
    assert "Traceback" not in err
    kept = command.lines()  # whole lines only
    assert command.run()[0] == 0
    command.assert_complete()
    assert command.lines()[: len(kept)] == kept


def test_a_clock_that_jumps_changes_nothing(tmp_path: Path, data: Path, chat_server: ChatServer) -> None:
    jumping = tmp_path / "site"
    jumping.mkdir()
    (jumping / "sitecustomize.py").write_text(
        "import itertools, time\n"
        "real, step = time.time, itertools.count()\n"
        "time.time = lambda: real() + (-1) ** next(step) * 1e8\n",
        encoding="utf-8",
    )
    straight = Command(tmp_path, data, chat_server, "straight", cache="one")
    jumpy = Command(tmp_path, data, chat_server, "jumpy", cache="two")

    assert straight.run()[0] == 0
    assert jumpy.run(env={**os.environ, "PYTHONPATH": str(jumping)})[0] == 0

    jumpy.assert_complete()
    assert jumpy.written() == straight.written()


def test_a_run_is_read_while_it_is_being_written(tmp_path: Path, data: Path, chat_server: ChatServer) -> None:
    from saferag.experiment.store import Store

    chat_server.handler = slow(0.02)
    command = Command(tmp_path, data, chat_server, "live")
    process = command.start()
    command.wait_for(10)
    seen = []
    while process.poll() is None:
        seen.append(len(Store.open(command.out).records))
    process.communicate()

    assert seen == sorted(seen)
    command.assert_complete()
