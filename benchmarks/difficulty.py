"""How hard a dataset is for retrieval, and how much of it can be answered without any passage.

    python benchmarks/difficulty.py [DATA]

Prints for each language and retriever, with K = 6: the golden share of the clean window (goal 0.75 to 0.97), the share
of three injected silver-noise passages that are retrieved, and their share of the window; then the F1(avg) of the
extractive generator without any context (goal: near 0).
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path

from saferag.attacks import attacks
from saferag.data import Dataset, load_dataset
from saferag.filters import filters
from saferag.generators import generators
from saferag.injection import InjectionPlan, Stage, poison
from saferag.judges import judges
from saferag.metrics import Evidence, metrics
from saferag.pipeline import Pipeline
from saferag.resources import Resources
from saferag.retrievers import retrievers
from saferag.types import Case, Condition, Context, Lang, Score, Trace

RETRIEVERS = ("bm25", "dense", "hybrid")
PLAN = InjectionPlan(Stage.KNOWLEDGE_BASE, Fraction(3, 6), 6)


def main(arguments: list[str]) -> None:
    dataset = load_dataset(Path(arguments[0]) if arguments else None)
    print("| language | retriever | golden share, clean | silver noise retrieved | its share of the window |")
    print("| --- | --- | ---: | ---: | ---: |")
    for lang in dataset.langs:
        for retriever in RETRIEVERS:
            golden, found, share = retrieval(dataset, lang, retriever)
            print(f"| {lang} | {retriever} | {golden:.3f} | {found:.3f} | {share:.3f} |")
    print()
    for lang in dataset.langs:
        print(f"closed book, extractive, {lang}: F1(avg) {closed_book(dataset, lang):.3f}")


def retrieval(dataset: Dataset, lang: Lang, retriever: str) -> tuple[float, float, float]:
    """Clean golden share, attack recall and attack share under silver noise."""
    resources = Resources(lang=lang)
    attack = attacks.build("silver_noise")
    cases = dataset.for_attack("silver_noise", lang)
    texts = {case.id: attack.texts(case, PLAN.count, PLAN.seed) for case in cases}
    clean = retrievers.build(retriever, resources).index(dataset.corpus("silver_noise", lang))
    poisoned = poison(clean, [p for found in texts.values() for p in found])
    off, quiet = filters.build("off", resources), generators.build("extractive", resources)
    windows = Pipeline(clean, off, quiet).retrieve(cases, PLAN.top_k)
    attacked = Pipeline(poisoned, off, quiet).retrieve(cases, PLAN.top_k)
    return (
        mean("golden_share", (evidence(c, (), w) for c, w in zip(cases, windows, strict=True))),
        mean("attack_recall", (evidence(c, texts[c.id], w) for c, w in zip(cases, attacked, strict=True))),
        mean("attack_share", (evidence(c, texts[c.id], w) for c, w in zip(cases, attacked, strict=True))),
    )


def evidence(case: Case, attack: Context, window: Context) -> Evidence:
    condition = Condition.ATTACKED if attack else Condition.CLEAN
    return Evidence(case, attacks.build("silver_noise").target(case), Trace(case.id, condition, attack, window))


def mean(metric: str, found: Iterable[Evidence]) -> float:
    scores = [metrics.build(metric).measure(e) for e in found]
    values = [score.value for score in scores if isinstance(score, Score)]
    return sum(values) / len(values)


def closed_book(dataset: Dataset, lang: Lang) -> float:
    """Mean F1(avg) of the extractive generator that sees no passage."""
    resources = Resources(lang=lang)
    attack = attacks.build("silver_noise")

    async def answered(case: Case) -> Evidence:
        answer = await generators.build("extractive", resources).generate(case.query, ())
        target = attack.target(case)
        judge = judges.build("rule", resources)
        judgement = await judge.judge(case.query, answer.text, [o.claim for o in target.options])
        trace = Trace(case.id, Condition.CLEAN, (), (), answer=answer.text)
        return Evidence(case, target, trace, judgement)

    async def all_of_them() -> list[Evidence]:
        return [await answered(case) for case in dataset.for_attack("silver_noise", lang)]

    return mean("f1_avg", asyncio.run(all_of_them()))


if __name__ == "__main__":
    main(sys.argv[1:])
