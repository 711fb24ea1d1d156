"""A stored run in every format that it can leave in."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from saferag.errors import OptionError, UserError, did_you_mean
from saferag.experiment.store import Store
from saferag.report import files, plain
from saferag.report.html import TRACES, drawings, html
from saferag.report.summary import summarise
from saferag.report.texts import texts_of
from saferag.types import Lang


def _silent(_note: str) -> None:
    """Nobody to tell."""


@dataclass(frozen=True, slots=True)
class Request:
    """What is wanted.

    Attributes:
        lang: Language of what people read.
        format: A key of `FORMATS`.
        out: A file, or a folder where the format has several; None: in the run's folder.
        traces: How many cases an HTML report tells in full.
        say: Takes notes for the user.
    """

    lang: Lang
    format: str = "html"
    out: Path | None = None
    traces: int = TRACES
    say: Callable[[str], None] = _silent


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


def _html(store: Store, request: Request) -> Iterator[Path]:
    text = html(summarise(store), request.lang, traces=request.traces)
    yield write(request.out or store.path / f"report.{request.lang.value}.html", text)


def _markdown(store: Store, request: Request) -> Iterator[Path]:
    text = plain.markdown_report(summarise(store), texts_of(request.lang))
    yield write(request.out or store.path / f"report.{request.lang.value}.md", text)


def _latex(store: Store, request: Request) -> Iterator[Path]:
    text = plain.latex_report(summarise(store), texts_of(request.lang))
    yield write(request.out or store.path / f"report.{request.lang.value}.tex", text)


def _json(store: Store, request: Request) -> Iterator[Path]:
    yield write(request.out or store.path / "report.json", files.json_text(summarise(store), texts_of(request.lang)))


def _csv(store: Store, request: Request) -> Iterator[Path]:
    folder = request.out or store.path
    yield write(folder / "estimates.csv", files.csv_text(files.estimate_rows(store)))
    yield write(folder / "records.csv", files.csv_text(files.record_rows(store)))


def _parquet(store: Store, request: Request) -> Iterator[Path]:
    folder = request.out or store.path
    yield write(folder / "estimates.parquet", files.parquet_bytes(files.estimate_rows(store)))
    yield write(folder / "records.parquet", files.parquet_bytes(files.record_rows(store)))


def _svg(store: Store, request: Request) -> Iterator[Path]:
    folder = request.out or store.path / "figures"
    for name, figure in drawings(summarise(store), texts_of(request.lang)):
        yield write(folder / f"{name}.{request.lang.value}.svg", figure.alone())


def _pdf(store: Store, request: Request) -> Iterator[Path]:
    from saferag.report.pdf import pdf_bytes

    data, note = pdf_bytes(summarise(store), texts_of(request.lang))
    if note:
        request.say(note)
    yield write(request.out or store.path / f"figures.{request.lang.value}.pdf", data)


FORMATS: dict[str, Callable[[Store, Request], Iterator[Path]]] = {
    "html": _html,
    "md": _markdown,
    "csv": _csv,
    "parquet": _parquet,
    "latex": _latex,
    "svg": _svg,
    "pdf": _pdf,
    "json": _json,
}
