"""The cases that we ship: pinned, complete, checked, in the promised mix."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from pathlib import Path

import pytest

from saferag.data import Dataset, load_dataset
from saferag.data.check import check
from saferag.data.jsonl import format_cases, read_cases
from saferag.data.manifest import FOLDER, bundled_files, write_manifest
from saferag.errors import DataError
from saferag.types import Case, Label, Lang

TOPICS = {"politics", "finance", "technology", "culture", "military"}
CHANGES = {"number", "date", "name", "place", "direction", "order", "scope", "cause", "unit", "actor"}


@pytest.fixture(scope="module")
def shipped() -> Dataset:
    return load_dataset()


def of(dataset: Dataset, lang: Lang) -> list[Case]:
    return [case for case in dataset.cases if case.lang is lang]


def test_the_checker_finds_nothing(shipped: Dataset) -> None:
    assert [str(finding) for finding in check(shipped)] == []


def test_both_languages_have_the_same_number_of_cases_over_all_topics(shipped: Dataset) -> None:
    counts = {lang: len(of(shipped, lang)) for lang in Lang}

    assert counts[Lang.ZH] == counts[Lang.EN] >= 12
    for lang in Lang:
        assert {case.topic for case in of(shipped, lang)} == TOPICS
        assert {case.kind for case in of(shipped, lang)} == {"what", "why", "how"}


def test_every_case_is_complete_for_all_tasks(shipped: Dataset) -> None:
    for case in shipped.cases:
        sizes = {name: len(material.texts) for name, material in case.attacks.items()}
        assert len(case.golden) == 8, case.id
        assert 4 <= len(case.background) <= 6, case.id
        assert 14 <= len(case.facts) <= 22, case.id
        assert set(Counter(f.passage_id for f in case.facts)) == case.golden_ids, case.id
        assert min(Counter(f.passage_id for f in case.facts).values()) >= 2, case.id
        assert len(case.options) == len(case.facts), case.id
        assert (sizes["silver_noise"], sizes["soft_ad"]) == (10, 2), case.id
        assert sizes["inter_context_conflict"] in (1, 2), case.id
        assert [t.variant for t in case.attacks["soft_ad"].texts] == ["direct", "indirect"], case.id
        assert case.attacks["inter_context_conflict"].keywords and case.attacks["soft_ad"].keywords, case.id
        assert case.answer and case.title and case.split in ("dev", "test"), case.id


def test_a_quarter_to_two_fifths_of_the_options_are_false_and_not_by_figures_alone(shipped: Dataset) -> None:
    for case in shipped.cases:
        false = [o for o in case.options if o.label is Label.INCORRECT]
        kinds = Counter(o.change for o in false)
        assert 0.25 <= len(false) / len(case.options) <= 0.40, case.id
        assert set(kinds) <= CHANGES, case.id
        assert len(kinds) >= 3, case.id


def test_the_place_of_an_option_tells_nothing(shipped: Dataset) -> None:
    """The mean relative place of the false options is near the middle."""
    places = [
        i / (len(case.options) - 1)
        for case in shipped.cases
        for i, option in enumerate(case.options)
        if option.label is Label.INCORRECT
    ]

    assert abs(sum(places) / len(places) - 0.5) < 0.1


def test_a_fifth_of_every_topic_is_dev(shipped: Dataset) -> None:
    for lang in Lang:
        for topic in TOPICS:
            splits = [case.split for case in of(shipped, lang) if case.topic == topic]
            assert splits.count("dev") == round(len(splits) * 0.2)


def test_the_files_are_in_normal_form_and_small() -> None:
    for path in sorted(FOLDER.glob("*.jsonl")):
        data = path.read_bytes()
        assert format_cases(read_cases(path)) == data
        assert [case.id for case in read_cases(path)] == sorted(case.id for case in read_cases(path))
    assert sum(path.stat().st_size for path in FOLDER.glob("*.jsonl")) < 3_000_000


def test_the_manifest_pins_every_file(tmp_path: Path) -> None:
    manifest = json.loads((FOLDER / "manifest.json").read_text(encoding="utf-8"))
    again = shutil.copytree(FOLDER, tmp_path / "bundled")
    write_manifest(again)

    assert set(manifest["files"]) == {path.name for path in FOLDER.glob("*.jsonl")}
    assert json.loads((again / "manifest.json").read_text(encoding="utf-8")) == manifest


def test_a_file_that_was_changed_or_cut_is_not_loaded(tmp_path: Path) -> None:
    folder = shutil.copytree(FOLDER, tmp_path / "bundled")
    path = folder / "saferag-open.en.jsonl"
    path.write_bytes(path.read_bytes()[:-2])

    with pytest.raises(DataError, match=r"saferag-open\.en\.jsonl: differs from what was shipped"):
        bundled_files(folder)
    path.unlink()
    with pytest.raises(DataError, match="cannot be read"):
        bundled_files(folder)
    (folder / "manifest.json").write_text('{"files": []}', encoding="utf-8")
    with pytest.raises(DataError, match=r"manifest\.json: is damaged"):
        bundled_files(folder)


def test_the_licence_lies_beside_the_files() -> None:
    assert "creativecommons.org/licenses/by/4.0" in (FOLDER / "LICENSE").read_text(encoding="utf-8")
