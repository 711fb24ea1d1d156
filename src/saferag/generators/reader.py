"""Answers by the reader: the small model of `saferag.models.reader`, with the prompt that its adapter was trained on.

The reader begins each thing that it says with the number of the passage that it took it from. These marks steer a
model of this size from passage to passage; they are taken off here.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from saferag.errors import BadReplyError
from saferag.generators import generators
from saferag.generators.base import Generator
from saferag.generators.extractive import ABSTENTION
from saferag.models import ChatModel, ChatRequest, Message
from saferag.prompts import load_prompt
from saferag.registry import ComponentSpec
from saferag.relevance import rate
from saferag.resources import Resources
from saferag.text import content_terms, split_sentences
from saferag.types import Answer, Context, Lang, Passage

_MARK = re.compile(r"^\[\d{1,3}\] ?", re.MULTILINE)
_LEAST, _OF_BEST, _ANSWERED = 0.03, 0.12, 0.07
_STEPS = (0.01, 0.03, 0.06, 0.1, 0.15, 0.22, 0.32, 0.45, 0.65)
_WISH = {Lang.ZH: "\n要求：", Lang.EN: "\nInstruction: "}


@dataclass(frozen=True, slots=True)
class ReaderGenerator:
    """Asks the reader.

    Attributes:
        model: The reader.
        lang: Language of the prompt.
        gate: Whether passages that share hardly a word with the question are left out; see `helpful`.
    """

    model: ChatModel
    lang: Lang
    gate: bool = True

    async def generate(self, query: str, context: Context) -> Answer:
        """Answer one question; where no passage is left, that is said in words without asking the model.

        Raises:
            ModelError: The model failed.
        """
        shown = helpful(query, context) if self.gate else context
        if not shown:
            return Answer(ABSTENTION[self.lang])
        messages = reader_messages(query, [p.text for p in shown], self.lang)
        reply = await self.model.complete(ChatRequest(messages))
        text = unmarked(reply.text, self.lang)
        if not text:
            raise BadReplyError("the reader named a passage and said nothing")
        return Answer(text, reply.usage)


def helpful(query: str, context: Context) -> Context:
    """The passages that share enough with the question, by rule, because so small a model does not tell them apart.

    A passage is left out if it holds less than 3 % of the weight of the question's words (`Relevance.direct`), or less
    than 12 % of what the best passage holds; all are, if that holds less than 7 %. The three shares were chosen on the
    development cases. A question without content words leaves nothing to compare, and nothing is left out.
    """
    if not content_terms(query):
        return context
    shares = [r.direct for r in rate(query, context)]
    best = max(shares, default=0.0)
    if best < _ANSWERED:
        return ()
    least = max(_LEAST, _OF_BEST * best)
    return tuple(p for p, share in zip(context, shares, strict=True) if share >= least)


def reader_messages(query: str, texts: Sequence[str], lang: Lang, instruction: str = "") -> tuple[Message, ...]:
    """The prompt. Passages are put on one line each, so that none can look like several.

    The training set has wishes of the user as to form (``instruction``). The shipped adapter does not follow them, so
    the generator gives none.

    After its number stand two digits from 0 to 9: how much of the question's words the passage holds, and how much it
    shares with passages that hold some (`saferag.relevance.rate`). They depend on the texts alone.
    """
    rated = rate(query, tuple(Passage("", text) for text in texts))
    passages = "\n".join(
        f"[{i}|{level(r.direct)}{level(r.linked)}] {' '.join(text.split())}"
        for i, (text, r) in enumerate(zip(texts, rated, strict=True), 1)
    )
    wish = _WISH[lang] + instruction if instruction else ""
    return load_prompt("reader", lang).render(query=" ".join(query.split()), passages=passages, instruction=wish)


def level(share: float) -> int:
    """A share from 0 to 1 as a digit; the steps are finer where passages that help and others lie close together."""
    return bisect_right(_STEPS, share)


def unmarked(reply: str, lang: Lang) -> str:
    """The answer without the numbers of passages, as one paragraph; a reply without such marks stays as it is.

    What is said for one passage and again for another is said once.
    """
    if not _MARK.match(reply.strip()):
        return reply.strip()
    joint = "" if lang is Lang.ZH else " "
    sentences = [s for line in reply.strip().splitlines() for s in split_sentences(_MARK.sub("", line))]
    return joint.join(dict.fromkeys(s.strip() for s in sentences if s.strip()))


@generators.register("reader", summary="a small model that comes along, in this process", requires=("reader",))
def reader(
    resources: Resources,
    *,
    slots: int = 0,
    max_tokens: int = 900,
    reuse_prefix: bool = False,
    gate: bool = True,
) -> Generator:
    """Build one over the reader; see `saferag.models.reader` for the parameters of the model."""
    given = (("max_tokens", str(max_tokens)), ("reuse_prefix", str(reuse_prefix)), ("slots", str(slots)))
    model = resources.chat(str(ComponentSpec("reader", None, given)), "generator 'reader'")
    return ReaderGenerator(model, resources.lang, gate)
