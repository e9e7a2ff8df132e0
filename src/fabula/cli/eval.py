"""`fabula eval`: ask a model every question of a benchmark."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fabula.cli.common import (
    DATA,
    EXECUTION,
    OUTPUT,
    PROMPT,
    AnswerForm,
    Concurrency,
    Device,
    InstructionLanguage,
    Json,
    MaxTokens,
    Seed,
    Settings,
    changes_of,
    print_json,
    terminal,
)
from fabula.cli.stages import stages
from fabula.errors import UsageError

if TYPE_CHECKING:
    from rich.console import Console

    from fabula.evaluation.evaluate import Evaluation

LIMITS, ADAPTIVE = "Limits of API models", "Adaptive"


def eval_(
    model: Annotated[
        str,
        typer.Argument(
            metavar="MODEL",
            help="A run folder of `fabula train`; hf:PATH_OR_NAME for a Hugging Face model "
            "(hf:FOLDER?gguf=FILE for GGUF); py:FILE.py:FUNCTION for a Python function from "
            "prompts to replies; or PROVIDER/MODEL as Inspect AI names it.",
        ),
    ],
    data: Annotated[str, typer.Argument(metavar="DATA", help="A recipe, or a generated data set.")],
    out: Annotated[
        Path,
        typer.Option(
            metavar="RUN", help="Folder of the run; resumed if it exists.", rich_help_panel=OUTPUT
        ),
    ],
    split: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="The split to ask.",
            show_default="test, or the last",
            rich_help_panel=DATA,
        ),
    ] = None,
    size: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, help="Questions to ask.", rich_help_panel=DATA),
    ] = None,
    seed: Seed = None,
    settings: Settings = None,
    train: Annotated[
        str | None,
        typer.Option(
            metavar="DATA",
            help="The training data of the model, so that the report can tell seen from unseen.",
            show_default="known for trained models",
            rich_help_panel=DATA,
        ),
    ] = None,
    shots: Annotated[
        int,
        typer.Option(
            metavar="K",
            min=0,
            max=100,
            help="Few-shot examples, from the training split.",
            rich_help_panel=PROMPT,
        ),
    ] = 0,
    style: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="direct, reason (think first), or cite (also name the sentences it follows from).",
            rich_help_panel=PROMPT,
        ),
    ] = "direct",
    form: AnswerForm = "word",
    language: InstructionLanguage = None,
    max_tokens: MaxTokens = 256,
    concurrency: Concurrency = 8,
    timeout: Annotated[
        float | None,
        typer.Option(
            metavar="SECONDS",
            help="Give up if a function or a request takes longer than this.",
            rich_help_panel=EXECUTION,
        ),
    ] = None,
    device: Device = "cpu",
    likelihood: Annotated[
        bool,
        typer.Option(
            "--likelihood",
            help="hf: choose the most likely answer instead of generating text.",
            rich_help_panel=EXECUTION,
        ),
    ] = False,
    budget: Annotated[
        int | None,
        typer.Option(
            metavar="N", min=1, help="Stop after N tokens in total.", rich_help_panel=LIMITS
        ),
    ] = None,
    price: Annotated[
        str | None,
        typer.Option(
            metavar="IN,OUT",
            help="Dollars per million tokens of prompts and of replies.",
            rich_help_panel=LIMITS,
        ),
    ] = None,
    cost: Annotated[
        float | None,
        typer.Option(
            metavar="DOLLARS",
            min=0,
            help="Stop after this much; needs --price.",
            rich_help_panel=LIMITS,
        ),
    ] = None,
    cache: Annotated[
        bool,
        typer.Option("--cache", help="Use Inspect AI's cache of replies.", rich_help_panel=LIMITS),
    ] = False,
    track: Annotated[
        str | None,
        typer.Option(
            metavar="PROJECT", help="Also log the metrics to trackio.", rich_help_panel=OUTPUT
        ),
    ] = None,
    adaptive: Annotated[
        bool,
        typer.Option(
            "--adaptive",
            help="Choose each question by the replies so far; stop at the standard error --se.",
            rich_help_panel=ADAPTIVE,
        ),
    ] = False,
    se: Annotated[
        float,
        typer.Option(
            metavar="ERROR", help="Standard error of the accuracy.", rich_help_panel=ADAPTIVE
        ),
    ] = 0.02,
    scale: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Calibrated difficulties, from `fabula calibrate`.",
            show_default="those of the package",
            rich_help_panel=ADAPTIVE,
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Ask a model every question of a benchmark, and score each reply as it arrives.

    The same command resumes an interrupted run; nothing is asked twice. With --adaptive, it asks
    only as many questions of a recipe as it takes to reach the standard error --se.

    Examples:
      [bold]fabula eval py:my_model.py:answer babi/qa2 --out runs/mine[/bold]
      [bold]fabula eval hf:NAME actors/mix --out runs/mix --adaptive --se 0.02[/bold]
    """
    import fabula

    options: dict[str, Any] = {
        "split": split, "seed": seed, "size": size, "changes": changes_of(settings),
        "shots": shots, "style": style, "form": form, "language": language,
        "max_tokens": max_tokens, "concurrency": concurrency, "budget": budget,
        "price": price_of(price), "cost": cost, "cache": cache, "likelihood": likelihood,
        "device": device, "timeout": timeout,
    }  # fmt: skip
    if adaptive:
        for option, given in (("--train", train), ("--track", track)):
            if given is not None:
                raise UsageError(f"{option}: cannot be combined with --adaptive.")
        _adaptive(model, data, out, {**options, "se": se, "scale": scale}, json)
        return
    try:
        with stages() as stage:
            found = fabula.evaluate(
                model,
                data,
                out,
                **options,
                trained_on=train,
                track=track,
                stage=stage,
            )
    except KeyboardInterrupt:
        terminal(stderr=True).print(
            f"Replies so far are in {out}; the same command resumes from there.", soft_wrap=True
        )
        raise
    for note in found.notes:
        terminal(stderr=True).print(note, soft_wrap=True)
    if json:
        print_json(found.manifest)
    else:
        _show(found, out)


def _adaptive(model: str, data: str, out: Path, options: dict[str, Any], json: bool) -> None:
    """Adaptive evaluation, and what it prints."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # small matrices: threads would only wait
    import fabula

    try:
        with stages() as stage:
            found = fabula.ability(model, data, out, stage=stage, **options)
    except KeyboardInterrupt:
        terminal(stderr=True).print(
            f"Replies so far are in {out}; the same command resumes from there.", soft_wrap=True
        )
        raise
    notes = []
    if not found.calibrated:
        notes.append(f"{found.recipe} is not calibrated, so its questions count as equally "
                     "difficult; see `fabula calibrate`.")  # fmt: skip
    if found.doubted:
        notes.append("The replies do not follow the calibrated difficulties; the estimate rests "
                     "on random questions.")  # fmt: skip
    if not found.reached:
        notes.append(f"The standard error is {found.error:.3f}; more questions are needed for "
                     f"{options['se']}.")  # fmt: skip
    for note in notes:
        terminal(stderr=True).print(note, soft_wrap=True)
    if json:
        print_json(found.manifest)
    else:
        terminal().print(str(found), style="bold", soft_wrap=True)
        terminal().print(
            f"Run in {out}; look at it: fabula report {out} --out report.html", style="dim",
            soft_wrap=True,
        )  # fmt: skip


def price_of(said: str | None) -> tuple[float, float] | None:
    """Dollars per million tokens of prompts and of replies, as typed."""
    if said is None:
        return None
    try:
        read, written = map(float, said.split(","))
        if read < 0 or written < 0:
            raise ValueError
    except ValueError:
        raise UsageError(
            f"--price {said}: expected two numbers, dollars per million tokens of prompts and of "
            "replies, e.g. --price 0.5,1.5"
        ) from None
    return read, written


def _show_evidence(found: Mapping[str, Any], console: Console) -> None:
    """Print right for the right reason, and so on."""
    reasons = [f"{reason} {count:,}" for reason, count in found["reasons"].items() if count]
    console.print(f"  {', '.join(reasons) or 'no evidence to judge'}", soft_wrap=True)
    if found["judged"]:
        console.print(
            f"  evidence: precision {found['precision']:.1%}, recall {found['recall']:.1%}"
        )


def _show(found: Evaluation, out: Path) -> None:
    console = terminal()
    console.print(str(found), style="bold", soft_wrap=True)
    others = [f"{name} {n:,}" for name, n in found.outcomes.items() if name != "correct"]
    if others:
        console.print(f"  {', '.join(others)}")
    if found.evidence:
        _show_evidence(found.evidence, console)
    if found.best_baseline:
        name, part = found.best_baseline
        console.print(f"  best trivial baseline: {part:.1%} ({name})", soft_wrap=True)
    if found.manifest["failed"]:
        console.print(
            f"  {found.manifest['failed']:,} got no reply; the same command asks them again: "
            f"{next(iter(found.manifest['failures']))}",
            soft_wrap=True,
        )
    console.print(f"Run in {out}; look at it: fabula report {out} --out report.html", style="dim",
                  soft_wrap=True)  # fmt: skip
