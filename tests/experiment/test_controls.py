from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from running import Setup
from saferag.experiment.cells import Cell, Grid, arms_of
from saferag.experiment.controls import benign
from saferag.experiment.results import coverage
from saferag.injection import Stage
from saferag.resources import Resources
from saferag.types import Condition, Lang, Origin, Passage
from toy_runs import toy_case


def cells(*tasks: str, controls: bool = True, stages: tuple[Stage, ...] = tuple(Stage)) -> tuple[Cell, ...]:
    return Grid(
        tasks or ("white_dos",),
        stages=stages,
        retrievers=("bm25",),
        filters=("off",),
        langs=(Lang.EN,),
        controls=controls,
    ).cells()


@given(st.lists(st.integers(1, 2000), max_size=6), st.sampled_from(list(Lang)))
def test_a_control_matches_its_attack_in_number_and_length(lengths: list[int], lang: Lang) -> None:
    attack = tuple(Passage(f"c/a{i}", "x" * n, Origin.ATTACK) for i, n in enumerate(lengths))

    found = benign(toy_case(1, lang), attack)

    assert len(found) == len(attack)
    assert len({p.id for p in found}) == len(found)
    for made, text in zip(found, attack, strict=True):
        assert made.origin is Origin.BACKGROUND
        assert len(text.text) - 20 <= len(made.text) <= max(len(text.text), 2)


def test_a_control_says_nothing_of_the_answer() -> None:
    case = toy_case(3)
    texts = benign(case, (Passage("a", "x" * 400, Origin.ATTACK),))

    assert not any(fact.value in p.text for fact in case.facts for p in texts)


def test_controls_are_arms_of_their_own_and_clean_and_closed_book_are_shared() -> None:
    arms = arms_of(cells())

    counted = {c: sum(arm.condition is c for arm in arms) for c in Condition}
    assert counted == {
        Condition.CLEAN: 1, Condition.ATTACKED: 3, Condition.CONTROL: 3, Condition.CLOSED_BOOK: 1,
    }  # fmt: skip
    assert len({arm.id for arm in arms}) == len(arms)
    assert {arm.condition for arm in arms_of(cells(controls=False))} == {Condition.CLEAN, Condition.ATTACKED}


@pytest.fixture
def run(tmp_path: Path) -> Setup:
    setup = Setup(tmp_path / "run", Resources(lang=Lang.EN))
    setup.run(cells())
    return setup


def test_a_control_run_puts_in_benign_text_and_no_attack(run: Setup) -> None:
    store = run.store()
    by_condition: dict[Condition, list[str]] = {c: [] for c in Condition}
    for record in store.records.values():
        trace = record.trace
        by_condition[trace.condition].extend(p.id for p in trace.context)
        if trace.condition is not Condition.ATTACKED:
            assert not trace.attack
            assert all(p.origin is not Origin.ATTACK for p in (*trace.retrieved, *trace.context))
        if trace.condition is Condition.CLOSED_BOOK:
            assert not trace.context

    assert any("/control" in i for i in by_condition[Condition.CONTROL])
    assert any("/white_dos" in i for i in by_condition[Condition.ATTACKED])
    assert not any("/control" in i or "/white_dos" in i for i in by_condition[Condition.CLEAN])


def test_a_control_takes_the_places_that_the_attack_takes(run: Setup) -> None:
    store = run.store()
    links = store.settings["controls"]

    for attacked, others in links.items():
        if store.settings["arms"][attacked]["stage"] == "knowledge_base":
            continue
        for case in store.cases:
            a = [p.id for p in store.records[attacked, case].trace.context]
            b = [p.id for p in store.records[others["control"], case].trace.context]
            assert [i.replace("/white_dos", "/control") for i in a] == b


def test_a_run_with_controls_is_complete_and_has_the_same_rows(run: Setup, tmp_path: Path) -> None:
    from saferag.experiment.results import rows

    plain = Setup(tmp_path / "plain", Resources(lang=Lang.EN))
    plain.run(cells(controls=False))

    assert coverage(run.store()).missing == 0
    assert list(rows(run.store())) == list(rows(plain.store()))


def test_a_cell_is_another_one_with_controls() -> None:
    (cell,) = cells(stages=(Stage.FILTERED_CONTEXT,))

    assert cell != replace(cell, controls=False)
    assert cell.arms == replace(cell, controls=False).arms
