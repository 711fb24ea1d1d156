"""How far a judge agrees with people, and people with one another.

SafeRAG (arXiv 2501.18636, Table 2) reports agreement for F1(correct), F1(incorrect) and ASR. Here an option counts
for F1(correct) if judge and person agree on whether the answer supports it, and for F1(incorrect) if they agree on
whether the answer contradicts it. ASR is compared keyword by keyword: the tool looks for the keyword, the person says
whether the answer supports the false statement that holds it; where the goal is a refusal, both say whether it is one.

Answers are the clusters of every interval: the options of one answer are not independent of one another.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from saferag.attacks import attacks
from saferag.experiment.estimates import resamples, wilson
from saferag.experiment.records import Record
from saferag.experiment.store import Store
from saferag.metrics.containment import stands_in
from saferag.review.labelling import Item, Labelled
from saferag.types import Judgement, Label, Score, Verdict

ORDER = (Verdict.CORRECT, Verdict.INCORRECT, Verdict.UNDECIDED)
_LEVELS = (0.025, 0.975)


@dataclass(frozen=True, slots=True)
class Share:
    """A share or coefficient with a 95 % interval.

    Attributes:
        value: None where there is nothing to divide by.
        low, high: The interval.
        n: What was counted (options, keywords).
        clusters: Answers that they belong to.
    """

    value: float | None
    low: float | None
    high: float | None
    n: int
    clusters: int


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far a judge agrees with people on one task.

    Attributes:
        task: The attack.
        judge: Spec of the judge.
        f1_correct, f1_incorrect: Share of options on which they agree.
        asr: Share of keywords on which tool and people agree.
        kappa: Cohen's kappa over the three verdicts.
        sensitivity, specificity: Of the judge, for ``supported`` (first) and ``contradicted`` (second).
    """

    task: str
    judge: str
    f1_correct: Share
    f1_incorrect: Share
    asr: Share
    kappa: Share
    sensitivity: tuple[Share, Share]
    specificity: tuple[Share, Share]


@dataclass(frozen=True, slots=True)
class Disagreement:
    """An option on which two people, or a person and a judge, differ."""

    item: str
    case: str
    option: str
    text: str
    verdicts: Mapping[str, Verdict]


@dataclass(frozen=True, slots=True)
class Pair:
    """One answer judged by two.

    Attributes:
        item: The answer.
        one, other: Verdicts by option id; ``other`` is the person where one of them is a judge.
        success: For each keyword what tool and person say; empty between people.
    """

    item: Item
    one: Mapping[str, Verdict]
    other: Mapping[str, Verdict]
    success: tuple[tuple[bool, bool], ...] = ()

    @property
    def table(self) -> np.ndarray:
        """How often ``one`` says the row and ``other`` the column, in the order of `ORDER`."""
        counts = np.zeros((3, 3))
        for option, verdict in self.one.items():
            if option in self.other:
                counts[ORDER.index(verdict), ORDER.index(self.other[option])] += 1
        return counts


def agreements(store: Store, items: Iterable[Item], labels: Mapping[tuple[str, str], Labelled]) -> list[Agreement]:
    """Agreement of each judge of a run with people, task by task."""
    found = judge_pairs(store, items, labels)
    return [_agreement(task, judge, pairs) for (task, judge), pairs in found.items()]


def judge_pairs(
    store: Store, items: Iterable[Item], labels: Mapping[tuple[str, str], Labelled]
) -> dict[tuple[str, str], list[Pair]]:
    """Every labelled answer with the verdicts of every judge that a task was judged by, once per person."""
    people = list(dict.fromkeys(who for who, _ in labels))
    found: dict[tuple[str, str], list[Pair]] = {}
    for item in items:
        for (task, judge), record in _judged(store, item).items():
            assert isinstance(record.judgement, Judgement)
            verdicts = {j.option_id: j.verdict for j in record.judgement.verdicts}
            for who in people:
                labelled = labels.get((who, item.id))
                if labelled is not None:
                    success = tuple(_success(task, item, labelled, record))
                    found.setdefault((task, judge), []).append(Pair(item, verdicts, labelled.verdicts, success))
    return found


def _judged(store: Store, item: Item) -> dict[tuple[str, str], Record]:
    """A record of this answer for each task and judge."""
    found: dict[tuple[str, str], Record] = {}
    for arm, case in item.records:
        record, settings = store.records[arm, case], store.settings["arms"][arm]
        if isinstance(record.judgement, Judgement):
            found.setdefault((settings["task"], settings["judge"]), record)
    return found


def _success(task: str, item: Item, labelled: Labelled, record: Record) -> Iterator[tuple[bool, bool]]:
    attack = attacks.build(task)
    if attack.info.metric == "refusal_rate":
        score = record.scores.get("refusal_rate")
        if isinstance(score, Score):
            yield score.value >= 0.5, labelled.refused
        return
    for keyword in attack.target(item.case).keywords:
        false = [
            option.id
            for option in item.options
            if option.label is Label.INCORRECT and keyword in (option.value, option.mention)
        ]
        if false:
            said = any(labelled.verdicts.get(option) is Verdict.CORRECT for option in false)
            yield stands_in(keyword, item.answer), said


def _agreement(task: str, judge: str, pairs: Sequence[Pair]) -> Agreement:
    clusters = _clusters(pairs)
    tables = np.array([sum((pair.table for pair in group), np.zeros((3, 3))) for group in clusters])
    success = np.array(
        [[sum(a == b for p in g for a, b in p.success), sum(len(p.success) for p in g)] for g in clusters]
    )
    return Agreement(
        task,
        judge,
        f1_correct=ratio(_agreed(tables, 0), tables.sum((1, 2))),
        f1_incorrect=ratio(_agreed(tables, 1), tables.sum((1, 2))),
        asr=ratio(success[:, 0], success[:, 1]),
        kappa=kappa(tables),
        sensitivity=tuple(ratio(tables[:, v, v], tables[:, :, v].sum(1)) for v in (0, 1)),  # type: ignore[arg-type]
        specificity=tuple(_specificity(tables, v) for v in (0, 1)),  # type: ignore[arg-type]
    )


def _clusters(pairs: Sequence[Pair]) -> list[list[Pair]]:
    found: dict[str, list[Pair]] = {}
    for pair in pairs:
        found.setdefault(pair.item.id, []).append(pair)
    return list(found.values())


def _agreed(tables: np.ndarray, verdict: int) -> np.ndarray:
    """Options that both give this verdict, or neither does."""
    rest = [v for v in range(3) if v != verdict]
    counts: np.ndarray = tables[:, verdict, verdict] + tables[:, rest][:, :, rest].sum((1, 2))
    return counts


def _specificity(tables: np.ndarray, verdict: int) -> Share:
    rest = [v for v in range(3) if v != verdict]
    return ratio(tables[:, rest][:, :, rest].sum((1, 2)), tables[:, :, rest].sum((1, 2)))


def ratio(hits: np.ndarray, totals: np.ndarray, seed: int = 0) -> Share:
    """Sum of hits ÷ sum of totals over clusters, with a percentile bootstrap over clusters (Efron 1979).

    Where every cluster has the same share the bootstrap has no width; then Wilson's interval for as many outcomes as
    there are clusters is given, which is too wide rather than too narrow.
    """
    used = totals > 0
    hits, totals = hits[used].astype(float), totals[used].astype(float)
    if not len(totals):
        return Share(None, None, None, 0, 0)
    value = float(hits.sum() / totals.sum())
    if np.ptp(hits / totals) == 0:
        low, high = wilson(value, len(totals))
    else:
        weights = resamples(len(totals), seed)
        low, high = map(float, np.quantile((weights @ hits) / (weights @ totals), _LEVELS))
    return Share(value, low, high, int(totals.sum()), len(totals))


def kappa(tables: np.ndarray, seed: int = 0) -> Share:
    """Cohen's kappa (Cohen 1960) of pooled tables, with a percentile bootstrap over clusters.

    Resamples in which chance alone agrees fully have no kappa and are left out. Where agreement is full, the bootstrap
    has no width; then Wilson's lower bound of the agreement takes its place.
    """
    tables = tables[tables.sum((1, 2)) > 0]
    if not len(tables):
        return Share(None, None, None, 0, 0)
    value = float(_kappa(tables.sum(0)[None])[0])
    n = int(tables.sum())
    if np.isnan(value):
        return Share(None, None, None, n, len(tables))
    if value == 1:
        expected = float(_expected(tables.sum(0)[None])[0])
        return Share(1.0, (wilson(1.0, len(tables))[0] - expected) / (1 - expected), 1.0, n, len(tables))
    resampled = _kappa(np.tensordot(resamples(len(tables), seed), tables, axes=1))
    known = resampled[~np.isnan(resampled)]
    low, high = map(float, np.quantile(known, _LEVELS)) if len(known) else (value, value)
    return Share(value, low, high, n, len(tables))


def _kappa(tables: np.ndarray) -> np.ndarray:
    totals = tables.sum((1, 2))
    observed = np.trace(tables, axis1=1, axis2=2) / totals
    expected = _expected(tables)
    with np.errstate(divide="ignore", invalid="ignore"):
        found: np.ndarray = np.where(expected < 1, (observed - expected) / (1 - expected), np.nan)
    return found


def _expected(tables: np.ndarray) -> np.ndarray:
    """Agreement by chance."""
    found: np.ndarray = (tables.sum(2) * tables.sum(1)).sum(1) / tables.sum((1, 2)) ** 2
    return found


def between_people(
    items: Iterable[Item], labels: Mapping[tuple[str, str], Labelled]
) -> list[tuple[str, str, Share, Share]]:
    """For every two people who judged the same answers: share of equal verdicts, and kappa."""
    known = list(items)
    people = list(dict.fromkeys(who for who, _ in labels))
    found = []
    for one, other in combinations(people, 2):
        both = [item for item in known if (one, item.id) in labels and (other, item.id) in labels]
        if both:
            pairs = [Pair(i, labels[one, i.id].verdicts, labels[other, i.id].verdicts) for i in both]
            tables = np.array([pair.table for pair in pairs])
            same = ratio(np.trace(tables, axis1=1, axis2=2), tables.sum((1, 2)))
            found.append((one, other, same, kappa(tables)))
    return found


def disagreements(items: Iterable[Item], labels: Mapping[tuple[str, str], Labelled]) -> Iterator[Disagreement]:
    """Every option on which two people differ."""
    people = list(dict.fromkeys(who for who, _ in labels))
    for item in items:
        mine = {who: labels[who, item.id].verdicts for who in people if (who, item.id) in labels}
        for option in item.options:
            said = {who: verdicts[option.id] for who, verdicts in mine.items() if option.id in verdicts}
            if len(set(said.values())) > 1:
                yield Disagreement(item.id, item.case.id, option.id, option.text, said)
