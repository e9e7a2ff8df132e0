"""`fabula shrink`: the smallest stories that a model still fails on."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fabula.cli.common import (
    DATA,
    EXECUTION,
    OUTPUT,
    PROMPT,
    Json,
    Seed,
    Settings,
    changes_of,
    print_json,
    show_story,
    terminal,
)
from fabula.cli.stages import stages

if TYPE_CHECKING:
    from rich.console import Console

    from fabula.evaluation.shrink import Shrunk, Smallest

SHOWN = 10
"""Groups that are printed."""
IDS = 4
"""Instances of a group that are named."""


def shrink(
    source: Annotated[
        str,
        typer.Argument(
            metavar="RUN|MODEL",
            help="A run of `fabula eval`; or a model, named as for `fabula eval`, with --instance.",
        ),
    ],
    instance: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ID",
            help="An instance, e.g. babi/qa2:test:17; with a run, only this one. Can be repeated.",
            rich_help_panel=DATA,
        ),
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option(
            metavar="PATH", help="A data set on disk that has the instance.", rich_help_panel=DATA
        ),
    ] = None,
    seed: Seed = None,
    settings: Settings = None,
    most: Annotated[
        int,
        typer.Option(
            metavar="N", min=1, help="Maximum number of failures to shrink.", rich_help_panel=DATA
        ),
    ] = 50,
    model: Annotated[
        str | None,
        typer.Option(
            metavar="MODEL",
            help="The model of the run.",
            show_default="as the run says",
            rich_help_panel=EXECUTION,
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Folder for replies and results; resumed if it exists.",
            show_default="RUN/shrink, or none",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    style: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="direct, reason or cite; a run has its own.",
            rich_help_panel=PROMPT,
        ),
    ] = "direct",
    form: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="Answer format: word, sentence, letter, json; a run has its own.",
            rich_help_panel=PROMPT,
        ),
    ] = "word",
    concurrency: Annotated[
        int,
        typer.Option(
            metavar="N",
            min=1,
            help="Failures to shrink in parallel, one request each.",
            rich_help_panel=EXECUTION,
        ),
    ] = 8,
    device: Annotated[
        str, typer.Option(metavar="DEVICE", help="cpu, cuda, mps …", rich_help_panel=EXECUTION)
    ] = "cpu",
    json: Json = False,
) -> None:
    """Find the smallest story that a model still fails on, for each of its failures.

    Sentences are dropped and reworded plainly, names simplified; the answer stays proven.

    Failures of the same form are one group. The same command resumes; nothing is asked twice.

    Examples:
      [bold]fabula shrink runs/mine[/bold]
      [bold]fabula shrink py:my_model.py:answer --instance babi/qa2:test:17[/bold]
    """
    import fabula

    with stages() as stage:
        found = fabula.shrink(
            source,
            instance,
            out,
            model=model,
            data=data,
            seed=seed,
            changes=changes_of(settings),
            most=most,
            style=style,
            form=form,
            concurrency=concurrency,
            device=device,
            stage=stage,
        )
    if json:
        print_json([each.to_dict() for each in found.failures])
        return
    _show(found, terminal())


def _show(found: Shrunk, console: Console) -> None:
    groups = found.groups
    count = len(found.failures)
    console.print(
        f"{found.model}: {count:,} failure{'s' * (count != 1)} in {len(groups):,} "
        f"group{'s' * (len(groups) != 1)}, {found.asked:,} questions asked",
        style="bold",
        soft_wrap=True,
    )
    for number, each in enumerate(list(groups.values())[:SHOWN], 1):
        _show_group(number, each, console)
    if len(groups) > SHOWN:
        console.print(f"\n{len(groups) - SHOWN:,} more groups: see --json")
    if count < found.total - len(found.skipped):
        console.print(f"\n{count:,} of {found.total:,} failures were shrunk; --most N takes more.")
    for name, why in list(found.skipped.items())[:IDS]:
        console.print(f"not shrunk: {name}: {why}", soft_wrap=True)
    if found.folder:
        console.print(f"\nIn {found.folder}; `fabula report` shows it.", style="dim")


def _show_group(number: int, group: list[Smallest], console: Console) -> None:
    first = min(group, key=lambda each: (len(each.story), each.asked))
    console.print(f"\n{number}. {len(group):,} like {first.id}: {first.group}", soft_wrap=True)
    show_story(first.story, first.instance.support, console)
    console.print(f"    question  {first.question}", soft_wrap=True)
    console.print(f"    answer    {', '.join(first.answer)}", soft_wrap=True)
    console.print(f"    reply     {' '.join(first.reply.split())[:200]}", soft_wrap=True)
    others = [each.id for each in group if each is not first]
    if others:
        more = f" and {len(others) - IDS} more" if len(others) > IDS else ""
        console.print(f"    also      {', '.join(others[:IDS])}{more}", style="dim", soft_wrap=True)
