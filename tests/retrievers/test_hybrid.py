from __future__ import annotations

import pytest

from saferag.errors import OptionError, UnknownComponentError
from saferag.resources import Resources
from saferag.retrievers import retrievers
from saferag.retrievers.bm25 import Bm25
from saferag.retrievers.dense import Dense
from saferag.retrievers.hybrid import Fusion, Hybrid
from saferag.types import Passage

CORPUS = tuple(Passage(f"p{i}", text) for i, text in enumerate(["old bridge", "bridge bridge", "museum", "sea wall"]))


def test_one_list_of_the_window_without_repeats(resources: Resources) -> None:
    spec = "hybrid(bm25=bm25(tokens=bigrams),dense=bm25(k1=0.9))"
    (ranking,) = retrievers.build(spec, resources).index(CORPUS).search(["old bridge"], 3)

    ids = [hit.passage.id for hit in ranking]
    assert len(ids) == len(set(ids)) == 3
    assert ids[0] == "p0"
    assert ranking[0].score == pytest.approx(2 / 61)


def test_a_weight_of_zero_leaves_one_list(resources: Resources) -> None:
    alone = retrievers.build("bm25(tokens=bigrams)", resources).index(CORPUS).search(["bridge"], 2)[0]
    spec = "hybrid(bm25=bm25(tokens=bigrams),dense=bm25(k1=0,b=1),dense_weight=0)"
    fused = retrievers.build(spec, resources).index(CORPUS).search(["bridge"], 2)[0]

    assert [hit.passage.id for hit in fused] == [hit.passage.id for hit in alone]


def test_the_depth_is_never_less_than_the_window() -> None:
    assert Fusion((1, 1)).depth_for(2) == 20
    assert Fusion((1, 1)).depth_for(50) == 100
    assert Fusion((1, 1), depth=5).depth_for(2) == 5
    assert Fusion((1, 1), depth=5).depth_for(8) == 8


def test_parameters_reach_the_parts(resources: Resources) -> None:
    built = retrievers.build("hybrid(bm25=bm25(k1=0.9,b=0.4),c=10,dense_weight=2,depth=7)", resources)

    assert isinstance(built, Hybrid)
    assert built.fusion == Fusion((1.0, 2.0), 10.0, 7)
    sparse, dense = built.parts
    assert isinstance(sparse, Bm25) and (sparse.formula.k1, sparse.formula.b) == (0.9, 0.4)
    assert isinstance(dense, Dense)


@pytest.mark.parametrize("name", ["hybrid", "hybrid-rerank"])
@pytest.mark.parametrize("params", ["c=-1", "c=nan", "bm25_weight=-1", "bm25_weight=0,dense_weight=0", "depth=0"])
def test_a_parameter_out_of_range_is_one_clear_line(name: str, params: str, resources: Resources) -> None:
    with pytest.raises(OptionError, match=f"retriever '{name}'"):
        retrievers.build(f"{name}({params})", resources)


def test_the_dense_part_is_named_once(resources: Resources) -> None:
    with pytest.raises(OptionError, match="twice"):
        retrievers.build("hybrid:endpoint(dense=dense)", resources)


def test_an_unknown_part_gets_a_suggestion(resources: Resources) -> None:
    with pytest.raises(UnknownComponentError, match="did you mean 'dense'"):
        retrievers.build("hybrid(dense=dens)", resources)
