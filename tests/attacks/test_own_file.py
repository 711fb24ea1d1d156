from __future__ import annotations

from pathlib import Path

import pytest

from saferag.attacks import attacks
from saferag.attacks.own_file import load
from saferag.errors import DataError

SOURCE = """
from saferag.attacks import attacks
from saferag.attacks.made import MadeAttack, aim_at_facts
from saferag.attacks.rgb_noise import INFO

@attacks.register("murmur", summary="murmurs")
def murmur(*, loud: int = 1):
    return MadeAttack("murmur", INFO, lambda case, seed: ["m" * loud], aim_at_facts)
"""


@pytest.fixture(autouse=True)
def registry(monkeypatch: pytest.MonkeyPatch) -> None:
    attacks.names()
    monkeypatch.setattr(attacks, "_entries", dict(attacks._entries))


def test_a_file_is_run_once_and_its_attack_takes_parameters(tmp_path: Path) -> None:
    path = tmp_path / "own.py"
    path.write_text(SOURCE, encoding="utf-8")

    spec = load(f"{path}:murmur(loud=3)")

    assert str(spec) == "murmur(loud=3)"
    assert load(f"{path}:murmur") is not None, "a second time the file is not run, so nothing is registered twice"
    assert "murmur" in attacks.names()


def test_what_names_no_file_is_left_to_others() -> None:
    assert load("white_dos") is None
    assert load("soft_ad:direct") is None


@pytest.mark.parametrize(
    ("source", "name", "said"),
    [
        (SOURCE, "murmer", r"registers no attack 'murmer' \(did you mean 'murmur'\?\)"),
        ("import saferag\n", "murmur", "registers no attack 'murmur': none"),
        ("raise ValueError('no')\n", "murmur", "cannot be run: ValueError: no"),
        ("def (:\n", "murmur", "cannot be run: SyntaxError"),
        (SOURCE.replace("murmur", "white_dos"), "white_dos", "registered twice"),
    ],
)
def test_a_mistake_is_one_line(tmp_path: Path, source: str, name: str, said: str) -> None:
    path = tmp_path / "own.py"
    path.write_text(source, encoding="utf-8")

    with pytest.raises(DataError, match=said) as raised:
        load(f"{path}:{name}")

    assert "\n" not in str(raised.value)


def test_a_missing_file_is_said(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="there is no such file"):
        load(f"{tmp_path}/none.py:murmur")
