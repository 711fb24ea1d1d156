"""From the hand-written YAML to our data files. docs/datasets.md describes the YAML.

The author writes texts, facts and their distortions once; options, ids, contrasts, order and split follow by rule,
so that nothing but the text of an option can tell whether it is true.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import yaml
from pydantic import Field

from saferag.data.jsonl import read_bytes
from saferag.data.manifest import write_manifest
from saferag.data.records import Id, Record, Text, parse_case, validate
from saferag.errors import DataError
from saferag.types import Case, Lang

SEED = "saferag-open-1"
"""Decides the order of options and the split."""

DEV_SHARE = 0.2
"""Share of the cases of a language and topic that goes into the ``dev`` split."""


class FactSource(Record):
    """A fact of golden passage ``g`` (counted from 1); ``wrong`` makes a false option of it."""

    g: int = Field(ge=1)
    text: Text
    value: Text
    wrong: Text | None = None
    change: Text | None = None


class SilverSource(Record):
    """Silver noise around one fact (counted from 1)."""

    fact: int = Field(ge=1)
    passages: list[Text] = Field(min_length=1)


class PairSource(Record):
    """A true and a false sentence that differ in a value; ``keyword`` is the false one as the conflict text has it."""

    true: Text
    false: Text
    keyword: Text


class ConflictSource(Record):
    """A conflicting version of golden passage ``target`` (counted from 1)."""

    target: int = Field(ge=1)
    text: Text
    pairs: list[PairSource] = Field(min_length=1)


class AdTextSource(Record):
    """A golden passage with an ad in it."""

    target: int = Field(ge=1)
    text: Text


class AdSource(Record):
    """The advertised names and the two ad texts."""

    names: list[Text] = Field(min_length=1)
    direct: AdTextSource
    indirect: AdTextSource


class CaseParts(Record):
    """What a case is made of, as far as it goes: attack texts may be missing."""

    id: Id
    lang: Literal["zh", "en"] | None = None
    topic: str = ""
    kind: Text
    title: str = ""
    query: Text
    golden: list[Text] = Field(min_length=1)
    facts: list[FactSource] = Field(min_length=1)
    silver: SilverSource | None = None
    conflict: list[ConflictSource] = Field(default_factory=list)
    ad: AdSource | None = None
    background: list[Text] = Field(default_factory=list)
    answer: Text


class CaseSource(CaseParts):
    """A case as an author writes it: nothing is missing."""

    topic: Text
    silver: SilverSource
    conflict: list[ConflictSource] = Field(min_length=1)
    ad: AdSource


def pack(sources: Iterable[Path], lang: Lang | None = None) -> tuple[Case, ...]:
    """Make cases of YAML files, sorted by id, with their split.

    Args:
        sources: Files, each with a list of cases; a folder stands for its ``*.yaml`` files.
        lang: Only the cases of this language.

    Raises:
        DataError: A file is malformed; the message has file, line of the case, and field.
    """
    cases: dict[str, Case] = {}
    for path in _files(sources):
        for line, data in _read_yaml(path):
            case = _pack_case(data, path, line)
            if case.id in cases:
                raise DataError(f"the id '{case.id}' stands twice", path=path, line=line, field="id")
            cases[case.id] = case
    wanted = [case for case in cases.values() if lang is None or case.lang is lang]
    if not wanted:
        raise DataError("no cases to pack")
    return tuple(sorted(with_split(wanted), key=lambda case: case.id))


def bundle(sources: Sequence[Path], folder: Path) -> None:
    """Write the shipped files of both languages and their manifest."""
    from saferag.data.jsonl import write_cases

    for lang in Lang:
        write_cases(folder / f"saferag-open.{lang.value}.jsonl", pack(sources, lang))
    write_manifest(folder)


def with_split(cases: Sequence[Case]) -> list[Case]:
    """Put one fifth of each language and topic into ``dev``: the cases whose ids hash lowest."""
    split: dict[str, str] = {}
    groups: dict[tuple[Lang, str], list[str]] = {}
    for case in cases:
        groups.setdefault((case.lang, case.topic), []).append(case.id)
    for ids in groups.values():
        dev = round(len(ids) * DEV_SHARE)
        for rank, case_id in enumerate(sorted(ids, key=_digest)):
            split[case_id] = "dev" if rank < dev else "test"
    return [replace(case, split=split[case.id]) for case in cases]


def swap(text: str, old: str, new: str) -> str:
    """Replace the one occurrence of ``old``, whatever its case; a capital at the start of the text stays one.

    Raises:
        ValueError: ``old`` does not occur exactly once.
    """
    if text.casefold().count(old.casefold()) != 1:
        raise ValueError(f"'{old}' must stand exactly once in '{text}'")
    at = text.casefold().index(old.casefold())
    if at == 0 and text[0].isupper():
        new = new[0].upper() + new[1:]
    return text[:at] + new + text[at + len(old) :]


def differing(one: str, other: str, keyword: str) -> tuple[str, str]:
    """The parts in which two sentences differ: around the keyword of the second, or whole words else."""
    at = other.casefold().find(keyword.casefold())
    end = len(other) - at - len(keyword)
    if at >= 0 and one[:at].casefold() == other[:at].casefold() and len(one) > at + end:
        tail = one[len(one) - end :] if end else ""
        if tail == other[len(other) - end :] or not end:
            return one[at : len(one) - end], other[at : len(other) - end]
    first, second = one.split(" "), other.split(" ")
    while first and second and first[0] == second[0]:
        del first[0], second[0]
    while first and second and first[-1] == second[-1]:
        del first[-1], second[-1]
    return " ".join(first), " ".join(second)


def _files(sources: Iterable[Path]) -> Iterator[Path]:
    for source in sources:
        if source.is_dir():
            yield from sorted(source.glob("*.yaml"))
        else:
            yield source


def _read_yaml(path: Path) -> Iterator[tuple[int, object]]:
    """The items of the list that a file holds, each with its first line."""
    try:
        loader = yaml.SafeLoader(read_bytes(path).decode())
        node = loader.get_single_node()
        if not isinstance(node, yaml.SequenceNode):
            raise DataError("must hold a list of cases", path=path)
        for item in node.value:
            yield item.start_mark.line + 1, loader.construct_object(item, deep=True)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else None
        raise DataError(f"is not YAML: {error.problem}", path=path, line=line) from None
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise DataError(f"is not YAML in UTF-8: {str(error).splitlines()[0]}", path=path) from None


def _pack_case(data: object, path: Path, line: int) -> Case:
    source = validate(CaseSource, _named_keys(data), path=path, line=line)
    lang = source.lang or source.id[:2]
    if lang not in set(Lang):
        raise DataError("say lang: zh or en, or begin the id with it", path=path, line=line, field="id")
    try:
        record = record_of(source, lang)
    except SourceError as error:
        raise DataError(str(error), path=path, line=line, field=f"{source.id}.{error.field}") from None
    return parse_case(record, path=path, line=line)


def _named_keys(data: object) -> object:
    """YAML reads an unquoted ``true:`` as a boolean; here it is a key."""
    if isinstance(data, dict):
        return {str(k).lower() if isinstance(k, bool) else k: _named_keys(v) for k, v in data.items()}
    return [_named_keys(item) for item in data] if isinstance(data, list) else data


class SourceError(ValueError):
    """What an author has to repair, with the field."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field


def record_of(source: CaseParts, lang: str) -> dict[str, Any]:
    """The record of a case made of these parts, options and ids by rule.

    Raises:
        SourceError: A distortion does not fit its fact.
    """
    fact_ids = [f"f{i}" for i in range(1, len(source.facts) + 1)]
    return {
        "id": source.id,
        "lang": lang,
        "topic": source.topic,
        "kind": source.kind,
        "title": source.title,
        "query": source.query,
        "golden": _numbered("g", source.golden),
        "background": _numbered("b", source.background),
        "facts": [
            {"id": fact_id, "passage": f"g{f.g}", "text": f.text, "value": f.value}
            for fact_id, f in zip(fact_ids, source.facts, strict=True)
        ],
        "options": _shuffled("o", source.id, _fact_options(source, fact_ids)),
        "attacks": dict(_attacks(source, lang)),
        "answer": source.answer,
    }


def _attacks(source: CaseParts, lang: str) -> Iterator[tuple[str, dict[str, Any]]]:
    if source.silver:
        passages = _numbered("s", source.silver.passages)
        yield "silver_noise", {"target": f"f{source.silver.fact}", "passages": passages}
    if source.conflict:
        yield "inter_context_conflict", _conflict(source)
    if source.ad:
        yield "soft_ad", _ad(source.ad, lang)


def _numbered(letter: str, texts: Sequence[str]) -> list[dict[str, str]]:
    return [{"id": f"{letter}{i}", "text": text} for i, text in enumerate(texts, 1)]


def _fact_options(source: CaseParts, fact_ids: Sequence[str]) -> Iterator[dict[str, str | None]]:
    for i, (fact_id, fact) in enumerate(zip(fact_ids, source.facts, strict=True)):
        if fact.wrong is None:
            yield {"fact": fact_id, "text": fact.text, "label": "correct", "value": fact.value}
            continue
        try:
            text = swap(fact.text, fact.value, fact.wrong)
        except ValueError as error:
            raise SourceError(f"facts[{i}].value", str(error)) from None
        yield {
            "fact": fact_id,
            "text": text,
            "label": "incorrect",
            "value": fact.wrong,
            "contrast": fact.value,
            "change": fact.change,
        }


def _conflict(source: CaseParts) -> dict[str, Any]:
    options: list[dict[str, str | None]] = []
    for item in source.conflict:
        for pair in item.pairs:
            right, wrong = (part or None for part in differing(pair.true, pair.false, pair.keyword))
            options.append({"text": pair.true, "label": "correct", "value": right, "contrast": wrong})
            options.append({"text": pair.false, "label": "incorrect", "value": wrong, "contrast": right})
    texts = _numbered("c", [item.text for item in source.conflict])
    return {
        "passages": [t | {"target": f"g{item.target}"} for t, item in zip(texts, source.conflict, strict=True)],
        "options": _shuffled("v", source.id, options),
        "keywords": [pair.keyword for item in source.conflict for pair in item.pairs],
    }


def _ad(ad: AdSource, lang: str) -> dict[str, Any]:
    mention = "回答提到了“{}”。" if lang == "zh" else "The answer mentions “{}”."
    return {
        "passages": [
            {"id": "a1", "text": ad.direct.text, "target": f"g{ad.direct.target}", "variant": "direct"},
            {
                "id": "a2",
                "text": ad.indirect.text,
                "target": f"g{ad.indirect.target}",
                "variant": "indirect",
            },
        ],
        "options": [
            {"id": f"m{i}", "text": mention.format(name), "label": "incorrect", "mention": name}
            for i, name in enumerate(ad.names, 1)
        ],
        "keywords": list(ad.names),
    }


def _shuffled(letter: str, case_id: str, options: Iterable[dict[str, str | None]]) -> list[dict[str, str | None]]:
    """Options in an order that tells nothing, numbered in that order."""
    ordered = sorted(options, key=lambda option: _digest(f"{case_id}/{option['text']}"))
    return [{"id": f"{letter}{i}", **option} for i, option in enumerate(ordered, 1)]


def _digest(text: str) -> str:
    return hashlib.sha256(f"{SEED}/{text}".encode()).hexdigest()
