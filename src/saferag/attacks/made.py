"""What most attacks are made of: a declaration, a writer and an aim."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from saferag.attacks.base import AttackInfo, Target
from saferag.attacks.ready import as_passages
from saferag.types import Case, Context, Lang

Writer = Callable[[Case, int], Sequence[str]]
Templates = Mapping[Lang, Sequence[str]]


@dataclass(frozen=True, slots=True)
class MadeAttack:
    """An attack that is a function from a case to texts.

    Attributes:
        name: Its registered name, which its passages carry.
        info: Its declaration.
        write: All texts for a case and a seed, the best first; none where the case holds too little.
        aim: What an answer is held against.
    """

    name: str
    info: AttackInfo
    write: Writer
    aim: Callable[[Case], Target]

    def applies_to(self, case: Case) -> bool:
        """Whether there is a text for the case."""
        return bool(self.write(case, 0))

    def texts(self, case: Case, count: int, seed: int) -> Context:
        """The first ``count`` texts."""
        return as_passages(case, self.name, self.write(case, seed)[: max(count, 0)])

    def target(self, case: Case) -> Target:
        """What the aim says."""
        return self.aim(case)


def aim_at_facts(case: Case) -> Target:
    """The case's own options; nothing false is to be said, so there are no keywords."""
    return Target(case.options)


def aim_at_refusal(signal: Mapping[Lang, str]) -> Callable[[Case], Target]:
    """The case's own options; the keyword is the refusal that the text asks for."""
    return lambda case: Target(case.options, (signal[case.lang],))
