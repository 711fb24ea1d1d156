"""The options that ``run`` shares with every command that runs or plans cells."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import wraps
from pathlib import Path
from typing import Annotated, TypeVar

import typer

OptionsT = TypeVar("OptionsT")

_LISTS = frozenset(
    "--task --attack --stage --ratio --position --top-k --retriever --filter --generator --judge --lang --seed".split()  # noqa: SIM905
)
_COMMANDS = frozenset(["run", "adapt", "plan", "reproduce"])

_CELLS = "What is compared (several values give several cells)"
_DATA = "Data"
_MODELS = "Models"
_OUTPUT = "Output"


def _option(text: str, panel: str, *names: str, **more: typing.Any) -> typing.Any:  # noqa: ANN401 - typer's own type
    return typer.Option(*names, help=text, rich_help_panel=panel, show_default=False, **more)


@dataclass(frozen=True)
class RunOptions:
    """What a user can say about a run. None means the default that the help text names."""

    task: Annotated[
        list[str] | None,
        _option(
            "Attacks by name or label (SN, ICC, SA, WDoS …), a group (paper, field, all), or FILE.py:NAME. "
            "Default: paper, those four.",
            _CELLS,
            "--task",
            "--attack",
        ),
    ] = None
    stage: Annotated[
        list[str] | None,
        _option("The door: knowledge_base, retrieved_context, filtered_context. Default: all three.", _CELLS),
    ] = None
    ratio: Annotated[
        list[str] | None, _option("Attack texts / top-k, such as 3/6 or 0.5. Default: SN 3/6, others 1/2.", _CELLS)
    ] = None
    position: Annotated[
        list[str] | None, _option("Places of attack texts: front, back, spread, random. Default: front.", _CELLS)
    ] = None
    top_k: Annotated[list[str] | None, _option("Size of the context window. Default: SN 6, others 2.", _CELLS)] = None
    retriever: Annotated[
        list[str] | None, _option("bm25, dense, hybrid, hybrid-rerank … or FILE.py:NAME. Default: dense.", _CELLS)
    ] = None
    filter: Annotated[
        list[str] | None, _option("off, support, extract, nli, skr … or FILE.py:NAME. Default: support.", _CELLS)
    ] = None
    generator: Annotated[
        list[str] | None, _option("extractive, reader, openai:MODEL … or FILE.py:NAME. Default: extractive.", _CELLS)
    ] = None
    judge: Annotated[list[str] | None, _option("rule, llm or FILE.py:NAME. Default: rule.", _CELLS)] = None
    lang: Annotated[list[str] | None, _option("zh, en. Default: every language of the data.", _CELLS)] = None
    seed: Annotated[
        list[str] | None, _option("Decides random places and whatever an attack draws. Default: 0.", _CELLS)
    ] = None
    controls: Annotated[
        bool,
        _option("Also run benign text of the same length in the same places, and no context at all.", _CELLS),
    ] = False
    grid: Annotated[
        Path | None, _option("A TOML or YAML file with these settings; options given here override it.", _CELLS)
    ] = None
    epochs: Annotated[
        int, _option("Runs of each case, for models with a temperature above 0. Default: 1.", _CELLS, min=1)
    ] = 1
    data: Annotated[
        Path | None, _option("A .jsonl file, or the published .json. Default: the cases that we ship.", _DATA)
    ] = None
    kb: Annotated[Path | None, _option("For the published .json: the folder with SN/db.txt and so on.", _DATA)] = None
    attack_texts: Annotated[
        Path | None, _option("A .jsonl file with ready attack texts; see docs/add-an-attack.md.", _DATA)
    ] = None
    split: Annotated[str | None, _option("Only cases of this split, such as dev or test.", _DATA)] = None
    limit: Annotated[int | None, _option("At most so many cases per task and language.", _DATA, min=1)] = None
    model: Annotated[
        str | None, _option("Chat model for filters and judges that ask one. Default: the generator's.", _MODELS)
    ] = None
    concurrency: Annotated[int, _option("Requests in flight per model. Default: 8.", _MODELS, min=1)] = 8
    timeout: Annotated[float, _option("Seconds for one request. Default: 120.", _MODELS, min=0.01)] = 120.0
    retries: Annotated[int, _option("How often a failed request is sent again. Default: 4.", _MODELS, min=0)] = 4
    max_errors: Annotated[
        float, _option("Share of cases that may fail before the run stops. Default: 0.1.", _MODELS, min=0, max=1)
    ] = 0.1
    cache: Annotated[
        Path | None, _option("Folder for replies and embeddings. Default: the user's cache folder.", _OUTPUT)
    ] = None
    out: Annotated[Path | None, _option("The run's folder. Default: runs/ and the run's fingerprint.", _OUTPUT)] = None
    json: Annotated[
        bool, typer.Option("--json", help="Print JSON Lines instead of tables.", rich_help_panel=_OUTPUT)
    ] = False


def takes(kind: type[OptionsT]) -> Callable[[Callable[[OptionsT], None]], Callable[..., None]]:
    """Make a function of one options record into a command with an option for each of its fields."""

    def decorate(command: Callable[[OptionsT], None]) -> Callable[..., None]:
        hints = typing.get_type_hints(kind, include_extras=True)

        @wraps(command)
        def wrapper(**values: object) -> None:
            command(kind(**values))

        parameters = [
            inspect.Parameter(f.name, inspect.Parameter.KEYWORD_ONLY, default=f.default, annotation=hints[f.name])
            for f in fields(kind)  # type: ignore[arg-type]
        ]
        wrapper.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        wrapper.__annotations__ = hints
        del wrapper.__wrapped__  # or the signature of the inner function would be found
        return wrapper

    return decorate


def spread(arguments: list[str]) -> list[str]:
    """Let list options take several values after one name: ``--task SN ICC`` is ``--task SN --task ICC``."""
    if not arguments or arguments[0] not in _COMMANDS:
        return arguments
    out: list[str] = []
    name, values = "", 0
    for argument in arguments:
        if argument.startswith("-"):
            name, equals, _ = argument.partition("=")
            name, values = name if name in _LISTS else "", len(equals)
        elif name:
            out.extend([name] if values else [])
            values += 1
        out.append(argument)
    return out
