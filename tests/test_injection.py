"""The doors, by example."""

from __future__ import annotations

from fractions import Fraction

import pytest

from saferag.errors import OptionError
from saferag.injection import InjectionPlan, Position, Stage, inject, parse_ratio, poison
from saferag.resources import Resources
from saferag.retrievers import retrievers
from saferag.types import Context, Origin, Passage

BENIGN = tuple(Passage(f"r{i}", f"Benign {i}.") for i in range(1, 7))
ATTACK = tuple(Passage(f"a{i}", f"Attack {i}.", Origin.ATTACK) for i in range(1, 4))


def plan(position: Position = Position.FRONT, *, top_k: int = 6, seed: int = 0) -> InjectionPlan:
    return InjectionPlan(Stage.RETRIEVED_CONTEXT, Fraction(1, 2), top_k, position, seed)


def ids(context: Context) -> list[str]:
    return [p.id for p in context]


def test_front_is_the_papers_order_and_evicts_the_lowest() -> None:
    assert ids(inject(BENIGN, ATTACK, plan())) == ["a1", "a2", "a3", "r1", "r2", "r3"]


def test_back_puts_them_last() -> None:
    assert ids(inject(BENIGN, ATTACK, plan(Position.BACK))) == ["r1", "r2", "r3", "a1", "a2", "a3"]


def test_spread_puts_them_evenly() -> None:
    assert ids(inject(BENIGN, ATTACK, plan(Position.SPREAD))) == ["r1", "a1", "r2", "a2", "r3", "a3"]


def test_random_depends_on_seed_and_case() -> None:
    places = {tuple(ids(inject(BENIGN, ATTACK, plan(Position.RANDOM, seed=s), "c"))) for s in range(12)}
    keys = {tuple(ids(inject(BENIGN, ATTACK, plan(Position.RANDOM), key))) for key in "abcdefgh"}

    assert len(places) > 3
    assert len(keys) > 3


def test_more_texts_than_the_window_leave_no_benign_passage() -> None:
    assert ids(inject(BENIGN, ATTACK, plan(top_k=2))) == ["a1", "a2"]


def test_a_short_context_is_filled_up() -> None:
    assert ids(inject(BENIGN[:1], ATTACK, plan())) == ["a1", "a2", "a3", "r1"]


@pytest.mark.parametrize(("ratio", "top_k", "count"), [("3/6", 6, 3), ("0.5", 2, 1), ("1/2", 5, 3), ("0", 6, 0)])
def test_the_ratio_is_rounded_half_up(ratio: str, top_k: int, count: int) -> None:
    assert InjectionPlan(Stage.KNOWLEDGE_BASE, parse_ratio(ratio), top_k).count == count


@pytest.mark.parametrize("text", ["7/6", "-0.1", "half", "1/0", "", "nan", "1e-999999999", "0.50000000000000000001"])
def test_a_ratio_that_is_none_is_one_clear_line(text: str) -> None:
    with pytest.raises(OptionError, match=r"^ratio '.*' is [^\n]+$"):
        parse_ratio(text)


def test_poisoning_leaves_the_clean_index_as_it_is() -> None:
    clean = retrievers.build("bm25", Resources()).index(BENIGN)
    poisoned = poison(clean, ATTACK)

    assert (len(clean), len(poisoned)) == (6, 9)
    assert poisoned.search(["Attack 2"], 1)[0][0].passage.id == "a2"
    assert "a2" not in ids(tuple(hit.passage for hit in clean.search(["Attack 2"], 6)[0]))
