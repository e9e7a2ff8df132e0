"""The commands that weigh data sets: diff, baselines."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fabula.cli.common import Json, meter, print_json, terminal
from fabula.errors import FabulaError

if TYPE_CHECKING:
    from rich.console import Console

    from fabula.generation.shortcuts import Score

MOST_FIGURES = 20


def diff(
    before: Annotated[Path, typer.Argument(metavar="A", help="A data set: a file or folder.")],
    after: Annotated[Path, typer.Argument(metavar="B", help="Another one.")],
    json: Json = False,
) -> None:
    """Tell what changed between two data sets: how they were made, records, figures.

    Ends with exit code 1 if the records differ.

    Example: [bold]fabula diff data/old data/new[/bold]
    """
    from fabula.analysis.diff import diff as compare

    found = compare(before, after)
    if json:
        print_json(found.to_dict())
    else:
        console = terminal()
        _pairs("made", found.made, console)
        verdict = "the same records" if found.none else "the records differ"
        console.print(f"{before} and {after}: {verdict}", style="bold", soft_wrap=True)
        console.print(
            f"  compared by {found.by}: {found.same:,} the same, {found.changed:,} changed, "
            f"{found.gone:,} only in the first, {found.added:,} only in the second",
            soft_wrap=True,
        )
        for name, count in found.fields.items():
            console.print(f"  {name}: other in {count:,}")
        if found.example:
            console.print(f"  the first that changed: {found.example}", soft_wrap=True)
        _pairs("figures", found.figures, console)
    if not found.none:
        raise typer.Exit(1)


def _pairs(title: str, pairs: dict[str, tuple[Any, Any]], console: Console) -> None:
    if pairs:
        console.print(title, style="bold")
    for name, (one, two) in list(pairs.items())[:MOST_FIGURES]:
        console.print(f"  {name}: {one} → {two}", soft_wrap=True)
    if len(pairs) > MOST_FIGURES:
        console.print(f"  … and {len(pairs) - MOST_FIGURES:,} more (--json shows all)")


def baselines(
    path: Annotated[Path, typer.Argument(metavar="PATH", help="A data file, or a folder.")],
    sample: Annotated[
        int, typer.Option(metavar="N", min=1, help="Only the first N of each file.")
    ] = 10_000,
    kinds: Annotated[
        bool, typer.Option("--kinds", help="For each kind of question as well.")
    ] = False,
    json: Json = False,
) -> None:
    """Measure trivial baselines: majority, last mention, question only …

    A model has learned something only as far as it beats these. Kinship stories also get, for each
    length of the chain, look-ups on the first and last relation and on all relations in any order,
    learned from nine tenths of the questions.

    Example: [bold]fabula baselines data/qa2[/bold]
    """
    from fabula.analysis.baselines import scores, scores_by_kind
    from fabula.analysis.verify import records
    from fabula.datasets.lookups import lookups

    with meter(f"reading {path}", None) as tick:
        instances = []
        for record in records(path, sample):
            instances.append(record)
            tick(1)
    if not instances:
        raise FabulaError(f"{path}: no question is in this data set.")
    found = scores(instances)
    by_kind = scores_by_kind(instances) if kinds else {}
    chains = lookups(instances)
    if json:
        told: dict[str, Any] = {"instances": len(instances), "baselines": _rows(found)}
        if kinds:
            told["kinds"] = {kind: _rows(rows) for kind, rows in by_kind.items()}
        if chains:
            told["chains"] = [
                {"split": split, "hops": hops, "instances": rows[0].total, **_rows(rows)}
                for split, hops, rows in chains
            ]
        print_json(told)
        return
    console = terminal()
    show_baselines(found, console)
    for kind, rows in by_kind.items():
        console.print()
        console.print(kind, style="bold")
        show_baselines(rows, console)
    for split, hops, rows in chains:
        console.print()
        console.print(f"{split}, chains of {hops}: look-ups", style="bold")
        show_baselines(rows, console)


def _rows(found: list[Score]) -> dict[str, float]:
    return {score.name: round(score.accuracy, 4) for score in found}


def show_baselines(found: list[Score], console: Console) -> None:
    """Print what each baseline gets right, with bars."""
    from fabula.analysis.charts import bar_of

    plain = "utf" not in (console.encoding or "").lower()
    width = max(len(score.name) for score in found)
    for score in found:
        bar = bar_of(score.accuracy, 24, plain)
        console.print(
            f"  {score.name:{width}}  {score.right:>7,} of {score.total:,}  "
            f"{score.accuracy:6.1%}  {bar}"
        )
