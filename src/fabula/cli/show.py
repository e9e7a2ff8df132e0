"""`fabula show`: one instance with its proof."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from fabula.cli.common import DATA, Json, RecipeName, Seed, Settings, changes_of, terminal


def show(
    recipe: RecipeName,
    split: Annotated[
        str | None,
        typer.Option(
            metavar="SPLIT", help="The split.", show_default="the first", rich_help_panel=DATA
        ),
    ] = None,
    index: Annotated[
        int,
        typer.Option(
            metavar="I", min=0, help="Index of the instance, from 0.", rich_help_panel=DATA
        ),
    ] = 0,
    seed: Seed = None,
    settings: Settings = None,
    json: Json = False,
) -> None:
    """Show one instance: the story, the question, the answer and its proofs.

    It is the same as in the generated data set; any index is equally fast.

    Examples:
      [bold]fabula show babi/qa2 --split test --index 417[/bold]
      [bold]fabula show stepgame/clean --set hops=4[/bold]
    """
    from fabula.generation.author import Author
    from fabula.recipe.loading import load

    chosen = load(recipe, changes_of(settings))
    author = Author(chosen, split if split is not None else next(iter(chosen.splits)), seed)
    instance = next(author.instances(index, index + 1))
    if json:
        sys.stdout.write(instance.to_json().decode() + "\n")
        return
    from fabula.analysis import show as shown

    typed = [word for setting in settings or () for word in ("--set", setting)]
    again = shown.again(recipe, author.split, index, author.seed, typed)
    shown.show(instance, terminal(), again)
