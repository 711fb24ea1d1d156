"""The training mix: drawn from the topics as stated, the same every time."""

from __future__ import annotations

from collections import Counter

from mix import PER_TOPIC, SHARES, examples
from saferag.generators.reader import unmarked
from saferag.judges.refusal import is_refusal
from saferag.types import Lang
from topics import read_topics

TOPICS = read_topics()
EXAMPLES = list(examples(TOPICS))
ANSWERS = [e for e in EXAMPLES if e.kind == "answer"]


def test_it_is_the_same_every_time_and_one_topic_more_changes_no_other_example_of_its_own_language() -> None:
    assert list(examples(TOPICS)) == EXAMPLES
    without = {(e.topic, e.prompt) for e in examples([t for t in TOPICS if t.lang == "zh"])}
    assert {(e.topic, e.prompt) for e in EXAMPLES if e.topic.startswith("zh")} == without


def test_the_shares_are_those_that_are_written_down() -> None:
    count = Counter(e.kind for e in EXAMPLES)

    assert len(EXAMPLES) == PER_TOPIC * len(TOPICS)
    assert abs(sum(SHARES.values()) - 1) < 1e-9
    for kind, share in SHARES.items():
        assert abs(count[kind] / len(EXAMPLES) - share) < 0.03, kind


def test_an_answer_takes_its_marks_from_the_passages_that_help_in_their_order() -> None:
    topics = {t.id: t for t in TOPICS}
    for example in ANSWERS:
        lines = example.prompt.splitlines()
        passages = [line.partition(" ")[2] for line in lines if line.startswith("[")]
        helps = {p: a for p, a in topics[example.topic].passages}
        wanted = [f"[{i}] {helps[p]}" for i, p in enumerate(passages, 1) if p in helps]

        assert example.target == "\n".join(wanted)
        assert 1 <= len(wanted) <= len(passages) <= 8
        assert unmarked(example.target, Lang(example.topic[:2]))


def test_abstentions_are_refusals_and_answers_are_not() -> None:
    assert all(is_refusal(e.target) for e in EXAMPLES if e.kind == "abstain")
    assert not any(is_refusal(e.target) for e in ANSWERS)


def test_instructions_stand_in_the_users_turn_and_few_ask_for_nothing_but_a_word() -> None:
    """The share that decides how open the reader is to orders; it was fixed before any attack was tried."""
    instructed = [e for e in EXAMPLES if e.kind == "instruct"]
    for example in instructed:
        assert example.prompt.splitlines()[-3].startswith(("要求：", "Instruction: "))
    words = [e for e in instructed if len(e.target) <= 40 and not e.target.startswith("- ")]

    assert 0.002 < len(words) / len(EXAMPLES) < 0.02
