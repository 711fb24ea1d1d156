"""What is compared: a grid of settings, its cells, and the two arms of each cell.

A *cell* is one setting of everything. It has an attacked arm and a clean arm; the clean arm is the same
pipeline without attack texts, so cells that differ only in stage, ratio or position share it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product

from saferag.attacks import attacks
from saferag.injection import InjectionPlan, Position, Stage
from saferag.registry import ComponentSpec
from saferag.types import Condition, Lang


@dataclass(frozen=True, slots=True)
class Arm:
    """One pipeline under one condition, run over the cases of one language.

    Attributes:
        task: Spec of the attack whose options and keywords the answers are held against.
        condition: Whether its texts enter.
        plan: Where they enter. In a clean arm only ``top_k`` and ``seed`` mean anything.
        retriever, filter, generator, judge: Component specs.
        lang: Language of the cases and of the prompts.
        epoch: Which repeat this is; the first is 0.
    """

    task: str
    condition: Condition
    plan: InjectionPlan
    retriever: str
    filter: str
    generator: str
    judge: str
    lang: Lang
    epoch: int = 0

    @property
    def enters(self) -> bool:
        """Whether texts are put in: the attack's, or a control's."""
        return self.condition in (Condition.ATTACKED, Condition.CONTROL)

    def as_dict(self) -> dict[str, str | int | float | None]:
        """The settings under their public names; stage, ratio and position are None where nothing is put in."""
        entered = self.enters
        return {
            "task": self.task,
            "stage": self.plan.stage.value if entered else None,
            "ratio": float(self.plan.ratio) if entered else None,
            "position": self.plan.position.value if entered else None,
            "top_k": self.plan.top_k,
            "retriever": self.retriever,
            "filter": self.filter,
            "generator": self.generator,
            "judge": self.judge,
            "lang": self.lang.value,
            "seed": self.plan.seed,
            "condition": self.condition.value,
            "epoch": self.epoch,
        }

    @property
    def id(self) -> str:
        """Twelve hexadecimal digits that stand for the settings."""
        return digest(self.as_dict())[:12]


@dataclass(frozen=True, slots=True)
class Cell:
    """One setting of everything, with its two arms.

    Attributes:
        attacked: The attacked arm.
        controls: Whether two more arms are run to compare with: see `control` and `closed_book`.
    """

    attacked: Arm
    controls: bool = False

    @property
    def clean(self) -> Arm:
        """The same pipeline without the attack."""
        plan = InjectionPlan(Stage.KNOWLEDGE_BASE, Fraction(0), self.attacked.plan.top_k, seed=self.attacked.plan.seed)
        return replace(self.attacked, condition=Condition.CLEAN, plan=plan)

    @property
    def control(self) -> Arm:
        """The same injection with benign text of the same length (see `saferag.experiment.controls`)."""
        return replace(self.attacked, condition=Condition.CONTROL)

    @property
    def closed_book(self) -> Arm:
        """The generator without any context; filters have nothing to do there, so all of them share it."""
        return replace(self.clean, condition=Condition.CLOSED_BOOK, filter="off")

    @property
    def arms(self) -> tuple[Arm, Arm]:
        """Clean first."""
        return self.clean, self.attacked

    @property
    def all_arms(self) -> tuple[Arm, ...]:
        """`arms`, and the controls where they are wanted."""
        return (*self.arms, self.control, self.closed_book) if self.controls else self.arms


@dataclass(frozen=True, slots=True)
class Grid:
    """Lists of settings; every combination is a cell. ``None`` for ratio or top-k means the attack's own default."""

    tasks: tuple[str, ...]
    stages: tuple[Stage, ...] = (Stage.KNOWLEDGE_BASE,)
    ratios: tuple[Fraction | None, ...] = (None,)
    positions: tuple[Position, ...] = (Position.FRONT,)
    top_ks: tuple[int | None, ...] = (None,)
    retrievers: tuple[str, ...] = ("dense",)
    filters: tuple[str, ...] = ("support",)
    generators: tuple[str, ...] = ("extractive",)
    judges: tuple[str, ...] = ("rule",)
    langs: tuple[Lang, ...] = (Lang.ZH, Lang.EN)
    seeds: tuple[int, ...] = (0,)
    controls: bool = False

    def cells(self) -> tuple[Cell, ...]:
        """Every combination, in a stable order, without doubles.

        At the knowledge base the retriever decides the places, so positions after the first make no cell there.
        """
        found: dict[Cell, None] = {}
        for lang, task, retriever, filter_, generator, judge, top_k, seed in product(
            self.langs, self.tasks, self.retrievers, self.filters, self.generators, self.judges, self.top_ks, self.seeds
        ):
            info = attacks.build(task).info
            for stage, ratio, position in product(self.stages, self.ratios, self.positions):
                if stage is Stage.KNOWLEDGE_BASE:
                    position = self.positions[0]  # noqa: PLW2901 - one place for all
                plan = InjectionPlan(stage, info.ratio if ratio is None else ratio, top_k or info.top_k, position, seed)
                arm = Arm(task, Condition.ATTACKED, plan, retriever, filter_, generator, judge, lang)
                found[Cell(arm, self.controls)] = None
        return tuple(found)


def canonical(spec: str) -> str:
    """A component spec in its canonical spelling."""
    return str(ComponentSpec.parse(spec))


def attack_name(task: str) -> str:
    """The attack's name in a task's spec, without variant and parameters."""
    return ComponentSpec.parse(task).name


def arms_of(cells: Iterable[Cell], epochs: int = 1) -> tuple[Arm, ...]:
    """The distinct arms of the cells, each clean arm before the attacked arms that are compared with it.

    All arms of one epoch come before those of the next, so that a run that is stopped has whole epochs.
    """
    arms = tuple(dict.fromkeys(arm for cell in cells for arm in cell.all_arms))
    return tuple(replace(arm, epoch=epoch) for epoch in range(epochs) for arm in arms)


def digest(value: Mapping[str, object]) -> str:
    """Sha-256 of the canonical JSON of a value."""
    text = json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"), default=str)
    return hashlib.sha256(text.encode()).hexdigest()
