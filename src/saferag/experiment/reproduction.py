"""The paper's experiments as cells of ours, and its numbers beside ours.

Source: SafeRAG, arXiv 2501.18636, Figures 1, 5, 6, 9, 10 and Table 4 (whose ranking is Figure 11). The preset
``paper`` varies one thing at a time. The preset ``published-code`` repeats what the published code measures where that
makes sense: it has no door behind the filter, so its "filtered context" and its "filter OFF" are one curve, with texts
put in before a filter that is off; and its loader keeps five items of each task.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from saferag.attacks import attacks
from saferag.experiment.cells import Arm, Cell
from saferag.experiment.published import load_published
from saferag.injection import InjectionPlan, Stage
from saferag.registry import ComponentSpec
from saferag.types import Condition, Lang

SN, ICC, SA, WDOS = "silver_noise", "inter_context_conflict", "soft_ad", "white_dos"
OLDER = (
    "jamming_insufficient", "jamming_unsafe", "jamming_unsafe_document", "jamming_insufficient_document", "rgb_noise",
)  # fmt: skip
PUBLISHED_CODE_LIMIT = 5


Changes = Mapping[str, str]
_NOTHING: Changes = {}


class Preset(StrEnum):
    """Whose design is followed."""

    PAPER = "paper"
    PUBLISHED_CODE = "published-code"


@dataclass(frozen=True, slots=True)
class Components:
    """What the experiments are run on; the first of each is the default that the others are compared with."""

    retrievers: tuple[str, ...]
    filters: tuple[str, ...]
    generators: tuple[str, ...]
    judge: str

    @property
    def baseline_filter(self) -> str:
        """The one that stands for the paper's NLI: the first that is not off and does not rewrite."""
        keeping = [f for f in self.filters if name(f) not in {"off", "skr", "extract"}]
        return (keeping or list(self.filters))[0]


@dataclass(frozen=True, slots=True)
class Point:
    """One number: where ours is found, and what was published.

    Attributes:
        cell: The cell.
        condition: Its clean or its attacked arm.
        metric: The metric.
        published: The paper's number, or None.
    """

    cell: Cell
    condition: Condition
    metric: str
    published: float | None


@dataclass(frozen=True, slots=True)
class Series:
    """A row of a block; each of its fields is one number, or a pair before and after."""

    label: str
    fields: tuple[tuple[Point, ...], ...]


@dataclass(frozen=True, slots=True)
class Block:
    """A figure, or a panel of one, or a table, for one language."""

    part: str
    title: str
    lang: Lang
    read_off: bool
    columns: tuple[str, ...]
    series: tuple[Series, ...]


def name(spec: str) -> str:
    """A component's name without its parameters."""
    return ComponentSpec.parse(spec).name


@dataclass(frozen=True, slots=True)
class Reproduction:
    """The paper's experiments on chosen components, for one language.

    Attributes:
        components: What they are run on.
        lang: The language.
        preset: Whose design is followed.
        tasks: Which of the paper's attacks.
        older: Attacks that the paper compares with in Figure 1.
        seed: Of whatever is drawn.
    """

    components: Components
    lang: Lang
    preset: Preset
    tasks: tuple[str, ...]
    older: tuple[str, ...] = ()
    seed: int = 0

    def blocks(self) -> Iterator[Block]:
        """Every figure and table that the tasks allow."""
        if self.tasks:
            yield self._funnel()
        if SN in self.tasks:
            yield from self._noise()
        if set(self.tasks) - {SN}:
            yield from self._before_after()
        if self.tasks:
            yield self._generators()

    def _cell(self, task: str, changes: Changes = _NOTHING, ratio: Fraction | None = None) -> Cell:
        info = attacks.build(task).info
        stage = Stage(changes.get("stage", Stage.KNOWLEDGE_BASE))
        plan = InjectionPlan(stage, info.ratio if ratio is None else ratio, info.top_k, seed=self.seed)
        parts = self.components
        arm = Arm(
            task,
            Condition.ATTACKED,
            plan,
            changes.get("retriever", parts.retrievers[0]),
            changes.get("filter", parts.baseline_filter),
            changes.get("generator", parts.generators[0]),
            parts.judge,
            self.lang,
        )
        return Cell(arm)

    def _panels(self) -> list[tuple[str, list[tuple[str, str | None, Changes]]]]:
        """Panels of series: a label, the paper's name for it, and what is changed."""
        before_filter: Changes = {"stage": Stage.RETRIEVED_CONTEXT, "filter": "off"}
        confounded = self.preset is Preset.PUBLISHED_CODE
        stages: list[tuple[str, str | None, Changes]] = [
            ("KB", "KB", {}),
            ("retrieved", "retrieved", {"stage": Stage.RETRIEVED_CONTEXT}),
            ("filtered", "filtered", before_filter if confounded else {"stage": Stage.FILTERED_CONTEXT}),
        ]
        of_retriever = {"dense": "KB", "bm25": "BM25", "hybrid": "Hybrid", "hybrid-rerank": "Hybrid-Rerank"}
        of_filter = {"off": "OFF", "nli": "KB", "support": "KB", "skr": "SKR", "extract": "SKR"}
        parts = self.components
        return [
            ("stages", stages),
            ("retrievers", [(r, of_retriever.get(name(r)), {"retriever": r}) for r in parts.retrievers]),
            (
                "filters",
                [
                    (f, of_filter.get(name(f)), before_filter if confounded and name(f) == "off" else {"filter": f})
                    for f in parts.filters
                ],
            ),
            ("generators", [(g, "KB" if _is_papers(g) else None, {"generator": g}) for g in parts.generators]),
        ]

    def _funnel(self) -> Block:
        part = load_published()[2]["figure_1"]
        series = [
            Series(
                task,
                tuple(
                    (Point(self._cell(task), Condition.ATTACKED, metric, part.get(task, i)),)
                    for i, metric in enumerate(part.columns)
                ),
            )
            for task in (*(t for t in (WDOS, SN, SA, ICC) if t in self.tasks), *self.older)
        ]
        columns = ("retrieved", "filtered", "response")
        return Block(
            "Figure 1", "share of the attack text that is left", self.lang, part.read_off, columns, tuple(series)
        )

    def _noise(self) -> Iterator[Block]:
        parts = load_published()[2]
        window = attacks.build(SN).info.top_k
        columns = tuple(f"{i}/{window}" for i in range(window + 1))
        for metric, part, heading in (
            ("f1_avg", parts["figure_5_f1"], "silver noise, F1 (avg)"),
            ("ra_share", parts["figure_5_ra"], "silver noise, RA"),
        ):
            for panel, members in self._panels():
                if panel == "generators" and (metric == "ra_share" or len(members) < 2):
                    continue
                series = []
                for label, published, changes in members:
                    fields = [
                        (
                            self._noise_point(
                                metric, Fraction(i, window), changes, part.get(published, i) if i < 7 else None
                            ),
                        )
                        for i in range(window + 1)
                    ]
                    series.append(Series(label, tuple(fields)))
                yield Block("Figure 5", f"{heading}, {panel}", self.lang, part.read_off, columns, tuple(series))

    def _noise_point(self, metric: str, ratio: Fraction, changes: Changes, published: float | None) -> Point:
        if ratio == 0:  # nothing is put in: the clean arm of any of these cells
            return Point(self._cell(SN, changes), Condition.CLEAN, metric, published)
        return Point(self._cell(SN, changes, ratio), Condition.ATTACKED, metric, published)

    def _before_after(self) -> Iterator[Block]:
        part = load_published()[2]["figures_6_9_10"]
        wanted = [(ICC, "f1_avg"), (ICC, "afr"), (SA, "afr"), (WDOS, "f1_avg"), (WDOS, "afr")]
        chosen = [(i, task, metric) for i, (task, metric) in enumerate(wanted) if task in self.tasks]
        columns = tuple(part.columns[i] for i, _, _ in chosen)
        for panel, members in self._panels():
            if panel == "generators" and len(members) < 2:
                continue
            series = [
                Series(
                    label,
                    tuple(
                        (
                            Point(self._cell(task, changes), Condition.CLEAN, metric, part.get(published, i, 0)),
                            Point(self._cell(task, changes), Condition.ATTACKED, metric, part.get(published, i, 1)),
                        )
                        for i, task, metric in chosen
                    ),
                )
                for label, published, changes in members
            ]
            title = f"before → after the attack, {panel}"
            yield Block("Figures 6, 9, 10", title, self.lang, part.read_off, columns, tuple(series))

    def _generators(self) -> Block:
        part = load_published()[2]["table_4"]
        wanted = [(SN, "f1_avg"), (ICC, "f1_avg"), (ICC, "afr"), (SA, "afr"), (WDOS, "f1_avg"), (WDOS, "afr")]
        chosen = [(i, task, metric) for i, (task, metric) in enumerate(wanted) if task in self.tasks]
        series = []
        for generator in self.components.generators:
            papers = ComponentSpec.parse(generator).variant
            fields = tuple(
                (Point(self._cell(t, {"generator": generator}), Condition.ATTACKED, metric, part.get(papers, i)),)
                for i, t, metric in chosen
            )
            series.append(Series(generator, fields))
        columns = tuple(part.columns[i] for i, _, _ in chosen)
        return Block("Table 4, Figure 11", "generators under attack", self.lang, part.read_off, columns, tuple(series))


def cells_of(blocks: Sequence[Block]) -> tuple[Cell, ...]:
    """The cells that blocks need, each once."""
    points = (p for block in blocks for series in block.series for field in series.fields for p in field)
    return tuple(dict.fromkeys(point.cell for point in points))


def deviations(components: Components, preset: Preset, data: str, limit: int | None) -> list[str]:
    """Why our numbers need not be the paper's, each with its section of docs/deviations.md."""
    found = []
    if preset is Preset.PUBLISHED_CODE:
        found.append(
            "1: as in the published code, 'filtered context' and 'filter off' are one curve: texts enter "
            "before a filter that is off"
        )
        found.append("3: its double injection into hybrids and its un-fused list are not repeated")
    else:
        found.append(
            "1: three doors; what varies is varied alone, so the curve of 'off' is not that of 'filtered context'"
        )
        found.append("4: every attacked cell is paired with the clean run of its own configuration")
    found.append("2: RA is the share form; the paper's RA of WDoS follows neither form")
    found.append("5: the noise F1 of Table 4 is not that of Figure 5 at the same setting; compare with Figure 5")
    found.append(
        "7: refusals are counted by their keyword, as in the paper; "
        + ("all cases are run" if limit is None else f"{limit} cases of each task are run")
    )
    if data == "saferag-open":
        found.append(
            "12: other data than the paper's: eight golden passages for every task, background passages, both languages"
        )
    found += [f"the generator is {g}, not one of the paper's" for g in components.generators if not _is_papers(g)]
    used = [f for f in components.filters if name(f) in {"support", "extract"}]
    if used:
        found.append(f"{' and '.join(used)} (no model) stand in for the paper's NLI and SKR filters")
    if name(components.judge) == "rule":
        found.append("the judge is a rule, not a model")
    return found


def _is_papers(generator: str) -> bool:
    return ComponentSpec.parse(generator).variant in load_published()[2]["table_4"].series
