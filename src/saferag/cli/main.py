"""The entry point: commands, and how errors end them."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import typer

import saferag
from saferag.cli import (
    adapt_command,
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
    run_command,
    show_command,
)
from saferag.cli.console import error_line
from saferag.cli.run_options import spread
from saferag.errors import SafeRAGError, UserError

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
    """Run a command. Exit codes: 0 done, 2 the user can fix it, 3 a run failed above its error budget, 130 stopped."""
    arguments = spread(list(sys.argv[1:] if argv is None else argv))
    try:
        app(args=arguments, prog_name="saferag")
    except UserError as error:
        error_line(str(error))
        sys.exit(2)
    except SafeRAGError as error:
        error_line(str(error))
        sys.exit(3)
    except KeyboardInterrupt:
        error_line("stopped; what was finished is kept, and the same command goes on from there")
        sys.exit(130)
    except BrokenPipeError:
        sys.stderr.close()  # the reader of our output has gone, such as `head`
        sys.exit(0)
