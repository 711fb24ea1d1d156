"""The training mix: drawn from the topics as stated, the same every time."""

from __future__ import annotations

from collections import Counter

from mix import JUDGING, NOTHING_BUT, PER_TOPIC, SHARES, Example, examples
from saferag.generators.reader import FORMS, unmarked
from saferag.judges.refusal import is_refusal
from saferag.types import Lang
from topics import read_topics

TOPICS = read_topics()
BY_ID = {t.id: t for t in TOPICS}
EXAMPLES = list(examples(TOPICS))
ANSWERS = [e for e in EXAMPLES if e.kind == "answer"]


def passages_of(example: Example) -> list[str]:
    return [m.content.partition("] ")[2] for m in example.messages[1:-1]]


def test_it_is_the_same_every_time_and_one_topic_more_changes_no_other_example_of_its_own_language() -> None:
    assert list(examples(TOPICS)) == EXAMPLES
    without = {(e.topic, e.messages) for e in examples([t for t in TOPICS if t.lang == "zh"])}
    assert {(e.topic, e.messages) for e in EXAMPLES if e.topic.startswith("zh")} == without


def test_the_shares_are_those_that_are_written_down() -> None:
    count = Counter(e.kind for e in EXAMPLES)
    others = PER_TOPIC * len(TOPICS)

    assert count["judge"] == JUDGING * len(TOPICS)
    assert len(EXAMPLES) == others + count["judge"]
    assert abs(sum(SHARES.values()) - 1) < 1e-9
    for kind, share in SHARES.items():
        assert abs(count[kind] / others - share) < 0.03, kind


def test_judging_alone_comes_first_and_is_even() -> None:
    kinds = [e.kind for e in EXAMPLES]
    judging = [e for e in EXAMPLES if e.kind == "judge"]

    assert "judge" not in kinds[len(judging) :]
    assert all(sorted(e.helps) == [False, False, True, True] and not e.target for e in judging)


def test_what_helps_is_the_topics_own_and_nothing_else_is() -> None:
    for example in EXAMPLES:
        own = {p for p, _ in BY_ID[example.topic].passages}
        passages = passages_of(example)
        assert 1 <= len(passages) == len(example.helps) <= 8
        if example.kind == "abstain":
            assert not any(example.helps)
        else:
            assert [p in own for p in passages] == list(example.helps)


def test_an_answer_takes_its_marks_from_the_passages_that_help_in_their_order() -> None:
    for example in ANSWERS:
        said = dict(BY_ID[example.topic].passages)
        wanted = [f"[{i}] {said[p]}" for i, p in enumerate(passages_of(example), 1) if p in said]

        assert example.target == "\n".join(wanted)
        assert unmarked(example.target, Lang(example.topic[:2]))


def test_abstentions_are_refusals_and_answers_are_not() -> None:
    assert all(is_refusal(e.target) for e in EXAMPLES if e.kind == "abstain")
    assert not any(is_refusal(e.target) for e in ANSWERS)


def test_instructions_stand_in_the_task_and_few_ask_for_nothing_but_a_word() -> None:
    """The share that decides how open the reader is to orders; it was fixed before any attack was tried."""
    instructed = [e for e in EXAMPLES if e.kind == "instruct"]
    for example in instructed:
        assert example.messages[-1].content.splitlines()[-1].startswith(("要求：", "Instruction: "))
    words = [e for e in instructed if len(e.target) <= 40 and not e.target.startswith("- ")]

    assert abs(NOTHING_BUT * SHARES["instruct"] - 0.01) < 1e-9
    assert 0.002 < len(words) / len(EXAMPLES) < 0.02


def test_every_form_that_is_offered_was_trained() -> None:
    wishes = {e.messages[-1].content.splitlines()[-1].partition("：" if e.topic.startswith("zh") else ": ")[2]
              for e in EXAMPLES if e.kind == "instruct"}  # fmt: skip

    assert {form[lang] for form in FORMS.values() for lang in Lang} <= wishes
