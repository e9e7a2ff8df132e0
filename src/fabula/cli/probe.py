"""`fabula probe`: finds out automatically where a model fails."""

from __future__ import annotations

import os
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
    RecipeName,
    Seed,
    Settings,
    changes_of,
    print_json,
    terminal,
)
from fabula.cli.eval import LIMITS, price_of
from fabula.cli.stages import stages
from fabula.errors import UsageError

if TYPE_CHECKING:
    from fabula.evaluation.probe.probing import Probe


def probe(
    model: Annotated[
        str,
        typer.Argument(
            metavar="MODEL",
            help="A run folder of `fabula train`, hf:NAME, py:FILE.py:FUNCTION, or PROVIDER/MODEL, "
            "as in `fabula eval`.",
        ),
    ],
    recipe: RecipeName,
    out: Annotated[
        Path,
        typer.Option(
            metavar="RUN", help="Folder of the run; resumed if it exists.", rich_help_panel=OUTPUT
        ),
    ],
    budget: Annotated[
        str,
        typer.Option(
            metavar="N",
            help="Maximum number of questions (500), tokens (200000tokens) or dollars ('$2').",
        ),
    ] = "500",
    split: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="The split to ask.",
            show_default="test, or the last",
            rich_help_panel=DATA,
        ),
    ] = None,
    seed: Seed = None,
    settings: Settings = None,
    vary: Annotated[
        list[str] | None,
        typer.Option(
            "--vary",
            metavar="KEY=V1,V2",
            help="Search over a setting of the recipe too: language=en,hi or length=10,40. Can be "
            "repeated.",
            rich_help_panel=DATA,
        ),
    ] = None,
    shrink: Annotated[
        bool,
        typer.Option(
            help="Also find the smallest story that shows each weakness; its questions come on "
            "top of the budget."
        ),
    ] = True,
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
    form: AnswerForm = "word",
    language: InstructionLanguage = None,
    max_tokens: MaxTokens = 256,
    concurrency: Concurrency = 8,
    device: Device = "cpu",
    likelihood: Annotated[
        bool,
        typer.Option(
            "--likelihood",
            help="hf: choose the most likely answer instead of generating text.",
            rich_help_panel=EXECUTION,
        ),
    ] = False,
    price: Annotated[
        str | None,
        typer.Option(
            metavar="IN,OUT",
            help="Dollars per million tokens of prompts and of replies.",
            rich_help_panel=LIMITS,
        ),
    ] = None,
    cache: Annotated[
        bool,
        typer.Option("--cache", help="Use Inspect AI's cache of replies.", rich_help_panel=LIMITS),
    ] = False,
    json: Json = False,
) -> None:
    """Search for the kinds of question that a model fails on, and confirm them on fresh instances.

    Each finding comes with a recipe that makes more of it, and with examples. The same command
    resumes an interrupted probe; with a larger budget it continues. Nothing is asked twice.

    Examples:
      [bold]fabula probe py:my_model.py:answer actors/mix --budget 500 --out runs/probe[/bold]
      [bold]fabula probe openai/gpt-5 dyna/mix-t12 --budget 200000tokens --out runs/p[/bold]
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # small matrices: threads would only wait
    import fabula

    try:
        with stages() as stage:
            found = fabula.probe(
                model,
                recipe,
                out,
                budget=budget,
                split=split,
                seed=seed,
                changes=changes_of(settings),
                vary=_varied(vary),
                shrink=shrink,
                shots=shots,
                style=style,
                form=form,
                language=language,
                max_tokens=max_tokens,
                concurrency=concurrency,
                price=price_of(price),
                cache=cache,
                likelihood=likelihood,
                device=device,
                stage=stage,
            )
    except KeyboardInterrupt:
        terminal(stderr=True).print(
            f"Replies so far are in {out}; the same command resumes from there.", soft_wrap=True
        )
        raise
    if json:
        if not found.findings:
            terminal(stderr=True).print(found.message, soft_wrap=True)
        print_json([each.to_dict() for each in found.findings])
        return
    _show(found, out)


def _varied(said: list[str] | None) -> dict[str, list[Any]]:
    """The settings to vary, with their values."""
    found: dict[str, list[Any]] = {}
    for each in said or ():
        key, equals, values = each.partition("=")
        words = [word.strip() for word in values.split(",")]
        if not equals or not key.strip() or not all(words) or len(words) < 2:
            raise UsageError(f"--vary {each}: write KEY=V1,V2, e.g. --vary language=en,hi")
        found[key.strip()] = [changes_of([f"value={word}"])["value"] for word in words]
    return found


def _show(found: Probe, out: Path) -> None:
    console = terminal()
    share = found.right / found.asked if found.asked else 0.0
    console.print(
        f"{found.model} on {found.recipe}: {share:.1%} of {found.asked:,} right. {found.message}",
        style="bold",
        soft_wrap=True,
    )
    for number, each in enumerate(found.findings, 1):
        console.print(f"{number:3} {each.sentence}", soft_wrap=True)
        if each.file:
            console.print(f"    more of it: fabula show {out / each.file}", style="dim",
                          soft_wrap=True)  # fmt: skip
        shown = each.shrunk or (each.examples[0] if each.examples else None)
        if shown:
            for sentence in shown["story"]:
                console.print(f"      {sentence}", soft_wrap=True)
            console.print(
                f"      {shown['question']}  answer: {', '.join(shown['answer'])}; reply: "
                f"{' '.join(str(shown['reply']).split())[:80]}",
                soft_wrap=True,
            )
    for suspect in found.rejected:
        console.print(f"    tested, not confirmed: {suspect}", style="dim", soft_wrap=True)
    console.print(f"Run in {out}; look at it: fabula report {out} --out report.html", style="dim",
                  soft_wrap=True)  # fmt: skip
