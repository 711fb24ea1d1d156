"""Grids in a file: TOML or YAML with the names of the command line's options, and blocks for what is not a product.

    model = "openai:deepseek"
    task = ["SN", "ICC"]

    [[block]]
    stage = "all"

    [[block]]
    retriever = ["bm25", "hybrid"]

Every block is a grid of its own, with the settings above the blocks wherever it says nothing itself.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from saferag.errors import DataError, did_you_mean

LISTS = (
    "task", "stage", "ratio", "position", "top_k", "retriever", "filter", "generator", "judge", "lang", "seed",
)  # fmt: skip
WHOLE = {
    "data": str, "kb": str, "attack_texts": str, "split": str, "model": str, "limit": int, "epochs": int,
    "controls": bool,
}  # fmt: skip
ALIASES = {"attack": "task"}

Settings = dict[str, Any]


def read_grid(path: Path) -> tuple[Settings, list[Settings]]:
    """Read a grid file.

    Returns:
        What holds for the whole run (such as ``model`` and ``limit``), and the lists of each block as strings.

    Raises:
        DataError: The file cannot be read, or holds something else.
    """
    table = _load(path)
    blocks = table.pop("block", [{}])
    if not isinstance(blocks, list) or not blocks or not all(isinstance(b, dict) for b in blocks):
        raise DataError("must be a list of blocks", path=path, field="block")
    whole = {key: _whole(path, key, table.pop(key)) for key in list(table) if key in WHOLE}
    above = _lists(path, table, "")
    return whole, [above | _lists(path, block, f"block[{i}].") for i, block in enumerate(blocks)]


def _load(path: Path) -> Settings:
    try:
        text = path.read_text("utf-8")
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror}", path=path) from None
    except UnicodeDecodeError as error:
        raise DataError(f"is not UTF-8 at byte {error.start + 1}", path=path) from None
    try:
        table = _yaml(text) if path.suffix in {".yaml", ".yml"} else tomllib.loads(text)
    except ValueError as error:
        raise DataError(f"cannot be understood: {' '.join(str(error).split())}", path=path) from None
    if not isinstance(table, dict) or not all(isinstance(key, str) for key in table):
        raise DataError('must hold settings by name, such as task = ["SN"]', path=path)
    return {key.replace("-", "_"): value for key, value in table.items()}


def _named(key: str) -> str:
    key = key.replace("-", "_")
    return ALIASES.get(key, key)


def _yaml(text: str) -> object:
    import yaml

    try:
        return yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise ValueError(str(error)) from None


def _lists(path: Path, table: Mapping[str, Any], where: str) -> Settings:
    return {_named(key): _list(path, _named(key), value, where) for key, value in table.items()}


def _list(path: Path, key: str, value: object, where: str) -> list[str]:
    if key not in LISTS:
        known = LISTS if where else (*LISTS, *WHOLE, "block")
        raise DataError(f"is not a setting of a grid{did_you_mean(key, known)}", path=path, field=where + key)
    values: Iterable[object] = value if isinstance(value, list) else [value]
    if (not value and value != 0) or not all(_is_plain(v) for v in values):
        raise DataError("must be a text, a number or a list of them", path=path, field=where + key)
    return [str(v) for v in values]


def _whole(path: Path, key: str, value: object) -> object:
    kind = WHOLE[key]
    wrong = not isinstance(value, kind) or (kind is not bool and isinstance(value, bool))
    if wrong or (kind is int and isinstance(value, int) and value < 1):
        what = {str: "a text", bool: "true or false", int: "a whole number of at least 1"}[kind]
        raise DataError(f"must be {what}", path=path, field=key)
    return value


def _is_plain(value: object) -> bool:
    return isinstance(value, str | int | float) and not isinstance(value, bool)
