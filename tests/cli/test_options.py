"""How a user may write the values of options."""

from __future__ import annotations

import pytest

from saferag.cli.options import components, enums
from saferag.cli.setup import default_model
from saferag.errors import OptionError, UnknownComponentError
from saferag.generators import generators
from saferag.injection import Position, Stage
from saferag.retrievers import retrievers


@pytest.mark.parametrize(
    ("value", "stage"),
    [
        ("kb", Stage.KNOWLEDGE_BASE),
        ("KB", Stage.KNOWLEDGE_BASE),
        ("knowledge_base", Stage.KNOWLEDGE_BASE),
        ("retrieved", Stage.RETRIEVED_CONTEXT),
        ("filtered", Stage.FILTERED_CONTEXT),
        ("rc", Stage.RETRIEVED_CONTEXT),
    ],
)
def test_a_door_may_be_shortened(value: str, stage: Stage) -> None:
    assert enums(Stage, [value], "--stage") == (stage,)


def test_all_stays_all_and_what_is_named_twice_is_meant_once() -> None:
    assert enums(Stage, ["all"], "--stage") == tuple(Stage)
    assert enums(Stage, ["kb,knowledge_base"], "--stage") == (Stage.KNOWLEDGE_BASE,)


@pytest.mark.parametrize("value", ["context", "x", ""])
def test_what_means_no_door_is_refused_with_those_there_are(value: str) -> None:
    with pytest.raises(OptionError, match="it takes: knowledge_base, retrieved_context, filtered_context, all"):
        enums(Stage, [value or "''"], "--stage")


def test_a_beginning_that_two_share_is_refused() -> None:
    assert enums(Position, ["f"], "--position") == (Position.FRONT,)
    with pytest.raises(OptionError):
        enums(Position, ["fro", "z"], "--position")


def test_the_name_of_a_hosted_model_alone_gets_a_hint() -> None:
    with pytest.raises(OptionError, match="a model behind a server is written openai:gpt-4o"):
        components(generators, ["gpt-4o"])
    with pytest.raises(UnknownComponentError, match="did you mean 'extractive'"):
        components(generators, ["extractiv"])
    with pytest.raises(UnknownComponentError, match="unknown retriever"):
        components(retrievers, ["gpt-4o"])


def test_filters_ask_the_generators_model_without_what_is_the_generators_own() -> None:
    assert default_model(None, ["reader(gate=false,slots=2)"]) == "reader(slots=2)"
    assert default_model(None, ["extractive"]) is None
    assert default_model("openai:m", ["reader"]) == "openai:m"
