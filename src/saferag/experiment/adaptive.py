"""An attacker who tries out: a budget of queries, spent on other cases than those that are reported.

Candidates are the wordings that an attack offers (`AttackInfo.choices`) and the places of its texts. They are compared
by successive halving (Karnin, Koren & Somekh 2013): every round asks as many questions, of half as many candidates.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from saferag.attacks import attacks
from saferag.errors import OptionError
from saferag.injection import Position
from saferag.registry import ComponentSpec


@dataclass(frozen=True, slots=True)
class Candidate:
    """A wording of an attack, and where its texts go."""

    task: str
    position: Position


@dataclass(frozen=True, slots=True)
class Round:
    """One round of the search.

    Attributes:
        cases: Questions asked of each candidate so far.
        found: Mean harm (0 to 1, more is worse) of every candidate that was still there, the best first.
    """

    cases: int
    found: tuple[tuple[Candidate, float], ...]


@dataclass(frozen=True, slots=True)
class Search:
    """What a search came to.

    Attributes:
        rounds: In order.
        queries: Questions that were asked in all; never more than the budget.
    """

    rounds: tuple[Round, ...]
    queries: int

    @property
    def best(self) -> Candidate:
        """The chosen one."""
        return self.rounds[-1].found[0][0]


Evaluate = Callable[[Sequence[Candidate], int], Mapping[Candidate, float]]
"""Mean harm of each candidate over the first so many cases."""


def candidates(task: str, positions: Sequence[Position]) -> tuple[Candidate, ...]:
    """Every combination of what the attack offers, at every position; the spec's own parameters stay.

    Raises:
        OptionError: There is nothing to choose.
    """
    spec = ComponentSpec.parse(task)
    given = {name for name, _ in spec.params} | ({"variant"} if spec.variant else set())
    choices = {k: v for k, v in attacks.build(task).info.choices.items() if k not in given}
    params = [
        tuple(sorted((*spec.params, *zip(choices, values, strict=True)))) for values in product(*choices.values())
    ]
    found = tuple(
        Candidate(str(ComponentSpec(spec.name, spec.variant, chosen)), at) for chosen in params for at in positions
    )
    if len(found) < 2:
        raise OptionError(f"{task} has one wording and one position: there is nothing to choose")
    return found


def search(found: Sequence[Candidate], budget: int, cases: int, evaluate: Evaluate) -> Search:
    """Successive halving.

    Args:
        found: The candidates; of equal ones the earlier is kept.
        budget: Most questions that may be asked.
        cases: How many there are.
        evaluate: Asks them. What a candidate was asked in an earlier round is not asked, or counted, anew.

    Raises:
        OptionError: The budget does not reach for one question to every candidate.
    """
    if budget < len(found):
        raise OptionError(f"--budget {budget} does not reach for one question to each of {len(found)} candidates")
    left, asked, queries = list(found), 0, 0
    total = max(1, math.ceil(math.log2(len(found))))
    rounds: list[Round] = []
    for number in range(total):
        share = (budget - queries) // (total - number)
        more = min(cases - asked, max(1 if number == 0 else 0, share // len(left)))
        asked += more
        queries += more * len(left)
        harms = evaluate(left, asked)
        ranked = sorted(left, key=lambda c: -harms[c])
        rounds.append(Round(asked, tuple((c, harms[c]) for c in ranked)))
        left = ranked[: max(1, math.ceil(len(left) / 2))]
    return Search(tuple(rounds), queries)
