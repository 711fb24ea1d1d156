"""Examples as token ids, laid out so that one pass of the model computes every decision as inference will.

A judgement leaves no trace, nor does a passage that does not help: what comes after is read as if they had never been
there. So an example is a tree. The trunk is the passages that help, the task, and the answer. Each judgement is a
branch that sees what precedes it in the trunk, and that nothing else sees.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import torch
from torch import Tensor

from mix import Example
from saferag.models.reader import NO, YES, answering, defused, judging, reading

END, NEWLINE, BRACKET = 1, 107, 236840
"""Gemma's end token, and its tokens for a line feed and for ``[``."""

JUDGES = 20.0
"""Weight of a token that says whether a passage helps."""

DECIDES = 4
"""Weight of a token of the answer that decides what is said; what follows from it counts once."""

WINDOW = 512
"""How far most layers look back, the token itself included."""


class _Token(NamedTuple):
    id: int
    position: int
    branch: int
    seen: int
    weight: float


class Tokenize(Protocol):
    """A tokenizer."""

    def ids(self, text: str, begin: bool) -> list[int]:
        """The ids of a text; ``begin`` puts the token in front that a prompt begins with."""
        ...


@dataclass(frozen=True, slots=True)
class Sample:
    """An example of n tokens; the trunk comes first, then the branches.

    Attributes:
        ids: Token ids, (n,).
        positions: Place of each token in what the model reads at inference, (n,).
        branches: 0 for the trunk, 1 and up for the branches, (n,).
        seen: How many tokens of the trunk a branch's token sees; for a trunk's token all before it, (n,).
        weights: How much the prediction of each token counts; 0 for what the model is given, (n,).
        helps: Whether the passage of each branch helps, (number of branches,).
    """

    ids: Tensor
    positions: Tensor
    branches: Tensor
    seen: Tensor
    weights: Tensor
    helps: Tensor

    def masks(self, dtype: torch.dtype) -> dict[str, Tensor]:
        """What is added to the attention scores, (1, 1, n, n), for the layers that see everything and the others."""
        order = torch.arange(len(self.ids))
        same = self.branches[:, None] == self.branches[None]
        trunk = (self.branches[None] == 0) & (self.positions[None] < self.seen[:, None])
        allowed = (same | trunk) & (order[None] <= order[:, None])
        near = self.positions[:, None] - self.positions[None] < WINDOW
        least = torch.finfo(dtype).min
        return {
            name: torch.zeros(visible.shape, dtype=dtype).masked_fill(~visible, least)[None, None]
            for name, visible in (("full_attention", allowed), ("sliding_attention", allowed & near))
        }


def encode(example: Example, tokenizer: Tokenize) -> Sample:
    """The tree of an example, with the very ids that inference will have."""
    question, *passages, task = (defused(m.content) for m in example.messages)
    text, judgements = "", []
    for passage, helps in zip(passages, example.helps, strict=True):
        judgements.append(tokenizer.ids(judging(text, passage, question) + (YES if helps else NO), begin=True))
        if helps and example.target:
            text = reading(text, passage)
    trunk, weights = tokenizer.ids("", begin=True), [0.0]
    if example.target:
        prompt = tokenizer.ids(answering(text, task), begin=True)
        answer = [*tokenizer.ids(example.target, begin=False), END]
        trunk = prompt + answer
        weights = [0.0] * len(prompt) + [float(DECIDES if decides(answer, i) else 1) for i in range(len(answer))]
    return _tree(trunk, weights, judgements, example.helps)


def _tree(trunk: list[int], weights: list[float], judgements: list[list[int]], helps: Sequence[bool]) -> Sample:
    tokens = [
        _Token(token, i, 0, len(trunk), weight) for i, (token, weight) in enumerate(zip(trunk, weights, strict=True))
    ]
    for number, ids in enumerate(judgements, 1):
        start = _common(ids, trunk)
        last = len(ids) - 1
        tokens += [_Token(ids[i], i, number, start, JUDGES if i == last else 0.0) for i in range(start, last + 1)]
    ids, positions, branches, seen, counts = (torch.tensor(column) for column in zip(*tokens, strict=True))
    return Sample(ids, positions, branches, seen, counts, torch.tensor(helps))


def decides(answer: list[int], i: int) -> bool:
    """Whether a token decides what is said: the first one, the number of a passage, whether another one follows."""
    starts = answer[i - 1] == BRACKET and (i == 1 or answer[i - 2] == NEWLINE)
    return i == 0 or starts or answer[i] in (NEWLINE, END)


def _common(ids: list[int], others: list[int]) -> int:
    """How many of the first ids are the same; at most all but one."""
    same = 0
    while same < min(len(ids) - 1, len(others)) and ids[same] == others[same]:
        same += 1
    return same
