"""What a reader of a report relies on."""

from __future__ import annotations

import csv
import io
import json
import re
from fractions import Fraction
from pathlib import Path

import pytest

from saferag.errors import OptionError
from saferag.experiment.store import Store
from saferag.report import headline
from saferag.report.again import again
from saferag.report.cases import Outcome
from saferag.report.export import FORMATS, Request, export
from saferag.report.html import html
from saferag.report.model import Summary
from saferag.report.summary import summarise
from saferag.report.texts import texts_of
from saferag.report.values import Values
from saferag.types import Lang
from toy_report import TASKS, toy_store


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    return toy_store(tmp_path_factory.mktemp("toy") / "run")


@pytest.fixture(scope="module")
def summary(store: Store) -> Summary:
    return summarise(store)


def test_both_languages_have_the_same_texts_with_the_same_places() -> None:
    one, other = texts_of(Lang.EN).entries, texts_of(Lang.ZH).entries

    assert set(one) == set(other)
    for key, text in one.items():
        assert set(re.findall(r"\{(\w+)\}", text)) == set(re.findall(r"\{(\w+)\}", other[key])), key


@pytest.mark.parametrize("lang", list(Lang))
def test_the_answer_names_the_worst_door_and_its_figures(summary: Summary, lang: Lang) -> None:
    t = texts_of(lang)
    worst = summary.ranked_doors[0]
    said = " ".join(headline.answer(summary, t))

    assert worst.contrast.harm == max(d.contrast.harm or 0 for d in summary.doors.values())
    assert t.name("task", worst.task) in said
    assert worst.contrast.after is not None
    assert t.percent(worst.contrast.after.value) in said


def test_a_run_in_which_nothing_happens_says_so(tmp_path: Path) -> None:
    store = toy_store(tmp_path / "run", cases=2, filters=("off",), ratios=(Fraction(0),), langs=(Lang.EN,))
    said = headline.answer(summarise(store), texts_of(Lang.EN))

    assert said == ["None of the 12 combinations of attack and door did harm that can be told from chance."]


def test_doors_are_corrected_as_one_family(summary: Summary) -> None:
    doors = summary.doors.values()

    assert len(doors) == len(TASKS) * 3
    for door in doors:
        d = door.contrast.difference
        assert d is not None and d.p is not None and d.p_holm is not None
        assert d.p <= d.p_holm <= 1


def test_a_question_asked_of_many_pipelines_counts_once(summary: Summary) -> None:
    door = summary.doors["inter_context_conflict", "filtered_context"]

    assert len(summary.pipelines) == 2
    assert door.contrast.after is not None
    assert door.contrast.after.n == 16  # 8 in each language


def test_outcomes_agree_with_the_scores(summary: Summary) -> None:
    for o in summary.observations:
        if o.outcome is Outcome.SUCCEEDED:
            assert o.harm is not None and o.harm >= 0.05
        if o.outcome is Outcome.HELD:
            assert o.harm is not None and o.harm < 0.05
            assert o.stopped is not None


def test_stories_tell_of_every_attack_that_did_harm(summary: Summary) -> None:
    told = {p.observation.cell.cell["task"] for p in summary.picks if p.why == "worst"}
    harmed = {o.cell.cell["task"] for o in summary.observations if o.outcome in (Outcome.SUCCEEDED, Outcome.PARTLY)}

    assert told == harmed


def test_values_are_those_of_the_experiment(store: Store) -> None:
    from saferag.experiment.results import rows

    values = Values.of(store)
    for row in rows(store):
        if row.condition == "attacked" and row.metric in ("asr", "f1_avg"):
            [cell] = [c for c in values.cells if c.cell == row.cell]
            found = values.estimate(values.attacked([cell], row.metric), row.metric)
            assert found == row.estimate


def test_the_command_runs_the_same_cells(store: Store) -> None:
    command = again(Values.of(store))

    assert "--filter off extract" in command.command
    assert "--lang zh en" in command.command or "--lang en zh" in command.command
    # The attacks' own ratio and the full one are no grid over tasks with different windows.
    assert not command.limited


def test_a_report_says_how_many_cases_it_leaves_out(summary: Summary) -> None:
    total = len(summary.observations)
    few, all_ = html(summary, Lang.EN, traces=20), html(summary, Lang.EN, traces=10_000)

    assert f"20 of {total} attacked records" in few
    assert "saferag show" in few
    assert f"All {total} attacked records" in all_
    assert all_.count('class="trace"') == total


def test_the_same_records_make_the_same_report(store: Store, summary: Summary) -> None:
    assert html(summarise(Store.open(store.path)), Lang.EN) == html(summary, Lang.EN)


@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize("lang", list(Lang))
def test_every_format_is_written(store: Store, tmp_path: Path, kind: str, lang: Lang) -> None:
    if kind == "parquet":
        pytest.importorskip("pyarrow")
    if kind == "pdf":
        pytest.importorskip("matplotlib")
    several = kind in ("csv", "svg", "parquet")
    paths = list(export(store, Request(lang, kind, tmp_path / "out" if several else tmp_path / "out.x")))

    assert paths
    assert all(path.stat().st_size > 100 for path in paths)


def test_an_unknown_format_is_one_clear_line(store: Store) -> None:
    with pytest.raises(OptionError, match="did you mean 'html'"):
        list(export(store, Request(Lang.EN, "htm")))


def test_csv_holds_every_estimate_and_every_record(store: Store, tmp_path: Path) -> None:
    estimates, records = (
        list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8-sig"), newline="")))
        for path in export(store, Request(Lang.EN, "csv", tmp_path))
    )

    assert len(records) == len(store.records)
    assert {row["condition"] for row in estimates} == {"clean", "attacked"}
    answered = {row["case"]: row["answer"] for row in records}
    assert set(answered) == set(store.cases)


def test_json_has_the_doors_and_the_settings(store: Store, tmp_path: Path) -> None:
    [path] = export(store, Request(Lang.ZH, "json", tmp_path / "r.json"))
    found = json.loads(path.read_text(encoding="utf-8"))

    assert {(d["task"], d["stage"]) for d in found["doors"]} == set(summarise(store).doors)
    assert found["settings"]["fingerprint"] == store.settings["fingerprint"]
