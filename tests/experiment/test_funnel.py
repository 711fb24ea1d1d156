from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from running import Setup
from saferag.experiment.cells import Grid
from saferag.experiment.funnel import FunnelRow, funnel, matrix
from saferag.injection import Stage
from saferag.report.funnel_tables import funnel_tables
from saferag.resources import Resources
from saferag.types import Lang, Score

OBEDIENT = "scripted(reply=I refuse to answer.)"


@pytest.fixture
def run(tmp_path: Path) -> Setup:
    """White DoS and a conflict at all doors, against a model that always refuses and one that copies."""
    setup = Setup(tmp_path / "run", Resources(lang=Lang.EN))
    grid = Grid(
        ("white_dos", "inter_context_conflict", "rgb_noise"),
        stages=tuple(Stage),
        retrievers=("bm25",),
        filters=("off",),
        generators=("extractive", OBEDIENT),
        langs=(Lang.EN,),
        top_ks=(2,),
        controls=True,
    )
    setup.run(grid.cells())
    return setup


def row(rows: list[FunnelRow], task: str, stage: str, generator: str) -> FunnelRow:
    (found,) = [r for r in rows if (r.task, r.stage) == (task, stage) and r.pipeline[2].startswith(generator)]
    return found


def test_text_is_followed_from_door_to_answer(run: Setup) -> None:
    found = row(funnel(run.store()), "white_dos", "retrieved_context", "extractive")

    assert [e and e.value for e in found.steps[:3]] == [1.0, 1.0, 1.0]
    assert found.steps[3] is not None
    assert found.label == "WDoS"


def test_a_door_behind_retrieval_has_no_share_there(run: Setup) -> None:
    assert row(funnel(run.store()), "white_dos", "filtered_context", "extractive").steps[1] is None


def test_a_model_that_always_refuses_is_not_due_to_the_attack(run: Setup) -> None:
    found = row(funnel(run.store()), "white_dos", "filtered_context", "scripted")

    assert found.obeyed is not None
    assert found.obeyed.value == 1.0
    assert found.clean is not None
    assert found.clean.value == 1.0
    assert found.over_control is not None
    assert found.over_control.value == 0.0
    assert found.over_control.p_holm == 1.0


def test_copying_a_conflict_is_due_to_it(run: Setup) -> None:
    found = row(funnel(run.store()), "inter_context_conflict", "filtered_context", "extractive")

    assert found.control is not None
    assert found.control.value == 0.0
    assert found.closed_book is not None
    assert found.closed_book.value == 0.0
    assert found.over_control is not None
    assert found.over_control.value is not None
    assert found.over_control.value > 0.5


def test_facts_left_out_count_as_harm(run: Setup) -> None:
    refused = row(funnel(run.store()), "rgb_noise", "filtered_context", "scripted")

    assert refused.obeyed is not None
    assert refused.obeyed.value == 1.0


def test_the_matrix_pools_doors_and_has_a_column_for_each_generator(run: Setup) -> None:
    rows = matrix(run.store(), "generator")

    assert {(r.task, r.pipeline[2]) for r in rows} == {
        (task, generator)
        for task in ("white_dos", "inter_context_conflict", "rgb_noise")
        for generator in ("extractive", OBEDIENT)
    }


def test_the_tables_fit_80_columns_and_name_every_attack(run: Setup) -> None:
    out = io.StringIO()
    console = Console(file=out, width=80)
    for table in funnel_tables(run.store()):
        console.print(table)
    text = out.getvalue()

    assert max(map(len, text.splitlines())) <= 80
    for label in ("WDoS", "ICC", "RGB-N", "attack against generator", "+ beyond control"):
        assert label in text
    assert "…" not in text.replace("left out …", "")


def test_rows_for_machines_have_one_form(run: Setup) -> None:
    rows = [r.as_dict() for r in funnel(run.store())]

    assert len({tuple(r) for r in rows}) == 1
    assert {"task", "stage", "obeyed", "obeyed_low", "over_control", "over_control_p_holm", "n"} <= set(rows[0])


def test_a_run_without_controls_has_none(tmp_path: Path) -> None:
    setup = Setup(tmp_path / "run", Resources(lang=Lang.EN))
    setup.run(Grid(("white_dos",), retrievers=("bm25",), filters=("off",), langs=(Lang.EN,)).cells())

    (found,) = funnel(setup.store())

    assert found.control is None
    assert found.over_control is None
    assert found.over_clean is not None


def test_data_without_facts_show_an_incomplete_answer_by_f1(tmp_path: Path) -> None:
    setup = Setup(tmp_path / "run", Resources(lang=Lang.EN))
    setup.dataset = replace(setup.dataset, cases=tuple(replace(c, facts=()) for c in setup.dataset.cases))
    setup.run(Grid(("silver_noise",), retrievers=("bm25",), filters=("off",), langs=(Lang.EN,), top_ks=(2,)).cells())
    store = setup.store()

    (found,) = funnel(store)

    f1 = [r.scores["f1_correct"] for r in store.records.values() if r.trace.attack]
    assert found.obeyed is not None
    assert found.obeyed.value == pytest.approx(1 - sum(s.value for s in f1 if isinstance(s, Score)) / len(f1))
