"""The data cards in the documentation say what the shipped files say."""

from __future__ import annotations

from pathlib import Path

import pytest

from saferag.data import load_dataset
from saferag.data.card import card
from saferag.data.manifest import FOLDER
from saferag.types import Lang

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("lang", Lang)
def test_the_committed_card_is_what_the_command_prints(lang: Lang) -> None:
    name = f"saferag-open.{lang.value}"
    committed = (ROOT / "docs" / "cards" / f"{name}.md").read_text(encoding="utf-8")

    assert committed == card(load_dataset(FOLDER / f"{name}.jsonl"))
