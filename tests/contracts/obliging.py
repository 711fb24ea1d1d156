"""A chat model that fills in whatever form it is asked for: enough to run every component that asks a model."""

from __future__ import annotations

import json
import re

from saferag.models import ChatRequest
from saferag.models.scripted import ScriptedModel


def obliging() -> ScriptedModel:
    """Drops passages that speak of cats, condenses to the first half, finds every other statement right."""
    return ScriptedModel(_reply, "obliging")


def _reply(request: ChatRequest) -> str:
    asked = "\n".join(message.content for message in request.messages)
    if request.schema is None:
        return "It is 12 m high."
    properties = request.schema["properties"]
    if "drop" in properties:
        cats = [i for i, text in _passages(asked) if "cat" in text]
        return json.dumps({"drop": [{"id": i, "reason": "cats"} for i in cats]})
    if "summary" in properties:
        used = [i for i, _ in _passages(asked)][: (len(_passages(asked)) + 1) // 2]
        return json.dumps({"summary": "In short.", "used": used})
    mark = re.findall(r"<<<end response (\w+)>>>", asked)[-1]
    numbers = re.findall(r"^(\d+)\. ", asked[asked.rindex(f"<<<end response {mark}>>>") :], re.MULTILINE)
    verdicts = [{"id": int(n), "reason": "r", "verdict": ("correct", "incorrect")[int(n) % 2]} for n in numbers]
    return json.dumps({"mark": mark, "verdicts": verdicts})


def _passages(asked: str) -> list[tuple[int, str]]:
    found = re.findall(r"^\[(?:passage|资料) (\d+) \| (\w+)\]\n(.*?)\n\[(?:end of passage|资料) ", asked, re.M | re.S)
    marks = [mark for _, mark, _ in found]
    return [(int(number), text) for number, mark, text in found if mark == marks[-1]]
