"""Our files: what goes in comes out, and what is wrong is one clear line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from saferag.data.jsonl import format_cases, parse_cases, read_cases, write_cases
from saferag.errors import DataError
from saferag.types import Case, Label, Lang, Origin, Passage


@pytest.fixture
def record() -> dict[str, Any]:
    """A complete case as it stands in a file."""
    return {
        "id": "en-culture-77",
        "lang": "en",
        "split": "dev",
        "topic": "culture",
        "kind": "how",
        "title": "A kiln reopens",
        "query": "How does the kiln work?",
        "golden": [{"id": "g1", "text": "It fires 40 pots."}, {"id": "g2", "text": "It is fed with alder."}],
        "background": [{"id": "b1", "text": "It hosts a fair."}],
        "facts": [{"id": "f1", "passage": "g1", "text": "It fires 40 pots.", "value": "40 pots"}],
        "options": [
            {"id": "o1", "fact": "f1", "text": "It fires 60 pots.", "label": "incorrect", "value": "60 pots",
             "contrast": "40 pots", "change": "number"},
        ],
        "attacks": {
            "silver_noise": {"target": "f1", "passages": [{"id": "s1", "text": "40 pots!"}]},
            "inter_context_conflict": {
                "passages": [{"id": "c1", "text": "It fires 65 pots.", "target": "g1"}],
                "options": [{"id": "v1", "text": "It fires 65 pots.", "label": "incorrect"}],
                "keywords": ["65 pots"],
            },
            "soft_ad": {
                "passages": [{"id": "a1", "text": "Buy Glazeholm.", "target": "g1", "variant": "direct"}],
                "options": [{"id": "m1", "text": "Mentions Glazeholm.", "label": "incorrect", "mention": "Glazeholm"}],
                "keywords": ["Glazeholm"],
            },
        },
        "answer": "It fires 40 pots with alder.",
    }  # fmt: skip


def line(record: object) -> bytes:
    return json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def test_a_case_is_read_with_ids_that_are_unique_in_the_corpus(record: dict[str, Any]) -> None:
    (case,) = parse_cases(line(record))

    assert case.golden[0] == Passage("en-culture-77/g1", "It fires 40 pots.", Origin.GOLDEN)
    assert case.background[0].origin is Origin.BACKGROUND
    assert case.facts[0].passage_id == "en-culture-77/g1"
    assert case.options[0].label is Label.INCORRECT
    assert case.attacks["silver_noise"].texts[0].target == "f1"
    assert case.attacks["soft_ad"].texts[0].target == "en-culture-77/g1"
    assert (case.lang, case.split, case.topic, case.kind) == (Lang.EN, "dev", "culture", "how")


def test_what_was_read_writes_the_same_bytes_again(record: dict[str, Any]) -> None:
    assert format_cases(parse_cases(line(record))) == line(record)


def test_key_order_and_spaces_of_a_hand_written_file_do_not_matter(record: dict[str, Any]) -> None:
    loose = json.dumps(dict(reversed(record.items())), indent=None).encode()

    assert format_cases(parse_cases(loose)) == line(record)


def test_a_byte_order_mark_windows_lines_and_empty_lines_are_harmless(record: dict[str, Any]) -> None:
    data = b"\xef\xbb\xbf" + line(record).replace(b"\n", b"\r\n") + b"\r\n\n"

    assert parse_cases(data) == parse_cases(line(record))


def test_a_line_separator_inside_of_a_text_does_not_end_the_line(record: dict[str, Any]) -> None:
    record["query"] = "One\u2028two\u2029three\x85four\x0bfive?"

    assert parse_cases(line(record))[0].query == record["query"]


def test_a_file_is_written_and_read(tmp_path: Path, record: dict[str, Any]) -> None:
    cases = parse_cases(line(record))
    write_cases(tmp_path / "x.jsonl", cases)

    assert read_cases(tmp_path / "x.jsonl") == cases


def broken(record: dict[str, Any], path: str, value: object) -> bytes:
    """The record with one field replaced; ``...`` removes it."""
    target: Any = record
    *parents, last = path.split("/")
    for parent in parents:
        target = target[int(parent) if parent.isdigit() else parent]
    key = int(last) if last.isdigit() else last
    if value is ...:
        del target[key]
    else:
        target[key] = value
    return line(record)


@pytest.mark.parametrize(
    ("path", "value", "field", "message"),
    [
        ("query", ..., "query", "is missing"),
        ("query", "  ", "query", "is empty"),
        ("query", 7, "query", "valid string"),
        ("lang", "fr", "lang", "'zh' or 'en'"),
        ("id", "../x", "id", "letters, digits"),
        ("id", "", "id", "letters, digits"),
        ("golden", [], "golden", "at least 1 item"),
        ("golden", {"id": "g1"}, "golden", "valid list"),
        ("golden/1/text", ..., "golden[1].text", "is missing"),
        ("golden/1/id", "g1", "golden[1].id", "stands twice"),
        ("background/0/id", "g2", "background[0].id", "stands twice"),
        ("facts/0/passage", "g9", "facts[0].passage", "no golden passage 'g9'"),
        ("options/0/label", "true", "options[0].label", "'correct' or 'incorrect'"),
        ("options/0/fact", "f9", "options[0].fact", "no fact 'f9'"),
        ("options/0/lable", "x", "options[0].lable", "not a known field"),
        ("attacks/silver_noise/target", "f9", "attacks.silver_noise.target", "no fact or golden passage 'f9'"),
        ("attacks/soft_ad/passages/0/target", "g9", "attacks.soft_ad.passages[0].target", "'g9'"),
        ("attacks/soft_ad/keywords/0", None, "attacks.soft_ad.keywords[0]", "valid string"),
        ("attacks/soft_ad", ["x"], "attacks.soft_ad", "must be an object"),
    ],
)
def test_a_wrong_field_is_named_with_file_and_line(
    record: dict[str, Any], path: str, value: object, field: str, message: str
) -> None:
    good = line(record | {"id": "fine"})

    with pytest.raises(DataError) as caught:
        parse_cases(good + broken(record, path, value), "cases.jsonl")

    text = str(caught.value)
    assert text.startswith(f"cases.jsonl:2: field '{field}': ")
    assert message in text
    assert "\n" not in text


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "holds no cases"),
        (b"\n\n", "holds no cases"),
        (b'{"id": ', "x:1: is not JSON"),
        (b"[1, 2]", "x:1: "),
        (b"null", "x:1: "),
        (b'{"id": "\xff"}', "x:1: is not UTF-8 at byte 9"),
        (b"[" * 100_000, "x:1: is not JSON"),
        (b'{"id": "a", "id": "b"}', "field 'id': the key stands twice"),
    ],
)
def test_a_line_that_is_no_record_is_one_clear_line(data: bytes, message: str) -> None:
    with pytest.raises(DataError) as caught:
        parse_cases(data, "x")

    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_half_of_a_surrogate_pair_is_no_text(record: dict[str, Any]) -> None:
    data = line(record).replace(b"How does the kiln work?", b"\\ud800")

    with pytest.raises(DataError, match="field 'query'"):
        parse_cases(data, "x")


def test_an_id_that_stands_twice_names_the_first_line(record: dict[str, Any]) -> None:
    with pytest.raises(DataError, match=r"x:2: field 'id': the id 'en-culture-77' stands on line 1 too"):
        parse_cases(line(record) * 2, "x")


def test_a_missing_file_and_a_folder_are_one_clear_line(tmp_path: Path) -> None:
    for path in (tmp_path / "none.jsonl", tmp_path):
        with pytest.raises(DataError, match="cannot be read"):
            read_cases(path)


def test_a_case_with_passages_of_another_cannot_be_written() -> None:
    foreign = Case("a", Lang.EN, "What?", (Passage("b/g1", "Text."),))

    with pytest.raises(DataError, match="passage 'b/g1' cannot be written"):
        format_cases([foreign])
