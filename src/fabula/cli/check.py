"""The commands that look at data: verify, audit, leak, stats."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fabula.cli.common import Json, Workers, cores, meter, print_json, terminal
from fabula.core.files import write_whole
from fabula.errors import FabulaError, ParseError

if TYPE_CHECKING:
    from rich.console import Console

    from fabula.analysis.audits.babi import Audit
    from fabula.analysis.verify import Verdict
    from fabula.generation.shortcuts import Score

SAMPLE = 2_000  # questions of a file that trivial baselines are tried on beside its figures

audit_app = typer.Typer(no_args_is_help=True, rich_markup_mode="rich")


def verify(
    path: Annotated[Path, typer.Argument(metavar="PATH", help="A data file, or a folder of them.")],
    limit: Annotated[int, typer.Option(metavar="N", min=0, help="Failures to show in full.")] = 5,
    workers: Workers = None,
    sample: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, help="Only the first N of each file.", show_default="all"),
    ] = None,
    logic: Annotated[
        bool, typer.Option("--logic", help="Prove it with the logic programs too (much slower).")
    ] = False,
    json: Json = False,
) -> None:
    """Prove a data set: every answer and every support, by the reader and by a second route.

    The second route matches the sentences with patterns of its own and decides by rules of its own
    what follows. --logic adds the logic programs, which clingo runs.

    Ends with exit code 1 if anything is not proven, or if files are not as the manifest says.

    Example: [bold]fabula verify data/qa2[/bold]
    """
    from fabula.analysis.verify import count
    from fabula.analysis.verify import verify as prove

    if not path.exists():
        raise FabulaError(f"{path}: there is no such file or folder.")
    with meter(f"proving {path}", count(path, sample)) as tick:
        verdict = prove(
            path,
            limit=limit,
            workers=workers or cores(),
            sample=sample,
            progress=tick,
            logic=logic,
        )
    if json:
        failures = [failure._asdict() for failure in verdict.failures]
        print_json({**verdict._asdict(), "failures": failures, "failed": verdict.failed})
    else:
        _show_verdict(verdict, path)
    if verdict.failed or verdict.altered:
        raise typer.Exit(1)


def _show_verdict(verdict: Verdict, path: Path) -> None:
    console = terminal()
    for failure in verdict.failures:
        console.print(f"not proven: {failure.id}", style="bold red")
        _show_story(failure.story, failure.support, console)
        label = f"{failure.question}  {', '.join(failure.answer)}"
        console.print(f"  {label}")
        for reason in failure.reasons:
            console.print(f"  - {reason}")
        console.print()
    if verdict.failed > len(verdict.failures):
        rest = verdict.failed - len(verdict.failures)
        console.print(f"… and {rest:,} more (--limit shows more of them)")
    defects = f", {verdict.defects:,} declared defects" if verdict.defects else ""
    failed = f", {verdict.failed:,} NOT PROVEN" if verdict.failed else ""
    console.print(
        f"{path}: {verdict.proven:,} of {verdict.instances:,} proven{defects}{failed}",
        style="bold red" if verdict.failed else "bold green",
        soft_wrap=True,
    )
    for told in verdict.altered:
        console.print(f"{told}, by the manifest", style="bold red", soft_wrap=True)


def _show_story(story: Sequence[str], support: Sequence[int], console: Console) -> None:
    width = len(str(len(story)))
    for number, sentence in enumerate(story, 1):
        mark = "*" if number in support else " "
        console.print(f"  {mark} {number:{width}} {sentence}")


@audit_app.callback()
def _audit() -> None:
    """Audit published data: are its labels right, and are they proofs?

    Example: [bold]fabula audit babi tasks_1-20_v1-2/en[/bold]
    """


@audit_app.command("babi")
def audit_babi(
    paths: Annotated[
        list[Path], typer.Argument(metavar="PATH…", help="bAbI text files, or folders of them.")
    ],
    limit: Annotated[
        int, typer.Option(metavar="N", min=0, help="Remarks to show of each kind and file.")
    ] = 1,
    json: Json = False,
) -> None:
    """Audit bAbI text: does each answer follow, and does the cited support prove it?

    Example: [bold]fabula audit babi tasks_1-20_v1-2/en --limit 2[/bold]
    """
    from fabula.analysis.audits.babi import audit

    found = []
    with meter("auditing", None) as tick:
        for result in audit(paths):
            found.append(result)
            tick(result.questions)
    if json:
        print_json([_audit_row(result, limit) for result in found])
    else:
        _show_audits(found, limit)


_REMARKS = {
    "defects": "the answer does not follow",
    "odd_supports": "the support is not what the release's own convention cites",
    "unproven": "the support does not prove the answer",
}


def _audit_row(result: Audit, limit: int) -> dict[str, Any]:
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


def _show_audits(found: Sequence[Audit], limit: int) -> None:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    console = terminal()
    for result in found:
        for kind, what in _REMARKS.items():
            for remark in getattr(result, kind, [])[:limit]:
                place = f"{remark.file}, line {remark.line}: {what}"
                console.print(place, style="bold")
                _show_story(remark.story, (), console)
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


@audit_app.command("stepgame")
def audit_stepgame(
    paths: Annotated[
        list[Path], typer.Argument(metavar="PATH…", help="StepGame files, or folders of them.")
    ],
    limit: Annotated[
        int, typer.Option(metavar="N", min=0, help="Remarks to show of each kind and file.")
    ] = 1,
    json: Json = False,
) -> None:
    """Audit StepGame's data: does each label follow from what the sentences mean?

    Example: [bold]fabula audit stepgame StepGame/Dataset --limit 2[/bold]
    """
    from fabula.analysis.audits.stepgame import audit

    found = []
    with meter("auditing", None) as tick:
        for result in audit(paths, keep=limit):
            found.append(result)
            tick(result.stories)
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


def leak_between(
    train: Annotated[Path, typer.Argument(metavar="TRAIN", help="Training file or folder.")],
    test: Annotated[Path, typer.Argument(metavar="TEST", help="Test file or folder.")],
    json: Json = False,
) -> None:
    """Tell how much of a test set is already in a training set.

    Example: [bold]fabula leak data/qa2/train.txt data/qa2/test.txt[/bold]
    """
    from rich.table import Table

    from fabula.analysis.leak import leak

    found = leak(train, test)
    if json:
        print_json(found.to_dict())
        return
    table = Table("the same", "test items", "in training", "share", "example", box=None)
    for name, overlap in found.measures.items():
        table.add_row(
            name,
            f"{overlap.test:,}",
            f"{overlap.seen:,}",
            f"{overlap.share:.2%}",
            str(overlap.example),
        )
    terminal().print(table)


def stats(
    paths: Annotated[
        list[Path] | None, typer.Argument(metavar="PATH…", help="Data files, or folders of them.")
    ] = None,
    paraphrases: Annotated[
        bool, typer.Option("--paraphrases", help="Measure the phrase bank of the kinship world.")
    ] = False,
    json: Json = False,
    svg: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write a picture with bar charts.")
    ] = None,
) -> None:
    """Count what is in a data set: answers, kinds of question, lengths, supports, compositions.

    Example: [bold]fabula stats data/qa2 --svg qa2.svg[/bold]
    """
    from fabula.analysis import charts
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
        raise FabulaError("stats: name a data file or folder, or add --paraphrases.")
    summary = summarise(paths)
    trivial = _trivial(paths)
    if svg is not None:
        write_whole(svg, charts.svg(summary))
    if json:
        rates = {score.name: round(score.accuracy, 4) for score in trivial}
        print_json({**summary.to_dict(), "baselines": rates})
    else:
        console = terminal()
        charts.show(summary, console)
        if trivial:
            from fabula.cli.data import show_baselines

            console.print("\nWithout understanding", style="bold")
            show_baselines(trivial, console)
        if svg is not None:
            console.print(f"\nWrote {svg}", soft_wrap=True)


def _trivial(paths: Sequence[Path]) -> list[Score]:
    """What trivial baselines get of the first questions, if these can be read as records."""
    from itertools import chain

    from fabula.analysis.baselines import scores
    from fabula.analysis.verify import records

    try:
        return scores(list(chain.from_iterable(records(path, SAMPLE) for path in paths)))
    except ParseError:  # text of a world that is not known can be counted, but not answered
        return []
