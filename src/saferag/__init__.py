"""saferag: what somebody can do to a RAG system by putting text where it reads.

The public names are loaded when they are first used, so that importing the package costs next to nothing. The
registries of components stand in their packages: ``from saferag.retrievers import retrievers``, and so on.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from saferag.data import Dataset, load_dataset
    from saferag.injection import InjectionPlan, Position, Stage, inject, poison
    from saferag.pipeline import Pipeline
    from saferag.resources import Resources
    from saferag.types import (
        Answer,
        Case,
        Condition,
        Filtered,
        Judgement,
        Label,
        Lang,
        Origin,
        Passage,
        Score,
        Trace,
        Unscored,
        Verdict,
    )

__version__ = "0.1.0"

_HOME = {
    "Answer": "saferag.types",
    "Case": "saferag.types",
    "Condition": "saferag.types",
    "Dataset": "saferag.data",
    "Filtered": "saferag.types",
    "InjectionPlan": "saferag.injection",
    "Judgement": "saferag.types",
    "Label": "saferag.types",
    "Lang": "saferag.types",
    "Origin": "saferag.types",
    "Passage": "saferag.types",
    "Pipeline": "saferag.pipeline",
    "Position": "saferag.injection",
    "Resources": "saferag.resources",
    "Score": "saferag.types",
    "Stage": "saferag.injection",
    "Trace": "saferag.types",
    "Unscored": "saferag.types",
    "Verdict": "saferag.types",
    "inject": "saferag.injection",
    "load_dataset": "saferag.data",
    "poison": "saferag.injection",
}

__all__ = [
    "Answer",
    "Case",
    "Condition",
    "Dataset",
    "Filtered",
    "InjectionPlan",
    "Judgement",
    "Label",
    "Lang",
    "Origin",
    "Passage",
    "Pipeline",
    "Position",
    "Resources",
    "Score",
    "Stage",
    "Trace",
    "Unscored",
    "Verdict",
    "inject",
    "load_dataset",
    "poison",
]


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module 'saferag' has no attribute '{name}'")
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOME})
