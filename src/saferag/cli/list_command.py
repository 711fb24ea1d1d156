"""``saferag list``: what there is, one line each."""

from __future__ import annotations

from typing import Annotated, Any

import typer

_KINDS = "attacks, retrievers, filters, generators, judges, metrics or models"


def list_components(kind: Annotated[str | None, typer.Argument(help=_KINDS)] = None) -> None:
    """List the components of one kind, or of every kind."""
    from saferag.attacks import attacks
    from saferag.cli.console import console
    from saferag.errors import UnknownComponentError
    from saferag.filters import filters
    from saferag.generators import generators
    from saferag.judges import judges
    from saferag.metrics import metrics
    from saferag.models import models
    from saferag.registry import Registry
    from saferag.report.tables import component_table
    from saferag.retrievers import retrievers

    known: dict[str, Registry[Any]] = {
        "attacks": attacks, "retrievers": retrievers, "filters": filters, "generators": generators,
        "judges": judges, "metrics": metrics, "models": models,
    }  # fmt: skip
    aliases = {name.removesuffix("s"): name for name in known} | {"tasks": "attacks", "task": "attacks"}
    if kind is not None:
        kind = aliases.get(kind, kind)
        if kind not in known:
            raise UnknownComponentError("kind", kind, known)
    target = console()
    for name, registry in known.items():
        if kind in (None, name):
            target.print(component_table(name, list(registry)))
