"""Components from a Python file of the user's: ``path/to/file.py:name``."""

from __future__ import annotations

import hashlib
import importlib.util
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from saferag.attacks import attacks
from saferag.errors import DataError, did_you_mean
from saferag.filters import filters
from saferag.generators import generators
from saferag.judges import judges
from saferag.metrics import metrics
from saferag.models import models
from saferag.registry import ComponentSpec, Registry
from saferag.retrievers import retrievers

_FILE = re.compile(r"(?P<path>.+?\.py):(?P<spec>[^/\\]+(?:\(.*\))?)", re.DOTALL)
KINDS: tuple[Registry[Any], ...] = (attacks, filters, generators, judges, metrics, models, retrievers)
_loaded: dict[Path, Mapping[str, tuple[str, ...]]] = {}
_given: dict[str, str] = {}


def load(registry: Registry[Any], value: str) -> ComponentSpec | None:
    """Run a file, which registers its components, and read the spec of the one that is named.

    The file is run with the rights of whoever calls saferag: name only files that you trust. It is run once.

    Args:
        registry: Of which kind the component is.
        value: Such as ``my_attacks.py:parrot(times=3)``.

    Returns:
        None if the value does not name a file.

    Raises:
        DataError: The file cannot be run, or registers no such component.
    """
    match = _FILE.fullmatch(value.strip())
    if match is None:
        return None
    path = Path(match["path"])
    if "(" in match["path"] and not path.is_file():  # an address within a spec's parameters is no file
        return None
    spec = ComponentSpec.parse(match["spec"])
    registered = _run(path)[registry.kind]
    if spec.name not in registered:
        known = ", ".join(registered) or "none"
        hint = did_you_mean(spec.name, registered)
        raise DataError(f"registers no {registry.kind} '{spec.name}'{hint}: {known}", path=path)
    _given[f"{registry.kind} {spec.name}"] = match["path"]
    return spec


def given() -> dict[str, str]:
    """The files that were named so far, as the user wrote them, by ``kind name`` of the component."""
    return dict(_given)


def _run(path: Path) -> Mapping[str, tuple[str, ...]]:
    """Run a file once, and name by kind what it registers."""
    key = path.resolve()
    if key in _loaded:
        return _loaded[key]
    if not path.is_file():
        raise DataError("there is no such file", path=path)
    before = _names()
    name = f"saferag_user_{hashlib.sha256(str(key).encode()).hexdigest()[:12]}"
    spec = importlib.util.spec_from_file_location(name, key)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look their module up
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        del sys.modules[name]
        raise DataError(f"cannot be run: {type(error).__name__}: {error}", path=path) from error
    _loaded[key] = {kind: tuple(sorted(names - before[kind])) for kind, names in _names().items()}
    return _loaded[key]


def _names() -> dict[str, frozenset[str]]:
    return {registry.kind: frozenset(registry.names()) for registry in KINDS}
