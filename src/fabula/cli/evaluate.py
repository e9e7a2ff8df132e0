"""The commands that evaluate models: eval, report, concurrence."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fabula.cli.common import Json, Seed, Settings, changes_of, print_json, terminal
from fabula.errors import FabulaError

if TYPE_CHECKING:
    from fabula.evaluate.model import Model


def eval_(
    model: Annotated[
        str,
        typer.Argument(
            metavar="MODEL",
            help="The folder of a run of `fabula train`; hf:PATH_OR_NAME for a Hugging Face model "
            "(hf:FOLDER?gguf=FILE for GGUF); or PROVIDER/MODEL as Inspect AI names it.",
        ),
    ],
    data: Annotated[
        str, typer.Argument(metavar="DATA", help="A recipe, or generated data (JSONL).")
    ],
    out: Annotated[Path, typer.Option(metavar="RUN", help="Folder of the run; resumes if there.")],
    split: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="The split to ask.", show_default="test, or the last"),
    ] = None,
    size: Annotated[int | None, typer.Option(metavar="N", min=1, help="Questions to ask.")] = None,
    seed: Seed = None,
    shots: Annotated[
        int, typer.Option(metavar="K", min=0, help="Worked examples, from the training split.")
    ] = 0,
    style: Annotated[str, typer.Option(metavar="NAME", help="direct, or reason first.")] = "direct",
    form: Annotated[
        str, typer.Option(metavar="NAME", help="Form of the answer: word, sentence, letter, json.")
    ] = "word",
    tokens: Annotated[int, typer.Option(metavar="N", min=1, help="Most tokens of a reply.")] = 256,
    concurrency: Annotated[
        int, typer.Option(metavar="N", min=1, help="Questions on their way at a time.")
    ] = 8,
    budget: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="Stop after so many tokens in all.")
    ] = None,
    cache: Annotated[
        bool, typer.Option("--cache", help="Take replies from Inspect AI's cache where it can.")
    ] = False,
    likelihood: Annotated[
        bool,
        typer.Option(
            "--likelihood", help="hf: take the likeliest choice instead of what is written."
        ),
    ] = False,
    device: Annotated[str, typer.Option(metavar="DEVICE", help="cpu, cuda, mps …")] = "cpu",
    train: Annotated[
        str | None,
        typer.Option(
            metavar="DATA",
            help="What it was trained on, for the report to tell seen from unseen.",
            show_default="known for trained models",
        ),
    ] = None,
    track: Annotated[
        str | None, typer.Option(metavar="PROJECT", help="Also log the figures to trackio.")
    ] = None,
    settings: Settings = None,
    json: Json = False,
) -> None:
    """Ask a model every question of a benchmark; replies are scored and written as they come.

    Stopped at any time, the same command goes on: nothing is asked twice.

    Example: [bold]fabula eval runs/memn2n babi/qa2 --out runs/memn2n-qa2 --size 500[/bold]
    """
    from fabula.evaluate.model import Ask
    from fabula.evaluate.models import model_named
    from fabula.evaluate.run import evaluate
    from fabula.harness import evaluation_split, instances
    from fabula.prompt import forms, styles

    for option, value, known in (("style", style, styles()), ("form", form, forms())):
        if value not in known:
            raise FabulaError(f"--{option} {value}: known are {', '.join(known)}.")
    changes = changes_of(settings)
    chosen = split or evaluation_split(data, changes)
    ask = Ask(style, shots, tokens, form, concurrency, budget, cache)
    asked = list(instances(data, chosen, seed, size, changes))
    examples = list(instances(data, "train", seed, shots, changes)) if shots else []
    if len(examples) < shots:
        raise FabulaError(f"--shots {shots}: {data} has {len(examples)} training examples.")
    named = model_named(model, ask, likelihood, device)
    said = " ".join([data, chosen, *(settings or ()), *([] if seed is None else [f"seed={seed}"])])
    _learned(named, train, out)
    try:
        with _watch(model, len(asked)) as count:
            found = evaluate(named, asked, out, ask, examples, said, count)
    except KeyboardInterrupt:
        terminal(stderr=True).print(
            f"Replies so far are in {out}; the same command goes on from there.", soft_wrap=True
        )
        raise
    if track:
        from fabula.evaluate.tracking import log_run

        log_run(track, out, found)
    if json:
        print_json(found)
        return
    _tell(found, out)


def _learned(model: Model, train: str | None, out: Path) -> None:
    """Keep what the model has seen in training, if that is known, beside its replies."""
    from fabula.evaluate.training import FILE, keep_seen, seen_in
    from fabula.harness import instances

    lessons = getattr(model, "lessons", None)
    known = ", ".join(model.about().get("trained_on", ()))
    if (out / FILE).is_file():
        return
    if train is not None:
        source, examples = train, instances(train, "train")
    elif known and lessons is not None:
        source, examples = known, lessons()
    else:
        return
    out.mkdir(parents=True, exist_ok=True)
    keep_seen(out, seen_in(examples, source))


def _tell(found: dict[str, Any], out: Path) -> None:
    from fabula.evaluate.statistics import wilson

    right, count = found["outcomes"].get("correct", 0), found["asked"]
    value, low, high = wilson(right, count)
    console = terminal()
    console.print(
        f"{found['model']} on {found['data']}: {value:.1%} of {count:,} right "
        f"({low:.1%} to {high:.1%})",
        style="bold",
        soft_wrap=True,
    )
    others = [f"{name} {n:,}" for name, n in found["outcomes"].items() if name != "correct"]
    if others:
        console.print(f"  {', '.join(others)}")
    best = _best_baseline(found)
    if best:
        console.print(f"  without understanding: {best[1] / found['instances']:.1%} ({best[0]})")
    if found["failed"]:
        console.print(
            f"  {found['failed']:,} got no reply; the same command asks them again: "
            f"{next(iter(found['failures']))}",
            soft_wrap=True,
        )
    console.print(f"Run in {out}; look at it: fabula report {out} --out report.html", style="dim",
                  soft_wrap=True)  # fmt: skip


def _best_baseline(found: dict[str, Any]) -> tuple[str, int] | None:
    from collections import Counter

    total: Counter[str] = Counter()
    for scored in found["baselines"].values():
        total.update(scored)
    return total.most_common(1)[0] if total else None


@contextmanager
def _watch(what: str, total: int) -> Iterator[Callable[[int, int], None]]:
    """Progress with the accuracy so far, on a terminal."""
    if not sys.stderr.isatty():
        yield lambda asked, right: None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    counted = [0, 0]
    with Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=None),
        MofNCompleteColumn(),
        TextColumn("{task.fields[right]}", markup=False),
        TimeRemainingColumn(),
        console=Console(stderr=True, emoji=False),
        transient=True,
    ) as progress:
        task = progress.add_task(what, total=total, right="")

        def count(asked: int, right: int) -> None:
            counted[0] += asked
            counted[1] += right
            share = f"{counted[1] / counted[0]:.1%} right" if counted[0] else ""
            progress.update(task, completed=counted[0], right=share)

        yield count


def report(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN…", help="Folders of `fabula eval`.")],
    out: Annotated[
        Path, typer.Option(metavar="FILE", help="The page; numbers and pictures stand beside it.")
    ] = Path("report.html"),
    title: Annotated[str | None, typer.Option(metavar="TEXT", help="Title of the page.")] = None,
    pictures: Annotated[bool, typer.Option(help="Also write each figure as PNG and SVG.")] = True,
    json: Json = False,
) -> None:
    """Show where and why models fail, and which differences can be believed, on one page.

    Example: [bold]fabula report runs/memn2n-qa2 runs/lstm-qa2 --out report.html[/bold]
    """
    from fabula.report import build

    written = build(runs, out, title, pictures)
    if json:
        print_json([str(path) for path in written])
        return
    console = terminal()
    console.print(f"Wrote {written[0]}", soft_wrap=True)
    if len(written) > 1:
        console.print(f"  numbers and pictures: {written[-1].parent}", soft_wrap=True)


def concurrence(
    table: Annotated[
        Path | None,
        typer.Argument(
            metavar="TABLE.csv",
            help="A row for each model: its name, then a score on each benchmark.",
            show_default="the models of the Dyna-bAbI paper",
        ),
    ] = None,
    against: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="Benchmark the others are compared with.",
            show_default="the first",
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Tell whether benchmarks rank models alike: Pearson and Kendall, with 95 % intervals.

    Example: [bold]fabula concurrence scores.csv --against squad[/bold]
    """
    from fabula.evaluate.concurrence import concurrence as compare
    from fabula.evaluate.concurrence import published

    found = compare(table or published(), against)
    if json:
        print_json([{**each._asdict(), "pearson": each.pearson._asdict(),
                     "kendall": each.kendall._asdict()} for each in found])  # fmt: skip
        return
    from rich.table import Table

    shown = Table("benchmarks", "models", "Pearson r", "Kendall τ", box=None, pad_edge=False)
    for each in found:
        shown.add_row(
            f"{each.first}, {each.second}",
            str(each.models),
            _interval(each.pearson),
            _interval(each.kendall),
        )
    terminal().print(shown)


def _interval(found: Sequence[float]) -> str:
    value, low, high = found
    if value != value:
        return "–"
    return f"{value:.2f}" + (f"  ({low:.2f} to {high:.2f})" if low == low else "")
