"""Texts to token ids by llama.cpp itself, so that training sees the ids that inference will."""

from __future__ import annotations

import json
import secrets
import urllib.request
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import xllamacpp


class Tokenizer:
    """llama.cpp's tokenizer for a model file, over its server's loopback port."""

    def __init__(self, path: Path) -> None:
        params = xllamacpp.CommonParams()
        params.model.path = str(path)
        params.n_ctx = 256
        params.n_parallel = 1
        params.verbosity = -1
        self._key = secrets.token_hex(16)
        params.api_keys = [self._key]
        self._server = xllamacpp.Server(params)

    def ids(self, text: str, begin: bool) -> list[int]:
        """The ids of a text; ``begin`` puts the token in front that a prompt begins with."""
        reply = self._post("tokenize", {"content": text, "add_special": begin, "parse_special": False})
        return [int(i) for i in reply["tokens"]]

    def text(self, ids: Sequence[int]) -> str:
        """The text of ids."""
        return str(self._post("detokenize", {"tokens": list(ids)})["content"])

    def _post(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        headers = {"Authorization": f"Bearer {self._key}", "Content-Type": "application/json"}
        address = f"{self._server.listening_address}/{path}"
        request = urllib.request.Request(address, json.dumps(body).encode(), headers)  # noqa: S310 - a loopback address
        with urllib.request.urlopen(request, timeout=60) as reply:  # noqa: S310
            return dict(json.load(reply))
