"""The commands that train models: models, train."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from fabula.cli.common import Json, Settings, Workers, changes_of, print_json, terminal
from fabula.errors import FabulaError, MissingExtraError


def models(json: Json = False) -> None:
    """List the models of the papers: what each reads, what it learns from, its size.

    Example: [bold]fabula models[/bold]
    """
    rows = [_row(name) for name in _registered()]
    if json:
        print_json(rows)
        return
    from rich.table import Table

    table = Table("model", "reads", "learns from", "settings", "paper", box=None, pad_edge=False)
    for row in rows:
        sizes = ", ".join(f"{name}={value}" for name, value in row["sizes"].items())
        learns = "answers, supports" if row["uses_supports"] else "answers"
        table.add_row(row["model"], row["reads"], learns, sizes, row["paper"])
    terminal().print(table)


def _registered() -> list[str]:
    from fabula.models import MODELS

    return list(MODELS)


def _row(name: str) -> dict[str, Any]:
    from dataclasses import asdict

    from fabula.models import model_named

    kind = model_named(name)
    return {
        "model": name,
        "reads": kind.inputs,
        "uses_supports": kind.uses_supports,
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
    restarts: Annotated[int, typer.Option(metavar="N", min=1, help="Best of N by validation.")] = 1,
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
    device: Annotated[str, typer.Option(metavar="DEVICE", help="cpu, cuda, mps …")] = "cpu",
    mixed: Annotated[bool, typer.Option("--mixed", help="Mixed precision on a GPU.")] = False,
    budget: Annotated[
        float | None, typer.Option(metavar="S", help="Seconds of processor time a restart.")
    ] = None,
    workers: Workers = 1,
    json: Json = False,
) -> None:
    """Train a model and test it; several restarts, the best by validation, all reported.

    Example: [bold]fabula train memn2n babi/qa1 --out runs/memn2n-qa1 --restarts 3[/bold]
    """
    try:
        from fabula.training.runs import Plan
        from fabula.training.runs import train as carry_out
    except ModuleNotFoundError as error:
        if error.name != "torch":
            raise
        raise MissingExtraError(
            "training needs PyTorch. Install it: pip install 'fabula[train]'"
        ) from None
    from dataclasses import fields

    from fabula.models import model_named
    from fabula.training.model import Regime

    given = changes_of(hyper, "--with")
    model_named(model)
    common = {field.name for field in fields(Regime)}
    plan = Plan(
        model=model,
        data=tuple(data),
        changes=changes_of(settings),
        sizes={name: value for name, value in given.items() if name not in common},
        regime={name: value for name, value in given.items() if name in common},
        train_size=size,
        test=tuple(test or ()),
        test_size=test_size,
        seed=seed,
        data_seed=data_seed,
        device=device,
        mixed=mixed,
        budget=budget,
    )
    if budget is not None and budget <= 0:
        raise FabulaError("--budget: seconds, more than 0.")
    say = terminal(stderr=True).print
    result = carry_out(
        plan, out, restarts, workers or 1, lambda row: say(_progress(row), soft_wrap=True)
    )
    if json:
        print_json(result)
        return
    console = terminal()
    for name, found in result["tests"].items():
        console.print(
            f"{name}: {found['best']:.1%} (mean {found['mean']:.1%} ± {found['deviation']:.1%} of "
            f"{found['runs']}; majority {found['majority']:.1%}, chance {found['chance']:.1%})",
            soft_wrap=True,
        )
    console.print(f"Run in {out}", style="dim", soft_wrap=True)


def _progress(row: dict[str, Any]) -> str:
    if "epoch" in row:
        return (
            f"epoch {row['epoch']:3}  loss {row['loss']:.4f}  train {row['train_accuracy']:.1%}  "
            f"valid {row['valid_accuracy']:.1%}  {row['examples_per_second']:,.0f} examples/s"
        )
    return f"restart {row['restart']}  valid {row['valid_accuracy']:.1%}  {row['seconds']:.0f} s"
