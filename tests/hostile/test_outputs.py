"""Whatever stands in a run, no output of ours carries out, loads or breaks anything."""

from __future__ import annotations

import csv
import io
import json
import re
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest
from rich.console import Console

from hostile.payloads import PAYLOADS, URL
from saferag.experiment.effects import paired_rows
from saferag.experiment.store import Store
from saferag.report import compare_text
from saferag.report.compare import compare
from saferag.report.export import Request, export
from saferag.report.story import stories
from saferag.report.tables import case_table, run_tables
from saferag.report.texts import texts_of
from saferag.types import Lang

CONTROL = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]")
TAGS = set(
    "html head meta title style body a div header h1 h2 h3 h4 p nav ul li main section table caption thead tbody tr th "  # noqa: SIM905
    "td details summary figure figcaption small svg polyline polygon line circle rect text span bdi mark form label "
    "select option input output noscript pre dl dt dd footer script".split()
)


class Tags(HTMLParser):
    """The tags and attributes of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.names: set[str] = set()
        self.attributes: set[str] = set()
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.add(tag)
        for name, value in attrs:
            self.attributes.add(name)
            if name in ("href", "src", "action"):
                self.links.append(value or "")


def written(store: Store, folder: Path, kind: str, lang: Lang = Lang.EN) -> list[str]:
    """What a format writes."""
    several = kind in ("csv", "svg", "parquet")
    request = Request(lang, kind, folder if several else folder / f"file.{kind}", 1000)
    return [path.read_text(encoding="utf-8") for path in export(store, request)]


def test_there_are_at_least_two_hundred_different_payloads() -> None:
    assert len(set(PAYLOADS)) == len(PAYLOADS) >= 200


def test_html_has_our_tags_and_links_only(hostile: Store, tmp_path: Path) -> None:
    [page] = written(hostile, tmp_path, "html")
    tags = Tags()
    tags.feed(page)

    assert tags.names <= TAGS
    assert not [name for name in tags.attributes if name.startswith("on") or name in ("style", "src", "srcset")]
    assert all(re.fullmatch(r"#[a-z0-9-]+", link) for link in tags.links)
    assert page.count("<script>") == page.count("<style>") == 1
    assert not CONTROL.search(page)


def test_csv_cells_are_no_formulas(hostile: Store, tmp_path: Path) -> None:
    for text in written(hostile, tmp_path, "csv"):
        assert text.startswith("\ufeff")
        rows = list(csv.reader(io.StringIO(text[1:], newline="")))
        assert {len(row) for row in rows} == {len(rows[0])}
        for value in (v for row in rows for v in row):
            if not re.fullmatch(r"-?\d+(\.\d+)?(e-?\d+)?", value):
                assert not re.match(r"[\s\"]*[=+\-@＝＋－＠]", value), value


def test_latex_has_our_commands_only(hostile: Store, tmp_path: Path) -> None:
    [text] = written(hostile, tmp_path, "latex")

    ours = (
        "begin end centering small caption label toprule midrule bottomrule textbackslash textasciicircum "
        "textasciitilde textless textgreater textbar textquotedbl textasciigrave textquotesingle bullet circ to "
        "guilsinglright Delta div usepackage"
    )
    assert set(re.findall(r"\\([a-zA-Z]+)", text)) <= set(ours.split())
    plain = re.sub(r"\\[{}%&#_$\\]", "", text)
    assert plain.count("{") == plain.count("}")
    assert "\n\n\n" not in text


def test_markdown_has_no_markup_but_ours(hostile: Store, tmp_path: Path) -> None:
    [text] = written(hostile, tmp_path, "md")

    assert len(text) < 65_536
    body = re.sub(r"````sh\n.*?\n````", "", text, flags=re.DOTALL)
    assert "````" not in body
    assert not re.search(r"<|\]\(|!\[|`|https?://|www\.|(?<!&)#\d|@", body)
    for line in body.splitlines():
        assert re.match(r"#{2,3} |\*\*|\| |[^\s#>*+=|-]|$", line), line
    widths = {line.count(" | ") for line in body.splitlines() if line.startswith("| ")}
    assert len(widths) <= 6  # one for each table: no cell splits a row


def test_json_is_ascii_and_valid(hostile: Store, tmp_path: Path) -> None:
    [text] = written(hostile, tmp_path, "json")

    assert text.isascii()
    assert json.loads(text)["doors"]


def test_svg_is_well_formed_and_has_our_elements_only(hostile: Store, tmp_path: Path) -> None:
    names = set()
    for text in written(hostile, tmp_path, "svg"):
        root = ElementTree.fromstring(text)
        names |= {e.tag.rpartition("}")[2] for e in root.iter()}
        assert not [a for e in root.iter() for a in e.attrib if a.startswith("on") or "href" in a]
    assert names <= {"svg", "style", "title", "rect", "text", "line", "polyline", "polygon", "circle"}


@pytest.mark.parametrize("lang", list(Lang))
def test_a_terminal_shows_no_control_characters(hostile: Store, lang: Lang) -> None:
    target = io.StringIO()
    console = Console(file=target, width=80, highlight=False, markup=False, emoji=False, force_terminal=False)
    for part in run_tables(paired_rows(hostile)):
        console.print(part)
    console.print(case_table(hostile))
    for case_id in list(hostile.cases)[::10]:
        for block in stories(hostile, case_id):
            console.print(block)
    for piece in compare_text.terminal(compare(hostile, hostile), ("\x1b[31m", "\u202e"), texts_of(lang)):
        console.print(piece)

    assert not CONTROL.search(target.getvalue())


def test_a_comparison_in_markdown_and_json_is_inert(hostile: Store) -> None:
    found = compare(hostile, hostile)
    text = compare_text.markdown_text(found, (f"[x]({URL})", "<b>"), texts_of(Lang.EN))

    assert not re.search(r"<|\]\(|https?://", text)
    assert compare_text.json_text(found).isascii()
