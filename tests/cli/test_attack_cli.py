"""Attacks on the command line: groups, own texts, the funnel, crafting and the adaptive attacker."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from saferag.attacks.groups import groups
from saferag.cli import main
from saferag.data import load_dataset
from saferag.data.jsonl import write_cases
from saferag.types import Case, Lang

QUICK = ["--retriever", "bm25", "--lang", "en"]
Cli = Callable[..., tuple[int, str, str]]


@pytest.fixture
def saferag(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cli:
    """Call the command line in an empty folder; returns exit code, output and errors."""
    monkeypatch.chdir(tmp_path)

    def call(*arguments: str) -> tuple[int, str, str]:
        code = 0
        try:
            main(list(arguments))
        except SystemExit as end:
            code = int(end.code or 0)
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return call


def test_all_attacks_in_one_run_are_a_funnel_with_controls(saferag: Cli) -> None:
    code, out, err = saferag(
        "run", *QUICK, "--limit", "2", "--attack", "all", "--stage", "retrieved_context", "--controls", "--out", "r"
    )

    assert code == 0, err
    assert max(map(len, out.splitlines())) <= 80
    for label in ("SN", "ICC", "WDoS", "CLASH", "CR-AS", "HIJACK", "PIA", "MULTI", "TYPO"):
        assert any(line.startswith(f"{label} ") for line in out.splitlines()), label
    assert saferag("funnel", "r")[1].splitlines() == out.splitlines()


def test_the_funnel_for_machines(saferag: Cli) -> None:
    saferag("run", *QUICK, "--limit", "2", "--attack", "refusal", "--stage", "filtered_context", "--out", "r")

    rows = [json.loads(line) for line in saferag("funnel", "r", "--json")[1].splitlines()]

    assert {row["goal"] for row in rows} == {"refusal"}
    assert {row["task"] for row in rows} <= set(groups()["refusal"])
    assert all(row["control"] is None for row in rows)


def test_a_group_leaves_out_what_the_data_have_no_texts_for_and_a_name_does_not(saferag: Cli, tmp_path: Path) -> None:
    case = next(c for c in load_dataset().cases if c.lang is Lang.EN)
    write_cases(tmp_path / "d.jsonl", [replace(case, id="mine", options=(), attacks={}, **moved(case))])
    where = ["--data", "d.jsonl", "--retriever", "bm25", "--stage", "filtered_context", "--top-k", "2"]

    code, _, err = saferag("run", *where, "--attack", "field")
    assert code == 0, err
    assert "left out, because the data have no texts for them" in err
    assert "blind (en)" in err

    code, _, err = saferag("run", *where)
    assert code == 0, err
    assert "left out, because the data have no texts for them: silver_noise (en)" in err

    code, _, err = saferag("run", *where, "--attack", "blind")
    assert code == 2
    assert "no en case with attack texts for blind" in err


def moved(case: Case) -> dict[str, Any]:
    """The passages and facts of a case under the id ``mine``."""

    def own(i: str) -> str:
        return "mine/" + i.rpartition("/")[2]

    return {
        "golden": tuple(replace(p, id=own(p.id)) for p in case.golden),
        "background": tuple(replace(p, id=own(p.id)) for p in case.background),
        "facts": tuple(replace(f, passage_id=own(f.passage_id)) for f in case.facts),
    }


def test_a_model_writes_texts_and_a_run_takes_them(saferag: Cli) -> None:
    arguments = ["--model", "scripted(reply=The records contradict one another.)", "--limit", "2", "--lang", "en"]
    attack = ["--attack", "jamming_insufficient_document"]

    code, _, err = saferag("craft", *arguments, *attack, "--out", "t.jsonl")
    assert code == 0
    assert "2 texts, 0 failed" in err
    first = Path("t.jsonl").read_bytes()
    saferag("craft", *arguments, *attack, "--out", "t.jsonl")
    assert Path("t.jsonl").read_bytes() == first

    code, out, err = saferag("run", *QUICK, "--attack-texts", "t.jsonl", "--stage", "filtered_context", "--json")
    rows = [json.loads(line) for line in out.splitlines()]
    assert code == 0, err
    assert {row["task"] for row in rows} == {"jamming_insufficient_document"}


def test_a_model_that_writes_nothing_of_use_is_said(saferag: Cli) -> None:
    code, _, err = saferag(
        "craft", "--model", "scripted(reply=no)", "--attack", "blind", "--limit", "1", "--out", "t.jsonl"
    )

    assert code == 2
    assert "is not in the reply" in err
    assert saferag("craft", "--model", "scripted(reply=no)", "--attack", "white_dos", "--out", "t.jsonl")[0] == 2


def test_an_adaptive_attacker_chooses_on_dev_and_reports_on_test(saferag: Cli) -> None:
    code, out, err = saferag(
        "adapt", *QUICK, "--attack", "lrii_related", "--stage", "filtered_context", "--limit", "3", "--budget", "40",
        "--json", "--out", "a",
    )  # fmt: skip
    rows = [json.loads(line) for line in out.splitlines()]
    splits = {case.id: case.split for case in load_dataset().cases}

    assert code == 0, err
    assert any(row["chosen"] for row in rows)
    for folder in Path("a").iterdir():
        wanted = "test" if folder.name == "test" else "dev"
        cases = [json.loads(line)["id"] for line in (folder / "cases.jsonl").read_text("utf-8").splitlines()]
        assert {splits[case] for case in cases} == {wanted}


def test_an_adaptive_attacker_takes_one_attack_and_no_split(saferag: Cli) -> None:
    for arguments, said in [
        (["--attack", "white_dos", "--split", "test"], "leave --split away"),
        ([], "name one --attack"),
        (["--attack", "white_dos", "soft_ad"], "one attack at one door"),
        (["--attack", "hijack_rag", "--position", "front"], "nothing to choose"),
        (["--attack", "white_dos", "--budget", "3"], "--budget 3 does not reach"),
    ]:
        code, _, err = saferag("adapt", *QUICK, "--stage", "filtered_context", *arguments)
        assert code == 2
        assert said in err


def test_an_adaptive_attacker_goes_by_a_grid_file_and_by_ready_texts(saferag: Cli, tmp_path: Path) -> None:
    cases = [case for case in load_dataset().for_attack("soft_ad", Lang.EN) if case.split]
    lines = [json.dumps({"case": case.id, "text": f"Zanzo {case.id}.", "keywords": ["Zanzo"]}) for case in cases]
    (tmp_path / "t.jsonl").write_text("\n".join(lines), encoding="utf-8")
    (tmp_path / "g.toml").write_text(
        'attack = "own_texts"\nattack_texts = "t.jsonl"\nlimit = 2\nretriever = "bm25"\nstage = "filtered_context"\n',
        encoding="utf-8",
    )

    code, out, err = saferag("adapt", "--grid", "g.toml", "--lang", "en", "--budget", "40", "--json", "--out", "a")
    assert code == 0, err
    assert {json.loads(line)["task"] for line in out.splitlines()} == {"own_texts"}
    for folder in Path("a").iterdir():
        assert "Zanzo en-" in "".join(f.read_text("utf-8") for f in folder.rglob("*.jsonl"))

    (tmp_path / "g.toml").write_text('attack = "WDoS"\n[[block]]\ntop_k = 2\n[[block]]\ntop_k = 4\n', encoding="utf-8")
    code, _, err = saferag("adapt", "--grid", "g.toml", "--lang", "en")
    assert (code, "and no blocks" in err) == (2, True)


def test_a_grid_file_may_name_attacks_and_controls(saferag: Cli, tmp_path: Path) -> None:
    (tmp_path / "g.toml").write_text(
        'attack = ["PIA", "field"]\ncontrols = true\nlimit = 1\nretriever = "bm25"\nstage = "filtered_context"\n',
        encoding="utf-8",
    )

    code, _, err = saferag("run", "--grid", "g.toml", "--lang", "en", "--out", "r")
    rows = [json.loads(line) for line in saferag("funnel", "r", "--json")[1].splitlines()]

    assert code == 0, err
    assert {row["task"] for row in rows} <= set(groups()["field"])
    assert all(row["control"] is not None or row["n"] == 0 for row in rows)


def test_controls_in_a_grid_file_are_true_or_false(saferag: Cli, tmp_path: Path) -> None:
    (tmp_path / "g.toml").write_text('controls = "yes"\n', encoding="utf-8")

    code, _, err = saferag("run", "--grid", "g.toml")

    assert code == 2
    assert "field 'controls': must be true or false" in err


def test_a_case_is_told_in_its_controls_too(saferag: Cli) -> None:
    saferag("run", *QUICK, "--limit", "1", "--attack", "PIA", "--stage", "filtered_context", "--controls", "--out", "r")
    case = next(c for c in load_dataset().cases if c.lang is Lang.EN)

    code, out, err = saferag("show", "r", "--case", case.id)

    assert code == 0, err
    told = " ".join(out.split())
    for heading in ("clean run", "attacked at filtered_context", "control: benign text at", "closed book: no context"):
        assert f"prompt_injection, {heading}" in told
    assert f"[background] {case.id}/control1" in told
