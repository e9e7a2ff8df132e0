"""`fabula list`: the available recipes."""

from __future__ import annotations

from typing import Annotated

import typer

from fabula.cli.common import OUTPUT, Json, print_json, terminal


def list_(
    long: Annotated[
        bool, typer.Option("--long", help="Describe each recipe.", rich_help_panel=OUTPUT)
    ] = False,
    json: Json = False,
) -> None:
    """List the recipes: the benchmarks that can be generated.

    Examples:
      [bold]fabula list[/bold]
      [bold]fabula list --long[/bold]
    """
    from fabula.analysis.show import recipe_row, show_recipes
    from fabula.recipe.loading import recipe_ids
    from fabula.recipe.suite import suites

    names = sorted(recipe_ids(), key=lambda name: name.partition("/")[0])
    rows = [recipe_row(name) for name in names]
    if json:
        print_json(rows)
        return
    show_recipes(rows, terminal(), long)
    for suite in suites().values():
        terminal().print(f"{suite.id}: {suite.title} (generate only)", style="dim", soft_wrap=True)
