"""Low-rank adapters on a frozen model, and the GGUF file that llama.cpp loads them from.

Source: Hu et al., LoRA: Low-Rank Adaptation of Large Language Models (arXiv 2106.09685), formula 3:
h = W x + (alpha / r) B A x, with A drawn at random and B zero at the start.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import torch
from gguf import GGUFWriter
from torch import Tensor, nn
from torch.nn import functional

from base import PROJECTIONS


class LowRank(nn.Module):
    """A frozen linear layer with an adapter beside it."""

    def __init__(self, layer: nn.Linear, rank: int, alpha: int) -> None:
        super().__init__()
        self.layer = layer
        self.scale = alpha / rank
        self.a = nn.Parameter(torch.empty(rank, layer.in_features))
        self.b = nn.Parameter(torch.zeros(layer.out_features, rank))
        nn.init.kaiming_uniform_(self.a, a=math.sqrt(5))

    def forward(self, x: Tensor) -> Tensor:
        """The layer's output and the adapter's; the adapter's weights are kept in full precision."""
        low = functional.linear(x, self.a.to(x.dtype))
        return self.layer(x) + functional.linear(low, self.b.to(x.dtype)) * self.scale


def attach(model: Any, rank: int, alpha: int) -> list[nn.Parameter]:  # noqa: ANN401 - transformers has no types here
    """Put an adapter on every projection of every block; the parameters to train."""
    parameters: list[nn.Parameter] = []
    for block in model.model.layers:
        for name in PROJECTIONS.values():
            owner_name, leaf = name.split(".")
            owner = getattr(block, owner_name)
            wrapped = LowRank(getattr(owner, leaf), rank, alpha)
            setattr(owner, leaf, wrapped)
            parameters += [wrapped.a, wrapped.b]
    return parameters


def export(model: Any, path: Path, alpha: int, name: str) -> None:  # noqa: ANN401
    """Write the adapter, in half precision, as llama.cpp reads it."""
    writer = GGUFWriter(path, "gemma3")
    writer.add_type("adapter")
    writer.add_string("adapter.type", "lora")
    writer.add_float32("adapter.lora.alpha", float(alpha))
    writer.add_name(name)
    writer.add_string("general.license", "gemma")
    for index, block in enumerate(model.model.layers):
        for tensor, projection in PROJECTIONS.items():
            owner, leaf = projection.split(".")
            wrapped = getattr(getattr(block, owner), leaf)
            for side in ("a", "b"):
                value = getattr(wrapped, side).detach().float().numpy().astype(np.float16)
                writer.add_tensor(f"blk.{index}.{tensor}.weight.lora_{side}", value)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
