"""A generator without a model: the answer is made of the context's own sentences."""

from __future__ import annotations

from dataclasses import dataclass

from saferag.errors import OptionError
from saferag.generators import generators
from saferag.generators.base import Generator
from saferag.relevance import Merger, Sentence, rate, sentences_of
from saferag.resources import Resources
from saferag.types import Answer, Context, Lang

ABSTENTION = {
    Lang.ZH: "提供的资料不足以回答这个问题。",
    Lang.EN: "The context does not contain enough information to answer the question.",
}
"""What the generator says where nothing of the context bears on the question. `is_refusal` recognises it."""


@dataclass(frozen=True, slots=True)
class ExtractiveGenerator:
    """Copies the sentences that bear on the question, in the order of the context.

    A sentence bears on the question if its passage shares a term with the question, or with a passage that does.
    Of sentences that say nearly the same, only the first is copied. Where two disagree in a figure, both are told;
    where they disagree in a word alone, they count as the same and the first in the context is told. If the
    sentences exceed the budget, those that hold most of the question's terms stay. It obeys nothing that the context
    says, since it understands nothing of it.

    Attributes:
        lang: Language of the abstention.
        max_sentences: Most sentences of an answer.
        max_chars: Most characters of an answer; the first sentence is copied even if it is longer.
        duplicate: Share of common terms (0 to 1) from which two sentences count as the same.
    """

    lang: Lang
    max_sentences: int = 20
    max_chars: int = 2400
    duplicate: float = 0.6

    async def generate(self, query: str, context: Context) -> Answer:
        """Answer from the context, or say that the context does not answer."""
        rated = rate(query, context)
        relevant = [s for s in sentences_of(query, context) if rated[s.passage].score > 0]
        merger = Merger((s.terms for s in relevant), self.duplicate)
        unique = [s for s in relevant if merger.first(s.terms) is None]
        if not unique:
            return Answer(ABSTENTION[self.lang])
        scores = [s.direct + rated[s.passage].score for s in unique]
        return Answer(_join([s.text for s in self._within_budget(unique, scores)]))

    def _within_budget(self, sentences: list[Sentence], scores: list[float]) -> list[Sentence]:
        """The best sentences that fit, in context order; of equal ones the earlier wins."""
        chosen: set[int] = set()
        length = 0
        for i in sorted(range(len(sentences)), key=lambda i: (-scores[i], i)):
            if len(chosen) == self.max_sentences:
                break
            if not chosen or length + len(sentences[i].text) <= self.max_chars:
                chosen.add(i)
                length += len(sentences[i].text)
        return [sentences[i] for i in sorted(chosen)]


def _join(sentences: list[str]) -> str:
    """One paragraph; a space only after a sentence that does not end in Chinese punctuation."""
    parts = [s if s[-1] in "。！？；…”’」』）" else s + " " for s in sentences]
    return "".join(parts).strip()


@generators.register("extractive", summary="copies the sentences of the context that bear on the question; no model")
def extractive(
    resources: Resources, *, max_sentences: int = 20, max_chars: int = 2400, duplicate: float = 0.6
) -> Generator:
    """Build the extractive generator. The defaults let six clean passages of the bundled data through whole.

    Raises:
        OptionError: A limit is not positive, or the share is not above 0 and at most 1.
    """
    if max_sentences < 1 or max_chars < 1:
        raise OptionError("generator 'extractive': max_sentences and max_chars must be at least 1")
    if not 0 < duplicate <= 1:
        raise OptionError(f"generator 'extractive': duplicate={duplicate} is not above 0 and at most 1")
    return ExtractiveGenerator(resources.lang, max_sentences, max_chars, duplicate)
