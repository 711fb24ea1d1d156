"""A filter without a model: compresses each passage to the sentences that bear on the question."""

from __future__ import annotations

from dataclasses import dataclass, replace

from saferag.errors import OptionError
from saferag.filters import filters
from saferag.filters.base import Filter
from saferag.relevance import Merger, Sentence, rate, sentences_of
from saferag.resources import Resources
from saferag.types import Context, Filtered, Passage, Removal


@dataclass(frozen=True, slots=True)
class ExtractFilter:
    """Cuts passages down to sentences, and merges sentences that say the same.

    Of a passage that bears on the question, the sentences that hold terms of the question stay; where none does,
    the one with the most terms. A sentence that repeats an earlier one goes, and
    the passage that keeps the earlier one names both as its sources.

    Attributes:
        duplicate: Share of common terms (0 to 1) from which two sentences count as the same.
    """

    duplicate: float = 0.6

    async def apply(self, query: str, context: Context) -> Filtered:
        """Compress one context. The result has at most one passage for each passage of the context."""
        chosen = self._choose(query, context)
        texts: dict[int, list[str]] = {}
        sources: dict[int, list[int]] = {}
        kept: list[Sentence] = []
        merger = Merger((s.terms for s in chosen), self.duplicate)
        for sentence in chosen:
            first = merger.first(sentence.terms)
            if first is None:
                kept.append(sentence)
                texts.setdefault(sentence.passage, []).append(sentence.text)
            home = sentence.passage if first is None else kept[first].passage
            if sentence.passage not in sources.setdefault(home, []):
                sources[home].append(sentence.passage)
        return Filtered(
            tuple(_compress(context, i, texts[i], sources[i]) for i in sorted(texts)),
            _removed(context, {i for group in sources.values() for i in group}),
        )

    def _choose(self, query: str, context: Context) -> list[Sentence]:
        """The sentences that may stay, in context order."""
        rated = rate(query, context)
        by_passage: dict[int, list[Sentence]] = {}
        for sentence in sentences_of(query, context):
            by_passage.setdefault(sentence.passage, []).append(sentence)
        chosen: list[Sentence] = []
        for i, sentences in by_passage.items():
            if rated[i].score <= 0:
                continue
            direct = [s for s in sentences if s.direct > 0]
            chosen.extend(direct or [max(sentences, key=lambda s: len(s.terms))])
        return chosen


def _compress(context: Context, home: int, texts: list[str], sources: list[int]) -> Passage:
    passage = context[home]
    ids = [source for i in [home, *(j for j in sources if j != home)] for source in context[i].provenance]
    text = " ".join(texts) if all(t.isascii() for t in texts) else "".join(texts)
    if text == passage.text and len(ids) == 1:
        return passage
    return replace(passage, text=text, source_ids=tuple(dict.fromkeys(ids)))


def _removed(context: Context, used: set[int]) -> tuple[Removal, ...]:
    return tuple(
        Removal(p.id, "no sentence shares a term with the question or with a passage that does")
        for i, p in enumerate(context)
        if i not in used
    )


@filters.register("extract", summary="keeps the sentences that bear on the question; no model")
def extract(resources: Resources, *, duplicate: float = 0.6) -> Filter:
    """Build the extracting filter.

    Raises:
        OptionError: The share is not above 0 and at most 1.
    """
    if not 0 < duplicate <= 1:
        raise OptionError(f"filter 'extract': duplicate={duplicate} is not above 0 and at most 1")
    return ExtractFilter(duplicate)
