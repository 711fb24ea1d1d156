"""What holds for every registered model; those in this process are run in tests/local."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest

from saferag.errors import OptionError
from saferag.models import ChatRequest, Message, models
from saferag.resources import Resources
from servers import ChatServer

ROOT = Path(__file__).parents[2]


@pytest.fixture(params=models.names())
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def spec(name: str, server: ChatServer) -> str:
    return {"openai": server.spec(), "scripted": "scripted(reply=hello)"}.get(name, name)


def test_it_has_a_section_in_the_docs(name: str) -> None:
    assert f"`{name}`" in (ROOT / "docs/models.md").read_text("utf-8")


def test_every_parameter_is_in_the_docs(name: str) -> None:
    page = (ROOT / "docs/models.md").read_text("utf-8")
    section = page[page.index(f"## `{name}`") :].split("\n## ")[0]
    missing = [p for p in models.get(name).parameters if p != "variant" and f"`{p}`" not in section]

    assert not missing, f"describe these parameters in the section of `{name}`"


def test_the_extras_that_it_names_exist(name: str) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]

    assert set(models.get(name).requires) <= set(project["optional-dependencies"])


def test_an_unknown_parameter_is_refused(name: str) -> None:
    with pytest.raises(OptionError, match="no parameter 'nonsense'"):
        models.build(f"{name}:x(nonsense=1)", Resources())


@pytest.mark.parametrize("runnable", [entry.name for entry in models if not entry.requires])
async def test_it_replies_and_says_what_it_is(runnable: str, chat_server: ChatServer, resources: Resources) -> None:
    model = models.build(spec(runnable, chat_server), resources)
    reply = await model.complete(ChatRequest((Message("user", "hi"),)))
    await model.close()
    await model.close()
    again = models.build(spec(runnable, chat_server), resources)

    assert reply.text == "hello"
    assert reply.usage.calls == 1
    assert reply.usage.cached == 0
    assert {"provider", "model"} <= model.identity.keys()
    assert dict(model.identity) == dict(again.identity) == json.loads(json.dumps(dict(model.identity)))
