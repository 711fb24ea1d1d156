"""What injection and search cost beside building the index anew.

    python benchmarks/retrieval.py 10000 100000 1000000

For each number of passages, with synthetic corpora (Zipf's law, seeded) that are written like Chinese and like English,
1,000 passages are injected and 100 questions are searched. Each measurement has a process of its own. Times are CPU
seconds of that process, all its threads together. Prints every figure, with its goal at a million passages, and writes
a file for each size to ``benchmarks/results/``:

- bm25: CPU of an overlay (the best of three) ÷ CPU of a rebuild; whether the top 10 equal those of the rebuild, scores
  included; CPU of 100 questions; memory at its peak while the index is built, corpus included;
- dense: the same over random vectors of 384 numbers, without the cost of embedding.
"""

from __future__ import annotations

import json
import os
import platform
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from saferag.embedders import Kind
from saferag.resources import Resources
from saferag.retrievers import Retriever, retrievers
from saferag.retrievers.dense import Dense
from saferag.types import Passage

RESULTS = Path(__file__).parent / "results"
BM25 = "bm25(tokens=terms)"
INJECTED = 1_000
QUESTIONS = 100
TOP_K = 10
VOCABULARY = 200_000
DIMENSIONS = 384
GOALS: dict[str, float | bool] = {  # for a million passages
    "overlay_over_rebuild": 0.01,
    "identical_top_k": True,
    "search_cpu_s": 10.0,
    "build_peak_gb": 3.0,
}
STYLES = ("bm25 zh", "bm25 en", "dense")


def zipf(rng: np.random.Generator) -> Callable[[int], NDArray[np.intp]]:
    """Draws numbers of words; the n-th word comes up in proportion to 1 / (n + 2)."""
    shares = np.cumsum(1.0 / np.arange(3, VOCABULARY + 3))
    return lambda count: np.searchsorted(shares, rng.random(count) * shares[-1])


def vocabulary(style: str, rng: np.random.Generator) -> list[str]:
    """Words of one to four characters or of two to ten letters; frequent ones are short."""
    first, many, shortest, longest = (0x4E00, 4_000, 1, 4) if style == "zh" else (ord("a"), 26, 2, 10)
    lengths = np.minimum(
        longest, shortest + (rng.random(VOCABULARY) * np.log10(np.arange(1, VOCABULARY + 1))).astype(int)
    )
    characters = rng.integers(0, many, size=(VOCABULARY, longest))
    return ["".join(chr(first + c) for c in row[:length]) for row, length in zip(characters, lengths, strict=True)]


def texts(style: str, rng: np.random.Generator) -> Callable[[int, int], Iterator[str]]:
    """Makes ``count`` texts of a number of words."""
    words, draw = vocabulary(style, rng), zipf(rng)
    joint, comma = ("", "，") if style == "zh" else (" ", ", ")

    def make(count: int, length: int) -> Iterator[str]:
        for _ in range(count):
            chosen = [words[i] for i in draw(length)]
            yield comma.join(joint.join(chosen[i : i + 8]) for i in range(0, length, 8))

    return make


class Given:
    """An embedder for texts that are row numbers."""

    identity = "given"

    def __init__(self, rows: NDArray[np.float32]) -> None:
        self._rows = rows

    def embed(self, texts: Sequence[str], *, kind: Kind) -> NDArray[np.float32]:
        """The rows of these numbers."""
        return self._rows[np.array(texts, np.intp)]


def problem(style: str, size: int) -> tuple[Retriever, list[Passage], list[Passage], list[str]]:
    """A retriever, a corpus, what is injected, and questions."""
    rng = np.random.default_rng(20_251)
    if style == "dense":
        rows = rng.normal(size=(size + INJECTED + QUESTIONS, DIMENSIONS)).astype(np.float32)
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
        made = [str(i) for i in range(len(rows))]
        retriever: Retriever = Dense(Given(rows))
    else:
        make = texts(style.split()[1], rng)
        retriever = retrievers.build(BM25, Resources())
        made = [*make(size + INJECTED, 64), *make(QUESTIONS, 16)]
    passages = [Passage(f"p{i:08d}", text) for i, text in enumerate(made[: size + INJECTED])]
    return retriever, passages[:size], passages[size:], made[size + INJECTED :]


def cpu(work: Callable[[], Any]) -> tuple[float, Any]:
    start = time.process_time()
    result = work()
    return time.process_time() - start, result


def peak_gb() -> float:
    """Most memory of this process so far; Linux counts in kilobytes, macOS in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1e9 if sys.platform == "darwin" else 1e6)


def measure(style: str, size: int) -> dict[str, float | bool]:
    retriever, corpus, injected, questions = problem(style, size)
    base = retriever.index(corpus)
    peak = peak_gb()
    overlay_cpu, overlaid = min((cpu(lambda: base.overlay(injected)) for _ in range(3)), key=lambda pair: pair[0])
    search_cpu, found = cpu(lambda: overlaid.search(questions, TOP_K))
    rebuild_cpu, rebuilt = cpu(lambda: retriever.index([*corpus, *injected]))
    return {
        "overlay_cpu_s": round(overlay_cpu, 4),
        "rebuild_cpu_s": round(rebuild_cpu, 3),
        "overlay_over_rebuild": round(overlay_cpu / rebuild_cpu, 6),
        "identical_top_k": found == rebuilt.search(questions, TOP_K),
        "search_cpu_s": round(search_cpu, 3),
        "build_peak_gb": round(peak, 3),
    }


def machine() -> dict[str, object]:
    packages = {name: version(name) for name in ("numpy", "rjieba")}
    python = platform.python_version()
    return {
        "cores": os.cpu_count(),
        "architecture": platform.machine(),
        "system": platform.system(),
        "python": python,
        **packages,
    }


def in_a_process_of_its_own(style: str, size: int) -> dict[str, float | bool]:
    command = [sys.executable, __file__, "--one", style, str(size)]
    reply = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
    figures: dict[str, float | bool] = json.loads(reply)
    return figures


def report(style: str, size: int, figures: dict[str, float | bool]) -> None:
    for name, value in figures.items():
        goal = GOALS.get(name) if style != "dense" and size >= 1_000_000 else None
        bound = "" if goal is None else f"   goal: {goal}" if goal is True else f"   goal: at most {goal}"
        print(f"{style:8} {size:>9,} passages  {name:22} {value!s:>10}{bound}", flush=True)


def main(arguments: Sequence[str]) -> None:
    if arguments[:1] == ["--one"]:
        print(json.dumps(measure(arguments[1], int(arguments[2]))))
        return
    for size in [int(argument) for argument in arguments] or [10_000]:
        found = {}
        for style in STYLES:
            found[style] = in_a_process_of_its_own(style, size)
            report(style, size, found[style])
        command = f"python benchmarks/retrieval.py {size}"
        setting = {"bm25": BM25, "injected": INJECTED, "questions": QUESTIONS, "top_k": TOP_K}
        content = {
            "command": command,
            "machine": machine(),
            "passages": size,
            **setting,
            "figures": found,
            "goals_of_bm25_at_1000000": GOALS,
        }
        RESULTS.mkdir(exist_ok=True)
        path = RESULTS / f"retrieval_{size}.json"
        path.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
