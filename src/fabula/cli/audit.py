"""`fabula audit`: are the labels of published data right?"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fabula.cli.common import (
    OUTPUT,
    Command,
    Group,
    Json,
    changes_of,
    meter,
    print_json,
    show_story,
    terminal,
)

if TYPE_CHECKING:
    from fabula.analysis.audits.babi import Audit
    from fabula.analysis.audits.findings import Result
    from fabula.analysis.audits.stepgame import StepGameAudit

app = typer.Typer(cls=Group, no_args_is_help=True, rich_markup_mode="rich")

Limit = Annotated[
    int,
    typer.Option(
        metavar="N", min=0, help="Remarks to show for each kind and file.", rich_help_panel=OUTPUT
    ),
]


Fix = Annotated[
    Path | None,
    typer.Option(
        metavar="DIR",
        help="Write the corrected edition and the list of changes into a new folder.",
        rich_help_panel=OUTPUT,
    ),
]


Page = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE", help="Write a page for browsing the defects.", rich_help_panel=OUTPUT
    ),
]


@app.callback()
def _audit() -> None:
    """Audit published data: are its labels right, and do its supports prove them?

    Exit code 0: no label is wrong or unproven; 1: some are; 2: the data cannot be read.

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
    fix: Fix = None,
    page: Page = None,
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
    if fix or page:
        _written("babi", paths, fix, page)
    if any(result.defects for result in found):
        raise typer.Exit(1)


@app.command("stepgame", cls=Command)
def audit_stepgame(
    paths: Annotated[
        list[Path], typer.Argument(metavar="PATH…", help="StepGame files, or folders of them.")
    ],
    limit: Limit = 1,
    fix: Fix = None,
    page: Page = None,
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
    if fix or page:
        _written("stepgame", paths, fix, page)
    if json:
        print_json([result.to_dict() for result in found])
    else:
        _show_stepgame(found, limit)
    if any(result.disagree or result.underived for result in found):
        raise typer.Exit(1)


def _show_stepgame(found: Sequence[StepGameAudit], limit: int) -> None:
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


@app.command("clutrr", cls=Command)
def audit_clutrr(
    paths: Annotated[
        list[Path], typer.Argument(metavar="PATH…", help="CLUTRR tables, or folders of them.")
    ],
    limit: Limit = 1,
    fix: Fix = None,
    page: Page = None,
    json: Json = False,
) -> None:
    """Audit CLUTRR's tables: does each label hold in every family that fits the facts?

    Examples:
      [bold]fabula audit clutrr data_089907f8[/bold]
      [bold]fabula audit clutrr 1.2,1.3_train.csv --fix corrected[/bold]
    """
    _present(_written("clutrr", paths, fix, page, limit), limit, json)


@app.command("babilong", cls=Command)
def audit_babilong(
    paths: Annotated[
        list[Path], typer.Argument(metavar="PATH…", help="BABILong files, or folders of them.")
    ],
    limit: Limit = 1,
    fix: Fix = None,
    page: Page = None,
    json: Json = False,
) -> None:
    """Audit BABILong's files: is the evidence in the prose, and does the label follow from it?

    Examples:
      [bold]fabula audit babilong babilong/8k[/bold]
      [bold]fabula audit babilong qa2.jsonl --page defects.html[/bold]
    """
    _present(_written("babilong", paths, fix, page, limit), limit, json)


@app.command("reasoning-gym", cls=Command)
def audit_reasoning_gym(
    task: Annotated[
        str,
        typer.Argument(metavar="TASK", help="family_relationships, syllogism or knights_knaves."),
    ],
    size: Annotated[int, typer.Option(metavar="N", min=1, help="Items to audit.")] = 5000,
    seed: Annotated[int, typer.Option(metavar="N", help="Seed of the package's generator.")] = 42,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="A key of the task's configuration."),
    ] = None,
    limit: Limit = 1,
    page: Page = None,
    json: Json = False,
) -> None:
    """Audit a task of the installed reasoning-gym package: its answers and its scorer.

    Examples:
      [bold]fabula audit reasoning-gym family_relationships[/bold]
      [bold]fabula audit reasoning-gym syllogism --size 1000 --seed 7[/bold]
    """
    from fabula.analysis.audits import reasoning_gym

    changes = changes_of(settings)
    with meter("auditing", size) as tick:
        found = reasoning_gym.audit(task, size, seed, max(limit, KEPT), tick, **changes)
    _write_page(page, found, f"reasoning-gym {task}")
    _present(found, limit, json)


@app.command("scorer", cls=Command)
def audit_scorer(
    scorer: Annotated[
        str,
        typer.Argument(
            metavar="py:FILE:FUNCTION", help="A function of reply and answer, or instance."
        ),
    ],
    recipe: Annotated[
        str, typer.Option(metavar="NAME", help="Questions to reply to.")
    ] = "babi/qa2",
    size: Annotated[int, typer.Option(metavar="N", min=1, help="How many of them.")] = 20,
    limit: Limit = 10,
    page: Page = None,
    json: Json = False,
) -> None:
    """Audit a scoring function: which wrong replies does it accept, which right ones reject?

    Examples:
      [bold]fabula audit scorer py:score.py:score[/bold]
      [bold]fabula audit scorer py:score.py:score --recipe clutrr/gen-23[/bold]
    """
    import fabula
    from fabula.analysis.audits.scorer import audit_scorer as fuzz
    from fabula.evaluation.function import object_at

    score = object_at(scorer.removeprefix("py:"))
    found = [fuzz(score, fabula.generate(recipe, "test", size=size), scorer, max(limit, KEPT))]
    _write_page(page, found, scorer)
    _present(found, limit, json)


KEPT = 100
"""Examples of each defect that a page shows."""


def _written(
    kind: str, paths: Sequence[Path], fix: Path | None, page: Path | None, limit: int = 0
) -> list[Result]:
    """Audit files, and write the corrected edition and the page that are asked for."""
    from fabula.analysis.audits.results import audit_files

    with meter("auditing", None) as tick:
        found = audit_files(kind, paths, max(limit, KEPT if page else 0), fix, tick)
    _write_page(page, found, f"{kind}: {', '.join(map(str, paths))}")
    return found


def _write_page(page: Path | None, found: Sequence[Result], title: str) -> None:
    if page is not None:
        from fabula.core.files import write_whole
        from fabula.evaluation.report.audits import audit_page

        write_whole(page, audit_page(found, f"Audit of {title}"))


def _present(found: Sequence[Result], limit: int, json: bool) -> None:
    """Print the results of an audit, and exit with a code that says how bad they are."""
    from fabula.analysis.audits.findings import exit_code

    if json:
        print_json([result.to_dict(limit) for result in found])
    else:
        _show_results(found, limit)
    if exit_code(list(found)):
        raise typer.Exit(1)


def _show_results(found: Sequence[Result], limit: int) -> None:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    console = terminal()
    for result in found:
        for finding in result.examples(limit):
            head = f"{Path(result.file).name}, {finding.place}: {finding.kind.name}"
            console.print(head, style="bold", soft_wrap=True)
            show_story(finding.story, (), console)
            label = f"  {finding.label}" if finding.label else ""
            console.print(f"    {finding.question}{label}", soft_wrap=True)
            console.print(f"    {finding.reason}", soft_wrap=True)
            for line in finding.drawing.splitlines():
                console.print(f"      {line}", soft_wrap=True)
            console.print()
    for result in found:
        table = Table(
            "defect", "severity", box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False,
            padding=(0, 1),
        )  # fmt: skip
        head = f"{result.file}: {result.items:,} items, {result.sound:,} sound"
        console.print(head, style="bold", soft_wrap=True)
        table.add_column("count", justify="right")
        table.add_column("share", justify="right")
        for name, count in result.counts.most_common():
            severity = result.kinds[name].severity.name.lower()
            share = f"{100 * count / result.items:.1f}%"
            table.add_row(Text(name), severity, f"{count:,}", share)
        console.print(table)
        for note in result.notes:
            console.print(note, soft_wrap=True)
        figures = ", ".join(f"{name} {count:,}" for name, count in result.figures.items())
        console.print(f"{figures}\n", style="dim", soft_wrap=True)


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
