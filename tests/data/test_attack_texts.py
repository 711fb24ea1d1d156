from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from saferag.attacks import attacks
from saferag.data.attack_texts import with_attack_texts
from saferag.errors import DataError
from saferag.types import Lang
from toy_runs import toy_dataset


def write(path: Path, *lines: object) -> Path:
    path.write_text("\n".join(x if isinstance(x, str) else json.dumps(x) for x in lines) + "\n", encoding="utf-8")
    return path


def test_texts_join_their_cases_in_order(tmp_path: Path) -> None:
    file = write(
        tmp_path / "t.jsonl",
        {"case": "c1", "text": "First.", "keywords": ["First"]},
        "",
        {"case": "c1", "text": "Second.", "keywords": ["Second"]},
    )
    before = toy_dataset(3)

    data, given = with_attack_texts(before, file)

    attack = attacks.build("own_texts")
    (case,) = data.for_attack("own_texts", Lang.EN)
    assert given == ("own_texts",)
    assert [p.text for p in attack.texts(case, 5, 0)] == ["First.", "Second."]
    assert attack.target(case).keywords == ("First", "Second")
    assert attack.target(case).options == case.options
    assert data.sha256 != before.sha256
    assert not before.for_attack("own_texts", Lang.EN), "the dataset that was given is left as it is"


def test_a_line_may_give_the_texts_of_another_attack(tmp_path: Path) -> None:
    file = write(tmp_path / "t.jsonl", {"case": "c0", "attack": "white_dos", "text": "Hush.", "keywords": ["Hush"]})

    data, given = with_attack_texts(toy_dataset(1), file)

    assert given == ("white_dos",)
    assert [p.text for p in attacks.build("white_dos").texts(data.cases[0], 1, 0)] == ["Hush."]


def test_texts_for_another_split_are_passed_over(tmp_path: Path) -> None:
    whole = toy_dataset(2)
    split = replace(whole, cases=whole.cases[:1], pool=whole.cases)
    file = write(tmp_path / "t.jsonl", {"case": "c0", "text": "x"}, {"case": "c1", "text": "y"})

    data, _ = with_attack_texts(split, file)

    assert [case.id for case in data.cases] == ["c0"]


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (({"case": "c9", "text": "x"},), r"t\.jsonl:1: field 'case': toy has no case 'c9'"),
        (({"case": "c0", "text": "x"}, {"case": "c0"}), r"t\.jsonl:2: field 'text': is missing"),
        (({"case": "c0", "text": "x", "attack": "whisper"},), "there is no attack 'whisper'"),
        (({"case": "c0", "text": "x", "tone": "low"},), "field 'tone': is not a known field"),
        (({"case": "c0", "text": " "},), "is empty"),
        (({"case": "c0", "text": "x", "query": "Another?"},), "another wording"),
        (("{",), "is not JSON"),
        (("[" * 100_000,), "is not JSON"),
        (("",), "holds no texts"),
    ],
)
def test_a_mistake_names_file_line_and_field(tmp_path: Path, lines: tuple[object, ...], said: str) -> None:
    with pytest.raises(DataError, match=said):
        with_attack_texts(toy_dataset(1), write(tmp_path / "t.jsonl", *lines))
