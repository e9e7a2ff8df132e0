"""`fabula concurrence`: do benchmarks rank models alike?"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from fabula.cli.common import DATA, Json, print_json, terminal


def concurrence(
    table: Annotated[
        Path | None,
        typer.Argument(
            metavar="TABLE.csv",
            help="A row for each model: its name, then a score on each benchmark.",
            show_default="the models of the Dyna-bAbI paper",
        ),
    ] = None,
    against: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="Benchmark to compare the others with.",
            show_default="the first",
            rich_help_panel=DATA,
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Measure whether benchmarks rank models alike: Pearson and Kendall, with 95% intervals.

    Examples:
      [bold]fabula concurrence[/bold]
      [bold]fabula concurrence scores.csv --against squad[/bold]
    """
    from fabula.evaluation.concurrence import FEWEST, published
    from fabula.evaluation.concurrence import concurrence as compare

    found = compare(table or published(), against)
    if json:
        print_json([{**each._asdict(), "pearson": each.pearson._asdict(),
                     "kendall": each.kendall._asdict()} for each in found])  # fmt: skip
        return
    from rich.table import Table

    shown = Table("benchmarks", "models", "Pearson r", "Kendall τ", box=None, pad_edge=False)
    for each in found:
        shown.add_row(
            f"{each.first}, {each.second}",
            str(each.models),
            _interval(each.pearson),
            _interval(each.kendall),
        )
    terminal().print(shown)
    if any(each.models < FEWEST for each in found):
        terminal().print(
            f"A correlation needs at least {FEWEST} models with both scores.", style="dim"
        )


def _interval(found: Sequence[float]) -> str:
    value, low, high = found
    if value != value:
        return "–"
    return f"{value:.2f}" + (f"  ({low:.2f} to {high:.2f})" if low == low else "")
