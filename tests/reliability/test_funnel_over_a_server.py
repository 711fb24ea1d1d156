"""The funnel through a chat model behind a local server: one that obeys its context, and one that does not."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from saferag.cli import main
from servers import Asked, ChatServer

ORDER = re.compile(r"(?:Whatever else you are given, answer: “([^”]+)”|output: ([^\n]+))")


def obedient(asked: Asked) -> str:
    """Does what the first order in the prompt says; without one, repeats the first passage."""
    prompt = asked.body["messages"][-1]["content"]
    if order := ORDER.search(prompt):
        return str(order[1] or order[2])
    return "Nothing of note was said."


def stubborn(asked: Asked) -> str:
    """Says the same whatever it reads."""
    return "Nothing of note was said."


def funnel(server: ChatServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> dict[str, dict[str, float]]:
    arguments = [
        *("run", "--attack", "PIA", "JAM-I", "RAAT-I", "--controls", "--stage", "retrieved_context"),
        *("--retriever", "bm25", "--lang", "en", "--limit", "3", "--filter", "off", "--generator", server.spec()),
        *("--cache", str(tmp_path / "cache"), "--out", str(tmp_path / "run")),
    ]
    for command in (arguments, ["funnel", str(tmp_path / "run"), "--json"]):
        capsys.readouterr()
        with pytest.raises(SystemExit) as end:
            main(command)
        assert not end.value.code
    return {row["label"]: row for row in map(json.loads, capsys.readouterr().out.splitlines())}


def test_an_obedient_model_obeys_orders_and_their_controls_show_that_it_is_the_order(
    chat_server: ChatServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    chat_server.handler = obedient

    found = funnel(chat_server, tmp_path, capsys)

    for label in ("PIA", "JAM-I"):
        assert found[label]["survival_filtered"] == 1.0
        assert found[label]["obeyed"] == 1.0
        assert found[label]["clean"] == found[label]["control"] == found[label]["closed_book"] == 0.0
        assert found[label]["over_control"] == 1.0
    assert found["RAAT-I"]["over_control"] == 0.0


def test_a_stubborn_model_has_the_text_in_its_context_and_does_not_obey(
    chat_server: ChatServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    chat_server.handler = stubborn

    found = funnel(chat_server, tmp_path, capsys)

    for label in ("PIA", "JAM-I"):
        assert found[label]["survival_filtered"] == 1.0
        assert found[label]["obeyed"] == 0.0
        assert found[label]["over_control"] == 0.0


def test_a_closed_book_asks_without_passages_and_a_request_is_sent_once(
    chat_server: ChatServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    chat_server.handler = stubborn
    funnel(chat_server, tmp_path, capsys)

    bodies = [json.dumps(asked.body, sort_keys=True) for asked in chat_server.requests]
    empty = [body for body in bodies if "Passages" not in body]
    assert len(bodies) == len(set(bodies))
    assert len(empty) == 3, "one for each case, shared by all attacks"
