"""`fabula verify`: proves a data set again."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fabula.cli.common import (
    DATA,
    EXECUTION,
    OUTPUT,
    Json,
    Workers,
    meter,
    print_json,
    show_story,
    terminal,
)
from fabula.errors import MissingFileError

if TYPE_CHECKING:
    from fabula.analysis.verify import Verdict


def verify(
    path: Annotated[Path, typer.Argument(metavar="PATH", help="A data file, or a folder of them.")],
    sample: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            help="Only the first N instances of each file.",
            show_default="all",
            rich_help_panel=DATA,
        ),
    ] = None,
    limit: Annotated[
        int,
        typer.Option(metavar="N", min=0, help="Failures to show in full.", rich_help_panel=OUTPUT),
    ] = 5,
    workers: Workers = None,
    logic: Annotated[
        bool,
        typer.Option(
            "--logic",
            help="Also prove it with the logic programs (much slower).",
            rich_help_panel=EXECUTION,
        ),
    ] = False,
    json: Json = False,
) -> None:
    """Prove a data set: every answer and every support, by two independent routes.

    The second route has its own patterns to parse the text and its own rules to derive the answers.
    --logic adds the logic programs, run by clingo.

    The exit code is 1 if anything is not proven, or if files differ from the manifest.

    Examples:
      [bold]fabula verify data/qa2[/bold]
      [bold]fabula verify data/qa2 --sample 100 --logic[/bold]
    """
    import fabula
    from fabula.analysis.verify import count
    from fabula.core.workers import cores

    if not path.exists():
        raise MissingFileError(f"{path}: no such file or folder.")
    with meter(f"proving {path}", count(path, sample)) as tick:
        verdict = fabula.verify(path, limit, workers or cores(), sample, tick, logic)
    if json:
        failures = [failure._asdict() for failure in verdict.failures]
        print_json({**verdict._asdict(), "failures": failures, "failed": verdict.failed})
    else:
        _show_verdict(verdict, path)
    if verdict.failed or verdict.altered:
        raise typer.Exit(1)


def _show_verdict(verdict: Verdict, path: Path) -> None:
    console = terminal()
    for failure in verdict.failures:
        console.print(f"not proven: {failure.id}", style="bold red")
        show_story(failure.story, failure.support, console)
        label = f"{failure.question}  {', '.join(failure.answer)}"
        console.print(f"  {label}")
        for reason in failure.reasons:
            console.print(f"  - {reason}")
        console.print()
    if verdict.failed > len(verdict.failures):
        rest = verdict.failed - len(verdict.failures)
        console.print(f"… and {rest:,} more (--limit shows more of them)")
    defects = f", {verdict.defects:,} declared defects" if verdict.defects else ""
    failed = f", {verdict.failed:,} NOT PROVEN" if verdict.failed else ""
    console.print(
        f"{path}: {verdict.proven:,} of {verdict.instances:,} proven{defects}{failed}",
        style="bold red" if verdict.failed else "bold green",
        soft_wrap=True,
    )
    for line in verdict.altered:
        console.print(f"{line}, by the manifest", style="bold red", soft_wrap=True)
