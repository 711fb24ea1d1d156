"""The whole embedded run: four tasks, three doors, every bundled case of one language, no model, nothing sent.

    python benchmarks/embedded.py [LANG]

Runs `saferag run` as a process of its own, first with an empty cache folder and then with the one that it left.
Prints and writes to ``benchmarks/results/embedded.json``: seconds and peak memory of each.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from llm_calls import machine

from saferag.data import load_dataset
from saferag.types import Lang

RESULTS = Path(__file__).parent / "results" / "embedded.json"


def timed(lang: str, out: Path, cache: Path) -> dict[str, float]:
    """Run once in a process of its own; memory in MB."""
    command = [sys.executable, "-c", "from saferag.cli import main; main()", "run", "--lang", lang, "--json"]
    started = time.perf_counter()
    process = subprocess.Popen(
        [*command, "--out", str(out), "--cache", str(cache)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    _, status, usage = os.wait4(process.pid, 0)
    assert status == 0
    unit = 1 if sys.platform == "darwin" else 1024
    return {
        "wall_s": round(time.perf_counter() - started, 1),
        "cpu_s": round(usage.ru_utime + usage.ru_stime, 1),
        "peak_mb": round(usage.ru_maxrss * unit / 1e6),
    }


def main() -> None:
    lang = sys.argv[1] if len(sys.argv) > 1 else "zh"
    load = os.getloadavg()[0]
    cases = sum(case.lang is Lang(lang) for case in load_dataset().cases)
    with tempfile.TemporaryDirectory() as folder:
        base = Path(folder)
        first = timed(lang, base / "one", base / "cache")
        second = timed(lang, base / "two", base / "cache")
        records = len((base / "two" / "records.jsonl").read_text(encoding="utf-8").splitlines())
    results = {
        "command": f"python benchmarks/embedded.py {lang}",
        "machine": machine() | {"load_average_before": round(load, 2)},
        "cases": cases,
        "records": records,
        "empty_cache": first,
        "kept_embeddings": second,
        "goals": {"wall_s": 60, "peak_mb": 1500},
    }
    RESULTS.write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")
    print(json.dumps(results, indent=2))


if __name__ == "__main__":
    main()
