"""The review page in a real Chromium: reading, editing, deciding, conflicts, and hostile text that stays text."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from review_desk import Served, built_folder
from saferag.construct.folder import Folder
from saferag.construct.records import Draft
from saferag.review.desks import ReviewDesk
from saferag.review.journal import Journal, Status

pytestmark = pytest.mark.browser

FERRY, DAM = "tarnholm-ferry-1", "云栈水库-1"
HOSTILE = (
    '<script>window.hit = 1</script><img src=x onerror="window.hit = 2"> [x](javascript:alert(1)) '
    "{{7*7}} \u202egnp.exe\u202c \x1b[31m \u200bzero " + "W" * 3000
)


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return built_folder(tmp_path / "b")


@pytest.fixture
def served(folder: Folder) -> Iterator[Served]:
    with Served(ReviewDesk(folder)) as server:
        yield server


def expect_other(locator: Any, text: str) -> None:
    """Wait until an element no longer has this text."""
    from playwright.sync_api import expect

    expect(locator).not_to_have_text(text, timeout=15_000)


def shows(locator: Any, text: str | re.Pattern[str]) -> None:
    """Wait until an element has this text. (The page's policy forbids what `wait_for_function` does.)"""
    from playwright.sync_api import expect

    expect(locator).to_have_text(text, timeout=15_000)


class Tab:
    """A tab in a context of its own, and what went wrong in it."""

    def __init__(self, browser: Any, url: str, who: str, locale: str = "en-GB") -> None:
        self.context = browser.new_context(locale=locale, viewport={"width": 1280, "height": 900})
        self.page = self.context.new_page()
        self.page.set_default_timeout(15_000)
        self.complaints: list[str] = []
        self.foreign: list[str] = []
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("request", lambda request: self.foreign.append(request.url))
        self.page.goto(url)
        self.page.fill("#who", who)
        self.page.press("#who", "Escape")
        self.page.wait_for_selector("#item h2")

    def text(self, field: str) -> Any:
        return self.page.locator(f'.text[data-field="{field}"]')

    def box(self, field: str) -> Any:
        return self.page.locator(f'textarea[data-field="{field}"]')

    def open(self, title: str) -> None:
        self.page.click(f'nav button:has-text("{title}")')
        self.page.wait_for_selector(f'#item h2:has-text("{title}")')

    def edit(self, field: str, new: str) -> None:
        self.text(field).click()
        self.box(field).fill(new)
        self.page.keyboard.press("Escape")

    def saved(self) -> None:
        shows(self.page.locator("#saved"), re.compile("^(saved|已保存)$"))


@pytest.fixture
def tabs(chromium: Any, served: Served) -> Iterator[Any]:
    opened: list[Tab] = []

    def open_tab(who: str = "Ada", locale: str = "en-GB") -> Tab:
        opened.append(Tab(chromium, served.server.url, who, locale))
        return opened[-1]

    yield open_tab
    for tab in opened:
        assert tab.complaints == []
        assert all(url.startswith(f"http://127.0.0.1:{served.server.port}/") for url in tab.foreign)
        tab.context.close()


def journal_of(folder: Folder) -> Journal:
    return Journal(folder.journal)


def test_an_edit_is_saved_by_itself_shown_in_the_history_and_undone_by_a_key(tabs: Any, folder: Folder) -> None:
    tab = tabs()
    tab.open("Tarnholm")
    before = journal_of(folder).state(FERRY).record["query"]
    tab.edit("query", "What has changed at the ferry company?")
    tab.saved()
    assert journal_of(folder).state(FERRY).record["query"] == "What has changed at the ferry company?"
    tab.page.wait_for_selector('#history td:has-text("Ada")')
    tab.page.keyboard.press("u")
    shows(tab.text("query"), before)
    assert journal_of(folder).state(FERRY).record["query"] == before


def test_a_pause_is_enough_to_save(tabs: Any, folder: Folder) -> None:
    tab = tabs()
    tab.open("Tarnholm")
    tab.text("topic").click() if tab.text("topic").count() else tab.text("title").click()
    tab.page.keyboard.type("!")
    tab.saved()
    assert (
        journal_of(folder).state(FERRY).record["title"].endswith("!")
        or journal_of(folder).state(FERRY).record["topic"] == "!"
    )


def test_keys_accept_reject_and_move_on(tabs: Any, folder: Folder) -> None:
    tab = tabs()
    first = tab.page.locator("#item h2").inner_text()
    tab.page.keyboard.press("a")
    tab.page.wait_for_selector("nav .tag.accepted")
    shows(tab.page.locator("#item h2"), re.compile(f"^(?!{re.escape(first)})"))
    tab.page.keyboard.press("r")
    tab.page.wait_for_selector("nav .tag.rejected")
    assert sorted(state.status.value for state in journal_of(folder).states()) == ["accepted", "rejected"]
    assert tab.page.locator("#progress").inner_text() == "2 of 2 done"


def test_a_case_goes_back_to_the_model_with_a_note(tabs: Any, folder: Folder) -> None:
    tab = tabs()
    tab.open("Tarnholm")
    tab.page.keyboard.press("b")
    tab.page.fill("#note", "Ask about the fares.")
    tab.page.click("#send")
    tab.page.wait_for_selector("nav .tag.returned")
    state = journal_of(folder).state(FERRY)
    assert (state.status, state.note) == (Status.RETURNED, "Ask about the fares.")


def test_a_second_tab_gets_a_conflict_and_loses_nothing(tabs: Any, folder: Folder) -> None:
    ada, bo = tabs("Ada"), tabs("Bo")
    for tab in (ada, bo):
        tab.open("Tarnholm")
    ada.edit("query", "By Ada?")
    ada.saved()
    bo.edit("query", "By Bo?")
    bo.page.wait_for_selector("#conflict:not([hidden])")
    shown = bo.page.locator("#conflict").inner_text()
    assert "Ada has changed this" in shown and "By Ada?" in shown and "By Bo?" in shown
    assert journal_of(folder).state(FERRY).record["query"] == "By Ada?"
    bo.page.click("#mine")
    bo.page.wait_for_selector('.text[data-field="query"]:has-text("By Bo?")')
    assert journal_of(folder).state(FERRY).record["query"] == "By Bo?"


def test_a_decision_about_a_changed_case_gets_a_conflict(tabs: Any, folder: Folder) -> None:
    ada, bo = tabs("Ada"), tabs("Bo")
    for tab in (ada, bo):
        tab.open("Tarnholm")
    ada.edit("query", "By Ada?")
    ada.saved()
    bo.page.keyboard.press("a")
    bo.page.wait_for_selector("#conflict:not([hidden])")
    assert journal_of(folder).state(FERRY).status is Status.OPEN
    bo.page.click("#conflict button")
    bo.page.wait_for_selector('.text[data-field="query"]:has-text("By Ada?")')


def test_facts_and_changes_are_marked_and_findings_shown(tabs: Any) -> None:
    tab = tabs()
    tab.open("Tarnholm")
    assert "37 years" in tab.page.locator('[data-field^="golden/"] mark').all_inner_texts()
    conflict = tab.page.locator('[data-field="attacks/inter_context_conflict/passages/c1"]')
    assert (conflict.locator("del").inner_text(), conflict.locator("ins").inner_text()) == ("37", "52")
    tab.edit("golden/g1", "Far too short.")
    tab.saved()
    tab.page.wait_for_selector('.problems li:has-text("golden.g1")')


def test_the_page_speaks_chinese_to_a_chinese_browser_and_switches(tabs: Any) -> None:
    tab = tabs(locale="zh-CN")
    assert tab.page.locator("#do-accept").inner_text() == "通过 (a)"
    tab.open("云栈水库")
    tab.page.keyboard.press("l")
    assert tab.page.locator("#do-accept").inner_text() == "Accept (a)"


def test_everything_can_be_reached_by_keyboard(tabs: Any, folder: Folder) -> None:
    tab = tabs()
    first = tab.page.locator("#item h2").inner_text()
    tab.page.keyboard.press("j")
    expect_other(tab.page.locator("#item h2"), first)
    tab.page.keyboard.press("k")
    shows(tab.page.locator("#item h2"), first)
    tab.page.wait_for_load_state("networkidle")
    for _ in range(30):
        tab.page.keyboard.press("Tab")
        if tab.page.evaluate("document.activeElement.dataset.field === 'query'"):
            break
    tab.page.keyboard.press("Enter")
    tab.box("query").wait_for()
    tab.page.keyboard.press("Control+A")
    tab.page.keyboard.type("Typed without a mouse?")
    tab.page.keyboard.press("Escape")
    tab.page.wait_for_selector('.text[data-field="query"]:has-text("Typed without a mouse?")')
    tab.saved()
    assert "Typed without a mouse?" in {state.record["query"] for state in journal_of(folder).states()}
    tab.page.keyboard.press("?")
    assert tab.page.locator("#keys").is_visible()


def test_hostile_text_stays_text(chromium: Any, tmp_path: Path) -> None:
    base = built_folder(tmp_path / "a").drafts()[0]
    case = {**base.case, "id": "hostile-1", "title": HOSTILE[:400], "query": HOSTILE}
    case["golden"] = [{**golden, "text": HOSTILE + golden["text"]} for golden in case["golden"]]
    hostile = Draft(
        case=case, segment="hostile-1", made_by="rules", missing=["<b>x</b>"], reasons={"ad": "<script>hit=3</script>"}
    )
    folder = built_folder(tmp_path / "b", [hostile])
    with Served(ReviewDesk(folder)) as served:
        tab = Tab(chromium, served.server.url, '<img src=x onerror="hit=4">')
        tab.open("<script>")
        tab.edit("golden/g1", HOSTILE + " edited")
        tab.saved()
        tab.page.wait_for_selector("#history td")
        assert tab.page.evaluate("window.hit") is None
        assert tab.page.locator("#item script, #item img, #item b, nav img").count() == 0
        shown = tab.page.locator("body").inner_text()
        assert "\\u202e" in shown and "\u202e" not in shown and "\x1b" not in shown and "\u200b" not in shown
        too_wide = "e => e.scrollWidth > e.clientWidth + 1"
        assert not tab.page.locator("html").evaluate(too_wide) and not tab.page.locator("#item").evaluate(too_wide)
        assert tab.complaints == []
        state = journal_of(folder).state("hostile-1")
        assert state.record["golden"][0]["text"] == HOSTILE + " edited"
        tab.context.close()


def test_an_ad_is_written_by_hand(tabs: Any, folder: Folder) -> None:
    tab = tabs()
    tab.open("Tarnholm")

    def write(name: str) -> Any:
        return tab.page.locator(f'[data-write="soft_ad{name}"]')

    write("").click()
    golden = write("/direct").input_value()
    write("/direct").fill(f"{golden} Zovekix ropes held it all.")
    write("/indirect").fill(f"{golden} The harbour office recommends Zovekix ropes.")
    write("/names").fill("Zovekix")
    write("/save").click()
    tab.page.wait_for_selector('[data-field="attacks/soft_ad/passages/a1"] ins:has-text("Zovekix")')
    assert journal_of(folder).state(FERRY).record["attacks"]["soft_ad"]["keywords"] == ["Zovekix"]
    assert tab.page.locator('summary[data-write="soft_ad"]').count() == 0


def test_without_the_token_the_page_shows_nothing(chromium: Any, served: Served) -> None:
    page = chromium.new_context().new_page()
    page.goto(f"http://127.0.0.1:{served.server.port}/?token=guess")
    shows(page.locator("#saved"), re.compile("not allowed"))
    assert page.locator("nav button").count() == 0
    page.context.close()


def test_pictures_for_the_documentation(tabs: Any, tmp_path: Path) -> None:
    """The pictures in docs/images are made here: SAFERAG_PICTURES names the folder; else they go to a temporary one."""
    out = Path(os.environ.get("SAFERAG_PICTURES") or tmp_path)
    tab = tabs("Ada")
    tab.open("Tarnholm")
    tab.page.screenshot(path=out / "review.png")
    tab.page.locator('h3:has-text("Inter-context")').scroll_into_view_if_needed()
    tab.page.evaluate("document.querySelector('#item').scrollBy(0, 500)")
    tab.page.screenshot(path=out / "review-difference.png")
    assert (out / "review.png").stat().st_size > 10_000
