"""Runs of payloads, made once."""

from __future__ import annotations

from pathlib import Path

import pytest

from hostile.hostile_run import names_run, texts_run
from hostile.payloads import PAYLOADS
from saferag.experiment.store import Store


@pytest.fixture(scope="session", params=["texts", "names"])
def hostile(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Store:
    """A run with a payload in every text, and one with a payload in every name."""
    folder: Path = tmp_path_factory.mktemp("hostile") / "run"
    make = texts_run if request.param == "texts" else names_run
    make(folder, PAYLOADS)
    return Store.open(folder)
