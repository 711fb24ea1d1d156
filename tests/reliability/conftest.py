"""Runs over toy data in a folder of their own."""

from __future__ import annotations

from pathlib import Path

import pytest

from running import Setup
from saferag.resources import Resources


@pytest.fixture
def setup(tmp_path: Path, resources: Resources) -> Setup:
    """Runs over toy data."""
    return Setup(tmp_path / "run", resources)
