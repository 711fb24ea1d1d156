"""A plan says what a run sends: exactly where it can be known, never less otherwise; and it sends nothing."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from running import Setup, one_arm
from saferag.experiment.cells import Cell, arms_of
from saferag.experiment.plan import Plan, PlanningResources, plan
from saferag.resources import Resources
from servers import Asked, ChatServer


@pytest.fixture
def setup(tmp_path: Path, resources: Resources) -> Setup:
    resources.cache_dir = tmp_path / "cache"
    return Setup(tmp_path / "run", resources)


def planned(setup: Setup, cells: Sequence[Cell], epochs: int = 1) -> Plan:
    model = cells[0].attacked.generator
    counting = PlanningResources(cache_dir=setup.resources.cache_dir, model=model, dry_run=True)
    return asyncio.run(plan(setup.dataset, arms_of(cells, epochs), counting, None))


def reply(asked: Asked) -> str:
    """Different answers for different requests; nothing is filtered; no option is judged."""
    form = asked.body.get("response_format", {}).get("json_schema", {}).get("name")
    if form == "drops":
        return '{"drop": []}'
    if form == "verdicts":
        return "no"  # and once more when asked for a repair
    return f"Answer number {hash(asked.text)}."


def test_calls_are_exact_where_nothing_depends_on_a_reply(setup: Setup, chat_server: ChatServer) -> None:
    chat_server.handler = reply
    cells = one_arm(chat_server.spec(), stages="all", filters=("off", "support"), tasks=("silver_noise", "soft_ad"))

    found = planned(setup, cells)
    assert chat_server.requests == []
    setup.run(cells)

    (endpoint,) = found.endpoints.values()
    assert found.bounds == ()
    assert endpoint.total == endpoint.exact == len(chat_server.requests)
    assert found.records == len(setup.store().records)


def test_what_depends_on_replies_is_a_bound_that_says_so(setup: Setup, chat_server: ChatServer) -> None:
    chat_server.handler = reply
    cells = one_arm(chat_server.spec(), stages="all", filters=("nli",), judge="llm")

    found = planned(setup, cells)
    setup.run(cells, max_errors=1.0)

    (endpoint,) = found.endpoints.values()
    asked = {json.dumps(request.body, sort_keys=True) for request in chat_server.requests}
    repairs = sum(len(json.loads(body)["messages"]) > 2 for body in asked)
    assert "counted as if no two replies were equal" in found.bounds[0]
    assert endpoint.exact < endpoint.total
    assert len(asked) - repairs <= endpoint.total
    assert set(endpoint.calls) == {"filter", "generator", "judge"}


def test_what_is_in_the_cache_is_not_paid_for_again(setup: Setup, chat_server: ChatServer) -> None:
    cells = one_arm(chat_server.spec())
    setup.run(cells)

    (endpoint,) = planned(setup, cells).endpoints.values()

    assert endpoint.cached == endpoint.total > 0
    assert endpoint.prompt_tokens == 0


def test_repeats_cost_something_only_at_a_temperature(setup: Setup, chat_server: ChatServer) -> None:
    (once,) = planned(setup, one_arm(chat_server.spec())).endpoints.values()
    (cold,) = planned(setup, one_arm(chat_server.spec()), epochs=3).endpoints.values()
    (warm,) = planned(setup, one_arm(chat_server.spec(temperature=0.7)), epochs=3).endpoints.values()

    assert (cold.total, warm.total) == (once.total, 3 * once.total)


def test_a_retriever_behind_a_server_is_not_asked(setup: Setup, chat_server: ChatServer) -> None:
    retriever = f"dense:endpoint(base_url={chat_server.url},model=m)"

    found = planned(setup, one_arm(chat_server.spec(), retriever=retriever))

    assert chat_server.requests == []
    assert "what it finds is not known" in found.bounds[0]


def test_no_model_no_calls(setup: Setup) -> None:
    found = planned(setup, one_arm("extractive"))

    assert found.endpoints == {}
    assert found.records == setup.cases
