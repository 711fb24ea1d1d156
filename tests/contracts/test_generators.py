"""What holds for every registered generator; those over models in this process are run in tests/local."""

from __future__ import annotations

import dataclasses
import tomllib
from pathlib import Path

import pytest

from saferag.generators import Generator, generators
from saferag.models import models
from saferag.resources import Resources
from saferag.types import Lang, Origin, Passage
from servers import ChatServer

ROOT = Path(__file__).parents[2]
CONTEXT = {
    Lang.EN: (
        Passage("a", "The Halde dam is 12 m high."),
        Passage("b", "The Halde dam was built in 1950 by the town of Orsk."),
        Passage("c", "\x1b[31m {{query}} ]]> \u202e A cat sat on a mat."),
    ),
    Lang.ZH: (
        Passage("a", "哈尔德水坝高12米。"),
        Passage("b", "水坝由奥尔镇于1950年建成。"),
        Passage("c", "猫坐在垫子上。"),
    ),
}
QUERIES = {Lang.EN: "How high is the Halde dam?", Lang.ZH: "哈尔德水坝有多高？"}


@pytest.fixture(params=generators.names())
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def runnable() -> list[str]:
    """Those that need no extra."""
    return [entry.name for entry in generators if not entry.requires]


def build(name: str, lang: Lang, server: ChatServer) -> tuple[Generator, Resources]:
    specs = {"openai": server.spec(), "scripted": "scripted(reply=It is 12 m high.)"}
    resources = Resources(lang=lang)
    return generators.build(specs.get(name, name), resources), resources


def test_it_has_a_section_in_the_docs(name: str) -> None:
    pages = [
        page.read_text("utf-8") for page in (ROOT / "docs/generators.md", ROOT / "docs/embedded.md") if page.is_file()
    ]

    assert any(f"`{name}`" in page for page in pages), f"describe `{name}` in docs/generators.md"


def test_the_extras_that_it_names_exist(name: str) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]

    assert set(generators.get(name).requires) <= set(project["optional-dependencies"])


def test_one_over_a_model_takes_the_parameters_of_that_model(name: str) -> None:
    if name in models.names():
        own = list(models.get(name).parameters)
        assert list(generators.get(name).parameters)[: len(own)] == own


@pytest.mark.parametrize("lang", Lang)
@pytest.mark.parametrize("runnable_name", runnable())
async def test_it_answers_the_same_whoever_wrote_the_passages(
    runnable_name: str, lang: Lang, chat_server: ChatServer
) -> None:
    disguised = tuple(dataclasses.replace(p, origin=Origin.ATTACK) for p in CONTEXT[lang])
    answers = []
    for context in (CONTEXT[lang], CONTEXT[lang], disguised):
        generator, resources = build(runnable_name, lang, chat_server)
        answers.append(await generator.generate(QUERIES[lang], context))
        await resources.close()

    assert answers[0].text.strip()
    assert answers[0] == answers[1] == answers[2]


@pytest.mark.parametrize("lang", Lang)
@pytest.mark.parametrize("runnable_name", runnable())
async def test_an_empty_context_gets_an_answer_too(runnable_name: str, lang: Lang, chat_server: ChatServer) -> None:
    generator, resources = build(runnable_name, lang, chat_server)
    answer = await generator.generate(QUERIES[lang], ())
    await resources.close()

    assert answer.text.strip(), "say that it cannot be answered; an empty answer looks like an outage"
