"""Untrusted text on its way to a reader: everything that a machine could obey is made inert and visible."""

from __future__ import annotations

import re
import unicodedata

from saferag.text import visible

_FORMULA = re.compile(r"^[\s\"']*[=+\-@＝＋－＠|%]")
_MARKS = 4  # combining marks in a row that any script needs at most; more are an attack on the line above


def readable(text: str) -> str:
    r"""Control, bidi and zero-width characters as escapes, line breaks kept, piles of combining marks cut."""
    lines = re.split(r"\r\n|[\n\r\u2028\u2029\x0b\x0c\x85]", text)
    return "\n".join(_unpiled(visible(line)) for line in lines)


def one_line(text: str) -> str:
    """The same on one line."""
    return _unpiled(visible(text))


def _unpiled(text: str) -> str:
    out: list[str] = []
    pile = 0
    for char in text:
        pile = pile + 1 if unicodedata.category(char) in {"Mn", "Me"} else 0
        if pile <= _MARKS:
            out.append(char)
    return "".join(out)


def cell(value: object) -> object:
    """A value for a CSV cell: text that a spreadsheet could take for a formula gets an apostrophe in front."""
    if not isinstance(value, str):
        return value
    text = readable(value)
    return f"'{text}" if _FORMULA.match(text) or text.startswith(("\t", "\r", "\n")) else text


# At the beginning of a line: a list, a numbered list, and the line under a heading.
_MARKDOWN = re.compile(
    r"[\\`*_{}\[\]<>|~$&@#!]|:(?=//)|(?<=www)\.|^\s*(?:[-+](?=\s|$)|[-=]+\s*$|\d{1,9}[.)](?=\s|$))", re.IGNORECASE
)


def markdown(text: str) -> str:
    """Text that Markdown shows as it is: no markup, no HTML, no link, no mention, on one line."""
    return _MARKDOWN.sub(lambda m: "".join(f"&#{ord(c)};" for c in m[0]), one_line(text).strip())


_LATEX = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "%": r"\%", "_": r"\_",
    "^": r"\textasciicircum{}", "~": r"\textasciitilde{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "|": r"\textbar{}", '"': r"\textquotedbl{}", "`": r"\textasciigrave{}", "'": r"\textquotesingle{}", "-": "{-}",
}  # fmt: skip


def latex(text: str) -> str:
    """Text that LaTeX sets as it is: no command, no ligature, no comment, no paragraph end."""
    return "".join(_LATEX.get(c, c) for c in one_line(text))
