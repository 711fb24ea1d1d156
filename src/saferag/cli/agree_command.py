"""``saferag agree``: how far judges agree with people, and people with one another."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from saferag.experiment.agreement import Agreement, Share
    from saferag.experiment.store import Store
    from saferag.review.labelling import Item, Labelled


def agree(
    run: Annotated[Path, typer.Argument(help="A run's folder.")],
    labels: Annotated[
        Path | None, typer.Argument(help="The labels. Default: labels.jsonl in the run's folder.")
    ] = None,
    carry: Annotated[
        bool, typer.Option("--carry", help="Give the run's F1 with the judge's error in its intervals.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON Lines.")] = False,
) -> None:
    """Hold a run's judge against people's labels, as in Table 2 of the paper, and people against one another."""
    from saferag.errors import DataError
    from saferag.experiment.store import Store
    from saferag.review.labelling import Labels, items

    path = labels or run / "labels.jsonl"
    store = Store.open(run)
    found, people = items(store), Labels(path).all()
    if not people:
        raise DataError("holds no labels: run  saferag review RUN", path=path)
    if not any(item == of.id for _, item in people for of in found):
        raise DataError("holds labels of other answers than those of this run", path=path)
    lines = list(_lines(store, found, people, carry=carry))
    if as_json:
        for line in lines:
            sys.stdout.write(json.dumps(line, ensure_ascii=False) + "\n")
    else:
        _print(lines)


def _lines(
    store: Store, items: tuple[Item, ...], people: dict[tuple[str, str], Labelled], *, carry: bool
) -> list[dict[str, Any]]:
    from saferag.experiment.agreement import agreements, between_people, disagreements, judge_pairs
    from saferag.experiment.judge_error import carried

    out = [{"kind": "judge", **_agreement(found)} for found in agreements(store, items, people)]
    for one, other, same, kappa in between_people(items, people):
        out.append({"kind": "people", "one": one, "other": other, "same": _share(same), "kappa": _share(kappa)})
    for found in disagreements(items, people):
        verdicts = {who: verdict.value for who, verdict in found.verdicts.items()}
        out.append(
            {"kind": "differ", "item": found.item, "option": found.option, "text": found.text, "verdicts": verdicts}
        )
    if carry:
        keys = ("task", "stage", "ratio", "condition", "lang", "judge")
        for c in carried(store, judge_pairs(store, items, people)):
            values = {
                "judged": c.judged,
                "value": c.value,
                "low": c.low,
                "high": c.high,
                "n": c.cases,
                "labelled": c.labelled,
            }
            out.append({"kind": "carried", **{k: c.arm.get(k) for k in keys}, "metric": c.metric, **values})
    return out


def _agreement(found: Agreement) -> dict[str, Any]:
    named = {name: _share(getattr(found, name)) for name in ("f1_correct", "f1_incorrect", "asr", "kappa")}
    for place, verdict in enumerate(("correct", "incorrect")):
        named[f"sensitivity_{verdict}"] = _share(found.sensitivity[place])
        named[f"specificity_{verdict}"] = _share(found.specificity[place])
    return {"task": found.task, "judge": found.judge, **named}


def _share(share: Share) -> dict[str, Any]:
    return {"value": share.value, "low": share.low, "high": share.high, "n": share.n, "answers": share.clusters}


def _print(lines: list[dict[str, Any]]) -> None:
    from saferag.cli.console import console
    from saferag.text import visible

    target = console()
    judges = [line for line in lines if line["kind"] == "judge"]
    columns = {"F1 correct": "f1_correct", "F1 incorr.": "f1_incorrect", "ASR": "asr", "kappa": "kappa"}
    target.print(_table("Agreement with people (% and kappa)", judges, columns))
    errors = {
        f"{name} {verdict[:4]}.": f"{full}_{verdict}"
        for verdict in ("correct", "incorrect")
        for name, full in (("sens.", "sensitivity"), ("spec.", "specificity"))
    }
    target.print(_table("Sensitivity and specificity of the judge (%)", judges, errors))
    for line in lines:
        if line["kind"] == "people":
            same, kappa = _cell(line["same"], 100), _cell(line["kappa"], 1)
            target.print(f"{visible(line['one'])} and {visible(line['other'])}: {same} % equal, kappa {kappa}")
    differ = [line for line in lines if line["kind"] == "differ"]
    if differ:
        target.print(f"People differ on {len(differ)} statements:")
    for line in differ:
        said = ", ".join(f"{visible(who)} {verdict}" for who, verdict in line["verdicts"].items())
        target.print(f"  {visible(line['text'])} ({said})")
    for line in lines:
        if line["kind"] == "carried":
            where = " ".join(str(line[k]) for k in ("task", "lang", "stage", "condition") if line[k])
            bounds = f"{line['value']:.2f} [{line['low']:.2f} {line['high']:.2f}]"
            target.print(
                f"{visible(where)} {line['metric']}: judged {line['judged']:.2f}, with the judge's error {bounds}"
            )


def _table(title: str, lines: list[dict[str, Any]], columns: dict[str, str]) -> Any:  # noqa: ANN401 - a rich table
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    from saferag.text import visible

    table = Table(
        box=SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0), title=title, title_justify="left"
    )
    table.add_column("task, judge", overflow="fold")
    for name in columns:
        table.add_column(name, justify="right", no_wrap=True)
    for line in lines:
        cells = [_cell(line[key], 1 if key == "kappa" else 100) for key in columns.values()]
        table.add_row(visible(f"{line['task']}, {line['judge']}"), *cells)
    return table


def _cell(share: dict[str, Any], scale: int) -> str:
    if share["value"] is None:
        return "-"
    digits = 2 if scale == 1 else 0
    return f"{share['value'] * scale:.{digits}f} [{share['low'] * scale:.{digits}f} {share['high'] * scale:.{digits}f}]"
