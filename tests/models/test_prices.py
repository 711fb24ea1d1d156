"""Prices come from a file that a user can edit; what nobody knows is not taken to be free."""

from __future__ import annotations

from pathlib import Path

import pytest

from saferag.errors import DataError
from saferag.models.prices import Price, load_prices

CLOUD = {"provider": "openai", "base_url": "https://api.example.com/v1"}


def test_a_price_is_per_million_tokens() -> None:
    assert Price(2.0, 10.0).of(500_000, 100_000) == pytest.approx(2.0)


def test_a_server_on_this_machine_is_free_and_an_unknown_one_is_unknown() -> None:
    prices = load_prices()

    assert prices.find({**CLOUD, "model": "gpt-4o"}) == prices.models["gpt-4o"]
    assert prices.find({**CLOUD, "model": "nobody-knows"}) is None
    assert prices.find({"provider": "openai", "base_url": "http://127.0.0.1:8000/v1", "model": "x"}) == Price(0, 0)
    assert prices.find({"provider": "gguf", "model": "x"}) == Price(0, 0)


def test_a_users_file_counts(tmp_path: Path) -> None:
    path = tmp_path / "prices.toml"
    path.write_text('[models]\n"mine" = [1, 2.5]\n', encoding="utf-8")

    assert load_prices(path).models == {"mine": Price(1.0, 2.5)}


@pytest.mark.parametrize(
    "text", ["", "[models]\nx = 3", "[models]\nx = [1]", "[models]\nx = [-1, 2]", "[models", "models = 1"]
)
def test_what_is_no_price_list_is_one_line_with_its_file(tmp_path: Path, text: str) -> None:
    path = tmp_path / "prices.toml"
    path.write_text(text, encoding="utf-8")

    with pytest.raises(DataError, match=r"prices\.toml"):
        load_prices(path)
