"""Documents of every kind become paragraphs, and what cannot be read says why."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from saferag.construct.collect import clean, collect
from saferag.construct.readers import (
    Paragraph,
    UnreadableError,
    read_html,
    read_jsonl,
    read_markdown,
    read_text,
)
from saferag.construct.records import Document
from saferag.errors import DataError


def pdf(lines: list[str]) -> bytes:
    """A PDF of one page with these lines."""
    text = " ".join(f"({line}) Tj 0 -14 Td" for line in lines)
    content = f"BT /F1 12 Tf 50 750 Td {text} ET".encode()
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R"
        b" /Resources << /Font << /F1 5 0 R >> >> >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    out = io.BytesIO(b"%PDF-1.4\n")
    out.seek(0, io.SEEK_END)
    places = []
    for number, item in enumerate(objects, 1):
        places.append(out.tell())
        out.write(b"%d 0 obj\n%s\nendobj\n" % (number, item))
    start = out.tell()
    out.write(b"xref\n0 6\n0000000000 65535 f \n" + b"".join(b"%010d 00000 n \n" % place for place in places))
    out.write(b"trailer << /Size 6 /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF" % start)
    return out.getvalue()


def word(paragraphs: list[tuple[str, str]]) -> bytes:
    from docx import Document as WordDocument

    document = WordDocument()
    for text, style in paragraphs:
        document.add_paragraph(text, style=style)
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()


def test_text_has_headings_paragraphs_and_joined_lines() -> None:
    text = "The headline\n\nFirst line\nsecond line.\n\nA section\n\n水库昨天\n开始蓄水。".encode()
    assert list(read_text(text)) == [
        (
            Paragraph("The headline", heading=True),
            Paragraph("First line second line."),
            Paragraph("A section", heading=True),
            Paragraph("水库昨天开始蓄水。"),
        )
    ]


def test_text_in_the_chinese_national_encoding_is_read() -> None:
    ((paragraph,),) = read_text("大坝高五十二米。".encode("gb18030"))
    assert paragraph.text == "大坝高五十二米。"


def test_markdown_loses_its_marks_and_its_code() -> None:
    text = b"---\nlayout: x\n---\n# One *two*\n```\nrm -rf\n```\nA [link](http://x.example) and **bold**.\n\n- item\n"
    ((head, body, item),) = read_markdown(text)
    assert (head.text, head.heading) == ("One two", True)
    assert body.text == "A link and bold."
    assert item.text == "item"


def test_html_gives_text_alone() -> None:
    page = b"<nav><p>Menu</p></nav><h1>Head</h1><p>One<br>two <b>three</b>.</p><script>alert(1)</script><!-- no -->"
    assert list(read_html(page)) == [(Paragraph("Head", heading=True), Paragraph("One two three."))]


def test_pdf_and_word_are_read(tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_bytes(
        pdf(["The ferry sails at nine and returns at noon when the tide", "is high again."])
    )
    (tmp_path / "b.docx").write_bytes(word([("The harbour", "Heading 1"), ("It has two quays.", "Normal")]))
    one, other = collect(tmp_path)[0]
    assert "returns at noon when the tide is high again." in " ".join(one.paragraphs)
    assert (other.title, other.headings, other.paragraphs[1]) == ("The harbour", [0], "It has two quays.")


@pytest.mark.parametrize(
    ("name", "data", "reason"),
    [
        ("a.pdf", b"%PDF-1.4 nonsense", "not a PDF"),
        ("a.docx", b"PK\x03\x04 nonsense", "not a Word file"),
        ("a.txt", b"\xff\xfe\x00\xd8\x81", "neither UTF-8 nor GB 18030"),
        ("a.jsonl", b'{"title": 1}', "no field 'text'"),
        ("a.jsonl", b"{", "line 1 is not JSON"),
        ("a.xyz", b"text", "no reader for '.xyz'"),
        ("a.txt", b"  \n\n ", "holds no text"),
    ],
)
def test_what_cannot_be_read_is_rejected_with_a_reason(tmp_path: Path, name: str, data: bytes, reason: str) -> None:
    (tmp_path / name).write_bytes(data)
    (tmp_path / "good.txt").write_text("A sentence.")
    documents, (rejection,) = collect(tmp_path)
    assert [document.path for document in documents] == ["good.txt"]
    assert rejection.item == name and reason in rejection.reason


def test_json_lines_are_documents_of_their_own_with_ids_of_their_own(tmp_path: Path) -> None:
    lines = [json.dumps({"title": f"T{i}", "text": "One.\n\nTwo."}) for i in range(2)]
    (tmp_path / "x.jsonl").write_text("\n".join(lines))
    assert [(d.id, d.title, len(d.paragraphs)) for d in collect(tmp_path)[0]] == [("x", "T0", 3), ("x-2", "T1", 3)]


def test_bad_lines_name_their_number() -> None:
    with pytest.raises(UnreadableError, match="line 2"):
        list(read_jsonl(b'{"text": "a"}\n[]'))


def test_links_and_hidden_files_are_left_alone(tmp_path: Path) -> None:
    outside = tmp_path / "secret.txt"
    outside.write_text("Not yours.")
    folder = tmp_path / "docs"
    (folder / ".git").mkdir(parents=True)
    (folder / ".git" / "x.txt").write_text("Hidden.")
    (folder / "link.txt").symlink_to(outside)
    (folder / "good.txt").write_text("A sentence.")
    assert [d.path for d in collect(folder)[0]] == ["good.txt"]


def test_an_empty_folder_is_the_users_to_fix(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no document that can be read"):
        collect(tmp_path)


def test_hidden_characters_go_and_visible_ones_stay() -> None:
    assert clean("a\u202eb\u200bc\x00d\u2028e \t f é") == "abcd e f é"


def test_languages_are_told_apart(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("水库由 Meridian 公司承建，坝高52米。")
    (tmp_path / "b.txt").write_text("The word 水 means water, and nothing else here is Chinese.")
    found = {d.path: d.lang for d in collect(tmp_path)[0] if isinstance(d, Document)}
    assert found == {"a.txt": "zh", "b.txt": "en"}
