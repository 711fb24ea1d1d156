"""Agreement with people: counted by hand on a small run, and what the judge's error does to intervals."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from running import Setup, one_arm
from saferag.errors import DataError, OptionError
from saferag.experiment.agreement import agreements, between_people, disagreements, judge_pairs, kappa, ratio
from saferag.experiment.judge_error import carried, corrected_share, rogan_gladen
from saferag.experiment.store import Store
from saferag.resources import Resources
from saferag.review.desks import LabelDesk
from saferag.review.labelling import Item, Labels, items
from saferag.types import Judgement, Verdict


@pytest.fixture
def store(tmp_path: Path, resources: Resources) -> Store:
    setup = Setup(tmp_path / "run", resources)
    setup.run(one_arm("extractive", tasks=("inter_context_conflict", "white_dos")))
    return setup.store()


def as_judged(store: Store, item: Item) -> dict[str, str]:
    judgement = store.records[item.records[0]].judgement
    assert isinstance(judgement, Judgement)
    return {j.option_id: j.verdict.value for j in judgement.verdicts}


def label_all(store: Store, labels: Labels, who: str, *, wrong: int = 0) -> tuple[Item, ...]:
    """Labels as the judge gave them; the first option of so many answers is turned to undecided."""
    found = items(store)
    for i, item in enumerate(found):
        verdicts = as_judged(store, item)
        if i < wrong:
            verdicts["o1"] = "undecided" if verdicts["o1"] != "undecided" else "correct"
        labels.add(item, who, verdicts, refused="refuse" in item.answer)
    return found


def test_a_person_who_says_what_the_judge_says_agrees_fully_and_the_interval_says_how_sure_that_is(
    store: Store,
) -> None:
    labels = Labels(store.path / "labels.jsonl")
    found = label_all(store, labels, "Ada")
    for line in agreements(store, found, labels.all()):
        assert line.f1_correct.value == line.f1_incorrect.value == line.kappa.value == 1
        assert line.f1_correct.low is not None and 0.4 < line.f1_correct.low < 1
        assert line.kappa.low is not None and line.kappa.low < 1


def test_every_different_verdict_lowers_agreement_by_its_share(store: Store) -> None:
    labels = Labels(store.path / "labels.jsonl")
    found = label_all(store, labels, "Ada", wrong=4)
    pairs = judge_pairs(store, found, labels.all())
    for line in agreements(store, found, labels.all()):
        mine = pairs[line.task, line.judge]
        options = sum(len(pair.one) for pair in mine)
        same = sum(pair.one[option] is pair.other[option] for pair in mine for option in pair.one)
        assert line.kappa.n == options
        assert line.f1_correct.value == pytest.approx(same / options)


def test_two_people_are_held_against_one_another(store: Store) -> None:
    labels = Labels(store.path / "labels.jsonl")
    found = label_all(store, labels, "Ada")
    label_all(store, labels, "Bo", wrong=2)
    ((one, other, same, _),) = between_people(found, labels.all())
    assert (one, other) == ("Ada", "Bo")
    assert same.value == pytest.approx(1 - 2 / same.n)
    differing = list(disagreements(found, labels.all()))
    assert len(differing) == 2
    assert all(set(d.verdicts) == {"Ada", "Bo"} and d.option == "o1" for d in differing)


def test_success_is_what_a_person_says_about_the_false_statement(store: Store) -> None:
    labels = Labels(store.path / "labels.jsonl")
    for item in items(store):
        labels.add(item, "Ada", {option.id: "correct" for option in item.options}, refused=False)
    found = {a.task: a for a in agreements(store, items(store), labels.all())}
    pairs = judge_pairs(store, items(store), labels.all())
    conflict = pairs["inter_context_conflict", "rule"]
    assert all(person for pair in conflict for _, person in pair.success)
    said = [tool for pair in conflict for tool, _ in pair.success]
    assert found["inter_context_conflict"].asr.value == pytest.approx(sum(said) / len(said))


def test_items_are_blind_and_equal_answers_are_judged_once(store: Store) -> None:
    found = items(store)
    assert len({item.id for item in found}) == len(found)
    assert sum(len(item.records) for item in found) == len(store.records)
    desk = LabelDesk({item.id: item for item in found}, Labels(store.path / "labels.jsonl"))
    assert [line["id"] for line in desk.queue("Ada")] == sorted(item.id for item in found)
    for item in found:
        shown = desk.show(item.id, "Ada")
        assert set(shown) == {"id", "lang", "query", "answer", "options", "verdicts", "refused", "done"}
        assert all(set(option) == {"id", "text"} for option in shown["options"])
        assert set(item.id) <= set("0123456789abcdef")


def test_labels_are_complete_or_refused_and_the_last_word_counts(store: Store) -> None:
    labels = Labels(store.path / "labels.jsonl")
    item = items(store)[0]
    with pytest.raises(OptionError, match="every option"):
        labels.add(item, "Ada", {}, refused=False)
    with pytest.raises(OptionError, match="no verdict"):
        labels.add(item, "Ada", {option.id: "maybe" for option in item.options}, refused=False)
    for verdict in ("correct", "undecided"):
        labels.add(item, "Ada", {option.id: verdict for option in item.options}, refused=True)
    ((key, mine),) = Labels(labels.path).all().items()
    assert key == ("Ada", item.id) and mine.refused
    assert set(mine.verdicts.values()) == {Verdict.UNDECIDED}


def test_a_broken_label_file_says_so(tmp_path: Path) -> None:
    (tmp_path / "labels.jsonl").write_text('{"item": "x"}\n')
    with pytest.raises(DataError, match="not a label"):
        Labels(tmp_path / "labels.jsonl").all()


def test_kappa_of_the_textbook() -> None:
    # 20 + 15 of 50 agree: observed 0.70, by chance 0.50, kappa 0.40 (two categories in use).
    table = np.zeros((1, 3, 3))
    table[0, :2, :2] = [[20, 5], [10, 15]]
    assert kappa(table).value == pytest.approx(0.4)


def test_kappa_where_only_one_verdict_is_used_is_not_known() -> None:
    table = np.zeros((2, 3, 3))
    table[:, 0, 0] = 5
    assert kappa(table).value is None


def test_a_ratio_counts_clusters_not_options() -> None:
    few = ratio(np.array([9.0, 1.0]), np.array([10.0, 10.0]))
    many = ratio(np.array([9.0, 1.0] * 50), np.array([10.0] * 100))
    assert few.value == many.value == 0.5
    assert few.high is not None and few.low is not None and many.high is not None and many.low is not None
    assert few.high - few.low > 3 * (many.high - many.low)


@pytest.mark.parametrize("true", [0.0, 0.2, 0.7, 1.0])
def test_rogan_gladen_gives_back_the_share_that_a_faulty_judge_was_shown(true: float) -> None:
    sensitivity, specificity = 0.9, 0.8
    observed = true * sensitivity + (1 - true) * (1 - specificity)
    assert rogan_gladen(observed, sensitivity, specificity) == pytest.approx(true)
    assert rogan_gladen(observed, 0.3, 0.7) is None


def test_the_interval_of_a_corrected_share_covers_its_own_value_and_is_wider_than_the_observed_one() -> None:
    observed, sensitivity, specificity = (ratio(np.full(100, v), np.ones(100)) for v in (0.5, 0.9, 0.8))
    found = corrected_share(observed, sensitivity, specificity)
    assert found.value == pytest.approx(0.3 / 0.7)
    assert found.low is not None and found.high is not None and observed.low is not None and observed.high is not None
    assert found.value is not None and found.low < found.value < found.high
    assert found.high - found.low > observed.high - observed.low


def test_a_judge_that_people_contradict_gets_wider_intervals(store: Store) -> None:
    agreeing, contradicting = Labels(store.path / "a.jsonl"), Labels(store.path / "b.jsonl")
    found = label_all(store, agreeing, "Ada")
    label_all(store, contradicting, "Ada", wrong=len(found) // 2)
    one = {(c.arm["id"], c.metric): c for c in carried(store, judge_pairs(store, found, agreeing.all()))}
    other = {(c.arm["id"], c.metric): c for c in carried(store, judge_pairs(store, found, contradicting.all()))}
    assert one.keys() == other.keys() and one
    width = sum(c.high - c.low for c in one.values())
    assert width < sum(c.high - c.low for c in other.values())
    assert all(c.low <= c.value <= c.high for c in (*one.values(), *other.values()))
    arm = next(iter(one.values()))
    again = {(c.arm["id"], c.metric): c for c in carried(store, judge_pairs(store, found, agreeing.all()))}
    assert again[arm.arm["id"], arm.metric] == arm
