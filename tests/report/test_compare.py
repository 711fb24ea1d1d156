"""A comparison of two runs: what changed, in the right direction, and nothing where nothing did."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from saferag.cli import main
from saferag.experiment.store import Store
from saferag.report.compare import compare
from saferag.types import Lang
from toy_report import toy_store

Runs = tuple[Store, Store]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Runs:
    folder = tmp_path_factory.mktemp("runs")
    make: Callable[[str], Store] = lambda name: toy_store(  # noqa: E731
        folder / name, cases=12, filters=(name,), ratios=(None,), langs=(Lang.EN,)
    )
    return make("off"), make("extract")


def test_a_run_compared_with_itself_has_no_changes(runs: Runs) -> None:
    found = compare(runs[0], runs[0])

    assert found.changes
    assert not found.worse and not found.better
    assert not found.differing


def test_what_was_changed_between_runs_is_named_and_matched(runs: Runs) -> None:
    found = compare(*runs)

    assert found.differing == (("filter", "off", "extract"),)
    assert found.only_first == found.only_second == 0
    assert all("filter" not in c.cell for c in found.changes)


def test_the_other_way_round_worse_is_better(runs: Runs) -> None:
    there, back = compare(*runs), compare(runs[1], runs[0])

    assert [(c.metric, c.harm) for c in there.worse] == [(c.metric, -c.harm) for c in back.better]
    assert [(c.metric, c.harm) for c in there.better] == [(c.metric, -c.harm) for c in back.worse]
    assert there.worse or there.better


def test_fail_on_ends_with_one_only_where_something_became_worse(
    runs: Runs, capsys: pytest.CaptureFixture[str]
) -> None:
    first, second = (str(run.path) for run in runs)
    worse = {c.metric for c in compare(*runs).worse} | {c.metric for c in compare(runs[1], runs[0]).worse}
    codes = {}
    for pair in ((first, second), (second, first), (first, first)):
        with pytest.raises(SystemExit) as end:
            main(["compare", *pair, "--fail-on", "any"])
        codes[pair] = end.value.code

    assert worse
    assert codes[first, first] in (0, None)
    assert 1 in codes.values()
    out = capsys.readouterr().out
    assert max(map(len, out.splitlines())) <= 80


def test_an_unknown_metric_is_one_clear_line(runs: Runs, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    with pytest.raises(SystemExit) as end:
        main(["compare", str(runs[0].path), str(runs[1].path), "--fail-on", "asrr"])

    assert end.value.code == 2
    assert "asrr" in capsys.readouterr().err
