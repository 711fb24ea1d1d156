"""The page's server: who may ask, what is refused, and that a kill loses nothing."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from review_desk import Served, ask, built_folder
from saferag.construct.folder import Folder
from saferag.data import load_dataset
from saferag.review.desks import ReviewDesk
from saferag.review.journal import Journal

CASE = "tarnholm-ferry-1"
START = "from saferag.cli import main; main()"


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return built_folder(tmp_path / "b")


@pytest.fixture
def served(folder: Folder) -> Iterator[Served]:
    with Served(ReviewDesk(folder)) as server:
        yield server


def test_without_the_token_there_is_no_data(served: Served) -> None:
    assert served.ask("/api/queue", **{"X-Token": "guess"})[0] == 403
    assert served.ask(f"/api/items/{CASE}/undo", {"who": "Eve"}, **{"X-Token": ""})[0] == 403
    assert served.ask("/api/queue")[0] == 200


def test_another_name_or_another_page_is_refused_even_with_the_token(served: Served) -> None:
    assert served.ask("/api/queue", Host="evil.example")[0] == 403
    assert served.ask("/api/queue", Origin="http://evil.example")[0] == 403
    assert served.ask("/api/queue", Origin=f"http://127.0.0.1:{served.server.port}")[0] == 200


def test_it_listens_on_this_machine_alone(served: Served) -> None:
    assert served.server.url.startswith("http://127.0.0.1:")
    assert len(served.server.token) >= 32


def test_an_action_without_a_name_or_of_no_kind_is_refused(served: Served) -> None:
    assert served.act(CASE, "edit", who=" ", field="query", old="", new="x") == (400, {"error": "say who you are"})
    assert served.act(CASE, "burn")[0] == 400
    assert served.act("nothing", "undo", version=1)[0] == 400
    assert served.act(CASE, "decide", status="open", version="1")[0] == 400


def test_a_conflict_has_its_own_status_and_says_who(served: Served) -> None:
    query = Journal(served.desk.folder.journal).state(CASE).record["query"]  # type: ignore[attr-defined]
    assert served.act(CASE, "edit", who="Ada", field="query", old=query, new="By Ada?")[0] == 200
    status, reply = served.act(CASE, "edit", who="Bo", field="query", old=query, new="By Bo?")
    assert (status, reply["who"]) == (409, "Ada")


def test_the_conflict_text_shows_what_it_changes(served: Served) -> None:
    _, shown = served.ask(f"/api/items/{CASE}")
    sections = {section["name"]: section["items"] for section in shown["sections"]}
    changed = [p for p in sections["inter_context_conflict"][0]["parts"] if p["kind"]]
    assert changed == [{"text": "37", "kind": "del"}, {"text": "52", "kind": "ins"}]
    marked = {p["text"] for item in sections["golden"] for p in item["parts"] if p["kind"] == "fact"}
    assert "37 years" in marked


def test_the_dataset_follows_the_decisions(folder: Folder) -> None:
    with Served(ReviewDesk(folder)) as served:
        _, shown = served.ask(f"/api/items/{CASE}")
        status, shown = served.act(CASE, "decide", status="accepted", version=shown["version"])
        assert (status, shown["status"]) == (200, "accepted")
    assert "reviewed" in {case.split for case in load_dataset(folder.cases).cases}


def test_a_kill_loses_nothing_that_was_acknowledged(folder: Folder) -> None:
    command = [sys.executable, "-c", START, "review", str(folder.path), "--no-browser"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=dict(os.environ))
    assert process.stderr is not None
    url = next(line for line in process.stderr if line.startswith("open ")).split()[1]
    root, _, token = url.partition("/?token=")
    acknowledged = ""
    try:
        for i in range(25):
            data = {"who": "Ada", "field": "topic", "old": acknowledged, "new": f"topic {i}"}
            status, reply = ask(root, f"/api/items/{CASE}/edit", data, **{"X-Token": token})
            assert status == 200, reply
            acknowledged = f"topic {i}"
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait(20)
        process.stderr.close()
    state = Journal(folder.journal).state(CASE)
    assert state.record["topic"] == "topic 24"
    assert len([event for event in state.events if event.kind == "edit"]) == 25


def test_a_near_copy_of_another_case_is_found_in_its_company(tmp_path: Path) -> None:
    base = built_folder(tmp_path / "a").drafts()[0]
    twin = base.model_copy(update={"case": {**base.case, "id": "twin-1"}, "segment": "twin-1"})
    folder = built_folder(tmp_path / "b", [twin])
    with Served(ReviewDesk(folder)) as served:
        _, shown = served.ask("/api/items/twin-1")
        _, shown = served.act("twin-1", "decide", status="accepted", version=shown["version"])
    with Served(desk := ReviewDesk(folder)) as served:
        served.act("twin-1", "decide", status="open", version=shown["version"])
    rules = {problem["rule"] for key in ("twin-1", base.segment) for problem in desk.show(key, "")["problems"]}
    assert "near_duplicates" in rules


def test_many_edits_at_once_are_all_kept(served: Served) -> None:
    from concurrent.futures import ThreadPoolExecutor

    _, shown = served.ask(f"/api/items/{CASE}")
    texts = {i["field"]: i["text"] for section in shown["sections"] for i in section["items"]}
    golden = [path for path in texts if path.startswith(("golden/", "background/"))]

    def edit(path: str) -> int:
        return served.act(CASE, "edit", who=path, field=path, old=texts[path], new=f"Edited {path}.")[0]

    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(edit, golden)) == {200}
    _, shown = served.ask(f"/api/items/{CASE}")
    after = {i["field"]: i["text"] for section in shown["sections"] for i in section["items"]}
    assert all(after[path] == f"Edited {path}." for path in golden)
