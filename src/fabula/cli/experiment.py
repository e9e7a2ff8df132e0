"""`fabula experiment`: checks findings of the papers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fabula.cli.common import EXECUTION, OUTPUT, Json, print_json, terminal

if TYPE_CHECKING:
    from fabula.training.experiments.spec import Experiment


def experiment(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="NAME…", help="Ids, .toml files, or 'all'; without any, list them."),
    ] = None,
    scale: Annotated[
        str, typer.Option(metavar="SCALE", help="small: for two cores; full: as in the paper.")
    ] = "small",
    out: Annotated[
        Path,
        typer.Option(
            metavar="DIR",
            help="Folder of the tables, as JSON and Markdown.",
            rich_help_panel=OUTPUT,
        ),
    ] = Path("experiments/results"),
    store: Annotated[
        Path,
        typer.Option(
            metavar="DIR",
            help="Folder of the trained models; existing ones are reused.",
            rich_help_panel=OUTPUT,
        ),
    ] = Path("out/experiments"),
    workers: Annotated[
        int,
        typer.Option(
            metavar="N",
            min=1,
            help="Worker processes, one training each.",
            rich_help_panel=EXECUTION,
        ),
    ] = 1,
    json: Json = False,
) -> None:
    """Repeat experiments from the papers: train what is missing, and check which claims hold.

    Examples:
      [bold]fabula experiment[/bold]
      [bold]fabula experiment B8 --workers 2[/bold]
    """
    from fabula.training.experiments.catalogue import Catalogue
    from fabula.training.experiments.catalogue import experiment as carry_out

    say = terminal(stderr=True).print
    if not names:
        catalogue = Catalogue()
        _list(catalogue.known, json)
        for error in dict.fromkeys(catalogue.broken.values()):
            say(f"skipped: {error}", style="red", soft_wrap=True)
        return
    results = carry_out(
        names,
        scale,
        out,
        store,
        workers,
        begin=lambda each: say(f"{each.id}  {each.title}", style="bold", soft_wrap=True),
        progress=lambda line: say(f"  {line}", soft_wrap=True),
        done=lambda result: None if json else _tell(result),
    )
    if json:
        print_json(results)


def _list(known: dict[str, Experiment], json: bool) -> None:
    if json:
        print_json([{"id": e.id, "title": e.title, "paper": e.paper} for e in known.values()])
        return
    from rich.table import Table

    table = Table("id", "finding", "paper", box=None, pad_edge=False)
    for each in known.values():
        table.add_row(each.id, each.title, each.paper)
    terminal().print(table)


def _tell(result: dict[str, Any]) -> None:
    console = terminal()
    for claim in result["claims"]:
        mark, style = ("holds        ", "green") if claim["holds"] else ("does not hold", "red")
        console.print(f"  {mark}  {claim['says']}", style=style, soft_wrap=True)
