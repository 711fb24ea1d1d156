"""The data that SafeRAG published: one JSON file with a list per task, and one ``db.txt`` per task.

It is read as it is. Option ids are strings and each option begins with its own number; a golden context may be
missing from the knowledge base; a keyword may be missing from its attack text or stand in a golden context. What is
odd is noted in `Dataset.notes`, and nothing is dropped for it.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, create_model

from saferag.data.dataset import Dataset
from saferag.data.jsonl import read_bytes
from saferag.data.records import Text, validate
from saferag.errors import DataError
from saferag.judges.contrast import derive
from saferag.text import normalize
from saferag.types import AttackMaterial, AttackText, Case, Context, Label, Lang, Option, Origin, Passage

TASKS = {"SN": "silver_noise", "ICC": "inter_context_conflict", "SA": "soft_ad", "WDoS": "white_dos"}
"""Attack names by the labels of the published files."""

_NUMBERED = re.compile(r"\s*(\d+)\s*[.．、:：]\s*(.*\S)", re.DOTALL)
_QUOTED = re.compile(r"“([^”]+)”|\"([^\"]+)\"|「([^」]+)」")


class _Item(BaseModel):
    """What the items of all tasks have in common; other keys are left alone."""

    model_config = ConfigDict(extra="ignore", strict=True, frozen=True)

    id: int | str
    questions: Text
    numbered_options: list[Text]
    ground_truth_correct_options: list[str]
    ground_truth_incorrect_options: list[str]
    enhanced_contexts: list[Text] = Field(min_length=1)
    attack_kws: list[Text] = Field(default_factory=list)
    propositions: list[Text] = Field(default_factory=list)
    attack_texts: list[Text]


def load_official(path: Path, kb: Path) -> Dataset:
    """Read the published format.

    Args:
        path: The JSON file.
        kb: The folder with ``SN/db.txt``, ``ICC/db.txt`` and so on, for the tasks that the file holds.

    Raises:
        DataError: A file is missing or malformed; the message has file and field.
    """
    data = read_bytes(path)
    tasks = _decode(data, path)
    digest = hashlib.sha256(data)
    cases: list[Case] = []
    corpora: dict[str, Context] = {}
    notes: list[str] = []
    propositions: dict[str, list[str]] = {}
    for label, attack in TASKS.items():
        if label not in tasks:
            continue
        source = kb / label / "db.txt"
        lines = read_bytes(source)
        digest.update(lines)
        reader = _TaskReader(label, attack, _corpus(lines, source, label, notes), propositions, notes)
        cases.extend(reader.cases(tasks[label], path))
        corpora[attack] = tuple(reader.corpus.values())
    return Dataset(path.stem, tuple(cases), corpora, digest.hexdigest(), tuple(notes))


def _decode(data: bytes, path: Path) -> Mapping[str, object]:
    try:
        tasks = json.loads(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise DataError(f"is not UTF-8 at byte {error.start + 1}", path=path) from None
    except json.JSONDecodeError as error:
        raise DataError(f"is not JSON: {error.msg}", path=path, line=error.lineno) from None
    except RecursionError:
        raise DataError("is not JSON: nested too deeply", path=path) from None
    if not isinstance(tasks, dict) or not TASKS.keys() & tasks.keys():
        raise DataError(f"must be an object with at least one of the keys {', '.join(TASKS)}", path=path)
    return tasks


def _corpus(data: bytes, path: Path, label: str, notes: list[str]) -> dict[str, Passage]:
    """The lines of a ``db.txt`` by their normal form; ids count lines from 1."""
    try:
        lines = data.decode("utf-8-sig").split("\n")
    except UnicodeDecodeError as error:
        raise DataError(f"is not UTF-8 at byte {error.start + 1}", path=path) from None
    found: dict[str, Passage] = {}
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        key = _key(line)
        if key in found:
            notes.append(f"{label}: line {number} of db.txt repeats {found[key].id} and is left out")
            continue
        found[key] = Passage(f"{label}/db#{number}", line.strip())
    if not found:
        raise DataError("holds no passages", path=path)
    return found


def _key(text: str) -> str:
    return "".join(normalize(text).split())


@dataclass(slots=True)
class _TaskReader:
    """Turns the items of one task into cases, and marks golden passages in the task's corpus as it meets them.

    Attributes:
        propositions: By question. Only SN has them; WDoS asks the same questions with the same options.
    """

    label: str
    attack: str
    corpus: dict[str, Passage]
    propositions: dict[str, list[str]]
    notes: list[str]

    def cases(self, items: object, path: Path) -> Iterator[Case]:
        if not isinstance(items, list):
            raise DataError("must be a list", path=path, field=self.label)
        seen: set[str] = set()
        # One class for all tasks: only the name of the key with the attack texts differs.
        model = create_model(
            "Item", __base__=_Item, attack_texts=(list[Text], Field(alias=f"enhanced_{self.label}_contexts"))
        )
        for i, data in enumerate(items):
            where = f"{self.label}[{i}]"
            case = self._case(validate(model, data, path=path, field=where), path, where)
            if case.id in seen:
                raise DataError(f"the id '{case.id}' stands twice", path=path, field=f"{where}.id")
            seen.add(case.id)
            yield case

    def _case(self, item: _Item, path: Path, where: str) -> Case:
        case_id = f"{self.label}-{item.id}"
        if item.propositions:
            self.propositions[_key(item.questions)] = item.propositions
        options = self._options(item, case_id, path, where)
        golden = self._golden(item, case_id)
        self._note_keywords(item, case_id, golden)
        texts = tuple(AttackText(f"a{i}", text) for i, text in enumerate(item.attack_texts, 1))
        return Case(
            id=case_id,
            lang=Lang.ZH,
            query=item.questions,
            golden=golden,
            options=options,
            attacks={self.attack: AttackMaterial(texts, keywords=tuple(item.attack_kws))},
        )

    def _options(self, item: _Item, case_id: str, path: Path, where: str) -> tuple[Option, ...]:
        right, wrong = set(item.ground_truth_correct_options), set(item.ground_truth_incorrect_options)
        if right & wrong:
            both = min(right & wrong)
            raise DataError(f"option '{both}' is labelled both ways", path=path, field=f"{where}.numbered_options")
        options: dict[str, Option] = {}
        for i, text in enumerate(item.numbered_options, 1):
            match = _NUMBERED.fullmatch(text)
            number, statement = match.groups() if match else (str(i), text.strip())
            if number in options:
                raise DataError(f"option '{number}' stands twice", path=path, field=f"{where}.numbered_options")
            if number not in right | wrong:
                self.notes.append(f"{case_id}: option {number} has no label and is left out")
                continue
            label = Label.CORRECT if number in right else Label.INCORRECT
            options[number] = Option(number, statement, label, mention=self._mention(statement))
        for number in sorted((right | wrong) - options.keys()):
            self.notes.append(f"{case_id}: a label names option {number}, which there is not")
        # The options of SN and WDoS were made from the propositions; those of ICC are versions of one another.
        aligned = self.attack in ("silver_noise", "white_dos")
        propositions = self.propositions.get(_key(item.questions), []) if aligned else []
        return derive(tuple(options.values()), propositions)

    def _mention(self, statement: str) -> str | None:
        quoted = _QUOTED.search(statement) if self.attack == "soft_ad" else None
        return next(filter(None, quoted.groups()), None) if quoted else None

    def _golden(self, item: _Item, case_id: str) -> Context:
        golden: dict[str, Passage] = {}
        for i, text in enumerate(item.enhanced_contexts, 1):
            key = _key(text)
            if key in golden:
                self.notes.append(f"{case_id}: golden context {i} stands twice")
                continue
            line = self.corpus.get(key)
            if line is None:
                self.notes.append(f"{case_id}: golden context {i} is not in the knowledge base")
                golden[key] = Passage(f"{case_id}/g{i}", text.strip(), Origin.GOLDEN)
                continue
            golden[key] = self.corpus[key] = Passage(line.id, line.text, Origin.GOLDEN)
        return tuple(golden.values())

    def _note_keywords(self, item: _Item, case_id: str, golden: Context) -> None:
        attack, benign = _keys(item.attack_texts), _keys([p.text for p in golden])
        for keyword in item.attack_kws:
            if not any(_key(keyword) in text for text in attack):
                self.notes.append(f"{case_id}: keyword '{keyword}' is missing from the attack text")
            if any(_key(keyword) in text for text in benign):
                self.notes.append(f"{case_id}: keyword '{keyword}' also stands in a golden context")


def _keys(texts: Sequence[str]) -> list[str]:
    return [_key(text) for text in texts]
