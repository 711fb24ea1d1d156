"""What a grid would send to whom, found by walking through its pipelines with models that only count.

Nothing is sent. A request whose every part is known is counted exactly. What a model would reply is not known, so
a request that is made of such a reply stands for all that could come: the same question after the same earlier
request is the same request, and anything else is counted as another one. Replies that happen to be equal make the
true number smaller, never larger. Repairs of unusable replies and repeats after failures come on top.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field, replace

from saferag.attacks import attacks
from saferag.data import Dataset
from saferag.experiment.cells import Arm, digest
from saferag.experiment.retrieval import Retrieved, Searches
from saferag.filters import Filter, filters
from saferag.generators import Generator, generators
from saferag.injection import Stage, inject
from saferag.judges import judges
from saferag.models import ChatModel, ChatReply, ChatRequest, models
from saferag.models.cache import request_key
from saferag.models.repeats import RepeatedModel
from saferag.registry import ComponentSpec
from saferag.resources import Resources, check_use
from saferag.types import Case, Context, Lang

# What a reply is taken to be long, in tokens, where it is not known.
ANSWER_TOKENS = 150
FILTER_TOKENS = 80
TOKENS_PER_OPTION = 40
STAND_IN = {Lang.ZH: "答案。" * 50, Lang.EN: "An answer of some length. " * 25}

# What the request that is being made depends on besides its own text: replies that are not known.
_unknown: ContextVar[str] = ContextVar("unknown", default="")
_step: ContextVar[str] = ContextVar("step", default="")


class _Counted(Exception):  # noqa: N818 - ends a step whose request has been counted
    def __init__(self, key: str) -> None:
        super().__init__(key)
        self.key = key


@dataclass(slots=True)
class Endpoint:
    """What one model would be asked.

    Attributes:
        identity: Provider, address, name and parameters.
        calls: Unique requests by step (``filter``, ``generator``, ``judge``): the number, and how many of them are
            known to the last letter.
        cached: How many of the latter the reply cache can answer.
        prompt_tokens, completion_tokens: Estimates for what has to be paid for.
    """

    identity: Mapping[str, str]
    calls: dict[str, int] = field(default_factory=dict)
    exact: int = 0
    cached: int = 0
    prompt_tokens: float = 0.0
    completion_tokens: float = 0.0
    seen: set[str] = field(default_factory=set, repr=False)

    @property
    def total(self) -> int:
        """All unique requests."""
        return sum(self.calls.values())


@dataclass(frozen=True, slots=True)
class CountingModel:
    """Counts a request and gives no reply.

    Attributes:
        model: Whom the request would go to; it is asked for its identity only.
        endpoint: Where it is counted.
        resources: For the reply cache.
    """

    model: ChatModel
    endpoint: Endpoint
    resources: Resources

    @property
    def identity(self) -> Mapping[str, str]:
        """That of the model itself."""
        return self.model.identity

    async def complete(self, request: ChatRequest) -> ChatReply:
        """Count the request.

        Raises:
            _Counted: Always; whoever asked goes no further.
        """
        key, unknown = request_key(self.identity, request), _unknown.get()
        name = hashlib.sha256(key + unknown.encode()).hexdigest()
        if name not in self.endpoint.seen:
            self._count(name, key, request, exact=not unknown)
        raise _Counted(name)

    async def close(self) -> None:
        """Close the model, which was never used."""
        await self.model.close()

    def _count(self, name: str, key: bytes, request: ChatRequest, *, exact: bool) -> None:
        endpoint, step = self.endpoint, _step.get()
        endpoint.seen.add(name)
        endpoint.calls[step] = endpoint.calls.get(step, 0) + 1
        endpoint.exact += exact
        if exact and self.resources.cache_dir is not None and self.resources.replies.get(key) is not None:
            endpoint.cached += 1
            return
        text = "".join(message.content for message in request.messages)
        endpoint.prompt_tokens += estimate_tokens(text) + 4 * len(request.messages)
        endpoint.completion_tokens += _reply_tokens(step, request)


@dataclass(slots=True)
class PlanningResources(Resources):
    """Resources whose chat models count. Embeddings are made as in a run, because nothing leaves for them."""

    endpoints: dict[str, Endpoint] = field(default_factory=dict)

    def chat(self, spec: str | None, user: str) -> ChatModel:
        """A model that counts in place of the one of the spec.

        Raises:
            OptionError: There is neither a spec nor a model for the run, or the model is not made for this.
        """
        known = {key: model for key, model in self._models.items() if isinstance(model, CountingModel)}
        chosen = spec or self.model
        key = str(ComponentSpec.parse(chosen)) if chosen is not None else ""
        if chosen is not None:
            check_use(key, user)
        if chosen is not None and key not in known:
            self.provide(key, models.build(key, self))
            model = self._models[key]
            endpoint = self.endpoints.setdefault(key, Endpoint(model.identity))
            self._models[key] = CountingModel(model, endpoint, self)
        # A slotted dataclass has no zero-argument super() here.
        found = self._models[key] if chosen is not None else Resources.chat(self, spec, user)
        return RepeatedModel(found, self.sample) if self.sample else found


@dataclass(frozen=True, slots=True)
class Plan:
    """What a grid would do.

    Attributes:
        records: Cases of arms, repeats included.
        endpoints: By model spec.
        bounds: Why numbers are upper bounds, as sentences; empty where all are exact.
    """

    records: int
    endpoints: Mapping[str, Endpoint]
    bounds: tuple[str, ...]


async def plan(dataset: Dataset, arms: Sequence[Arm], resources: PlanningResources, limit: int | None) -> Plan:
    """Walk through every case of every arm.

    Args:
        dataset: Cases and corpora.
        arms: What would be run.
        resources: Count instead of sending; ``dry_run`` is set.
        limit: At most so many cases per arm.

    Raises:
        UserError: A component cannot be built, or the data do not fit.
    """
    searches = Searches(dataset, resources, limit)
    records = 0
    remote: set[str] = set()
    for arm in arms:
        stand_in, retrieval = _without_servers(arm)
        if stand_in != arm:
            remote.add(arm.retriever)
        retrieved = searches.retrieve(stand_in)
        walk = _Walk(arm, retrieved, retrieval, resources.with_lang(arm.lang, arm.epoch))
        for case in searches.cases(arm):
            await walk.case(case)
            records += 1
    await resources.close()
    return Plan(records, resources.endpoints, _bounds(resources.endpoints, remote))


def _without_servers(arm: Arm) -> tuple[Arm, str]:
    """The arm with a retriever that asks no server, and what the results then depend on."""
    if "endpoint" not in arm.retriever:
        return arm, ""
    return replace(arm, retriever="bm25"), f"retrieved by {arm.retriever}"


def _bounds(endpoints: Mapping[str, Endpoint], remote: set[str]) -> tuple[str, ...]:
    found = [f"{name} asks a server, so what it finds is not known" for name in sorted(remote)]
    if any(e.exact < e.total for e in endpoints.values()):
        found.append("requests that hold a model's reply are counted as if no two replies were equal")
    return tuple(found)


class _Walk:
    """One arm, case by case, up to what is not known and on from there by its name."""

    def __init__(self, arm: Arm, retrieved: Retrieved, unknown: str, resources: Resources) -> None:
        self.arm, self.retrieved = arm, retrieved
        self.unknown = f"{unknown} {retrieved.key}" if unknown else ""
        self.attack = attacks.build(arm.task)
        self.filter: Filter = filters.build(arm.filter, resources)
        self.generator: Generator = generators.build(arm.generator, resources)
        self.judge = judges.build(arm.judge, resources)

    async def case(self, case: Case) -> None:
        """Count what one case would send."""
        texts, context = self.retrieved.texts[case.id], self.retrieved.contexts[case.id]
        if self.arm.plan.stage is Stage.RETRIEVED_CONTEXT:
            context = inject(context, texts, self.arm.plan, case.id)
        context, unknown = await self._filter(case, context)
        if self.arm.plan.stage is Stage.FILTERED_CONTEXT:
            context = inject(context, texts, self.arm.plan, case.id)
        answer, unknown = await self._generate(case, context, unknown)
        claims = [option.claim for option in self.attack.target(case).options]
        if claims:
            with _state("judge", unknown), contextlib.suppress(_Counted):
                await self.judge.judge(case.query, answer, claims)

    async def _filter(self, case: Case, context: Context) -> tuple[Context, str]:
        with _state("filter", self.unknown):
            try:
                return (await self.filter.apply(case.query, context)).kept, self.unknown
            except _Counted as counted:
                # What comes through is not known; for the length of prompts, nothing is dropped.
                return context, digest({"request": counted.key, "context": [p.text for p in context]})

    async def _generate(self, case: Case, context: Context, unknown: str) -> tuple[str, str]:
        with _state("generator", unknown):
            try:
                return (await self.generator.generate(case.query, context)).text, unknown
            except _Counted as counted:
                return STAND_IN[case.lang], counted.key


class _state:  # noqa: N801 - used as a statement
    """Names the step, and what it depends on, for the requests that it makes."""

    def __init__(self, step: str, unknown: str) -> None:
        self._values = step, unknown

    def __enter__(self) -> None:
        step, unknown = self._values
        self._tokens = _step.set(step), _unknown.set(unknown)

    def __exit__(self, *_: object) -> None:
        _step.reset(self._tokens[0])
        _unknown.reset(self._tokens[1])


def estimate_tokens(text: str) -> float:
    """A rough count: four ASCII characters a token, and one for every other character."""
    ascii_count = sum(map(str.isascii, text))
    return ascii_count / 4 + (len(text) - ascii_count)


def _reply_tokens(step: str, request: ChatRequest) -> float:
    if step == "judge":
        limit = request.max_tokens or 400  # the judge's limit is 400 and 100 for each option
        return TOKENS_PER_OPTION * max(1.0, (limit - 400) / 100) + 20
    return FILTER_TOKENS if step == "filter" else ANSWER_TOKENS
