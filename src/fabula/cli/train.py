"""`fabula train`: train a model and test it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from fabula.cli.common import (
    DATA,
    EXECUTION,
    OUTPUT,
    Json,
    Settings,
    changes_of,
    meter,
    print_json,
    terminal,
)

TRAINING = "Training"


def train(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="A name from `fabula models`.")],
    data: Annotated[
        list[str],
        typer.Argument(
            metavar="DATA…", help="Recipes or generated folders; several are trained on jointly."
        ),
    ],
    out: Annotated[
        Path,
        typer.Option(
            metavar="DIR", help="Folder of the run; resumed if it exists.", rich_help_panel=OUTPUT
        ),
    ],
    test: Annotated[
        list[str] | None,
        typer.Option(
            metavar="DATA",
            help="Test on these instead. Can be repeated.",
            rich_help_panel=DATA,
        ),
    ] = None,
    size: Annotated[
        int | None,
        typer.Option(
            metavar="N", min=2, help="Training examples from each DATA.", rich_help_panel=DATA
        ),
    ] = None,
    test_size: Annotated[
        int | None,
        typer.Option(
            metavar="N", min=1, help="Test examples from each DATA.", rich_help_panel=DATA
        ),
    ] = None,
    data_seed: Annotated[
        int | None,
        typer.Option(metavar="N", help="Random seed of the data.", rich_help_panel=DATA),
    ] = None,
    settings: Settings = None,
    hyper: Annotated[
        list[str] | None,
        typer.Option(
            "--with",
            metavar="KEY=VALUE",
            help="Set a hyperparameter: lr=0.003, epochs=20, hops=1. Can be repeated.",
            rich_help_panel=TRAINING,
        ),
    ] = None,
    fine_tune_from: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Fine-tune from this run.", rich_help_panel=TRAINING),
    ] = None,
    restarts: Annotated[
        int,
        typer.Option(
            metavar="N",
            min=1,
            help="Number of restarts; the best by validation is reported first.",
            rich_help_panel=TRAINING,
        ),
    ] = 1,
    seed: Annotated[
        int, typer.Option(metavar="N", help="Random seed of the model.", rich_help_panel=TRAINING)
    ] = 0,
    budget: Annotated[
        float | None,
        typer.Option(
            metavar="S",
            help="CPU time per restart, in seconds.",
            rich_help_panel=TRAINING,
        ),
    ] = None,
    device: Annotated[
        str, typer.Option(metavar="DEVICE", help="cpu, cuda, mps …", rich_help_panel=EXECUTION)
    ] = "cpu",
    mixed: Annotated[
        bool,
        typer.Option(
            "--mixed", help="Mixed precision (bfloat16), for GPUs.", rich_help_panel=EXECUTION
        ),
    ] = False,
    threads: Annotated[
        int,
        typer.Option(metavar="N", min=1, help="Threads per process.", rich_help_panel=EXECUTION),
    ] = 1,
    workers: Annotated[
        int,
        typer.Option(
            metavar="N", min=1, help="Restarts that run in parallel.", rich_help_panel=EXECUTION
        ),
    ] = 1,
    processes: Annotated[
        int,
        typer.Option(
            metavar="N",
            min=1,
            help="Processes that train one model together.",
            rich_help_panel=EXECUTION,
        ),
    ] = 1,
    track: Annotated[
        str | None,
        typer.Option(
            metavar="PROJECT", help="Also log every epoch to trackio.", rich_help_panel=OUTPUT
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Train a model, test it, and report every restart.

    With --processes, several processes share every batch; across machines, torchrun starts them:
    torchrun … -m fabula train …

    Examples:
      [bold]fabula train memn2n babi/qa1 --out runs/qa1 --restarts 3[/bold]
      [bold]fabula train lstm data/qa2 --out runs/qa2 --with lr=0.003[/bold]
    """
    import fabula
    from fabula.training.train import leads

    given = changes_of(hyper, "--with")
    try:
        result = fabula.train(
            model,
            data,
            out,
            test=test,
            size=size,
            test_size=test_size,
            restarts=restarts,
            seed=seed,
            data_seed=data_seed,
            changes=changes_of(settings),
            settings={name: None if value == "none" else value for name, value in given.items()},
            fine_tune_from=fine_tune_from,
            device=device,
            mixed=mixed,
            budget=budget,
            threads=threads,
            track=track,
            workers=workers,
            processes=processes,
            progress=_say,
            watch=meter,
        )
    except KeyboardInterrupt:
        if leads():
            terminal(stderr=True).print(
                f"Every finished epoch is in {out}; the same command resumes.", soft_wrap=True
            )
        raise
    if leads() and json:
        print_json(result)
    elif leads():
        _tell(result, out)


def _say(row: dict[str, Any]) -> None:
    """Print the metrics of an epoch or a restart."""
    terminal(stderr=True).print(_progress(row), soft_wrap=True)


def _tell(result: dict[str, Any], out: Path) -> None:
    console = terminal()
    for name, found in result["tests"].items():
        several = f"mean {found['mean']:.1%} ± {found['deviation']:.1%} of {found['runs']}; "
        console.print(
            f"{name}: {found['best']:.1%} ({several if found['runs'] > 1 else ''}"
            f"majority {found['majority']:.1%}, chance {found['chance']:.1%})",
            soft_wrap=True,
        )
    if result["selected_on"] == "test":
        console.print("SELECTED ON THE TEST SET: these figures are biased.", style="bold red")
    console.print(f"Run in {out}", style="dim", soft_wrap=True)


def _progress(row: dict[str, Any]) -> str:
    if "epoch" in row:
        return (
            f"epoch {row['epoch']:3}  loss {row['loss']:.4f}  train {row['train_accuracy']:.1%}  "
            f"valid {row['valid_accuracy']:.1%}  {row['examples_per_second']:,.0f} examples/s"
        )
    return f"restart {row['restart']}  valid {row['valid_accuracy']:.1%}  {row['seconds']:.0f} s"
