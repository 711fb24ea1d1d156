"""Measure how the reader judges passages: ``python training/judgements.py [--split dev] [--adapter FILE]``.

Prints which share of a case's passages it keeps: of helpful ones, of those of other cases, of background, and of attack
texts.
"""

from __future__ import annotations

import argparse
import logging
import random
import statistics
import sys
import time
from collections.abc import Iterator, Sequence

from evaluate import SEED, Table, asked_for, background, mixed, unrelated
from saferag.attacks import attacks
from saferag.data import Dataset, load_dataset
from saferag.generators.reader import reader_messages
from saferag.models.gguf import load_llama
from saferag.models.local import Sampling
from saferag.models.reader import CONTEXT_TOKENS, ReaderEngine, base_model
from saferag.types import Case, Context, Lang

ATTACKS = ("silver_noise", "inter_context_conflict", "soft_ad", "white_dos")

log = logging.getLogger("judgements")

Item = tuple[str, Case, Context, tuple[str, ...]]
"""A part, the case whose question is asked, passages, and what each of them is."""


def main() -> None:
    """Judge everything, print the table."""
    logging.basicConfig(level=logging.INFO, format="%(message)s", stream=sys.stderr)
    options = asked_for("Measure how the reader judges passages.").parse_args()
    engine = ReaderEngine(load_llama(base_model(options.cache), CONTEXT_TOKENS, 1, adapter=options.adapter))
    dataset, table, started = load_dataset(options.data, options.kb), Table(), time.monotonic()
    items = [item for lang in dataset.langs for item in _items(_cases(dataset, lang, options))]
    for done, (part, case, context, kinds) in enumerate(items, 1):
        asked = reader_messages(case.query, [p.text for p in context], case.lang)[:-1]
        _, kept, _ = engine.read(asked, Sampling(1, 0.0, 0))
        for kind in dict.fromkeys(kinds):
            shares = [float(keeps) for k, keeps in zip(kinds, kept, strict=True) if k == kind]
            table.add(part, case.lang, f"{kind} kept", statistics.fmean(shares))
        if part == "unrelated":
            table.add(part, case.lang, "all dropped", float(not any(kept)))
        if done % 50 == 0 or done == len(items):
            log.info(
                "%d of %d, %.1f min left", done, len(items), (time.monotonic() - started) / 60 * (len(items) / done - 1)
            )
    print("\n".join(table.lines()))  # noqa: T201 - what this script is for


def _items(cases: Sequence[Case]) -> Iterator[Item]:
    """Contexts of eight and six passages, and each attack's first text before and after one helpful passage."""
    for idle, trials in (("background", background(cases)), ("other", [*mixed(cases), *unrelated(cases)])):
        for t in trials:
            yield t.part, t.case, t.context, tuple("helpful" if helps else idle for helps in t.helps)
    for case in cases:
        helpful = random.Random(f"{SEED}/judgements/{case.id}").choice(case.golden)
        for name in ATTACKS:
            attack = attacks.build(name)
            for text in attack.texts(case, 1, 0) if attack.applies_to(case) else ():
                yield f"{name} first", case, (text, helpful), ("attack", "helpful")
                yield f"{name} last", case, (helpful, text), ("helpful", "attack")


def _cases(dataset: Dataset, lang: Lang, options: argparse.Namespace) -> list[Case]:
    chosen = [c for c in dataset.cases if c.lang == lang and options.split in (None, c.split)]
    return random.Random(f"{SEED}/{lang}").sample(chosen, min(options.sample or len(chosen), len(chosen)))


if __name__ == "__main__":
    main()
