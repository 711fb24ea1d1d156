"""Attacks from a Python file of the user's: ``path/to/file.py:name``."""

from __future__ import annotations

import hashlib
import importlib.util
import re
import sys
from pathlib import Path

from saferag.attacks import attacks
from saferag.errors import DataError, did_you_mean
from saferag.registry import ComponentSpec

_FILE = re.compile(r"(?P<path>.+?\.py):(?P<spec>[^/\\]+(?:\(.*\))?)", re.DOTALL)
_loaded: dict[Path, tuple[str, ...]] = {}


def load(value: str) -> ComponentSpec | None:
    """Run a file, which registers its attacks, and read the spec of the one that is named.

    The file is run with the rights of whoever calls saferag: name only files that you trust. It is run once.

    Args:
        value: Such as ``my_attacks.py:parrot(times=3)``.

    Returns:
        None if the value does not name a file.

    Raises:
        DataError: The file cannot be run, or registers no such attack.
    """
    match = _FILE.fullmatch(value.strip())
    if match is None:
        return None
    path, spec = Path(match["path"]), ComponentSpec.parse(match["spec"])
    registered = _run(path)
    if spec.name not in registered:
        known = ", ".join(registered) or "none"
        raise DataError(f"registers no attack '{spec.name}'{did_you_mean(spec.name, registered)}: {known}", path=path)
    return spec


def _run(path: Path) -> tuple[str, ...]:
    """Run a file once, and name the attacks that it registers."""
    key = path.resolve()
    if key in _loaded:
        return _loaded[key]
    if not path.is_file():
        raise DataError("there is no such file", path=path)
    before = set(attacks.names())
    name = f"saferag_user_{hashlib.sha256(str(key).encode()).hexdigest()[:12]}"
    spec = importlib.util.spec_from_file_location(name, key)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look their module up
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        del sys.modules[name]
        raise DataError(f"cannot be run: {type(error).__name__}: {error}", path=path) from error
    _loaded[key] = tuple(sorted(set(attacks.names()) - before))
    return _loaded[key]
