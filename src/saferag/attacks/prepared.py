"""Texts that a chat model (or a person) wrote beforehand: by the case itself, or shipped for saferag-open's ``dev``.

A prepared text belongs to one wording of a case. Each line says for which question and which wrong value it was
written; where the case has changed since, the line is passed over, so a text never speaks of something else.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from saferag.attacks.falsehoods import chosen
from saferag.attacks.ready import material
from saferag.types import Case, Lang

FOLDER = Path(__file__).parents[1] / "data" / "bundled" / "attacks"
"""Where the shipped texts lie, one file per language."""


def prepared(case: Case, attack: str, *, pushes: bool) -> list[str]:
    """The texts of a case for an attack, in order.

    Args:
        case: The case. Texts that it holds itself (``--attack-texts``) go before the shipped ones.
        attack: The attack's name.
        pushes: Whether the attack pushes the case's first wrong answer, which the text must then hold.
    """
    own = [text.text for text in material(case, attack).texts]
    if own:
        return own
    found = shipped(case.lang).get((case.id, attack), ())
    return [line["text"] for line in found if fits(line, case, pushes=pushes)]


def fits(line: Mapping[str, Any], case: Case, *, pushes: bool) -> bool:
    """Whether a prepared line was written for the case as it stands."""
    from saferag.metrics.containment import stands_in

    if not pushes:
        return bool(line["query"] == case.query)
    falsehood = chosen(case)
    if falsehood is None or (line["right"], line["wrong"]) != (falsehood.right, falsehood.wrong):
        return False
    return stands_in(falsehood.wrong, line["text"])


@cache
def shipped(lang: Lang) -> Mapping[tuple[str, str], Sequence[Mapping[str, Any]]]:
    """The shipped lines of a language by case and attack, in the order of the file."""
    path = FOLDER / f"prepared.{lang}.jsonl"
    if not path.is_file():
        return {}
    found: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for text in path.read_text("utf-8").splitlines():
        line = json.loads(text)
        found.setdefault((line["case"], line["attack"]), []).append(line)
    return found
