"""`fabula play`: a text adventure over the simulator, by hand or from a script."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from fabula.cli.common import OUTPUT, terminal
from fabula.errors import FabulaError


def play(
    world: Annotated[
        str, typer.Argument(metavar="WORLD", help="home, store, motives, or your own .toml file.")
    ] = "home",
    actor: Annotated[
        str | None,
        typer.Option("--as", metavar="NAME", help="Who acts if a command names nobody."),
    ] = None,
    script: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Run a file of commands and questions, one per line."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="PATH",
            help="With --script: write the stories to this file or new folder.",
            show_default="the terminal",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    form: Annotated[
        str | None,
        typer.Option(
            "--format",
            metavar="FORMAT",
            help="With --script: jsonl, babi or another of `fabula generate`.",
            show_default="by file extension; babi on the terminal",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    seed: Annotated[int, typer.Option(metavar="N", help="Random seed.")] = 0,
    force: Annotated[
        bool, typer.Option("--force", help="Replace an existing file.", rich_help_panel=OUTPUT)
    ] = False,
) -> None:
    """Walk through a world: type what happens, read it as a story, ask what follows from it.

    With --script, a file of commands becomes stories and questions with their proofs.

    Examples:
      [bold]fabula play home --as john[/bold]
      [bold]fabula play store --script walk.txt --out walk.jsonl[/bold]
    """
    from fabula.play.worldfile import load_world

    chosen = load_world(world)
    if script is not None:
        _run(chosen, script, out, form, seed, actor, force)
        return
    if out is not None or form is not None or force:
        raise FabulaError("--out, --format and --force only work with --script FILE; add it.")
    from fabula.play.console import play as by_hand
    from fabula.play.session import Session

    by_hand(Session(chosen, seed, actor))


def _run(
    world: object,
    script: Path,
    out: Path | None,
    form: str | None,
    seed: int,
    actor: str | None,
    force: bool,
) -> None:
    from fabula.datasets.formats import FORMATS, format_named
    from fabula.play.script import read_script, rendered, run, write
    from fabula.play.worldfile import WorldFile

    assert isinstance(world, WorldFile)
    if form is None:
        wanted = out.name if out else ".txt"
        fitting = (name for name in FORMATS if wanted.endswith(f".{FORMATS[name].ending}"))
        form = next(fitting, "jsonl")
    style = format_named(form)
    played = run(world, read_script(script), str(script), seed, actor)
    data = rendered(played, style)
    if out is None:
        sys.stdout.buffer.write(data)
        sys.stdout.flush()
        return
    file = write(data, out, style, world, force)
    stories, questions = len(played.passages), played.questions
    say = terminal().print
    count = f"{stories} stor{'y' if stories == 1 else 'ies'}"
    asked = f"{questions} question{'s' * (questions != 1)}"
    say(f"Wrote {count} with {asked} to {file}", soft_wrap=True)
    if form in ("jsonl", "jsonl.gz", "parquet", "babi"):
        say(f"Prove it: fabula verify {file}", style="dim", soft_wrap=True)
