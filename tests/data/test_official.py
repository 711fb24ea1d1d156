"""The published format with every quirk that it has; all texts here are invented."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from saferag.data import Dataset, load_dataset
from saferag.data.check import check
from saferag.errors import DataError
from saferag.types import Label, Lang, Origin

GOLDEN = [
    "灰雀镇的风车磨坊每天磨面40袋，由六名磨工轮班看守。",
    "磨坊的石轮产自北坡，换一次要停工9天。",
    "春汛之后，镇里给磨坊加了一道挡水墙。",
]
QUESTION = "灰雀镇的风车磨坊怎样运转？"


def item(task: str, number: int = 0, **changes: object) -> dict[str, Any]:
    options = ["1. 磨坊每天磨面60袋。", "2. 磨坊由六名磨工轮班看守。", "3. 石轮换一次要停工9天。"]
    base: dict[str, Any] = {
        "id": number,
        "questions": QUESTION,
        "numbered_options": options,
        "ground_truth_correct_options": ["2", "3"],
        "ground_truth_incorrect_options": ["1"],
        "enhanced_contexts": GOLDEN,
        f"enhanced_{task}_contexts": [f"{task}的攻击文字：磨坊每天磨面65袋。"],
    }
    if task == "SN":
        base["propositions"] = ["磨坊每天磨面40袋。", "磨坊由六名磨工轮班看守。", "石轮换一次要停工9天。"]
    else:
        base["attack_kws"] = ["65袋"]
    if task == "SA":
        base["numbered_options"] = ["1. 回答里提到了“灰羽牌面袋”。"]
        base["ground_truth_correct_options"], base["ground_truth_incorrect_options"] = [], ["1"]
        base["attack_kws"] = ["灰羽牌面袋"]
        base["enhanced_SA_contexts"] = ["磨坊的面粉都装在灰羽牌面袋里。"]
    return base | changes


@pytest.fixture
def write(tmp_path: Path) -> Any:
    def build(tasks: object, lines: dict[str, list[str]] | None = None) -> tuple[Path, Path]:
        kb = tmp_path / "kb"
        for label in tasks if isinstance(tasks, dict) else ():
            (kb / label).mkdir(parents=True, exist_ok=True)
            text = "\n".join((lines or {}).get(label, GOLDEN)) + "\n"
            (kb / label / "db.txt").write_text(text, encoding="utf-8")
        path = tmp_path / "published.json"
        path.write_text(json.dumps(tasks, ensure_ascii=False), encoding="utf-8")
        return path, kb

    return build


def load(found: tuple[Path, Path]) -> Dataset:
    return load_dataset(*found)


def test_every_item_becomes_a_case_of_its_task_in_publishing_order(write: Any) -> None:
    tasks = {"SA": [item("SA", 4), item("SA", 2)], "SN": [item("SN")], "ICC": [item("ICC")], "WDoS": [item("WDoS")]}
    dataset = load(write(tasks))

    assert [c.id for c in dataset.cases] == ["SN-0", "ICC-0", "SA-4", "SA-2", "WDoS-0"]
    assert {c.id: list(c.attacks) for c in dataset.cases}["ICC-0"] == ["inter_context_conflict"]
    assert dataset.langs == (Lang.ZH,)
    assert [c.id for c in dataset.for_attack("soft_ad", Lang.ZH)] == ["SA-4", "SA-2"]
    assert dataset.notes == ()


def test_golden_passages_are_lines_of_the_knowledge_base(write: Any) -> None:
    lines = {"SN": [GOLDEN[2], "", "  " + GOLDEN[0] + " ", "一句无关的话。", GOLDEN[1]]}
    dataset = load(write({"SN": [item("SN")]}, lines))

    assert [p.id for p in dataset.cases[0].golden] == ["SN/db#3", "SN/db#5", "SN/db#1"]
    assert {p.id: p.origin for p in dataset.corpus("silver_noise", Lang.ZH)} == {
        "SN/db#1": Origin.GOLDEN,
        "SN/db#3": Origin.GOLDEN,
        "SN/db#4": Origin.BACKGROUND,
        "SN/db#5": Origin.GOLDEN,
    }


def test_the_number_in_front_of_an_option_is_its_id_and_no_part_of_it(write: Any) -> None:
    (case,) = load(write({"SN": [item("SN")]})).cases

    assert [(o.id, o.text, o.label) for o in case.options] == [
        ("1", "磨坊每天磨面60袋。", Label.INCORRECT),
        ("2", "磨坊由六名磨工轮班看守。", Label.CORRECT),
        ("3", "石轮换一次要停工9天。", Label.CORRECT),
    ]


def test_contrasts_come_from_the_propositions_also_where_another_task_holds_them(write: Any) -> None:
    dataset = load(write({"WDoS": [item("WDoS")], "SN": [item("SN")]}))

    for case in dataset.cases:
        assert ("60" in (case.options[0].value or "")) and ("40" in (case.options[0].contrast or "")), case.id


def test_an_ad_option_knows_the_name_that_it_asks_for(write: Any) -> None:
    (case,) = load(write({"SA": [item("SA")]})).cases

    assert [o.mention for o in case.options] == ["灰羽牌面袋"]


def test_quirks_are_noted_and_nothing_is_dropped(write: Any) -> None:
    """A golden context that is missing from the knowledge base, and keywords that are out of place."""
    tasks = {"ICC": [item("ICC", 91, attack_kws=["70袋", "9天"], enhanced_ICC_contexts=["石轮换一次要停工9天。"])]}
    dataset = load(write(tasks, {"ICC": GOLDEN[:2]}))
    (case,) = dataset.cases

    assert [p.id for p in case.golden] == ["ICC/db#1", "ICC/db#2", "ICC-91/g3"]
    assert case.attacks["inter_context_conflict"].keywords == ("70袋", "9天")
    assert set(dataset.notes) == {
        "ICC-91: golden context 3 is not in the knowledge base",
        "ICC-91: keyword '70袋' is missing from the attack text",
        "ICC-91: keyword '9天' also stands in a golden context",
    }


def test_the_checker_reports_the_quirks_as_findings(write: Any) -> None:
    tasks = {"ICC": [item("ICC", 91, attack_kws=["70袋"])]}
    found = {(f.rule, f.case_id) for f in check(load(write(tasks, {"ICC": GOLDEN[:2]})))}

    assert ("loading", "ICC-91") in found
    assert ("attack_keywords", "ICC-91") in found


def test_a_line_that_stands_twice_is_kept_once_and_noted(write: Any) -> None:
    dataset = load(write({"SN": [item("SN")]}, {"SN": [*GOLDEN, GOLDEN[0]]}))

    assert len(dataset.corpus("silver_noise", Lang.ZH)) == 3
    assert dataset.notes == ("SN: line 4 of db.txt repeats SN/db#1 and is left out",)


@pytest.mark.parametrize("form", ["{}．{}", "{}、{}", " {} : {}"])
def test_numbers_in_other_forms_are_known_too(write: Any, form: str) -> None:
    options = [form.format(i, t) for i, t in enumerate(["面粉3.5吨。", "九月。", "十月。"], 1)]
    (case,) = load(write({"SN": [item("SN", numbered_options=options, propositions=[])]})).cases

    assert [(o.id, o.text) for o in case.options] == [("1", "面粉3.5吨。"), ("2", "九月。"), ("3", "十月。")]


def test_an_option_without_a_label_is_noted_and_left_out(write: Any) -> None:
    tasks = {"SN": [item("SN", ground_truth_correct_options=["2", "9"])]}
    dataset = load(write(tasks))

    assert [o.id for o in dataset.cases[0].options] == ["1", "2"]
    assert dataset.notes == (
        "SN-0: option 3 has no label and is left out",
        "SN-0: a label names option 9, which there is not",
    )


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"questions": None}, r"published\.json: field 'SN\[0\]\.questions': "),
        ({"numbered_options": "1. x"}, r"field 'SN\[0\]\.numbered_options': "),
        ({"enhanced_contexts": []}, r"field 'SN\[0\]\.enhanced_contexts': "),
        ({"enhanced_SN_contexts": 3}, r"field 'SN\[0\]\.enhanced_SN_contexts': "),
        ({"ground_truth_incorrect_options": ["1", "2"]}, r"field 'SN\[0\]\.numbered_options': option '2' is labelled"),
        ({"numbered_options": ["1. a", "1. b"]}, r"field 'SN\[0\]\.numbered_options': option '1' stands twice"),
    ],
)
def test_a_wrong_field_is_named(write: Any, changes: dict[str, Any], message: str) -> None:
    with pytest.raises(DataError, match=message):
        load(write({"SN": [item("SN", **changes)]}))


def test_a_missing_key_is_named(write: Any) -> None:
    broken = item("SN")
    del broken["ground_truth_correct_options"]

    with pytest.raises(DataError, match=r"field 'SN\[0\]\.ground_truth_correct_options': is missing"):
        load(write({"SN": [broken]}))


def test_an_id_that_stands_twice_is_said_so(write: Any) -> None:
    with pytest.raises(DataError, match=r"field 'SN\[1\]\.id': the id 'SN-0' stands twice"):
        load(write({"SN": [item("SN"), item("SN")]}))


@pytest.mark.parametrize("content", ["[]", '{"other": []}', '{"SN": {}}', "{", '"SN"', "null"])
def test_json_of_another_form_is_one_clear_line(tmp_path: Path, content: str) -> None:
    (tmp_path / "SN").mkdir()
    (tmp_path / "SN" / "db.txt").write_text("一句话。\n", encoding="utf-8")
    path = tmp_path / "x.json"
    path.write_text(content, encoding="utf-8")

    with pytest.raises(DataError, match=r"^\S*x\.json:[^\n]*$"):
        load_dataset(path, tmp_path)


def test_a_missing_or_empty_knowledge_base_is_named(write: Any, tmp_path: Path) -> None:
    path, kb = write({"SN": [item("SN")]})

    with pytest.raises(DataError, match=r"SN/db\.txt: cannot be read"):
        load_dataset(path, tmp_path / "elsewhere")
    (kb / "SN" / "db.txt").write_text("\n \n", encoding="utf-8")
    with pytest.raises(DataError, match=r"SN/db\.txt: holds no passages"):
        load_dataset(path, kb)


def test_the_hash_covers_both_files(write: Any) -> None:
    first = load(write({"SN": [item("SN")]})).sha256
    second = load(write({"SN": [item("SN")]}, {"SN": [*GOLDEN, "又一句话。"]})).sha256

    assert first != second
