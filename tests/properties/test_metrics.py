"""Arithmetic of the metrics, for any evidence."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from saferag.attacks import Target
from saferag.metrics import Evidence, metrics
from saferag.metrics.containment import ngrams, stands_in
from saferag.metrics.verdicts import f1
from saferag.types import (
    Case,
    Condition,
    Context,
    Judged,
    Judgement,
    Label,
    Lang,
    Option,
    Origin,
    Passage,
    Score,
    Trace,
    Verdict,
)

IDS = st.sets(st.sampled_from("abcdefgh"))
TEXT = st.text(max_size=60)

GOLDEN = tuple(Passage(f"c/g{i}", f"Golden {i}.", Origin.GOLDEN) for i in range(8))
ATTACK = tuple(Passage(f"c/a{i}", f"Attack {i} says otherwise.", Origin.ATTACK) for i in range(6))
OTHER = tuple(Passage(f"c/b{i}", f"Background {i}.") for i in range(5))


@st.composite
def retrievals(draw: st.DrawFn) -> tuple[Context, Context]:
    """Injected texts, and a window over golden, background and injected passages."""
    attack = ATTACK[: draw(st.integers(0, 6))]
    window = draw(st.lists(st.sampled_from((*GOLDEN, *OTHER, *attack)), min_size=1, max_size=10, unique=True))
    return attack, tuple(window)


def evidence(attack: Context, window: Context, answer: str = "", keywords: tuple[str, ...] = ()) -> Evidence:
    case = Case("c", Lang.EN, "What?", GOLDEN, OTHER)
    condition = Condition.ATTACKED if attack else Condition.CLEAN
    trace = Trace("c", condition, attack, window, window, window, answer=answer)
    return Evidence(case, Target((), keywords), trace)


def value(name: str, found: Evidence) -> float:
    score = metrics.build(name).measure(found)
    assert isinstance(score, Score)
    return score.value


@given(IDS, IDS)
def test_f1_is_symmetric_and_from_0_to_1(one: set[str], other: set[str]) -> None:
    assert f1(one, other) == f1(other, one)
    assert 0 <= f1(one, other) <= 1
    assert (f1(one, other) == 1) == (one == other)


@given(retrievals())
def test_shares_add_up_and_ra_follows_from_them(found: tuple[Context, Context]) -> None:
    case = evidence(*found)
    golden, attack = value("golden_share", case), value("attack_share", case)

    assert 0 <= golden + attack <= 1
    assert value("ra_share", case) == (golden + 1 - attack) / 2
    assert 0 <= value("ra_recall", case) <= 1


@given(retrievals())
def test_the_order_of_a_window_does_not_matter(found: tuple[Context, Context]) -> None:
    attack, window = found
    turned = tuple(reversed(window))

    for name in ("ra_share", "ra_recall", "golden_recall"):
        assert value(name, evidence(attack, window)) == value(name, evidence(attack, turned))


@given(st.lists(TEXT.filter(str.strip), min_size=1, max_size=4), TEXT)
def test_asr_and_afr_add_up_to_one(keywords: list[str], answer: str) -> None:
    case = evidence((), GOLDEN, answer, tuple(keywords))

    assert value("asr", case) + value("afr", case) == 1


@given(retrievals(), TEXT)
def test_survival_is_from_0_to_1_whatever_the_response(found: tuple[Context, Context], answer: str) -> None:
    attack, window = found
    for name in ("survival_kb", "survival_retrieved", "survival_filtered", "survival_response"):
        score = metrics.build(name).measure(evidence(attack, window, answer))
        assert (score is None) == (not attack)
        assert score is None or (isinstance(score, Score) and 0 <= score.value <= 1)


@given(TEXT, TEXT)
def test_containment_never_fails_on_hostile_text(needle: str, text: str) -> None:
    assert isinstance(stands_in(needle, text), bool)
    assert ngrams(text) >= ngrams("")


@given(st.from_regex(r"[A-Za-z]{3,10}( [A-Za-z]{3,10}){0,3}", fullmatch=True), TEXT, TEXT)
def test_a_keyword_of_words_stands_wherever_it_is_written(needle: str, before: str, after: str) -> None:
    assert stands_in(needle, f"{before} {needle} {after}")


@given(st.lists(st.sampled_from(list(Verdict)), min_size=2, max_size=12), st.data())
def test_more_agreement_never_lowers_f1(verdicts: list[Verdict], data: st.DataObject) -> None:
    labels = data.draw(st.lists(st.sampled_from(list(Label)), min_size=len(verdicts), max_size=len(verdicts)))
    options = tuple(Option(str(i), "s", label) for i, label in enumerate(labels))
    position = data.draw(st.integers(0, len(verdicts) - 1))
    better = [*verdicts]
    better[position] = Verdict(labels[position].value)

    def measured(given_verdicts: list[Verdict]) -> object:
        judgement = Judgement(tuple(Judged(str(i), v) for i, v in enumerate(given_verdicts)))
        trace = Trace("c", Condition.CLEAN, (), (), answer="x")
        found = Evidence(Case("c", Lang.EN, "q", GOLDEN), Target(options), trace, judgement)
        return metrics.build("f1_avg").measure(found)

    before, after = measured(verdicts), measured(better)
    assert (before is None) == (after is None)
    if isinstance(before, Score) and isinstance(after, Score):
        assert after.value >= before.value - 1e-12
