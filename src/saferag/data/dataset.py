"""A dataset: cases in publishing order, and the corpus that each attack task searches."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from saferag.attacks import attacks
from saferag.data.jsonl import parse_cases, read_bytes
from saferag.errors import DataError
from saferag.registry import ComponentSpec
from saferag.types import Case, Context, Lang


@dataclass(frozen=True, slots=True)
class Dataset:
    """Cases and where their passages are searched.

    Attributes:
        name: For headers and records.
        cases: In publishing order, ids unique.
        corpora: The corpus of each attack task, where the data comes with one per task (the published data does).
            Empty: the corpus of a language is made of the golden and background passages of all its cases.
        sha256: Of the bytes that were read.
        notes: What is odd about the data, found while loading.
        pool: All cases whose passages are searched, where these are more than ``cases`` (one split of them, say).
    """

    name: str
    cases: tuple[Case, ...]
    corpora: Mapping[str, Context] = field(default_factory=dict)
    sha256: str = ""
    notes: tuple[str, ...] = ()
    pool: tuple[Case, ...] = ()

    @property
    def langs(self) -> tuple[Lang, ...]:
        """The languages that occur, in order of appearance."""
        return tuple(dict.fromkeys(case.lang for case in self.cases))

    def for_attack(self, attack: str, lang: Lang) -> tuple[Case, ...]:
        """The cases of a language that the attack applies to.

        Args:
            attack: A name, or a spec such as ``soft_ad(variant=direct)``.
            lang: The language.

        Raises:
            UnknownComponentError: There is no attack of this name.
        """
        built = attacks.build(attack)
        home = self._home(attack)
        return tuple(
            case
            for case in self.cases
            if case.lang is lang and (home is None or home in case.attacks) and built.applies_to(case)
        )

    def corpus(self, attack: str, lang: Lang) -> Context:
        """The benign passages that a retriever searches for this attack's cases, with unique ids."""
        home = self._home(attack)
        if home is not None:
            return self.corpora[home]
        return tuple(
            p for case in self.pool or self.cases if case.lang is lang for p in (*case.golden, *case.background)
        )

    def _home(self, attack: str) -> str | None:
        """The task whose cases and corpus an attack uses: its own, or the first for an attack without any."""
        if not self.corpora:
            return None
        name = ComponentSpec.parse(attack).name
        return name if name in self.corpora else next(iter(self.corpora))


def load_dataset(path: Path | None = None, kb: Path | None = None) -> Dataset:
    """Load a dataset.

    Args:
        path: None for the cases that saferag ships; a ``.jsonl`` file in our format; a folder of such files; or a
            ``.json`` file in the format that SafeRAG published.
        kb: For the published format, the folder with ``SN/db.txt`` and so on.

    Raises:
        DataError: A file is missing or malformed; one line with file, line and field.
    """
    if path is None:
        if kb is not None:
            raise DataError("a knowledge base folder goes with the published .json: add --data FILE.json", path=kb)
        from saferag.data.manifest import bundled_files

        return _from_files("saferag-open", bundled_files())
    if path.suffix == ".json":
        from saferag.data.official import load_official

        if kb is None:
            raise DataError("the published format needs its knowledge base: add --kb DIR (with SN/db.txt …)", path=path)
        return load_official(path, kb)
    if kb is not None:
        raise DataError("a knowledge base folder goes with the published .json format only", path=path)
    files = sorted(path.glob("*.jsonl")) if path.is_dir() else [path]
    if not files:
        raise DataError("there is no .jsonl file in this folder", path=path)
    return _from_files(path.resolve().stem, {file: read_bytes(file) for file in files})


def _from_files(name: str, files: Mapping[Path, bytes]) -> Dataset:
    cases: dict[str, Case] = {}
    digest = hashlib.sha256()
    for path, data in files.items():
        digest.update(data)
        for case in parse_cases(data, path):
            if case.id in cases:
                raise DataError(f"the id '{case.id}' stands in another file too", path=path, field="id")
            cases[case.id] = case
    return Dataset(name, tuple(cases.values()), sha256=digest.hexdigest())
