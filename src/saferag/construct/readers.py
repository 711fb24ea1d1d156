"""Readers of document files: bytes in, paragraphs out. PDF, Word and HTML need the extra ``build``."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from saferag.errors import MissingExtraError


class UnreadableError(ValueError):
    """Why a file cannot be read; the text is one line for people."""


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph of a document, in its own words; ``heading`` says whether it is a headline."""

    text: str
    heading: bool = False


Reader = Callable[[bytes], Iterator[tuple[Paragraph, ...]]]
"""From the bytes of a file to the documents in it."""

_SETEXT = re.compile(r"^(=+|-{3,})\s*$")
_MARKUP = re.compile(r"!\[[^\]]*\]\([^)]*\)|\[([^\]]*)\]\([^)]*\)|[*_`]{1,3}")
_LIST = re.compile(r"^\s*(?:[-*+]|\d+[.)])\s+|^\s*>\s?")
_BLOCKS = ("p", "li", "blockquote", "td", "figcaption", "h1", "h2", "h3", "h4", "h5", "h6")


def _decode(data: bytes) -> str:
    for encoding in ("utf-8-sig", "gb18030"):
        try:
            return data.decode(encoding).replace("\r\n", "\n").replace("\r", "\n")
        except UnicodeDecodeError:
            continue
    raise UnreadableError("is neither UTF-8 nor GB 18030")


def _blocks(text: str) -> list[str]:
    return [block for block in re.split(r"\n[ \t\u3000]*\n", text) if block.strip()]


def _joined(block: str) -> str:
    """The lines of a paragraph as one; a break between Chinese characters leaves no space."""
    text = re.sub(r"(?<=[\u3000-\u9fff\uff00-\uffef])\s*\n\s*(?=[\u3000-\u9fff\uff00-\uffef])", "", block.strip())
    return re.sub(r"\s+", " ", text)


def read_text(data: bytes) -> Iterator[tuple[Paragraph, ...]]:
    """Plain text; blank lines part paragraphs, and a short line by itself without a full stop is a heading."""
    blocks = [(_joined(block), "\n" in block.strip()) for block in _blocks(_decode(data))]
    yield tuple(Paragraph(text, heading=not several and _is_heading(text)) for text, several in blocks)


def _is_heading(text: str) -> bool:
    return len(text) <= 120 and not re.search(r"[.。！？!?;；:：”\"]$", text)


def read_markdown(data: bytes) -> Iterator[tuple[Paragraph, ...]]:
    """Markdown: headings as such, marks of emphasis and links dropped, code blocks left out."""
    text = re.sub(r"^(```|~~~).*?^\1[^\n]*$", "", _decode(data), flags=re.MULTILINE | re.DOTALL)
    text = re.sub(r"\A---\n.*?\n---\n", "", text, flags=re.DOTALL)
    text = re.sub(r"^(#{1,6} [^\n]*)$", r"\n\1\n", text, flags=re.MULTILINE)
    found: list[Paragraph] = []
    for block in _blocks(text):
        lines = block.strip().split("\n")
        heading = lines[0].startswith("#") or (len(lines) == 2 and _SETEXT.match(lines[1]) is not None)
        plain = _joined("\n".join(_LIST.sub("", line) for line in (lines[:1] if heading else lines)))
        plain = _MARKUP.sub(lambda m: m[1] or "", plain).lstrip("#").strip()
        if plain:
            found.append(Paragraph(plain, heading))
    yield tuple(found)


def read_html(data: bytes) -> Iterator[tuple[Paragraph, ...]]:
    """HTML by Beautiful Soup: headings and paragraphs; scripts, styles, navigation and comments are left out."""
    try:
        from bs4 import BeautifulSoup
    except ImportError:
        raise MissingExtraError("reading HTML", "build") from None
    soup = BeautifulSoup(data, "html.parser")
    for tag in soup(["script", "style", "nav", "header", "footer", "template", "noscript", "form", "aside"]):
        tag.decompose()
    for tag in soup("br"):
        tag.replace_with("\n")
    innermost = [tag for tag in soup.find_all(_BLOCKS) if tag.find(_BLOCKS) is None]
    found = [Paragraph(_joined(t.get_text()), t.name.startswith("h")) for t in innermost]
    yield tuple(p for p in found if p.text)


def read_pdf(data: bytes) -> Iterator[tuple[Paragraph, ...]]:
    """PDF by pypdf. A PDF knows lines, not paragraphs: a line that ends early and with a full stop ends one."""
    try:
        from pypdf import PdfReader
        from pypdf.errors import PyPdfError
    except ImportError:
        raise MissingExtraError("reading PDF", "build") from None
    try:
        reader = PdfReader(io.BytesIO(data))
        if reader.is_encrypted:
            raise UnreadableError("is encrypted")
        pages = [page.extract_text() for page in reader.pages]
    except (PyPdfError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise UnreadableError(f"is not a PDF that can be read: {str(error)[:80]}") from None
    text = "\n".join(pages)
    if not text.strip():
        raise UnreadableError("holds no text (pictures of pages need text recognition first)")
    width = max(map(len, text.split("\n")))
    ended = re.sub(rf"^(.{{0,{int(width * 0.75)}}}[.。！？!?”\"])$", r"\1\n", text, flags=re.MULTILINE)
    yield from read_text(ended.encode("utf-8", "replace"))


def read_docx(data: bytes) -> Iterator[tuple[Paragraph, ...]]:
    """Word by python-docx: paragraphs, those of a heading style as headings. Tables are left out."""
    try:
        from docx import Document
        from docx.opc.exceptions import PackageNotFoundError
    except ImportError:
        raise MissingExtraError("reading Word files", "build") from None
    from zipfile import BadZipFile

    try:
        document = Document(io.BytesIO(data))
    except (PackageNotFoundError, BadZipFile, KeyError, ValueError) as error:
        raise UnreadableError(f"is not a Word file that can be read: {str(error)[:80]}") from None
    yield tuple(
        Paragraph(_joined(p.text), bool(p.style and p.style.name and p.style.name.startswith(("Heading", "Title"))))
        for p in document.paragraphs
        if p.text.strip()
    )


def read_jsonl(data: bytes) -> Iterator[tuple[Paragraph, ...]]:
    """JSON Lines with a ``text`` and, if there is one, a ``title``; one document each."""
    for number, line in enumerate(_decode(data).split("\n"), 1):
        if not line.strip():
            continue
        try:
            item = json.loads(line)
        except (ValueError, RecursionError):
            raise UnreadableError(f"line {number} is not JSON") from None
        if not isinstance(item, dict) or not isinstance(item.get("text"), str):
            raise UnreadableError(f"line {number} has no field 'text'")
        title = item.get("title")
        head = (Paragraph(_joined(title), heading=True),) if isinstance(title, str) and title.strip() else ()
        yield (*head, *(Paragraph(_joined(block)) for block in _blocks(item["text"])))


READERS: Mapping[str, Reader] = {
    ".txt": read_text,
    ".md": read_markdown,
    ".markdown": read_markdown,
    ".html": read_html,
    ".htm": read_html,
    ".pdf": read_pdf,
    ".docx": read_docx,
    ".jsonl": read_jsonl,
}
"""By the ending of a file's name, in lower case."""


def reader_of(path: Path) -> Reader | None:
    """The reader for a file, or None if there is none for its ending."""
    return READERS.get(path.suffix.casefold())
