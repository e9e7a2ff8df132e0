"""`fabula generate`: a benchmark into a folder."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fabula.cli.common import (
    DATA,
    EXECUTION,
    OUTPUT,
    Force,
    Json,
    RecipeName,
    Seed,
    Settings,
    Workers,
    changes_of,
    counts_of,
    dim,
    meter,
    print_json,
    sizes_of,
)
from fabula.core.files import file_size
from fabula.datasets.formats import FORMATS

if TYPE_CHECKING:
    from fabula.recipe.suite import Suite

FORMAT_NAMES = FORMATS.own  # looking for plug-ins would slow down every --help


def generate(
    recipe: RecipeName,
    out: Annotated[
        str,
        typer.Option(
            metavar="DIR",
            help="A new or empty folder, or a URL such as s3://bucket/folder.",
            rich_help_panel=OUTPUT,
        ),
    ],
    size: Annotated[
        str | None,
        typer.Option(
            metavar="SIZES",
            help="Questions: 500 for each split, or train=1000,test=100 for only these splits.",
            show_default="as the recipe says",
            rich_help_panel=DATA,
        ),
    ] = None,
    seed: Seed = None,
    settings: Settings = None,
    form: Annotated[
        str | None,
        typer.Option(
            "--format",
            metavar="FORMAT",
            help=f"File format: {', '.join(FORMAT_NAMES)}; `fabula list` names plug-ins too.",
            show_default="jsonl",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    shard_size: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            help="Maximum number of questions per file.",
            show_default="100000",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    force: Force = False,
    workers: Workers = None,
    engine: Annotated[
        str | None,
        typer.Option(
            metavar="ENGINE",
            help="Execution engine: processes, ray or inline.",
            show_default="processes",
            rich_help_panel=EXECUTION,
        ),
    ] = None,
    address: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help="Address of a Ray cluster.",
            show_default="one on this machine",
            rich_help_panel=EXECUTION,
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Generate a benchmark into a folder, with every instance checked.

    The same recipe and seed give the same bytes on any number of workers and any engine, and a
    smaller size is a prefix of a larger one. The same command resumes an interrupted run.

    Examples:
      [bold]fabula generate babi/qa2 --out data/qa2 --size train=1000,test=100[/bold]
      [bold]fabula generate clutrr/gen-23 --out data/kin --format parquet[/bold]
    """
    import fabula
    from fabula.core.workers import cores
    from fabula.recipe.loading import load
    from fabula.recipe.suite import suite_named

    changes = changes_of(settings)
    options = {"engine": engine, "address": address, "shard_size": shard_size}
    given = {name: value for name, value in options.items() if value is not None}
    start = perf_counter()
    suite = suite_named(recipe)
    if suite is not None:
        sizes = None if size is None else counts_of(size, suite.splits, suite.id)
        total = None if sizes else suite.questions
    else:
        chosen = load(recipe, changes)
        sizes = sizes_of(size, chosen)
        total = sum(sizes.values())
    with _kept_on_interrupt(), meter(f"generating {recipe}", total) as tick:
        manifest = fabula.write(
            recipe,
            out,
            form,
            workers if engine == "ray" else workers or cores(),
            force,
            sizes=sizes,
            seed=seed,
            changes=changes,
            progress=tick,
            **given,
        )
    if json:
        print_json({"out": out, **manifest})
    elif suite is not None:
        _show_suite(suite, manifest, Path(out))
    else:
        _show_written(manifest, out, perf_counter() - start)


@contextmanager
def _kept_on_interrupt() -> Iterator[None]:
    """On Ctrl-C, report which files are kept for the next run."""
    try:
        yield
    except KeyboardInterrupt as stop:
        for note in getattr(stop, "__notes__", ()):
            print(note, file=sys.stderr)
        raise


PROVABLE = ("jsonl", "jsonl.gz", "parquet", "babi")
MOST_FILES = 8  # files of a split that are listed by name


def _show_written(manifest: dict[str, Any], out: str, took: float) -> None:
    total = manifest["instances"]
    print(f"Wrote {total:,} questions of {manifest['recipe']} to {out}")
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
    rows.append(("README.md", "the dataset card: contents, statistics, how to reproduce it"))
    rows.append(("manifest.json", "recipe, seed and checksums"))
    width = max(len(name) for name, _ in rows)
    for name, held in rows:
        print(f"  {name:{width}}  {held}")
    provable = manifest["format"] in PROVABLE and "://" not in out
    proof = f" Prove it: fabula verify {out}" if provable else ""
    if proof and manifest["format"] == "babi" and manifest["content"].get("labels") == "release":
        # text has only the release's labels, which need not be proofs; records have both
        proof = f" Check it: fabula audit babi {out}"
    pace = f"in {took:.1f} s ({total / max(took, 1e-9):,.0f} per second), seed {manifest['seed']}."
    print(dim(pace + proof))


def _show_suite(suite: Suite, manifest: dict[str, Any], out: Path) -> None:
    files = [file for part in manifest["splits"].values() for file in part["files"]]
    folders = list(suite.folders)
    print(f"Wrote {manifest['instances']:,} questions of {suite.id} to {out}")
    for folder in folders:
        inside = [file for file in files if file["file"].startswith(f"{folder}/")]
        count = sum(file["instances"] for file in inside)
        print(f"  {folder:14} {len(inside):3} files, {count:,} questions")
    print(dim(f"Check it: fabula audit babi {out / folders[0]}"))
