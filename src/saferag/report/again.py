"""The command that runs a stored run again."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import prod
from typing import Any

from saferag.report.declared import default_dose
from saferag.report.summary import settings_of
from saferag.report.values import Values

_OPTIONS = {
    "task": "--task", "stage": "--stage", "ratio": "--ratio", "position": "--position", "top_k": "--top-k",
    "retriever": "--retriever", "filter": "--filter", "generator": "--generator", "judge": "--judge",
    "lang": "--lang", "seed": "--seed",
}  # fmt: skip
_KINDS = {"task": "attack"} | {kind: kind for kind in ("retriever", "filter", "generator", "judge", "model")}


@dataclass(frozen=True, slots=True)
class Again:
    """How to run it again.

    Attributes:
        command: For a shell.
        exact: Whether it runs just these cells.
        limited: Whether only some of the data's cases were run.
    """

    command: str
    exact: bool
    limited: bool


def again(values: Values) -> Again:
    """The command, from what the run's folder says about it."""
    settings = values.store.settings
    cells = values.cells
    parts = ["saferag", "run"]
    varying: list[tuple[object, ...]] = []
    dose = {(c.cell["task"], c.cell["ratio"], c.cell["top_k"]) for c in cells}
    usual = dose == {(task, *(default_dose(task) or ())) for task in settings_of(cells, "task")}
    for key, option in _OPTIONS.items():
        found = settings_of(cells, key)
        if key in ("ratio", "top_k") and usual:
            continue
        varying.append(found)
        if (key == "position" and found == ("front",)) or (key == "seed" and found == (0,)):
            continue
        parts += [option, *(shlex.quote(_written(settings, key, value)) for value in found)]
    counts = {len(ids) for ids in settings["case_ids"].values()}
    used = {case for ids in settings["case_ids"].values() for case in ids}
    limited = len(used) < settings["data"]["cases"]
    if limited and len(counts) == 1:
        parts += ["--limit", str(counts.pop())]
    if settings.get("epochs", 1) > 1:
        parts += ["--epochs", str(settings["epochs"])]
    if settings.get("model"):
        parts += ["--model", shlex.quote(_written(settings, "model", settings["model"]))]
    if settings["data"]["name"] != "saferag-open":
        parts += ["--data", shlex.quote(str(settings["data"]["name"]))]
    return Again(" ".join(parts), prod(map(len, varying)) == len(cells), limited)


def _written(settings: Mapping[str, Any], key: str, value: object) -> str:
    """A value as a user writes it: a ratio as a fraction, a component from a file of his with that file."""
    if key == "ratio":
        return str(Fraction(float(str(value))).limit_denominator(1000))
    files = settings.get("files")
    if key not in _KINDS or not isinstance(files, Mapping):  # anybody may have written what is stored
        return str(value)
    name = str(value).partition("(")[0].partition(":")[0]
    file = files.get(f"{_KINDS[key]} {name}")
    return f"{file}:{value}" if file else str(value)
