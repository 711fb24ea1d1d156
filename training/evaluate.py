"""Measure the reader: ``python training/evaluate.py [--data DATA --kb DIR] [--split dev] [--adapter FILE]``.

Prints a table and, with ``--out``, writes every answer and figure as JSON. What is measured stands at each part.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import random
import statistics
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from saferag.attacks import attacks
from saferag.data import Dataset, load_dataset
from saferag.errors import ModelError
from saferag.experiment.estimates import estimate
from saferag.filters.nli import NLIFilter
from saferag.filters.skr import SKRFilter
from saferag.generators.extractive import ExtractiveGenerator
from saferag.generators.reader import ReaderGenerator
from saferag.judges import judges
from saferag.judges.refusal import is_refusal
from saferag.metrics.verdicts import f1
from saferag.models import ChatModel
from saferag.models.reader import ADAPTER, with_adapter
from saferag.prompts import load_prompt
from saferag.resources import Resources
from saferag.text import content_terms, normalize, split_sentences
from saferag.types import Case, Context, Label, Lang, Score, Usage, Verdict

SEED = "evaluate"
GOLDEN = 6
TAKEN_UP = 0.3
"""A passage counts as taken up if the answer holds this share of the terms that it alone has in the context."""

UNBOUNDED = frozenset({"length", "seconds", "tokens written"})

T = TypeVar("T")
log = logging.getLogger("evaluate")


@dataclass(frozen=True, slots=True)
class Trial:
    """A question, its context, and which passages of it help."""

    part: str
    case: Case
    context: Context
    helps: tuple[bool, ...]


@dataclass(slots=True)
class Table:
    """Values by part, language and measure."""

    values: dict[tuple[str, str, str], list[float]] = field(default_factory=lambda: defaultdict(list))

    def add(self, part: str, lang: str, measure: str, value: float) -> None:
        """Add one value, to its language and to both together."""
        self.values[part, lang, measure].append(value)
        self.values[part, "all", measure].append(value)

    def lines(self) -> Iterable[str]:
        """One line per measure: the mean over cases, its 95 % interval, and the number of cases."""
        yield "| part | language | measure | mean | 95 % interval | n |"
        yield "| --- | --- | --- | ---: | ---: | ---: |"
        for (part, lang, measure), values in sorted(self.values.items()):
            high = None if measure in UNBOUNDED else 1.0
            found = estimate([Score(value) for value in values], binary={*values} <= {0.0, 1.0}, high=high)
            assert found is not None
            interval = f"{found.low:.3f} to {found.high:.3f}"
            yield f"| {part} | {lang} | {measure} | {found.value:.3f} | {interval} | {found.n} |"


def main() -> None:
    """Ask everything, print the table."""
    logging.basicConfig(level=logging.INFO, format="%(message)s", stream=sys.stderr)
    options = _options()
    asyncio.run(measure(options))


async def measure(options: argparse.Namespace) -> None:
    """All parts that were asked for."""
    dataset = load_dataset(options.data, options.kb)
    table, details = Table(), []
    for lang in dataset.langs:
        resources = Resources(lang, options.cache)
        model = with_adapter(options.adapter, resources, options.slots)
        cases = _cases(dataset, lang, options)
        trials = [t for part in options.parts for t in PARTS[part](cases)] if len(cases) > 1 else []
        generator = ReaderGenerator(model, lang)
        answers = await _all([_timed(generator, t) for t in trials], options.slots)
        for trial, (text, seconds, usage) in zip(trials, answers, strict=True):
            figures = _figures(trial, text, bool(usage.truncated)) | {"seconds": seconds}
            # A judgement writes one token; those of the answer are the others.
            figures["tokens written"] = float(max(0, usage.completion_tokens - len(trial.context)))
            if trial.part == "golden":
                figures |= await _f1s(trial, text, options.task)
            for name, value in figures.items():
                table.add(trial.part, lang, name, value)
            texts = [p.text for p in trial.context]
            details.append({"part": trial.part, "case": trial.case.id, "context": texts, "helps": trial.helps,
                            "answer": text, **figures})  # fmt: skip
        if options.filters:
            details += await _filters(model, lang, cases, table, options.filters)
        await model.close()
    print("\n".join(table.lines()))  # noqa: T201 - what this script is for
    if options.out:
        options.out.write_text(json.dumps(details, ensure_ascii=False, indent=1), "utf-8")


def golden(cases: Sequence[Case]) -> list[Trial]:
    """The first six golden passages of each case."""
    return [Trial("golden", c, c.golden[:GOLDEN], (True,) * len(c.golden[:GOLDEN])) for c in cases]


def mixed(cases: Sequence[Case]) -> list[Trial]:
    """Six golden passages and two golden ones of other cases, in a drawn order."""
    trials = []
    for case in cases:
        rng = random.Random(f"{SEED}/mixed/{case.id}")
        others = [p for other in rng.sample([c for c in cases if c.id != case.id], 2) for p in other.golden[:1]]
        trials.append(_shuffled("mixed", case, case.golden[:GOLDEN], others, rng))
    return trials


def background(cases: Sequence[Case]) -> list[Trial]:
    """Six golden passages and two background ones of the same case: near the subject, and no help."""
    trials = []
    for case in cases:
        rng = random.Random(f"{SEED}/background/{case.id}")
        if len(case.background) >= 2:
            idle = rng.sample(case.background, 2)
            trials.append(_shuffled("background", case, case.golden[:GOLDEN], idle, rng))
    return trials


def unrelated(cases: Sequence[Case]) -> list[Trial]:
    """Six passages of other cases and none that helps."""
    trials = []
    for case in cases:
        rng = random.Random(f"{SEED}/unrelated/{case.id}")
        strangers = [c for c in cases if c.id != case.id]
        others = [rng.choice(c.golden) for c in rng.sample(strangers, min(6, len(strangers)))]
        trials.append(Trial("unrelated", case, tuple(others), (False,) * len(others)))
    return trials


PARTS: dict[str, Callable[[Sequence[Case]], list[Trial]]] = {
    "golden": golden,
    "mixed": mixed,
    "background": background,
    "unrelated": unrelated,
}


def _shuffled(part: str, case: Case, helpful: Sequence[Any], idle: Sequence[Any], rng: random.Random) -> Trial:
    items = [(p, True) for p in helpful] + [(p, False) for p in idle]
    rng.shuffle(items)
    return Trial(part, case, tuple(p for p, _ in items), tuple(h for _, h in items))


def _figures(trial: Trial, text: str, truncated: bool) -> dict[str, float]:
    used = taken_up(trial, text)
    figures = {"empty": float(not text), "loop": float(truncated or loops(text)), "abstains": float(is_refusal(text)),
               "length": float(len(text))}  # fmt: skip
    for wanted, name in ((True, "helpful taken up"), (False, "unhelpful taken up")):
        shares = [float(u) for u, h in zip(used, trial.helps, strict=True) if h is wanted]
        if shares:
            figures[name] = statistics.fmean(shares)
    return figures


def taken_up(trial: Trial, text: str) -> list[bool]:
    """Which passages the answer takes something from: by the terms that stand in no other passage nor the question."""
    terms = [frozenset(content_terms(p.text)) for p in trial.context]
    count = Counter(term for t in terms for term in t)
    said = frozenset(content_terms(text))
    asked = frozenset(content_terms(trial.case.query))
    result = []
    for own in terms:
        alone = {t for t in own if count[t] == 1 and t not in asked}
        result.append(bool(alone) and len(alone & said) >= TAKEN_UP * len(alone))
    return result


def loops(text: str) -> bool:
    """Whether a sentence of ten characters or more comes twice."""
    keys = [key for s in split_sentences(text) if len(key := normalize(s)) >= 10]
    return len(set(keys)) < len(keys)


async def _f1s(trial: Trial, text: str, task: str) -> dict[str, float]:
    """F1(avg) of the answer, of all passages copied, and of the extractive generator, by the rule judge."""
    lang = trial.case.lang
    copied = ("" if lang is Lang.ZH else " ").join(p.text for p in trial.context)
    extracted = await ExtractiveGenerator(lang).generate(trial.case.query, trial.context)
    responses = {"F1(avg)": text, "F1(avg) copying all": copied, "F1(avg) extractive": extracted.text}
    options = attacks.build(task).target(trial.case).options
    if not options:
        return {}
    judge = judges.build("rule", Resources(lang))
    found = {}
    for name, response in responses.items():
        judgement = await judge.judge(trial.case.query, response, [o.claim for o in options])
        parts = [
            f1(judgement.ids(Verdict(label.value)), wanted)
            for label in Label
            if (wanted := {o.id for o in options if o.label is label})
        ]
        if len(parts) == 2:
            found[name] = statistics.fmean(parts)
    return found


async def _filters(
    model: ChatModel, lang: Lang, cases: Sequence[Case], table: Table, count: int
) -> list[dict[str, Any]]:
    """The filter prompts on lists of four, one or two of which are of other cases."""
    details: list[dict[str, Any]] = []
    for case in cases[:count]:
        rng = random.Random(f"{SEED}/filters/{case.id}")
        idle = rng.randint(1, 2)
        others = [rng.choice(c.golden) for c in rng.sample([c for c in cases if c.id != case.id], idle)]
        trial = _shuffled("filters", case, rng.sample(case.golden, 4 - idle), others, rng)
        for name, built in (
            ("nli", NLIFilter(model, load_prompt("nli", lang))),
            ("skr", SKRFilter(model, load_prompt("skr", lang), 600)),
        ):
            started = time.monotonic()
            try:
                kept = {s for p in (await built.apply(case.query, trial.context)).kept for s in p.provenance}
            except ModelError as error:
                table.add(name, lang, "unusable", 1.0)
                details.append({"part": name, "case": case.id, "error": str(error)})
                continue
            table.add(name, lang, "unusable", 0.0)
            table.add(name, lang, "seconds", time.monotonic() - started)
            for passage, helps in zip(trial.context, trial.helps, strict=True):
                label = "helpful kept" if helps else "unhelpful kept"
                table.add(name, lang, label, float(passage.id in kept))
            details.append({"part": name, "case": case.id, "helps": trial.helps,
                            "kept": [p.id in kept for p in trial.context]})  # fmt: skip
    return details


async def _timed(generator: ReaderGenerator, trial: Trial) -> tuple[str, float, Usage]:
    started = time.monotonic()
    try:
        answer = await generator.generate(trial.case.query, trial.context)
    except ModelError as error:
        log.info("%s: %s", trial.case.id, error)
        return "", time.monotonic() - started, Usage()
    return answer.text, time.monotonic() - started, answer.usage


async def _all(work: Sequence[Awaitable[T]], slots: int) -> list[T]:
    """Do it, as many at a time as there are slots, and tell how it goes."""
    gate = asyncio.Semaphore(slots)
    started, done = time.monotonic(), 0

    async def one(item: Awaitable[T]) -> T:
        nonlocal done
        async with gate:
            result = await item
        done += 1
        if done % 10 == 0 or done == len(work):
            left = (time.monotonic() - started) / done * (len(work) - done) / 60
            log.info("%4d of %d, %.1f min left", done, len(work), left)
        return result

    return list(await asyncio.gather(*(one(item) for item in work)))


def _cases(dataset: Dataset, lang: Lang, options: argparse.Namespace) -> list[Case]:
    cases = dataset.for_attack(options.task, lang)
    chosen = [c for c in cases if options.split in (None, c.split)]
    if options.sample and options.sample < len(chosen):
        drawn = random.Random(f"{SEED}/{lang}").sample(chosen, options.sample)
        chosen = [c for c in chosen if c in drawn]
    return chosen


def asked_for(description: str) -> argparse.ArgumentParser:
    """A parser of what every measurement is told: which adapter, and which cases."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--adapter", type=Path, default=ADAPTER)
    parser.add_argument("--data", type=Path, default=None)
    parser.add_argument("--kb", type=Path, default=None)
    parser.add_argument("--split", choices=["dev", "test"], default=None)
    parser.add_argument("--sample", type=int, default=0, metavar="N", help="N cases per language, drawn; 0: all")
    parser.add_argument("--cache", type=Path, default=Path(".cache"))
    return parser


def _options() -> argparse.Namespace:
    parser = asked_for("Measure how the reader answers.")
    parser.add_argument("--task", default="silver_noise", help="whose options F1(avg) is of")
    parser.add_argument("--parts", nargs="*", choices=list(PARTS), default=list(PARTS))
    parser.add_argument("--filters", type=int, default=0, metavar="N", help="try the filters on the first N cases")
    parser.add_argument("--slots", type=int, default=2)
    parser.add_argument("--out", type=Path, default=None)
    return parser.parse_args()


if __name__ == "__main__":
    main()
