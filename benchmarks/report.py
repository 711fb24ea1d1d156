"""Time, memory and size of a report over many records.

A real run of the bundled data is made once; its cases are then copied under new ids until there are as many records
as asked for, and the copy is reported in fresh processes.

    python benchmarks/report.py --records 100000 --out benchmarks/results/report.json
"""

from __future__ import annotations

import argparse
import json
import re
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

FORMATS = ("html", "md", "latex", "json", "csv")
RUN = ["--retriever", "bm25", "--filter", "off,support,extract", "--position", "front,back,spread"]
_ID = re.compile(r"\b((?:zh|en)-[a-z]+-\d+)\b")


def saferag(*arguments: str) -> tuple[float, float, float]:
    """Run a command; wall seconds, CPU seconds, and the highest memory of any child so far in MB."""
    started, used = time.monotonic(), _cpu()
    code = "import sys; from saferag.cli import main; main(sys.argv[1:])"
    subprocess.run(
        [sys.executable, "-c", code, *arguments], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    return time.monotonic() - started, _cpu() - used, peak


def _cpu() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def copy(base: Path, out: Path, records: int) -> int:
    """Copy a run's cases under new ids until it has so many records."""
    out.mkdir()
    settings = json.loads((base / "run.json").read_text(encoding="utf-8"))
    have = sum(1 for _ in (base / "records.jsonl").open(encoding="utf-8"))
    times = -(-records // have)
    settings["case_ids"] = {
        k: [f"{i}c{n}" for n in range(times) for i in ids] for k, ids in settings["case_ids"].items()
    }
    (out / "run.json").write_text(json.dumps(settings, ensure_ascii=False), encoding="utf-8")
    for name in ("cases.jsonl", "passages.jsonl", "records.jsonl"):
        text = (base / name).read_text(encoding="utf-8")
        with (out / name).open("w", encoding="utf-8") as file:
            for n in range(times):
                file.write(_ID.sub(rf"\1c{n}", text))
    return have * times


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=100_000)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--formats", default=",".join(FORMATS))
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        base, many = Path(folder, "base"), Path(folder, "many")
        saferag("run", *RUN, "--out", str(base), "--cache", str(Path(folder, "cache")))
        records = copy(base, many, options.records)
        found: dict[str, object] = {"records": records, "python": sys.version.split()[0], "formats": {}}
        for name in options.formats.split(","):
            target = Path(folder, f"out.{name}")
            seconds, cpu, peak = saferag("report", str(many), "--format", name, "--out", str(target))
            files = [target] if target.is_file() else list(target.iterdir())
            size = sum(f.stat().st_size for f in files)
            found["formats"][name] = {  # type: ignore[index]
                "wall_seconds": round(seconds, 1),
                "cpu_seconds": round(cpu, 1), "peak_mb_so_far": round(peak), "megabytes": round(size / 1e6, 2),
            }  # fmt: skip
            print(name, found["formats"][name])  # type: ignore[index]
    text = json.dumps(found, indent=1) + "\n"
    if options.out:
        options.out.write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
