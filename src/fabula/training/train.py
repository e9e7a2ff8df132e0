"""Trains a model by name: the implementation of `fabula.train` and `fabula train`."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fabula.core.workers import cores
from fabula.errors import MissingExtraError, UsageError

if TYPE_CHECKING:
    from fabula.training.loop import Row, Watch
    from fabula.training.plan import TrainingPlan
    from fabula.training.source import Source


def train(
    model: str,
    data: str | Path | Sequence[str | Path],
    out: str | Path,
    *,
    test: str | Path | Sequence[str | Path] | None = None,
    size: int | None = None,
    test_size: int | None = None,
    restarts: int = 1,
    seed: int = 0,
    data_seed: int | None = None,
    changes: Mapping[str, Any] | None = None,
    settings: Mapping[str, Any] | None = None,
    fine_tune_from: str | Path | None = None,
    device: str = "cpu",
    mixed: bool = False,
    budget: float | None = None,
    threads: int = 1,
    track: str | None = None,
    workers: int = 1,
    processes: int = 1,
    progress: Callable[[Row], None] | None = None,
    watch: Watch | None = None,
) -> dict[str, Any]:
    """Train a model, test it, and return the results, as in `run.json`.

    Called again with the same arguments, it resumes an interrupted run.

    Args:
        model: a name from `fabula models`, e.g. 'memn2n'.
        data: recipes or generated folders; several are trained on jointly.
        out: the folder of the run.
        test: data to test on instead of the test split of `data`.
        size: number of training examples from each source.
        test_size: number of test examples from each source.
        restarts: number of restarts; the best by validation is reported first.
        seed: the seed of the model.
        data_seed: the seed of the recipes.
        changes: keys of the recipes to change.
        settings: hyperparameters of the model, e.g. `{"lr": 0.003, "epochs": 20}`.
        fine_tune_from: a run to start from, with its weights and vocabulary.
        device: 'cpu', 'cuda', 'mps'.
        mixed: mixed precision (bfloat16).
        budget: processor time per restart, in seconds.
        threads: threads per process.
        track: a trackio project to log the metrics of every epoch to.
        workers: number of restarts that run in parallel.
        processes: number of processes that share every batch of one model.
        progress: called with the metrics of every epoch and restart; must be a module-level
            function if `processes` is greater than 1.
        watch: shows progress within an epoch.

    >>> import fabula
    >>> run = fabula.train("memn2n", "babi/qa1", "runs/memn2n-qa1", restarts=3)  # doctest: +SKIP
    >>> run["tests"]["babi/qa1"]["best"]  # doctest: +SKIP
    0.998
    """
    _need_torch()
    from fabula.training.loop import unwatched
    from fabula.training.models import model_named
    from fabula.training.plan import TrainingPlan, divided
    from fabula.training.runs import check
    from fabula.training.runs import train as carry_out
    from fabula.training.source import Source

    if threads > cores():
        raise UsageError(f"--threads {threads}: this machine has {cores()} cores.")
    model_named(model)
    sizes, regime = divided(dict(settings or {}))
    learned = _names(data)
    plan = TrainingPlan(
        model=model,
        data=tuple(Source(name, changes or {}, size, data_seed) for name in learned),
        sizes=sizes,
        regime=regime,
        seed=seed,
        start=str(fine_tune_from) if fine_tune_from else None,
        device=device,
        mixed=mixed,
        budget=budget,
        threads=threads,
    )
    asked = learned if test is None else _names(test)
    tests = {name: Source(name, changes or {}, test_size, data_seed) for name in asked}
    if budget is not None and not 0 < budget < inf:
        raise UsageError(f"--budget {budget}: the seconds must be greater than 0.")
    if track:
        from fabula.evaluation.tracking import check_tracking

        check_tracking(track)
    if processes > 1 and workers > 1:
        raise UsageError("--processes and --workers cannot be combined; choose one.")
    if processes > 1:
        from fabula.training.launch import together

        check(plan, tests)
        job = partial(_take_part, plan, Path(out), restarts, tests, track, progress)
        result: dict[str, Any] = together(processes, job)
        return result
    return carry_out(
        plan,
        Path(out),
        restarts,
        workers,
        progress or _ignored,
        tests,
        watch if watch and leads() else unwatched,
        track,
    )


def leads() -> bool:
    """Whether this process, of several that train together, is the one that reports."""
    return os.environ.get("RANK", "0") == "0"


def _names(data: str | Path | Sequence[str | Path]) -> list[str]:
    """The sources by name."""
    given = [data] if isinstance(data, str | Path) else list(data)
    for each in given:
        if not isinstance(each, str | Path):
            raise UsageError(
                f"data: {type(each).__name__} is not the name of a recipe or folder. Write a data "
                "set to a folder first, e.g. data.write('data/mine'), and use that."
            )
    return [str(name).rstrip("/") for name in given]


def _take_part(
    plan: TrainingPlan,
    out: Path,
    restarts: int,
    tests: dict[str, Source],
    track: str | None,
    progress: Callable[[Row], None] | None,
) -> dict[str, Any]:
    """The work of one process of several; only the leader reports."""
    from fabula.training.runs import train as carry_out

    report = progress if progress and leads() else _ignored
    return carry_out(plan, out, restarts, 1, report, tests, track=track)


def _ignored(row: Row) -> None:
    """Ignore a row of metrics."""


def _need_torch() -> None:
    try:
        import numpy  # noqa: F401  torch warns without it
        import torch  # noqa: F401
    except ModuleNotFoundError as error:
        if error.name not in ("torch", "numpy"):
            raise
        raise MissingExtraError(
            "training needs PyTorch and NumPy. Install them: pip install 'fabula[train]'"
        ) from None
