"""`fabula leak`: how much of a test set is in the training set?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fabula.cli.common import Json, print_json, terminal


def leak(
    train: Annotated[Path, typer.Argument(metavar="TRAIN", help="Training file or folder.")],
    test: Annotated[Path, typer.Argument(metavar="TEST", help="Test file or folder.")],
    json: Json = False,
) -> None:
    """Measure how much of a test set already occurs in a training set.

    Examples:
      [bold]fabula leak data/qa2/train.txt data/qa2/test.txt[/bold]
      [bold]fabula leak data/old data/new --json[/bold]
    """
    import fabula

    found = fabula.leak(train, test)
    if json:
        print_json(found.to_dict())
        return
    from rich.table import Table

    table = Table("the same", "test items", "in training", "share", "example", box=None)
    for name, overlap in found.measures.items():
        table.add_row(
            name,
            f"{overlap.test:,}",
            f"{overlap.seen:,}",
            f"{overlap.share:.2%}",
            str(overlap.example),
        )
    terminal().print(table)
