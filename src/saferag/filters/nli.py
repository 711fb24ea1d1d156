"""A chat model drops the passages that give no support at all to answering the question. The paper's NLI.

Source: SafeRAG, arXiv 2501.18636, section on filters; the prompt is our own.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass

from saferag.filters import filters
from saferag.filters.base import Filter
from saferag.models import ChatModel
from saferag.models.structured import ReplyForm, UnusableReply, ask
from saferag.prompts import Prompt, load_prompt
from saferag.prompts.fence import number_passages
from saferag.resources import Resources
from saferag.types import Context, Filtered, Removal, Usage

BATCH_PASSAGES = 20
BATCH_CHARACTERS = 12_000


class Drop(ReplyForm):
    """One passage to drop."""

    id: int
    reason: str = ""


class Drops(ReplyForm):
    """The model's reply: what to drop; everything else is kept."""

    drop: list[Drop]


@dataclass(frozen=True, slots=True)
class NLIFilter:
    """Asks a chat model which passages are of no use for the question.

    Attributes:
        model: The model.
        prompt: With places for ``query`` and ``passages``.
    """

    model: ChatModel
    prompt: Prompt

    async def apply(self, query: str, context: Context) -> Filtered:
        """Drop what gives no support; long contexts are judged in batches.

        Raises:
            ModelError: The model failed, or its reply stayed unusable after one repair.
        """
        parts = await asyncio.gather(*(self._judge(query, batch) for batch in batches(context)))
        kept = tuple(passage for part in parts for passage in part.kept)
        removed = tuple(removal for part in parts for removal in part.removed)
        return Filtered(kept, removed, sum((part.usage for part in parts), Usage()))

    async def _judge(self, query: str, batch: Context) -> Filtered:
        passages = number_passages([p.text for p in batch], self.prompt.lang)
        messages = self.prompt.render(query=query, passages=passages)

        def check(drops: Drops) -> None:
            check_numbers([drop.id for drop in drops.drop], len(batch))

        reply = await ask(self.model, messages, Drops, lang=self.prompt.lang, check=check)
        reasons = {drop.id: drop.reason for drop in reply.value.drop}
        kept = tuple(p for i, p in enumerate(batch, 1) if i not in reasons)
        removed = tuple(Removal(p.id, reasons[i]) for i, p in enumerate(batch, 1) if i in reasons)
        return Filtered(kept, removed, reply.usage)


def batches(context: Context) -> Iterator[Context]:
    """Consecutive parts of a context, each small enough for one request."""
    batch: list[int] = []
    size = 0
    for i, passage in enumerate(context):
        if batch and (len(batch) == BATCH_PASSAGES or size + len(passage.text) > BATCH_CHARACTERS):
            yield context[batch[0] : i]
            batch, size = [], 0
        batch.append(i)
        size += len(passage.text)
    if batch:
        yield context[batch[0] :]


def check_numbers(numbers: list[int], count: int) -> None:
    """Refuse numbers that no passage has, and numbers given twice.

    Raises:
        UnusableReply: There are such numbers.
    """
    if unknown := sorted({n for n in numbers if not 1 <= n <= count}):
        raise UnusableReply(f"there is no passage {unknown[0]}; they are numbered 1 to {count}")
    if len(set(numbers)) < len(numbers):
        raise UnusableReply("a passage number stands twice")


@filters.register("nli", summary="a chat model drops passages that give no support at all (the paper's NLI)")
def nli(resources: Resources, *, model: str | None = None) -> Filter:
    """Build one over the model of a spec, or the run's model."""
    return NLIFilter(resources.chat(model, "filter 'nli'"), load_prompt("nli", resources.lang))
