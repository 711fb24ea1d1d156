"""What the documentation shows works: Python blocks run, commands parse, links lead somewhere."""

from __future__ import annotations

import re
import shlex
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import typer

from saferag.attacks import attacks
from saferag.cli.main import app
from saferag.cli.run_options import spread
from saferag.filters import filters
from saferag.generators import generators
from saferag.judges import judges
from saferag.metrics import metrics
from saferag.models import models
from saferag.registry import Registry
from saferag.retrievers import retrievers

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
BLOCK = re.compile(r"^```(\w+)[^\n]*\n(.*?)^```", re.MULTILINE | re.DOTALL)
REGISTRIES: tuple[Registry[Any], ...] = (attacks, filters, generators, judges, metrics, models, retrievers)
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")


def blocks(page: Path, language: str) -> list[str]:
    return [text for kind, text in BLOCK.findall(page.read_text(encoding="utf-8")) if kind == language]


def commands(page: Path) -> list[str]:
    """The saferag commands in a page's shell blocks, continuation lines joined, comments dropped."""
    lines = "\n".join(blocks(page, "sh")).replace("\\\n", " ").splitlines()
    return [re.split(r" [#>]", line)[0].strip() for line in lines if line.startswith("saferag ")]


def name(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("page", [p for p in PAGES if blocks(p, "python")], ids=name)
def test_python_blocks_run_one_after_another(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    module = ModuleType("example")
    monkeypatch.setitem(sys.modules, "example", module)  # dataclasses look their module up
    for registry in REGISTRIES:  # what an example registers is gone when it has run
        registry.names()
        monkeypatch.setattr(registry, "_entries", dict(registry._entries))
    for text in blocks(page, "python"):
        exec(compile(text, name(page), "exec", dont_inherit=True), vars(module))


@pytest.mark.parametrize(
    ("page", "command"), [(name(p), c) for p in PAGES for c in commands(p)], ids=lambda value: str(value)[:60]
)
def test_commands_are_what_the_command_line_takes(page: str, command: str) -> None:
    words = spread(shlex.split(command)[1:])
    node = typer.main.get_command(app)
    context = node.make_context("saferag", words, resilient_parsing=False)
    while hasattr(node, "resolve_command"):
        arguments = [*context._protected_args, *context.args]
        _, found, rest = node.resolve_command(context, arguments)
        assert found is not None, f"{page}: no command in '{command}'"
        node = found
        context = node.make_context(command, rest, parent=context)


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    for target in LINK.findall(page.read_text(encoding="utf-8")):
        if "://" not in target and not target.startswith("mailto:"):
            assert (page.parent / target).exists(), f"{name(page)} links to {target}"
