"""`fabula stats`: the contents of a data set in numbers."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fabula.cli.common import OUTPUT, Json, print_json, show_scores, terminal
from fabula.core.files import write_whole
from fabula.errors import UsageError


def stats(
    paths: Annotated[
        list[Path] | None, typer.Argument(metavar="PATH…", help="Data files, or folders of them.")
    ] = None,
    paraphrases: Annotated[
        bool, typer.Option("--paraphrases", help="Measure the phrase bank of the kinship world.")
    ] = False,
    svg: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write bar charts as SVG.", rich_help_panel=OUTPUT),
    ] = None,
    json: Json = False,
) -> None:
    """Count what is in a data set: answers, question kinds, lengths, supports, compositions.

    Examples:
      [bold]fabula stats data/qa2[/bold]
      [bold]fabula stats data/qa2 --svg qa2.svg[/bold]
    """
    from fabula.analysis import charts
    from fabula.analysis.baselines import sampled_scores
    from fabula.analysis.stats import summarise

    if paraphrases:
        from fabula.world.kinship.statistics import statistics

        figures = statistics()._asdict()
        if json:
            print_json(figures)
        else:
            for name, value in figures.items():
                terminal().print(f"{name.replace('_', ' '):28} {value}", soft_wrap=True)
        return
    if not paths:
        raise UsageError("stats: give a data file or folder, or add --paraphrases.")
    summary = summarise(paths)
    trivial = sampled_scores(paths)
    if svg is not None:
        write_whole(svg, charts.svg(summary))
    if json:
        rates = {score.name: round(score.accuracy, 4) for score in trivial}
        print_json({**summary.to_dict(), "baselines": rates})
        return
    console = terminal()
    charts.show(summary, console)
    if trivial:
        console.print("\nTrivial baselines", style="bold")
        show_scores(trivial, console)
    if svg is not None:
        console.print(f"\nWrote {svg}", soft_wrap=True)
