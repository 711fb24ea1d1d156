"""How values on the command line become settings."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import StrEnum
from fractions import Fraction
from typing import TypeVar

from saferag.errors import OptionError, UnknownComponentError, did_you_mean
from saferag.registry import ComponentSpec, Registry, split_top_level

T = TypeVar("T")
E = TypeVar("E", bound=StrEnum)


def split(values: Iterable[str]) -> list[str]:
    """Values that were repeated or separated by commas; commas within parentheses do not separate."""
    return [part for value in values for part in split_top_level(value)]


def enums(kind: type[E], values: Sequence[str], option: str) -> tuple[E, ...]:
    """Members of an enumeration by value, by a beginning of it, by its initials (``kb``), or all of them for ``all``.

    Raises:
        OptionError: A value is none of them.
    """
    found: list[E] = []
    for value in split(values):
        if value == "all":
            found.extend(kind)
            continue
        meant = [member for member in kind if _means(value.casefold(), str(member))]
        if len(meant) != 1:
            names = [str(k) for k in kind]
            hint = did_you_mean(value, names)
            raise OptionError(f"{option} has no '{value}'{hint}; it takes: {', '.join(names)}, all")
        found.extend(meant)
    return tuple(dict.fromkeys(found))


def _means(value: str, name: str) -> bool:
    return bool(value) and (name.startswith(value) or value == "".join(part[0] for part in name.split("_")))


def components(registry: Registry[T], values: Sequence[str]) -> tuple[str, ...]:
    """Canonical component specs, read from specs or ``FILE.py:NAME``; their names are checked at once.

    Raises:
        OptionError: A spec cannot be read, or has an unknown parameter.
        UnknownComponentError: There is no such component.
        DataError: A file cannot be loaded, or holds no such component.
    """
    specs = [component(registry, value) for value in split(values)]
    for spec in specs:
        try:
            registry.get(spec.name)
        except UnknownComponentError as error:
            if registry.kind == "generator" and not did_you_mean(spec.name, registry.names()):
                raise OptionError(f"{error}; a model behind a server is written openai:{spec.name}") from None
            raise
    return tuple(dict.fromkeys(map(str, specs)))


def component(registry: Registry[T], value: str) -> ComponentSpec:
    """A spec, or what it is once the file has been run that ``FILE.py:NAME`` names.

    Raises:
        OptionError: It cannot be read.
        DataError: The file cannot be loaded, or holds no such component.
    """
    from saferag.own_file import load

    return load(registry, value) or ComponentSpec.parse(value)


def tasks(values: Sequence[str]) -> tuple[str, ...]:
    """Attack specs by name, by label (SN, ICC, SA, WDoS …), by group (``paper``, ``all`` …), or ``FILE.py:NAME``.

    Raises:
        OptionError: A spec cannot be read, or has an unknown parameter.
        UnknownComponentError: There is no such attack.
        DataError: A file cannot be loaded, or holds no such attack.
    """
    from saferag.attacks import attacks
    from saferag.attacks.groups import groups

    known = groups()
    labels = {entry.factory().info.label.casefold(): entry.name for entry in attacks}
    named: list[str] = []
    for value in split(values):
        if value in known:
            named.extend(known[value])
            continue
        spec = component(attacks, value)
        name = labels.get(
            spec.name.casefold(), spec.name.replace("-", "_") if spec.name not in attacks.names() else spec.name
        )
        named.append(str(ComponentSpec(name, spec.variant, spec.params)))
    found = components(attacks, named)
    for spec_text in found:
        attacks.build(spec_text)
    return found


def from_groups(values: Sequence[str]) -> frozenset[str]:
    """The attacks that are there because of a group and not by name."""
    from saferag.attacks.groups import groups

    known = groups()
    named = tasks([value for value in split(values) if value not in known])
    return frozenset(name for value in split(values) for name in known.get(value, ())) - {*named}


def ratios(values: Sequence[str]) -> tuple[Fraction | None, ...]:
    """Injection ratios; none given means each attack's own default."""
    from saferag.injection import parse_ratio

    return tuple(dict.fromkeys(map(parse_ratio, split(values)))) or (None,)


def integers(values: Sequence[str], option: str, minimum: int) -> tuple[int, ...]:
    """Whole numbers of at least a minimum.

    Raises:
        OptionError: A value is none.
    """
    return tuple(dict.fromkeys(_integer(value, option, minimum) for value in split(values)))


def _integer(value: str, option: str, minimum: int) -> int:
    try:
        number = int(value)
    except ValueError:
        number = minimum - 1
    if number < minimum:
        raise OptionError(f"{option} '{value}' is not a whole number of at least {minimum}")
    return number
