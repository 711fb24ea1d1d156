"""A real Chromium, or a clear reason why there is none."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from typing import Any

import pytest

_NAMES = ("chromium", "chromium-browser", "google-chrome")


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    """A browser; skips where none is found, unless SAFERAG_REQUIRE_BROWSER=1.

    One for each module: while it is open, its driver keeps an event loop running in this thread.
    """
    path = os.environ.get("SAFERAG_CHROMIUM") or next(filter(None, map(shutil.which, _NAMES)), None)
    required = os.environ.get("SAFERAG_REQUIRE_BROWSER") == "1"
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        reason = "playwright is not installed (dependency group dev)"
        pytest.fail(reason) if required else pytest.skip(reason)
    if path is None:
        reason = "no Chromium on the path; name one in SAFERAG_CHROMIUM"
        pytest.fail(reason) if required else pytest.skip(reason)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        yield browser
        browser.close()
