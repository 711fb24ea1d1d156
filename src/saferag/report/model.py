"""What a report shows, as numbers: doors, curves, panels, rankings, pipelines."""

from __future__ import annotations

from dataclasses import dataclass

from saferag.experiment.estimates import Estimate
from saferag.experiment.ranks import Rank
from saferag.experiment.results import Coverage
from saferag.experiment.store import Store
from saferag.report.cases import Observation, Pick
from saferag.report.cost import Cost
from saferag.report.values import Contrast, Values

STAGES = ("knowledge_base", "retrieved_context", "filtered_context")
STEPS = ("survival_kb", "survival_retrieved", "survival_filtered", "survival_response")
FACTORS = ("retriever", "filter", "generator", "judge")
PIPELINE = ("retriever", "filter", "generator", "judge")


@dataclass(frozen=True, slots=True)
class Door:
    """One attack at one door, over all pipelines of the run.

    Attributes:
        task, stage: Which.
        contrast: Its headline metric, clean against attacked, corrected for all doors of the run.
        funnel: Share of the attack text at each of `STEPS`.
        ratios: The injection ratios that it is averaged over.
        control: The metric with benign text of the same length in the attack's place, where the run has that.
    """

    task: str
    stage: str
    contrast: Contrast
    funnel: tuple[Estimate | None, ...]
    ratios: tuple[float, ...]
    control: Estimate | None = None


@dataclass(frozen=True, slots=True)
class Curve:
    """A metric over the injection ratio.

    Attributes:
        task, metric: Of what.
        factor, value: The setting that tells the curves of a chart apart, and its value here.
        points: Ratio and estimate; ratio 0 is the clean run.
    """

    task: str
    metric: str
    factor: str
    value: str
    points: tuple[tuple[float, Estimate], ...]


@dataclass(frozen=True, slots=True)
class Axis:
    """One axis of a panel: a metric that is safe when high, before and after an attack."""

    task: str
    metric: str
    before: Estimate
    after: Estimate


@dataclass(frozen=True, slots=True)
class Panel:
    """The safety of one value of a setting on all axes (the paper's figures 6, 9, 10 and 11)."""

    factor: str
    value: str
    axes: tuple[Axis, ...]


@dataclass(frozen=True, slots=True)
class Ranking:
    """Values of a setting ranked under one attack, safest first."""

    factor: str
    task: str
    metric: str
    ranks: tuple[Rank, ...]


@dataclass(frozen=True, slots=True)
class Pipeline:
    """A pipeline's use and its safety side by side.

    Attributes:
        names: Retriever, filter, generator, judge.
        utility: Clean means by metric.
        security: The headline contrast of every task.
        cost: What it took.
    """

    names: tuple[str, ...]
    utility: dict[str, Estimate]
    security: dict[str, Contrast]
    cost: Cost


@dataclass(frozen=True, slots=True)
class Unscored:
    """How many values of a metric are missing, and out of how many."""

    metric: str
    missing: int
    total: int
    reasons: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class Summary:
    """A run as the report tells it. Use `saferag.report.summary.summarise`."""

    store: Store
    values: Values
    tasks: tuple[str, ...]
    stages: tuple[str, ...]
    metric: dict[str, str]
    doors: dict[tuple[str, str], Door]
    curves: tuple[Curve, ...]
    panels: tuple[Panel, ...]
    rankings: tuple[Ranking, ...]
    pipelines: tuple[Pipeline, ...]
    coverage: Coverage
    unscored: tuple[Unscored, ...]
    observations: tuple[Observation, ...]
    picks: tuple[Pick, ...]

    @property
    def langs(self) -> tuple[str, ...]:
        """Languages of the cases."""
        return tuple(dict.fromkeys(c.cell["lang"] for c in self.values.cells))

    @property
    def ranked_doors(self) -> list[Door]:
        """The doors by harm, worst first; those without a value last."""
        return sorted(self.doors.values(), key=lambda d: -(d.contrast.harm if d.contrast.harm is not None else -9))

    @property
    def ratios(self) -> tuple[float, ...]:
        """All injection ratios of the run."""
        return tuple(sorted({c.cell["ratio"] for c in self.values.cells}))
