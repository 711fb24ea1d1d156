from __future__ import annotations

from dataclasses import replace

from saferag.attacks.falsehoods import aim_at, chosen, falsehoods, say, swapped
from saferag.types import Case, Label, Lang, Option, Origin, Passage


def test_a_false_option_of_a_fact_is_a_wrong_answer(case: Case) -> None:
    (found,) = falsehoods(case)

    assert (found.right, found.wrong) == ("alder", "willow")
    assert found.statement == "The kiln is fed with willow."


def test_a_value_that_a_benign_passage_or_the_question_holds_is_none(case: Case) -> None:
    elsewhere = Passage("en-culture-77/b1", "A willow stands by the gate.", Origin.BACKGROUND)

    assert not falsehoods(replace(case, background=(elsewhere,)))
    assert not falsehoods(replace(case, query="Is it willow that the kiln burns?"))


def test_names_and_figures_come_before_what_needs_its_sentence(case: Case) -> None:
    figure = Option("o3", "The kiln fires 90 pots.", Label.INCORRECT, "f1", "90 pots", "40 pots", change="number")
    order = replace(case.options[1], change="order")

    found = falsehoods(replace(case, options=(order, figure)))

    assert [f.wrong for f in found] == ["90 pots", "willow"]
    assert chosen(replace(case, options=(order, figure)), 2) == found[1]


def test_the_aim_has_both_sentences_and_the_false_value(case: Case) -> None:
    target = aim_at(falsehoods(case))

    assert [(o.label, o.value, o.contrast) for o in target.options] == [
        (Label.CORRECT, "alder", "willow"),
        (Label.INCORRECT, "willow", "alder"),
    ]
    assert target.keywords == ("willow",)


def test_a_golden_passage_with_the_value_swapped_is_otherwise_the_same(case: Case) -> None:
    assert swapped(case, falsehoods(case)) == ["Its potters feed it with willow."]


def test_braces_in_a_question_stay_text(case: Case) -> None:
    hostile = replace(case, query="What {wrong} {0} is the kiln fed with?")

    assert say(hostile, {Lang.EN: ("{query} {wrong}",)}) == ["What {wrong} {0} is the kiln fed with? willow"]
