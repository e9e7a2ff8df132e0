"""`fabula doses`: nested small training sets."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fabula.cli.common import DATA, OUTPUT, Force, Json, Seed, print_json, terminal
from fabula.errors import UsageError


def doses(
    data: Annotated[
        str, typer.Argument(metavar="DATA", help="Where the doses come from: a recipe or data set.")
    ],
    out: Annotated[
        Path,
        typer.Option(
            metavar="DIR", help="Folder of the doses, one data set each.", rich_help_panel=OUTPUT
        ),
    ],
    sizes: Annotated[
        str,
        typer.Option(
            metavar="N,N…",
            help="Examples in each dose; a larger one contains the smaller ones.",
            rich_help_panel=DATA,
        ),
    ] = "10,50,100,500",
    test: Annotated[
        list[str] | None,
        typer.Option(
            metavar="DATA",
            help="Test data, none of which may be in a dose. Can be repeated.",
            show_default="the test split of DATA",
            rich_help_panel=DATA,
        ),
    ] = None,
    seed: Seed = None,
    force: Force = False,
    json: Json = False,
) -> None:
    """Draw doses: nested small sets of training examples that share nothing with the test set.

    Train on the old data alone and together with each dose, evaluate each model on both tests, and
    compare them with `fabula curves`.

    Examples:
      [bold]fabula doses dyna/diverse-t7 --sizes 10,100,1000 --out doses[/bold]
      [bold]fabula doses babi/qa2 --test data/hard --out doses[/bold]
    """
    from fabula.evaluation.curves import write_doses

    try:
        wanted = [int(size) for size in sizes.split(",")]
        if min(wanted) < 1:
            raise ValueError
    except ValueError:
        raise UsageError(f"--sizes {sizes}: expected whole numbers, e.g. 10,100") from None
    written = write_doses(data, out, wanted, test or (), seed, force)
    if json:
        print_json([str(path) for path in written])
        return
    for path in written:
        terminal().print(f"Wrote {path}", soft_wrap=True)
