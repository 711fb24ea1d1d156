"""Train the reader's adapter: ``python training/train.py``, twenty minutes on two CPU cores.

Loss on the tokens of the answer alone; AdamW, 6e-4 falling to zero; the rate and the time left are logged.
"""

from __future__ import annotations

import argparse
import contextlib
import ctypes
import logging
import math
import random
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from adapter import attach, export
from base import load_base
from mix import SEED, Example, examples
from saferag.models.gguf import default_model
from tokens import BRACKET, END, NEWLINE, Tokenizer
from topics import read_topics

HELD_OUT = "12"
"""Topics whose id ends in this are not trained on: their loss says when training goes wrong."""

USUAL = 300
"""Tokens of a usual answer: what the loss is divided by."""

DECIDES = 8
"""Weight of a token that decides what is said; what follows from it counts once."""

_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3  # numbers of glibc's mallopt

log = logging.getLogger("train")


@dataclass(frozen=True, slots=True)
class Sample:
    """Token ids of an example, how many of them are the prompt, and how much each of the others counts."""

    ids: Tensor
    prompt: int
    weights: Tensor


def main() -> None:
    """Read the topics, train, and write the adapter."""
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    options = _options()
    keep_memory()
    torch.manual_seed(SEED)
    torch.set_num_threads(options.threads)
    base = default_model(options.cache)
    topics = read_topics()
    kept = [t for t in topics if not t.id.endswith(HELD_OUT)]
    tokenizer = Tokenizer(base)
    train = [encode(e, tokenizer) for e in list(examples(kept))[: options.limit]]
    held = [encode(e, tokenizer) for e in examples([t for t in topics if t.id.endswith(HELD_OUT)])][:48]
    log.info("%d examples of %d topics, %d tokens", len(train), len(kept), sum(len(s.ids) for s in train))

    model = load_base(base)
    parameters = attach(model, options.rank, options.alpha)
    fit(model, parameters, train, options)
    with torch.no_grad():
        total = sum(float(s.weights.sum()) for s in held) / USUAL
        log.info("loss per token on held-out topics: %.4f", sum(loss(model, s).item() for s in held) / total)
        log.info("decisions that are right on held-out topics: %.3f", decided(model, held))
    export(model, options.out, options.alpha, "saferag reader")
    log.info("wrote %s", options.out)


def keep_memory() -> None:
    """Tell glibc to keep freed memory: the kernel would clear the same large pages anew at every step."""
    with contextlib.suppress(OSError, AttributeError):
        libc = ctypes.CDLL("libc.so.6")
        libc.mallopt(_MMAP_THRESHOLD, 2**30)
        libc.mallopt(_TRIM_THRESHOLD, 2**31 - 1)


def fit(model: Any, parameters: list[torch.nn.Parameter], samples: list[Sample], options: argparse.Namespace) -> None:  # noqa: ANN401
    """Train for the given number of epochs."""
    optimizer = torch.optim.AdamW(parameters, lr=options.lr, weight_decay=0.0, betas=(0.9, 0.99))
    order = [s for epoch in range(options.epochs) for s in _shuffled(samples, epoch)]
    steps = math.ceil(len(order) / options.batch)
    started, done, running = time.monotonic(), 0, 0.0
    for step in range(steps):
        warm = min(1.0, (step + 1) / 10)
        for group in optimizer.param_groups:
            group["lr"] = options.lr * warm * (1 - step / steps)
        batch = order[step * options.batch : (step + 1) * options.batch]
        for sample in batch:
            value = loss(model, sample) / len(batch)
            value.backward()
            running += value.item()
        torch.nn.utils.clip_grad_norm_(parameters, 1.0)
        optimizer.step()
        optimizer.zero_grad()
        done += len(batch)
        if (step + 1) % 10 == 0:
            each = (time.monotonic() - started) / done
            left = each * (len(order) - done) / 60
            log.info("%4d of %d   loss %.4f   %.2f s each   %.0f min left", done, len(order), running / 10, each, left)
            running = 0.0
        if (step + 1) % 40 == 0:
            export(model, options.out, options.alpha, "saferag reader")  # so that a look at it is possible


def loss(model: Any, sample: Sample) -> Tensor:  # noqa: ANN401
    """Cross-entropy of the answer's tokens, each by its weight, over `USUAL` tokens.

    Not over the answer's own: a refusal of ten tokens would then count as much as an answer of three hundred, and its
    first token thirty times as much as theirs. Logits are made for the answer alone, because the vocabulary is large.
    """
    states = model.model(sample.ids[None, :-1]).last_hidden_state[0, sample.prompt - 1 :]
    logits = functional.linear(states, model.lm_head.weight)
    each = functional.cross_entropy(logits.float(), sample.ids[sample.prompt :], reduction="none")
    return (each * sample.weights).sum() / USUAL


def encode(example: Example, tokenizer: Tokenizer) -> Sample:
    """The ids of prompt, answer and end token; the two are tokenised apart, as inference does."""
    prompt = tokenizer.ids(example.prompt, begin=True)
    answer = [*tokenizer.ids(example.target, begin=False), END]
    weights = torch.tensor([float(DECIDES if decides(answer, i) else 1) for i in range(len(answer))])
    return Sample(torch.tensor([*prompt, *answer]), len(prompt), weights)


def decided(model: Any, samples: Sequence[Sample]) -> float:  # noqa: ANN401
    """Share of the tokens that decide what is said which the model holds for the likeliest."""
    right = []
    for sample in samples:
        states = model.model(sample.ids[None, :-1]).last_hidden_state[0, sample.prompt - 1 :]
        chosen = states[sample.weights > 1]
        found = functional.linear(chosen, model.lm_head.weight).argmax(-1)
        right += (found == sample.ids[sample.prompt :][sample.weights > 1]).tolist()
    return sum(right) / len(right)


def decides(answer: Sequence[int], i: int) -> bool:
    """Whether a token decides what is said: the first one, the number of a passage, whether another one follows."""
    starts = answer[i - 1] == BRACKET and (i == 1 or answer[i - 2] == NEWLINE)
    return i == 0 or starts or answer[i] in (NEWLINE, END)


def _shuffled(samples: Sequence[Sample], epoch: int) -> list[Sample]:
    order = list(samples)
    random.Random(f"{SEED}/epoch {epoch}").shuffle(order)
    return order


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Train the reader's adapter.")
    parser.add_argument("--out", type=Path, default=Path("reader.gguf"))
    parser.add_argument("--cache", type=Path, default=Path(".cache"), help="where the base model is put together")
    parser.add_argument("--rank", type=int, default=8)
    parser.add_argument("--alpha", type=int, default=16)
    parser.add_argument("--lr", type=float, default=6e-4)
    parser.add_argument("--epochs", type=int, default=1)
    parser.add_argument("--batch", type=int, default=4)
    parser.add_argument("--limit", type=int, default=None, help="train on the first examples only")
    parser.add_argument("--threads", type=int, default=2)
    return parser.parse_args()


if __name__ == "__main__":
    main()
