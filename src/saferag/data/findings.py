"""A finding of the checker."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that is wrong with a dataset.

    Attributes:
        rule: Name of the rule, such as ``fact_values``.
        case_id: The case, or an empty string for the dataset as a whole.
        where: The field within the case, such as ``facts.f3``; may be empty.
        message: What is wrong.
    """

    rule: str
    case_id: str
    where: str
    message: str

    def __str__(self) -> str:
        place = " ".join(filter(None, (self.case_id, self.where)))
        return f"[{self.rule}] {place}: {self.message}" if place else f"[{self.rule}] {self.message}"
