"""The main figures as a PDF for papers, drawn with matplotlib (extra ``plots``)."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

from saferag.errors import MissingExtraError
from saferag.report.model import Curve, Summary
from saferag.report.texts import Texts
from saferag.report.untrusted import one_line

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_CHINESE = (
    "PingFang SC", "Hiragino Sans GB", "Microsoft YaHei", "Noto Sans CJK SC", "Noto Sans CJK JP", "Source Han Sans SC",
    "WenQuanYi Micro Hei", "SimHei",
)  # fmt: skip
_HARM, _CALM = "#b3432d", "#27698c"
_STYLES = ("-", "--", ":", "-.")
_MARKERS = "os^D"


def pdf_bytes(summary: Summary, t: Texts) -> tuple[bytes, str]:
    """The figures on pages of their own.

    Returns:
        The file, and a note for the user: empty, or that no Chinese font was found and English is used instead.

    Raises:
        MissingExtraError: matplotlib is not installed.
    """
    try:
        import matplotlib as mpl
        from matplotlib.backends.backend_pdf import PdfPages
    except ImportError:
        raise MissingExtraError("PDF figures", "plots") from None
    font = chinese_font() if t.lang == "zh" else None
    note = ""
    if t.lang == "zh" and font is None:
        from saferag.report.texts import texts_of
        from saferag.types import Lang

        t, note = texts_of(Lang.EN), "no Chinese font was found for the PDF, so its labels are in English"
    families = [font, "DejaVu Sans"] if font else ["DejaVu Sans"]
    target = io.BytesIO()
    settings: dict[str, Any] = {"font.family": families, "pdf.fonttype": 42, "text.usetex": False, "font.size": 9}
    with mpl.rc_context(settings), PdfPages(target, metadata={"Creator": "saferag", "CreationDate": None}) as pages:
        for figure in _figures(summary, t):
            pages.savefig(figure, bbox_inches="tight")
    return target.getvalue(), note


def chinese_font() -> str | None:
    """The name of an installed Chinese font that matplotlib can use, or None."""
    from matplotlib import font_manager

    installed = {font.name for font in font_manager.fontManager.ttflist}
    return next((name for name in _CHINESE if name in installed), None)


def _figures(summary: Summary, t: Texts) -> list[Figure]:
    figures = [_doors(summary, t)]
    groups: dict[tuple[str, str], list[Curve]] = {}
    for curve in summary.curves:
        if curve.factor == "stage":
            groups.setdefault((curve.task, curve.metric), []).append(curve)
    return figures + [_curves(series, t) for series in groups.values()]


def _axes(width: float, height: float) -> tuple[Figure, Axes]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    axes = figure.add_subplot()
    axes.spines[["top", "right"]].set_visible(False)
    return figure, axes


def _doors(summary: Summary, t: Texts) -> Figure:
    """The change that every attack makes at every door, with its interval; filled points hold after correction."""
    doors = [
        d for d in reversed(summary.ranked_doors) if d.contrast.difference and d.contrast.difference.value is not None
    ]
    figure, axes = _axes(5.6, 0.9 + 0.28 * len(doors))
    for i, door in enumerate(doors):
        c = door.contrast
        d = c.difference
        assert d is not None and d.value is not None and d.low is not None and d.high is not None
        colour = _HARM if (c.harm or 0) > 0 else _CALM
        axes.plot([100 * d.low, 100 * d.high], [i, i], color=colour, linewidth=1.6)
        axes.plot([100 * d.value], [i], "o", color=colour, markerfacecolor=colour if c.holds else "white")
    names = [f"{t.heading('task', d.task)}, {t.name('stage', d.stage)}" for d in doors]
    axes.set_yticks(range(len(doors)), [_plain(name) for name in names])
    axes.axvline(0, color="#8b95a1", linewidth=0.8)
    axes.set_xlim(-103, 103)
    axes.set_xlabel(_plain(t("utility.safety")))
    return figure


def _curves(series: list[Curve], t: Texts) -> Figure:
    figure, axes = _axes(4.2, 3.0)
    for i, curve in enumerate(series):
        ratios = [100 * r for r, _ in curve.points]
        line = axes.plot(
            ratios,
            [100 * (e.value or 0) for _, e in curve.points],
            linestyle=_STYLES[i % 4],
            marker=_MARKERS[i % 4],
            markersize=4,
            label=_plain(t.name(curve.factor, curve.value)),
        )[0]
        low = [100 * (e.low or 0) for _, e in curve.points]
        high = [100 * (e.high or 0) for _, e in curve.points]
        axes.fill_between(ratios, low, high, color=line.get_color(), alpha=0.12, linewidth=0)
    axes.set_ylim(0, 102)
    axes.set_xlabel(_plain(t("curves.axis")) + " (%)")
    axes.set_ylabel(_plain(t.name("metric", series[0].metric)) + " (%)")
    axes.set_title(_plain(t.heading("task", series[0].task)), loc="left")
    axes.legend(frameon=False)
    return figure


def _plain(text: str) -> str:
    """Text without what matplotlib would read as mathematics."""
    return one_line(text).replace("$", r"\$")
