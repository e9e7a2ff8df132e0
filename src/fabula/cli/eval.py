"""`fabula eval`: ask a model every question of a benchmark."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fabula.cli.common import (
    DATA,
    EXECUTION,
    OUTPUT,
    Json,
    Seed,
    Settings,
    changes_of,
    print_json,
    terminal,
)
from fabula.cli.stages import stages
from fabula.errors import UsageError

if TYPE_CHECKING:
    from fabula.evaluation.evaluate import Evaluation

PROMPT, LIMITS = "Prompt", "Limits of API models"


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
            metavar="NAME", help="direct, or reason (think first).", rich_help_panel=PROMPT
        ),
    ] = "direct",
    form: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="Answer format: word, sentence, letter, json.",
            rich_help_panel=PROMPT,
        ),
    ] = "word",
    language: Annotated[
        str | None,
        typer.Option(
            metavar="CODE",
            help="Language of the instructions: en, hi, hi-Deva.",
            show_default="that of the story",
            rich_help_panel=PROMPT,
        ),
    ] = None,
    max_tokens: Annotated[
        int,
        typer.Option(metavar="N", min=1, help="Maximum tokens per reply.", rich_help_panel=PROMPT),
    ] = 256,
    concurrency: Annotated[
        int,
        typer.Option(
            metavar="N",
            min=1,
            help="Maximum concurrent requests; the batch size of a batched function.",
            rich_help_panel=EXECUTION,
        ),
    ] = 8,
    device: Annotated[
        str, typer.Option(metavar="DEVICE", help="cpu, cuda, mps …", rich_help_panel=EXECUTION)
    ] = "cpu",
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
            metavar="PROJECT", help="Also log the figures to trackio.", rich_help_panel=OUTPUT
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Ask a model every question of a benchmark, and score each reply as it comes.

    The same command resumes an interrupted run; nothing is asked twice.

    Examples:
      [bold]fabula eval py:my_model.py:answer babi/qa2 --out runs/mine[/bold]
      [bold]fabula eval runs/memn2n babi/qa2 --out runs/qa2 --size 500[/bold]
    """
    import fabula

    try:
        with stages() as stage:
            found = fabula.evaluate(
                model,
                data,
                out,
                split=split,
                seed=seed,
                size=size,
                changes=changes_of(settings),
                shots=shots,
                style=style,
                form=form,
                language=language,
                max_tokens=max_tokens,
                concurrency=concurrency,
                budget=budget,
                price=_price(price),
                cost=cost,
                cache=cache,
                likelihood=likelihood,
                device=device,
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


def _price(said: str | None) -> tuple[float, float] | None:
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


def _show(found: Evaluation, out: Path) -> None:
    console = terminal()
    console.print(str(found), style="bold", soft_wrap=True)
    others = [f"{name} {n:,}" for name, n in found.outcomes.items() if name != "correct"]
    if others:
        console.print(f"  {', '.join(others)}")
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
