"""The form of a case on disk, one JSON object each, and its way to a `Case` and back.

Ids in a file are local to the case (``g1``, ``b2``); a loaded passage has the id ``{case}/g1``. Fields that are empty
are left out. docs/datasets.md describes every field.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Annotated, Any, Literal, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from saferag.errors import DataError
from saferag.types import AttackMaterial, AttackText, Case, Fact, Label, Lang, Option, Origin, Passage

_ID = re.compile(r"[\w.-]+")


def _plain_id(value: str) -> str:
    if not _ID.fullmatch(value):
        raise ValueError("an id holds letters, digits, '.', '_' and '-' only")
    return value


def _whole(value: str) -> str:
    if not value.isascii() and any("\ud800" <= c <= "\udfff" for c in value):
        raise ValueError("holds half of a surrogate pair")
    return value


def _not_blank(value: str) -> str:
    if not value.strip():
        raise ValueError("is empty")
    return value


Id = Annotated[str, AfterValidator(_plain_id)]
Plain = Annotated[str, AfterValidator(_whole)]
Text = Annotated[str, AfterValidator(_whole), AfterValidator(_not_blank)]


class Record(BaseModel):
    """A part of a file: unknown fields and values of another type are errors."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class PassageRecord(Record):
    """A golden or background passage."""

    id: Id
    text: Text


class FactRecord(Record):
    """A proposition: ``passage`` is the id of the golden passage that states it."""

    id: Id
    passage: Id
    text: Text
    value: Text


class OptionRecord(Record):
    """A statement for the judge: see `saferag.types.Option`."""

    id: Id
    fact: Id | None = None
    text: Text
    label: Literal["correct", "incorrect"]
    value: Text | None = None
    contrast: Text | None = None
    mention: Text | None = None
    change: Text | None = None


class AttackTextRecord(Record):
    """A ready attack text; ``target`` is the fact or golden passage that it was made from."""

    id: Id
    text: Text
    target: Id | None = None
    variant: Text | None = None


class MaterialRecord(Record):
    """What a case holds for one attack. A ``target`` here holds for every passage without its own."""

    target: Id | None = None
    passages: list[AttackTextRecord] = Field(default_factory=list)
    options: list[OptionRecord] = Field(default_factory=list)
    keywords: list[Text] = Field(default_factory=list)


class CaseRecord(Record):
    """One line of a data file."""

    id: Id
    lang: Literal["zh", "en"]
    split: Plain = ""
    topic: Plain = ""
    kind: Plain = ""
    title: Plain = ""
    query: Text
    golden: list[PassageRecord] = Field(min_length=1)
    background: list[PassageRecord] = Field(default_factory=list)
    facts: list[FactRecord] = Field(default_factory=list)
    options: list[OptionRecord] = Field(default_factory=list)
    attacks: dict[Id, MaterialRecord] = Field(default_factory=dict)
    answer: Plain = ""


ModelT = TypeVar("ModelT", bound=BaseModel)


def parse_case(data: object, *, path: object = None, line: int | None = None) -> Case:
    """Turn a decoded JSON object into a case.

    Raises:
        DataError: A field is missing, unknown or of another type, an id stands twice or leads nowhere.
    """
    record = validate(CaseRecord, data, path=path, line=line)
    for field, problem in _broken_links(record):
        raise DataError(problem, path=path, line=line, field=field)
    return _to_case(record)


def dump_case(case: Case) -> dict[str, Any]:
    """The JSON object of a case, keys in the order of `CaseRecord`.

    Raises:
        DataError: The case cannot be written: a passage id does not begin with the case's, or a text is empty.
    """
    record = validate(CaseRecord, _from_case(case))
    return record.model_dump(exclude_defaults=True)


def validate(
    model: type[ModelT], data: object, *, path: object = None, line: int | None = None, field: str = ""
) -> ModelT:
    """Validate against a record class; the first problem becomes a one-line `DataError` at ``field`` and below."""
    try:
        return model.model_validate(data)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
    known = {"missing": "is missing", "extra_forbidden": "is not a known field", "model_type": "must be an object"}
    message = known.get(first["type"], first["msg"].removeprefix("Value error, "))
    raise DataError(message, path=path, line=line, field=_field((field, *first["loc"])) or None)


def _field(location: Iterable[int | str]) -> str:
    field = ""
    for part in location:
        field += f"[{part}]" if isinstance(part, int) else f".{part}"
    return field.lstrip(".")


def _broken_links(record: CaseRecord) -> Iterator[tuple[str, str]]:
    """Ids that stand twice or lead nowhere, as (field, problem)."""
    golden = {p.id for p in record.golden}
    facts = {f.id for f in record.facts}
    yield from _repeated("golden", record.golden, ())
    yield from _repeated("background", record.background, golden)
    yield from _repeated("facts", record.facts, ())
    yield from _repeated("options", record.options, ())
    for i, fact in enumerate(record.facts):
        if fact.passage not in golden:
            yield f"facts[{i}].passage", f"there is no golden passage '{fact.passage}'"
    for i, option in enumerate(record.options):
        if option.fact is not None and option.fact not in facts:
            yield f"options[{i}].fact", f"there is no fact '{option.fact}'"
    for name, material in record.attacks.items():
        yield from _broken_material(f"attacks.{name}", material, golden | facts)


def _broken_material(where: str, material: MaterialRecord, targets: set[str]) -> Iterator[tuple[str, str]]:
    yield from _repeated(f"{where}.passages", material.passages, ())
    yield from _repeated(f"{where}.options", material.options, ())
    if material.target is not None and material.target not in targets:
        yield f"{where}.target", f"there is no fact or golden passage '{material.target}'"
    for i, text in enumerate(material.passages):
        if text.target is not None and text.target not in targets:
            yield f"{where}.passages[{i}].target", f"there is no fact or golden passage '{text.target}'"


def _repeated(
    where: str,
    items: Iterable[PassageRecord | FactRecord | OptionRecord | AttackTextRecord],
    taken: Iterable[str],
) -> Iterator[tuple[str, str]]:
    seen = set(taken)
    for i, item in enumerate(items):
        if item.id in seen:
            yield f"{where}[{i}].id", f"the id '{item.id}' stands twice"
        seen.add(item.id)


def _to_case(record: CaseRecord) -> Case:
    prefix = record.id + "/"
    golden = {p.id for p in record.golden}

    def target(own: str | None, shared: str | None) -> str | None:
        chosen = own or shared
        return prefix + chosen if chosen in golden else chosen

    def material(given: MaterialRecord) -> AttackMaterial:
        texts = [AttackText(t.id, t.text, target(t.target, given.target), t.variant) for t in given.passages]
        return AttackMaterial(tuple(texts), tuple(map(_to_option, given.options)), tuple(given.keywords))

    return Case(
        id=record.id,
        lang=Lang(record.lang),
        query=record.query,
        golden=tuple(Passage(prefix + p.id, p.text, Origin.GOLDEN) for p in record.golden),
        background=tuple(Passage(prefix + p.id, p.text, Origin.BACKGROUND) for p in record.background),
        facts=tuple(Fact(f.id, f.text, prefix + f.passage, f.value) for f in record.facts),
        options=tuple(map(_to_option, record.options)),
        attacks={name: material(given) for name, given in record.attacks.items()},
        answer=record.answer,
        topic=record.topic,
        kind=record.kind,
        title=record.title,
        split=record.split,
    )


def _to_option(record: OptionRecord) -> Option:
    return Option(
        id=record.id,
        text=record.text,
        label=Label(record.label),
        fact_id=record.fact,
        value=record.value,
        contrast=record.contrast,
        mention=record.mention,
        change=record.change,
    )


def _from_case(case: Case) -> dict[str, Any]:
    prefix = case.id + "/"

    def local(full: str) -> str:
        return full.removeprefix(prefix)

    def passages(items: Iterable[Passage]) -> list[dict[str, Any]]:
        for p in items:
            if not p.id.startswith(prefix):
                raise DataError(f"passage '{p.id}' cannot be written: its id does not begin with '{prefix}'")
        return [{"id": local(p.id), "text": p.text} for p in items]

    return {
        "id": case.id,
        "lang": case.lang.value,
        "split": case.split,
        "topic": case.topic,
        "kind": case.kind,
        "title": case.title,
        "query": case.query,
        "golden": passages(case.golden),
        "background": passages(case.background),
        "facts": [{"id": f.id, "passage": local(f.passage_id), "text": f.text, "value": f.value} for f in case.facts],
        "options": [_from_option(o) for o in case.options],
        "attacks": {name: _from_material(material, case) for name, material in case.attacks.items()},
        "answer": case.answer,
    }


def _from_option(option: Option) -> dict[str, Any]:
    return {
        "id": option.id,
        "fact": option.fact_id,
        "text": option.text,
        "label": option.label.value,
        "value": option.value,
        "contrast": option.contrast,
        "mention": option.mention,
        "change": option.change,
    }


def _from_material(material: AttackMaterial, case: Case) -> Mapping[str, Any]:
    """A fact that all texts share as their target is written once."""
    targets = {t.target for t in material.texts}
    shared = targets.pop() if len(targets) == 1 else None
    if shared not in {f.id for f in case.facts}:
        shared = None
    return {
        "target": shared,
        "passages": [
            {
                "id": t.id,
                "text": t.text,
                "target": None if shared or t.target is None else t.target.removeprefix(case.id + "/"),
                "variant": t.variant,
            }
            for t in material.texts
        ],
        "options": [_from_option(o) for o in material.options],
        "keywords": list(material.keywords),
    }
