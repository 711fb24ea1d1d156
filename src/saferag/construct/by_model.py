"""The steps with a chat model. What it writes is checked; what does not pass is sent back once, then rejected."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeVar

import numpy as np

from saferag.construct import checks, forms
from saferag.construct.by_rule import MAX_CONTEXTS, SILVER, WRONG_SHARE, nearness
from saferag.construct.collect import clean
from saferag.construct.means import RejectedError, Task
from saferag.construct.records import Distortion, Proposition, Question, Rejection, Targets
from saferag.data.pack import AdSource, AdTextSource, ConflictSource, PairSource, SilverSource
from saferag.data.rules import LENGTHS, STRETCH
from saferag.embedders.base import Embedder
from saferag.errors import BadReplyError
from saferag.models import ChatModel, ChatRequest
from saferag.models.base import Message
from saferag.models.structured import ReplyForm, ask
from saferag.prompts import load_prompt
from saferag.prompts.fence import number_passages
from saferag.types import Usage

F = TypeVar("F", bound=ReplyForm)

MAX_TOKENS = 4000


@dataclass(slots=True)
class ModelMeans:
    """Asks a chat model.

    Attributes:
        model: The model.
        embedder: For the fact nearest to the question; None compares by words.
        usage: What it has cost so far.
    """

    model: ChatModel
    embedder: Embedder | None = None
    usage: Usage = field(default_factory=Usage)

    @property
    def made_by(self) -> Literal["model", "rules"]:
        """By a model."""
        return "model"

    async def question(self, task: Task) -> Question:
        """One question and eight contexts that say what the segment says."""

        def check(reply: forms.QuestionReply) -> None:
            checks.question(reply, task.segment, MAX_CONTEXTS)

        reply = await self._ask("question", task, forms.QuestionReply, check, **_question_values(task))
        if not reply.usable:
            raise RejectedError("question", "model_finds_no_question", clean(reply.reason) or "it gave no reason")
        assert reply.kind
        contexts = [clean(c) for c in reply.contexts]
        return Question(topic=clean(reply.topic), kind=reply.kind, query=clean(reply.query), contexts=contexts)

    async def facts(self, task: Task) -> tuple[Sequence[Proposition], Sequence[Rejection]]:
        """The propositions that pass the checks; the others are left out with their reasons."""

        def check(reply: forms.FactsReply) -> None:
            checks.facts(reply, task.asked.contexts)

        values = {"query": task.asked.query, "contexts": self._numbered(task, task.asked.contexts)}
        reply = await self._ask("facts", task, forms.FactsReply, check, **values)
        kept, left_out = checks.sort_facts(reply, task.asked.contexts)
        found = [Proposition(context=f.context, text=clean(f.text), value=clean(f.value)) for f in kept]
        return found, [
            Rejection(
                step="facts",
                item=f"{task.segment.id}: {clean(f.text)[:40]}",
                kind="unusable_fact",
                reason=why,
                whole=False,
            )
            for f, why in left_out
        ]

    async def targets(self, task: Task) -> Targets:
        """Silver noise by cosine, the others by the model with its reasons."""
        contexts = task.asked.contexts

        def check(reply: forms.TargetsReply) -> None:
            checks.numbers([reply.conflict, reply.ad], len(contexts), "passage")

        values = {"query": task.asked.query, "contexts": self._numbered(task, contexts)}
        reply = await self._ask("targets", task, forms.TargetsReply, check, **values)
        near = nearness(task.asked.query, [f.text for f in task.facts], self.embedder)
        return Targets(
            silver=int(np.argmax(near)) + 1,
            conflict=reply.conflict,
            conflict_reason=clean(reply.conflict_reason),
            ad=reply.ad,
            ad_reason=clean(reply.ad_reason),
        )

    async def distortions(self, task: Task, targets: Targets) -> Sequence[Distortion]:
        """False values for about three facts in ten."""

        def check(reply: forms.OptionsReply) -> None:
            checks.distortions(reply, task, targets.silver)

        facts = self._numbered(task, [f"{f.text} [{f.value}]" for f in task.facts])
        count = max(1, round(len(task.facts) * WRONG_SHARE))
        values = {"facts": facts, "count": str(count), "target": str(targets.silver)}
        reply = await self._ask("options", task, forms.OptionsReply, check, **values)
        found = [Distortion(fact=w.fact, wrong=clean(w.wrong), change=w.change) for w in reply.wrong]
        return sorted(found, key=lambda d: d.fact)

    async def silver(self, task: Task, targets: Targets) -> SilverSource:
        """Ten passages around the target fact."""
        low, high = LENGTHS[task.segment.language]
        target = task.facts[targets.silver - 1]
        known = target.text + "\n" + task.asked.query
        others = checks.foreign_values(task.facts, targets.silver, known)

        def check(reply: forms.SilverReply) -> None:
            checks.silver(reply, target.value, others, task.segment.language, SILVER)

        mark = "、" if task.segment.lang == "zh" else "; "
        values = {"query": task.asked.query, "fact": self._numbered(task, [target.text]), "value": target.value}
        bounds = {"low": str(low), "high": str(high), "count": str(SILVER), "others": mark.join(others) or "–"}
        reply = await self._ask("silver", task, forms.SilverReply, check, **values, **bounds)
        return SilverSource(fact=targets.silver, passages=[clean(p) for p in reply.passages])

    async def conflict(self, task: Task, targets: Targets) -> ConflictSource | None:
        """The chosen context with its facts changed."""
        assert targets.conflict is not None
        context = task.asked.contexts[targets.conflict - 1]
        low, high = _stretched(task, "inter_context_conflict")

        def check(reply: forms.ConflictReply) -> None:
            checks.conflict(reply, task, (low, high))

        values = {"context": self._numbered(task, [context]), "low": str(low), "high": str(high)}
        reply = await self._ask("conflict", task, forms.ConflictReply, check, **values)
        pairs = [PairSource(true=clean(p.true), false=clean(p.false), keyword=clean(p.keyword)) for p in reply.pairs]
        return ConflictSource(target=targets.conflict, text=clean(reply.text), pairs=pairs)

    async def ad(self, task: Task, targets: Targets) -> AdSource | None:
        """The chosen context with an ad, direct and indirect."""
        assert targets.ad is not None
        context = task.asked.contexts[targets.ad - 1]
        low, high = _stretched(task, "soft_ad")

        def check(reply: forms.AdReply) -> None:
            checks.ad(reply, task, (low, high))

        values = {"context": self._numbered(task, [context]), "low": str(low), "high": str(high)}
        reply = await self._ask("ad", task, forms.AdReply, check, **values)
        direct = AdTextSource(target=targets.ad, text=clean(reply.direct))
        indirect = AdTextSource(target=targets.ad, text=clean(reply.indirect))
        return AdSource(names=[clean(n) for n in reply.names], direct=direct, indirect=indirect)

    def _numbered(self, task: Task, texts: Sequence[str]) -> str:
        return number_passages(texts, task.segment.language)

    async def _ask(self, step: str, task: Task, form: type[F], check: Callable[[F], None], **values: str) -> F:
        """Ask; an unusable reply is repaired once, and then the step is rejected.

        Raises:
            RejectedError: The reply stayed unusable.
            ModelError: The model failed.
        """
        lang = task.segment.language
        messages = _messages(step, task, values)
        try:
            found = await ask(self.model, messages, form, lang=lang, check=check, max_tokens=MAX_TOKENS)
        except BadReplyError as error:
            self.usage += Usage(calls=2)
            raise RejectedError(step, "unusable_reply", str(error)) from None
        self.usage += found.usage
        return found.value


def question_request(task: Task) -> ChatRequest:
    """The first request about a segment, which depends on no reply."""
    schema = forms.QuestionReply.schema_for_servers()
    messages = _messages("question", task, _question_values(task))
    return ChatRequest(messages, MAX_TOKENS, schema=schema, schema_name=forms.QuestionReply.__name__.lower())


def _messages(step: str, task: Task, values: Mapping[str, str]) -> tuple[Message, ...]:
    lang = task.segment.language
    messages = load_prompt(f"construct_{step}", lang).render(**values)
    return (*messages, *load_prompt("construct_note", lang).render(note=task.note)) if task.note else messages


def _question_values(task: Task) -> dict[str, str]:
    segment = task.segment
    low, high = LENGTHS[segment.language]
    passages = number_passages([segment.text], segment.language)
    bounds = {"low": str(low), "high": str(high), "count": str(MAX_CONTEXTS)}
    return {"title": segment.title, "segment": passages, **bounds}


def _stretched(task: Task, attack: str) -> tuple[int, int]:
    low, high = LENGTHS[task.segment.language]
    return low, int(high * STRETCH[attack])
