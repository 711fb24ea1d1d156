"""Train the reader's adapter: ``python training/train.py``, forty minutes on two CPU cores.

Loss on judgements and answers alone; AdamW, falling to zero; the rate and the time left are logged.
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
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from adapter import attach, export
from base import load_base
from mix import SEED, examples
from saferag.models.gguf import default_model
from samples import Sample, encode
from tokens import Tokenizer
from topics import read_topics

HELD_OUT = "12"
"""Topics whose id ends in this are not trained on: their loss says when training goes wrong."""

USUAL = 300
"""Tokens of a usual answer: what the loss is divided by."""

_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3  # numbers of glibc's mallopt

log = logging.getLogger("train")


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
    report(model, held)
    export(model, options.out, options.alpha, "saferag reader")
    log.info("wrote %s", options.out)


def report(model: Any, samples: Sequence[Sample]) -> None:  # noqa: ANN401
    """Log how well the held-out topics are done."""
    with torch.no_grad():
        total = sum(float(s.weights.sum()) for s in samples) / USUAL
        log.info("loss per token on held-out topics: %.4f", sum(loss(model, s).item() for s in samples) / total)
        helps, others = judged(model, samples)
    log.info("judged rightly on held-out topics: %.3f of the passages that help, %.3f of the others", helps, others)


def keep_memory() -> None:
    """Tell glibc to keep freed memory: the kernel would clear the same large pages anew at every step."""
    with contextlib.suppress(OSError, AttributeError):
        libc = ctypes.CDLL("libc.so.6")
        libc.mallopt(_MMAP_THRESHOLD, 2**30)
        libc.mallopt(_TRIM_THRESHOLD, 2**31 - 1)


def fit(model: Any, parameters: list[torch.nn.Parameter], samples: list[Sample], options: argparse.Namespace) -> None:  # noqa: ANN401
    """Train for the given number of epochs; the first takes the samples in their own order."""
    optimizer = torch.optim.AdamW(parameters, lr=options.lr, weight_decay=0.0, betas=(0.9, 0.99))
    order = [s for epoch in range(options.epochs) for s in _ordered(samples, epoch)]
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
    """Cross-entropy of the tokens that count, each by its weight, over `USUAL` tokens.

    Not over the answer's own: a refusal of ten tokens would then count as much as an answer of three hundred, and its
    first token thirty times as much as theirs.
    """
    logits, wanted = predicted(model, sample, sample.weights > 0)
    each = functional.cross_entropy(logits.float(), wanted, reduction="none")
    return (each * sample.weights[sample.weights > 0]).sum() / USUAL


def predicted(model: Any, sample: Sample, which: Tensor) -> tuple[Tensor, Tensor]:  # noqa: ANN401
    """Logits for some tokens, and the tokens; for these alone, because the vocabulary is large."""
    masks, positions = sample.masks(model.dtype), sample.positions[None]
    states = model.model(sample.ids[None], attention_mask=masks, position_ids=positions).last_hidden_state[0]
    places = which.nonzero()[:, 0]
    return functional.linear(states[places - 1], model.lm_head.weight), sample.ids[places]


def judged(model: Any, samples: Sequence[Sample]) -> tuple[float, float]:  # noqa: ANN401
    """Share of the passages that are judged rightly: of those that help, and of the others."""
    right: dict[bool, list[bool]] = {True: [], False: []}
    for sample in samples:
        logits, wanted = predicted(model, sample, (sample.branches > 0) & (sample.weights > 0))
        for helps, ok in zip(sample.helps.tolist(), (logits.argmax(-1) == wanted).tolist(), strict=True):
            right[helps].append(ok)
    return sum(right[True]) / len(right[True]), sum(right[False]) / len(right[False])


def _ordered(samples: Sequence[Sample], epoch: int) -> list[Sample]:
    order = list(samples)
    if epoch:
        random.Random(f"{SEED}/epoch {epoch}").shuffle(order)
    return order


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Train the reader's adapter.")
    parser.add_argument("--out", type=Path, default=Path("reader.gguf"))
    parser.add_argument("--cache", type=Path, default=Path(".cache"), help="where the base model is put together")
    parser.add_argument("--rank", type=int, default=8)
    parser.add_argument("--alpha", type=int, default=16)
    parser.add_argument("--lr", type=float, default=4e-4)
    parser.add_argument("--epochs", type=int, default=1)
    parser.add_argument("--batch", type=int, default=2)
    parser.add_argument("--limit", type=int, default=None, help="train on the first examples only")
    parser.add_argument("--threads", type=int, default=2)
    return parser.parse_args()


if __name__ == "__main__":
    main()
