from __future__ import annotations

from fractions import Fraction

from saferag.attacks import attacks
from saferag.types import Case


def test_the_changed_passage_goes_in_and_its_false_values_are_the_keywords(case: Case) -> None:
    attack = attacks.build("inter_context_conflict")

    (text,) = attack.texts(case, 1, seed=0)

    assert text.text == "The kiln at Marrow End fires 65 pots a day."
    assert attack.target(case).keywords == ("65 pots",)


def test_the_answer_is_held_against_both_versions(case: Case) -> None:
    options = attacks.build("inter_context_conflict").target(case).options

    assert [o.id for o in options] == ["v1", "v2"]


def test_the_defaults_are_the_papers() -> None:
    info = attacks.build("inter_context_conflict").info

    assert (2, Fraction(1, 2), "ICC") == (info.top_k, info.ratio, info.label)
