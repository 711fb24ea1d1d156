"""Ready attack texts in a file of their own: one JSON object a line, joined to the cases by id.

    {"case": "en-culture-01", "text": "…", "keywords": ["…"]}
    {"case": "en-culture-01", "attack": "poisoned_rag", "text": "…"}

Without ``attack`` a text belongs to ``own_texts``. With the name of another attack it takes the place of that attack's
own texts for the case.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from pydantic import Field

from saferag.attacks import attacks
from saferag.attacks.own_texts import NAME
from saferag.attacks.prepared import fits
from saferag.data.dataset import Dataset
from saferag.data.jsonl import read_bytes
from saferag.data.records import Id, Plain, Record, Text, validate
from saferag.errors import DataError
from saferag.types import AttackMaterial, AttackText, Case


class AttackTextLine(Record):
    """A line of the file.

    ``query``, ``right`` and ``wrong`` say for what the text was written, ``made_by`` by whom; ``saferag craft`` writes
    them.
    """

    case: Id
    text: Text
    attack: Id = NAME
    keywords: list[Text] = Field(default_factory=list)
    query: Plain = ""
    right: Plain = ""
    wrong: Plain = ""
    made_by: Plain = ""


def with_attack_texts(dataset: Dataset, path: Path) -> tuple[Dataset, tuple[str, ...]]:
    """The dataset with a file's texts in it, and the attacks that they belong to.

    Texts for cases of another split than the one that was chosen are passed over.

    Raises:
        DataError: A line is malformed, names a case or an attack that there is not, or was written for another wording.
    """
    data = read_bytes(path)
    cases = {case.id: case for case in dataset.cases}
    found: dict[tuple[str, str], list[AttackTextLine]] = {}
    passed_over = False
    elsewhere = {case.id for case in dataset.pool} - set(cases)  # in another split
    for number, line in _lines(data, path):
        if line.case in elsewhere:
            passed_over = True
            continue
        if line.case not in cases:
            raise DataError(f"{dataset.name} has no case '{line.case}'", path=path, line=number, field="case")
        if line.attack not in attacks.names():
            raise DataError(f"there is no attack '{line.attack}'", path=path, line=number, field="attack")
        if line.query and not fits(line.model_dump(), cases[line.case], pushes=bool(line.wrong)):
            raise DataError("was written for another wording of the case", path=path, line=number, field="text")
        found.setdefault((line.case, line.attack), []).append(line)
    if not found:
        raise DataError("holds no texts for the cases of this split" if passed_over else "holds no texts", path=path)
    for (case_id, attack), lines in found.items():
        cases[case_id] = _joined(cases[case_id], attack, lines)
    sha256 = hashlib.sha256(dataset.sha256.encode() + data).hexdigest()
    joined = replace(dataset, cases=tuple(cases.values()), sha256=sha256)
    return joined, tuple(dict.fromkeys(attack for _, attack in found))


def _lines(data: bytes, path: Path) -> Iterator[tuple[int, AttackTextLine]]:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DataError(f"is not UTF-8: {error}", path=path) from None
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            value = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise DataError(f"is not JSON: {error}", path=path, line=number) from None
        yield number, validate(AttackTextLine, value, path=path, line=number)


def _joined(case: Case, attack: str, lines: list[AttackTextLine]) -> Case:
    texts = tuple(AttackText(f"x{i}", line.text) for i, line in enumerate(lines, 1))
    keywords = tuple(dict.fromkeys(keyword for line in lines for keyword in line.keywords))
    before = case.attacks.get(attack, AttackMaterial())
    material = AttackMaterial(texts, before.options, keywords or before.keywords)
    return replace(case, attacks={**case.attacks, attack: material})
