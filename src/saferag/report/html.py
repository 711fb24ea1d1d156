"""The report as one HTML file that loads nothing, runs nothing but its own script, and shows hostile text as text."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from saferag.report import figures, headline, views
from saferag.report.again import again
from saferag.report.declared import about
from saferag.report.matrix import matrix_row
from saferag.report.model import Summary
from saferag.report.summary import settings_of
from saferag.report.svg import Figure
from saferag.report.texts import Texts, texts_of
from saferag.report.traces import View, chosen, view
from saferag.report.untrusted import one_line, readable
from saferag.types import Lang

if TYPE_CHECKING:
    from jinja2 import Environment

TRACES = 200
CELLS = 300
_TEMPLATES = Path(__file__).with_name("templates")
_HTML_LANG = {Lang.ZH: "zh-Hans", Lang.EN: "en"}


def html(summary: Summary, lang: Lang, *, traces: int = TRACES) -> str:
    """The report.

    Args:
        summary: The run.
        lang: Language of the report; questions and passages stay as they are.
        traces: How many cases are told in full, besides the instructive ones.
    """
    t = texts_of(lang)
    style, script = _asset("report.css"), _asset("report.js")
    fields = {
        "t": t,
        "html_lang": _HTML_LANG[lang],
        "style": style,
        "script": script,
        "style_hash": _hash(style),
        "script_hash": _hash(script),
        "subtitle": t("subtitle", data=one_line(str(summary.store.settings["data"]["name"]))),
        "answer": headline.answer(summary, t),
        "certainty": headline.certainty(summary, t),
        "facts": facts(summary, t),
        "pipeline": views.pipeline,
        "readable": readable,
        "one_line": one_line,
        "several_ratios": len({o.cell.cell["ratio"] for o in summary.observations}) > 1,
        **_overview(summary, t),
        **_comparisons(summary, t),
        **_cases(summary, t, traces),
        **_numbers(summary, t),
        **_configuration(summary, t),
    }
    fields["sections"] = [name for name, there in _sections(fields) if there]
    text = _environment().get_template("report.html.j2").render(fields)
    return text.encode("utf-8", "replace").decode("utf-8")


def facts(summary: Summary, t: Texts) -> str:
    """What was run, in a line."""
    cells = summary.values.cells
    return t(
        "run_line",
        cases=t.count(len({case for c in cells for case in c.cases})),
        langs=t.listed([t.name("lang", lang) for lang in summary.langs]),
        attacks=len(summary.tasks),
        doors=len(summary.stages),
        pipelines=len(summary.pipelines),
        records=t.count(len(summary.store.records)),
    )


def _sections(fields: dict[str, Any]) -> list[tuple[str, bool]]:
    return [
        ("matrix", bool(fields["matrix"])),
        ("funnel", bool(fields["matrix"])),
        ("curves", bool(fields["curves"])),
        ("panels", bool(fields["radars"])),
        ("ranking", bool(fields["rankings"])),
        ("utility", True),
        ("coverage", True),
        ("stories", bool(fields["stories"])),
        ("traces", bool(fields["traces"])),
        ("numbers", True),
        ("configuration", True),
    ]


def _overview(summary: Summary, t: Texts) -> dict[str, Any]:
    notes = []
    if len(summary.pipelines) > 1:
        notes.append(t("matrix.pooled", pipelines=len(summary.pipelines)))
    if len(summary.ratios) > 1 and summary.curves:
        ratios = sorted({r for d in summary.doors.values() for r in d.ratios})
        notes.append(t("matrix.ratio", ratio=t.listed([t.percent(r) for r in ratios])))
    return {
        "stages": summary.stages,
        "matrix": [matrix_row(summary, task, t) for task in summary.tasks],
        "matrix_notes": notes,
        "matrix_table": views.matrix_table(summary, t),
        "funnels": [
            (t.heading("task", task), figures.funnel(task, [d for d in summary.doors.values() if d.task == task], t))
            for task in summary.tasks
        ],
        "funnel_table": views.funnel_table(summary, t),
    }


def _comparisons(summary: Summary, t: Texts) -> dict[str, Any]:
    groups: dict[tuple[str, str, str], list[Any]] = {}
    for curve in summary.curves:
        groups.setdefault((curve.task, curve.metric, curve.factor), []).append(curve)
    drawn = [
        (
            factor,
            t.heading("task", task),
            f"{t.name('metric', metric)}{t('aside')}{t('curves.by', factor=t('factor.' + factor))}",
            figures.curves(series[:6], t),
        )
        for (task, metric, factor), series in groups.items()
    ]
    panels = summary.panels if any(len(p.axes) > 2 for p in summary.panels) else ()
    return {
        "curves": [c for factor, *c in drawn if factor == "stage"],
        "more_curves": [c for factor, *c in drawn if factor != "stage"],
        "curve_table": views.curve_table(summary.curves, t),
        "radars": [
            (t.name(p.factor, p.value), t.heading("factor", p.factor), figures.radar(p, t))
            for p in panels
            if len(p.axes) > 2
        ],
        "panel_table": views.panel_table(panels, t),
        "bars": figures.bars(panels, t),
        "bars_table": views.bars_table(panels, t),
        "rankings": [
            (
                t.heading("task", r.task),
                f"{t.name('metric', r.metric)}{t('aside')}{t('curves.by', factor=t('factor.' + r.factor))}",
                figures.ranking(r.ranks, r.factor, t),
            )
            for r in summary.rankings
        ],
        "ranking_table": views.ranking_table(summary.rankings, t),
        "utility_table": views.utility_table(summary, t),
    }


def drawings(summary: Summary, t: Texts) -> Iterator[tuple[str, Figure]]:
    """Every figure under a file name that is ours, for use outside the report."""
    for i, task in enumerate(summary.tasks, 1):
        yield f"funnel-{i}", figures.funnel(task, [d for d in summary.doors.values() if d.task == task], t)
    fields = _comparisons(summary, t)
    for kind, found in (
        ("curve", [*fields["curves"], *fields["more_curves"]]),
        ("radar", fields["radars"]),
        ("ranking", fields["rankings"]),
    ):
        for i, (*_, figure) in enumerate(found, 1):
            yield f"{kind}-{i:02}", figure
    if fields["radars"]:
        yield "bars", fields["bars"]


def _cases(summary: Summary, t: Texts, limit: int) -> dict[str, Any]:
    shown = chosen(summary, limit)
    by_key: dict[tuple[str, str], View] = {o.key: view(summary, o) for o in shown}
    total = sum(o.key in summary.store.records for o in summary.observations)
    whole = len(shown) >= total
    values = {"shown": t.count(len(shown)), "total": t.count(total)}
    cells = summary.values.cells
    names = tuple(dict.fromkeys(views.pipeline(c.cell) for c in cells))
    filters = [
        ("task", [(v, t.heading("task", v)) for v in settings_of(cells, "task")]),
        ("stage", [(v, t.name("stage", v)) for v in summary.stages]),
        ("outcome", [(v, t.heading("outcome", v)) for v in dict.fromkeys(o.outcome.value for o in shown)]),
        ("pipe", [(v, v) for v in names]),
        ("lang", [(v, t.name("lang", v)) for v in summary.langs]),
    ]
    words = {"pipe": "traces.pipeline"}
    return {
        "stories": [(p, by_key[p.observation.key]) for p in summary.picks if p.observation.key in by_key],
        "traces": list(by_key.values()),
        "traces_lead": t("traces.all", **values) if whole else t("traces.lead", **values) + t("traces.chosen"),
        "traces_command": "" if whole else f"saferag show {_folder(summary)} --case ID",
        "filters": [(k, t(words.get(k, f"traces.{k}")), choices) for k, choices in filters if len(choices) > 1],
    }


def _numbers(summary: Summary, t: Texts) -> dict[str, Any]:
    cells = summary.values.cells
    c = summary.coverage
    metrics = len(summary.values.metrics(cells))
    values = {"shown": t.count(CELLS), "total": t.count(len(cells)), "metrics": metrics}
    counts = {k: t.count(getattr(c, k)) for k in ("done", "failed", "missing", "total")}
    return {
        "numbers_table": views.numbers_table(summary, cells[:CELLS], t),
        "numbers_open": t("numbers.open_some", n=CELLS) if len(cells) > CELLS else t("numbers.open", n=len(cells)),
        "numbers_note": t("numbers.more", **values) if len(cells) > CELLS else t("numbers.all", **values),
        "numbers_command": f"saferag report {_folder(summary)} --format csv",
        "complete": not c.missing and not c.failed,
        "coverage": t("coverage.records", **counts),
        "total": counts["total"],
        "unscored_table": views.unscored_table(summary, t),
    }


def _configuration(summary: Summary, t: Texts) -> dict[str, Any]:
    settings = summary.store.settings
    cells = summary.values.cells
    data = settings["data"]
    environment = settings["environment"]
    shown = [(t(f"factor.{k}"), _listed(k, settings_of(cells, k), t)) for k in cells[0].cell] if cells else []
    if settings.get("model"):
        shown.append((t("configuration.model"), str(settings["model"])))
    if settings.get("epochs", 1) > 1:
        shown.append((t("configuration.epochs"), str(settings["epochs"])))
    versions = [
        ("saferag", str(settings["saferag"])),
        (t("configuration.python"), str(environment["python"])),
        (t("configuration.system"), str(environment["system"])),
        *((str(k), str(v)) for k, v in environment["packages"].items()),
    ]
    hashes = [
        (t("configuration.fingerprint"), str(settings["fingerprint"])),
        (f"{t('configuration.data')} ({data['name']})", str(data["sha256"])),
        (t("configuration.code"), str(settings["code"])),
    ]
    return {
        "again": again(summary.values),
        "configuration": [
            (t("configuration.settings"), [(k, one_line(v)) for k, v in shown]),
            (t("configuration.versions"), [(one_line(k), one_line(v)) for k, v in versions]),
            (t("configuration.hashes"), [(one_line(k), one_line(v)) for k, v in hashes]),
        ],
        "attack_notes": [(t.heading("task", task), _about(task, t)) for task in summary.tasks],
        "metric_notes": [(m, summary.values.summary(m)) for m in summary.values.metrics(cells)
                         if m in summary.values.known],
        "notes": [one_line(str(note)) for note in settings.get("notes", ())],
        "footer": t("configuration.footer", version=settings["saferag"]),
    }  # fmt: skip


def _listed(key: str, found: tuple[Any, ...], t: Texts) -> str:
    return ", ".join(t.percent(v) if key == "ratio" else t.name(key, v) for v in found)


def _about(task: str, t: Texts) -> str:
    return " ".join(t(f"configuration.{k}") + v for k, v in about(task).items())


def _folder(summary: Summary) -> str:
    import shlex

    return shlex.quote(one_line(summary.store.path.name))


def _asset(name: str) -> str:
    return (_TEMPLATES / name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _shown(value: Any) -> Any:  # noqa: ANN401 - whatever a template prints
    """Every text that is not our own markup, without what is not for eyes; escaping follows."""
    return readable(value) if type(value) is str else value


@cache
def _environment() -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    return Environment(
        loader=FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_shown,
        trim_blocks=True,
        lstrip_blocks=True,
    )
