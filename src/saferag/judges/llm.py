"""A chat model holds statements against a response: a three-way choice for each.

It sees the response and the statements only, never contexts or labels (SafeRAG, arXiv 2501.18636; the prompt is
our own). The response may hold an attack on the judge itself, so it stands between marks that it cannot forge, and
verdicts count only with that mark: those that a response dictates and a judge merely repeats do not have it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from saferag.judges import judges
from saferag.judges.base import Judge
from saferag.models import ChatModel
from saferag.models.structured import ReplyForm, UnusableReply, ask
from saferag.prompts import Prompt, load_prompt
from saferag.prompts.fence import fence, mark_for
from saferag.resources import Resources
from saferag.types import Claim, Judged, Judgement, Verdict

_VERDICTS = {"correct": Verdict.CORRECT, "incorrect": Verdict.INCORRECT, "cannot_judge": Verdict.UNDECIDED}


class OneVerdict(ReplyForm):
    """The verdict on one statement; the reason comes first, so that it is not made up afterwards."""

    id: int
    reason: str = ""
    verdict: Literal["correct", "incorrect", "cannot_judge"]


class Verdicts(ReplyForm):
    """The model's reply: the mark of the request, and every statement exactly once."""

    mark: str
    verdicts: list[OneVerdict]


@dataclass(frozen=True, slots=True)
class LLMJudge:
    """Asks a chat model for the verdicts.

    Attributes:
        model: The model.
        prompt: With places for ``mark``, ``response`` and ``options``.
    """

    model: ChatModel
    prompt: Prompt

    async def judge(self, query: str, response: str, claims: Sequence[Claim]) -> Judgement:
        """Judge all claims in one request; the query is not shown, as in the paper.

        Raises:
            ModelError: The model failed, or its reply stayed unusable after one repair.
        """
        if not claims:
            return Judgement(())
        options = "\n".join(f"{i}. {' '.join(claim.text.split())}" for i, claim in enumerate(claims, 1))
        mark = mark_for((response, options))
        messages = self.prompt.render(mark=mark, response=fence("response", response, mark), options=options)

        def check(reply: Verdicts) -> None:
            if reply.mark != mark:
                raise UnusableReply(f"its mark is not {mark}")
            check_complete([one.id for one in reply.verdicts], len(claims))

        # Room for every statement's reason, however small the model's own limit is set.
        limit = 400 + 100 * len(claims)
        reply = await ask(self.model, messages, Verdicts, lang=self.prompt.lang, check=check, max_tokens=limit)
        by_number = {one.id: one for one in reply.value.verdicts}
        found = [by_number[i] for i in range(1, len(claims) + 1)]
        verdicts = tuple(
            Judged(claim.id, _VERDICTS[one.verdict], one.reason) for claim, one in zip(claims, found, strict=True)
        )
        return Judgement(verdicts, reply.usage)


def check_complete(numbers: list[int], count: int) -> None:
    """Ask for each number from 1 to ``count`` exactly once.

    Raises:
        UnusableReply: A number is unknown, doubled or missing.
    """
    if unknown := sorted(set(numbers) - set(range(1, count + 1))):
        raise UnusableReply(f"there is no statement {unknown[0]}; they are numbered 1 to {count}")
    if doubled := sorted({n for n in numbers if numbers.count(n) > 1}):
        raise UnusableReply(f"statement {doubled[0]} has more than one verdict")
    if missing := sorted(set(range(1, count + 1)) - set(numbers)):
        raise UnusableReply(f"statement {missing[0]} has no verdict")


@judges.register("llm", summary="a chat model chooses: supported, contradicted or cannot be judged (the paper's judge)")
def llm(resources: Resources, *, model: str | None = None) -> Judge:
    """Build one over the model of a spec, or the run's model."""
    return LLMJudge(resources.chat(model, "judge 'llm'"), load_prompt("judge", resources.lang))
