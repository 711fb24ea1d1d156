"""A build that was never made by a model, and a review server in a thread, for tests of the review page."""

from __future__ import annotations

import asyncio
import json
import threading
import urllib.error
import urllib.request
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote

from saferag.construct.build import Built, build, prepare
from saferag.construct.by_rule import RuleMeans
from saferag.construct.folder import Folder
from saferag.construct.records import Draft
from saferag.review.desks import Desk
from saferag.review.journal import Journal
from saferag.review.server import ReviewServer

DOCUMENTS = Path(__file__).parents[1] / "examples" / "documents"


def built_folder(path: Path, extra: Sequence[Draft] = ()) -> Folder:
    """A folder with the cases of two shipped documents, one in each language, with a conflict and an ad by hand."""
    prepared = prepare(DOCUMENTS)
    wanted = {"tarnholm-ferry-1", "云栈水库-1"}
    chosen = Built(prepared, (), ())
    # In a thread: a browser's driver may keep an event loop in this one.
    with ThreadPoolExecutor(1) as pool:
        made = pool.submit(lambda: asyncio.run(build(prepared, RuleMeans()))).result()
    drafts = [
        _with_attacks(draft) if draft.segment.isascii() else draft for draft in made.drafts if draft.segment in wanted
    ]
    folder = Folder.create(path)
    folder.save(Built(chosen.prepared, tuple([*drafts, *extra]), ()), {"model": {}})
    Journal(folder.journal).take_in([*drafts, *extra])
    return folder


def _with_attacks(draft: Draft) -> Draft:
    case = json.loads(json.dumps(draft.case))
    target = next(g for g in case["golden"] if "37 years" in g["text"])
    golden = target["text"]
    fact = next(sentence for sentence in golden.split(". ") if "37 years" in sentence).rstrip(".") + "."
    pairs = (("correct", "37 years", "52 years"), ("incorrect", "52 years", "37 years"))
    case["attacks"]["inter_context_conflict"] = {
        "passages": [{"id": "c1", "text": golden.replace("37 years", "52 years"), "target": target["id"]}],
        "options": [
            {"id": f"v{i}", "text": fact.replace("37 years", value), "label": label, "value": value, "contrast": other}
            for i, (label, value, other) in enumerate(pairs, 1)
        ],
        "keywords": ["52 years"],
    }
    return draft.model_copy(update={"case": case})


@dataclass
class Served:
    """A review server that runs in a thread while the ``with`` block does."""

    desk: Desk
    server: ReviewServer = field(init=False)
    _loop: asyncio.AbstractEventLoop | None = None
    _stop: asyncio.Event | None = None
    _thread: threading.Thread | None = None

    def __enter__(self) -> Served:
        self.server = ReviewServer(self.desk)
        ready = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve(ready)), daemon=True)
        self._thread.start()
        assert ready.wait(20)
        return self

    def __exit__(self, *_: object) -> None:
        assert self._loop is not None and self._stop is not None and self._thread is not None
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(20)

    async def _serve(self, ready: threading.Event) -> None:
        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        await self.server.start()
        ready.set()
        await self._stop.wait()
        await self.server.stop()

    def ask(self, path: str, data: Any = None, **headers: str) -> tuple[int, Any]:
        """Status and JSON of a request."""
        return ask(f"http://127.0.0.1:{self.server.port}", path, data, **{"X-Token": self.server.token, **headers})

    def act(self, key: str, action: str, who: str = "Ada", **data: Any) -> tuple[int, Any]:
        """Status and JSON of an action on an item."""
        return self.ask(f"/api/items/{quote(key)}/{action}", {"who": who, **data})


def ask(root: str, path: str, data: Any = None, **headers: str) -> tuple[int, Any]:
    """Status and JSON of a request to a server."""
    body = None if data is None else json.dumps(data).encode()
    request = urllib.request.Request(root + path, body, headers)
    try:
        with urllib.request.urlopen(request, timeout=20) as reply:
            return reply.status, json.loads(reply.read())
    except urllib.error.HTTPError as error:
        with error:
            return error.code, json.loads(error.read())
