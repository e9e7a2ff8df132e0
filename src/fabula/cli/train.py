"""The commands that train models: models, train."""

from __future__ import annotations

import os
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fabula.cli.common import (
    Json,
    Settings,
    changes_of,
    cores,
    meter,
    print_json,
    terminal,
)
from fabula.errors import FabulaError, MissingExtraError

if TYPE_CHECKING:
    from fabula.training.model import Model
    from fabula.training.plan import TrainingPlan
    from fabula.training.source import Source


def models(
    model: Annotated[
        str | None, typer.Argument(metavar="MODEL", help="One, with all its settings.")
    ] = None,
    json: Json = False,
) -> None:
    """List the models of the papers: what each reads, what it learns from, its size.

    Example: [bold]fabula models memn2n[/bold]
    """
    rows = [_row(name) for name in ([model] if model else _registered())]
    if json:
        print_json(rows)
        return
    from rich.table import Table

    say = terminal().print
    table = Table("model", "reads", "learns from", "parameters", "paper", box=None, pad_edge=False)
    table.columns[3].justify = "right"
    for row in rows:
        learns = "answers, supports" if row["uses_supports"] else "answers"
        count = "its checkpoint's" if row["parameters"] is None else f"{row['parameters']:,}"
        table.add_row(row["model"], row["reads"], learns, count, row["paper"])
    say(table)
    say(f"\nParameters: with {REFERENCE}.", style="dim")
    if not model:
        say("The settings of one: fabula models MODEL", style="dim")
        return
    for title in ("sizes", "regime"):
        say(f"\n{title}, changed by --with:")
        for name, value in rows[0][title].items():
            say(f"  {name} = {_typed(value)}")


def _typed(value: Any) -> str:
    """A value as --with takes it."""
    return str(value).lower() if value is None or isinstance(value, bool) else str(value)


REFERENCE = "160 words, 20 answers, 20 relations, and stories of 20 sentences of 12 words"


def _parameters(kind: type[Model]) -> int | None:
    """How many numbers a model learns at its own sizes; None where a checkpoint decides."""
    if hasattr(kind.Sizes(), "checkpoint"):
        return None
    from fabula.training.model import Shape, parameters

    words = tuple(range(140, 160))
    shape = Shape(160, 20, 20, 12, 20, words, tuple((at,) for at in range(20)))
    return parameters(kind(kind.Sizes(), shape))


def _registered() -> list[str]:
    from fabula.training.models import MODELS

    return list(MODELS)


def _row(name: str) -> dict[str, Any]:
    from dataclasses import asdict

    from fabula.training.models import model_named

    kind = model_named(name)
    return {
        "model": name,
        "reads": kind.inputs,
        "uses_supports": kind.uses_supports,
        "parameters": _parameters(kind),
        "sizes": asdict(kind.Sizes()),
        "regime": asdict(kind.regime),
        "paper": kind.paper,
    }


def train(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="A name from `fabula models`.")],
    data: Annotated[
        list[str],
        typer.Argument(metavar="DATA…", help="Recipes or generated folders; several: jointly."),
    ],
    out: Annotated[Path, typer.Option(metavar="DIR", help="Folder of the run; resumes if there.")],
    test: Annotated[
        list[str] | None,
        typer.Option(metavar="DATA", help="Test on these instead. Can be repeated."),
    ] = None,
    size: Annotated[
        int | None, typer.Option(metavar="N", min=2, help="Training examples of each DATA.")
    ] = None,
    test_size: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="Test examples of each DATA.")
    ] = None,
    restarts: Annotated[
        int,
        typer.Option(metavar="N", min=1, help="Best of N, by validation or as its paper has it."),
    ] = 1,
    seed: Annotated[int, typer.Option(metavar="N", help="Of the model.")] = 0,
    data_seed: Annotated[int | None, typer.Option(metavar="N", help="Of the data.")] = None,
    settings: Settings = None,
    hyper: Annotated[
        list[str] | None,
        typer.Option(
            "--with",
            metavar="KEY=VALUE",
            help="Change a size or the regime of the model: lr=0.003, epochs=20, hops=1.",
        ),
    ] = None,
    start: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Go on from the model of this run, on new data."),
    ] = None,
    device: Annotated[str, typer.Option(metavar="DEVICE", help="cpu, cuda, mps …")] = "cpu",
    mixed: Annotated[
        bool, typer.Option("--mixed", help="Mixed precision (bfloat16), for GPUs.")
    ] = False,
    budget: Annotated[
        float | None, typer.Option(metavar="S", help="Seconds of processor time a restart.")
    ] = None,
    threads: Annotated[
        int, typer.Option(metavar="N", min=1, help="Of each process; more help large models only.")
    ] = 1,
    track: Annotated[
        str | None, typer.Option(metavar="PROJECT", help="Also log every epoch to trackio.")
    ] = None,
    workers: Annotated[int, typer.Option(metavar="N", min=1, help="Restarts side by side.")] = 1,
    processes: Annotated[
        int, typer.Option(metavar="N", min=1, help="Processes that train one model together.")
    ] = 1,
    json: Json = False,
) -> None:
    """Train a model and test it; several restarts, the best by validation, all reported.

    With --processes, several processes share every batch; on several machines, torchrun starts
    them: torchrun … -m fabula train …

    Example: [bold]fabula train memn2n babi/qa1 --out runs/memn2n-qa1 --restarts 3[/bold]
    """
    try:
        import numpy  # noqa: F401  torch warns without it
        import torch  # noqa: F401
    except ModuleNotFoundError as error:
        if error.name not in ("torch", "numpy"):
            raise
        raise MissingExtraError(
            "training needs PyTorch and NumPy. Install them: pip install 'fabula[train]'"
        ) from None
    from fabula.training.loop import unwatched
    from fabula.training.models import model_named
    from fabula.training.plan import TrainingPlan, divided
    from fabula.training.runs import train as carry_out
    from fabula.training.source import Source

    data, test = ([name.rstrip("/") for name in names] for names in (data, test or data))
    given = changes_of(hyper, "--with")
    given = {name: None if value == "none" else value for name, value in given.items()}
    if threads > cores():
        raise FabulaError(f"--threads {threads}: this machine has {cores()} cores.")
    model_named(model)
    sizes, regime = divided(given)
    changes = changes_of(settings)
    plan = TrainingPlan(
        model=model,
        data=tuple(Source(name, changes, size, data_seed) for name in data),
        sizes=sizes,
        regime=regime,
        seed=seed,
        start=str(start) if start else None,
        device=device,
        mixed=mixed,
        budget=budget,
        threads=threads,
    )
    tests = {name: Source(name, changes, test_size, data_seed) for name in test}
    if budget is not None and not 0 < budget < inf:
        raise FabulaError("--budget: seconds, more than 0.")
    if track:
        from fabula.evaluation.tracking import check_tracking

        check_tracking(track)
    say = terminal(stderr=True).print
    leads = _leads()
    if processes > 1 and workers > 1:
        raise FabulaError("--processes and --workers do not go together; choose one.")
    try:
        if processes > 1:
            from functools import partial

            from fabula.training.launch import together
            from fabula.training.runs import check

            check(plan, tests)
            result = together(processes, partial(_together, plan, out, restarts, tests, track))
        else:
            result = carry_out(
                plan,
                out,
                restarts,
                workers,
                lambda row: say(_progress(row), soft_wrap=True),
                tests,
                meter if leads else unwatched,
                track,
            )
    except KeyboardInterrupt:
        if leads:
            say(f"Every finished epoch is in {out}; the same command goes on.", soft_wrap=True)
        raise
    if leads and json:
        print_json(result)
    elif leads:
        _tell(result, out)


def _leads() -> bool:
    """Whether this process, of several that train together, is the one that speaks."""
    return os.environ.get("RANK", "0") == "0"


def _together(
    plan: TrainingPlan, out: Path, restarts: int, tests: dict[str, Source], track: str | None
) -> dict[str, Any]:
    """The part of one process."""
    from fabula.training.runs import train as carry_out

    say = terminal(stderr=True).print

    def tell(row: dict[str, Any]) -> None:
        if _leads():
            say(_progress(row), soft_wrap=True)

    return carry_out(plan, out, restarts, 1, tell, tests, track=track)


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
        console.print("SELECTED ON THE TEST: these are no honest figures.", style="bold red")
    console.print(f"Run in {out}", style="dim", soft_wrap=True)


def _progress(row: dict[str, Any]) -> str:
    if "epoch" in row:
        return (
            f"epoch {row['epoch']:3}  loss {row['loss']:.4f}  train {row['train_accuracy']:.1%}  "
            f"valid {row['valid_accuracy']:.1%}  {row['examples_per_second']:,.0f} examples/s"
        )
    return f"restart {row['restart']}  valid {row['valid_accuracy']:.1%}  {row['seconds']:.0f} s"
