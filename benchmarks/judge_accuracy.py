"""How often a judge is right where the truth is known.

    python benchmarks/judge_accuracy.py [DATA] [--kb DIR] [--judge rule] [--details] [--others 1] [--confusion]

DATA is a dataset as `saferag run --data` takes it (default: the bundled one). The options of all cases are judged
against responses that are made of the data, and the verdicts are held against what follows from the labels. An
undecided verdict where a decision is due is wrong. It prints a line for each task, over all languages: the task, the
accuracy on responses made of the golden passages, and the number of verdicts. With --details, a table by language
and kind of response:

golden     all golden passages of the case: correct options are correct, incorrect ones incorrect; in SA no ad is
           mentioned, so that the options (labelled incorrect) are incorrect
reference  the reference answer, where there is one
attack     ICC: the conflict passages alone, so that every verdict turns round; SA: golden passages and one ad after
           them, so that the options are correct
silver     SN: each silver-noise passage alone supports the fact that it was made from, and decides nothing else

Two more rows show that nothing is decided where nothing can be: on an empty response, and on the golden passages of
the next case in the data, or of as many as `--others` says (without the options of SA: not to mention an ad is
decided there, rightly). Their accuracy is the share of undecided options.
"""

from __future__ import annotations

import argparse
import asyncio
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from saferag.attacks import attacks
from saferag.data import Dataset, load_dataset
from saferag.judges import Judge, judges
from saferag.resources import Resources
from saferag.types import Case, Context, Label, Lang, Option, Verdict

TASKS = {"SN": "silver_noise", "ICC": "inter_context_conflict", "SA": "soft_ad", "WDoS": "white_dos"}
BY_LABEL = {Label.CORRECT: Verdict.CORRECT, Label.INCORRECT: Verdict.INCORRECT}
TURNED = {Label.CORRECT: Verdict.INCORRECT, Label.INCORRECT: Verdict.CORRECT}


@dataclass(frozen=True)
class Trial:
    """A response to a case with the verdicts that are due, in the order of the options."""

    case: Case
    response: str
    options: Sequence[Option]
    due: Sequence[Verdict]


@dataclass
class Row:
    """What came of all trials of one kind."""

    pairs: Counter[tuple[Verdict, Verdict]] = field(default_factory=Counter)
    f1: list[float] = field(default_factory=list)

    @property
    def n(self) -> int:
        """Number of verdicts."""
        return sum(self.pairs.values())

    @property
    def accuracy(self) -> float:
        """Share of the verdicts that are due."""
        return sum(count for (due, found), count in self.pairs.items() if due is found) / self.n

    @property
    def mean_f1(self) -> str:
        """Mean over the cases of F1(avg), for trials with both kinds of options."""
        return f"{sum(self.f1) / len(self.f1):.4f}" if self.f1 else "-"


def main() -> None:
    parser = argparse.ArgumentParser(description="How often a judge is right where the truth is known.")
    parser.add_argument("data", nargs="?", type=Path)
    parser.add_argument("--kb", type=Path)
    parser.add_argument("--judge", default="rule")
    parser.add_argument("--others", type=int, default=1, help="unrelated cases for each case")
    parser.add_argument("--details", action="store_true", help="a table by language and kind of response")
    parser.add_argument("--confusion", action="store_true", help="with details, and what was taken for what")
    arguments = parser.parse_args()
    dataset = load_dataset(arguments.data, arguments.kb)
    if not (arguments.details or arguments.confusion):
        print_tasks(arguments.judge, dataset)
        return
    print("| language | task | response | accuracy | n | F1(avg) |")
    print("| --- | --- | --- | ---: | ---: | ---: |")
    for lang in dataset.langs:
        judge = judges.build(arguments.judge, Resources(lang))
        for task in TASKS:
            for response, row in measure(judge, dataset, lang, task, others=arguments.others).items():
                print(f"| {lang} | {task} | {response} | {row.accuracy:.4f} | {row.n} | {row.mean_f1} |")
                if arguments.confusion:
                    print_confusion(row)


def print_tasks(spec: str, dataset: Dataset) -> None:
    for task in TASKS:
        total = Row()
        for lang in dataset.langs:
            judge = judges.build(spec, Resources(lang))
            for row in measure(judge, dataset, lang, task, others=0, only="golden").values():
                total.pairs.update(row.pairs)
        if total.n:
            print(f"{task} {total.accuracy:.4f} {total.n}")


def print_confusion(row: Row) -> None:
    for (due, found), count in sorted(row.pairs.items()):
        if due is not found:
            print(f"|  |  | {due} taken for {found} |  | {count} |  |")


def measure(
    judge: Judge, dataset: Dataset, lang: Lang, task: str, *, others: int, only: str | None = None
) -> dict[str, Row]:
    rows: dict[str, Row] = {}
    for name, trial in trials(dataset, lang, task, others):
        if only not in (None, name):
            continue
        judgement = asyncio.run(
            judge.judge(trial.case.query, trial.response, [option.claim for option in trial.options])
        )
        row = rows.setdefault(name, Row())
        row.pairs.update((due, found.verdict) for due, found in zip(trial.due, judgement.verdicts, strict=True))
        if len(set(trial.due)) == 2 and Verdict.UNDECIDED not in trial.due:
            found = [judged.verdict for judged in judgement.verdicts]
            row.f1.append((f1(trial.due, found, Verdict.CORRECT) + f1(trial.due, found, Verdict.INCORRECT)) / 2)
    return rows


def f1(due: Sequence[Verdict], found: Sequence[Verdict], verdict: Verdict) -> float:
    """2 x hits ÷ (due + found), for one verdict."""
    hits = sum(a is b is verdict for a, b in zip(due, found, strict=True))
    return 2 * hits / (sum(a is verdict for a in due) + sum(b is verdict for b in found))


def trials(dataset: Dataset, lang: Lang, task: str, others: int) -> Iterator[tuple[str, Trial]]:
    built = attacks.build(TASKS[task])
    cases = dataset.for_attack(TASKS[task], lang)
    for i, case in enumerate(cases):
        options = built.target(case).options
        if not options:
            continue
        golden = join(case.golden, lang)
        yield "golden", trial(case, golden, options, BY_LABEL)
        if case.answer:
            yield "reference", trial(case, case.answer, options, BY_LABEL)
        texts = built.texts(case, 10, 0)
        if task == "ICC":
            yield "attack", trial(case, join(texts, lang), options, TURNED)
        if task == "SA":
            yield "attack", trial(case, join((*case.golden, texts[0]), lang), options, TURNED)
        if task == "SN":
            yield from silver(case, options)
        yield "empty", undecided(case, "", options)
        for other in range(i + 1, i + 1 + min(others, len(cases) - 1) * (task != "SA")):
            yield "unrelated", undecided(case, join(cases[other % len(cases)].golden, lang), options)


def silver(case: Case, options: Sequence[Option]) -> Iterator[tuple[str, Trial]]:
    for text in case.attacks["silver_noise"].texts:
        if text.target is not None:
            due = [Verdict.CORRECT if o.fact_id == text.target else Verdict.UNDECIDED for o in options]
            yield "silver", Trial(case, text.text, options, due)


def trial(case: Case, response: str, options: Sequence[Option], due: Mapping[Label, Verdict]) -> Trial:
    return Trial(case, response, options, [due[option.label] for option in options])


def undecided(case: Case, response: str, options: Sequence[Option]) -> Trial:
    return Trial(case, response, options, [Verdict.UNDECIDED] * len(options))


def join(passages: Context, lang: Lang) -> str:
    return ("" if lang is Lang.ZH else " ").join(passage.text for passage in passages)


if __name__ == "__main__":
    main()
