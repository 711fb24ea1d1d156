"""Components by name: specs, parameters, and what happens when a name is wrong."""

from __future__ import annotations

import importlib
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saferag.errors import OptionError, UnknownComponentError
from saferag.registry import ComponentSpec, Registry, split_top_level

NAMES = st.from_regex(r"[a-z0-9][a-z0-9-]{0,8}", fullmatch=True)
VALUES = st.from_regex(r"[A-Za-z0-9./:_-]{1,12}", fullmatch=True)


@given(NAMES, st.none() | VALUES, st.dictionaries(st.from_regex(r"[a-z_]{1,8}", fullmatch=True), VALUES, max_size=3))
def test_a_spec_survives_its_text(name: str, variant: str | None, params: dict[str, str]) -> None:
    spec = ComponentSpec(name, variant, tuple(sorted(params.items())))

    assert ComponentSpec.parse(str(spec)) == spec


def test_parameters_may_come_in_any_order_and_mean_the_same() -> None:
    assert ComponentSpec.parse("bm25(k1=1, b=0.5)") == ComponentSpec.parse("bm25(b=0.5,k1=1)")


@pytest.mark.parametrize("text", ["", "(k=1)", "a(k)", "a b", "a(=1)", "a)("])
def test_what_is_no_spec_is_refused(text: str) -> None:
    with pytest.raises(OptionError):
        ComponentSpec.parse(text)


def test_commas_in_parentheses_do_not_separate() -> None:
    assert split_top_level("bm25(k1=1,b=0.5), dense,") == ["bm25(k1=1,b=0.5)", "dense"]


def registry() -> Registry[object]:
    found: Registry[object] = Registry("thing", "saferag.filters")
    found._loaded = True

    @found.register("box", summary="a box")
    def box(label: str, *, size: int = 1, ratio: float = 0.5, lid: bool = False, variant: str | None = None) -> object:
        return label, size, ratio, lid, variant

    return found


def test_parameters_are_converted_by_their_annotations() -> None:
    built = registry().build("box:red(size=3,ratio=1,lid=yes)", "x")

    assert built == ("x", 3, 1.0, True, "red")


def test_an_unknown_name_suggests_the_nearest() -> None:
    with pytest.raises(UnknownComponentError, match=r"unknown thing 'boks' \(did you mean 'box'\?\)"):
        registry().build("boks", "x")


def test_an_unknown_parameter_names_the_known_ones() -> None:
    with pytest.raises(OptionError, match=r"no parameter 'sise' \(did you mean 'size'\?\)"):
        registry().build("box(sise=3)", "x")


def test_a_value_of_another_type_is_refused() -> None:
    with pytest.raises(OptionError, match="size: 'big' is not of type int"):
        registry().build("box(size=big)", "x")


def test_a_name_is_taken_once() -> None:
    taken = registry()

    with pytest.raises(ValueError, match="registered twice"):
        taken.register("box", summary="another")(lambda: None)


def test_threads_that_ask_while_components_are_being_imported_wait_for_all_of_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "slow_parts"
    package.mkdir()
    (package / "__init__.py").write_text(
        "from saferag.registry import Registry\nparts = Registry('part', 'slow_parts')\n"
    )
    (package / "one.py").write_text(
        "import time\nfrom slow_parts import parts\ntime.sleep(0.2)\nparts.register('one', summary='-')(lambda: 1)\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    parts: Registry[int] = importlib.import_module("slow_parts").parts
    with ThreadPoolExecutor(4) as pool:
        assert [found.result() for found in [pool.submit(parts.names) for _ in range(4)]] == [["one"]] * 4


def test_a_factory_of_another_form_is_said() -> None:
    found: Registry[object] = Registry("filter", "saferag.prompts")

    @found.register("old", summary="-")
    def old() -> object:
        return "takes no resources"

    with pytest.raises(OptionError, match="filter 'old': its factory cannot be called: too many positional"):
        found.build("old", "resources")


def test_a_package_that_cannot_be_loaded_ends_no_command_that_does_not_name_it(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    point = EntryPoint("torn", "no_such_package.torn:torn", "saferag.filters")
    monkeypatch.setattr("saferag.registry.entry_points", lambda group: [point])
    found: Registry[object] = Registry("filter", "saferag.prompts")

    assert found.names() == []
    assert "filter 'torn' (no_such_package.torn:torn) cannot be loaded" in caplog.text
    with pytest.raises(OptionError, match="cannot be loaded: No module named 'no_such_package'"):
        found.get("torn")
