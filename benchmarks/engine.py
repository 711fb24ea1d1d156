"""What the engine adds to the waiting time for models, and whether it ever asks the same thing twice.

    python benchmarks/engine.py

A server in another process on the loopback address answers after 0 or 200 ms. Whole runs go through the engine: grid,
retrieval (bm25), generator, rule judge, metrics, records on disk, the reply cache in SQLite; 64 requests in flight.
The first run, which pays for imports, does not count. Prints and writes to ``benchmarks/results/engine.json``:

- wall time of a run ÷ (unique calls x latency ÷ concurrency) at 200 ms, and CPU milliseconds per call at 0 ms;
- requests that reached the server ÷ unique requests, for ten cells at once that overlap.
"""

from __future__ import annotations

import asyncio
import json
import os
import tempfile
import time
import urllib.request
from collections.abc import Sequence
from pathlib import Path

from invented import TASK, Quiet, dataset
from llm_calls import machine, requests_at, server, spread

from saferag.experiment.cells import Cell, Grid, arms_of
from saferag.experiment.run import Runner
from saferag.experiment.settings import describe
from saferag.experiment.store import Store
from saferag.injection import Stage
from saferag.resources import Resources
from saferag.types import Lang

IN_FLIGHT = 64
CASES = 800
RESULTS = Path(__file__).parent / "results" / "engine.json"
DATA = dataset(CASES)


def cells(url: str, stages: Sequence[Stage], filters: Sequence[str]) -> tuple[Cell, ...]:
    generator = f"openai:loopback(base_url={url}/v1)"
    return Grid(
        (TASK,),
        stages=tuple(stages),
        retrievers=("bm25",),
        filters=tuple(filters),
        generators=(generator,),
        langs=(Lang.EN,),
    ).cells()


def run(chosen: Sequence[Cell]) -> tuple[float, float, int]:
    """Wall and CPU seconds of a run with an empty cache, and its records."""
    with tempfile.TemporaryDirectory() as folder:
        ids = {f"{TASK}|en": [case.id for case in DATA.cases]}
        store = Store.create(Path(folder) / "run", describe(chosen, DATA, case_ids=ids, model=None), DATA.cases)
        resources = Resources(cache_dir=Path(folder) / "cache", concurrency=IN_FLIGHT)
        runner = Runner(DATA, resources, store, Quiet(), max_errors=0.0)
        wall, cpu = time.perf_counter(), time.process_time()
        asyncio.run(runner.run(arms_of(chosen)))
        return time.perf_counter() - wall, time.process_time() - cpu, len(store.records)


def measured(latency: float, repeats: int) -> list[tuple[float, float, int, int]]:
    """Wall, CPU, requests and records of runs of three doors and a clean arm."""
    found = []
    with server(latency) as url:
        run(cells(url, tuple(Stage)[1:2], ["off"]))  # imports, and whatever else is done once
        for _ in range(repeats):
            before = requests_at(url)
            wall, cpu, records = run(cells(url, tuple(Stage), ["off"]))
            found.append((wall, cpu, requests_at(url) - before, records))
    return found


def overlapping() -> tuple[int, int]:
    """Requests sent by ten cells at once, and how many of them are different."""
    with server(0.02) as url:
        run(cells(url, tuple(Stage), ["off", "support", "extract", "support(min_linked=0.9)"])[:10])
        with urllib.request.urlopen(url) as reply:
            return requests_at(url), int(json.load(reply)["unique"])


def main() -> None:
    load = os.getloadavg()[0]
    fast, slow = measured(0.0, 3), measured(0.2, 3)
    sent, unique = overlapping()
    results = {
        "command": "python benchmarks/engine.py",
        "machine": machine() | {"load_average_before": round(load, 2)},
        "in_flight": IN_FLIGHT,
        "records_per_run": slow[0][3],
        "requests_per_run": slow[0][2],
        "cpu_ms_per_call_0ms": spread([cpu / requests * 1000 for _, cpu, requests, _ in fast]),
        "calls_per_second_0ms": spread([requests / wall for wall, _, requests, _ in fast]),
        "wall_over_bound_200ms": spread([wall / (requests * 0.2 / IN_FLIGHT) for wall, _, requests, _ in slow]),
        "requests_sent_over_unique_10_cells": sent / unique,
        "goals": {"wall_over_bound": 1.15, "requests_sent_over_unique": 1.0},
    }
    RESULTS.write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")
    print(json.dumps(results, indent=2))


if __name__ == "__main__":
    main()
