"""A whole run over a server that misbehaves: whatever happens is counted, and nothing is scored in silence."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from contracts.obliging import obliging
from saferag.cli import main
from saferag.models import ChatRequest, Message
from saferag.models.scripted import ScriptedModel
from servers import Asked, ChatServer, CutInHalf, Disconnect, Fail, Hang, Raw, Reaction, Say

RETRY_AT_ONCE = {"Retry-After": "0"}


def reply_to(model: ScriptedModel, asked: Asked) -> str:
    """What the obliging model says to a request that came over the wire."""
    form = asked.body.get("response_format", {}).get("json_schema", {}).get("schema")
    messages = tuple(Message(m["role"], m["content"]) for m in asked.body["messages"])
    reply = model.handler(ChatRequest(messages, schema=form))
    assert isinstance(reply, str)
    return reply


def run(*arguments: str) -> int:
    try:
        main(["run", *arguments])
    except SystemExit as end:
        return int(end.code or 0)
    return 0


def rows(out: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in out.splitlines()]


@pytest.fixture
def arguments(chat_server: ChatServer, tmp_path: Path) -> list[str]:
    spec = chat_server.spec()
    return [
        *("--retriever", "bm25", "--lang", "en", "--limit", "3", "--stage", "knowledge_base", "--generator", spec),
        *("--filter", "off", "nli", "skr", "--judge", f"llm(model={spec})", "--model", spec, "--timeout", "5"),
        *("--cache", str(tmp_path / "cache"), "--out", str(tmp_path / "run"), "--json"),
    ]


def test_every_kind_of_trouble_that_passes_leaves_no_trace_in_the_results(
    chat_server: ChatServer, arguments: list[str], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    model = obliging()
    trouble: list[Reaction] = [
        Fail(429, headers=RETRY_AT_ONCE),
        Fail(503, headers=RETRY_AT_ONCE),
        Disconnect(),
        CutInHalf(),
        Raw(b"{"),
    ]
    seen: Counter[str] = Counter()

    def first_time_trouble(asked: Asked) -> Reaction:
        seen[asked.text] += 1
        first = seen[asked.text] == 1 and asked.number % 7 == 0
        return trouble[asked.number // 7 % len(trouble)] if first else Say(reply_to(model, asked))

    chat_server.handler = first_time_trouble
    code = run(*arguments)
    bumpy = rows(capsys.readouterr().out)
    repeats = sum(count - 1 for count in seen.values())
    unique = len(seen)
    chat_server.handler = lambda asked: Fail(500, "nothing should be asked for again")
    cached = run(*arguments[:-2], str(tmp_path / "again"), "--json")
    smooth = rows(capsys.readouterr().out)

    assert (code, cached) == (0, 0)
    assert bumpy == smooth
    assert all(row["n_unscored"] == 0 for row in bumpy if row["condition"] == "clean" and row["n"])
    assert len(chat_server.requests) == unique + repeats
    assert repeats > len(trouble)


def test_a_judge_that_talks_nonsense_leaves_its_metrics_unscored(
    chat_server: ChatServer, arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    model = obliging()

    def nonsense_for_judges(asked: Asked) -> Reaction:
        return "All is well." if "statement" in asked.text else reply_to(model, asked)

    chat_server.handler = nonsense_for_judges
    code = run(*arguments, "--task", "SN", "--filter", "off", "--max-errors", "1")
    found = {(str(r["metric"]), str(r["condition"])): r for r in rows(capsys.readouterr().out)}

    assert code == 0
    for condition in ("clean", "attacked"):
        row = found["f1_avg", condition]
        assert (row["value"], row["n"], row["n_unscored"]) == (None, 0, 3)
        assert found["golden_share", condition]["n_unscored"] == 0


def test_an_endpoint_that_never_answers_stops_the_run_with_an_error(
    chat_server: ChatServer, arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    chat_server.handler = lambda asked: Hang()
    code = run(*arguments, "--task", "SN", "--filter", "off", "--timeout", "1", "--retries", "0")
    captured = capsys.readouterr()

    assert code != 0
    assert "no complete reply within 1 s" in captured.err
    assert "Traceback" not in captured.err
