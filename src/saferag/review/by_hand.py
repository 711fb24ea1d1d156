"""Attack texts that a person writes become the material of a case, by the rules of `saferag data pack`."""

from __future__ import annotations

import re
from typing import Any

from saferag.data.pack import CaseParts, SourceError, record_of
from saferag.data.records import validate
from saferag.errors import OptionError
from saferag.metrics.containment import stands_in

BY_HAND = ("inter_context_conflict", "soft_ad")
"""The attacks whose texts people write in SafeRAG, too."""


def by_hand(record: dict[str, Any], attack: str, data: dict[str, Any]) -> dict[str, Any]:
    """The material of an attack.

    Args:
        record: The case.
        attack: One of `BY_HAND`.
        data: ``target``, the number of a golden context from 1; for a conflict ``text``, ``true``, ``false`` and
            ``keyword``; for an ad ``names`` (with commas between them), ``direct`` and ``indirect``.

    Raises:
        OptionError: There is no such attack or golden context, or a keyword does not stand where it must.
        DataError: A text is missing.
    """
    target = data.get("target")
    if attack not in BY_HAND:
        raise OptionError(f"texts for '{attack}' are not written by hand")
    if not isinstance(target, int) or not 1 <= target <= len(record["golden"]):
        raise OptionError(f"there is no golden context {target}")
    written = _conflict(data, target) if attack == "inter_context_conflict" else _ad(data, target)
    parts = {name: record[name] for name in ("id", "lang", "query")} | {
        "kind": record.get("kind") or "what",
        "golden": [golden["text"] for golden in record["golden"]],
        "facts": [{"g": 1, "text": "-", "value": "-"}],
        "answer": "-",
    }
    try:
        made = record_of(validate(CaseParts, parts | written), record["lang"])
    except SourceError as error:
        raise OptionError(f"{error.field}: {error}") from None
    material: dict[str, Any] = made["attacks"][attack]
    for text in material["passages"]:
        text["target"] = record["golden"][target - 1]["id"]
        for keyword in material["keywords"]:
            if not stands_in(keyword, text["text"]):
                raise OptionError(f"'{keyword}' must stand in the text")
    material["options"] = [{k: v for k, v in option.items() if v is not None} for option in material["options"]]
    return material


def _conflict(data: dict[str, Any], target: int) -> dict[str, Any]:
    pair = {name: data.get(name, "") for name in ("true", "false", "keyword")}
    if not stands_in(str(pair["keyword"]), str(pair["false"])) or stands_in(str(pair["keyword"]), str(pair["true"])):
        raise OptionError("the false part must stand in the false sentence and not in the true one")
    return {"conflict": [{"target": target, "text": data.get("text", ""), "pairs": [pair]}]}


def _ad(data: dict[str, Any], target: int) -> dict[str, Any]:
    names = [name.strip() for name in re.split(r"[,，、]", str(data.get("names", ""))) if name.strip()]
    texts = {kind: {"target": target, "text": data.get(kind, "")} for kind in ("direct", "indirect")}
    return {"ad": {"names": names, **texts}}
