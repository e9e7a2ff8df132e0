"""`fabula diff`: what changed between two data sets."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fabula.cli.common import Json, print_json, terminal

if TYPE_CHECKING:
    from rich.console import Console

MOST_FIGURES = 20


def diff(
    before: Annotated[Path, typer.Argument(metavar="A", help="A data set: a file or folder.")],
    after: Annotated[Path, typer.Argument(metavar="B", help="Another one.")],
    json: Json = False,
) -> None:
    """Compare two data sets: how they were generated, their records, their statistics.

    The exit code is 1 if the records differ.

    Examples:
      [bold]fabula diff data/old data/new[/bold]
      [bold]fabula diff data/old data/new --json[/bold]
    """
    import fabula

    found = fabula.diff(before, after)
    if json:
        print_json(found.to_dict())
    else:
        console = terminal()
        _pairs("made", found.made, console)
        verdict = "identical records" if found.none else "the records differ"
        console.print(f"{before} and {after}: {verdict}", style="bold", soft_wrap=True)
        console.print(
            f"  compared by {found.by}: {found.same:,} identical, {found.changed:,} changed, "
            f"{found.gone:,} only in the first, {found.added:,} only in the second",
            soft_wrap=True,
        )
        for name, count in found.fields.items():
            console.print(f"  {name}: differs in {count:,}")
        if found.example:
            console.print(f"  first changed record: {found.example}", soft_wrap=True)
        _pairs("figures", found.figures, console)
    if not found.none:
        raise typer.Exit(1)


def _pairs(title: str, pairs: dict[str, tuple[Any, Any]], console: Console) -> None:
    if pairs:
        console.print(title, style="bold")
    for name, (one, two) in list(pairs.items())[:MOST_FIGURES]:
        console.print(f"  {name}: {one} → {two}", soft_wrap=True)
    if len(pairs) > MOST_FIGURES:
        console.print(f"  … and {len(pairs) - MOST_FIGURES:,} more (--json shows all)")
