"""A reproduction runs the paper's cells and sets its numbers beside ours, and says what is not as in the paper."""

from __future__ import annotations

import contextlib
import json
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

from saferag.cli import main
from saferag.experiment.published import load_published
from saferag.experiment.reproduction import (
    OLDER,
    Block,
    Components,
    Point,
    Preset,
    Reproduction,
    cells_of,
    deviations,
)
from saferag.injection import Stage
from saferag.types import Condition, Lang

PARTS = Components(("dense", "bm25"), ("support", "off", "extract"), ("extractive",), "rule")
TASKS = ("silver_noise", "inter_context_conflict", "soft_ad", "white_dos")


def blocks(preset: Preset = Preset.PAPER, parts: Components = PARTS, tasks: tuple[str, ...] = TASKS) -> list[Block]:
    return list(Reproduction(parts, Lang.ZH, preset, tasks).blocks())


def points(found: list[Block], title: str, series: str) -> list[Point]:
    (row,) = (s for b in found if title in b.title for s in b.series if s.label == series)
    return list(chain.from_iterable(row.fields))


def test_the_noise_curve_goes_from_the_clean_run_to_a_window_full_of_it() -> None:
    curve = points(blocks(), "F1 (avg), stages", "retrieved")

    assert [p.condition for p in curve] == [Condition.CLEAN] + [Condition.ATTACKED] * 6
    assert [p.cell.attacked.plan.count for p in curve[1:]] == [1, 2, 3, 4, 5, 6]
    assert {p.cell.attacked.plan.stage for p in curve[1:]} == {Stage.RETRIEVED_CONTEXT}
    assert [p.published for p in curve] == [0.528, 0.486, 0.440, 0.358, 0.323, 0.238, 0.176]


def test_before_and_after_are_one_cell() -> None:
    before, after, *_ = points(blocks(), "after the attack, retrievers", "bm25")

    assert (before.condition, after.condition) == (Condition.CLEAN, Condition.ATTACKED)
    assert before.cell == after.cell
    assert (before.published, after.published) == (0.665, 0.396)


def test_the_clean_design_varies_one_thing_and_the_published_code_confounds_two() -> None:
    clean, confounded = blocks(), blocks(Preset.PUBLISHED_CODE)

    def arms(found: list[Block], panel: str, label: str) -> set[tuple[Stage, str]]:
        cells = [p.cell.attacked for p in points(found, f"F1 (avg), {panel}", label)[1:]]
        return {(arm.plan.stage, arm.filter) for arm in cells}

    assert arms(clean, "stages", "filtered") == {(Stage.FILTERED_CONTEXT, "support")}
    assert arms(clean, "filters", "off") == {(Stage.KNOWLEDGE_BASE, "off")}
    both = {(Stage.RETRIEVED_CONTEXT, "off")}
    assert arms(confounded, "stages", "filtered") == arms(confounded, "filters", "off") == both


def test_the_papers_generators_are_held_against_table_4() -> None:
    parts = Components(("bm25",), ("off",), ("openai:deepseek", "openai:gpt-4o", "extractive"), "llm")

    found = blocks(parts=parts)

    table = "generators under attack"
    assert [p.published for p in points(found, table, "openai:gpt-4o")] == [0.1229, 0.3615, 0.68, 0.37, 0.3196, 0.28]
    assert {p.published for p in points(found, table, "extractive")} == {None}


def test_the_funnel_holds_the_older_attacks_too() -> None:
    funnel = next(Reproduction(PARTS, Lang.ZH, Preset.PAPER, TASKS, OLDER).blocks())

    assert [s.label for s in funnel.series] == [
        "white_dos", "silver_noise", "soft_ad", "inter_context_conflict", *OLDER,
    ]  # fmt: skip
    assert [p.published for p in points([funnel], "attack text", "jamming_insufficient")] == [1.0, 0.28, 0.25]


def test_the_published_numbers_have_the_shape_of_the_paper() -> None:
    _, _, parts = load_published()

    assert all(len(v) == 7 for name in ("figure_5_f1", "figure_5_ra") for v in parts[name].series.values())
    for name in ("figure_1", "figures_6_9_10", "table_4", "table_2"):
        assert all(len(values) == len(parts[name].columns) for values in parts[name].series.values())
    assert len(parts["table_4"].series) == 8


@pytest.mark.parametrize("task", TASKS)
def test_one_task_alone_can_be_reproduced(task: str) -> None:
    found = blocks(tasks=(task,))

    assert {cell.attacked.task for cell in cells_of(found)} == {task}


def test_what_is_not_as_in_the_paper_is_said() -> None:
    ours = " ".join(deviations(PARTS, Preset.PAPER, "saferag-open", None))
    theirs = deviations(
        Components(("dense",), ("nli", "off", "skr"), ("openai:deepseek",), "llm"), Preset.PUBLISHED_CODE, "x", 5
    )

    for part in ("extractive", "support and extract", "rule", "12: other data", "all cases"):
        assert part in ours
    assert not any("not one of the paper's" in line or "rule" in line or "12:" in line for line in theirs)
    assert any("5 cases of each task" in line for line in theirs)


@pytest.fixture
def reproduced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    monkeypatch.chdir(tmp_path)
    with contextlib.suppress(SystemExit):
        main(["reproduce", "--retriever", "bm25", "--limit", "2", "--lang", "zh", "--task", "SN", "ICC", "--out", "r"])
    out = capsys.readouterr().out
    saved = json.loads((tmp_path / "r" / "reproduce.json").read_text(encoding="utf-8"))
    return {"out": out, "md": (tmp_path / "r" / "reproduce.md").read_text(encoding="utf-8"), **saved}


def test_terminal_markdown_and_json_say_the_same(reproduced: dict[str, Any]) -> None:
    numbers = reproduced["numbers"]
    curve = [n for n in numbers if n["title"].endswith("RA, stages") and n["series"] == "retrieved"]

    assert max(map(len, reproduced["out"].splitlines())) <= 80
    shown = [f"{n['value']:.2f}".replace("0.", ".") for n in curve]
    assert "| retrieved | ours | " + " | ".join(shown) + " |" in reproduced["md"]
    for part in ("Figure 1", "Figure 5", "Figures 6, 9, 10", "Table 4, Figure 11"):
        assert part in reproduced["out"]
        assert f"## {part} " in reproduced["md"]
    for number in numbers:
        if number["value"] is not None and number["published"] is not None:
            assert number["difference"] == pytest.approx(number["value"] - number["published"])
    assert all(line in reproduced["md"] for line in reproduced["deviations"])


def test_what_the_experiments_decide_cannot_be_chosen(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(["reproduce", "--stage", "knowledge_base"])

    assert end.value.code == 2
    assert "--stage is decided by the paper's experiments" in capsys.readouterr().err
