"""One registry for each kind of component, filled by the files in that kind's folder and by entry points.

A component is a factory with keyword parameters:

    @retrievers.register("bm25", summary="exact BM25")
    def bm25(resources: Resources, *, k1: float = 1.2, b: float = 0.75) -> Retriever: ...

A user names it by a spec, ``name[:variant][(key=value, …)]``, such as ``bm25``, ``bm25(k1=0.9)``,
``dense:bge-base-zh-v1.5`` or ``openai:gpt-4o(temperature=0)``. The variant reaches a factory that has a
parameter ``variant``; every other parameter is converted by its annotation.
"""

from __future__ import annotations

import hashlib
import importlib
import inspect
import logging
import pkgutil
import re
import sys
import threading
import types
import typing
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, Generic, TypeVar

from saferag.errors import OptionError, UnknownComponentError, did_you_mean

T = TypeVar("T")

_log = logging.getLogger(__name__)

_SPEC = re.compile(r"(?P<name>[A-Za-z0-9_][A-Za-z0-9_-]*)(?::(?P<variant>[^()]*))?(?:\((?P<params>.*)\))?", re.DOTALL)


@dataclass(frozen=True, slots=True)
class ComponentSpec:
    """A component as a user names it. ``ComponentSpec.parse(str(spec)) == spec``."""

    name: str
    variant: str | None = None
    params: tuple[tuple[str, str], ...] = ()

    @classmethod
    def parse(cls, text: str) -> ComponentSpec:
        """Read ``name[:variant][(key=value, …)]``.

        Raises:
            OptionError: The text has another form.
        """
        match = _SPEC.fullmatch(text.strip())
        if match is None:
            raise OptionError(f"cannot read '{text}': write name, name:variant or name(key=value,…)")
        params = []
        for part in split_top_level(match["params"] or ""):
            key, equals, value = part.partition("=")
            if not equals or not key.strip():
                raise OptionError(f"cannot read '{part}' in '{text}': write key=value")
            params.append((key.strip(), value.strip()))
        return cls(match["name"], match["variant"] or None, tuple(sorted(params)))

    def __str__(self) -> str:
        variant = f":{self.variant}" if self.variant else ""
        params = f"({','.join(f'{k}={v}' for k, v in self.params)})" if self.params else ""
        return f"{self.name}{variant}{params}"


def split_top_level(text: str, separator: str = ",") -> list[str]:
    """Split at separators that stand outside of parentheses; empty parts are dropped."""
    parts, depth, start = [], 0, 0
    for i, char in enumerate(text):
        depth += (char == "(") - (char == ")")
        if char == separator and depth == 0:
            parts.append(text[start:i])
            start = i + 1
    parts.append(text[start:])
    return [p.strip() for p in parts if p.strip()]


@dataclass(frozen=True, slots=True)
class Entry(Generic[T]):
    """A registered component.

    Attributes:
        name: Its name.
        summary: One line about it.
        factory: Makes it.
        requires: The extras that it needs.
        serves: Who may use it, such as ``filter 'nli'``; empty: whoever wants to.
    """

    name: str
    summary: str
    factory: Callable[..., T]
    requires: tuple[str, ...] = ()
    serves: tuple[str, ...] = ()

    @property
    def parameters(self) -> Mapping[str, inspect.Parameter]:
        """The parameters that a user can set, by name."""
        found = dict(inspect.signature(self.factory).parameters)
        return {k: p for k, p in found.items() if p.kind is p.KEYWORD_ONLY}

    @property
    def foreign_hash(self) -> str | None:
        """The SHA-256 of the file that the factory is defined in; None for our own, and where there is no file."""
        factory = getattr(self.factory, "func", self.factory)  # of a functools.partial
        module = str(getattr(factory, "__module__", None))
        file = getattr(sys.modules.get(module), "__file__", None)
        if module.partition(".")[0] == "saferag" or file is None:
            return None
        try:
            return hashlib.sha256(Path(file).read_bytes()).hexdigest()
        except OSError:
            return None


class Registry(Generic[T]):
    """Components of one kind by name.

    Args:
        kind: Singular, such as ``retriever``; error messages and the entry point group use it.
        package: The folder whose modules hold the built-in components, such as ``saferag.retrievers``.
    """

    def __init__(self, kind: str, package: str) -> None:
        self.kind = kind
        self._package = package
        self._entries: dict[str, Entry[T]] = {}
        self._broken: dict[str, str] = {}
        self._loaded = self._loading = False
        self._lock = threading.RLock()

    def register(
        self, name: str, *, summary: str, requires: tuple[str, ...] = (), serves: tuple[str, ...] = ()
    ) -> Callable[[Callable[..., T]], Callable[..., T]]:
        """Register the decorated factory under a name; a name that is taken raises ValueError."""

        def decorate(factory: Callable[..., T]) -> Callable[..., T]:
            if name in self._entries:
                raise ValueError(f"{self.kind} '{name}' is registered twice")
            self._entries[name] = Entry(name, summary, factory, requires, serves)
            return factory

        return decorate

    def names(self) -> list[str]:
        """All names, sorted."""
        self._load()
        return sorted(self._entries)

    def __iter__(self) -> Iterator[Entry[T]]:
        return iter([self._entries[name] for name in self.names()])

    def get(self, name: str) -> Entry[T]:
        """The entry of a name.

        Raises:
            UnknownComponentError: There is none; the message names the nearest one.
            OptionError: It comes with another package, and that cannot be loaded.
        """
        self._load()
        if name in self._broken:
            raise OptionError(self._broken[name])
        if name not in self._entries:
            raise UnknownComponentError(self.kind, name, self._entries)
        return self._entries[name]

    def build(self, spec: ComponentSpec | str, *args: object) -> T:
        """Call the factory of a spec with ``args`` and the spec's converted parameters.

        Raises:
            UnknownComponentError: There is no such component.
            OptionError: A parameter is unknown or cannot be converted, or the factory cannot be called so.
        """
        spec = ComponentSpec.parse(spec) if isinstance(spec, str) else spec
        entry = self.get(spec.name)
        given = self._arguments(entry, spec)
        try:
            inspect.signature(entry.factory).bind(*args, **given)
        except TypeError as error:
            raise OptionError(f"{self.kind} '{entry.name}': its factory cannot be called: {error}") from None
        return entry.factory(*args, **given)

    def _arguments(self, entry: Entry[T], spec: ComponentSpec) -> dict[str, object]:
        known = entry.parameters
        given = dict(spec.params) | ({"variant": spec.variant} if spec.variant else {})
        # A model's factory knows `Resources` to type checkers only, because `Resources` knows the models.
        hints = typing.get_type_hints(entry.factory, localns={"Resources": object})
        arguments: dict[str, object] = {}
        for key, value in given.items():
            if key not in known:
                names = [k for k in known if k != "variant"]
                hint = did_you_mean(key, names) or f" (it has: {', '.join(names) or 'none'})"
                raise OptionError(f"{self.kind} '{entry.name}' has no parameter '{key}'{hint}")
            arguments[key] = convert(value, hints.get(key, str), f"{self.kind} '{entry.name}': {key}")
        return arguments

    def _load(self) -> None:
        if self._loaded:
            return
        # Another thread waits until everything is there; this one comes back here while a component is being imported.
        with self._lock:
            if self._loaded or self._loading:
                return
            self._loading = True
            try:
                self._import_all()
                self._loaded = True
            finally:
                self._loading = False

    def _import_all(self) -> None:
        package = importlib.import_module(self._package)
        for module in pkgutil.iter_modules(package.__path__):
            importlib.import_module(f"{self._package}.{module.name}")
        for point in entry_points(group=f"saferag.{self.kind}s"):
            try:
                point.load()
            except Exception as error:  # a stranger's package must not end a run that does not name it
                self._broken[point.name] = f"{self.kind} '{point.name}' ({point.value}) cannot be loaded: {error}"
                _log.warning("%s", self._broken[point.name])


def convert(value: str, annotation: Any, what: str) -> object:  # noqa: ANN401 - any annotation is allowed
    """Turn a string into the annotated type (str, int, float, bool, or a union with None of them).

    Raises:
        OptionError: It cannot be converted; the message begins with ``what``.
    """
    options = typing.get_args(annotation) if _is_union(annotation) else (annotation,)
    if type(None) in options and value.casefold() in {"none", ""}:
        return None
    for kind in options:
        if kind is bool and value.casefold() in {"true", "yes", "1", "false", "no", "0"}:
            return value.casefold() in {"true", "yes", "1"}
        if kind in (int, float):
            try:
                return kind(value)
            except ValueError:
                continue
        if kind is str:
            return value
    names = ", ".join(getattr(k, "__name__", str(k)) for k in options)
    raise OptionError(f"{what}: '{value}' is not of type {names}")


def _is_union(annotation: object) -> bool:
    return typing.get_origin(annotation) in (typing.Union, types.UnionType)
