"""A grid in a file means what the same words mean on the command line, and a mistake in it is named with its place."""

from __future__ import annotations

from pathlib import Path

import pytest

from saferag.cli.run_options import RunOptions
from saferag.cli.setup import cells_of
from saferag.errors import DataError
from saferag.experiment.grid_file import read_grid

TOML = """
limit = 3
task = ["SN", "ICC"]
lang = "en"
retriever = "bm25"

[[block]]
stage = "all"

[[block]]
stage = "knowledge_base"
ratio = ["1/6", 0.5]
task = "SN"
"""
YAML = """
limit: 3
task: [SN, ICC]
lang: en
retriever: bm25
block:
  - stage: all
  - {stage: knowledge_base, ratio: [1/6, 0.5], task: SN}
"""


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def test_toml_and_yaml_say_the_same(tmp_path: Path) -> None:
    toml = read_grid(write(tmp_path / "g.toml", TOML))

    assert toml == read_grid(write(tmp_path / "g.yaml", YAML))
    assert toml[0] == {"limit": 3}


def test_blocks_are_put_together_and_doubles_dropped(tmp_path: Path) -> None:
    chosen, _, cells = cells_of(RunOptions(grid=write(tmp_path / "g.toml", TOML)))

    settings = [cell.attacked.as_dict() for cell in cells]
    assert chosen.limit == 3
    # Two tasks at three doors, and noise at two ratios of which 3/6 was there already.
    assert len(cells) == 2 * 3 + 1
    assert {(s["task"], s["ratio"]) for s in settings} == {
        ("silver_noise", 0.5), ("inter_context_conflict", 0.5), ("silver_noise", 1 / 6),
    }  # fmt: skip


def test_the_command_line_goes_before_the_file(tmp_path: Path) -> None:
    chosen, _, cells = cells_of(RunOptions(grid=write(tmp_path / "g.toml", TOML), retriever=["hybrid"], limit=2))

    assert chosen.limit == 2
    assert {cell.attacked.retriever for cell in cells} == {"hybrid"}


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("retreiver = 'bm25'", "field 'retreiver': is not a setting of a grid (did you mean 'retriever'?)"),
        ("[[block]]\ntaks = 'SN'", "field 'block[0].taks': is not a setting of a grid (did you mean 'task'?)"),
        ("limit = 0", "field 'limit': must be a whole number of at least 1"),
        ("model = 3", "field 'model': must be a text"),
        ("task = []", "field 'task': must be a text, a number or a list of them"),
        ("task = [true]", "field 'task': must be a text, a number or a list of them"),
        ("block = 3", "field 'block': must be a list of blocks"),
        ("task = [", "cannot be understood"),
    ],
)
def test_a_mistake_is_named_with_its_place(tmp_path: Path, text: str, line: str) -> None:
    with pytest.raises(DataError) as caught:
        read_grid(write(tmp_path / "g.toml", text))

    assert line in str(caught.value)
    assert "g.toml" in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("text", ["- a\n- b", "!!python/object/apply:os.system ['true']", "a: [", "3"])
def test_yaml_that_is_no_grid_is_refused_and_never_run(tmp_path: Path, text: str) -> None:
    with pytest.raises(DataError):
        read_grid(write(tmp_path / "g.yaml", text))
