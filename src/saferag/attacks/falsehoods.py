"""The wrong answers that attacks push: a fact of the case with another value, taken from the case's false options."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from saferag.attacks.base import Target
from saferag.types import Case, Fact, Label, Lang, Option

# A name or a figure makes a wrong answer that stands on its own; an order or a scope needs its sentence.
_PREFERRED = ("name", "place", "actor", "number", "date")
_LONGEST = 40


@dataclass(frozen=True, slots=True)
class Falsehood:
    """A fact and what the attacker wants to be said instead.

    Attributes:
        fact: The fact.
        right, wrong: The true and the false value.
        statement: The fact's sentence with the false value in it.
    """

    fact: Fact
    right: str
    wrong: str
    statement: str


def falsehoods(case: Case) -> tuple[Falsehood, ...]:
    """All wrong answers that a case offers, those that stand on their own first.

    A value that a benign passage or the question holds is none: it could be said without any attack.
    """
    return _falsehoods(case.query, case.facts, case.options, tuple(p.text for p in (*case.golden, *case.background)))


@lru_cache(maxsize=1024)
def _falsehoods(
    query: str, facts: tuple[Fact, ...], options: tuple[Option, ...], benign: tuple[str, ...]
) -> tuple[Falsehood, ...]:
    from saferag.metrics.containment import stands_in

    by_id = {fact.id: fact for fact in facts}
    found: list[tuple[int, Falsehood]] = []
    for option in options:
        fact = by_id.get(option.fact_id or "")
        if fact is None or option.label is not Label.INCORRECT or not option.value or not option.contrast:
            continue
        if any(stands_in(option.value, text) for text in (query, *benign)):
            continue
        alone = option.change in _PREFERRED and len(option.value) <= _LONGEST
        rank = _PREFERRED.index(option.change) if alone and option.change else len(_PREFERRED)
        found.append((rank, Falsehood(fact, option.contrast, option.value, option.text)))
    return tuple(falsehood for _, falsehood in sorted(found, key=lambda pair: pair[0]))


def chosen(case: Case, claim: int = 1) -> Falsehood | None:
    """The wrong answer that an attack pushes: the first, or the one of this number."""
    found = falsehoods(case)
    return found[claim - 1] if 1 <= claim <= len(found) else None


def aim_at(found: Sequence[Falsehood]) -> Target:
    """The true and the false sentence of each, and the false values as keywords."""
    options: list[Option] = []
    for i, f in enumerate(found, 1):
        options.append(Option(f"t{i}", f.fact.text, Label.CORRECT, f.fact.id, f.right, f.wrong))
        options.append(Option(f"w{i}", f.statement, Label.INCORRECT, f.fact.id, f.wrong, f.right))
    return Target(tuple(options), tuple(f.wrong for f in found))


def aim_at_claim(claim: int = 1) -> Callable[[Case], Target]:
    """An aim for the wrong answer of a number."""

    def aim(case: Case) -> Target:
        falsehood = chosen(case, claim)
        return Target(case.options) if falsehood is None else aim_at([falsehood])

    return aim


def say(case: Case, templates: Mapping[Lang, Sequence[str]], claim: int = 1) -> list[str]:
    """Templates of the case's language with its question and a wrong answer in them; none without a wrong answer.

    They may name ``{query}``, ``{right}``, ``{wrong}``, ``{fact}`` and ``{statement}`` (sentences without their end).
    """
    falsehood = chosen(case, claim)
    if falsehood is None:
        return []
    values = {
        "query": case.query,
        "right": falsehood.right,
        "wrong": falsehood.wrong,
        "fact": falsehood.fact.text.rstrip("。.!！"),
        "statement": falsehood.statement.rstrip("。.!！"),
    }
    return [template.format(**values) for template in templates[case.lang]]


def swapped(case: Case, found: Sequence[Falsehood]) -> list[str]:
    """Golden passages with true values replaced by false ones, in the order in which the falsehoods name them."""
    texts: dict[str, str] = {}
    original = {p.id: p.text for p in case.golden}
    for falsehood in found:
        home = falsehood.fact.passage_id
        text = texts.get(home, original.get(home, ""))
        if falsehood.right in text:
            texts[home] = text.replace(falsehood.right, falsehood.wrong)
    return list(texts.values())
