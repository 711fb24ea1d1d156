"""Models in this process, on tiny ones made here: no download, no key, no server."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from local.tiny import SAYS, TEMPLATE, write_gguf, write_transformers
from saferag.errors import OptionError, RequestRejectedError
from saferag.generators import generators
from saferag.models import ChatRequest, Message, models
from saferag.models.gguf import has_chat_template
from saferag.models.structured import ReplyForm, ask
from saferag.resources import Resources
from saferag.types import Lang, Passage

pytestmark = pytest.mark.local

CONTEXT = (Passage("a", "The dam is 12 m high."),)
MAKERS: dict[str, Callable[[Path, str | None], Path]] = {"gguf": write_gguf, "huggingface": write_transformers}


@pytest.fixture(scope="module", params=[(kind, template) for kind in MAKERS for template in (None, TEMPLATE)])
def spec(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A model with or without chat template, in either engine."""
    kind, template = request.param
    for package in {"gguf": ("xllamacpp", "gguf"), "huggingface": ("transformers", "torch")}[kind]:
        pytest.importorskip(package)
    return f"{kind}:{MAKERS[kind](tmp_path_factory.mktemp('model') / 'tiny', template)}"


async def test_it_answers_without_leaving_this_machine(spec: str, resources: Resources) -> None:
    generator = generators.build(spec, resources)
    answer = await generator.generate("How high is the dam?", CONTEXT)
    again = await generators.build(spec, Resources(lang=Lang.EN)).generate("How high is the dam?", CONTEXT)
    await resources.close()

    assert answer == again
    assert answer.text == SAYS
    assert answer.usage.calls == 1
    assert answer.usage.completion_tokens >= len(SAYS)
    assert answer.usage.prompt_tokens > 100


async def test_the_event_loop_stays_free_and_identical_requests_are_sent_once(spec: str, resources: Resources) -> None:
    generator = generators.build(spec, resources)
    pending = asyncio.gather(*(generator.generate("How high?", CONTEXT) for _ in range(5)))
    ticks = 0
    while not pending.done():
        ticks += 1
        await asyncio.sleep(0.001)
    await resources.close()

    assert ticks > 3
    assert {answer.text for answer in await pending} == {SAYS}
    assert resources.traffic.sent == 1


async def test_a_reply_at_its_limit_says_so(spec: str, resources: Resources) -> None:
    model = models.build(spec, resources)
    reply = await model.complete(ChatRequest((Message("user", "hello"),), max_tokens=2))
    await model.close()

    assert (reply.text, reply.finish) == (SAYS[:2], "length")


async def test_it_can_be_used_again_after_it_was_closed(spec: str, resources: Resources) -> None:
    model = models.build(spec, resources)
    replies = []
    for _ in range(2):
        replies.append((await model.complete(ChatRequest((Message("user", "hello"),)))).text)
        await model.close()
        await model.close()

    assert replies == [SAYS, SAYS]


async def test_a_prompt_that_does_not_fit_is_a_rejected_request(spec: str, resources: Resources) -> None:
    model = models.build(spec, resources)
    with pytest.raises(RequestRejectedError, match="tokens"):
        await model.complete(ChatRequest((Message("user", "x" * 20_000),)))
    await model.close()


async def test_a_file_that_is_damaged_is_one_line(tmp_path: Path, resources: Resources) -> None:
    pytest.importorskip("xllamacpp")
    (tmp_path / "broken.gguf").write_bytes(b"GGUF" + bytes(100))
    model = models.build(f"gguf:{tmp_path / 'broken.gguf'}", resources)

    with pytest.raises(OptionError, match="cannot load"):
        await model.complete(ChatRequest((Message("user", "hello"),)))
    await model.close()


async def test_a_folder_without_a_model_is_one_line(tmp_path: Path, resources: Resources) -> None:
    pytest.importorskip("transformers")
    model = models.build(f"huggingface:{tmp_path}", resources)

    with pytest.raises(OptionError, match="cannot be loaded") as caught:
        await model.complete(ChatRequest((Message("user", "hello"),)))
    await model.close()
    assert "\n" not in str(caught.value)


async def test_llama_cpp_keeps_to_a_form(tmp_path: Path, resources: Resources) -> None:
    """The tiny model would say nothing of the kind by itself."""
    pytest.importorskip("xllamacpp")

    class Form(ReplyForm):
        ok: bool

    model = models.build(f"gguf:{write_gguf(tmp_path / 'chat', TEMPLATE)}", resources)
    reply = await ask(model, (Message("user", "reply in JSON"),), Form, lang=Lang.EN, max_tokens=64)
    await model.close()

    assert isinstance(reply.value.ok, bool)


def test_a_chat_template_is_found_without_loading_the_model(tmp_path: Path) -> None:
    pytest.importorskip("gguf")

    assert has_chat_template(write_gguf(tmp_path / "a", TEMPLATE))
    assert not has_chat_template(write_gguf(tmp_path / "b", None))
