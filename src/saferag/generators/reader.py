"""Answers by the reader: the small model of `saferag.models.reader`, with the prompt that its adapter was trained on.

The reader begins each thing that it says with the number of the passage that it took it from. These marks steer a
model of this size from passage to passage; they are taken off here.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from saferag.errors import BadReplyError, OptionError
from saferag.generators import generators
from saferag.generators.base import Generator
from saferag.generators.extractive import ABSTENTION
from saferag.models import ChatModel, ChatRequest, Message
from saferag.models.reader import NOTHING
from saferag.prompts import load_prompt
from saferag.registry import ComponentSpec
from saferag.resources import Resources
from saferag.text import split_sentences
from saferag.types import Answer, Context, Lang

_MARK = re.compile(r"^\[\d{1,3}\] ?", re.MULTILINE)
_WISH = {Lang.ZH: "\n要求：", Lang.EN: "\nInstruction: "}
FORMS = {
    "list": {Lang.ZH: "分点列出，每点一行，以“- ”开头。", Lang.EN: "Answer as a list, each line beginning with '- '."},
    "one": {Lang.ZH: "只写一点。", Lang.EN: "Give one point only."},
    "two": {Lang.ZH: "最多写两点。", Lang.EN: "At most two points."},
}
"""Wishes as to form that the reader was trained to follow, by the name that a user gives."""


@dataclass(frozen=True, slots=True)
class ReaderGenerator:
    """Asks the reader.

    Attributes:
        model: The reader.
        lang: Language of the prompt.
        instruction: A wish as to the form of the answer, in that language; empty: none.
    """

    model: ChatModel
    lang: Lang
    instruction: str = ""

    async def generate(self, query: str, context: Context) -> Answer:
        """Answer one question; where no passage helps, that is said in words.

        Raises:
            ModelError: The model failed.
        """
        if not context:
            return Answer(ABSTENTION[self.lang])
        messages = reader_messages(query, [p.text for p in context], self.lang, self.instruction)
        reply = await self.model.complete(ChatRequest(messages))
        text = ABSTENTION[self.lang] if reply.text == NOTHING else unmarked(reply.text, self.lang)
        if not text:
            raise BadReplyError("the reader named a passage and said nothing")
        return Answer(text, reply.usage)


def reader_messages(query: str, texts: Sequence[str], lang: Lang, instruction: str = "") -> tuple[Message, ...]:
    """What is asked of every passage, the passages, and the task with a wish as to form, if there is one.

    Passages are put on one line each, so that none can look like several.
    """
    wish = _WISH[lang] + instruction if instruction else ""
    query, prompt = " ".join(query.split()), load_prompt("reader", lang)

    def parts(number: int, passage: str) -> tuple[Message, ...]:
        return prompt.render(query=query, number=str(number), passage=" ".join(passage.split()), instruction=wish)

    asked, _, task = parts(0, "")
    return (asked, *(parts(i, text)[1] for i, text in enumerate(texts, 1)), task)


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
    form: str = "",
) -> Generator:
    """Build one over the reader; see `saferag.models.reader` for the parameters of the model.

    Raises:
        OptionError: ``form`` is none of `FORMS`.
    """
    if form and form not in FORMS:
        raise OptionError(f"generator 'reader': form must be one of {', '.join(FORMS)}, not '{form}'")
    given = (("max_tokens", str(max_tokens)), ("reuse_prefix", str(reuse_prefix)), ("slots", str(slots)))
    model = resources.chat(str(ComponentSpec("reader", None, given)), "generator 'reader'")
    return ReaderGenerator(model, resources.lang, FORMS[form][resources.lang] if form else "")
