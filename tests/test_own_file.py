from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from running import one_arm
from saferag.attacks import attacks
from saferag.cli import main
from saferag.errors import DataError
from saferag.experiment.settings import own_code
from saferag.experiment.store import Store
from saferag.filters import filters
from saferag.generators import generators
from saferag.models import models
from saferag.models.scripted import ScriptedModel
from saferag.own_file import load
from saferag.report.again import again
from saferag.report.values import Values
from saferag.resources import Resources

SOURCE = """
from saferag.attacks import attacks
from saferag.attacks.made import MadeAttack, aim_at_facts
from saferag.attacks.rgb_noise import INFO

@attacks.register("murmur", summary="murmurs")
def murmur(*, loud: int = 1):
    return MadeAttack("murmur", INFO, lambda case, seed: ["m" * loud], aim_at_facts)
"""

FILTER = """
from saferag.filters import filters
from saferag.types import Filtered, Removal

class First:
    def __init__(self, count):
        self.count = count

    async def apply(self, query, context):
        return Filtered(context[: self.count], tuple(Removal(p.id, "late") for p in context[self.count :]))

@filters.register("first", summary="keeps the first")
def first(resources, *, count: int = 1):
    return First(count)
"""


@pytest.fixture(autouse=True)
def registry(monkeypatch: pytest.MonkeyPatch) -> None:
    for kind in (attacks, filters):
        kind.names()
        monkeypatch.setattr(kind, "_entries", dict(kind._entries))


def test_a_file_is_run_once_and_its_attack_takes_parameters(tmp_path: Path) -> None:
    path = tmp_path / "own.py"
    path.write_text(SOURCE, encoding="utf-8")

    spec = load(attacks, f"{path}:murmur(loud=3)")

    assert str(spec) == "murmur(loud=3)"
    assert load(attacks, f"{path}:murmur") is not None, (
        "a second time the file is not run, so nothing is registered twice"
    )
    assert "murmur" in attacks.names()


def test_a_file_may_hold_components_of_several_kinds(tmp_path: Path) -> None:
    path = tmp_path / "own.py"
    path.write_text(SOURCE + FILTER, encoding="utf-8")

    assert str(load(filters, f"{path}:first(count=2)")) == "first(count=2)"
    assert str(load(attacks, f"{path}:murmur")) == "murmur"
    with pytest.raises(DataError, match="registers no filter 'murmur': first"):
        load(filters, f"{path}:murmur")


def test_a_run_takes_them_and_a_changed_file_is_another_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "own.py"
    path.write_text(FILTER, encoding="utf-8")
    command = ["run", "--filter", "own.py:first", "off", "--attack", "SA", "--lang", "en", "--limit", "1", "--json",
               "--retriever", "bm25", "--stage", "filtered_context"]  # fmt: skip

    for _ in range(2):
        with pytest.raises(SystemExit) as end:
            main(command)
        assert not end.value.code, capsys.readouterr().err
    assert {json.loads(line)["filter"] for line in capsys.readouterr().out.splitlines()} == {"first", "off"}
    assert len(list((tmp_path / "runs").iterdir())) == 1

    path.write_text(FILTER.replace("count: int = 1", "count: int = 2"), encoding="utf-8")
    with pytest.raises(SystemExit):
        main(command)
    assert len(list((tmp_path / "runs").iterdir())) == 2


def test_the_command_that_runs_it_again_names_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own.py").write_text(FILTER, encoding="utf-8")
    with pytest.raises(SystemExit):
        main(["run", "--filter", "own.py:first(count=2)", "--attack", "SA", "--lang", "en", "--limit", "1",
              "--retriever", "bm25", "--stage", "filtered_context", "--out", "r"])  # fmt: skip

    store = Store.open(tmp_path / "r")

    assert "--filter 'own.py:first(count=2)' " in again(Values.of(store)).command


def test_a_component_within_another_is_part_of_the_fingerprint(tmp_path: Path) -> None:
    path = tmp_path / "own.py"
    path.write_text(FILTER, encoding="utf-8")
    load(filters, f"{path}:first")

    assert own_code(one_arm("extractive", filters=("support",)), None) == {}
    assert set(own_code(one_arm("extractive", filters=("chain(a=first(count=1))",)), None)) == {"filter first"}


def test_an_attack_is_part_of_the_fingerprint_too(tmp_path: Path) -> None:
    path = tmp_path / "own.py"
    path.write_text(SOURCE, encoding="utf-8")
    spec = load(attacks, f"{path}:murmur(loud=3)")

    assert set(own_code(one_arm("extractive", tasks=(str(spec),)), None)) == {"attack murmur"}


def test_the_hash_is_of_the_file_that_holds_the_component(tmp_path: Path) -> None:
    """And not of the one that a decorator or a cache around it comes from."""
    path = tmp_path / "own.py"
    path.write_text(
        FILTER.replace("@filters", "import functools\n\n@filters").replace("def first", "@functools.cache\ndef first"),
        encoding="utf-8",
    )
    load(filters, f"{path}:first")

    assert filters.get("first").foreign_hash == hashlib.sha256(path.read_bytes()).hexdigest()


def test_replies_of_a_models_older_code_are_not_taken_again(monkeypatch: pytest.MonkeyPatch) -> None:
    model = ScriptedModel(lambda request: "yes")
    entry = models.get("scripted")
    kept = Resources()
    monkeypatch.setattr(type(entry), "foreign_hash", property(lambda self: "one"))
    kept.provide("scripted", model)
    before = dict(kept.chat("scripted", "a test").identity)
    monkeypatch.setattr(type(entry), "foreign_hash", property(lambda self: "two"))
    kept.provide("scripted", model)

    assert dict(kept.chat("scripted", "a test").identity) == before | {"code": "two"}


def test_a_folder_may_have_parentheses_and_an_address_may_look_like_a_file(tmp_path: Path) -> None:
    path = tmp_path / "a (copy)" / "own.py"
    path.parent.mkdir()
    path.write_text(FILTER, encoding="utf-8")

    assert str(load(filters, f"{path}:first(count=2)")) == "first(count=2)"
    assert load(generators, "openai:m(base_url=http://127.0.0.1/x.py:80)") is None


def test_what_names_no_file_is_left_to_others() -> None:
    assert load(attacks, "white_dos") is None
    assert load(attacks, "soft_ad:direct") is None


@pytest.mark.parametrize(
    ("source", "name", "said"),
    [
        (SOURCE, "murmer", r"registers no attack 'murmer' \(did you mean 'murmur'\?\)"),
        ("import saferag\n", "murmur", "registers no attack 'murmur': none"),
        ("raise ValueError('no')\n", "murmur", "cannot be run: ValueError: no"),
        ("def (:\n", "murmur", "cannot be run: SyntaxError"),
        ("import sys\nsys.exit(0)\n", "murmur", "cannot be run: SystemExit: 0"),
        (SOURCE.replace("murmur", "white_dos"), "white_dos", "registered twice"),
    ],
)
def test_a_mistake_is_one_line(tmp_path: Path, source: str, name: str, said: str) -> None:
    path = tmp_path / "own.py"
    path.write_text(source, encoding="utf-8")

    with pytest.raises(DataError, match=said) as raised:
        load(attacks, f"{path}:{name}")

    assert "\n" not in str(raised.value)


def test_a_missing_file_is_said(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="there is no such file"):
        load(attacks, f"{tmp_path}/none.py:murmur")
