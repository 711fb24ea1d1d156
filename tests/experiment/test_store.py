"""A run's folder: nothing that was written is lost, and a torn line harms nothing."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saferag.errors import DataError, OptionError
from saferag.experiment.records import PassageTable, Record, record_from_json, record_to_json
from saferag.experiment.store import FORMAT, Store
from saferag.types import (
    AttackMaterial,
    AttackText,
    Case,
    Condition,
    Failure,
    Judged,
    Judgement,
    Label,
    Lang,
    Option,
    Origin,
    Passage,
    Removal,
    Score,
    Trace,
    Unscored,
    Usage,
    Verdict,
)

GOLDEN = Passage("SN/db#1", "金色的一句话。", Origin.GOLDEN)
SUMMARY = Passage("c1/summary", "short", Origin.BACKGROUND, ("SN/db#1", "c1/a1"))
EVIL = Passage("c1/a1", 'bad "text"\r\n\u2028\x1b[31m', Origin.ATTACK)
CASE = Case(
    "c1", Lang.ZH, "问？", (GOLDEN,), options=(Option("1", "对", Label.CORRECT, value="对"),),
    attacks={"soft_ad": AttackMaterial((AttackText("a1", "x"),), keywords=("牌",))},
)  # fmt: skip
TRACE = Trace(
    "c1",
    Condition.ATTACKED,
    (EVIL,),
    (EVIL, GOLDEN),
    (SUMMARY,),
    (SUMMARY,),
    (Removal("c1/b", "no"),),
    "答",
    None,
    Usage(1),
)
JUDGED = Judgement((Judged("1", Verdict.UNDECIDED, "why"),), Usage(2, 1, 3, 4))
RECORD = Record("arm", TRACE, JUDGED, {"asr": Score(0.5), "f1_avg": Unscored("judge failed")}, 0.25)
SETTINGS = dict.fromkeys(("arms", "case_ids", "cells", "code", "data", "environment", "saferag"), "") | {
    "format": FORMAT,
    "fingerprint": "f",
}


def make(path: Path) -> Store:
    return Store.create(path / "run", SETTINGS, [CASE])


def test_records_and_cases_come_back_as_they_were(tmp_path: Path) -> None:
    make(tmp_path).add(RECORD)

    read = Store.open(tmp_path / "run")

    assert read.records == {("arm", "c1"): RECORD}
    assert read.cases == {"c1": CASE}


@given(st.text(), st.text(), st.sampled_from(Origin))
def test_any_text_survives_json(text: str, answer: str, origin: Origin) -> None:
    passage = Passage("p", text, origin)
    record = replace(
        RECORD, trace=replace(TRACE, attack=(passage,), retrieved=(), filtered=(), context=(), answer=answer)
    )
    table = PassageTable()
    table.key(passage)

    line = json.loads(json.dumps(record_to_json(record, table)))

    assert record_from_json(line, table) == record


def test_two_texts_under_one_id_stay_two(tmp_path: Path) -> None:
    store = make(tmp_path)
    store.add(RECORD)
    other = replace(TRACE, case_id="c2", attack=(replace(EVIL, text="other"),), retrieved=(GOLDEN,))
    store.add(replace(RECORD, trace=other))

    read = Store.open(tmp_path / "run")

    assert read.records["arm", "c1"].trace.attack == (EVIL,)
    assert read.records["arm", "c2"].trace.attack == (replace(EVIL, text="other"),)


@pytest.mark.parametrize("file", ["records.jsonl", "passages.jsonl"])
@pytest.mark.parametrize("cut", [1, 5, 40])
def test_a_torn_last_line_is_cut_off_and_the_run_goes_on(tmp_path: Path, file: str, cut: int) -> None:
    store = make(tmp_path)
    store.add(RECORD)
    second = replace(RECORD, trace=replace(TRACE, case_id="c2", answer="second", context=(replace(EVIL, id="n"),)))
    torn = tmp_path / "run" / file
    before = torn.read_bytes()
    store.add(second)
    torn.write_bytes(before + torn.read_bytes()[len(before) :][:-cut])
    if file == "passages.jsonl":  # passages are written first: the record was never begun
        (tmp_path / "run" / "records.jsonl").write_bytes(
            (tmp_path / "run" / "records.jsonl").read_bytes().split(b"\n")[0] + b"\n"
        )

    again = Store.open(tmp_path / "run")
    assert list(again.records) == [("arm", "c1")]
    again.add(second)

    assert Store.open(tmp_path / "run").records == {("arm", "c1"): RECORD, ("arm", "c2"): second}


def test_a_broken_line_in_the_middle_is_said_with_its_place(tmp_path: Path) -> None:
    make(tmp_path).add(RECORD)
    path = tmp_path / "run" / "records.jsonl"
    path.write_bytes(b"{not json}\n" + path.read_bytes())

    with pytest.raises(DataError, match=r"records\.jsonl:1: is not JSON"):
        Store.open(tmp_path / "run")


@pytest.mark.parametrize(
    ("file", "content"),
    [
        ("run.json", b"{"),
        ("run.json", b"[]"),
        ("run.json", b'{"format": 2}'),
        ("run.json", b"\xff\xfe"),
        ("cases.jsonl", b"null\n"),
        ("cases.jsonl", b'{"id": "c1"}\n'),
        ("passages.jsonl", b""),
        ("passages.jsonl", b'{"key": "k"}\n'),
        ("records.jsonl", b'{"arm": "x"}\n'),
        ("records.jsonl", b"[]\n"),
    ],
)
def test_a_damaged_file_is_one_line_that_names_it(tmp_path: Path, file: str, content: bytes) -> None:
    make(tmp_path).add(RECORD)
    (tmp_path / "run" / file).write_bytes(content)

    with pytest.raises(DataError, match=rf"^\S+(records|{file.partition('.')[0]})\.json\S* is damaged[^\n]+$"):
        Store.open(tmp_path / "run")


def test_a_failed_case_is_not_done_and_its_later_record_stands(tmp_path: Path) -> None:
    store = make(tmp_path)
    failed = replace(RECORD, trace=replace(TRACE, answer=None, failure=Failure("generator", "timeout", "late")))
    store.add(failed)
    assert not store.is_done("arm", "c1")

    store.add(RECORD)

    assert store.is_done("arm", "c1")
    assert Store.open(tmp_path / "run").records["arm", "c1"] == RECORD


def test_another_run_is_not_overwritten(tmp_path: Path) -> None:
    make(tmp_path)

    with pytest.raises(OptionError, match="choose another --out"):
        Store.create(tmp_path / "run", {**SETTINGS, "fingerprint": "other"}, [CASE])


def test_a_folder_with_something_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "thesis.tex").write_text("precious", encoding="utf-8")

    with pytest.raises(OptionError, match="is not a run's folder"):
        make(tmp_path)


def test_what_is_no_run_is_said_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"is not a run's folder \(it has no run.json\)"):
        Store.open(tmp_path)
