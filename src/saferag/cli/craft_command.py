"""``saferag craft``: let a chat model write the texts of the attacks that need a writer."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Annotated

import typer


def craft(
    *,
    out: Annotated[Path, typer.Option(help="The file to write, for run --attack-texts.")],
    model: Annotated[str, typer.Option(help="Spec of the chat model that writes, such as openai:gpt-4o.")],
    attack: Annotated[list[str] | None, typer.Option(help="Which attacks. Default: all that need a writer.")] = None,
    data: Annotated[Path | None, typer.Option(help="A .jsonl file. Default: the cases that we ship.")] = None,
    split: Annotated[str | None, typer.Option(help="Only cases of this split.")] = None,
    lang: Annotated[list[str] | None, typer.Option(help="zh, en. Default: both.")] = None,
    limit: Annotated[int | None, typer.Option(help="At most so many cases per language.", min=1)] = None,
    concurrency: Annotated[int, typer.Option(help="Requests in flight.", min=1)] = 8,
    cache: Annotated[Path | None, typer.Option(help="Folder for replies.")] = None,
) -> None:
    """Let a chat model write attack texts; its replies are cached, so the same command writes the same file."""
    from saferag.attacks.craft import CRAFTED
    from saferag.attacks.craft import craft as write
    from saferag.cli import options, setup
    from saferag.cli.console import note_line
    from saferag.errors import OptionError, UserError
    from saferag.resources import Resources
    from saferag.types import Lang

    names = options.split(attack or list(CRAFTED))
    if unknown := [name for name in names if name not in CRAFTED]:
        raise OptionError(f"'{unknown[0]}' needs no writer; these do: {', '.join(CRAFTED)}")
    dataset = setup.dataset(data, None, split)
    langs = options.enums(Lang, lang or [], "--lang") or dataset.langs
    cases = [case for one in langs for case in [c for c in dataset.cases if c.lang is one][:limit]]
    folder = cache or setup.cache_folder()
    folder.mkdir(parents=True, exist_ok=True)
    model = setup.chat_model(model)
    resources = Resources(cache_dir=folder, model=model, concurrency=concurrency)

    async def ask() -> None:
        try:
            found = await write(cases, names, resources.chat(model, "craft"))
        finally:
            await resources.close()
        text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in found.lines)
        try:
            out.write_text(text, encoding="utf-8")
        except OSError as error:
            raise UserError(f"{out} cannot be written: {error.strerror}") from None
        for case_id, name, reason in found.failed:
            note_line(f"no text: {case_id}, {name}: {reason}")
        note_line(f"{len(found.lines)} texts, {len(found.failed)} failed, {found.unfit} without a wrong answer: {out}")
        if found.failed and not found.lines:
            raise UserError("the model wrote nothing that can be used")

    asyncio.run(ask())
