"""What a run says about an attack is what its records say, case by case."""

from __future__ import annotations

from pathlib import Path

import pytest

from saferag.experiment.cells import Cell, Grid
from saferag.experiment.effects import Effect, effects, paired_rows
from saferag.experiment.records import Record
from saferag.experiment.results import coverage, rows
from saferag.experiment.settings import describe
from saferag.experiment.store import Store
from saferag.injection import Stage
from saferag.metrics import Direction
from saferag.types import Condition, Failure, Lang, Measurement, Score, Trace, Unscored
from toy_runs import toy_dataset

CASES = tuple(f"c{i}" for i in range(8))


@pytest.fixture
def cells() -> tuple[Cell, ...]:
    stages = (Stage.RETRIEVED_CONTEXT, Stage.FILTERED_CONTEXT)
    return Grid(("soft_ad",), stages=stages, retrievers=("bm25",), langs=(Lang.EN,)).cells()


def make(path: Path, cells: tuple[Cell, ...], epochs: int = 1) -> Store:
    data = toy_dataset(len(CASES))
    settings = describe(cells, data, case_ids={"soft_ad|en": CASES}, model=None, epochs=epochs)
    return Store.create(path / "run", settings, data.cases)


def put(store: Store, arm: str, case: str, **scores: Measurement) -> None:
    store.add(Record(arm, Trace(case, Condition.CLEAN, (), (), answer="x"), None, scores))


def fill(store: Store, arm: str, values: list[float], metric: str = "asr") -> None:
    for case, value in zip(CASES, values, strict=True):
        put(store, arm, case, **{metric: Score(value)})


def by_stage(found: list[Effect]) -> dict[str, Effect]:
    return {effect.cell["stage"]: effect for effect in found}


def test_an_effect_is_attacked_minus_clean_and_harm_knows_the_direction(
    tmp_path: Path, cells: tuple[Cell, ...]
) -> None:
    store = make(tmp_path, cells)
    fill(store, cells[0].clean.id, [0] * 8)
    fill(store, cells[0].attacked.id, [1, 1, 1, 1, 1, 1, 1, 0])
    fill(store, cells[1].attacked.id, [0] * 8)

    found = by_stage(effects(store))

    strong, none = found["retrieved_context"], found["filtered_context"]
    assert strong.difference.value == pytest.approx(7 / 8)
    # Seven discordant pairs, all one way: 2 / 2^7; the family has two cells.
    assert strong.difference.p == pytest.approx(2 / 128)
    assert strong.difference.p_holm == pytest.approx(4 / 128)
    assert strong.harm == pytest.approx(7 / 8)
    assert strong.holds
    assert (none.difference.value, none.holds) == (0, False)
    assert Effect({}, "afr", Direction.HIGHER_IS_SAFER, strong.difference).harm == pytest.approx(-7 / 8)
    assert Effect({}, "answer_length", Direction.NEUTRAL, strong.difference).harm is None


def test_attacked_rows_carry_their_difference_and_clean_rows_none(tmp_path: Path, cells: tuple[Cell, ...]) -> None:
    store = make(tmp_path, cells)
    for cell in cells:
        fill(store, cell.attacked.id, [1] * 8)
    fill(store, cells[0].clean.id, [0] * 8)

    found = [row.as_dict() for row in paired_rows(store)]

    assert {(r["condition"], r["change"], r["n_pairs"]) for r in found} == {("clean", None, None), ("attacked", 1, 8)}


def test_repeats_of_a_case_are_one_case(tmp_path: Path, cells: tuple[Cell, ...]) -> None:
    store = make(tmp_path, cells, epochs=2)
    repeats = store.settings["repeats"]
    for epoch, arm in enumerate(repeats[cells[0].attacked.id]):
        fill(store, arm, [epoch] * 8)
    for arm in repeats[cells[0].clean.id]:
        fill(store, arm, [0] * 8)

    row = next(r for r in rows(store) if r.condition == "attacked")
    effect = by_stage(effects(store))["retrieved_context"]

    assert (row.estimate.value, row.estimate.n) == (0.5, 8)
    assert (effect.difference.value, effect.difference.n) == (0.5, 8)


def test_what_was_not_run_is_counted_and_never_scored(tmp_path: Path, cells: tuple[Cell, ...]) -> None:
    store = make(tmp_path, cells)
    put(store, cells[0].attacked.id, "c0", asr=Score(1.0))
    put(store, cells[0].attacked.id, "c1", asr=Unscored("judge: timeout"))
    outage = Trace("c2", Condition.ATTACKED, (), (), failure=Failure("generator", "timeout", "late"))
    store.add(Record(cells[0].attacked.id, outage, None, {"asr": Unscored("generator: timeout")}))

    (row,) = rows(store)
    done = coverage(store)

    assert (row.estimate.value, row.estimate.n, row.estimate.n_unscored) == (1.0, 1, 7)
    assert (done.done, done.failed, done.missing, done.total) == (2, 1, 21, 24)
