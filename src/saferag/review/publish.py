"""From the drafts and the journal to the dataset: what nobody has rejected or sent back, and passes the checker."""

from __future__ import annotations

from dataclasses import dataclass, replace

from saferag.construct.folder import Folder, replace_file
from saferag.construct.soundness import settle
from saferag.data.findings import Finding
from saferag.data.jsonl import format_cases
from saferag.data.records import parse_case
from saferag.errors import DataError
from saferag.review.journal import Journal, State, Status
from saferag.types import Case

REVIEWED = "reviewed"
"""The split of a case that a person has accepted."""


@dataclass(frozen=True, slots=True)
class Published:
    """What went into the dataset, and what waits.

    Attributes:
        cases: Ids in the dataset.
        accepted: How many of them a person has accepted.
        waiting: Findings of the cases that wait in review.
        rejected, returned: Ids.
    """

    cases: tuple[str, ...]
    accepted: int
    waiting: dict[str, list[Finding]]
    rejected: tuple[str, ...]
    returned: tuple[str, ...]


def publish(folder: Folder) -> Published:
    """Write ``cases.jsonl``.

    Raises:
        UserError: It cannot be written.
    """
    states = Journal(folder.journal).states()
    wanted = [state for state in states if state.status in {Status.OPEN, Status.ACCEPTED}]
    sound, waiting = sound_cases(wanted)
    accepted = {state.case_id for state in wanted if state.status is Status.ACCEPTED}
    replace_file(folder.cases, format_cases(sound).decode())
    return Published(
        tuple(case.id for case in sound),
        sum(case.id in accepted for case in sound),
        waiting,
        tuple(s.case_id for s in states if s.status is Status.REJECTED),
        tuple(s.case_id for s in states if s.status is Status.RETURNED),
    )


def sound_cases(states: list[State]) -> tuple[tuple[Case, ...], dict[str, list[Finding]]]:
    """The cases that pass the checker together, and the findings of the others."""
    cases: list[Case] = []
    broken: dict[str, list[Finding]] = {}
    for state in states:
        try:
            cases.append(case_of(state))
        except DataError as error:
            broken[state.case_id] = [Finding("loading", state.case_id, "", str(error))]
    settled = settle(cases)
    return settled.sound, broken | settled.findings


def case_of(state: State) -> Case:
    """The case of a state, in the split that says who has seen it.

    Raises:
        DataError: An edit has made it unreadable.
    """
    case = parse_case(state.record)
    return replace(case, split=REVIEWED) if state.status is Status.ACCEPTED else case
