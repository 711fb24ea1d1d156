"""The command line as a user meets it: defaults, tables, JSON Lines, and one clear line for every mistake."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from saferag.cli import main
from saferag.cli.run_options import spread
from saferag.data import load_dataset
from saferag.data.jsonl import write_cases
from saferag.types import Lang

QUICK = ["--retriever", "bm25", "--limit", "2", "--lang", "zh"]


class Result:
    """What a command printed and how it ended."""

    def __init__(self, code: int, out: str, err: str) -> None:
        self.code, self.out, self.err = code, out, err


Cli = Callable[..., Result]


@pytest.fixture
def saferag(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cli:
    """Run a command in an empty folder."""
    monkeypatch.chdir(tmp_path)

    def call(*arguments: str) -> Result:
        code = 0
        try:
            main(list(arguments))
        except SystemExit as end:
            code = int(end.code or 0)
        captured = capsys.readouterr()
        return Result(code, captured.out, captured.err)

    return call


def test_json_has_one_object_for_each_cell_condition_and_metric(saferag: Cli) -> None:
    result = saferag("run", *QUICK, "--task", "SN", "ICC", "--stage", "all", "--json")

    rows = [json.loads(line) for line in result.out.splitlines()]
    keys = [(r["task"], r["stage"], r["condition"], r["metric"]) for r in rows]
    assert result.code == 0
    assert len(keys) == len(set(keys))
    assert {r["task"] for r in rows} == {"silver_noise", "inter_context_conflict"}
    assert {r["stage"] for r in rows} == {"knowledge_base", "retrieved_context", "filtered_context"}
    assert set(rows[0]) == {
        "task", "stage", "ratio", "position", "top_k", "retriever", "filter", "generator", "judge", "lang", "seed",
        "condition", "metric", "value", "low", "high", "n", "n_unscored",
        "change", "change_low", "change_high", "p", "p_holm", "n_pairs",
    }  # fmt: skip
    wanted = {"ra_share", "ra_recall", "golden_share", "attack_share", "f1_correct", "f1_incorrect", "f1_avg"}
    assert wanted <= {r["metric"] for r in rows if r["task"] == "silver_noise"}
    assert {"asr", "afr"} <= {r["metric"] for r in rows if r["task"] == "inter_context_conflict"}


def test_json_goes_to_standard_output_alone(saferag: Cli) -> None:
    result = saferag("run", *QUICK, "--task", "WDoS", "--json")

    for line in result.out.splitlines():
        json.loads(line)
    assert "indexing" in result.err


def test_the_table_fits_80_columns_and_has_clean_and_attacked_rows(saferag: Cli) -> None:
    result = saferag("run", *QUICK)

    assert result.code == 0
    assert max(map(len, result.out.splitlines())) <= 80
    for label in ("SN", "ICC", "SA", "WDoS"):
        assert f"({label})" in result.out
    assert len(re.findall(r"^clean ", result.out, re.MULTILINE)) == 4
    assert len(re.findall(r"^filtered ", result.out, re.MULTILINE)) == 4
    assert "\x1b" not in result.out


def test_a_narrow_terminal_gets_every_number(saferag: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    wide = saferag("run", *QUICK, "--task", "SA").out
    monkeypatch.setenv("COLUMNS", "30")

    assert saferag("run", *QUICK, "--task", "SA").out == wide


def test_the_same_command_again_runs_nothing_and_prints_the_same(saferag: Cli) -> None:
    first = saferag("run", *QUICK, "--task", "SA", "--json")
    records = next(Path("runs").glob("*/records.jsonl"))
    before = records.read_bytes()

    second = saferag("run", *QUICK, "--task", "SA", "--json")

    assert second.out == first.out
    assert records.read_bytes() == before


def test_several_values_are_several_cells_however_they_are_written() -> None:
    spaced = spread(["run", "--task", "SN", "ICC", "--json", "--ratio", "1/6", "2/6"])
    repeated = ["run", "--task", "SN", "--task", "ICC", "--json", "--ratio", "1/6", "--ratio", "2/6"]

    assert spaced == repeated
    assert spread(["run", "--ratio=1/6", "2/6", "--limit=2"]) == ["run", "--ratio=1/6", "--ratio", "2/6", "--limit=2"]
    assert spread(["show", "a", "b"]) == ["show", "a", "b"]


def test_show_tells_a_case_as_a_story(saferag: Cli) -> None:
    saferag("run", *QUICK, "--task", "ICC", "--top-k", "6", "--out", "r")
    case = load_dataset().for_attack("inter_context_conflict", Lang.ZH)[0]

    result = saferag("show", "r", "--case", case.id)

    text = result.out.replace("\n", "")
    assert result.code == 0
    for part in (
        "Question:",
        "clean run",
        "attacked at filtered_context",
        "[ATTACK]",
        "[golden]",
        "Answer:",
        "Options",
    ):
        assert part in text
    assert case.id in text


def test_show_without_a_case_prints_the_tables_and_the_cases(saferag: Cli) -> None:
    saferag("run", *QUICK, "--task", "ICC", "--out", "r")

    result = saferag("show", "r")

    assert "(ICC)" in result.out
    assert load_dataset().for_attack("inter_context_conflict", Lang.ZH)[0].id in result.out


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["--stage", "filtered"], "has no such cell; it has: soft_ad at retrieved_context"),
        (["--task", "ICC"], "has no such cell; it has: soft_ad at retrieved_context"),
        (["--case", "zh", "--stage", "knowledge_base"], "has no such cell"),
        (["--task", ","], "--task ',' is not one attack"),
        (["--task", "paper"], "--task 'paper' is not one attack"),
    ],
)
def test_show_says_what_a_run_does_not_have(saferag: Cli, arguments: list[str], line: str) -> None:
    saferag("run", *QUICK, "--limit", "1", "--task", "SA", "--stage", "retrieved_context", "--out", "run")

    result = saferag("show", "run", *arguments)

    assert (result.code, result.out) == (2, "")
    assert line in result.err


@pytest.mark.parametrize(
    "kind", ["attacks", "retrievers", "filters", "generators", "judges", "metrics", "models", "filter"]
)
def test_list_names_the_components(saferag: Cli, kind: str) -> None:
    result = saferag("list", kind)

    assert result.code == 0
    assert max(map(len, result.out.splitlines())) <= 80
    if kind == "retrievers":
        assert {"bm25", "dense", "hybrid", "hybrid-rerank"} <= set(result.out.split())


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["--retriever", "bm52"], "unknown retriever 'bm52' (did you mean 'bm25'?)"),
        (["--filter", "support(threshhold=1)"], "filter 'support' has no parameter 'threshhold'"),
        (["--task", "silver_nose"], "unknown attack 'silver_nose' (did you mean 'silver_noise'?)"),
        (["--stage", "filterd"], "--stage has no 'filterd' (did you mean 'filtered_context'?)"),
        (["--ratio", "7/6"], "ratio '7/6' is outside of 0 to 1"),
        (["--ratio", "half"], "ratio 'half' is not a number"),
        (["--top-k", "0"], "--top-k '0' is not a whole number of at least 1"),
        (["--top-k", "100000"], "--top-k 100000 is larger than the knowledge base"),
        (["--lang", "fr"], "--lang has no 'fr'"),
        (["--split", "train"], "--split 'train' has no cases; the data have: dev, test"),
        (["--judge", "llm"], "needs a chat model: add --model"),
        (["--filter", "nli"], "needs a chat model: add --model"),
        (["--generator", "openai:gpt-4o"], "OPENAI_API_KEY"),
        (["--data", "missing.jsonl"], "missing.jsonl"),
        (["--kb", "somewhere"], "add --data FILE.json"),
        (["--task", ","], "--task has no value"),
        (["--stage", ""], "--stage has no value"),
        (["--retriver", "bm25"], "No such option: --retriver"),
        (["--timeout", "nan"], "Invalid value for '--timeout'"),
    ],
)
def test_a_mistake_is_one_line_that_says_what_to_do(saferag: Cli, arguments: list[str], line: str) -> None:
    result = saferag(
        "run", "--limit", "1", *([] if "--retriever" in arguments else ["--retriever", "bm25"]), *arguments
    )

    assert result.code == 2
    assert line in result.err
    assert len([x for x in result.err.splitlines() if x.startswith("saferag:")]) == 1
    assert "Traceback" not in result.err


def test_a_case_without_attack_texts_is_said(saferag: Cli, tmp_path: Path) -> None:
    from dataclasses import replace

    cases = [replace(case, attacks={}) for case in load_dataset().cases[:2]]
    write_cases(tmp_path / "bare.jsonl", cases)

    result = saferag("run", "--data", "bare.jsonl", "--task", "SA", "--retriever", "bm25")

    assert result.code == 2
    assert "has no" in result.err
    assert "soft_ad (SA)" in result.err


def test_malformed_data_name_file_line_and_field(saferag: Cli, tmp_path: Path) -> None:
    write_cases(tmp_path / "good.jsonl", load_dataset().cases[:1])
    line = json.loads((tmp_path / "good.jsonl").read_text(encoding="utf-8"))
    del line["options"][2]["label"]
    bad = json.dumps(line, ensure_ascii=False) + "\n"
    (tmp_path / "bad.jsonl").write_text((tmp_path / "good.jsonl").read_text(encoding="utf-8") + bad, encoding="utf-8")

    result = saferag("run", "--data", "bad.jsonl", "--retriever", "bm25")

    assert result.code == 2
    assert "bad.jsonl:2: field 'options[2].label'" in result.err


def test_an_output_folder_with_something_else_is_left_alone(saferag: Cli, tmp_path: Path) -> None:
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "thesis.tex").write_text("precious", encoding="utf-8")

    result = saferag("run", *QUICK, "--out", "taken")

    assert result.code == 2
    assert "choose another --out" in result.err
    assert (tmp_path / "taken" / "thesis.tex").read_text(encoding="utf-8") == "precious"


@pytest.mark.parametrize("positions", [["front"], ["front", "back", "spread"]])
def test_no_figure_of_a_table_is_cropped(saferag: Cli, positions: list[str]) -> None:
    where = ["--retriever", "bm25", "--lang", "en", "--limit", "20", "--task", "SA", "ICC", "--position", *positions]

    result = saferag("run", *where)

    rows = [line for line in result.out.splitlines() if line.startswith(("clean", "KB", "retrieved", "filtered"))]
    assert len(rows) == 2 * (2 + 2 * len(positions))
    assert all(line.endswith(" 20/20") for line in rows)
    assert max(map(len, result.out.splitlines())) <= 80
