"""Text in Markdown against an implementation of CommonMark: what goes in is what a reader sees, and no more."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from saferag.report.untrusted import markdown, one_line

RENDERER = MarkdownIt("commonmark").enable("table")


@given(st.text(alphabet="#>*+-=_`~|[]()!<>&\\.:/0123456789 ab\t水", max_size=30))
@example("1. a list")
@example("12) a list")
@example("- a list")
@example("===")
@example("---")
@example("+ a")
@example("&#52;")
def test_a_line_is_one_paragraph_of_plain_text(text: str) -> None:
    shown = one_line(text).strip()
    tokens = RENDERER.parse("above\n\n" + markdown(text) + "\n")[3:]

    assert [t.type for t in tokens] == (["paragraph_open", "inline", "paragraph_close"] if shown else [])
    for token in tokens[1:2]:
        parts = token.children or []
        assert {part.type for part in parts} <= {"text", "text_special"}
        assert "".join(part.content for part in parts) == shown


@pytest.mark.parametrize("line", ["===", "---", "- a", "1. a"])
def test_a_line_does_nothing_to_the_one_above(line: str) -> None:
    types = {token.type for token in RENDERER.parse("above\n" + markdown(line))}

    assert types == {"paragraph_open", "inline", "paragraph_close"}


@pytest.mark.parametrize("figure", ["4", "0", "1.0", "−26", "+100", "44%", "p = .500", "−39 to −17"])
def test_figures_stay_readable(figure: str) -> None:
    assert markdown(figure) == figure
