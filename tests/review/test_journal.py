"""The journal: nothing is lost, nothing is silently overwritten, everything can be taken back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from review_desk import built_folder
from saferag.construct.folder import Folder
from saferag.data import load_dataset
from saferag.errors import OptionError, UserError
from saferag.review.fields import fields
from saferag.review.journal import ConflictError, Journal, Status
from saferag.review.publish import publish
from saferag.types import Lang

CASE = "tarnholm-ferry-1"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    return built_folder(tmp_path_factory.mktemp("made") / "x")


@pytest.fixture
def folder(made: Folder, tmp_path: Path) -> Folder:
    """A copy of the build as it was made."""
    import shutil

    return Folder(Path(shutil.copytree(made.path, tmp_path / "b")))


def test_an_edit_and_its_undo_leave_the_text_as_it_was_and_a_history(folder: Folder) -> None:
    journal = Journal(folder.journal)
    before = journal.state(CASE)
    query = before.record["query"]
    edited = journal.edit(CASE, "Ada", "query", query, "What did the ferry company change?")
    assert edited.record["query"] == "What did the ferry company change?"
    undone = journal.undo(CASE, "Bo", edited.version)
    assert undone.record == before.record
    assert [(e.who, e.kind) for e in undone.events] == [("build", "draft"), ("Ada", "edit"), ("Bo", "undo")]


def test_undo_takes_back_one_step_after_the_other_and_stops_at_the_draft(folder: Folder) -> None:
    journal = Journal(folder.journal)
    state = journal.state(CASE)
    first = state.record
    state = journal.edit(CASE, "Ada", "topic", "", "ferries")
    state = journal.decide(CASE, "Ada", state.version, Status.REJECTED, "dull")
    state = journal.undo(CASE, "Ada", state.version)
    assert (state.status, state.record["topic"]) == (Status.OPEN, "ferries")
    state = journal.undo(CASE, "Ada", state.version)
    assert state.record == first
    with pytest.raises(OptionError, match="nothing to undo"):
        journal.undo(CASE, "Ada", state.version)


def test_two_people_edit_different_texts_of_a_case_and_both_stay(folder: Folder) -> None:
    ada, bo = Journal(folder.journal), Journal(folder.journal)
    texts = fields(ada.state(CASE).record)
    ada.edit(CASE, "Ada", "golden/g1", texts["golden/g1"], "A by Ada.")
    bo.edit(CASE, "Bo", "golden/g2", texts["golden/g2"], "B by Bo.")
    after = fields(ada.state(CASE).record)
    assert (after["golden/g1"], after["golden/g2"]) == ("A by Ada.", "B by Bo.")


def test_the_second_edit_of_the_same_text_is_refused_and_says_who_was_first(folder: Folder) -> None:
    journal = Journal(folder.journal)
    old = journal.state(CASE).record["query"]
    journal.edit(CASE, "Ada", "query", old, "By Ada?")
    with pytest.raises(ConflictError) as conflict:
        journal.edit(CASE, "Bo", "query", old, "By Bo?")
    assert conflict.value.who == "Ada"
    assert journal.state(CASE).record["query"] == "By Ada?"


def test_a_decision_about_a_case_that_has_changed_is_refused(folder: Folder) -> None:
    journal = Journal(folder.journal)
    state = journal.state(CASE)
    journal.edit(CASE, "Ada", "topic", "", "x")
    with pytest.raises(ConflictError):
        journal.decide(CASE, "Bo", state.version, Status.ACCEPTED)


def test_an_edited_fact_takes_its_options_along(folder: Folder) -> None:
    journal = Journal(folder.journal)
    record = journal.state(CASE).record
    false = next(o for o in record["options"] if o["label"] == "incorrect")
    fact = next(f for f in record["facts"] if f["id"] == false["fact"])
    state = journal.edit(CASE, "Ada", f"facts/{fact['id']}/value", fact["value"], "another value")
    assert next(o for o in state.record["options"] if o["id"] == false["id"])["contrast"] == "another value"


@pytest.mark.parametrize("text", ["", "  ", "x" * 20_001, "half \ud800"])
def test_texts_that_cannot_be_stored_are_refused(folder: Folder, text: str) -> None:
    journal = Journal(folder.journal)
    with pytest.raises(OptionError):
        journal.edit(CASE, "Ada", "query", journal.state(CASE).record["query"], text)


def test_sending_back_needs_a_note(folder: Folder) -> None:
    journal = Journal(folder.journal)
    with pytest.raises(OptionError, match="note"):
        journal.decide(CASE, "Ada", journal.state(CASE).version, Status.RETURNED, " ")


def test_a_new_draft_replaces_a_returned_case_and_no_other_that_people_have_touched(folder: Folder) -> None:
    journal = Journal(folder.journal)
    returned, touched = (draft.model_copy(update={"note": "again"}) for draft in folder.drafts())
    state = journal.state(returned.segment)
    journal.decide(returned.segment, "Ada", state.version, Status.RETURNED, "shorter")
    journal.edit(touched.segment, "Ada", "topic", "", "mine")

    assert journal.take_in([returned, touched]) == [touched.segment]
    assert journal.state(returned.segment).status is Status.OPEN
    assert journal.state(returned.segment).draft.note == "again"
    assert journal.state(touched.segment).record["topic"] == "mine"


def test_the_dataset_holds_what_is_sound_and_neither_rejected_nor_sent_back(folder: Folder) -> None:
    journal = Journal(folder.journal)
    first, second = (draft.segment for draft in folder.drafts())
    journal.decide(first, "Ada", journal.state(first).version, Status.ACCEPTED)
    assert set(publish(folder).cases) == {first, second}
    assert {case.id: case.split for case in load_dataset(folder.cases).cases} == {first: "reviewed", second: "machine"}

    golden = journal.state(first).record["golden"][0]["text"]
    journal.edit(first, "Ada", "golden/g1", golden, "Too short now.")
    journal.decide(second, "Ada", journal.state(second).version, Status.REJECTED)
    outcome = publish(folder)
    assert outcome.cases == () and outcome.rejected == (second,)
    assert {finding.rule for finding in outcome.waiting[first]} >= {"lengths", "fact_values"}
    assert folder.cases.read_bytes() == b""


def test_every_text_of_a_case_can_be_edited_under_its_path(folder: Folder) -> None:
    record = Journal(folder.journal).state(CASE).record
    known = fields(record)
    texts = [value for value in _texts(record) if len(value) > 25]
    assert set(texts) <= set(known.values())


def _texts(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    items = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for item in items for text in _texts(item)]


def test_the_journal_is_readable_without_us(folder: Folder) -> None:
    import sqlite3

    Journal(folder.journal).edit(CASE, "Ada", "topic", "", "水")
    db = sqlite3.connect(folder.journal)
    who, kind, data = db.execute("SELECT who, kind, data FROM events ORDER BY seq DESC").fetchone()
    db.close()
    assert (who, kind) == ("Ada", "edit")
    assert json.loads(data) == {"changes": [{"field": "topic", "old": "", "new": "水"}]}


def conflict_of(record: dict[str, Any]) -> dict[str, Any]:
    """A conflict about the first fact of a case, as a person would type it."""
    fact = record["facts"][0]
    number = int(fact["passage"][1:])
    text = record["golden"][number - 1]["text"].replace(fact["value"], "25月40日")
    pair = {"true": fact["text"], "false": fact["text"].replace(fact["value"], "25月40日"), "keyword": "25月40日"}
    return {"target": number, "text": text, **pair}


def test_texts_written_by_hand_make_a_sound_case_of_a_machine_made_one(folder: Folder) -> None:
    journal = Journal(folder.journal)
    case = "云栈水库-1"
    record = journal.state(case).record
    journal.write(case, "Ada", "inter_context_conflict", conflict_of(record))
    golden = record["golden"][0]["text"]
    ad = {
        "target": 1,
        "names": "岚栎牌",
        "direct": golden + "现场用的是岚栎牌设备。",
        "indirect": golden + "协会推荐岚栎牌设备。",
    }
    state = journal.write(case, "Ada", "soft_ad", ad)
    assert set(state.record["attacks"]) == {"silver_noise", "inter_context_conflict", "soft_ad"}
    assert {o["label"] for o in state.record["attacks"]["inter_context_conflict"]["options"]} == {
        "correct",
        "incorrect",
    }
    journal.decide(case, "Ada", state.version, Status.ACCEPTED)
    outcome = publish(folder)
    assert case in outcome.cases, outcome.waiting
    assert len(load_dataset(folder.cases).for_attack("soft_ad", Lang.ZH)) == 1


def test_texts_written_by_hand_can_be_undone_and_edited(folder: Folder) -> None:
    journal = Journal(folder.journal)
    case = "云栈水库-1"
    record = journal.state(case).record
    state = journal.write(case, "Ada", "inter_context_conflict", conflict_of(record))
    path = "attacks/inter_context_conflict/passages/c1"
    state = journal.edit(case, "Bo", path, fields(state.record)[path], "另一段话，25月40日。")
    with pytest.raises(ConflictError):
        journal.write(case, "Cy", "inter_context_conflict", conflict_of(record))
    state = journal.undo(case, "Bo", state.version)
    state = journal.undo(case, "Bo", state.version)
    assert state.record == record


@pytest.mark.parametrize(
    ("attack", "change"),
    [
        ("white_dos", {}),
        ("inter_context_conflict", {"target": 99}),
        ("inter_context_conflict", {"target": "1"}),
        ("inter_context_conflict", {"text": "Nothing of it."}),
        ("inter_context_conflict", {"keyword": "elsewhere"}),
        ("inter_context_conflict", {"text": 7}),
        ("soft_ad", {"names": " , ", "direct": "x", "indirect": "y"}),
        ("soft_ad", {"names": "Zov", "direct": "Zov is here.", "indirect": "It is not."}),
    ],
)
def test_texts_that_do_not_fit_together_are_refused(folder: Folder, attack: str, change: dict[str, Any]) -> None:
    journal = Journal(folder.journal)
    before = journal.state("云栈水库-1")
    with pytest.raises(UserError):
        journal.write("云栈水库-1", "Ada", attack, conflict_of(before.record) | change)
    assert journal.state("云栈水库-1").version == before.version
