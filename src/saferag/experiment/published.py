"""The numbers that the paper published, from the file beside this one."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any


@dataclass(frozen=True, slots=True)
class PublishedPart:
    """One figure or table.

    Attributes:
        read_off: Whether its numbers were read off a figure, and are good to the tolerance only.
        columns: What its columns are.
        series: By name a value for each column; a value may be a pair (before, after).
    """

    read_off: bool
    columns: tuple[str, ...]
    series: Mapping[str, tuple[Any, ...]]

    def get(self, series: str | None, column: int, place: int | None = None) -> float | None:
        """A number, or None where none was published."""
        if series is None or series not in self.series:
            return None
        value = self.series[series][column]
        value = value if place is None else value[place]
        return None if math.isnan(value) else float(value)


@cache
def load_published() -> tuple[str, float, Mapping[str, PublishedPart]]:
    """The citation, the tolerance of what was read off figures, and the parts by name."""
    table = tomllib.loads((resources.files(__package__) / "published.toml").read_text("utf-8"))
    parts = {
        name: PublishedPart(
            part["read_off"], tuple(part.get("columns", ())), {k: tuple(v) for k, v in part["series"].items()}
        )
        for name, part in table.items()
        if isinstance(part, dict)
    }
    return table["source"], table["tolerance"], parts
