"""Grids: which cells there are, and which arms they share."""

from __future__ import annotations

from fractions import Fraction

from saferag.experiment.cells import Grid, arms_of
from saferag.injection import Position, Stage
from saferag.types import Condition, Lang

BOTH = (Lang.ZH, Lang.EN)


def test_ratio_and_top_k_default_to_the_attacks_own() -> None:
    cells = Grid(("silver_noise", "white_dos"), langs=(Lang.ZH,)).cells()

    assert [(c.attacked.plan.top_k, c.attacked.plan.count) for c in cells] == [(6, 3), (2, 1)]


def test_every_combination_is_one_cell() -> None:
    grid = Grid(
        ("soft_ad",),
        stages=tuple(Stage),
        ratios=(Fraction(1, 2), Fraction(1)),
        retrievers=("bm25", "dense"),
        langs=BOTH,
    )

    cells = grid.cells()

    assert len(cells) == len(set(cells)) == 3 * 2 * 2 * 2


def test_positions_make_no_further_cells_where_the_retriever_decides() -> None:
    grid = Grid(("soft_ad",), stages=tuple(Stage), positions=(Position.FRONT, Position.BACK), langs=(Lang.ZH,))

    assert len(grid.cells()) == 1 + 2 + 2


def test_doors_and_ratios_share_one_clean_arm() -> None:
    grid = Grid(("soft_ad",), stages=tuple(Stage), ratios=(Fraction(1, 2), Fraction(1)), langs=(Lang.ZH,))

    arms = arms_of(grid.cells())

    assert sum(arm.condition is Condition.CLEAN for arm in arms) == 1
    assert len(arms) == 1 + 6
    assert arms[0].condition is Condition.CLEAN


def test_an_arm_is_known_by_its_settings() -> None:
    one, other = Grid(("soft_ad",), langs=BOTH).cells()

    assert one.attacked.id != other.attacked.id
    assert one.attacked.id == Grid(("soft_ad",), langs=BOTH).cells()[0].attacked.id
    assert one.clean.id != one.attacked.id
