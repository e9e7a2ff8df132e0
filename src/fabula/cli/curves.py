"""`fabula curves`: how accuracy grows with training examples."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fabula.cli.common import Json, print_json, terminal

if TYPE_CHECKING:
    from fabula.evaluation.report.curves import Curve


def curves(
    runs: Annotated[
        list[Path],
        typer.Argument(metavar="RUN…", help="Run folders of `fabula eval`, of one kind of model."),
    ],
    goal: Annotated[
        float, typer.Option(metavar="SHARE", min=0, max=1, help="Accuracy that counts as solved.")
    ] = 0.95,
    json: Json = False,
) -> None:
    """Show how many training examples a model needs, and whether a few of a new kind fix a failure.

    The training data are known for models of `fabula train`; for others, name them with `fabula
    eval --train`.

    Examples:
      [bold]fabula curves runs/size-*[/bold]
      [bold]fabula curves runs/dose-* --goal 0.9[/bold]
    """
    from fabula.evaluation.report.curves import curves as compare

    learned, dosed, cures = compare(runs)
    if json:
        print_json(
            {
                "learning": [{**c.to_dict(), "needed": c.needed(goal)} for c in learned],
                "doses": [c.to_dict() for c in dosed],
                "inoculations": [
                    {"old": c.old.test, "new": c.new.test, **c.cure._asdict()} for c in cures
                ],
            }
        )
        return
    for curve in learned:
        needed = curve.needed(goal)
        said = "is not reached" if needed is None else f"takes about {needed:,.0f} examples"
        _show_curve(curve, "examples", f"{goal:.0%} {said}")
    for curve in dosed:
        _show_curve(curve, "examples added", f"doses beside {curve.trained}")
    for each in cures:
        terminal().print(
            f"{each.old.model}: {each.cure.outcome}. Between {each.old.test} and {each.new.test} "
            f"the gap was {each.cure.gap_before:+.1%} and is {each.cure.gap_after:+.1%}; the old "
            f"test changed by {-each.cure.loss:+.1%}.",
            soft_wrap=True,
        )


def _show_curve(curve: Curve, axis: str, note: str) -> None:
    from rich.table import Table

    console = terminal()
    console.print(f"{curve.model} on {curve.test}: {note}", style="bold", soft_wrap=True)
    shown = Table(axis, "accuracy", "95%", "questions", box=None, pad_edge=False)
    for column in shown.columns:
        column.justify = "right"
    for point in curve.points:
        value, low, high = point.accuracy
        shown.add_row(
            f"{point.examples:,}", f"{value:.1%}", f"{low:.1%} to {high:.1%}", f"{point.asked:,}"
        )
    console.print(shown)
