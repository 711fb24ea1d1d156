"""What every test may use."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from saferag.resources import Resources
from saferag.types import Lang
from servers import ChatServer


@pytest.fixture(autouse=True)
def _no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test sees a key or an address of whoever runs it."""
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "DEEPSEEK_API_KEY"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def chat_server() -> Iterator[ChatServer]:
    """A chat server on this machine; its ``handler`` decides how it behaves."""
    with ChatServer() as server:
        yield server


@pytest.fixture
def resources() -> Resources:
    """Resources in English that keep nothing on disk and lose no time before a repeat."""
    return Resources(lang=Lang.EN, backoff=0.001, timeout=5.0, retries=3)
