"""Rules of the checker about single cases: texts, facts, options, keywords."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from saferag.attacks import attacks
from saferag.attacks.groups import PAPER
from saferag.data.dataset import Dataset
from saferag.data.findings import Finding
from saferag.metrics.containment import stands_in
from saferag.types import Case, Context, Fact, Label, Lang, Option

LENGTHS: Mapping[Lang, tuple[int, int]] = {Lang.ZH: (50, 110), Lang.EN: (30, 60)}
"""Shortest and longest passage: characters in Chinese, words in English."""

STRETCH: Mapping[str, float] = {"inter_context_conflict": 1.2, "soft_ad": 1.3}
"""How much longer the altered passages of an attack may be than the passages that they were made from."""


def text_length(text: str, lang: Lang) -> int:
    """Characters in Chinese, words in English."""
    return len(text) if lang is Lang.ZH else len(text.split())


def texts_of(case: Case) -> Iterator[tuple[str, str]]:
    """Every text of a case with its field."""
    yield from (("query", case.query), ("title", case.title), ("answer", case.answer))
    for kind, passages in (("golden", case.golden), ("background", case.background)):
        yield from ((f"{kind}.{p.id.rpartition('/')[2]}", p.text) for p in passages)
    for fact in case.facts:
        yield from ((f"facts.{fact.id}", fact.text), (f"facts.{fact.id}", fact.value))
    yield from _option_texts("options", case.options)
    for name, material in case.attacks.items():
        yield from ((f"attacks.{name}.{t.id}", t.text) for t in material.texts)
        yield from ((f"attacks.{name}.keywords", keyword) for keyword in material.keywords)
        yield from _option_texts(f"attacks.{name}", material.options)


def _option_texts(where: str, options: Iterable[Option]) -> Iterator[tuple[str, str]]:
    for option in options:
        yield from ((f"{where}.{option.id}", t) for t in (option.text, option.value, option.contrast) if t)


def unique_ids(dataset: Dataset) -> Iterator[Finding]:
    """Ids of cases, and of passages in a corpus, are unique."""
    for case_id, count in Counter(case.id for case in dataset.cases).items():
        if count > 1:
            yield Finding("unique_ids", case_id, "id", f"stands {count} times")
    for name, corpus in _corpora(dataset):
        for passage_id, count in Counter(p.id for p in corpus).items():
            if count > 1:
                yield Finding("unique_ids", "", name, f"passage {passage_id} stands {count} times")


def _corpora(dataset: Dataset) -> Iterator[tuple[str, Context]]:
    if dataset.corpora:
        yield from dataset.corpora.items()
    else:
        yield from ((lang.value, dataset.corpus("", lang)) for lang in dataset.langs)


def encoding(dataset: Dataset) -> Iterator[Finding]:
    """Texts are in NFC, without invisible or control characters and without stray white space."""
    for case in dataset.cases:
        for where, text in texts_of(case):
            for problem in _text_problems(text):
                yield Finding("encoding", case.id, where, f"{problem}: {text[:40]!r}")


def _text_problems(text: str) -> Iterator[str]:
    if unicodedata.normalize("NFC", text) != text:
        yield "is not in NFC"
    unseen = {c for c in text if unicodedata.category(c) in {"Cc", "Cf", "Co", "Cn"} and not c.isspace()}
    if unseen:
        codes = ", ".join(f"U+{ord(c):04X}" for c in sorted(unseen))
        yield f"has control or invisible characters ({codes})"
    if text != text.strip() or "  " in text or any(c.isspace() and c != " " for c in text):
        yield "has stray white space"


def lengths(dataset: Dataset) -> Iterator[Finding]:
    """Passages have the length of a news sentence or two; attack passages are not told by their length."""
    for case in dataset.cases:
        low, high = LENGTHS[case.lang]
        passages = [(f"golden.{p.id.rpartition('/')[2]}", p.text, 1.0) for p in case.golden]
        passages += [(f"background.{p.id.rpartition('/')[2]}", p.text, 1.0) for p in case.background]
        for name, material in case.attacks.items():
            if name != "white_dos":
                passages += [(f"attacks.{name}.{t.id}", t.text, STRETCH.get(name, 1.0)) for t in material.texts]
        for where, text, stretch in passages:
            length = text_length(text, case.lang)
            if not low <= length <= int(high * stretch):
                yield Finding("lengths", case.id, where, f"is {length} long, not {low} to {int(high * stretch)}")


def fact_values(dataset: Dataset) -> Iterator[Finding]:
    """A fact's value stands in the fact, in the golden passage that states it, and in the reference answer."""
    for case in dataset.cases:
        golden = {p.id: p.text for p in case.golden}
        for fact in case.facts:
            places = {"the fact": fact.text, "its golden passage": golden.get(fact.passage_id, "")}
            places |= {"the reference answer": case.answer} if case.answer else {}
            for place, text in places.items():
                if not stands_in(fact.value, text):
                    yield Finding("fact_values", case.id, f"facts.{fact.id}", f"'{fact.value}' is not in {place}")


def distorted_values(dataset: Dataset) -> Iterator[Finding]:
    """What a false option says stands nowhere in the case's golden and background passages or reference answer."""
    for case in dataset.cases:
        benign = {p.id.rpartition("/")[2]: p.text for p in (*case.golden, *case.background)} | {"answer": case.answer}
        material = [m.options for m in case.attacks.values()]
        for option in (o for options in (case.options, *material) for o in options):
            if option.label is Label.INCORRECT and option.value:
                for place, text in benign.items():
                    if stands_in(option.value, text):
                        message = f"the false value '{option.value}' stands in {place}"
                        yield Finding("distorted_values", case.id, f"options.{option.id}", message)


def option_labels(dataset: Dataset) -> Iterator[Finding]:
    """An option says its value; a true one says its fact's, a false one another in its place."""
    for case in dataset.cases:
        facts = {fact.id: fact for fact in case.facts}
        for option in case.options:
            for problem in _label_problems(option, facts.get(option.fact_id or "")):
                yield Finding("option_labels", case.id, f"options.{option.id}", problem)
        for name, material in case.attacks.items():
            for option in material.options:
                for problem in _label_problems(option, None):
                    yield Finding("option_labels", case.id, f"attacks.{name}.{option.id}", problem)


def _label_problems(option: Option, fact: Fact | None) -> Iterator[str]:
    if option.value and not stands_in(option.value, option.text):
        yield f"its value '{option.value}' is not in its text"
    if option.value and option.value == option.contrast:
        yield f"its value and its contrast are the same: '{option.value}'"
    if option.mention and not stands_in(option.mention, option.text):
        yield f"its name '{option.mention}' is not in its text"
    if fact is None:
        return
    if option.label is Label.CORRECT and (option.text, option.value) != (fact.text, fact.value):
        yield f"is labelled correct but differs from fact {fact.id}"
    if option.label is Label.INCORRECT and (option.contrast != fact.value or option.text == fact.text):
        yield f"is labelled incorrect but does not distort fact {fact.id}"


def silver_noise(dataset: Dataset) -> Iterator[Finding]:
    """Silver noise says its target fact's value and no other fact's (unless that stands in the target or question)."""
    for case in dataset.cases:
        facts = {fact.id: fact for fact in case.facts}
        material = case.attacks.get("silver_noise")
        for text in material.texts if material else ():
            target = facts.get(text.target or "")
            if target is None:
                continue
            where = f"attacks.silver_noise.{text.id}"
            if not stands_in(target.value, text.text):
                yield Finding("silver_noise", case.id, where, f"'{target.value}' of fact {target.id} is not in it")
            for fact in facts.values():
                known = target.text + "\n" + case.query
                if fact.id != target.id and stands_in(fact.value, text.text) and not stands_in(fact.value, known):
                    yield Finding("silver_noise", case.id, where, f"it also says '{fact.value}' of fact {fact.id}")


def attack_keywords(dataset: Dataset) -> Iterator[Finding]:
    """Keywords stand in an attack text of their case, and in no benign passage of the whole knowledge base."""
    for entry in map(attacks.get, PAPER):
        attack = entry.factory()
        for lang in dataset.langs:
            cases = dataset.for_attack(entry.name, lang)
            corpus = dataset.corpus(entry.name, lang) if cases else ()
            blob = "\n".join(p.text for p in corpus)
            for case in cases:
                texts = [p.text for p in attack.texts(case, len(case.golden) + 10, 0)]
                for keyword in attack.target(case).keywords:
                    where = f"attacks.{entry.name}.keywords"
                    if not any(stands_in(keyword, text) for text in texts):
                        yield Finding("attack_keywords", case.id, where, f"'{keyword}' is in no attack text")
                    if stands_in(keyword, blob):
                        found = next((p.id for p in corpus if stands_in(keyword, p.text)), "a benign passage")
                        yield Finding("attack_keywords", case.id, where, f"'{keyword}' also stands in {found}")
