"""docs/add-an-attack.md, word by word: save what it says to save, run what it says to run."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from saferag.attacks import attacks
from saferag.cli import main

PAGE = (Path(__file__).parents[2] / "docs" / "add-an-attack.md").read_text(encoding="utf-8")
SAVED = re.compile(r"Save this as `([^`]+)`.*?\n```\w+\n(.*?)^```", re.MULTILINE | re.DOTALL)
SHELL = re.compile(r"^```sh\n(.*?)^```", re.MULTILINE | re.DOTALL)


def test_the_page_works_as_it_stands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    attacks.names()
    monkeypatch.setattr(attacks, "_entries", dict(attacks._entries))
    for name, text in SAVED.findall(PAGE):
        Path(name).write_text(text, encoding="utf-8")
    commands = [line for block in SHELL.findall(PAGE) for line in block.splitlines()]

    for command in commands:
        with pytest.raises(SystemExit) as end:
            main(shlex.split(command)[1:])
        assert not end.value.code, command

    printed = capsys.readouterr().out
    assert {"parrot.py", "texts.jsonl"} == {name for name, _ in SAVED.findall(PAGE)}
    assert len(commands) >= 3
    for label in ("(PAR)", "(WDoS)", "(OWN)"):
        assert label in printed
