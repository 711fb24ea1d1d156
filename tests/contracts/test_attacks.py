"""What holds for every registered attack."""

from __future__ import annotations

import re
from copy import deepcopy
from fractions import Fraction
from pathlib import Path

import pytest

from saferag.attacks import Attack, attacks
from saferag.attacks.base import GOALS
from saferag.attacks.groups import APART, PAPER, groups
from saferag.data import load_dataset
from saferag.metrics import metrics
from saferag.metrics.containment import stands_in
from saferag.types import Case, Lang, Origin

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture(params=attacks.names())
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def attack(name: str) -> Attack:
    return attacks.build(name)


@pytest.fixture(scope="module")
def shipped() -> tuple[Case, ...]:
    dataset = load_dataset()
    return tuple(case for lang in Lang for case in [c for c in dataset.cases if c.lang is lang][:4])


def test_it_says_what_it_is(attack: Attack) -> None:
    info = attack.info

    assert info.goal in GOALS
    for text in (info.threat, info.success):
        assert text.endswith("."), "threat and success are sentences"
    assert info.label and info.source
    assert info.made_by in {"rule", "data", "model"}
    assert info.metric in metrics.names()
    assert info.top_k >= 1
    assert Fraction(0) < info.ratio <= 1


def test_labels_are_unique() -> None:
    labels = [attacks.build(name).info.label for name in attacks.names()]

    assert len(labels) == len(set(labels))


def test_it_has_a_page_that_says_what_it_declares(name: str, attack: Attack) -> None:
    page = (DOCS / "attacks" / f"{name}.md").read_text(encoding="utf-8")
    info = attack.info
    arxiv = re.search(r"\d{4}\.\d{5}", info.source)

    assert f"[`{name}`](attacks/{name}.md)" in (DOCS / "attacks.md").read_text(encoding="utf-8")
    for said in (f"`{name}`, {info.label}", info.goal, info.threat, info.success, f"`{info.metric}`"):
        assert said in page, f"the page of {name} does not say: {said}"
    assert arxiv is None or f"https://arxiv.org/abs/{arxiv[0]}" in page
    for parameter, values in info.choices.items():
        assert f"`{parameter}`: {', '.join(f'`{v}`' for v in values)}" in page
    assert re.search(rf"^saferag run .*--attack {name}\b", page, re.MULTILINE) or name in PAPER


def test_every_choice_of_an_adaptive_attacker_can_be_built(name: str, attack: Attack) -> None:
    for parameter, values in attack.info.choices.items():
        for value in values:
            assert attacks.build(f"{name}({parameter}={value})").info.goal


def test_it_is_in_the_groups_that_it_belongs_to(name: str, attack: Attack) -> None:
    known = groups()

    if name in APART:
        assert not any(name in members for members in known.values())
    else:
        assert name in known["all"]
        assert (name in known["paper"]) is not (name in known["field"])
        assert name in known[attack.info.goal]


def test_what_it_wants_said_is_in_its_texts_and_in_no_benign_passage(attack: Attack, shipped: tuple[Case, ...]) -> None:
    for case in filter(attack.applies_to, shipped):
        benign = [p.text for p in (*case.golden, *case.background)]
        texts = [p.text for p in attack.texts(case, 50, seed=0)]
        for keyword in attack.target(case).keywords:
            assert any(stands_in(keyword, text) for text in texts)
            assert not any(stands_in(keyword, text) for text in benign)


def test_its_texts_are_no_golden_passages(attack: Attack, shipped: tuple[Case, ...]) -> None:
    for case in filter(attack.applies_to, shipped):
        texts = attack.texts(case, 50, seed=0)

        assert not {p.id for p in texts} & {p.id for p in (*case.golden, *case.background)}
        assert not {p.text for p in texts} & {p.text for p in case.golden}


def test_it_makes_what_it_is_asked_for(name: str, attack: Attack, shipped: tuple[Case, ...]) -> None:
    for case in filter(attack.applies_to, shipped):
        for count in (0, 1, 3, 50):
            texts = attack.texts(case, count, seed=7)
            assert len(texts) <= count
            assert [f"{case.id}/{name}{i + 1}" for i in range(len(texts))] == [p.id for p in texts]
            assert all(p.origin is Origin.ATTACK and p.text.strip() and not p.source_ids for p in texts)
        assert attack.texts(case, 1, seed=7), "applies_to is true, so there is a text"


def test_the_same_seed_makes_the_same_texts_and_fewer_are_the_first_of_more(
    attack: Attack, shipped: tuple[Case, ...]
) -> None:
    for case in filter(attack.applies_to, shipped):
        more = attack.texts(case, 5, seed=3)

        assert more == attack.texts(case, 5, seed=3)
        assert more[:2] == attack.texts(case, 2, seed=3)


def test_it_leaves_the_case_as_it_is(attack: Attack, shipped: tuple[Case, ...]) -> None:
    for case in filter(attack.applies_to, shipped):
        before = deepcopy(case)
        attack.texts(case, 3, seed=0)
        attack.target(case)

        assert before == case


def test_it_says_what_an_answer_is_held_against(attack: Attack, shipped: tuple[Case, ...]) -> None:
    for case in filter(attack.applies_to, shipped):
        target = attack.target(case)
        ids = [o.id for o in target.options]

        assert ids and len(ids) == len(set(ids))
        assert all(keyword.strip() for keyword in target.keywords)


def test_a_case_without_material_is_either_turned_down_or_served(attack: Attack) -> None:
    bare = Case("bare", Lang.EN, "What is the kiln fed with?", ())

    assert bool(attack.texts(bare, 2, seed=0)) is attack.applies_to(bare)
