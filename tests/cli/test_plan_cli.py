"""A plan on the command line: numbers before money, for people and for machines, and nothing leaves the machine."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from saferag.cli import main
from servers import ChatServer

QUICK = ("--retriever", "bm25", "--limit", "2", "--lang", "zh", "--task", "SN", "--stage", "all")


def call(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as end:
        main(list(arguments))
    captured = capsys.readouterr()
    return int(end.value.code or 0), captured.out, captured.err


def test_a_plan_needs_no_key_and_no_server(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = call(capsys, "plan", *QUICK, "--generator", "openai:deepseek", "--filter", "nli", "--judge", "llm")

    assert code == 0
    assert "3 cells, 4 arms, 8 records" in out
    assert "openai:deepseek" in out
    assert "<=" in out
    assert max(map(len, out.splitlines())) <= 80
    assert "Traceback" not in err


def test_the_same_as_one_object(capsys: pytest.CaptureFixture[str], chat_server: ChatServer, tmp_path: Path) -> None:
    prices = tmp_path / "prices.toml"
    prices.write_text('[models]\n"test-model" = [1.0, 2.0]\n', encoding="utf-8")
    options = ("--generator", chat_server.spec(), "--filter", "off", "--prices", str(prices), "--latency", "4")

    code, out, _ = call(capsys, "plan", *QUICK, *options, "--concurrency", "2", "--json")

    plan = json.loads(out)
    (endpoint,) = plan["endpoints"]
    assert code == 0
    assert chat_server.requests == []
    assert plan["exact"]
    # With no filter two of the three doors give the same context, so they share their calls.
    assert endpoint["calls"] == endpoint["exact"] == plan["to_send"] <= 2 * 3
    assert endpoint["seconds"] == endpoint["calls"] * 4 / 2
    cost = (endpoint["prompt_tokens"] * 1.0 + endpoint["completion_tokens"] * 2.0) / 1e6
    assert endpoint["cost_usd"] == pytest.approx(cost, abs=1e-4)


def test_an_unknown_price_is_said_and_never_zero(capsys: pytest.CaptureFixture[str]) -> None:
    options = ("--generator", "openai:nobody(base_url=https://models.example/v1)")

    table = call(capsys, "plan", *QUICK, *options)[1]
    plan = json.loads(call(capsys, "plan", *QUICK, *options, "--json")[1])

    assert "no price is known" in table
    assert plan["cost_usd"] is None


def test_an_embedded_plan_says_that_nothing_is_sent(capsys: pytest.CaptureFixture[str]) -> None:
    assert "nothing would be sent" in call(capsys, "plan", *QUICK)[1]


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["--grid", "missing.toml"], "missing.toml: cannot be read"),
        (["--prices", "missing.toml"], "missing.toml: cannot be read"),
        (["--retriever", "bm52"], "unknown retriever 'bm52' (did you mean 'bm25'?)"),
        (["--judge", "llm"], "needs a chat model"),
    ],
)
def test_a_mistake_is_one_line(capsys: pytest.CaptureFixture[str], arguments: list[str], line: str) -> None:
    code, _, err = call(capsys, "plan", *QUICK, *arguments)

    assert code == 2
    assert line in err
    assert len([x for x in err.splitlines() if x.startswith("saferag:")]) == 1
