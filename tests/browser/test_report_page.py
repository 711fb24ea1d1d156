"""The HTML report in a real Chromium: nothing runs, nothing is loaded, nothing is wider than the window."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from hostile.hostile_run import names_run, texts_run
from hostile.payloads import PAYLOADS
from saferag.experiment.store import Store
from saferag.report.export import Request, export
from saferag.types import Lang
from toy_report import toy_store

pytestmark = pytest.mark.browser

DESKTOP, PHONE = 1280, 390


@dataclass
class Page:
    """An opened page, and what it did."""

    page: Any
    requests: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)


@dataclass
class Opener:
    """Opens files in fresh contexts and listens."""

    browser: Any
    contexts: list[Any] = field(default_factory=list)

    def __call__(self, path: Path, width: int = DESKTOP, scheme: str = "light", *, script: bool = True) -> Page:
        context = self.browser.new_context(
            viewport={"width": width, "height": 900}, color_scheme=scheme, java_script_enabled=script
        )
        self.contexts.append(context)
        opened = Page(context.new_page())
        opened.page.on("request", lambda request: opened.requests.append(request.url))
        opened.page.on("console", lambda message: opened.complaints.append(message.text))
        opened.page.on("pageerror", lambda error: opened.complaints.append(str(error)))
        opened.page.on("dialog", lambda dialog: opened.complaints.append(dialog.message))
        opened.page.goto(path.as_uri())
        return opened


@pytest.fixture
def show(chromium: Any) -> Iterator[Opener]:
    opener = Opener(chromium)
    yield opener
    for context in opener.contexts:
        context.close()


@pytest.fixture(scope="module")
def hostile_pages(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("pages")
    for name, make in (("texts", texts_run), ("names", names_run)):
        make(folder / name, PAYLOADS)
    return [report(Store.open(folder / name), folder / f"{name}.html", Lang.EN) for name in ("texts", "names")]


@pytest.fixture(scope="module")
def toy_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("toy")
    return report(toy_store(folder / "run"), folder / "report.html", Lang.ZH)


def report(store: Store, out: Path, lang: Lang) -> Path:
    [path] = export(store, Request(lang, out=out, traces=1000))
    return path


def width_of(page: Any) -> tuple[int, int]:
    inner, outer = page.evaluate("[document.documentElement.scrollWidth, window.innerWidth]")
    return int(inner), int(outer)


def test_payloads_run_nothing_and_load_nothing(show: Opener, hostile_pages: list[Path]) -> None:
    for path in hostile_pages:
        opened = show(path)
        opened.page.evaluate("document.querySelectorAll('details').forEach(d => { d.open = true; })")
        opened.page.mouse.wheel(0, 5000)
        opened.page.keyboard.press("Tab")
        opened.page.wait_for_timeout(300)

        assert opened.page.evaluate("typeof window.pwned") == "undefined"
        assert opened.requests == [path.as_uri()]
        assert opened.complaints == []
        assert opened.page.evaluate("document.querySelectorAll('main').length") == 1
        assert opened.page.evaluate("document.querySelectorAll('footer').length") == 1
        assert opened.page.locator("footer").is_visible()
        assert opened.page.evaluate("document.scripts.length") == 1


@pytest.mark.parametrize("width", [DESKTOP, PHONE])
def test_payloads_do_not_break_the_layout(show: Opener, hostile_pages: list[Path], width: int) -> None:
    for path in hostile_pages:
        page = show(path, width).page
        page.evaluate("document.querySelectorAll('details').forEach((d, i) => { d.open = i % 5 == 0; })")
        inner, outer = width_of(page)

        assert inner <= outer


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [DESKTOP, PHONE])
def test_text_has_contrast_in_both_schemes(show: Opener, toy_page: Path, width: int, scheme: str) -> None:
    """Text against the ground that it stands on: at least 4.5 to 1 (WCAG AA)."""
    page = show(toy_page, width, scheme).page
    poor = page.evaluate(CONTRAST)

    assert poor == []


def test_the_page_fits_a_phone(show: Opener, toy_page: Path) -> None:
    inner, outer = width_of(show(toy_page, PHONE).page)

    assert inner <= outer


def test_filters_search_and_anchors_work(show: Opener, toy_page: Path) -> None:
    page = show(toy_page).page
    total = page.locator(".trace").count()
    page.locator("select[name=task]").select_option("soft_ad")
    filtered = page.locator(".trace:visible").count()
    page.locator("input[name=search]").fill("nothing has these words")

    assert 0 < filtered < total
    assert page.locator(".trace:visible").count() == 0
    page.locator("input[name=search]").fill("")
    link = page.locator(".story a[href^='#t-']").first
    target = link.get_attribute("href")
    link.click()
    assert page.evaluate("id => document.getElementById(id).open", target[1:])


def test_without_javascript_everything_but_filtering_works(show: Opener, toy_page: Path) -> None:
    opened = show(toy_page, script=False)

    assert not opened.page.locator("#filter").is_visible()
    assert opened.page.locator("noscript p").count() == 1
    summary = opened.page.locator(".trace > summary").first
    summary.click()
    assert opened.page.locator(".trace .inside").first.is_visible()


def test_every_landmark_heading_and_table_has_its_semantics(show: Opener, toy_page: Path) -> None:
    page = show(toy_page).page

    assert page.evaluate("document.documentElement.lang") == "zh-Hans"
    levels = page.evaluate("[...document.querySelectorAll('h1,h2,h3')].map(h => +h.tagName[1])")
    assert levels[0] == 1 and levels.count(1) == 1
    assert all(b - a <= 1 for a, b in pairwise(levels))
    assert page.evaluate("[...document.querySelectorAll('th')].every(t => t.scope)")
    assert page.evaluate("[...document.querySelectorAll('svg')].every(s => s.querySelector('title'))")
    assert page.evaluate("[...document.querySelectorAll('input,select')].every(e => e.labels.length == 1)")
    ids = page.evaluate("[...document.querySelectorAll('[id]')].map(e => e.id)")
    assert len(ids) == len(set(ids))
    links = page.evaluate("[...document.querySelectorAll('a')].map(a => a.getAttribute('href').slice(1))")
    assert set(links) <= set(ids)


CONTRAST = """() => {
  const canvas = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
  const rgb = (colour) => {
    canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1);
    return canvas.getImageData(0, 0, 1, 1).data;
  };
  const light = (c) => [0, 1, 2].map(i => c[i] / 255).map(v => v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [.2126, .7152, .0722][i], 0);
  const ground = (e) => {
    for (; e; e = e.parentElement) {
      const c = rgb(getComputedStyle(e).backgroundColor);
      if (c[3] === 255) return c;
    }
    return [255, 255, 255, 255];
  };
  const poor = new Set();
  for (const e of document.querySelectorAll('body *')) {
    const own = [...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim());
    if (!own || !e.checkVisibility() || e.closest('script, style, title, option')) continue;
    const style = getComputedStyle(e);
    const svg = e instanceof SVGElement;
    if (svg && e.classList.contains('on')) continue;
    const a = light(rgb(svg ? style.fill : style.color)), b = light(ground(e));
    const ratio = (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
    if (ratio < 4.5) poor.add(`${e.tagName}.${e.getAttribute('class')} ${ratio.toFixed(2)}`);
  }
  return [...poor];
}"""
