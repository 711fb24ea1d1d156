"""Where people's output goes: tables to standard output, progress and errors to standard error."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

from saferag.text import visible

if TYPE_CHECKING:
    from rich.console import Console

    from saferag.models.traffic import BackoffEvent


def error_line(message: str) -> None:
    """Print one line about an error; control characters in it are made visible."""
    sys.stderr.write(f"saferag: {visible(message)}\n")


def note_line(message: str) -> None:
    """Print one line for people that does not belong to the results."""
    sys.stderr.write(f"{visible(message)}\n")


def console() -> Console:
    """A console on standard output. Piped to a file it is 80 columns wide and has no colour.

    It is never narrower: a terminal breaks lines that are too long for it, where a table would leave numbers out.
    """
    from rich.console import Console

    found = Console(highlight=False, markup=False, emoji=False, soft_wrap=False)
    found.width = max(80, found.width)
    return found


class TerminalProgress:
    """Progress on standard error: a bar with rate and time left on a terminal, a line now and then elsewhere."""

    def __init__(self, every: float = 10.0) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        self._every = every
        self._total = self._done = 0
        self._backoffs = 0
        self._started = self._last = time.monotonic()
        self._bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(bar_width=20),
            MofNCompleteColumn(),
            TextColumn("{task.fields[rate]}"),
            TimeRemainingColumn(),
            console=Console(stderr=True),
            transient=True,
            disable=not sys.stderr.isatty(),
        )
        self._task = self._bar.add_task("starting", total=None, rate="")

    def __enter__(self) -> TerminalProgress:
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def start(self, total: int) -> None:
        """So many cases are left to do."""
        self._total = total
        self._started = self._last = time.monotonic()
        self._bar.update(self._task, total=total, description="cases")

    def stage(self, text: str) -> None:
        """Say what is going on now."""
        now = time.monotonic()
        if not sys.stderr.isatty() and (not text.startswith("embedding") or now - self._last >= self._every):
            self._last = now
            note_line(text)
        self._bar.update(self._task, description=text[:40])

    def back_off(self, event: BackoffEvent) -> None:
        """Say that a request will be sent again, the first times each and then now and then."""
        self._backoffs += 1
        if self._backoffs <= 5 or self._backoffs % 100 == 0:
            text = f"{event.endpoint}: {event.message}; again in {event.wait:.1f} s, {event.concurrency} at once"
            self._bar.console.print(visible(f"{text} (back-off {self._backoffs})"), markup=False, highlight=False)

    def advance(self) -> None:
        """A case is done."""
        self._done += 1
        now = time.monotonic()
        rate = self._done / max(now - self._started, 1e-9)
        self._bar.update(self._task, advance=1, description="cases", rate=pace(rate))
        if not sys.stderr.isatty() and now - self._last >= self._every:
            self._last = now
            left = (self._total - self._done) / rate
            note_line(f"{self._done}/{self._total} cases, {pace(rate)}, {duration(left)} left")


def pace(rate: float) -> str:
    """So many a second, or so many seconds each."""
    return f"{rate:.1f}/s" if rate >= 1 else f"{1 / rate:.1f} s each"


def duration(seconds: float) -> str:
    """Seconds, minutes from two on, hours from two on."""
    for size, unit in ((3600, "h"), (60, "min")):
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds:.0f} s"
