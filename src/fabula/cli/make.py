"""The commands that make data: list, show, generate."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from fabula.cli.common import (
    Json,
    RecipeName,
    Seed,
    Settings,
    Workers,
    changes_of,
    cores,
    meter,
    print_json,
    sizes_of,
    terminal,
)


def list_(
    long: Annotated[bool, typer.Option("--long", help="Say what each is about.")] = False,
    json: Json = False,
) -> None:
    """List the recipes: the benchmarks that can be generated.

    Example: [bold]fabula list[/bold]
    """
    from fabula.recipe import recipe_ids
    from fabula.show import recipe_row, show_recipes

    names = sorted(recipe_ids(), key=lambda name: name.partition("/")[0])
    rows = [recipe_row(name) for name in names]
    if json:
        print_json(rows)
    else:
        show_recipes(rows, terminal(), long)


def show(
    recipe: RecipeName,
    split: Annotated[
        str | None, typer.Option(metavar="SPLIT", help="Which split.", show_default="the first")
    ] = None,
    index: Annotated[int, typer.Option(metavar="I", min=0, help="Which instance, from 0.")] = 0,
    seed: Seed = None,
    settings: Settings = None,
    json: Json = False,
) -> None:
    """Show one instance: the story, the question, the answer and its proofs.

    It is the same as in the generated data set, and made alone, so any index is quick.

    Example: [bold]fabula show babi/qa2 --split test --index 417[/bold]
    """
    from fabula.generate import Author
    from fabula.recipe import load

    chosen = load(recipe, changes_of(settings))
    author = Author(chosen, split if split is not None else next(iter(chosen.splits)), seed)
    instance = next(author.instances(index, index + 1))
    if json:
        sys.stdout.write(instance.to_json().decode() + "\n")
        return
    from fabula import show as shown

    again = shown.again(recipe, author.split, index, author.seed, settings or [])
    shown.show(instance, terminal(), again)


# --- generate -----------------------------------------------------------------------------------


def generate(
    recipe: RecipeName,
    out: Annotated[Path, typer.Option(metavar="DIR", help="A new or empty folder.")],
    size: Annotated[
        str | None,
        typer.Option(
            metavar="SIZES",
            help="Questions: 500 for each split, or train=1000,test=100 for just these splits.",
            show_default="as the recipe says",
        ),
    ] = None,
    seed: Seed = None,
    workers: Workers = None,
    form: Annotated[
        str, typer.Option("--format", metavar="FORMAT", help="jsonl (all fields) or babi (text).")
    ] = "jsonl",
    settings: Settings = None,
    force: Annotated[
        bool, typer.Option("--force", help="Replace a data set that is already there.")
    ] = False,
    json: Json = False,
) -> None:
    """Generate a benchmark into a folder, each instance checked.

    The same recipe and seed give the same bytes, on any number of workers.

    A smaller size gives the beginning of a larger one.

    Example: [bold]fabula generate babi/qa2 --out data/qa2 --size train=1000,test=100[/bold]
    """
    from time import perf_counter

    from fabula.engine import write
    from fabula.formats import format_named
    from fabula.recipe import load
    from fabula.stats import file_size

    format_named(form)
    chosen = load(recipe, changes_of(settings))
    sizes = sizes_of(size, chosen)
    start = perf_counter()
    with meter(f"generating {chosen.id}", sum(sizes.values())) as tick:
        manifest = write(
            chosen,
            out,
            sizes,
            form=form,
            seed=seed,
            workers=workers or cores(),
            force=force,
            progress=lambda _, count: tick(count),
        )
    if json:
        print_json({"out": str(out), **manifest})
        return
    took, parts = perf_counter() - start, manifest["splits"]
    total = sum(sizes.values())
    console = terminal()
    say = console.print
    say(f"Wrote {total:,} questions of {chosen.id} to {out}", soft_wrap=True)
    width = max(len(name) for name in ["manifest.json", *(p["file"] for p in parts.values())])
    for split, part in parts.items():
        held = f"{part['instances']:,} questions, {file_size((out / part['file']).stat().st_size)}"
        say(
            f"  {part['file']:{width}}  {split}: {held}",
            soft_wrap=True,
        )
    say(f"  {'manifest.json':{width}}  recipe, seed and checksums")
    proof = f" Prove it: fabula verify {out}" if manifest["format"] in ("jsonl", "babi") else ""
    pace = f"in {took:.1f} s ({total / max(took, 1e-9):,.0f} a second), seed {manifest['seed']}."
    say(pace + proof, style="dim", soft_wrap=True)
