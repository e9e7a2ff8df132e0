"""`fabula report`: one page that shows where and why models fail."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fabula.cli.common import OUTPUT, Json, print_json, terminal


def report(
    runs: Annotated[
        list[Path],
        typer.Argument(metavar="RUN…", help="Run folders of `fabula eval` or `fabula probe`."),
    ],
    out: Annotated[
        Path,
        typer.Option(
            metavar="FILE",
            help="The page; numbers and figures are written beside it.",
            rich_help_panel=OUTPUT,
        ),
    ] = Path("report.html"),
    title: Annotated[
        str | None, typer.Option(metavar="TEXT", help="Title of the page.", rich_help_panel=OUTPUT)
    ] = None,
    pictures: Annotated[
        bool, typer.Option(help="Also write each figure as PNG and SVG.", rich_help_panel=OUTPUT)
    ] = True,
    json: Json = False,
) -> None:
    """Show on one page where and why models fail, and which differences are significant.

    Examples:
      [bold]fabula report runs/mine --out report.html[/bold]
      [bold]fabula report runs/memn2n runs/lstm --title "qa2" --no-pictures[/bold]
    """
    import fabula

    written, missing = fabula.report(runs, out, title, pictures)
    for line in missing:
        terminal(stderr=True).print(line, soft_wrap=True)
    if json:
        print_json([str(path) for path in written])
        return
    console = terminal()
    console.print(f"Wrote {written[0]}", soft_wrap=True)
    console.print(f"  numbers and pictures: {written[-1].parent}", soft_wrap=True)
