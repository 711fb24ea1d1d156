"""A dataset's card in Markdown: what is in it, how long, in which mix, with which hash, and what the checker finds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from statistics import median

from saferag.data.check import check
from saferag.data.dataset import Dataset
from saferag.data.findings import Finding
from saferag.data.manifest import FOLDER, VERSION
from saferag.data.rules import text_length
from saferag.text import visible
from saferag.types import Case, Label, Lang, Option

_NAMES = {Lang.ZH: "Chinese", Lang.EN: "English"}
_UNITS = {Lang.ZH: "characters", Lang.EN: "words"}


def card(dataset: Dataset) -> str:
    """Describe a dataset. The shipped cases also get how they were made, read and measured."""
    lines = [f"# {_cell(dataset.name)}", "", f"- cases: {len(dataset.cases)}", f"- sha256: `{dataset.sha256}`"]
    about = ""
    if dataset.name.split(".")[0] == "saferag-open":
        lines += [f"- version: {VERSION}", "- licence: CC BY 4.0"]
        about = (FOLDER / "about.md").read_text(encoding="utf-8")
    for lang in dataset.langs:
        lines += ["", f"## {_NAMES[lang]}", "", *_language([c for c in dataset.cases if c.lang is lang], lang)]
    lines += ["", "## Checker", "", *_findings(check(dataset))]
    return "\n".join(lines) + "\n" + (f"\n{about}" if about else "")


def _language(cases: Sequence[Case], lang: Lang) -> list[str]:
    return [
        *_table(["", "count", f"shortest ({_UNITS[lang]})", "median", "longest"], _sizes(cases, lang)),
        "",
        *_table(["options", "correct", "incorrect", "incorrect, %"], _labels(cases)),
        "",
        *_table(["", "mix"], _mixes(cases)),
    ]


def _sizes(cases: Sequence[Case], lang: Lang) -> list[list[object]]:
    texts = {
        "questions": [c.query for c in cases],
        "golden passages": [p.text for c in cases for p in c.golden],
        "background passages": [p.text for c in cases for p in c.background],
        "facts": [f.text for c in cases for f in c.facts],
    }
    for name in dict.fromkeys(name for case in cases for name in case.attacks):
        texts[f"{name} passages"] = [t.text for c in cases if name in c.attacks for t in c.attacks[name].texts]
    texts["reference answers"] = [c.answer for c in cases if c.answer]
    rows: list[list[object]] = []
    for name, found in texts.items():
        lengths = [text_length(text, lang) for text in found]
        if lengths:
            rows.append([name, len(lengths), min(lengths), f"{median(lengths):g}", max(lengths)])
    return rows


def _labels(cases: Sequence[Case]) -> list[list[object]]:
    options = {"of the facts": [o for c in cases for o in c.options]}
    for name in dict.fromkeys(name for case in cases for name in case.attacks):
        options[f"of {name}"] = [o for c in cases if name in c.attacks for o in c.attacks[name].options]
    return [[name, *_label_counts(found)] for name, found in options.items() if found]


def _label_counts(options: Sequence[Option]) -> list[object]:
    incorrect = sum(o.label is Label.INCORRECT for o in options)
    return [len(options) - incorrect, incorrect, f"{100 * incorrect / len(options):.0f}"]


def _mixes(cases: Sequence[Case]) -> list[list[object]]:
    changes = [o.change for c in cases for o in c.options if o.change]
    mixes = {
        "topic": [c.topic for c in cases],
        "kind of question": [c.kind for c in cases],
        "split": [c.split for c in cases],
        "kind of distortion": changes,
    }
    rows: list[list[object]] = []
    for name, values in mixes.items():
        counts = Counter(value for value in values if value).most_common()
        if counts:
            rows.append([name, ", ".join(f"{value} {count}" for value, count in counts)])
    return rows


def _findings(findings: Iterable[Finding]) -> list[str]:
    counts = Counter(finding.rule for finding in findings)
    if not counts:
        return ["Every rule of `saferag data check` holds, without exceptions."]
    return _table(["rule", "findings"], [[rule, count] for rule, count in counts.most_common()])


def _table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> list[str]:
    marks = ["---" if i == 0 else "---:" for i in range(len(head))] if len(head) > 2 else ["---"] * len(head)
    return [_row(head), _row(marks), *map(_row, rows)]


def _row(cells: Iterable[object]) -> str:
    return "| " + " | ".join(_cell(cell) for cell in cells) + " |"


def _cell(value: object) -> str:
    """Text from the data cannot break out of its cell, nor out of the text into HTML."""
    return visible(str(value)).replace("|", "\\|").replace("<", "&lt;")
