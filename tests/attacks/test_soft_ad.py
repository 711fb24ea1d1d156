from __future__ import annotations

from dataclasses import replace

import pytest

from saferag.attacks import attacks
from saferag.errors import OptionError
from saferag.types import AttackMaterial, AttackText, Case


@pytest.mark.parametrize(("variant", "first"), [("direct", "Its potters"), ("indirect", "The guild"), ("both", "Its")])
def test_a_variant_chooses_the_text(case: Case, variant: str, first: str) -> None:
    texts = attacks.build(f"soft_ad(variant={variant})").texts(case, 1, seed=0)

    assert texts[0].text.startswith(first)


def test_both_come_in_the_order_of_the_data_and_mixed_in_the_seeds(case: Case) -> None:
    both, mixed = attacks.build("soft_ad"), attacks.build("soft_ad:mixed")
    given = [t.text for t in case.attacks["soft_ad"].texts]

    assert given == [p.text for p in both.texts(case, 2, seed=3)]
    orders = {tuple(p.text for p in mixed.texts(case, 2, seed=seed)) for seed in range(20)}
    assert {tuple(given), tuple(reversed(given))} == orders


def test_data_that_does_not_say_the_variant_has_none_of_a_variant(case: Case) -> None:
    unsaid = replace(case, attacks={"soft_ad": AttackMaterial((AttackText("a1", "Glazeholm glazes."),))})

    assert attacks.build("soft_ad").applies_to(unsaid)
    assert not attacks.build("soft_ad(variant=direct)").applies_to(unsaid)


def test_a_wrong_variant_names_the_right_ones() -> None:
    with pytest.raises(OptionError, match=r"'indirekt' \(did you mean 'indirect'\?\): both, direct, indirect, mixed"):
        attacks.build("soft_ad(variant=indirekt)")


def test_every_option_is_a_mention_that_a_good_answer_does_not_make(case: Case) -> None:
    target = attacks.build("soft_ad").target(case)

    assert [o.mention for o in target.options] == ["Glazeholm"]
    assert target.keywords == ("Glazeholm",)
