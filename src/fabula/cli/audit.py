"""`fabula audit`: are the labels of published data right?"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fabula.cli.common import OUTPUT, Command, Json, meter, print_json, show_story, terminal

if TYPE_CHECKING:
    from fabula.analysis.audits.babi import Audit

app = typer.Typer(no_args_is_help=True, rich_markup_mode="rich")

Limit = Annotated[
    int,
    typer.Option(
        metavar="N", min=0, help="Remarks to show of each kind and file.", rich_help_panel=OUTPUT
    ),
]


@app.callback()
def _audit() -> None:
    """Audit published data: are its labels right, and are they proofs?

    Examples:
      [bold]fabula audit babi tasks_1-20_v1-2/en[/bold]
      [bold]fabula audit stepgame StepGame/Dataset[/bold]
    """


@app.command("babi", cls=Command)
def audit_babi(
    paths: Annotated[
        list[Path], typer.Argument(metavar="PATH…", help="bAbI text files, or folders of them.")
    ],
    limit: Limit = 1,
    json: Json = False,
) -> None:
    """Audit bAbI text: does each answer follow, and does the cited support prove it?

    Examples:
      [bold]fabula audit babi tasks_1-20_v1-2/en[/bold]
      [bold]fabula audit babi qa3_train.txt --limit 5[/bold]
    """
    import fabula

    with meter("auditing", None) as tick:
        found = fabula.audit(paths, "babi", tick)
    if json:
        print_json([_row(result, limit) for result in found])
    else:
        _show(found, limit)


@app.command("stepgame", cls=Command)
def audit_stepgame(
    paths: Annotated[
        list[Path], typer.Argument(metavar="PATH…", help="StepGame files, or folders of them.")
    ],
    limit: Limit = 1,
    json: Json = False,
) -> None:
    """Audit StepGame's data: does each label follow from what the sentences mean?

    Examples:
      [bold]fabula audit stepgame StepGame/Dataset[/bold]
      [bold]fabula audit stepgame StepGame/Dataset --limit 2[/bold]
    """
    import fabula

    with meter("auditing", None) as tick:
        found = fabula.audit(paths, "stepgame", tick, limit)
    if json:
        print_json([result.to_dict() for result in found])
        return
    console = terminal()
    for result in found:
        for remark in (*result.contradictions, *result.refuted, *result.unknown):
            console.print(f"{remark.place}: {remark.reason}", soft_wrap=True)
        for form, trial in list(result.suspects.items())[:limit]:
            console.print(f"suspect: {form}  wrong {trial.wrong} of {trial.tried}", soft_wrap=True)
        for form, count in result.unparsed.most_common(limit):
            reason = result.reasons[form]
            console.print(f"not understood, {count:,}×: {form}  ({reason})", soft_wrap=True)
        named = any(k is not None for k in result.hops)
        depth = f"{result.deep:,} need k steps" if named else "k is not given"
        console.print(
            f"{result.file}: {result.stories:,} stories, {result.parsed:,} of "
            f"{result.sentences:,} sentences understood, {result.contradictory:,} "
            f"contradictory; labels: {result.agree:,} follow, {result.disagree:,} refuted, "
            f"{result.underived:,} not derived; {depth}",
            soft_wrap=True,
        )


_REMARKS = {
    "defects": "the answer does not follow",
    "odd_supports": "the support is not what the release's own convention cites",
    "unproven": "the support does not prove the answer",
}


def _row(result: Audit, limit: int) -> dict[str, Any]:
    from dataclasses import fields

    row: dict[str, Any] = {}
    for field in fields(result):
        value = getattr(result, field.name)
        if isinstance(value, list):
            row[field.name] = {
                "count": len(value), "shown": [remark._asdict() for remark in value[:limit]]
            }  # fmt: skip
        else:
            row[field.name] = value
    return row


def _show(found: Sequence[Audit], limit: int) -> None:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    console = terminal()
    for result in found:
        for kind, what in _REMARKS.items():
            for remark in getattr(result, kind, [])[:limit]:
                place = f"{remark.file}, line {remark.line}: {what}"
                console.print(place, style="bold")
                show_story(remark.story, (), console)
                asked = f"    {remark.question}  {remark.label}"
                console.print(asked)
                console.print(f"    {remark.reason}\n")
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, padding=(0, 1))
    table.add_column("file", overflow="ellipsis", no_wrap=True)
    for name in ("asked", "right", "cited", "proves", "minimal"):
        table.add_column(name, justify="right")
    for result in found:
        counts = (result.questions, result.answers, result.supports, result.proofs, result.minimal)
        table.add_row(Text(result.file), *(f"{count:,}" for count in counts))
    if len(found) > 1:
        totals = [
            sum(getattr(result, name) for result in found)
            for name in ("questions", "answers", "supports", "proofs", "minimal")
        ]
        table.add_section()
        table.add_row("all", *(f"{count:,}" for count in totals), style="bold")
    console.print(table)
    legend = (
        "\nright: the answer follows from the text. cited: the support is what the release's "
        "convention cites. proves: the answer follows from the support alone. minimal: and no "
        "sentence of it can be dropped."
    )
    console.print(legend, style="dim")
    changed = [result.file for result in found if not result.identical]
    if changed:
        text = f"Not the same bytes when written again: {', '.join(changed)}"
        console.print(text)
