"""A chat model condenses the context to what helps to answer the question. The paper's SKR.

Source: SafeRAG, arXiv 2501.18636, section on filters; the prompt is our own.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from saferag.filters import filters
from saferag.filters.base import Filter
from saferag.filters.nli import check_numbers
from saferag.models import ChatModel
from saferag.models.structured import ReplyForm, UnusableReply, ask
from saferag.prompts import Prompt, load_prompt
from saferag.prompts.fence import number_passages
from saferag.resources import Resources
from saferag.types import Context, Filtered, Passage, Removal, Usage


class Summary(ReplyForm):
    """The model's reply: the condensed text and the passages that it was made from."""

    summary: str
    used: list[int]


@dataclass(frozen=True, slots=True)
class SKRFilter:
    """Asks a chat model for one condensed passage.

    Attributes:
        model: The model.
        prompt: With places for ``query`` and ``passages``.
        max_tokens: Limit of the reply.
    """

    model: ChatModel
    prompt: Prompt
    max_tokens: int | None = None

    async def apply(self, query: str, context: Context) -> Filtered:
        """Condense the context to one passage whose sources are those that the model says it used.

        An empty summary removes everything.

        Raises:
            ModelError: The model failed, or its reply stayed unusable after one repair.
        """
        if not context:
            return Filtered(())
        passages = number_passages([p.text for p in context], self.prompt.lang)
        messages = self.prompt.render(query=query, passages=passages)

        def check(reply: Summary) -> None:
            check_numbers(reply.used, len(context))
            if bool(reply.summary.strip()) is not bool(reply.used):
                raise UnusableReply("a summary needs the numbers of its passages, and without one there are none")

        reply = await ask(self.model, messages, Summary, lang=self.prompt.lang, check=check, max_tokens=self.max_tokens)
        return condense(context, reply.value, reply.usage)


def condense(context: Context, reply: Summary, usage: Usage) -> Filtered:
    """The one passage that stands for the context, and what is not in it."""
    used = [context[n - 1] for n in sorted(reply.used)]
    removed = tuple(Removal(p.id, "not in the summary") for p in context if p not in used)
    if not used:
        return Filtered((), removed, usage)
    text = reply.summary.strip()
    sources = tuple(dict.fromkeys(source for p in used for source in p.provenance))
    digest = hashlib.sha256("\n".join((*sources, text)).encode("utf-8", "replace")).hexdigest()
    return Filtered((Passage(f"summary/{digest[:12]}", text, source_ids=sources),), removed, usage)


@filters.register("skr", summary="a chat model condenses the context to what helps (the paper's SKR)")
def skr(resources: Resources, *, model: str | None = None, max_tokens: int | None = None) -> Filter:
    """Build one over the model of a spec, or the run's model."""
    return SKRFilter(resources.chat(model, "filter 'skr'"), load_prompt("skr", resources.lang), max_tokens)
