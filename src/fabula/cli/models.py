"""`fabula models`: the models that can be trained."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from fabula.cli.common import Json, print_json, terminal


def models(
    model: Annotated[
        str | None, typer.Argument(metavar="MODEL", help="One of them, with its hyperparameters.")
    ] = None,
    json: Json = False,
) -> None:
    """List the models of the papers: input, supervision, size.

    Examples:
      [bold]fabula models[/bold]
      [bold]fabula models memn2n[/bold]
    """
    from fabula.training.describe import REFERENCE, describe
    from fabula.training.describe import models as names

    complain = terminal(stderr=True).print
    rows = [describe(name) for name in ([model] if model else names(complain))]
    if json:
        print_json(rows)
        return
    from rich.table import Table

    say = terminal().print
    table = Table("model", "reads", "learns from", "parameters", "paper", box=None, pad_edge=False)
    table.columns[3].justify = "right"
    for row in rows:
        learns = "answers, supports" if row["uses_supports"] else "answers"
        count = "its checkpoint's" if row["parameters"] is None else f"{row['parameters']:,}"
        table.add_row(row["model"], row["reads"], learns, count, row["paper"])
    say(table)
    say(f"\nParameters: with {REFERENCE}.", style="dim")
    if not model:
        say("Hyperparameters of one: fabula models MODEL", style="dim")
        return
    for title in ("sizes", "regime"):
        say(f"\n{title}, changed by --with:")
        for name, value in rows[0][title].items():
            say(f"  {name} = {_typed(value)}")


def _typed(value: Any) -> str:
    """A value as --with takes it."""
    return str(value).lower() if value is None or isinstance(value, bool) else str(value)
