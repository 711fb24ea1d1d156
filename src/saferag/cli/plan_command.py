"""``saferag plan``: what a run would send to whom, what it would cost and how long it would take. Sends nothing."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from saferag.cli.run_options import RunOptions, takes

if TYPE_CHECKING:
    from saferag.experiment.plan import Endpoint, Plan
    from saferag.models.prices import Prices

_PLAN = "Plan"


@dataclass(frozen=True)
class PlanOptions(RunOptions):
    """What a user can say about a plan: all of a run's options, and two more."""

    prices: Annotated[
        Path | None,
        typer.Option(help="TOML file with prices. Default: the list that saferag comes with.", rich_help_panel=_PLAN),
    ] = None
    latency: Annotated[
        float, typer.Option(help="Seconds that a request is taken to last.", rich_help_panel=_PLAN, min=0)
    ] = 2.0


@takes(PlanOptions)
def plan(options: PlanOptions) -> None:
    """Say what `run` would do with the same options: cells, calls per endpoint, tokens, cost and time."""
    import asyncio

    from saferag.cli import setup
    from saferag.cli.console import console
    from saferag.experiment.cells import arms_of
    from saferag.experiment.plan import PlanningResources
    from saferag.experiment.plan import plan as walk
    from saferag.models.prices import load_prices

    prices = load_prices(options.prices)
    chosen, data, cells = setup.cells_of(options)
    setup.case_ids(cells, data, chosen.limit)
    model = setup.default_model(chosen.model, list(dict.fromkeys(cell.attacked.generator for cell in cells)))
    folder = chosen.cache or setup.cache_folder()
    counting = PlanningResources(
        cache_dir=folder if folder.exists() else None, model=model, concurrency=chosen.concurrency, dry_run=True
    )
    arms = arms_of(cells, chosen.epochs)
    found = asyncio.run(walk(data, arms, counting, chosen.limit))
    summary = summarise(found, prices, chosen.concurrency, options.latency)
    summary = {"cells": len(cells), "arms": len(arms), "records": found.records, **summary}
    if options.json:
        sys.stdout.write(json.dumps(summary, ensure_ascii=False) + "\n")
        return
    target = console()
    for line in _report(summary, options):
        target.print(line)


def summarise(plan: Plan, prices: Prices, concurrency: int, latency: float) -> dict[str, Any]:
    """The plan as numbers. The cost is None where a price is not known."""
    endpoints = [_endpoint(spec, found, prices, concurrency, latency) for spec, found in sorted(plan.endpoints.items())]
    costs = [endpoint["cost_usd"] for endpoint in endpoints if endpoint["calls"]]
    return {
        "calls": sum(e["calls"] for e in endpoints),
        "to_send": sum(e["to_send"] for e in endpoints),
        "exact": not plan.bounds,
        "bounds": list(plan.bounds),
        "cost_usd": None if None in costs else round(sum(costs), 4),
        "seconds": max((e["seconds"] for e in endpoints), default=0.0),
        "endpoints": endpoints,
    }


def _endpoint(spec: str, found: Endpoint, prices: Prices, concurrency: int, latency: float) -> dict[str, Any]:
    price = prices.find(found.identity)
    to_send = found.total - found.cached
    cost = None if price is None else price.of(found.prompt_tokens, found.completion_tokens)
    return {
        "model": spec,
        "calls": found.total,
        "exact": found.exact,
        "cached": found.cached,
        "to_send": to_send,
        "by_step": dict(sorted(found.calls.items())),
        "prompt_tokens": round(found.prompt_tokens),
        "completion_tokens": round(found.completion_tokens),
        "cost_usd": None if cost is None else round(cost, 4),
        "seconds": round(to_send * latency / concurrency, 1),
    }


def _report(summary: dict[str, Any], options: PlanOptions) -> list[Any]:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    from saferag.text import visible

    lines: list[Any] = [f"{summary['cells']} cells, {summary['arms']} arms, {summary['records']} records"]
    if not summary["endpoints"]:
        return [*lines, "No model is asked: nothing would be sent, and it costs nothing."]
    table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False)
    table.add_column("model", overflow="fold")
    for name in ("calls", "cached", "tokens in", "out", "USD", "time"):
        table.add_column(name, justify="right", no_wrap=True)
    for e in summary["endpoints"]:
        bound = "" if e["exact"] == e["calls"] else "<="
        cost = "?" if e["cost_usd"] is None else f"{e['cost_usd']:.2f}"
        tokens = (f"{e['prompt_tokens']:,}", f"{e['completion_tokens']:,}")
        table.add_row(
            visible(e["model"]), f"{bound}{e['calls']:,}", f"{e['cached']:,}", *tokens, cost, _time(e["seconds"])
        )
    lines.append(table)
    steps = ", ".join(
        f"{step} {sum(e['by_step'].get(step, 0) for e in summary['endpoints']):,}"
        for step in ("filter", "generator", "judge")
        if any(step in e["by_step"] for e in summary["endpoints"])
    )
    lines.append(f"Unique calls by step: {steps}.")
    lines += [f"An upper bound (<=): {reason}." for reason in summary["bounds"]]
    lines.append(
        f"Tokens are estimates. Time: {options.latency:g} s a request (--latency), {options.concurrency} at once "
        "(--concurrency). Repairs of unusable replies and repeats after failures come on top."
    )
    if summary["cost_usd"] is None:
        lines.append("?: no price is known; put one into a file for --prices (see docs/grids.md).")
    return lines


def _time(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}"
