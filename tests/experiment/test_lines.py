"""Lines that are appended are whole, whoever writes them and however that ends."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saferag.errors import DataError, UserError
from saferag.experiment.lines import append, line, read


@given(before=st.lists(st.text(), max_size=4), torn=st.binary(max_size=200_000).map(lambda b: b.replace(b"\n", b"")))
def test_what_a_killed_writer_left_is_cut_off_by_the_next(
    before: list[str], torn: bytes, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("lines") / "x.jsonl"
    for text in before:
        append(path, line({"text": text}))
    with path.open("ab") as file:
        file.write(torn)
    seen, _ = read(path)

    append(path, line({"text": "next"}))

    assert seen == [{"text": text} for text in before]
    assert read(path)[0] == [*seen, {"text": "next"}]


def test_half_a_surrogate_pair_is_written_as_utf_8_and_comes_back(tmp_path: Path) -> None:
    value = {"text": "broken \ud83d, whole 😀, 中文"}

    append(tmp_path / "x.jsonl", line(value))

    (tmp_path / "x.jsonl").read_text(encoding="utf-8")
    assert read(tmp_path / "x.jsonl")[0] == [value]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_device_is_said_in_one_line() -> None:
    with pytest.raises(UserError, match="cannot be written: No space left on device"):
        append(Path("/dev/full"), line({"a": 1}))


def test_reading_goes_on_where_it_ended(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    append(path, line({"n": 1}))
    _, end = read(path)

    append(path, line({"n": 2}))

    assert read(path, end)[0] == [{"n": 2}]


def test_a_line_that_is_not_json_is_said_with_its_place(tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_bytes(b'{"a": 1}\n{\n')

    with pytest.raises(DataError, match=r"x\.jsonl:2: is not JSON"):
        read(tmp_path / "x.jsonl")


WRITER = """
import sys
from pathlib import Path
from saferag.experiment.lines import append, line
for n in range(200):
    append(Path(sys.argv[1]), line({"writer": sys.argv[2], "n": n, "text": "x" * (n * 37 % 5000)}))
"""


def test_writers_at_once_never_mix_lines(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    writers = [subprocess.Popen([sys.executable, "-c", WRITER, str(path), name]) for name in "abc"]

    assert [writer.wait(60) for writer in writers] == [0, 0, 0]

    found = read(path)[0]
    for name in "abc":
        assert [one["n"] for one in found if one["writer"] == name] == list(range(200))
