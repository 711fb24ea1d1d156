"""Embeddings are made once per text: in memory, on disk, across processes."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from saferag.embedders import CachedEmbedder, Kind
from saferag.embedders.pack import Pack
from saferag.embedders.store import MemoryStore, SqliteStore, VectorStore, text_key
from saferag.errors import BadReplyError
from toy_embedder import ToyEmbedder

TEXTS = ["old bridge", "new museum", "old bridge", "海港大桥", ""]


@pytest.fixture(params=["memory", "file"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> VectorStore:
    return MemoryStore() if request.param == "memory" else SqliteStore(tmp_path / "deep" / "embeddings.sqlite")


def test_a_text_is_embedded_once(store: VectorStore) -> None:
    toy = ToyEmbedder()
    first = CachedEmbedder(toy, (store,)).embed(TEXTS, kind="passage")
    assert [text for _, text in toy.seen] == ["old bridge", "new museum", "海港大桥", ""]

    again = CachedEmbedder(toy, (store,)).embed(TEXTS, kind="passage")

    assert len(toy.seen) == 4
    assert again.tobytes() == first.tobytes()
    assert first.dtype == np.float32 and first.shape == (5, toy.size)


def test_questions_passages_and_models_are_kept_apart(store: VectorStore) -> None:
    toy, other = ToyEmbedder(), ToyEmbedder(identity="other")

    for embedder in (toy, other):
        for kind in ("passage", "query"):
            CachedEmbedder(embedder, (store,)).embed(["old bridge"], kind=kind)

    assert len(toy.seen) == len(other.seen) == 2


def test_a_new_vector_equals_a_kept_one_to_the_last_bit(store: VectorStore) -> None:
    rng = np.random.default_rng(3)

    class Random:
        identity = "random"

        def embed(self, texts: Sequence[str], *, kind: Kind) -> NDArray[np.float32]:
            return rng.normal(size=(len(texts), 32)).astype(np.float32)

    made = CachedEmbedder(Random(), (store,)).embed(["a", "b"], kind="query")
    kept = CachedEmbedder(Random(), (store,)).embed(["a", "b"], kind="query")

    assert made.tobytes() == kept.tobytes()
    assert np.linalg.norm(made, axis=1) == pytest.approx(1, abs=1e-3)


def test_what_is_shipped_is_looked_up_first_and_never_written_to(store: VectorStore) -> None:
    toy = ToyEmbedder()
    pack = Pack({text_key("toy", "passage", "shipped"): np.eye(1, toy.size, dtype=np.float16)[0]})

    rows = CachedEmbedder(toy, (pack, store)).embed(["shipped", "new"], kind="passage")

    assert rows[0, 0] == 1
    assert toy.seen == [("passage", "new")]
    assert len(pack.vectors) == 1


def test_progress_counts_what_is_really_embedded(store: VectorStore) -> None:
    told: list[tuple[int, int]] = []
    cached = CachedEmbedder(ToyEmbedder(), (store,), lambda done, total: told.append((done, total)), batch=2)

    cached.embed(["a", "b", "c"], kind="passage")
    cached.embed(["a", "b", "c"], kind="passage")

    assert told == [(2, 3), (3, 3)]


def test_what_was_embedded_before_a_failure_is_kept(store: VectorStore) -> None:
    class Failing(ToyEmbedder):
        def embed(self, texts: Sequence[str], *, kind: Kind) -> NDArray[np.float32]:
            if "bad" in texts:
                raise BadReplyError("no")
            return super().embed(texts, kind=kind)

    toy = Failing()
    with pytest.raises(BadReplyError):
        CachedEmbedder(toy, (store,), batch=1).embed(["good", "bad"], kind="passage")
    CachedEmbedder(toy, (store,), batch=1).embed(["good"], kind="passage")

    assert toy.seen == [("passage", "good")]


def test_hostile_text_reaches_the_model_readable(store: VectorStore) -> None:
    toy = ToyEmbedder()

    rows = CachedEmbedder(toy, (store,)).embed(["a\0b", "\ud800x", "a b"], kind="passage")

    assert [text for _, text in toy.seen] == ["a b", "?x", "a b"]
    assert len(rows) == 3


@pytest.mark.parametrize("rows", [np.ones((1, 3)), np.ones(6), np.full((2, 3), np.nan), np.ones((2, 0))], ids=repr)
def test_an_embedder_that_gives_something_else_is_a_bad_reply(rows: NDArray[np.float32], store: VectorStore) -> None:
    class Odd:
        identity = "odd"

        def embed(self, texts: Sequence[str], *, kind: Kind) -> NDArray[np.float32]:
            return rows

    with pytest.raises(BadReplyError):
        CachedEmbedder(Odd(), (store,)).embed(["a", "b"], kind="query")


def test_nothing_to_embed_is_nothing(store: VectorStore) -> None:
    assert len(CachedEmbedder(ToyEmbedder(), (store,)).embed([], kind="query")) == 0


def test_a_file_that_is_no_database_costs_time_and_not_the_run(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "embeddings.sqlite"
    path.write_bytes(b"this is not a database, however long it may be" * 200)

    rows = CachedEmbedder(ToyEmbedder(), (SqliteStore(path),)).embed(["a b", "c d"], kind="passage")

    assert len(rows) == 2
    assert "cannot be read" in caplog.text and "cannot be kept" in caplog.text


def test_a_vector_of_another_length_in_the_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "embeddings.sqlite"
    cached = CachedEmbedder(ToyEmbedder(), (SqliteStore(path),))
    cached.embed(["a b", "c d"], kind="passage")
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("UPDATE vectors SET vector = ? WHERE id = 1", (bytes(6),))

    with pytest.raises(BadReplyError, match="vectors of 3 and of 24 numbers"):
        cached.embed(["a b", "c d"], kind="passage")


FILL = """
import pathlib, sys, time
sys.path.insert(0, sys.argv[3])
from saferag.embedders import CachedEmbedder
from saferag.embedders.store import SqliteStore
from toy_embedder import ToyEmbedder

path, first = pathlib.Path(sys.argv[1]), int(sys.argv[2])
while not (path.parent / "go").exists():
    time.sleep(0.001)
cached = CachedEmbedder(ToyEmbedder(), (SqliteStore(path),), batch=5)
cached.embed([f"text number {i}" for i in range(first, first + 60)], kind="passage")
"""


def test_several_processes_may_share_one_file(tmp_path: Path) -> None:
    path, tests = tmp_path / "embeddings.sqlite", str(Path(__file__).parents[1])
    command = [sys.executable, "-W", "error", "-c", FILL, str(path)]
    processes = [
        subprocess.Popen([*command, str(first), tests], stderr=subprocess.PIPE, text=True) for first in (0, 30, 60)
    ]
    (tmp_path / "go").touch()

    assert [process.communicate(timeout=60)[1] for process in processes] == ["", "", ""]
    toy = ToyEmbedder()
    CachedEmbedder(toy, (SqliteStore(path),)).embed([f"text number {i}" for i in range(120)], kind="passage")
    assert toy.seen == []
