"""`fabula concat`: joins published bAbI files."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fabula.cli.common import DATA, Force, Json, NewFolder, RecipeName, print_json, terminal


def concat(
    recipe: RecipeName,
    source: Annotated[
        Path,
        typer.Option(
            "--from",
            metavar="DIR",
            help="A folder of published bAbI files.",
            rich_help_panel=DATA,
        ),
    ],
    out: NewFolder,
    force: Force = False,
    json: Json = False,
) -> None:
    """Join published bAbI files in the way a recipe joins its tasks.

    Files are joined byte by byte, in the order of the tasks; the test split of the recipe comes
    from `fabula generate`.

    Examples:
      [bold]fabula concat dyna/concat-t7 --from tasks/en-valid-10k --out data/t7[/bold]
      [bold]fabula concat dyna/concat-t2 --from tasks/en-valid --out data/t2[/bold]
    """
    from fabula.analysis.rewrites.text import concat as join

    found = join(recipe, source, out, force)
    if json:
        print_json({"out": str(out), "files": found})
        return
    for split, names in found.items():
        terminal().print(f"  {split}.txt: {', '.join(names)}", soft_wrap=True)
