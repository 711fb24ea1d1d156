"""What makes a run the same run: what its records depend on, and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import saferag
from saferag.experiment.settings import code_hash

ADAPTER = "models/reader_adapter/reader.gguf"


@pytest.fixture
def change(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], bool]:
    """Whether a change of a file changes the hash of the code."""
    files = [
        "pipeline.py",
        "prompts/answer.en.txt",
        ADAPTER,
        "report/html.py",
        "cli/main.py",
    ]
    for name in files:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name)
    monkeypatch.setattr(saferag, "__file__", str(tmp_path / "__init__.py"))

    def changed(name: str) -> bool:
        before = code_hash()
        (tmp_path / name).write_text("something else")
        return code_hash() != before

    return changed


@pytest.mark.parametrize("name", ["pipeline.py", "prompts/answer.en.txt", ADAPTER, "new.py"])
def test_what_a_record_depends_on_makes_another_run(change: Callable[[str], bool], name: str) -> None:
    assert change(name)


@pytest.mark.parametrize("name", ["report/html.py", "cli/main.py"])
def test_a_run_goes_on_when_only_its_report_or_its_command_line_was_changed(
    change: Callable[[str], bool], name: str
) -> None:
    assert not change(name)
