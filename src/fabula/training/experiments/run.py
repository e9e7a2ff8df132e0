"""Runs an experiment: trains and tests what is missing, and fills in the table.

Promises:
1. A training is stored under a name that covers everything that determines it. Nothing is trained
   twice, not even for another experiment, and an interrupted training is resumed.
2. A cell is the mean over all seeds, with the standard deviation; nothing is selected by the test.
"""

from __future__ import annotations

import os
import platform
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from statistics import mean, stdev
from typing import Any

import torch

from fabula._version import __version__
from fabula.core.workers import run_jobs
from fabula.errors import FabulaError, hint
from fabula.training.experiments.judge import judge
from fabula.training.experiments.measures import Measure, measure
from fabula.training.experiments.spec import Column, Data, Experiment, Line, Scale, matches
from fabula.training.models import model_named
from fabula.training.plan import PLAN, TrainingPlan, divided, keep_plan, settings
from fabula.training.runs import CELLS, TrainingRun
from fabula.training.source import Source, digest

Cell = dict[str, Any]
Cells = Mapping[tuple[str, str], list["Training"]]
"""Line and column to the stages of their training."""
Done = tuple[Path, dict[str, Any]]
"""The folder of a training and the result of one seed."""
Report = Callable[[str], None]


@dataclass(frozen=True)
class Training:
    """A plan with its test data."""

    plan: TrainingPlan
    folder: Path
    depth: int
    """The number of stages before it."""
    seeds: int


def carry_out(
    experiment: Experiment,
    scale: str,
    store: Path,
    workers: int = 1,
    report: Report = lambda line: None,
) -> dict[str, Any]:
    """The table of an experiment and which of its claims hold; trainings are stored in `store`."""
    if scale not in experiment.scales:
        raise FabulaError(
            f"experiment {experiment.id}: no scale '{scale}'.{hint(scale, experiment.scales)}"
        )
    amount = experiment.scales[scale]
    lines = [line for line in experiment.lines if matches(line.name, amount.lines)]
    cells = {}
    for line in (line for line in lines if line.train):
        for column in experiment.columns:
            left_out = matches(column.name, amount.without)
            if matches(column.name, line.columns) and not left_out:
                with _said_where(_place(experiment, line.name, column.name)):
                    cells[line.name, column.name] = trainings(line, column, amount, store)
    measures = _checked(experiment, lines, amount, cells)
    found = _train_all(cells, lines, amount, store, workers, report)
    table: list[dict[str, Any]] = [
        {
            "name": line.name,
            "cells": {
                column.name: _cell(line, amount, found[cells[line.name, column.name][-1].folder])
                for column in experiment.columns
                if (line.name, column.name) in cells
            },
        }
        for line in lines
    ]
    figures = {row["name"]: _with_references(row["cells"]) for row in table}
    trained = {row["name"]: row["cells"] for row in table}
    for row in table:
        if row["name"] in measures:
            row["measured"] = measures[row["name"]].value(trained)
            figures[row["name"]] = {"measured": {"mean": row["measured"]}}
    return {
        "id": experiment.id,
        "scale": scale,
        "seeds": amount.seeds,
        "lines": table,
        "claims": [judge(claim, figures) for claim in experiment.claims],
        "seconds": round(sum(r["seconds"] for results in found.values() for r in results)),
        "version": __version__,
        "machine": _machine(),
    }


def _checked(
    experiment: Experiment, lines: Sequence[Line], amount: Scale, cells: Cells
) -> dict[str, Measure]:
    """The measures of lines; raises an error for anything impossible before training starts."""
    seen: set[str] = set()
    measures = {}
    trained: dict[str, list[str]] = {}
    for name, column in cells:
        trained.setdefault(name, []).append(column)
    for line in lines:
        with _said_where(f"experiment {experiment.id}, line '{line.name}'"):
            for feature in line.where:
                if feature not in CELLS:
                    raise FabulaError(f"where: no feature '{feature}'.{hint(feature, CELLS)}")
            if line.measure is not None:
                measures[line.name] = measure(line.measure, trained)
            else:
                _check_sources(_tests(line, amount).values(), "test", seen)
    for (name, column), chain in cells.items():
        with _said_where(_place(experiment, name, column)):
            for training in chain:
                _check_settings(training.plan, seen)
                _check_sources((*training.plan.data, *training.plan.words), "train", seen)
    return measures


def _check_settings(plan: TrainingPlan, seen: set[str]) -> None:
    """Raise an error for settings that a model does not have; `seen` caches valid ones."""
    if (asked := f"{plan.model} {plan.sizes} {plan.regime}") not in seen:
        settings(model_named(plan.model), plan.sizes, plan.regime)
        seen.add(asked)


def _check_sources(sources: Iterable[Source], split: str, seen: set[str]) -> None:
    """Raise an error for missing data; `seen` caches existing ones."""
    for source in sources:
        if (asked := f"{split} {source}") not in seen:
            source.check(split)
            seen.add(asked)


def _place(experiment: Experiment, line: str, column: str) -> str:
    return f"experiment {experiment.id}, line '{line}', column '{column}'"


@contextmanager
def _said_where(place: str) -> Iterator[None]:
    """Prefix errors with their place in the experiment."""
    try:
        yield
    except FabulaError as error:
        raise type(error)(f"{place}: {error}") from None


def _machine() -> str:
    """The machine it ran on."""
    described = Path("/proc/cpuinfo")
    lines = described.read_text().splitlines() if described.is_file() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    processor = names[0] if names else platform.processor() or platform.machine()
    return (
        f"{processor}, {os.cpu_count()} cores, {platform.system()}, "
        f"Python {platform.python_version()}, PyTorch {torch.__version__}"
    )


# --- trainings ------------------------------------------------------------------------------------


def trainings(line: Line, column: Column, amount: Scale, store: Path) -> list[Training]:
    """The stages of a cell's training, each starting from the one before."""
    chain: list[Training] = []
    for stage in (*line.before, None):
        data, own, times = (
            (line.train, line.settings, 1.0)
            if stage is None
            else (stage.train, stage.settings, stage.times)
        )
        given = {**column.settings, **amount.settings, **amount.columns.get(column.name, {}), **own}
        budget = given.pop("budget", amount.budget)
        seeds = given.pop("seeds", amount.seeds)
        size = given.pop("train_size", amount.train_size)
        sizes, regime = divided(given)
        plan = TrainingPlan(
            model=column.model,
            data=tuple(_source(one, amount, size) for one in data),
            sizes=sizes,
            regime=regime,
            start=None if not chain else str(chain[-1].folder),
            words=() if chain else tuple(_source(one, amount, size) for one in line.words),
            budget=None if budget is None else budget * times,
        )
        named = {**plan.to_dict(), "start": chain[-1].folder.name if chain else None}
        folder = store / f"{column.model}-{digest(named)}"
        chain.append(Training(plan, folder, len(chain), seeds))
    return chain


def _source(data: Data, amount: Scale, size: int | None) -> Source:
    scaled = None if size is None else max(2, round(size * data.times))
    changes = {**amount.set, **data.set}
    source = Source(data.recipe, changes, data.size or scaled, data.seed, data.split)
    return source.near()


def _tests(line: Line, amount: Scale) -> dict[str, Source]:
    """The tests, each under a name that describes it fully."""
    own = {"size": None, "split": None}
    told = line.test or [data.model_copy(update=own) for data in line.train]
    sources = [
        _source(data.model_copy(update={"times": 1.0}), amount, amount.test_size) for data in told
    ]
    return {digest(vars(source)): source for source in sources}


def _train_all(
    cells: Cells,
    lines: Sequence[Line],
    amount: Scale,
    store: Path,
    workers: int,
    report: Report,
) -> dict[Path, list[dict[str, Any]]]:
    """Every training with all its tests, for every seed; by folder."""
    wanted: dict[Path, tuple[Training, dict[str, Source]]] = {}
    of = {line.name: line for line in lines}
    for (line, _), chain in cells.items():
        for training in chain:
            known, tests = wanted.setdefault(training.folder, (training, {}))
            if training.seeds > known.seeds:
                wanted[training.folder] = (training, tests)
            if training is chain[-1]:
                tests.update(_tests(of[line], amount))
    found: dict[Path, list[dict[str, Any]]] = {folder: [] for folder in wanted}
    for depth in sorted({training.depth for training, _ in wanted.values()}):
        jobs = [
            partial(_job, training, seed, tests, store)
            for training, tests in wanted.values()
            if training.depth == depth
            for seed in range(training.seeds)
        ]
        with closing(_done(jobs, workers)) as done:
            for count, (folder, result) in enumerate(done, 1):
                found[folder].append(result)
                report(
                    f"{count}/{len(jobs)}  {folder.name}  seed {result['restart']}  "
                    f"valid {result['valid_accuracy']:.1%}  {result['seconds']:.0f} s"
                )
    for results in found.values():
        results.sort(key=lambda result: result["restart"])
    return found


def _done(jobs: Sequence[Callable[[], Done]], workers: int) -> Generator[Done, None, None]:
    """The results of the jobs; unfinished ones end with the caller."""
    if workers < 2:
        for job in jobs:
            yield job()
    else:
        yield from run_jobs(jobs, workers)


def _job(training: Training, seed: int, tests: dict[str, Source], store: Path) -> Done:
    folder, plan = training.folder, training.plan
    if not (folder / PLAN).is_file():  # a folder with this name has the same plan
        keep_plan(plan, folder)
    if plan.start:  # each seed starts from its own
        plan = replace(plan, start=f"{plan.start}/restart-{seed}")
    return folder, TrainingRun(plan, folder, tests, store / "data").restart(seed)


# --- results --------------------------------------------------------------------------------------


def _cell(line: Line, amount: Scale, results: Sequence[Mapping[str, Any]]) -> Cell:
    """The mean accuracy over seeds, in percent."""
    runs, supports = [], []
    right = most = count = 0
    chances = []
    for result in results:
        counts = [0, 0, 0]
        for name in _tests(line, amount):
            test = result["tests"][name]
            chances.append(test["chance"])
            if "supports_found" in test:
                supports.append(test["supports_found"])
            for cell in test["cells"]:
                if _fits(cell, line.where):
                    for at, key in enumerate(("right", "majority", "count")):
                        counts[at] += cell[key]
        if not counts[2]:
            raise FabulaError(f"line '{line.name}': no test example matches {line.where}.")
        runs.append(100 * counts[0] / counts[2])
        right, most, count = right + counts[0], most + counts[1], count + counts[2]
    cell = {
        "mean": mean(runs),
        "deviation": stdev(runs) if len(runs) > 1 else 0.0,
        "runs": [round(run, 2) for run in runs],
        "examples": count // len(results),
        "majority": 100 * most / count,
        "chance": 100 * mean(chances),
        "seconds": round(mean(result["seconds"] for result in results), 1),
        "epochs": [result["epochs"] for result in results],
        "parameters": results[0]["parameters"],
    }
    if supports:
        cell["supports_found"] = 100 * mean(supports)
    return cell


def _fits(cell: Mapping[str, Any], where: Mapping[str, Any]) -> bool:
    for feature, wanted in where.items():
        patterns = [str(each) for each in (wanted if isinstance(wanted, list) else [wanted])]
        unwanted = [pattern[1:] for pattern in patterns if pattern.startswith("!")]
        allowed = [pattern for pattern in patterns if not pattern.startswith("!")]
        value = cell[feature]
        if matches(value, unwanted) or (allowed and not matches(value, allowed)):
            return False
    return True


def _with_references(cells: Mapping[str, Cell]) -> dict[str, Cell]:
    """The cells of a line, with the accuracy of chance and of the most frequent training answer."""
    if not cells:
        return {}
    references = {
        name: {"mean": mean(cell[name] for cell in cells.values())}
        for name in ("majority", "chance")
    }
    return {**cells, **references}
