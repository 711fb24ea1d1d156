"""Whatever bytes a folder holds, collecting and cutting ends with records or reasons, and texts are clean."""

from __future__ import annotations

import tempfile
import unicodedata
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from saferag.construct.collect import clean, collect
from saferag.construct.readers import READERS
from saferag.construct.segments import segments
from saferag.review.fields import Change, apply, changes, fields
from saferag.review.view import difference

HARD = st.text(st.sampled_from('ab 12.,!?。，\n\r\t\u2028\u202e\u200b\x00\x1b<>&"{}[]#*`水坝𠀀é')) | st.text()


@settings(deadline=None)
@given(st.sampled_from(sorted(READERS)), st.binary(max_size=400) | HARD.map(lambda t: t.encode("utf-8", "replace")))
def test_any_bytes_become_records_or_reasons(suffix: str, data: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / f"x{suffix}").write_bytes(data)
        (Path(folder) / "good.txt").write_text("One. Two.")
        documents, rejected = collect(Path(folder))
    for document in documents:
        found, refused = segments(document)
        assert found or refused
    assert all(rejection.reason for rejection in rejected)
    assert "good.txt" in {document.path for document in documents}


@given(HARD)
def test_clean_text_passes_the_checkers_rule_and_cleaning_again_changes_nothing(text: str) -> None:
    found = clean(text)
    assert clean(found) == found
    assert found == found.strip() and "  " not in found
    assert all(unicodedata.category(c) not in {"Cc", "Cf", "Co", "Cn", "Cs"} for c in found)
    assert unicodedata.normalize("NFC", found) == found


@given(HARD, HARD)
def test_a_difference_holds_both_texts(old: str, new: str) -> None:
    from saferag.report.untrusted import readable

    found = difference(old, new)
    assert all(part["kind"] in {"", "ins", "del"} for part in found)
    if new.isprintable() and old.isprintable() and not any(unicodedata.combining(c) for c in old + new):
        assert "".join(p["text"] for p in found if p["kind"] != "del") == readable(new)
        assert "".join(p["text"] for p in found if p["kind"] != "ins") == readable(old)


@given(st.text(min_size=1, max_size=30).filter(lambda t: bool(t.strip()) and t.isprintable()))
def test_an_edit_and_its_reverse_leave_a_record_as_it_was(new: str) -> None:
    def record() -> dict[str, object]:
        return {
            "id": "x",
            "query": "q",
            "golden": [{"id": "g1", "text": "t"}],
            "facts": [{"id": "f1", "passage": "g1", "text": "a v", "value": "v"}],
            "options": [
                {"id": "o1", "fact": "f1", "text": "a v", "label": "correct", "value": "v"},
                {"id": "o2", "fact": "f1", "text": "a w", "label": "incorrect", "value": "w", "contrast": "v"},
            ],
        }

    for path in fields(record()):
        edited = record()
        made = changes(edited, path, new)
        for change in made:
            apply(edited, change)
        assert fields(edited)[path] == new
        for change in reversed(made):
            apply(edited, Change(change.field, change.new, change.old))
        assert edited == record()
