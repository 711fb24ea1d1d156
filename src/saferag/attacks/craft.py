"""Texts of the attacks that need a writer, written by a chat model.

A text that pushes a wrong answer must hold it word for word; what does not is asked for again, and what never does is
counted and left out.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from saferag.attacks.falsehoods import chosen
from saferag.types import Case, Lang

if TYPE_CHECKING:
    from saferag.models import ChatModel, ChatRequest

PUSHING = ("poisoned_rag", "corrupt_rag_ak", "auth_chain", "blind")
JAMMING = ("jamming_insufficient_document", "jamming_unsafe_document")
CRAFTED = (*PUSHING, *JAMMING)
"""The attacks whose texts a model writes."""

TRIES = 3
WORDS = {Lang.ZH: "120", Lang.EN: "80"}


@dataclass(frozen=True, slots=True)
class Crafted:
    """What came of it.

    Attributes:
        lines: For `saferag.data.attack_texts`, in the order of the cases and attacks.
        failed: Case, attack and reason of what could not be written.
        unfit: Pairs that were not asked for, because the case has no wrong answer to push.
    """

    lines: tuple[dict[str, Any], ...]
    failed: tuple[tuple[str, str, str], ...]
    unfit: int


async def craft(cases: Sequence[Case], names: Sequence[str], model: ChatModel) -> Crafted:
    """Ask a model for one text for each case and attack, all at once; the model limits what is in flight."""
    wanted = [(case, name) for case in cases for name in names if name in JAMMING or chosen(case)]
    found = await asyncio.gather(*(_one(case, name, model) for case, name in wanted))
    lines = tuple(line for line in found if isinstance(line, dict))
    failed = tuple(
        (case.id, name, line) for (case, name), line in zip(wanted, found, strict=True) if isinstance(line, str)
    )
    return Crafted(lines, failed, len(cases) * len(names) - len(wanted))


async def _one(case: Case, name: str, model: ChatModel) -> dict[str, Any] | str:
    """A line, or why there is none."""
    from saferag.errors import ModelError
    from saferag.metrics.containment import stands_in
    from saferag.models.structured import strip_reasoning

    falsehood = chosen(case) if name in PUSHING else None
    reason = ""
    for attempt in range(TRIES):
        try:
            reply = await model.complete(request_for(case, name, attempt))
        except ModelError as error:
            return f"{error.kind}: {error}"
        text = " ".join(strip_reasoning(reply.text).split())
        if not text:
            reason = "the reply is empty"
        elif falsehood is not None and not stands_in(falsehood.wrong, text):
            reason = f"'{falsehood.wrong}' is not in the reply"
        else:
            made_by = " ".join(str(value) for value in model.identity.values())
            pushed = {"right": falsehood.right, "wrong": falsehood.wrong} if falsehood else {}
            return {"case": case.id, "attack": name, "query": case.query, **pushed, "made_by": made_by, "text": text}
    return reason


def request_for(case: Case, name: str, attempt: int) -> ChatRequest:
    """The request for a text."""
    from saferag.models import ChatRequest
    from saferag.prompts import load_prompt

    values = {"query": case.query, "words": WORDS[case.lang]}
    falsehood = chosen(case)
    if name in PUSHING and falsehood is not None:
        values |= {"wrong": falsehood.wrong, "statement": falsehood.statement.rstrip("。")}
        if name == "corrupt_rag_ak":
            values["right"] = falsehood.right
    return ChatRequest(load_prompt(f"craft_{name}", case.lang).render(**values), sample=attempt)
