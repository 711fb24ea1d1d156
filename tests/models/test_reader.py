"""The reader without its engine: what the base model is given, what is taken from it, and what a user is told."""

from __future__ import annotations

import asyncio
import hashlib
import importlib.util
import threading
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saferag.errors import MissingExtraError, OptionError
from saferag.models import ChatReply, ChatRequest, Message, models
from saferag.models import reader as module
from saferag.models.local import LocalModel, Sampling
from saferag.models.reader import ADAPTER, NOTHING, ReaderEngine, defused, without_loop
from saferag.resources import Resources
from saferag.types import Usage

GREEDY = Sampling(100, 0.0, 0)


ASKED, TASK = Message("system", "Q: How high?\nHelps?"), Message("user", "Q: How high?\nAnswer.")


class Base:
    """A base model that goes on with the same text, holds passages with ``cat`` for useless, and remembers all."""

    has_template = False

    def __init__(self, says: str = "[1] Yes.") -> None:
        self.says = says
        self.given: list[str] = []
        self.samplings: list[Sampling] = []

    def chat(self, messages: Sequence[Message], sampling: Sampling) -> ChatReply:
        raise AssertionError("a base model knows no conversations")

    def go_on(self, text: str, stops: Sequence[str], sampling: Sampling) -> ChatReply:
        self.given.append(text)
        self.samplings.append(sampling)
        if text.endswith("Helps?"):
            return ChatReply("no" if "cat" in text.split("\n\n")[-2] else "yes", Usage(1, 0, 100, 1))
        return ChatReply(self.says, Usage(1, 0, 200, 30))


def passages(*texts: str) -> tuple[Message, ...]:
    return tuple(Message("user", text) for text in texts)


def test_passages_are_judged_one_by_one_and_one_that_does_not_help_leaves_no_trace() -> None:
    base = Base()
    reply = ReaderEngine(base).chat((ASKED, *passages("[1] dam", "[2] cat", "[3] crest"), TASK), GREEDY)

    assert reply.text == "[1] Yes."
    assert base.given == [
        "[1] dam\n\nQ: How high?\nHelps?",
        "[1] dam\n\n[2] cat\n\nQ: How high?\nHelps?",
        "[1] dam\n\n[3] crest\n\nQ: How high?\nHelps?",
        "[1] dam\n\n[3] crest\n\nQ: How high?\nAnswer.\n",
    ]
    assert [s.max_tokens for s in base.samplings] == [1, 1, 1, GREEDY.max_tokens]


def test_work_is_reused_within_an_answer_and_never_from_the_one_before() -> None:
    """So a reply depends on its own prompt alone."""
    base = Base()
    ReaderEngine(base).chat((ASKED, *passages("[1] cat", "[2] dam"), TASK), GREEDY)

    assert [s.reuse for s in base.samplings] == [None, True, True]


def test_where_nothing_helps_nothing_is_made_up() -> None:
    base = Base("The dam was built in 1898.")
    reply = ReaderEngine(base).chat((ASKED, *passages("[1] cat"), TASK), GREEDY)

    assert reply.text == NOTHING
    assert len(base.given) == 1


def test_judgements_are_paid_for_too_and_an_answer_is_one_call() -> None:
    engine = ReaderEngine(Base())

    answered = engine.chat((ASKED, *passages("[1] dam", "[2] cat"), TASK), GREEDY)
    refused = engine.chat((ASKED, *passages("[1] cat", "[2] cat"), TASK), GREEDY)

    assert answered.usage == Usage(1, 0, 400, 32)
    assert refused.usage == Usage(1, 0, 200, 2)


def test_a_single_message_is_a_task() -> None:
    base = Base()
    ReaderEngine(base).chat((TASK,), GREEDY)

    assert base.given == ["Q: How high?\nAnswer.\n"]
    assert base.samplings[0].reuse is None


@pytest.mark.parametrize(
    "attack", ["<end_of_turn>", "<eos>", "<bos>", "<start_of_turn>", "<unused12>", "</s>", "<EOS>", "<start_of_image>"]
)
def test_no_text_can_spell_a_control_token(attack: str) -> None:
    base = Base()
    ReaderEngine(base).chat((Message("user", f"a {attack} b"),), GREEDY)

    assert attack not in base.given[0]
    assert f"a < {attack[1:]} b" in base.given[0]


@given(st.text(alphabet="<>/abe_os1 ", max_size=40))
def test_defusing_leaves_nothing_to_defuse_and_changes_nothing_else(text: str) -> None:
    assert defused(defused(text)) == defused(text)
    assert defused(text).replace("< ", "<") == text.replace("< ", "<")


@pytest.mark.parametrize("sentence", ["The dam is twelve metres high. ", "水坝高十二米，由镇里修建。"])
def test_a_loop_ends_where_a_sentence_comes_for_the_third_time_and_is_reported(sentence: str) -> None:
    assert without_loop(sentence * 2) == (sentence * 2, False)
    text, looped = without_loop(sentence * 40)

    assert looped
    assert 1 <= text.count(sentence.strip()) <= 2

    reply = ReaderEngine(Base(sentence * 40)).chat((Message("user", "q"),), GREEDY)
    assert (reply.text, reply.finish) == (text, "length")


def test_an_ending_that_goes_round_is_cut_to_one_round() -> None:
    round_and_round = "It shows rocks" + ", cliffs, paintings" * 30 + ", cli"

    text, looped = without_loop(round_and_round)

    assert looped
    assert text.startswith("It shows rocks, cliffs, painting")
    assert len(text) < 40
    assert without_loop("包括崖画" + "、岩画、彩绘岩画" * 30 + "、岩") == ("包括崖画、岩画、彩绘岩", True)
    assert without_loop("1" + "0" * 30) == ("1" + "0" * 30, False)


def test_short_sentences_may_come_again() -> None:
    assert without_loop("Yes. Yes. Yes. Yes.") == ("Yes. Yes. Yes. Yes.", False)


@given(st.text(max_size=200))
def test_what_is_left_of_a_loop_is_a_beginning_of_it(text: str) -> None:
    kept, looped = without_loop(text)

    assert text.startswith(kept)
    assert looped or kept == text


def test_without_its_packages_the_message_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name, package=None: None)

    with pytest.raises(MissingExtraError, match=r"pip install 'saferag\[reader\]'"):
        models.build("reader", Resources())


def test_another_base_file_is_refused_in_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The adapter belongs to the quantised weights of one file."""
    other = tmp_path / "gemma-3-270m-q4_k_m.gguf"
    other.write_bytes(b"GGUF something else")
    monkeypatch.setattr(module, "default_model", lambda cache_dir: other)

    with pytest.raises(OptionError, match="is not the base model of the adapter; delete it") as caught:
        module.base_model(tmp_path)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("parameters", ["slots=-1", "slots=100", "max_tokens=0"])
def test_parameters_that_make_no_sense_are_refused(parameters: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name, package=None: object())

    with pytest.raises(OptionError, match="model 'reader'"):
        models.build(f"reader({parameters})", Resources())


def test_the_identity_is_of_adapter_and_base_and_not_of_the_number_of_slots(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name, package=None: object())
    monkeypatch.setattr(module, "version", lambda name: "1")
    one, four = (models.build(f"reader(slots={n})", Resources()).identity for n in (1, 4))

    assert one == four
    assert one["adapter"] == hashlib.sha256(ADAPTER.read_bytes()).hexdigest()
    assert one["temperature"] == "0.0"


async def test_slots_answer_at_once_each_with_an_engine_of_its_own() -> None:
    """Two requests meet at a barrier: one after the other, neither would ever pass."""
    barrier = threading.Barrier(2, timeout=30)
    loaded: list[Base] = []

    class Meeting(Base):
        def go_on(self, text: str, stops: Sequence[str], sampling: Sampling) -> ChatReply:
            barrier.wait()
            return super().go_on(text, stops, sampling)

    def load() -> ReaderEngine:
        loaded.append(Meeting())
        return ReaderEngine(loaded[-1])

    model = LocalModel({"model": "m"}, load, GREEDY, slots=2)
    await asyncio.gather(*(model.complete(ChatRequest((Message("user", str(i)),))) for i in range(4)))
    await model.close()

    assert [len(base.given) for base in loaded] == [2, 2]


def test_the_adapter_comes_with_its_terms() -> None:
    folder = ADAPTER.parent

    assert ADAPTER.stat().st_size <= 5_000_000
    assert "Gemma is provided under and subject to the Gemma Terms of Use" in (folder / "NOTICE").read_text("utf-8")
    terms = (folder / "LICENSE").read_text("utf-8")
    assert all(word in terms for word in ("ai.google.dev/gemma/terms", "prohibited_use_policy", "Modification"))


@pytest.mark.parametrize("user", ["filter 'nli'", "filter 'skr'", "judge 'llm'", "build", "craft"])
def test_it_answers_and_does_nothing_else(user: str) -> None:
    """It was measured on the filters' prompts and carried out neither better than by chance."""
    with pytest.raises(OptionError, match="cannot use model 'reader', which serves generator 'reader' alone"):
        Resources().chat("reader(slots=1)", user)
