"""Kill a run at random moments, resume it, and count what was sent twice, lost or doubled.

    python benchmarks/resume.py [ROUNDS]

Each round starts `saferag run` as a process against a server on the loopback address (20 ms), kills it with signal 9
at a random moment, up to three times, and then lets it finish. Prints and writes to ``benchmarks/results/resume.json``:
requests sent more than once beside those that were in flight at the kills, records lost or doubled, and whether the
records equal those of an uninterrupted run apart from what stands under ``took``.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

from invented import TASK, dataset
from llm_calls import machine, server

from saferag.data.jsonl import write_cases

CASES = 60
CONCURRENCY = 8
KILLS = 3
RESULTS = Path(__file__).parent / "results" / "resume.json"
COMMAND = (sys.executable, "-c", "from saferag.cli import main; main()", "run", "--json", "--retriever", "bm25")


def start(url: str, data: Path, folder: Path) -> subprocess.Popen[bytes]:
    options = [
        *("--task", TASK, "--data", str(data), "--generator", f"openai:loopback(base_url={url}/v1)"),
        *("--concurrency", str(CONCURRENCY), "--out", str(folder / "run"), "--cache", str(folder / "cache")),
    ]
    return subprocess.Popen([*COMMAND, *options], stdout=subprocess.DEVNULL)


def counts(url: str) -> tuple[int, int]:
    """Requests so far, and how many of them are different."""
    with urllib.request.urlopen(url) as reply:
        found = json.load(reply)
    return int(found["requests"]), int(found["unique"])


def records(folder: Path) -> list[str]:
    """The records of a run without what may differ, in a fixed order."""
    lines = (folder / "run" / "records.jsonl").read_text(encoding="utf-8").splitlines()
    return sorted(json.dumps({k: v for k, v in json.loads(x).items() if k != "took"}, sort_keys=True) for x in lines)


def interrupted(url: str, data: Path, folder: Path, rng: random.Random) -> tuple[int, int]:
    """Kill and resume. Returns how often a request was sent again, and how many kills fell into the run."""
    sent, unique = counts(url)
    kills = 0
    for _ in range(KILLS):
        process = start(url, data, folder)
        before = counts(url)[0]
        moment = before + rng.randint(1, 60)
        while process.poll() is None and counts(url)[0] < moment:
            time.sleep(0.002)
        time.sleep(rng.random() * 0.02)
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
            kills += 1
        process.wait()
    assert start(url, data, folder).wait() == 0
    end = counts(url)
    return (end[0] - sent) - (end[1] - unique), kills


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 10
    rng = random.Random(0)
    again = lost = doubled = kills = different = 0
    with tempfile.TemporaryDirectory() as base:
        data = Path(base) / "data.jsonl"
        write_cases(data, dataset(CASES).cases)
        # A server for each round: its address is part of the settings, and the two runs of a round share it.
        for number in range(rounds):
            with server(0.02) as url:
                folder = Path(base) / str(number)
                repeated, killed = interrupted(url, data, folder, rng)
                whole = Path(base) / f"whole-{number}"
                assert start(url, data, whole).wait() == 0
            expected, found = records(whole), records(folder)
            again, kills = again + repeated, kills + killed
            lost += len(set(expected) - set(found))
            doubled += len(found) - len(set(found))
            different += found != expected
    results = {
        "command": f"python benchmarks/resume.py {rounds}",
        "machine": machine() | {"load_average": round(os.getloadavg()[0], 2)},
        "rounds": rounds,
        "kills": kills,
        "concurrency": CONCURRENCY,
        "records_per_run": len(expected),
        "requests_sent_again": again,
        "most_that_were_in_flight": kills * CONCURRENCY,
        "records_lost": lost,
        "records_doubled": doubled,
        "runs_that_differ_from_an_uninterrupted_one": different,
        "goals": {"records_lost": 0, "records_doubled": 0, "requests_sent_again": "only those in flight"},
    }
    RESULTS.write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")
    print(json.dumps(results, indent=2))


if __name__ == "__main__":
    main()
