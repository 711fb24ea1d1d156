"""What tokens cost, by a file that the user can edit."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from saferag.errors import DataError
from saferag.models.openai import is_loopback


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars per million tokens."""

    prompt: float
    completion: float

    def of(self, prompt_tokens: float, completion_tokens: float) -> float:
        """US dollars for so many tokens."""
        return (self.prompt * prompt_tokens + self.completion * completion_tokens) / 1e6


@dataclass(frozen=True, slots=True)
class Prices:
    """Prices by the model's name at its server."""

    models: Mapping[str, Price]

    def find(self, identity: Mapping[str, str]) -> Price | None:
        """The price of a model: free where it runs on this machine and is not listed, None where nobody knows."""
        name = identity.get("model", "")
        if name in self.models:
            return self.models[name]
        here = identity.get("provider") != "openai" or is_loopback(identity.get("base_url", ""))
        return Price(0.0, 0.0) if here else None


def load_prices(path: Path | None = None) -> Prices:
    """Read prices from a file, or the ones that saferag comes with.

    Raises:
        DataError: The file cannot be read, or is not one of prices.
    """
    try:
        text = (resources.files(__package__) / "prices.toml" if path is None else path).read_text("utf-8")
        table = tomllib.loads(text)
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror}", path=path) from None
    except ValueError as error:
        raise DataError(f"is not TOML: {error}", path=path) from None
    models = table.get("models")
    if not isinstance(models, dict):
        raise DataError('needs a table [models] of lines such as "gpt-4o" = [2.50, 10.00]', path=path)
    return Prices({name: _price(name, value, path) for name, value in models.items()})


def _price(name: str, value: object, path: Path | None) -> Price:
    if isinstance(value, list) and len(value) == 2 and all(_is_amount(v) for v in value):
        return Price(float(value[0]), float(value[1]))
    raise DataError("must be two amounts of at least 0: [prompt, completion]", path=path, field=name)


def _is_amount(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < 1e9
