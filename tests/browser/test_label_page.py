"""Judging answers in a real Chromium: blind, by keyboard, kept, and harmless whatever an answer holds."""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from review_desk import Served
from running import Setup, one_arm
from saferag.experiment.store import Store
from saferag.resources import Resources
from saferag.review.desks import LabelDesk
from saferag.review.labelling import Labels, items
from saferag.types import Lang, Verdict

pytestmark = pytest.mark.browser

HOSTILE = "<script>window.hit=1</script><img src=x onerror=window.hit=2> \u202etxt.exe \x1b[0m " + "x" * 2000


@pytest.fixture
def store(tmp_path: Path) -> Store:
    def run() -> Store:
        setup = Setup(tmp_path / "run", Resources(lang=Lang.EN))
        setup.run(one_arm(f'scripted(reply="{HOSTILE}")', tasks=("inter_context_conflict",)))
        return setup.store()

    with ThreadPoolExecutor(1) as pool:  # a browser's driver may keep an event loop in this thread
        return pool.submit(run).result()


@pytest.fixture
def served(store: Store) -> Iterator[Served]:
    with Served(LabelDesk({item.id: item for item in items(store)}, Labels(store.path / "labels.jsonl"))) as server:
        yield server


@pytest.fixture
def page(chromium: Any, served: Served) -> Iterator[Any]:
    context = chromium.new_context(locale="en-GB", viewport={"width": 1280, "height": 900})
    opened = context.new_page()
    complaints: list[str] = []
    opened.on("pageerror", lambda error: complaints.append(str(error)))
    opened.goto(served.server.url)
    opened.fill("#who", "Ada")
    opened.press("#who", "Escape")
    opened.wait_for_selector(".option")
    yield opened
    assert complaints == []
    context.close()


def test_answers_are_judged_by_keyboard_and_kept(page: Any, store: Store) -> None:
    first = page.locator("nav button[aria-current=true]").inner_text()
    page.keyboard.press("1")
    page.keyboard.press("2")
    page.keyboard.press("x")
    page.keyboard.press("Enter")
    page.wait_for_selector("nav .tag.done")
    ((who, item), labelled), *others = Labels(store.path / "labels.jsonl").all().items()
    assert not others and who == "Ada" and labelled.refused
    assert list(labelled.verdicts.values()) == [Verdict.CORRECT, Verdict.INCORRECT]
    assert page.locator("#progress").inner_text().startswith("1 of ")
    assert page.locator("nav button[aria-current=true]").inner_text() != first
    assert item in {i.id for i in items(store)}


def test_an_answer_with_a_statement_left_is_not_saved(page: Any, store: Store) -> None:
    page.keyboard.press("1")
    page.keyboard.press("Enter")
    page.wait_for_selector('#saved:has-text("Every statement")')
    assert not (store.path / "labels.jsonl").exists()


def test_nothing_on_the_page_tells_where_an_answer_comes_from(page: Any, served: Served) -> None:
    telling = ("inter_context", "attack", "clean", "scripted", "incorrect", "keyword", "golden")
    replies = [
        served.ask("/api/queue?who=Ada")[1],
        *(served.ask(f"/api/items/{i['id']}")[1] for i in served.ask("/api/queue")[1]["items"]),
    ]
    shown = page.locator("body").inner_text() + str(replies)
    assert not [word for word in telling if word in shown]


def test_a_hostile_answer_stays_text(page: Any) -> None:
    assert page.evaluate("window.hit") is None
    assert page.locator("#item img, #item script").count() == 0
    shown = page.locator("#answer").inner_text()
    assert "<script>" in shown and "\\u202e" in shown and "\x1b" not in shown
    assert not page.locator("#item").evaluate("e => e.scrollWidth > e.clientWidth + 1")


def test_a_picture_for_the_documentation(chromium: Any, tmp_path: Path) -> None:
    def run() -> Store:
        setup = Setup(tmp_path / "run", Resources(lang=Lang.EN))
        setup.run(one_arm("extractive"))
        return setup.store()

    with ThreadPoolExecutor(1) as pool:
        store = pool.submit(run).result()
    out = Path(os.environ.get("SAFERAG_PICTURES") or tmp_path)
    with Served(LabelDesk({item.id: item for item in items(store)}, Labels(tmp_path / "labels.jsonl"))) as served:
        context = chromium.new_context(locale="en-GB", viewport={"width": 1280, "height": 560})
        page = context.new_page()
        page.goto(served.server.url)
        page.fill("#who", "Ada")
        page.press("#who", "Escape")
        page.wait_for_selector(".option")
        page.keyboard.press("1")
        page.screenshot(path=out / "label.png")
        context.close()
    assert (out / "label.png").stat().st_size > 5_000
