"""How commands end: one line and an exit code, whatever becomes of the streams that they write to."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

_RUN = (sys.executable, "-c", "from saferag.cli import main; main()")


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["nonsense"], "saferag: No such command 'nonsense'; see saferag --help"),
        (["run", "--qqq"], "saferag: No such option: --qqq; see saferag run --help"),
        (["data", "pack"], "saferag: Missing argument 'sources'; see saferag data pack --help"),
    ],
)
def test_a_wrong_command_line_is_one_line(arguments: list[str], line: str) -> None:
    ended = subprocess.run([*_RUN, *arguments], capture_output=True, text=True, encoding="utf-8", check=False)

    assert (ended.returncode, ended.stdout, ended.stderr) == (2, "", line + "\n")


def test_no_command_prints_the_help_and_a_wanted_help_is_no_error() -> None:
    codes = {}
    for arguments in ((), ("data",), ("--help",), ("run", "--help"), ("--version",)):
        ended = subprocess.run([*_RUN, *arguments], capture_output=True, check=False)
        codes[arguments] = ended.returncode
        assert ended.stdout
        assert not ended.stderr

    assert codes == {(): 2, ("data",): 2, ("--help",): 0, ("run", "--help"): 0, ("--version",): 0}


def test_a_locale_without_chinese_characters_still_gets_utf_8() -> None:
    plain = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONIOENCODING": "ascii"}

    ended = subprocess.run([*_RUN, "data", "card"], capture_output=True, env={**os.environ, **plain}, check=False)

    assert (ended.returncode, ended.stderr) == (0, b"")
    assert ended.stdout.decode("utf-8")


@pytest.mark.parametrize("wanted", [["list"], ["show", "run", "--case", "zh"]])
def test_a_story_can_be_told_where_the_locale_has_no_chinese(wanted: list[str], tmp_path: Path) -> None:
    options = ("--retriever", "bm25", "--limit", "1", "--lang", "zh", "--task", "SA", "--out", "run")
    subprocess.run([*_RUN, "run", *options], capture_output=True, cwd=tmp_path, check=True)
    plain = {**os.environ, "PYTHONIOENCODING": "ascii"}

    ended = subprocess.run([*_RUN, *wanted], capture_output=True, env=plain, cwd=tmp_path, check=False)

    assert (ended.returncode, ended.stderr) == (0, b"")
    assert ended.stdout.decode("utf-8")


def test_a_reader_that_has_gone_is_no_error() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    try:
        ended = subprocess.run([*_RUN, "data", "card"], stdout=writing, stderr=subprocess.PIPE, check=False)
    finally:
        os.close(writing)

    assert (ended.returncode, ended.stderr) == (0, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_output_that_cannot_be_written_is_one_line() -> None:
    with Path("/dev/full").open("wb") as full:
        ended = subprocess.run([*_RUN, "data", "card"], stdout=full, stderr=subprocess.PIPE, check=False)

    assert ended.returncode == 3
    assert ended.stderr.decode().splitlines() == ["saferag: cannot go on: [Errno 28] No space left on device"]


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_streams_do_not_matter(closed: str) -> None:
    ended = subprocess.run(["sh", "-c", f'"$0" "$@" {closed}', *_RUN, "data", "card"], capture_output=True, check=False)

    assert (ended.returncode, ended.stderr) == (0, b"")
