"""``saferag power``: how many cases a difference needs, from a pilot run or from given numbers."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from saferag.experiment.power import Need

_SHOWN = ("ra_share", "f1_avg", "asr", "refusal_rate")
_DOORS = {"knowledge_base": "KB", "retrieved_context": "retrieved", "filtered_context": "filtered"}


def power(  # noqa: PLR0917 - options of a command
    run: Annotated[Path | None, typer.Argument(help="A pilot run's folder.")] = None,
    difference: Annotated[
        float | None, typer.Option(help="Mean difference to be found, such as 0.1. Default: the pilot's own.")
    ] = None,
    sd: Annotated[float | None, typer.Option(help="Without a pilot: standard deviation within cases.", min=0)] = None,
    gained: Annotated[float | None, typer.Option(help="Binary: share of cases that go from 0 to 1.", min=0)] = None,
    lost: Annotated[float | None, typer.Option(help="Binary: share of cases that go from 1 to 0.", min=0)] = None,
    metric: Annotated[list[str] | None, typer.Option(help="With a pilot: only these metrics.")] = None,
    alpha: Annotated[float, typer.Option(help="Two-sided level.")] = 0.05,
    power_: Annotated[float, typer.Option("--power", help="Probability that the difference is found.")] = 0.8,
    comparisons: Annotated[
        int, typer.Option(help="Size of the family; the level of Holm's hardest step is used.", min=1)
    ] = 1,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON Lines.")] = False,
) -> None:
    """Say how many cases a difference between an attacked and a clean run needs (paired by case)."""
    from saferag.errors import OptionError
    from saferag.experiment.power import cases_for_binary, cases_for_mean

    level = alpha / comparisons
    if run is not None:
        if sd is not None or gained is not None or lost is not None:
            raise OptionError("a pilot run has its own --sd, --gained and --lost: give either it or them")
        _from_pilot(run, difference, metric, level, power_, as_json=as_json)
        return
    if gained is not None or lost is not None:
        found = cases_for_binary(gained or 0.0, lost or 0.0, alpha=level, power=power_)
        what = f"gained {gained or 0:g}, lost {lost or 0:g} (exact McNemar)"
    elif difference is not None and sd is not None:
        found = cases_for_mean(difference, sd, alpha=level, power=power_)
        what = f"a mean difference of {difference:g}, standard deviation {sd:g}"
    else:
        raise OptionError("give a pilot run, or --difference and --sd, or --gained and --lost")
    if as_json:
        sys.stdout.write(json.dumps({"cases": found, "alpha": level, "power": power_}) + "\n")
    else:
        needed = "more cases than could be run" if found is None else f"{found} cases"
        typer.echo(f"{needed} for {what}, at level {level:g} with power {power_:g}")


def _from_pilot(
    run: Path, difference: float | None, chosen: list[str] | None, level: float, power: float, *, as_json: bool
) -> None:
    from saferag.cli.console import console
    from saferag.errors import OptionError
    from saferag.experiment.power import needs
    from saferag.experiment.store import Store
    from saferag.metrics import metrics

    for name in chosen or ():
        metrics.get(name)
    wanted = chosen or _SHOWN
    found = [n for n in needs(Store.open(run), difference=difference, alpha=level, power=power) if n.metric in wanted]
    if not found:
        raise OptionError(f"{run} has no pairs of a clean and an attacked case for {', '.join(wanted)}")
    if as_json:
        for need in found:
            sys.stdout.write(json.dumps(_as_dict(need), ensure_ascii=False) + "\n")
        return
    target = console()
    target.print(_table(found))
    target.print(
        f"Cases for a two-sided test at level {level:g} with power {power:g}. spread: standard deviation within "
        "cases, or the share of cases that change (binary). -: no difference, or too many cases. A pilot's own "
        "difference is uncertain itself: better name the smallest one that matters, with --difference."
    )


def _as_dict(need: Need) -> dict[str, Any]:
    return {
        **need.cell,
        "metric": need.metric,
        "n_pilot": need.n,
        "difference": need.difference,
        "spread": need.spread,
        "binary": need.binary,
        "cases": need.cases,
    }


def _table(found: list[Need]) -> Any:  # noqa: ANN401 - a rich table
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    for name in ("task", "door", "lang", "metric"):
        table.add_column(name, overflow="fold")
    for name in ("pilot n", "diff.", "spread", "cases"):
        table.add_column(name, justify="right", no_wrap=True)
    for need in found:
        cases = "-" if need.cases is None else str(need.cases)
        numbers = (str(need.n), f"{need.difference:+.3f}", f"{need.spread:.3f}", cases)
        cell = need.cell
        table.add_row(cell["task"], _DOORS.get(cell["stage"], cell["stage"]), cell["lang"], need.metric, *numbers)
    return table
