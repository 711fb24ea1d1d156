"""Step 2: documents become segments of more than eight consecutive sentences on one topic.

The criteria of SafeRAG (arXiv 2501.18636, section 3) as checks with reasons: enough consecutive sentences, one topic,
and substance for a what, why or how question. Topics part at headings and, within a long section, where the words
of one side share least with those of the other (Hearst, "TextTiling", 1997).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from saferag.construct.records import Document, Rejection, Segment
from saferag.numbers import find_numerals
from saferag.text import content_terms, normalize, split_sentences

MIN_SENTENCES = 9
MAX_SENTENCES = 26
MIN_INFORMATIVE = 4
"""Sentences of a segment that must state a figure, date or other numeral."""

_WINDOW = 4
_EDGE = 3  # sentences of a paragraph at the edge of a section that is looked at


def segments(document: Document) -> tuple[list[Segment], list[Rejection]]:
    """The segments of a document, and the sections that are none."""
    found: list[Segment] = []
    rejected: list[Rejection] = []
    for title, sentences in _sections(document):
        for part in _parts(sentences):
            item = f"{document.id}: {title[:60]}"
            if problem := _problem(part):
                kind, reason = problem
                rejected.append(Rejection(step="segment", item=item, kind=kind, reason=reason))
                continue
            name = f"{document.id}-{len(found) + 1}"
            found.append(Segment(id=name, document=document.id, title=title, lang=document.lang, sentences=part))
    return found, rejected


def leftovers(document: Document, chosen: Sequence[Segment]) -> list[str]:
    """The sentences of a document that are in none of its segments: material for background passages."""
    used = {sentence for segment in chosen for sentence in segment.sentences}
    return [s for _, sentences in _sections(document) for s in sentences if s not in used]


def _sections(document: Document) -> Iterator[tuple[str, list[str]]]:
    """Title and sentences of each section. The document's title stands over what has no heading of its own."""
    title, paragraphs = document.title, list[list[str]]()
    for i, paragraph in enumerate(document.paragraphs):
        if i not in document.headings:
            paragraphs.append(split_sentences(paragraph))
            continue
        yield from _trimmed(title, paragraphs)
        title = paragraph if paragraph == document.title else f"{document.title} – {paragraph}"
        paragraphs = []
    yield from _trimmed(title, paragraphs)


def _trimmed(title: str, paragraphs: list[list[str]]) -> Iterator[tuple[str, list[str]]]:
    """A section, with the paragraphs at its edges that state no figure as sections of their own."""
    first, last = 0, len(paragraphs)
    while last > first and _states_nothing(paragraphs[last - 1]):
        last -= 1
    while first < last and _states_nothing(paragraphs[first]):
        first += 1
    for part in (paragraphs[:first], paragraphs[first:last], paragraphs[last:]):
        if sentences := [sentence for paragraph in part for sentence in paragraph]:
            yield title, sentences


def _states_nothing(sentences: Sequence[str]) -> bool:
    return len(sentences) >= _EDGE and not any(c.isdigit() for sentence in sentences for c in sentence)


def _parts(sentences: list[str]) -> Iterator[list[str]]:
    """A section as it is, or cut where its topic changes if it is too long for one segment."""
    if len(sentences) <= MAX_SENTENCES:
        yield sentences
        return
    places = range(MIN_SENTENCES, min(MAX_SENTENCES, len(sentences) - MIN_SENTENCES) + 1)
    cut = min(places, key=lambda place: (_cohesion(sentences, place), place))
    yield sentences[:cut]
    yield from _parts(sentences[cut:])


def _cohesion(sentences: Sequence[str], place: int) -> float:
    """Share of the terms on the smaller side of a place that stand on the other side too."""
    before = {t for s in sentences[max(0, place - _WINDOW) : place] for t in content_terms(s)}
    after = {t for s in sentences[place : place + _WINDOW] for t in content_terms(s)}
    return len(before & after) / max(1, min(len(before), len(after)))


def _problem(sentences: Sequence[str]) -> tuple[str, str] | None:
    """Why these sentences are no segment, as a kind and a sentence; None if they are one."""
    if len(sentences) < MIN_SENTENCES:
        return "too_short", f"{len(sentences)} sentences in a row; a segment has at least {MIN_SENTENCES}"
    informative = sum(bool(find_numerals(normalize(s))) for s in sentences)
    if informative < MIN_INFORMATIVE:
        return "no_substance", f"{informative} sentences state a figure or date; at least {MIN_INFORMATIVE} must"
    asking = sum(bool(re.search(r"[?？]$", s)) for s in sentences)
    if asking * 2 > len(sentences):
        return "only_questions", f"{asking} of {len(sentences)} sentences are questions"
    if lonely := _off_topic(sentences):
        return "several_topics", f"{lonely} of {len(sentences)} sentences share no word with the others"
    return None


def _off_topic(sentences: Sequence[str]) -> int:
    """How many sentences share no term with any other, if that is more than two thirds of them; else 0."""
    terms = [set(content_terms(s)) for s in sentences]
    lonely = sum(not any(mine & other for j, other in enumerate(terms) if j != i) for i, mine in enumerate(terms))
    return lonely if lonely * 3 > len(sentences) * 2 else 0
