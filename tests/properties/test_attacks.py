"""No attack changes a golden passage or leaves a trace in a clean run."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saferag.attacks import attacks
from saferag.data import Dataset, load_dataset
from saferag.experiment.cells import Cell, Grid
from saferag.experiment.controls import benign
from saferag.experiment.retrieval import Searches
from saferag.injection import InjectionPlan, Position, Stage, inject
from saferag.resources import Resources
from saferag.types import Case, Context, Lang, Origin

CASES = [case for lang in Lang for case in [c for c in load_dataset().cases if c.lang is lang][:3]]
NAMES = attacks.names()


def dataset(lang: Lang) -> Dataset:
    return Dataset("few", tuple(case for case in CASES if case.lang is lang), sha256="few")


def cells(lang: Lang) -> tuple[Cell, ...]:
    data = dataset(lang)
    names = tuple(name for name in NAMES if data.for_attack(name, lang))
    grid = Grid(names, stages=(Stage.KNOWLEDGE_BASE,), retrievers=("bm25",), filters=("off",), langs=(lang,))
    return replace(grid, controls=True).cells()


@pytest.mark.parametrize("lang", list(Lang))
def test_clean_runs_are_the_same_before_and_after_every_attack(lang: Lang) -> None:
    alone = {cell.clean: Searches(dataset(lang), Resources()).retrieve(cell.clean).contexts for cell in cells(lang)}
    shared = Searches(dataset(lang), Resources())
    for cell in cells(lang):
        shared.retrieve(cell.attacked)
        shared.retrieve(cell.control)

    for cell in cells(lang):
        found = shared.retrieve(cell.clean).contexts
        assert found == alone[cell.clean]
        assert all(p.origin is not Origin.ATTACK for context in found.values() for p in context)


@settings(max_examples=200, deadline=None)
@given(
    st.sampled_from(NAMES),
    st.sampled_from(CASES),
    st.sampled_from(list(Position)),
    st.integers(1, 8),
    st.fractions(0, 1),
    st.integers(0, 3),
)
def test_golden_passages_that_stay_in_the_window_stay_as_they_are(
    name: str, case: Case, position: Position, top_k: int, ratio: Fraction, seed: int
) -> None:
    plan = InjectionPlan(Stage.RETRIEVED_CONTEXT, ratio, top_k, position, seed)
    window: Context = (*case.golden, *case.background)[:top_k]
    texts = attacks.build(name).texts(case, plan.count, seed)

    for entering in (texts, benign(case, texts)):
        context = inject(window, entering, plan, case.id)
        stayed = [p for p in context if p not in entering]
        assert stayed == list(window[: len(stayed)])
        assert len(context) == len(window)
