from __future__ import annotations

import pytest

from saferag.retrievers.fusion import reciprocal_rank_fusion
from saferag.types import Hit, Passage, Ranking


def ranking(*ids: str, score: float = 1.0) -> Ranking:
    return tuple(Hit(Passage(name, ""), score) for name in ids)


def test_each_list_adds_one_over_constant_plus_rank() -> None:
    fused = reciprocal_rank_fusion([ranking("a", "b"), ranking("b", "c")], [1, 1], c=60)

    assert {hit.passage.id: hit.score for hit in fused} == pytest.approx(
        {"b": 1 / 62 + 1 / 61, "a": 1 / 61, "c": 1 / 62}
    )
    assert [hit.passage.id for hit in fused] == ["b", "a", "c"]


def test_weights_count() -> None:
    lists = [ranking("a", "b"), ranking("b", "a")]

    assert reciprocal_rank_fusion(lists, [2, 1])[0].passage.id == "a"
    assert reciprocal_rank_fusion(lists, [1, 2])[0].passage.id == "b"


def test_equal_scores_stand_in_the_order_of_the_ids() -> None:
    fused = reciprocal_rank_fusion([ranking("z", "a"), ranking("a", "z")], [1, 1])

    assert [hit.passage.id for hit in fused] == ["a", "z"]


def test_a_hit_that_matched_nothing_adds_nothing() -> None:
    """Else passages would be found for the order of their ids."""
    fused = reciprocal_rank_fusion([ranking("a", "b", score=0.0), ranking("c", "b")], [1, 1])

    assert [(hit.passage.id, hit.score) for hit in fused] == [("c", 1 / 61), ("b", 1 / 62), ("a", 0.0)]


def test_nothing_fused_is_nothing() -> None:
    assert reciprocal_rank_fusion([], []) == ()
    assert reciprocal_rank_fusion([(), ()], [1, 1]) == ()
