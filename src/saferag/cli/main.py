"""The entry point: commands, and how errors end them."""

from __future__ import annotations

import contextlib
import io
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import typer

import saferag
from saferag.cli import (
    adapt_command,
    agree_command,
    build_command,
    compare_command,
    craft_command,
    data_commands,
    funnel_command,
    list_command,
    plan_command,
    power_command,
    report_command,
    reproduce_command,
    review_command,
    run_command,
    show_command,
)
from saferag.cli.console import error_line
from saferag.cli.run_options import spread
from saferag.errors import SafeRAGError, UserError

_UsageError: Any = typer.BadParameter.__bases__[0]  # typer has no public name for it

app = typer.Typer(
    name="saferag",
    help="What can somebody do to a RAG system by putting text where it reads?",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.command("run")(run_command.run)
app.command("plan")(plan_command.plan)
app.command("reproduce")(reproduce_command.reproduce)
app.command("power")(power_command.power)
app.command("adapt")(adapt_command.adapt)
app.command("craft")(craft_command.craft)
app.command("funnel")(funnel_command.funnel)
app.command("build")(build_command.build)
app.command("review")(review_command.review)
app.command("agree")(agree_command.agree)
app.command("list")(list_command.list_components)
app.command("show")(show_command.show)
app.command("report")(report_command.report)
app.command("compare")(compare_command.compare)
app.add_typer(data_commands.app, name="data")


def _version(value: bool) -> None:
    if value:
        typer.echo(saferag.__version__)
        raise typer.Exit


@app.callback()
def _root(
    version: bool = typer.Option(False, "--version", callback=_version, is_eager=True, help="Print the version."),
) -> None:
    pass


def main(argv: Sequence[str] | None = None) -> None:
    """Run a command. Exit codes: 0 done, 2 the user can fix it, 3 a run or its output failed, 130 stopped."""
    _prepare_streams()
    sys.exit(_run(spread(list(sys.argv[1:] if argv is None else argv))))


def _run(arguments: list[str]) -> int:
    """Run a command; whatever ends it early is one line on standard error and an exit code."""
    try:
        code = _invoke(arguments)
        sys.stdout.flush()
    except UserError as error:
        error_line(str(error))
        return 2
    except SafeRAGError as error:
        error_line(str(error))
        return 3
    except KeyboardInterrupt:
        error_line("stopped; what was finished is kept, and the same command goes on from there")
        return 130
    except BrokenPipeError:
        _drop_output()  # the reader of our output has gone, such as `head`
        return 0
    except OSError as error:
        error_line(f"cannot go on: {error}")
        _drop_output()
        return 3
    return code


def _invoke(arguments: list[str]) -> int:
    """Run a command without typer's own ways to end a process."""
    try:
        command = typer.main.get_command(app)
        with command.make_context("saferag", arguments) as context:
            command.invoke(context)
    except typer.Exit as end:
        return int(end.exit_code)
    except _UsageError as error:
        if message := error.format_message():  # without one, the help has been printed instead
            where = error.ctx.command_path if error.ctx else "saferag"
            error_line(f"{' '.join(message.split()).rstrip('.')}; see {where} --help")
        return 2
    return 0


def _prepare_streams() -> None:
    """Write UTF-8 whatever the locale is, and never fail over a character that a terminal does not have."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:  # closed by whoever started us
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115 - as long as we run
        elif isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding=None if stream.isatty() else "utf-8", errors="backslashreplace")


def _drop_output() -> None:
    """Send what is still to be written nowhere, or the interpreter would fail over it when it ends."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
