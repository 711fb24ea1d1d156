"""What every test gets: its own environment, a cache of the session, and no network beyond this machine."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from saferag.resources import Resources
from saferag.types import Lang
from servers import ChatServer

settings.register_profile("saferag", deadline=None)  # no test asserts how long something takes
settings.load_profile("saferag")

_LOOPBACK = ("127.", "::1", "localhost")


@pytest.fixture(scope="session")
def session_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One cache folder for the session, so that no text is embedded twice."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch, session_cache: Path) -> None:
    """No key and no server of the developer's reaches a test, and no test reaches the developer's cache."""
    for name in [n for n in os.environ if n.startswith(("OPENAI_", "DEEPSEEK_", "DASHSCOPE_", "SAFERAG_CACHE"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("SAFERAG_CACHE", str(session_cache))


@pytest.fixture(autouse=True)
def loopback_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """A connection to another machine fails the test that makes it."""
    connect = socket.socket.connect

    def guarded(self: socket.socket, address: object) -> None:
        if isinstance(address, tuple) and not str(address[0]).startswith(_LOOPBACK):
            raise AssertionError(f"a test tried to reach {address[0]}")
        connect(self, address)  # type: ignore[arg-type]

    monkeypatch.setattr(socket.socket, "connect", guarded)


@pytest.fixture
def chat_server() -> Iterator[ChatServer]:
    """A chat server on this machine; its ``handler`` decides how it behaves."""
    with ChatServer() as server:
        yield server


@pytest.fixture
def resources() -> Resources:
    """Resources in English that keep nothing on disk and lose no time before a repeat."""
    return Resources(lang=Lang.EN, backoff=0.001, timeout=5.0, retries=3)
