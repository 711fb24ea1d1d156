"""What building with a model would send and cost, estimated before anything is sent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from saferag.construct.build import Prepared
from saferag.construct.by_model import question_request
from saferag.experiment.plan import estimate_tokens
from saferag.models.cache import request_key
from saferag.prompts import load_prompt
from saferag.resources import Resources

STEPS: Mapping[str, tuple[float, float]] = {
    "question": (1.0, 0.9),
    "facts": (0.9, 1.1),
    "targets": (0.9, 0.1),
    "options": (0.8, 0.2),
    "silver": (0.4, 1.2),
    "conflict": (0.15, 0.4),
    "ad": (0.15, 0.35),
}
"""Length of the material in a step's request and of its reply, as shares of the segment's length."""


@dataclass(frozen=True, slots=True)
class BuildPlan:
    """An estimate.

    Attributes:
        identity: The model.
        calls: Without repairs; fewer where segments are rejected on the way.
        cached: Calls that the reply cache can answer for certain: first ones only, since later ones depend on replies.
        prompt_tokens, completion_tokens: For what is not cached for certain.
    """

    identity: Mapping[str, str]
    calls: int
    cached: int
    prompt_tokens: float
    completion_tokens: float


def plan(prepared: Prepared, resources: Resources) -> BuildPlan:
    """Estimate calls and tokens.

    Raises:
        OptionError: No model is named, or its spec cannot be read.
    """
    model = resources.chat(None, "build")
    cached = 0
    tokens_in = tokens_out = 0.0
    for task in prepared.tasks:
        key = request_key(model.identity, question_request(task))
        known = resources.replies.get(key) is not None
        cached += known
        length = estimate_tokens(task.segment.text)
        for step, (share_in, share_out) in STEPS.items():
            if step == "question" and known:
                continue
            parts = load_prompt(f"construct_{step}", task.segment.language).parts
            tokens_in += estimate_tokens("".join(text for _, text in parts) + task.note) + share_in * length
            tokens_out += share_out * length
    return BuildPlan(model.identity, len(prepared.tasks) * len(STEPS), cached, tokens_in, tokens_out)
