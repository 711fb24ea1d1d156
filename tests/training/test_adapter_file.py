"""The adapter that is shipped is the one that the training says it makes."""

from __future__ import annotations

import hashlib
from pathlib import Path

from saferag.models.reader import ADAPTER

README = Path(__file__).parents[2] / "training" / "README.md"


def test_the_shipped_adapter_has_the_hash_that_the_training_states() -> None:
    assert hashlib.sha256(ADAPTER.read_bytes()).hexdigest() in README.read_text("utf-8")
