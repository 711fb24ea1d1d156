from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saferag.errors import OptionError
from saferag.experiment.adaptive import Candidate, candidates, search
from saferag.injection import Position

FRONT = (Position.FRONT,)


def test_candidates_are_all_wordings_at_all_places() -> None:
    found = candidates("lrii_related", tuple(Position))

    assert len(found) == 3 * len(Position)
    assert found[0] == Candidate("lrii_related(kind=linkage)", Position.FRONT)


def test_what_the_user_gives_stays() -> None:
    found = candidates("obfuscated(of=prompt_injection)", FRONT)

    assert all("of=prompt_injection" in c.task for c in found)
    assert {c.task for c in candidates("soft_ad:direct", (Position.FRONT, Position.BACK))} == {"soft_ad:direct"}
    with pytest.raises(OptionError, match="nothing to choose"):
        candidates("hijack_rag", FRONT)


@given(st.integers(2, 20), st.integers(0, 400), st.integers(1, 40))
def test_a_search_keeps_to_its_budget_and_never_loses_the_best(count: int, extra: int, cases: int) -> None:
    found = [Candidate(f"a{i}", Position.FRONT) for i in range(count)]
    harms = {c: (i * 7919 % 101) / 101 for i, c in enumerate(found)}
    asked: dict[Candidate, int] = {}

    def evaluate(left: Sequence[Candidate], cases_so_far: int) -> Mapping[Candidate, float]:
        for c in left:
            asked[c] = max(asked.get(c, 0), cases_so_far)
        return {c: harms[c] for c in left}

    result = search(found, count + extra, cases, evaluate)

    assert sum(asked.values()) == result.queries <= count + extra
    assert max(asked.values()) <= cases
    assert harms[result.best] == max(harms.values())
    assert len(result.rounds[-1].found) <= 2


def test_of_equal_ones_the_earlier_stays() -> None:
    found = candidates("white_dos", FRONT)

    result = search(found, 100, 10, lambda left, _: dict.fromkeys(left, 0.5))

    assert result.best == found[0]


def test_a_budget_that_does_not_reach_is_said() -> None:
    with pytest.raises(OptionError, match="--budget 3 does not reach"):
        search(candidates("white_dos", FRONT), 3, 10, lambda left, _: dict.fromkeys(left, 0.0))
