"""``saferag review``: a local page for the cases of a build, or for judging the answers of a run."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from saferag.review.desks import Desk


def review(
    folder: Annotated[Path, typer.Argument(help="The folder of a build (review cases) or of a run (judge answers).")],
    labels: Annotated[
        Path | None, typer.Option(help="For a run: the file for labels. Default: labels.jsonl in its folder.")
    ] = None,
    port: Annotated[int, typer.Option(help="Port of the page. Default: a free one.", min=0, max=65535)] = 0,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open the page in a browser.")] = True,
) -> None:
    """Review the cases of a build, or judge the answers of a run blind, on a page that only this machine can reach."""
    import asyncio

    desk = _desk(folder, labels)
    asyncio.run(_serve(desk, port, browser))


def _desk(folder: Path, labels: Path | None) -> Desk:
    from saferag.construct.folder import Folder
    from saferag.errors import OptionError
    from saferag.experiment.store import Store
    from saferag.review.desks import LabelDesk, ReviewDesk
    from saferag.review.labelling import Labels, items

    if (folder / "run.json").is_file():
        found = {item.id: item for item in items(Store.open(folder))}
        return LabelDesk(found, Labels(labels or folder / "labels.jsonl"))
    if labels is not None:
        raise OptionError("--labels goes with the folder of a run")
    return ReviewDesk(Folder.open(folder))


async def _serve(desk: Desk, port: int, browser: bool) -> None:
    import asyncio
    import contextlib
    import signal
    import webbrowser

    from saferag.cli.console import note_line
    from saferag.review.server import ReviewServer

    server = ReviewServer(desk, port)
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        with contextlib.suppress(NotImplementedError, RuntimeError):  # on Windows, and outside of the main thread
            loop.add_signal_handler(number, stop.set)
    await server.start()
    note_line(f"open {server.url}")
    note_line("whoever has this address may read and change the cases; Ctrl-C ends it, and nothing saved is lost")
    if browser:
        await asyncio.to_thread(webbrowser.open, server.url)
    try:
        await stop.wait()
    finally:
        await server.stop()
