"""The commands that make data: list, show, generate."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fabula.cli.common import (
    Json,
    RecipeName,
    Seed,
    Settings,
    Workers,
    changes_of,
    cores,
    counts_of,
    meter,
    print_json,
    sizes_of,
    terminal,
)
from fabula.datasets.formats import FORMATS
from fabula.errors import FabulaError

if TYPE_CHECKING:
    from fabula.recipe.suite import Suite


def list_(
    long: Annotated[bool, typer.Option("--long", help="Say what each is about.")] = False,
    json: Json = False,
) -> None:
    """List the recipes: the benchmarks that can be generated.

    Example: [bold]fabula list[/bold]
    """
    from fabula.analysis.show import recipe_row, show_recipes
    from fabula.recipe.model import recipe_ids
    from fabula.recipe.suite import suites

    names = sorted(recipe_ids(), key=lambda name: name.partition("/")[0])
    rows = [recipe_row(name) for name in names]
    if json:
        print_json(rows)
        return
    show_recipes(rows, terminal(), long)
    for suite in suites().values():
        terminal().print(f"{suite.id}: {suite.title} (generate only)", style="dim", soft_wrap=True)
    formats = f"Formats of fabula generate: {', '.join(FORMATS)}. Models: fabula models."
    terminal().print(formats, style="dim")


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
    from fabula.generation.author import Author
    from fabula.recipe.model import load

    chosen = load(recipe, changes_of(settings))
    author = Author(chosen, split if split is not None else next(iter(chosen.splits)), seed)
    instance = next(author.instances(index, index + 1))
    if json:
        sys.stdout.write(instance.to_json().decode() + "\n")
        return
    from fabula.analysis import show as shown

    typed = [word for setting in settings or () for word in ("--set", setting)]
    again = shown.again(recipe, author.split, index, author.seed, typed)
    shown.show(instance, terminal(), again)


# --- generate -----------------------------------------------------------------------------------


FORMAT_NAMES = FORMATS.own  # looking for plug-ins would slow every --help
FORMAT_HELP = f"How it is written: {', '.join(FORMAT_NAMES)}; `fabula list` names plug-ins too."


def generate(
    recipe: RecipeName,
    out: Annotated[
        str,
        typer.Option(metavar="DIR", help="A new or empty folder, or a place such as s3://b/dir."),
    ],
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
        str | None,
        typer.Option("--format", metavar="FORMAT", help=FORMAT_HELP, show_default="jsonl"),
    ] = None,
    settings: Settings = None,
    shard_size: Annotated[
        int | None,
        typer.Option(
            metavar="N", min=1, help="Questions in a file at most.", show_default="100000"
        ),
    ] = None,
    engine: Annotated[
        str | None,
        typer.Option(
            metavar="ENGINE",
            help="Who works: processes, ray or inline.",
            show_default="processes",
        ),
    ] = None,
    address: Annotated[
        str | None,
        typer.Option(metavar="ADDRESS", help="A Ray cluster.", show_default="one on this machine"),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Replace a data set that is already there.")
    ] = False,
    json: Json = False,
) -> None:
    """Generate a benchmark into a folder, each instance checked.

    The same recipe and seed give the same bytes, on any number of workers and any engine.

    A smaller size gives the beginning of a larger one.

    A run that was cut off goes on where it stopped if the same command is given again.

    Example: [bold]fabula generate babi/qa2 --out data/qa2 --size train=1000,test=100[/bold]
    """
    from time import perf_counter

    from fabula.datasets.engines import write
    from fabula.datasets.engines.plan import SHARD
    from fabula.datasets.formats import format_named
    from fabula.recipe.model import load
    from fabula.recipe.suite import suite_named

    suite = suite_named(recipe)
    if suite is not None:
        fixed = {"format": form, "shard-size": shard_size, "engine": engine, "address": address}
        _check_suite(suite, out, fixed)
        _generate_suite(suite, Path(out), size, seed, workers, settings, force, json)
        return
    form = form or "jsonl"
    format_named(form)
    chosen = load(recipe, changes_of(settings))
    sizes = sizes_of(size, chosen)
    start = perf_counter()
    crew = workers if engine == "ray" else workers or cores()
    with _told_what_is_kept(), meter(f"generating {chosen.id}", sum(sizes.values())) as tick:
        manifest = write(
            chosen,
            out,
            sizes,
            form=form,
            seed=seed,
            workers=crew,
            force=force,
            progress=tick,
            engine=engine or "processes",
            address=address,
            shard_size=shard_size or SHARD,
        )
    if json:
        print_json({"out": out, **manifest})
        return
    _show_written(manifest, out, perf_counter() - start)


@contextmanager
def _told_what_is_kept() -> Iterator[None]:
    """Says on Ctrl-C which files another run need not make again."""
    try:
        yield
    except KeyboardInterrupt as stop:
        for note in getattr(stop, "__notes__", ()):
            print(note, file=sys.stderr)
        raise


PROVABLE = ("jsonl", "jsonl.gz", "parquet", "babi")
MOST_FILES = 8  # of a split, listed by name


def _show_written(manifest: dict[str, Any], out: str, took: float) -> None:
    from fabula.analysis.charts import file_size

    say = terminal().print
    total = manifest["instances"]
    say(f"Wrote {total:,} questions of {manifest['recipe']} to {out}", soft_wrap=True)
    rows = []
    for split, part in manifest["splits"].items():
        files = part["files"]
        for made in files[:MOST_FILES]:
            held = f"{split}: {made['instances']:,} questions, {file_size(made['bytes'])}"
            rows.append((made["file"], held))
        if len(files) > MOST_FILES:
            rest = len(files) - MOST_FILES
            held = f"{split}: {part['instances']:,} questions, {file_size(part['bytes'])} in all"
            rows.append((f"… and {rest:,} more", held))
    rows.append(("README.md", "the card: what it is, its figures, how to make it again"))
    rows.append(("manifest.json", "recipe, seed and checksums"))
    width = max(len(name) for name, _ in rows)
    for name, held in rows:
        say(f"  {name:{width}}  {held}", soft_wrap=True)
    provable = manifest["format"] in PROVABLE and "://" not in out
    proof = f" Prove it: fabula verify {out}" if provable else ""
    if proof and manifest["format"] == "babi" and manifest["content"].get("labels") == "release":
        # text has only the release's lists, which need not be proofs; records have those too
        proof = f" Check it: fabula audit babi {out}"
    pace = f"in {took:.1f} s ({total / max(took, 1e-9):,.0f} a second), seed {manifest['seed']}."
    say(pace + proof, style="dim", soft_wrap=True)


def _check_suite(suite: Suite, out: str, fixed: dict[str, Any]) -> None:
    """A suite has the files of what was published: refuse what would make them others."""
    if fixed["format"] == suite.format:
        fixed = {**fixed, "format": None}
    given = [f"--{option}" for option, value in fixed.items() if value is not None]
    if given:
        raise FabulaError(
            f"{', '.join(given)}: {suite.id} has the files of the release, in the format "
            f"{suite.format}; leave this out, or name one recipe, e.g. {suite.recipe(1)}."
        )
    if "://" in out:
        raise FabulaError(f"--out {out}: {suite.id} is written into a folder on disk; name one.")


def _generate_suite(
    suite: Suite,
    out: Path,
    size: str | None,
    seed: int | None,
    workers: int | None,
    settings: list[str] | None,
    force: bool,
    json: bool,
) -> None:
    from fabula.datasets.suite import write_suite

    limits = None if size is None else counts_of(size, suite.splits, suite.id)
    total = None if limits else suite.questions
    with meter(f"generating {suite.id}", total) as tick:
        manifest = write_suite(
            suite, out, limits, seed, changes_of(settings), workers or cores(), force, tick
        )
    if json:
        print_json({"out": str(out), **manifest})
        return
    files = [file for part in manifest["splits"].values() for file in part["files"]]
    folders = list(suite.folders)
    say = terminal().print
    say(f"Wrote {manifest['instances']:,} questions of {suite.id} to {out}", soft_wrap=True)
    for folder in folders:
        inside = [file for file in files if file["file"].startswith(f"{folder}/")]
        count = sum(file["instances"] for file in inside)
        say(f"  {folder:14} {len(inside):3} files, {count:,} questions", soft_wrap=True)
    say(f"Check it: fabula audit babi {out / folders[0]}", style="dim", soft_wrap=True)
