"""`fabula calibrate`: measures how difficult the instances of a recipe are, for adaptive
evaluation.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fabula.cli.common import DATA, OUTPUT, Json, print_json, terminal


def calibrate(
    out: Annotated[
        Path,
        typer.Option(metavar="FILE", help="The scale to write.", rich_help_panel=OUTPUT),
    ],
    runs: Annotated[
        list[Path] | None,
        typer.Argument(metavar="RUN…", help="Run folders of `fabula eval` on one recipe."),
    ] = None,
    recipe: Annotated[
        str | None,
        typer.Option(
            metavar="RECIPE",
            help="Add simulated models of limited skill on this recipe.",
            rich_help_panel=DATA,
        ),
    ] = None,
    size: Annotated[
        int,
        typer.Option(
            metavar="N", min=50, help="Questions put to simulated students.", rich_help_panel=DATA
        ),
    ] = 600,
    json: Json = False,
) -> None:
    """Calibrate the difficulty of a recipe's instances from runs of several models.

    The scale is read by `fabula eval --adaptive --scale FILE`. The package has scales for its own
    recipes.

    Examples:
      [bold]fabula calibrate runs/small runs/large runs/api --out mix.json[/bold]
      [bold]fabula calibrate --recipe rooms.toml --out rooms.json[/bold]
    """
    import fabula

    scale = fabula.calibrate(runs or (), out, recipe=recipe, size=size)
    if json:
        print_json({"recipe": scale.recipe, "terms": dict(scale.terms), "spread": scale.spread,
                    "slope": scale.slope, "made_from": list(scale.made_from)})  # fmt: skip
        return
    console = terminal()
    console.print(
        f"{scale.recipe}: difficulty from {len(scale.terms)} features, by "
        f"{len(scale.made_from)} models", style="bold", soft_wrap=True,
    )  # fmt: skip
    hardest = sorted(scale.terms.items(), key=lambda item: -item[1])
    for name, weight in [*hardest[:5], *hardest[-3:]] if len(hardest) > 8 else hardest:
        console.print(f"  {weight:+6.2f}  {name}")
    console.print(f"Wrote {out}", soft_wrap=True)
