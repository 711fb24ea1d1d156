"""Step 1: a folder becomes documents. What cannot be read is rejected with a reason."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from pathlib import Path

from saferag.construct.readers import Paragraph, UnreadableError, reader_of
from saferag.construct.records import Document, Rejection
from saferag.errors import DataError
from saferag.text import has_cjk

MAX_BYTES = 50_000_000
_UNSEEN = {"Cc", "Cf", "Co", "Cn", "Cs"}


def collect(folder: Path) -> tuple[list[Document], list[Rejection]]:
    """Read every document of a folder and its subfolders, in the order of their paths. A file may be given, too.

    Raises:
        DataError: There is no such folder, or nothing in it can be read.
        MissingExtraError: A file needs a package that is not installed.
    """
    if not folder.exists():
        raise DataError("does not exist", path=folder)
    root = folder if folder.is_dir() else folder.parent
    documents: list[Document] = []
    rejected: list[Rejection] = []
    taken: set[str] = set()
    for path in sorted(_files(folder)):
        name = path.relative_to(root).as_posix()
        try:
            found = list(_read(path))
        except UnreadableError as error:
            rejected.append(Rejection(step="collect", item=name, kind="unreadable", reason=str(error)))
            continue
        for paragraphs in found:
            document = _document(name, paragraphs, taken)
            if isinstance(document, Document):
                taken.add(document.id)
                documents.append(document)
            else:
                rejected.append(document)
    if not documents:
        why = f"; {rejected[0].item}: {rejected[0].reason}" if rejected else ""
        raise DataError(f"holds no document that can be read (txt, md, html, pdf, docx, jsonl){why}", path=folder)
    return documents, rejected


def language(text: str) -> str:
    """``zh`` where at least a fifth of the letters are Chinese characters, else ``en``."""
    letters = [c for c in text if c.isalpha()]
    return "zh" if sum(map(has_cjk, letters)) * 5 >= max(1, len(letters)) else "en"


def clean(text: str) -> str:
    """NFC, without invisible and control characters, white space collapsed: what the checker asks of a text."""
    text = "".join(" " if c.isspace() else c for c in unicodedata.normalize("NFC", text))
    text = "".join(c for c in text if c == " " or unicodedata.category(c) not in _UNSEEN)
    return re.sub(r" {2,}", " ", text).strip()


def _files(folder: Path) -> Iterator[Path]:
    if folder.is_file():
        yield folder
        return
    for path in folder.rglob("*"):
        hidden = any(part.startswith(".") for part in path.relative_to(folder).parts)
        # A link could lead out of the folder.
        if path.is_file() and not path.is_symlink() and not hidden:
            yield path


def _read(path: Path) -> Iterator[tuple[Paragraph, ...]]:
    reader = reader_of(path)
    if reader is None:
        raise UnreadableError(f"has no reader for '{path.suffix or path.name}'")
    try:
        if path.stat().st_size > MAX_BYTES:
            raise UnreadableError(f"is larger than {MAX_BYTES // 1_000_000} MB")
        data = path.read_bytes()
    except OSError as error:
        raise UnreadableError(f"cannot be read: {error.strerror}") from None
    yield from reader(data)


def _document(name: str, paragraphs: tuple[Paragraph, ...], taken: set[str]) -> Document | Rejection:
    cleaned = [(clean(p.text), p.heading) for p in paragraphs]
    cleaned = [(text, heading) for text, heading in cleaned if text]
    if not any(not heading for _, heading in cleaned):
        return Rejection(step="collect", item=name, kind="empty", reason="holds no text")
    title = next((text for text, heading in cleaned if heading), Path(name).stem)
    return Document(
        id=_free_id(name, taken),
        path=name,
        title=title,
        lang="zh" if language("".join(text for text, _ in cleaned)) == "zh" else "en",
        paragraphs=[text for text, _ in cleaned],
        headings=[i for i, (_, heading) in enumerate(cleaned) if heading],
    )


def _free_id(name: str, taken: set[str]) -> str:
    stem = (
        re.sub(r"[^\w-]+", "-", unicodedata.normalize("NFC", str(Path(name).with_suffix("")))).strip("-") or "document"
    )
    if stem not in taken:
        return stem
    return next(f"{stem}-{n}" for n in range(2, len(taken) + 3) if f"{stem}-{n}" not in taken)
