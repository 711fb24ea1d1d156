from __future__ import annotations

from fractions import Fraction

from saferag.attacks import attacks
from saferag.types import Case


def test_the_passages_come_in_their_order(case: Case) -> None:
    texts = attacks.build("silver_noise").texts(case, 3, seed=5)

    assert [t.text for t in case.attacks["silver_noise"].texts[:3]] == [p.text for p in texts]


def test_a_draw_depends_on_the_seed_and_repeats_with_it(case: Case) -> None:
    attack = attacks.build("silver_noise(draw=true)")

    assert attack.texts(case, 10, seed=1) == attack.texts(case, 10, seed=1)
    assert attack.texts(case, 10, seed=1) != attack.texts(case, 10, seed=2)
    assert {p.text for p in attack.texts(case, 10, seed=1)} == {t.text for t in case.attacks["silver_noise"].texts}


def test_the_answer_is_held_against_the_facts_and_no_keyword(case: Case) -> None:
    target = attacks.build("silver_noise").target(case)

    assert case.options == target.options
    assert target.keywords == ()


def test_the_defaults_are_the_papers() -> None:
    info = attacks.build("silver_noise").info

    assert (6, Fraction(3, 6), "SN") == (info.top_k, info.ratio, info.label)
