"""A stored run in every format that it can leave in."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from saferag.errors import OptionError, UserError, did_you_mean
from saferag.experiment.store import Store
from saferag.report.html import TRACES, html
from saferag.report.summary import summarise
from saferag.types import Lang


@dataclass(frozen=True, slots=True)
class Request:
    """What is wanted.

    Attributes:
        lang: Language of what people read.
        format: A key of `FORMATS`.
        out: A file, or a folder where the format has several; None: in the run's folder.
        traces: How many cases an HTML report tells in full.
    """

    lang: Lang
    format: str = "html"
    out: Path | None = None
    traces: int = TRACES


def export(store: Store, request: Request) -> Iterator[Path]:
    """Write a run in a format.

    Returns:
        The files that were written.

    Raises:
        OptionError: There is no such format.
        UserError: A file cannot be written.
        MissingExtraError: The format needs a package that is not installed.
    """
    if request.format not in FORMATS:
        hint = did_you_mean(request.format, FORMATS)
        raise OptionError(f"--format has no '{request.format}'{hint}; it takes: {', '.join(FORMATS)}")
    yield from FORMATS[request.format](store, request)


def _html(store: Store, request: Request) -> Iterator[Path]:
    text = html(summarise(store), request.lang, traces=request.traces)
    yield write(request.out or store.path / f"report.{request.lang.value}.html", text)


def write(path: Path, content: str | bytes) -> Path:
    """Write a file, whole or not at all.

    Raises:
        UserError: It cannot be written.
    """
    data = content.encode("utf-8", "replace") if isinstance(content, str) else content
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_name(path.name + ".part")
        part.write_bytes(data)
        part.replace(path)
    except OSError as error:
        raise UserError(f"{path} cannot be written: {error.strerror}; choose another --out") from None
    return path


FORMATS: dict[str, Callable[[Store, Request], Iterator[Path]]] = {"html": _html}
