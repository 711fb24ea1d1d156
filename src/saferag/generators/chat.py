"""A generator over any chat model, with our own prompt."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable
from dataclasses import dataclass

from saferag.errors import BadReplyError
from saferag.generators import generators
from saferag.generators.base import Generator
from saferag.models import ChatModel, ChatRequest, models
from saferag.models.structured import strip_reasoning
from saferag.prompts import Prompt, load_prompt
from saferag.prompts.fence import number_passages
from saferag.registry import ComponentSpec
from saferag.resources import Resources
from saferag.types import Answer, Context


@dataclass(frozen=True, slots=True)
class ChatGenerator:
    """Asks a chat model to answer from numbered passages.

    Attributes:
        model: The model.
        prompt: With places for ``query`` and ``passages``.
        empty_prompt: For an empty context, with a place for ``query``.
    """

    model: ChatModel
    prompt: Prompt
    empty_prompt: Prompt

    @classmethod
    def from_resources(cls, spec: str | None, resources: Resources, user: str) -> ChatGenerator:
        """Build one over the model of a spec (None: the run's model), with our prompts in the run's language."""
        lang = resources.lang
        return cls(resources.chat(spec, user), load_prompt("answer", lang), load_prompt("answer_empty", lang))

    async def generate(self, query: str, context: Context) -> Answer:
        """Answer one question.

        Raises:
            ModelError: The model failed; an outage is never an empty answer.
        """
        if context:
            passages = number_passages([p.text for p in context], self.prompt.lang)
            messages = self.prompt.render(query=query, passages=passages)
        else:
            messages = self.empty_prompt.render(query=query)
        reply = await self.model.complete(ChatRequest(messages))
        text = strip_reasoning(reply.text).strip()
        if not text:
            raise BadReplyError("the reply holds reasoning and no answer")
        return Answer(text, reply.usage)


def register_chat_generator(name: str, summary: str, requires: tuple[str, ...] = ()) -> None:
    """Register a generator that answers by the model of this name and takes that model's parameters."""
    model_factory = models.get(name).factory

    def factory(resources: Resources, **parameters: object) -> Generator:
        variant = parameters.pop("variant", None)
        given = tuple(sorted((key, str(value)) for key, value in parameters.items()))
        spec = ComponentSpec(name, None if variant is None else str(variant), given)
        return ChatGenerator.from_resources(str(spec), resources, f"generator '{name}'")

    _copy_signature(model_factory, factory)
    generators.register(name, summary=summary, requires=requires)(factory)


def _copy_signature(source: Callable[..., object], target: Callable[..., object]) -> None:
    """Let the registry see the parameters of the model's factory in the generator's."""
    target.__annotations__ = typing.get_type_hints(source, localns={"Resources": Resources}) | {"return": Generator}
    target.__doc__ = source.__doc__
    vars(target)["__signature__"] = inspect.signature(source)
