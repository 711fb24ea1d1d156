"""The files that saferag ships, pinned by hash: a changed or half-written file is an error, never a quiet result."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from saferag.data.jsonl import parse_cases, read_bytes
from saferag.errors import DataError

FOLDER = Path(__file__).parent / "bundled"
"""Where the shipped cases lie."""

VERSION = "1.0"
"""Version of the shipped cases."""


def bundled_files(folder: Path = FOLDER) -> dict[Path, bytes]:
    """The shipped data files with their bytes, verified against ``manifest.json``.

    Raises:
        DataError: A file is missing or has another hash than the manifest says.
    """
    manifest = read_bytes(folder / "manifest.json")
    try:
        pinned = {name: str(entry["sha256"]) for name, entry in json.loads(manifest)["files"].items()}
    except (ValueError, LookupError, AttributeError, TypeError):
        raise DataError("is damaged: install saferag anew", path=folder / "manifest.json") from None
    found: dict[Path, bytes] = {}
    for name, sha256 in pinned.items():
        path = folder / name
        data = read_bytes(path)
        if hashlib.sha256(data).hexdigest() != sha256:
            raise DataError("differs from what was shipped: install saferag anew", path=path)
        found[path] = data
    return found


def write_manifest(folder: Path) -> None:
    """Pin all data files of a folder in its ``manifest.json``."""
    files = {}
    for path in sorted(folder.glob("*.jsonl"), reverse=True):  # Chinese first, as everywhere
        data = path.read_bytes()
        cases = len(parse_cases(data, path))
        files[path.name] = {"cases": cases, "bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
    manifest = {"name": "saferag-open", "version": VERSION, "license": "CC-BY-4.0", "files": files}
    (folder / "manifest.json").write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")
