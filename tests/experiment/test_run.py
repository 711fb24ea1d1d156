"""A run shares what cells have in common, and finds the same however often it was interrupted."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from running import RecordingProgress, Setup, one_arm
from saferag.errors import DataError, OptionError
from saferag.experiment.budget import ErrorBudget, ErrorBudgetError
from saferag.experiment.cells import arms_of
from saferag.experiment.retrieval import Searches
from saferag.experiment.run import StoppedError
from saferag.resources import Resources
from saferag.types import Failure, Lang
from servers import ChatServer, Say
from toy_runs import toy_dataset


@pytest.fixture
def setup(tmp_path: Path, resources: Resources) -> Setup:
    return Setup(tmp_path / "run", resources)


def written(path: Path) -> list[str]:
    lines: list[dict[str, Any]] = [json.loads(x) for x in (path / "records.jsonl").read_text("utf-8").splitlines()]
    return sorted(json.dumps({k: v for k, v in line.items() if k != "took"}) for line in lines)


def test_a_resumed_run_poisons_the_knowledge_base_as_an_uninterrupted_one_does(setup: Setup, tmp_path: Path) -> None:
    cells = one_arm("extractive", stages="all", tasks=("inter_context_conflict", "soft_ad"))
    setup.run(cells)
    whole = written(setup.out)
    records = setup.out / "records.jsonl"
    kept = records.read_bytes().splitlines(keepends=True)[::3]
    records.write_bytes(b"".join(kept))

    setup.run(cells)

    assert written(setup.out) == whole
    assert records.read_bytes().startswith(b"".join(kept))


def test_a_corpus_is_indexed_once_for_all_cells(setup: Setup) -> None:
    progress = RecordingProgress()
    cells = one_arm(
        "extractive", stages="all", filters=("off", "support"), tasks=("silver_noise", "soft_ad", "white_dos")
    )

    setup.run(cells, progress=progress)

    assert len([text for text in progress.stages if text.startswith("indexing")]) == 1
    assert progress.done == progress.total == len(arms_of(cells)) * 8


def test_equal_searches_are_made_once(setup: Setup) -> None:
    cells = one_arm("extractive", stages="all", filters=("off", "support"))
    searches = Searches(setup.dataset, setup.resources)

    found = {id(searches.retrieve(arm).contexts) for arm in arms_of(cells)}

    assert len(arms_of(cells)) == 8
    assert len(found) == 2  # the clean corpus, and the poisoned one


def test_a_clean_arm_holds_no_attack_and_an_attacked_one_does(setup: Setup) -> None:
    cells = one_arm("extractive", stages="all")

    setup.run(cells)

    for (arm, _), record in setup.store().records.items():
        attacked = arm in {cell.attacked.id for cell in cells}
        assert bool(record.trace.attack) is attacked
        if not attacked:
            assert not [p for p in (*record.trace.retrieved, *record.trace.context) if p.origin == "attack"]


def test_a_stopped_run_begins_no_further_case_and_goes_on_later(setup: Setup, chat_server: ChatServer) -> None:
    setup.resources.concurrency = 1
    cells = one_arm(chat_server.spec())
    setup.make_store(cells)
    progress = RecordingProgress()
    runner = setup.runner(max_errors=0.0, progress=progress)

    def stop_at_the_third(asked: object) -> Say:
        if len(chat_server.requests) == 3:
            runner.stop()
        return Say("The dam is 12 m high.")

    chat_server.handler = stop_at_the_third
    with pytest.raises(StoppedError):
        _run(runner, cells)
    stopped = len(setup.store().records)

    assert 3 <= stopped < setup.cases
    setup.run(cells)
    assert len(setup.store().records) == setup.cases
    assert len(chat_server.requests) <= setup.cases  # nothing was asked twice


def _run(runner: Any, cells: Any) -> None:
    import asyncio

    asyncio.run(runner.run(arms_of(cells)))


def test_the_budget_counts_outages_and_forgives_the_first_few() -> None:
    outage, refusal = Failure("generator", "timeout", "late"), Failure("generator", "content_filtered", "no")
    budget = ErrorBudget(0.1, 100)

    for _ in range(50):
        budget.count([refusal])
    for _ in range(10):
        budget.count([outage])

    budget.settle()
    with pytest.raises(ErrorBudgetError, match="11 of 100 cases failed, more than --max-errors allows"):
        budget.count([outage])
    ErrorBudget(0.0, 100).count([outage])  # the first failure alone stops nothing


def test_a_run_in_which_nothing_was_answered_has_failed() -> None:
    empty = Failure("generator", "bad_reply", "empty")
    budget = ErrorBudget(0.1, 3)

    budget.count([empty])
    budget.count([empty])
    budget.settle()
    budget.count([empty])

    with pytest.raises(ErrorBudgetError, match="none of 3 cases has an answer; the last one: generator: empty"):
        budget.settle()


def test_a_judge_without_use_fails_no_run() -> None:
    budget = ErrorBudget(0.1, 1)

    budget.count([Failure("judge", "bad_reply", "nonsense")])

    budget.settle()


def test_data_that_do_not_fit_are_said_before_anything_is_asked(setup: Setup, chat_server: ChatServer) -> None:
    (cell,) = one_arm(chat_server.spec())
    wide = replace(cell, attacked=replace(cell.attacked, plan=replace(cell.attacked.plan, top_k=1000)))
    with pytest.raises(OptionError, match="--top-k 1000 is larger than the knowledge base"):
        setup.run([wide])

    setup.dataset = replace(toy_dataset(2, Lang.EN), corpora={"inter_context_conflict": ()})
    setup.out = setup.out.with_name("empty")
    with pytest.raises(DataError, match="the knowledge base is empty"):
        setup.run([cell])

    assert chat_server.requests == []
