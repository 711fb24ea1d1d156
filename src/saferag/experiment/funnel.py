"""The funnel: how much of every attack's text is left at each step, and how far the answer does what it wants.

This is figure 1 of SafeRAG (arXiv 2501.18636) for any set of attacks: where does an attack end, and what is due to it
rather than to the room that its text takes up?
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from saferag.attacks.base import INVERTED
from saferag.experiment.comparison import Difference, holm, paired, widened
from saferag.experiment.estimates import Estimate, estimate
from saferag.experiment.results import cell_of, expected_cases, metric_infos, values_by_case
from saferag.experiment.settings import cell_arms
from saferag.experiment.store import Store
from saferag.types import Measurement, Score

STEPS = ("survival_kb", "survival_retrieved", "survival_filtered", "survival_response")
"""Share of the attack text at entry, after retrieval, after the filter, and in the response."""

INSTEAD = {"fact_coverage": "f1_correct"}
"""What shows a harm where its own metric does not apply: data without facts, such as the published ones."""

PIPELINE = ("retriever", "filter", "generator", "judge")

Values = Mapping[str, Sequence[Measurement]]


@dataclass(frozen=True, slots=True)
class FunnelRow:
    """One attack at one door of one pipeline, over all languages, ratios and positions of the run.

    Attributes:
        task: Spec of the attack.
        label, goal: As it declares them.
        stage: The door.
        pipeline: Retriever, filter, generator and judge.
        steps: Estimates of `STEPS`.
        obeyed: How far the answers do what the attack wants, from 0 to 1: its goal's metric, turned so that more is
            worse.
        clean, control, closed_book: The same without the attack; None where it was not run.
        over_clean, over_control: Paired differences, corrected by Holm for all rows of the run.
    """

    task: str
    label: str
    goal: str
    stage: str
    pipeline: tuple[str, ...]
    steps: tuple[Estimate | None, ...]
    obeyed: Estimate | None
    clean: Estimate | None
    control: Estimate | None
    closed_book: Estimate | None
    over_clean: Difference | None
    over_control: Difference | None

    def as_dict(self, names: Sequence[str] = PIPELINE) -> dict[str, Any]:
        """The row for machines; ``names`` are those of the places of ``pipeline``."""
        named = dict(zip(STEPS, self.steps, strict=True)) | {
            "obeyed": self.obeyed, "clean": self.clean, "control": self.control, "closed_book": self.closed_book,
        }  # fmt: skip
        found: dict[str, Any] = {"task": self.task, "label": self.label, "goal": self.goal, "stage": self.stage}
        found |= dict(zip(names, self.pipeline, strict=True))
        for name, e in named.items():
            found |= {name: e and e.value, f"{name}_low": e and e.low, f"{name}_high": e and e.high}
        found |= {"n": self.obeyed and self.obeyed.n, "n_unscored": self.obeyed and self.obeyed.n_unscored}
        for name, d in (("over_clean", self.over_clean), ("over_control", self.over_control)):
            found |= {name: d and d.value, f"{name}_low": d and d.low, f"{name}_high": d and d.high}
            found |= {f"{name}_p_holm": d and d.p_holm}
        return found


def funnel(store: Store) -> list[FunnelRow]:
    """The funnel of every attack, door and pipeline of a run."""
    return grouped(store, lambda cell: (cell["task"], cell["stage"], *(cell[k] for k in PIPELINE)))


def matrix(store: Store, factor: str) -> list[FunnelRow]:
    """One row for each attack and value of a setting (``filter`` or ``generator``), over everything else of the run.

    The setting's value stands in its place of ``pipeline``; the other places and the door are empty.
    """
    at = PIPELINE.index(factor)

    def key(cell: Mapping[str, Any]) -> tuple[str, ...]:
        return (cell["task"], "", *("" if i != at else cell[factor] for i in range(len(PIPELINE))))

    return grouped(store, key)


def grouped(store: Store, key: Any) -> list[FunnelRow]:  # noqa: ANN401 - a function of a cell
    """A row for each group of cells."""
    groups: dict[tuple[str, ...], list[tuple[str, str]]] = {}
    cases: dict[str, tuple[str, ...]] = {}
    for clean, attacked in cell_arms(dict(store.settings)):
        groups.setdefault(key(cell_of(attacked)), []).append((clean["id"], attacked["id"]))
        cases[attacked["id"]] = expected_cases(store, attacked)
    found = [_row(store, place, pairs, cases) for place, pairs in groups.items()]
    return _corrected(found)


def _row(
    store: Store, place: tuple[str, ...], pairs: Sequence[tuple[str, str]], cases: Mapping[str, tuple[str, ...]]
) -> FunnelRow:
    infos = metric_infos()
    declared = store.settings["attacks"][place[0]]
    metric, inverted = declared["metric"], declared["goal"] in INVERTED
    controls = store.settings.get("controls", {})

    def values(arms: Iterable[tuple[str, str]], name: str, *, invert: bool = False) -> Values:
        merged: dict[str, list[Measurement]] = {}
        for arm, case_arm in dict.fromkeys(arms):
            for case, measured in values_by_case(store, arm, cases[case_arm]).get(name, {}).items():
                merged.setdefault(case, []).extend(map(_inverted, measured) if invert else measured)
        return merged

    def other(kind: str) -> Values:
        chosen = [(controls[attacked][kind], attacked) for _, attacked in pairs if attacked in controls]
        return values(chosen, metric, invert=inverted)

    if not values([(a, a) for _, a in pairs], metric):
        metric = INSTEAD.get(metric, metric)
    attacked = values([(a, a) for _, a in pairs], metric, invert=inverted)
    clean = values([(c, a) for c, a in pairs], metric, invert=inverted)
    control, closed = other("control"), other("closed_book")
    binary = infos[metric].binary
    return FunnelRow(
        place[0], declared["label"], declared["goal"], place[1], place[2:],
        tuple(_estimate(values([(a, a) for _, a in pairs], step)) for step in STEPS),
        _estimate(attacked), _estimate(clean), _estimate(control), _estimate(closed),
        paired(clean, attacked, binary=binary), paired(control, attacked, binary=binary),
    )  # fmt: skip


def _inverted(value: Measurement) -> Measurement:
    return Score(1 - value.value) if isinstance(value, Score) else value


def _estimate(values: Values) -> Estimate | None:
    """The mean over cases, each averaged over its values first."""
    merged: list[Measurement] = []
    for measured in values.values():
        scored = [v.value for v in measured if isinstance(v, Score)]
        missing = next((v for v in measured if v is not None), None)
        merged.append(Score(sum(scored) / len(scored)) if scored else missing)
    binary = all(v.value in (0.0, 1.0) for v in merged if isinstance(v, Score))
    return estimate(merged, binary=binary)


def _corrected(rows: Sequence[FunnelRow]) -> list[FunnelRow]:
    over_clean = _holm([row.over_clean for row in rows])
    over_control = _holm([row.over_control for row in rows])
    return [
        replace(row, over_clean=a, over_control=b) for row, a, b in zip(rows, over_clean, over_control, strict=True)
    ]


def _holm(differences: Sequence[Difference | None]) -> list[Difference | None]:
    found = iter(holm([widened(d) for d in differences if d is not None]))
    return [None if d is None else next(found) for d in differences]
