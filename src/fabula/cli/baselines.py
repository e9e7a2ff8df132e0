"""`fabula baselines`: the accuracy of trivial baselines."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fabula.cli.common import DATA, OUTPUT, Json, meter, print_json, show_scores, terminal

if TYPE_CHECKING:
    from fabula.generation.shortcuts import Score


def baselines(
    path: Annotated[Path, typer.Argument(metavar="PATH", help="A data file, or a folder.")],
    sample: Annotated[
        int,
        typer.Option(
            metavar="N",
            min=1,
            help="Only the first N instances of each file.",
            rich_help_panel=DATA,
        ),
    ] = 10_000,
    kinds: Annotated[
        bool, typer.Option("--kinds", help="Also for each question kind.", rich_help_panel=OUTPUT)
    ] = False,
    json: Json = False,
) -> None:
    """Measure trivial baselines, such as the majority answer or the last mention.

    A model has learned something only if it beats these. Kinship stories also get look-up
    baselines for each chain length, on the first and last relation and on the bag of relations,
    learned from nine tenths of the questions.

    Examples:
      [bold]fabula baselines data/qa2[/bold]
      [bold]fabula baselines data/mix --kinds --sample 1000[/bold]
    """
    import fabula

    with meter(f"reading {path}", None) as tick:
        found = fabula.baselines(path, sample, tick)
    if json:
        said: dict[str, Any] = {"instances": found.instances, "baselines": _rows(found.scores)}
        if kinds:
            said["kinds"] = {kind: _rows(rows) for kind, rows in found.kinds.items()}
        if found.chains:
            said["chains"] = [
                {"split": split, "hops": hops, "instances": rows[0].total, **_rows(rows)}
                for split, hops, rows in found.chains
            ]
        print_json(said)
        return
    console = terminal()
    show_scores(found.scores, console)
    for kind, rows in found.kinds.items() if kinds else ():
        console.print()
        console.print(kind, style="bold")
        show_scores(rows, console)
    for split, hops, rows in found.chains:
        console.print()
        console.print(f"{split}, chains of {hops}: look-ups", style="bold")
        show_scores(rows, console)


def _rows(found: list[Score]) -> dict[str, float]:
    return {score.name: round(score.accuracy, 4) for score in found}
