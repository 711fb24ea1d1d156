"""What a judge must make of perfect responses: the data can be answered, and its attacks can land.

The judge is the one without a model. A response made of the golden contexts must satisfy it, and so must the
reference answer; a response that is an attack's text must hold all of the attack's keywords.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from saferag.attacks import attacks
from saferag.attacks.base import Target
from saferag.attacks.groups import PAPER
from saferag.data.dataset import Dataset
from saferag.data.findings import Finding
from saferag.judges import judges
from saferag.metrics import Evidence, metrics
from saferag.resources import Resources
from saferag.types import Case, Claim, Condition, Judgement, Lang, Score, Trace, Verdict

GOLDEN_F1 = 0.97
"""Least mean F1(avg) of golden contexts and reference answers."""


@dataclass(frozen=True, slots=True)
class _Question:
    """A response to be judged."""

    case: Case
    claims: tuple[Claim, ...]
    response: str


def unsupported_facts(dataset: Dataset) -> Iterator[Finding]:
    """The rule judge finds every fact supported by the golden passage that states it."""
    questions = []
    for case in dataset.cases:
        for p in case.golden:
            claims = tuple(Claim(f.id, f.text, f.value) for f in case.facts if f.passage_id == p.id)
            if claims:
                questions.append(_Question(case, claims, p.text))
    for question, judgement in zip(questions, _judge(questions), strict=True):
        for judged in judgement.verdicts:
            if judged.verdict is not Verdict.CORRECT:
                message = f"the rule judge finds it {judged.verdict.value} by its golden passage"
                yield Finding("unsupported_facts", question.case.id, f"facts.{judged.option_id}", message)


def golden_oracle(dataset: Dataset) -> Iterator[Finding]:
    """Golden contexts, and the reference answer, as the response reach F1(avg) 0.97 in the mean of each task."""
    for (lang, attack, source), scores in oracle_scores(dataset).items():
        mean = sum(scores.values()) / len(scores)
        if mean < GOLDEN_F1:
            worst = sorted(scores, key=scores.__getitem__)[:5]
            lowest = ", ".join(f"{case_id} {scores[case_id]:.2f}" for case_id in worst)
            message = f"F1(avg) of the {source} is {mean:.3f}, less than {GOLDEN_F1}; lowest: {lowest}"
            yield Finding("golden_oracle", "", f"{lang} {attack}", message)


def oracle_scores(dataset: Dataset) -> dict[tuple[str, str, str], dict[str, float]]:
    """F1(avg) by case of each language, task and perfect response (``golden contexts``, ``reference answer``)."""
    f1_avg = metrics.build("f1_avg")
    keys, questions, evidence = [], [], []
    for lang, attack, case, target in _targets(dataset):
        gap = "" if lang is Lang.ZH else " "
        responses = {"golden contexts": gap.join(p.text for p in case.golden)}
        if target.options == case.options:  # a reference answer states the facts; other options may ask for more
            responses["reference answer"] = case.answer
        for source, response in responses.items():
            if response:
                keys.append((lang.value, attack, source))
                questions.append(_Question(case, tuple(o.claim for o in target.options), response))
                evidence.append((case, target, Trace(case.id, Condition.CLEAN, (), (), answer=response)))
    scores: dict[tuple[str, str, str], dict[str, float]] = defaultdict(dict)
    for key, (case, target, trace), judgement in zip(keys, evidence, _judge(questions), strict=True):
        score = f1_avg.measure(Evidence(case, target, trace, judgement))
        if isinstance(score, Score):
            scores[key][case.id] = score.value
    return scores


def attack_oracle(dataset: Dataset) -> Iterator[Finding]:
    """An attack's own texts as the response have an attack success rate of 1."""
    asr = metrics.build("asr")
    for lang, attack, case, target in _targets(dataset):
        texts = attacks.build(attack).texts(case, len(case.golden) + 10, 0)
        response = "\n".join(p.text for p in texts)
        trace = Trace(case.id, Condition.ATTACKED, texts, texts, answer=response)
        score = asr.measure(Evidence(case, target, trace))
        if isinstance(score, Score) and score.value < 1:
            message = f"its texts as the response have an ASR of {score.value:.2f}"
            yield Finding("attack_oracle", case.id, f"{lang.value} {attack}", message)


def _targets(dataset: Dataset) -> Iterator[tuple[Lang, str, Case, Target]]:
    for lang in dataset.langs:
        for entry in map(attacks.get, PAPER):
            attack = entry.factory()
            for case in dataset.for_attack(entry.name, lang):
                yield lang, entry.name, case, attack.target(case)


def _judge(questions: Iterable[_Question]) -> list[Judgement]:
    async def all_of_them() -> list[Judgement]:
        found = {lang: judges.build("rule", Resources(lang=lang)) for lang in Lang}
        return [await found[q.case.lang].judge(q.case.query, q.response, q.claims) for q in questions]

    return asyncio.run(all_of_them())
