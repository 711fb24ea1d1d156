"""Which cases and which corpus an attack gets."""

from __future__ import annotations

from pathlib import Path

import pytest

from saferag.data import Dataset, load_dataset
from saferag.data.jsonl import write_cases
from saferag.errors import DataError, UnknownComponentError
from saferag.types import AttackMaterial, AttackText, Case, Lang, Passage


def case(case_id: str, lang: Lang = Lang.EN, *attacks: str) -> Case:
    material = {name: AttackMaterial((AttackText("x", f"Text of {name}."),)) for name in attacks}
    golden, background = Passage(f"{case_id}/g1", "Golden."), Passage(f"{case_id}/b1", "Background.")
    return Case(case_id, lang, "What?", (golden,), (background,), attacks=material)


def test_an_attack_gets_the_cases_with_material_for_it_in_their_order() -> None:
    dataset = Dataset("d", (case("c2", Lang.EN, "silver_noise"), case("c1", Lang.EN, "silver_noise"), case("c3")))

    assert [c.id for c in dataset.for_attack("silver_noise", Lang.EN)] == ["c2", "c1"]
    assert dataset.for_attack("silver_noise", Lang.ZH) == ()


def test_white_dos_needs_the_question_only() -> None:
    dataset = Dataset("d", (case("c1"), case("c2", Lang.ZH)))

    assert [c.id for c in dataset.for_attack("white_dos", Lang.EN)] == ["c1"]


def test_a_spec_may_narrow_the_cases() -> None:
    dataset = Dataset("d", (case("c1", Lang.EN, "soft_ad"),))

    assert dataset.for_attack("soft_ad", Lang.EN)
    assert dataset.for_attack("soft_ad(variant=direct)", Lang.EN) == ()


def test_an_unknown_attack_is_said_so() -> None:
    with pytest.raises(UnknownComponentError, match="did you mean 'soft_ad'"):
        Dataset("d", (case("c1"),)).for_attack("soft_adds", Lang.EN)


def test_the_corpus_of_a_language_is_all_of_its_benign_passages() -> None:
    dataset = Dataset("d", (case("c1"), case("c2"), case("c3", Lang.ZH)))

    assert [p.id for p in dataset.corpus("soft_ad", Lang.EN)] == ["c1/g1", "c1/b1", "c2/g1", "c2/b1"]


def test_data_with_a_corpus_per_task_uses_it_and_an_attack_without_one_uses_the_first() -> None:
    corpora = {"silver_noise": (Passage("SN/db#1", "One."),), "soft_ad": (Passage("SA/db#1", "Two."),)}
    dataset = Dataset("d", (case("SN-0", Lang.EN, "silver_noise"), case("SA-0", Lang.EN, "soft_ad")), corpora)

    assert corpora["soft_ad"] == dataset.corpus("soft_ad:mixed", Lang.EN)
    assert [c.id for c in dataset.for_attack("soft_ad", Lang.EN)] == ["SA-0"]
    assert corpora["silver_noise"] == dataset.corpus("white_dos", Lang.EN)
    assert [c.id for c in dataset.for_attack("white_dos", Lang.EN)] == ["SN-0"]


def test_languages_come_in_order_of_appearance() -> None:
    assert Dataset("d", (case("c1", Lang.EN), case("c2", Lang.ZH), case("c3"))).langs == (Lang.EN, Lang.ZH)


def test_a_folder_is_all_of_its_files(tmp_path: Path) -> None:
    write_cases(tmp_path / "b.jsonl", [case("c2")])
    write_cases(tmp_path / "a.jsonl", [case("c1")])
    (tmp_path / "notes.txt").write_text("not data", encoding="utf-8")

    dataset = load_dataset(tmp_path)

    assert [c.id for c in dataset.cases] == ["c1", "c2"]
    assert dataset.sha256 != load_dataset(tmp_path / "a.jsonl").sha256


def test_an_id_in_two_files_is_said_so(tmp_path: Path) -> None:
    write_cases(tmp_path / "a.jsonl", [case("c1")])
    write_cases(tmp_path / "b.jsonl", [case("c1")])

    with pytest.raises(DataError, match=r"b\.jsonl: field 'id': the id 'c1' stands in another file too"):
        load_dataset(tmp_path)


def test_paths_that_hold_no_data_are_one_clear_line(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"no \.jsonl file"):
        load_dataset(tmp_path)
    with pytest.raises(DataError, match="cannot be read: No such file"):
        load_dataset(tmp_path / "none.jsonl")
    with pytest.raises(DataError, match="add --kb DIR"):
        load_dataset(tmp_path / "published.json")
    with pytest.raises(DataError, match=r"published \.json format only"):
        load_dataset(tmp_path / "x.jsonl", tmp_path)
    with pytest.raises(DataError, match=r"add --data FILE\.json"):
        load_dataset(None, tmp_path)
