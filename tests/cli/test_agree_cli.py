"""``saferag agree`` prints Table 2 of any judge, for people and for machines."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from running import Setup, one_arm
from saferag.cli.main import main
from saferag.resources import Resources
from saferag.review.labelling import Labels, items


@pytest.fixture
def run(tmp_path: Path, resources: Resources) -> Path:
    setup = Setup(tmp_path / "run", resources)
    setup.run(one_arm("extractive"))
    labels = Labels(setup.out / "labels.jsonl")
    for who in ("Ada", "Bo"):
        for i, item in enumerate(items(setup.store())):
            verdict = "undecided" if who == "Bo" and i == 0 else "correct"
            labels.add(item, who, {option.id: verdict for option in item.options}, refused=False)
    return setup.out


def code_of(arguments: list[str]) -> object:
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    return ended.value.code


def test_tables_name_judge_people_and_disagreements(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert code_of(["agree", str(run), "--carry"]) == 0
    printed = capsys.readouterr().out
    assert "Agreement with people" in printed and "Ada and Bo" in printed
    assert "People differ on 2 statements" in printed and "with the judge's error" in " ".join(printed.split())
    assert max(map(len, printed.splitlines())) <= 80


def test_json_has_every_figure_with_its_interval(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert code_of(["agree", str(run), "--json"]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert {line["kind"] for line in lines} == {"judge", "people", "differ"}
    judge = next(line for line in lines if line["kind"] == "judge")
    for name in ("f1_correct", "f1_incorrect", "sensitivity_correct", "specificity_incorrect"):
        assert judge[name]["low"] <= judge[name]["value"] <= judge[name]["high"]


def test_without_labels_it_says_how_to_get_some(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert code_of(["agree", str(run), str(run / "none.jsonl")]) == 2
    assert "saferag review" in capsys.readouterr().err
