"""The answer in plain words: what gets through where, how bad it is, and how sure that is."""

from __future__ import annotations

from saferag.report.declared import declared
from saferag.report.model import STEPS, Door, Summary
from saferag.report.texts import Texts


def answer(summary: Summary, t: Texts) -> list[str]:
    """One or two sentences."""
    doors = [d for d in summary.ranked_doors if d.contrast.harm is not None]
    if not doors:
        return [t("answer.nothing")]
    worst = doors[0]
    holding = [d for d in doors if _does_harm(d)]
    if not holding:
        return [t("answer.none", n=len(doors))]
    said = [t("answer.worst", door=door_name(worst, t), what=consequence(summary, worst, t))]
    if len(holding) == len(doors):
        said.append(t("answer.all_hold", n=len(doors)) if len(doors) > 1 else t("answer.one_holds"))
    else:
        rest = [door_name(d, t) for d in doors if not _does_harm(d)]
        shown = t.listed(rest) if len(rest) <= 4 else t("answer.others", n=len(rest))
        said.append(t("answer.some_hold", m=len(holding), n=len(doors), rest=shown))
    return said


def certainty(summary: Summary, t: Texts) -> list[str]:
    """How sure the answer is, and what helps."""
    said: list[str] = []
    doors = [d for d in summary.ranked_doors if d.contrast.harm is not None]
    if doors and (d := doors[0].contrast.difference):
        said.append(
            t(
                "answer.sure",
                effect=t.points(d.value),
                span=t.span(d.low, d.high, signed=True),
                n=t.count(d.n),
                p=t.p(d.p_holm),
            )
        )
    if blocked := _best_block(summary):
        door, step, left = blocked
        name = t.name("task", door.task)
        said.append(t(f"answer.block_{step}", attack=name, stage=t.name("at", door.stage), left=t.percent(left)))
    c = summary.coverage
    if c.missing or c.failed:
        said.append(t("answer.incomplete", done=t.count(c.done), total=t.count(c.total), failed=t.count(c.failed)))
    return said


def door_name(door: Door, t: Texts) -> str:
    """An attack and where it comes in, in a sentence."""
    return t("door", attack=t.name("task", door.task), stage=t.name("at", door.stage))


def consequence(summary: Summary, door: Door, t: Texts) -> str:
    """What an attack does to the answers, in numbers."""
    goal = declared(summary.store, door.task)["goal"]
    key = f"goal.{goal}" if door.contrast.metric == "asr" and f"goal.{goal}" in t.entries else "goal.any"
    if door.contrast.metric == "f1_avg":
        key = "goal.f1"
    before = door.contrast.before.value if door.contrast.before else None
    after = door.contrast.after.value if door.contrast.after else None
    metric = t.name("metric", door.contrast.metric)
    return t(key, before=t.percent(before), after=t.percent(after), metric=metric)


def _does_harm(door: Door) -> bool:
    return door.contrast.holds and (door.contrast.harm or 0) > 0


def _best_block(summary: Summary) -> tuple[Door, str, float] | None:
    """The step at which most of an attack's text is lost, if that is at least half of what had come so far."""
    best: tuple[float, Door, str, float] | None = None
    for door in summary.doors.values():
        kept = [e.value if e else None for e in door.funnel]
        for i in (1, 2):
            before, after = kept[i - 1], kept[i]
            if before is None or after is None:
                continue
            lost = before - after
            if lost >= 0.5 and (best is None or lost > best[0]):
                best = (lost, door, STEPS[i].removeprefix("survival_"), after)
    return best[1:] if best else None
