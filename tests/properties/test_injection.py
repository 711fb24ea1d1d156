"""What holds of `inject` for any context, attack and plan."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from saferag.injection import InjectionPlan, Position, Stage, inject
from saferag.types import Context, Origin, Passage


@st.composite
def situations(draw: st.DrawFn) -> tuple[Context, Context, InjectionPlan, str]:
    """A benign context, attack texts, a plan and a key."""
    context = tuple(Passage(f"b{i}", f"Benign {i}.") for i in range(draw(st.integers(0, 12))))
    attack = tuple(Passage(f"a{i}", f"Attack {i}.", Origin.ATTACK) for i in range(draw(st.integers(0, 12))))
    top_k = draw(st.integers(1, 12))
    plan = InjectionPlan(
        stage=draw(st.sampled_from(list(Stage))),
        ratio=Fraction(draw(st.integers(0, top_k)), top_k),
        top_k=top_k,
        position=draw(st.sampled_from(list(Position))),
        seed=draw(st.integers(0, 3)),
    )
    return context, attack, plan, draw(st.sampled_from(["", "case-1", "案例"]))


def is_subsequence(part: Context, whole: Context) -> bool:
    rest = iter(whole)
    return all(p in rest for p in part)


@given(situations())
def test_the_window_is_never_exceeded(found: tuple[Context, Context, InjectionPlan, str]) -> None:
    context, attack, plan, key = found
    if attack:
        assert len(inject(context, attack, plan, key)) == min(plan.top_k, len(context) + len(attack))


@given(situations())
def test_without_attack_text_nothing_changes(found: tuple[Context, Context, InjectionPlan, str]) -> None:
    context, _, plan, key = found

    assert inject(context, (), plan, key) is context


@given(situations())
def test_both_groups_keep_their_order_and_benign_is_lost_from_the_bottom(
    found: tuple[Context, Context, InjectionPlan, str],
) -> None:
    context, attack, plan, key = found
    if not attack:
        return
    result = inject(context, attack, plan, key)
    used = tuple(p for p in result if p.origin is Origin.ATTACK)
    kept = tuple(p for p in result if p.origin is not Origin.ATTACK)

    assert used == attack[: plan.top_k]
    assert kept == context[: plan.top_k - len(used)]
    assert is_subsequence(kept, result)


@given(situations())
def test_front_back_and_spread_say_where(found: tuple[Context, Context, InjectionPlan, str]) -> None:
    context, attack, plan, key = found
    result = inject(context, attack, plan, key)
    places = [i for i, p in enumerate(result) if p.origin is Origin.ATTACK]
    if plan.position is Position.FRONT:
        assert places == list(range(len(places)))
    if plan.position is Position.BACK and places:
        assert places == list(range(len(result) - len(places), len(result)))
    if plan.position is Position.SPREAD and len(places) > 1:
        gaps = [b - a for a, b in pairwise(places)]
        assert max(gaps) - min(gaps) <= 1


@given(situations())
def test_the_same_call_gives_the_same_places(found: tuple[Context, Context, InjectionPlan, str]) -> None:
    assert inject(*found) == inject(*found)


@given(st.integers(1, 40), st.integers(0, 40))
def test_count_is_the_ratio_of_the_window(top_k: int, wanted: int) -> None:
    wanted = min(wanted, top_k)
    plan = InjectionPlan(Stage.RETRIEVED_CONTEXT, Fraction(wanted, top_k), top_k)

    assert plan.count == wanted
