"""Building from the documents that we ship: with rules, and with a model that misbehaves."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from construct.author import Author
from saferag.cli.main import main
from saferag.construct.build import Built, build, prepare
from saferag.construct.by_model import ModelMeans
from saferag.construct.by_rule import RuleMeans
from saferag.construct.soundness import settle
from saferag.data.records import parse_case
from saferag.errors import ServerError
from saferag.models.scripted import ScriptedModel
from saferag.resources import Resources
from saferag.review.journal import Journal, Status
from servers import ChatServer, Fail, Reaction

DOCUMENTS = Path(__file__).parents[2] / "examples" / "documents"


def build_with(server: ChatServer, cache: Path, documents: Path = DOCUMENTS) -> Built:
    async def run() -> Built:
        resources = Resources(cache_dir=cache, model=server.spec(key_env="NO_KEY"), backoff=0.001, retries=1)
        try:
            return await build(prepare(documents), ModelMeans(resources.chat(None, "build")))
        finally:
            await resources.close()

    return asyncio.run(run())


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_KEY", "unused")


def reasons(built: Built, *, whole: bool) -> dict[str, str]:
    return {f"{r.step} {r.kind}": r.item for r in built.rejections if r.whole is whole}


def test_rules_make_a_sound_case_of_every_shipped_document_and_say_what_is_missing() -> None:
    built = asyncio.run(build(prepare(DOCUMENTS), RuleMeans()))

    assert len(built.drafts) == len(built.prepared.documents) >= 10
    assert {d.made_by for d in built.drafts} == {"rules"}
    assert all({"inter_context_conflict", "soft_ad", "a question of its own"} <= set(d.missing) for d in built.drafts)
    cases = [parse_case(draft.case) for draft in built.drafts]
    assert {case.split for case in cases} == {"machine"}
    assert settle(cases).findings == {}


def test_a_model_makes_texts_for_all_four_tasks(tmp_path: Path) -> None:
    with ChatServer(Author()) as server:
        built = build_with(server, tmp_path)

    assert len(built.drafts) == len(built.prepared.segments)
    assert all(set(d.case["attacks"]) == {"silver_noise", "inter_context_conflict", "soft_ad"} for d in built.drafts)
    assert all(d.reasons == {"conflict": "figures", "ad": "a beginning"} for d in built.drafts)
    settled = settle(parse_case(draft.case) for draft in built.drafts)
    assert len(settled.sound) >= 10, settled.findings
    # The fact that leans on another sentence is left out of every case, with a reason.
    assert sum(r.kind == "unusable_fact" for r in built.rejections) == len(built.drafts)


def spoiler(step: str, text: str, repair: bool) -> Reaction | None:
    """What goes wrong for whom: broken JSON, a refusal, empty lists, once or for good."""
    if step == "usable" and "Kestrel" in text and not repair:
        return '{"usable": true, "query": "How'
    if step == "usable" and "Corvane" in text:
        return "I am sorry, but I cannot help with that."
    if step == "usable" and "Lindmark" in text:
        return json.dumps({"usable": False, "reason": "it is a list of figures"})
    if step == "facts" and "停车" in text:
        return '{"facts": []}'
    if step == "passages" and "saffron" in text:
        return '{"passages": []}'
    if step == "pairs" and "Tarnholm" in text and not repair:
        return ""
    return None


def test_what_a_model_gets_wrong_is_repaired_once_or_rejected_with_a_reason(tmp_path: Path) -> None:
    with ChatServer(Author(spoiler)) as server:
        built = build_with(server, tmp_path)

    made = {draft.segment: draft for draft in built.drafts}
    assert "kestrel-range-1" in made and "tarnholm-ferry-1" in made
    assert "inter_context_conflict" in made["tarnholm-ferry-1"].case["attacks"]
    assert made["orlenz-saffron-1"].missing == ["silver_noise"]
    assert reasons(built, whole=False)["silver unusable_reply"] == "orlenz-saffron-1"
    whole = reasons(built, whole=True)
    assert whole["question unusable_reply"] == "more-documents-2-1"
    assert whole["question model_finds_no_question"] == "more-documents-1"
    assert whole["facts unusable_reply"] == "更多文档-1"
    segments = {segment.id for segment in built.prepared.segments}
    accounted = {r.item for r in built.rejections if r.whole and r.step != "segment"}
    assert set(made) | accounted == segments and not set(made) & accounted


def test_building_again_asks_nothing(tmp_path: Path) -> None:
    with ChatServer(Author()) as server:
        first = build_with(server, tmp_path)
        asked = len(server.requests)
        again = build_with(server, tmp_path)

    assert asked == 7 * len(first.drafts)
    assert len(server.requests) == asked
    assert again.drafts == first.drafts
    assert again.usage.cached == again.usage.calls == first.usage.calls


def test_a_changed_prompt_asks_for_its_step_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from dataclasses import replace

    from saferag.construct import by_model
    from saferag.prompts import Prompt, load_prompt
    from saferag.types import Lang

    def reworded(name: str, lang: Lang) -> Prompt:
        prompt = load_prompt(name, lang)
        last = (prompt.parts[-1][0], prompt.parts[-1][1] + "\n")
        return replace(prompt, parts=(*prompt.parts[:-1], last)) if name == "construct_ad" else prompt

    with ChatServer(Author()) as server:
        first = build_with(server, tmp_path)
        author = server.handler = Author()
        monkeypatch.setattr(by_model, "load_prompt", reworded)
        build_with(server, tmp_path)

    assert author.asked == {"indirect": len(first.drafts)}


def test_a_failing_server_is_no_reason_to_reject_and_the_next_build_goes_on(tmp_path: Path) -> None:
    def failing(step: str, text: str, repair: bool) -> Reaction | None:
        return Fail(500) if step == "facts" and "Kestrel" in text else None

    with ChatServer(Author(failing)) as server:
        first = build_with(server, tmp_path)
        server.handler = Author()
        second = build_with(server, tmp_path)

    assert reasons(first, whole=True)["model server_error"] == "kestrel-range-1"
    assert len(second.drafts) == len(first.drafts) + 1


def test_a_server_that_fails_everywhere_fails_the_build(tmp_path: Path) -> None:
    with ChatServer(lambda asked: Fail(500)) as server, pytest.raises(ServerError):
        build_with(server, tmp_path)


def test_a_note_reaches_every_request_about_the_case() -> None:
    model = ScriptedModel(lambda request: "no")
    prepared = prepare(DOCUMENTS, {"kestrel-range-1": "ask about the lamps"})
    asyncio.run(build(prepared, ModelMeans(model)))

    noted = [r for r in model.requests if any("ask about the lamps" in m.content for m in r.messages)]
    assert noted and all("Kestrel" in r.messages[1].content for r in noted)


def test_command_builds_checks_and_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "mine"
    main_ok(["build", str(DOCUMENTS), "--out", str(out)])
    printed = capsys.readouterr().out
    assert "12 cases pass the checker" in printed and "a question of its own 12" in printed

    main_ok(["data", "check", str(out)])
    main_ok(
        ["run", "--data", str(out), "--task", "SN", "--retriever", "bm25", "--limit", "2", "--out", str(tmp_path / "r")]
    )


def test_from_documents_to_a_run_by_way_of_a_faulty_model_and_a_review(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, cache = tmp_path / "mine", str(tmp_path / "cache")
    with ChatServer(Author(spoiler)) as server:
        model = server.spec(key_env="NO_KEY")
        main_ok(["build", str(DOCUMENTS), "--out", str(out), "--model", model, "--cache", cache])
        printed = capsys.readouterr().out
        assert "question: unusable_reply 1" in printed and "silver: unusable_reply 1" in printed

        journal = Journal(out / "review.sqlite")
        first, second, *_ = journal.states()
        journal.decide(first.case_id, "Ada", first.version, Status.ACCEPTED)
        journal.decide(second.case_id, "Ada", second.version, Status.RETURNED, "say more about the lamps")
        asked = len(server.requests)
        main_ok(["build", str(DOCUMENTS), "--out", str(out), "--model", model, "--cache", cache])
        noted = [r for r in server.requests[asked:] if "say more about the lamps" in r.text]
        assert len(noted) >= 7
        assert "1 accepted by people" in capsys.readouterr().out
        assert journal.state(second.case_id).status is Status.OPEN
        assert journal.state(second.case_id).draft.note == "say more about the lamps"

    main_ok(["data", "check", str(out)])
    run = [
        "run",
        "--data",
        str(out),
        "--retriever",
        "bm25",
        "--stage",
        "filtered_context",
        "--limit",
        "2",
        "--cache",
        cache,
    ]
    main_ok([*run, "--out", str(tmp_path / "run")])
    assert len(list(tmp_path.glob("run/records.jsonl"))) == 1


def test_dry_run_sends_nothing_and_needs_no_key(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "mine"
    main_ok(["build", str(DOCUMENTS), "--out", str(out), "--model", "openai:gpt-4o", "--dry-run"])

    assert "At most 84 calls" in capsys.readouterr().out
    assert not out.exists()


def test_a_build_that_could_not_begin_leaves_a_folder_that_the_next_one_takes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = str(tmp_path / "mine")
    monkeypatch.delenv("NO_KEY")
    with pytest.raises(SystemExit) as ended:
        main(
            ["build", str(DOCUMENTS), "--out", out, "--model", "openai:m(base_url=https://x.example/v1,key_env=NO_KEY)"]
        )
    assert ended.value.code == 2
    main_ok(["build", str(DOCUMENTS), "--out", out])


def test_a_folder_of_something_else_is_not_written_to(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("mine")
    with pytest.raises(SystemExit) as ended:
        main(["build", str(DOCUMENTS), "--out", str(tmp_path)])
    assert ended.value.code == 2
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


def main_ok(arguments: list[str], run: Callable[[list[str]], None] = main) -> None:
    with pytest.raises(SystemExit) as ended:
        run(arguments)
    assert ended.value.code == 0
