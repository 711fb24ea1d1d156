"""What a stored run says about its attacks, also where an attack's own file is not there any more."""

from __future__ import annotations

from saferag.attacks import attacks
from saferag.attacks.base import Target
from saferag.errors import UserError
from saferag.experiment.store import Store
from saferag.types import Case


def declared(store: Store, task: str) -> dict[str, str]:
    """Label, goal and headline metric of an attack: from the run's folder, or else from the attack."""
    stored = store.settings.get("attacks", {}).get(task)
    if stored:
        return {str(k): str(v) for k, v in stored.items()}
    try:
        info = attacks.build(task).info
    except UserError:
        return {"label": task, "goal": "", "metric": ""}
    return {"label": info.label, "goal": info.goal, "metric": getattr(info, "metric", "")}


def target_of(task: str, case: Case) -> Target:
    """What responses to a case were held against; nothing where the attack is not installed."""
    try:
        return attacks.build(task).target(case)
    except (UserError, KeyError):  # the case may hold nothing for a task of another version
        return Target(())


def about(task: str) -> dict[str, str]:
    """What an attack says about itself in sentences; nothing where it is not installed."""
    try:
        info = attacks.build(task).info
    except UserError:
        return {}
    return {"threat": info.threat, "success": info.success, "source": info.source}


def default_dose(task: str) -> tuple[float, int] | None:
    """The injection ratio and window that an attack has where nobody says otherwise."""
    try:
        info = attacks.build(task).info
    except UserError:
        return None
    return float(info.ratio), info.top_k
