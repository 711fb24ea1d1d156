"""The report's figures: pure functions from numbers to SVG."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import cos, pi, sin

from saferag.experiment.estimates import Estimate
from saferag.experiment.ranks import Rank
from saferag.report import svg
from saferag.report.model import STAGES, STEPS, Curve, Door, Panel
from saferag.report.svg import Figure
from saferag.report.texts import Texts
from saferag.report.values import Contrast

WIDTH = 330.0
_LABEL = 92.0
_VALUE = 40.0
_At = Callable[[float, float], tuple[float, float]]
_DASH = ("none", "6 3", "2 3", "8 3 2 3", "1 4", "10 4")


def whisker(contrast: Contrast, t: Texts) -> Figure:
    """The effect of one door as a point with its interval between -100 and 100 points."""
    difference = contrast.difference
    assert difference is not None and difference.value is not None
    low, high = difference.low or 0.0, difference.high or 0.0

    def x(value: float) -> float:
        return 50 + 45 * max(-1.0, min(1.0, value))

    sign = "harm" if (contrast.harm or 0) > 0 else "calm"
    body = svg.tag("line", x1=2, x2=98, y1=7, y2=7, class_="grid")
    body += svg.tag("line", x1=50, x2=50, y1=1, y2=13, class_="axis")
    body += svg.tag("line", x1=x(low), x2=x(high), y1=7, y2=7, class_=f"{sign}-line")
    body += svg.tag("circle", cx=x(difference.value), cy=7, r=3.4, class_=sign)
    title = f"{t.points(difference.value)} ({t.span(low, high, signed=True)})"
    return Figure(100, 14, title, body)


def funnel(task: str, doors: Sequence[Door], t: Texts) -> Figure:
    """How much of an attack's text is left at each step, door by door."""
    body, y = "", 4.0
    wide = WIDTH - _LABEL - _VALUE
    for door in sorted(doors, key=lambda d: STAGES.index(d.stage)):
        y += 12
        body += svg.text(0, y, t.name("put_in", door.stage), "strong")
        for step, estimate in zip(STEPS, door.funnel, strict=True):
            if estimate is None or estimate.value is None or _before_entry(step, door.stage):
                continue
            y += 17
            body += svg.text(0, y, t.name("step", step), "muted", room=_LABEL)
            body += svg.tag("rect", x=_LABEL, y=y - 9, width=wide, height=10, rx=2, class_="track")
            length = wide * max(0.0, min(1.0, estimate.value))
            if length:
                body += svg.tag("rect", x=_LABEL, y=y - 9, width=length, height=10, rx=2, class_="harm")
            body += svg.text(WIDTH, y, t.percent(estimate.value), anchor="end")
        y += 10
    return Figure(WIDTH, y, f"{t.name('task', task)}: {t('funnel.title')}", body)


def _before_entry(step: str, stage: str) -> bool:
    """Whether an attack at this door has not come in yet at this step."""
    entered = {"knowledge_base": 0, "retrieved_context": 1, "filtered_context": 2}.get(stage, 0)
    return STEPS.index(step) < entered


def curves(series: Sequence[Curve], t: Texts) -> Figure:
    """A metric over the injection ratio, one line for each series, with 95 % bands."""
    left, top, right, height = 30.0, 8.0, WIDTH - 18, 150.0
    most = max((r for c in series for r, _ in c.points), default=1.0) or 1.0

    def at(ratio: float, value: float) -> tuple[float, float]:
        return left + (right - left) * ratio / most, top + height * (1 - max(0.0, min(1.0, value)))

    body = ""
    for tick in (0.0, 0.25, 0.5, 0.75, 1.0):
        y = at(0, tick)[1]
        body += svg.tag("line", x1=left, x2=right, y1=y, y2=y, class_="grid")
        body += svg.text(left - 4, y + 4, t.percent(tick).rstrip("%"), "muted", "end")
    ratios = sorted({r for c in series for r, _ in c.points})
    shown = ratios if len(ratios) <= 7 else [ratios[0], ratios[len(ratios) // 2], ratios[-1]]
    for ratio in shown:
        body += svg.text(at(ratio, 0)[0], top + height + 15, t.percent(ratio), "muted", "middle")
    body += svg.text((left + right) / 2, top + height + 30, t("curves.axis"), "muted", "middle")
    y = top + height + 36
    for i, curve in enumerate(series):
        body += _curve(i, curve, at)
        y += 17
        body += svg.line([(left, y - 4), (left + 26, y - 4)], f"s{i % 6} line", stroke_dasharray=_DASH[i % 6])
        body += svg.marker(i, left + 13, y - 4, f"s{i % 6}")
        body += svg.text(left + 34, y, t.name(curve.factor, curve.value), room=WIDTH - left - 34)
    first = series[0]
    title = f"{t.name('task', first.task)}: {t.name('metric', first.metric)} – {t('curves.axis')}"
    return Figure(WIDTH, y + 6, title, body)


def _curve(i: int, curve: Curve, at: _At) -> str:
    upper = [at(r, e.high) for r, e in curve.points if e.high is not None]
    lower = [at(r, e.low) for r, e in curve.points if e.low is not None]
    points = [at(r, e.value) for r, e in curve.points if e.value is not None]
    body = svg.area([*upper, *reversed(lower)], f"s{i % 6} band")
    body += svg.line(points, f"s{i % 6} line", stroke_dasharray=_DASH[i % 6])
    return body + "".join(svg.marker(i, x, y, f"s{i % 6}") for x, y in points)


def radar(panel: Panel, t: Texts) -> Figure:
    """The safety of a setting before (dashed) and after (filled) the attacks; outside is safe."""
    cx, cy, r = WIDTH / 2, 118.0, 92.0
    count = len(panel.axes)

    def at(i: int, value: float) -> tuple[float, float]:
        angle = 2 * pi * i / count - pi / 2
        return cx + r * value * cos(angle), cy + r * value * sin(angle)

    body = ""
    for ring in (0.25, 0.5, 0.75, 1.0):
        body += svg.area([at(i, ring) for i in range(count)], "grid")
    for i, axis in enumerate(panel.axes):
        x, y = at(i, 1.0)
        body += svg.tag("line", x1=cx, y1=cy, x2=x, y2=y, class_="grid")
        lx, ly = at(i, 1.12)
        anchor = "middle" if abs(lx - cx) < 12 else "start" if lx > cx else "end"
        body += svg.text(lx, ly + (0 if ly < cy - 80 else 6), axis_name(axis.task, axis.metric, t), "muted", anchor)
    before = [at(i, a.before.value or 0.0) for i, a in enumerate(panel.axes)]
    after = [at(i, a.after.value or 0.0) for i, a in enumerate(panel.axes)]
    body += svg.area(before, "calm-area") + svg.line([*before, before[0]], "calm-line", stroke_dasharray="5 3")
    body += svg.area(after, "harm-area") + svg.line([*after, after[0]], "harm-line")
    y = cy + r + 36
    body += svg.line([(70, y - 4), (96, y - 4)], "calm-line", stroke_dasharray="5 3") + svg.text(102, y, t("clean"))
    body += svg.line([(186, y - 4), (212, y - 4)], "harm-line") + svg.text(218, y, t("attacked"))
    title = f"{t.name(panel.factor, panel.value)}: {t('panels.title')}"
    return Figure(WIDTH, y + 8, title, body)


def axis_name(task: str, metric: str, t: Texts) -> str:
    """A short name for a task's metric, such as ``ICC F1``."""
    return f"{t.name('label', task)} {t.name('short', metric)}"


def bars(panels: Sequence[Panel], t: Texts) -> Figure:
    """What is left of all safe metrics after the attacks, stacked for each value of a setting."""
    width, left = 660.0, 170.0
    names = list(dict.fromkeys((a.task, a.metric) for p in panels for a in p.axes))
    most = max((sum(a.after.value or 0.0 for a in p.axes) for p in panels), default=0.0) or 1.0
    scale = (width - left - 44) / most
    body, y, factor = "", 4.0, panels[0].factor if panels else ""
    for panel in panels:
        y += 10 if panel.factor != factor else 0
        x, factor = left, panel.factor
        body += svg.text(0, y + 14, t.name(panel.factor, panel.value), room=left - 8)
        total = 0.0
        for axis in panel.axes:
            value = axis.after.value or 0.0
            total += value
            i = names.index((axis.task, axis.metric))
            length = max(0.0, value * scale - 1)
            body += svg.tag("rect", x=x, y=y, width=length, height=18, class_=f"s{(i + 1) % 6} bar b{i // 6}")
            if length > 16:
                body += svg.text(x + value * scale / 2, y + 13, f"{i + 1}", "on", "middle")
            x += value * scale
        body += svg.text(x + 6, y + 14, t.number(total), "strong")
        y += 26
    y += 20
    x = 0.0
    for i, (task, metric) in enumerate(names):
        label = f"{i + 1}  {axis_name(task, metric, t)}"
        if x + 104 > width:
            x, y = 0.0, y + 18
        body += svg.tag("rect", x=x, y=y - 9, width=10, height=10, class_=f"s{(i + 1) % 6} bar b{i // 6}")
        body += svg.text(x + 15, y, label)
        x += 108
    return Figure(width, y + 8, t("bars.title"), body)


def ranking(ranks: Sequence[Rank], factor: str, t: Texts) -> Figure:
    """Ranks with their intervals, safest first."""
    count = len(ranks)
    left, right = 128.0, WIDTH - 12

    def x(rank: float) -> float:
        return left + (right - left) * (rank - 1) / max(count - 1, 1)

    body = ""
    bottom = 10 + 24 * count
    for place in range(1, count + 1):
        body += svg.tag("line", x1=x(place), x2=x(place), y1=6, y2=bottom, class_="grid")
        body += svg.text(x(place), bottom + 14, str(place), "muted", "middle")
    for i, rank in enumerate(ranks):
        y = 20.0 + 24 * i
        body += svg.text(0, y + 4, t.name(factor, rank.component), room=left - 14)
        body += svg.tag("line", x1=x(rank.low), x2=x(rank.high), y1=y, y2=y, class_="calm-line")
        body += svg.tag("circle", cx=x(rank.rank), cy=y, r=4.2, class_="calm")
    body += svg.text((left + right) / 2, bottom + 29, t("ranking.axis"), "muted", "middle")
    return Figure(WIDTH, bottom + 36, t("ranking.axis"), body)


def mean_text(estimate: Estimate | None, t: Texts) -> str:
    """``93% (88–97%)``, for tables."""
    if estimate is None or estimate.value is None:
        return "–"
    return f"{t.percent(estimate.value)} ({t.span(estimate.low, estimate.high)})"
