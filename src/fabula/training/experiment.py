"""Experiments: a paper's finding as a table of runs, stated as directions with margins.

An experiment is one TOML file:

    id = "B8"
    title = "More hops help"
    finding = "…"                       what the paper found
    [published]                         its figures, beside ours and never compared for equality
    "3 hops" = 86.7
    [[rows]]                            what is trained on and tested on
    name = "task 2"
    train = ["babi/qa2"]
    changes = {dialect = "release"}
    [[columns]]                         which model, with which settings
    name = "3 hops"
    model = "memn2n"
    with = {hops = 3}
    [[claims]]                          a direction: the first is better than the second by so much
    better = "3 hops"
    than = "1 hop"
    by = 5.0
    rows = ["task 2"]                   in the mean of these rows; of all, if none is named
    [scales.small]                      sizes for two cores
    train_size = 1000
    seeds = 2
    budget = 60
    [scales.full]                       the paper's own

Promises:
1. Every cell is a run folder of its own: an experiment that was cut off goes on where it stopped.
2. A cell is the mean over all seeds with its deviation; nothing is selected by the test.
3. A claim that does not hold is reported as such: it is a result, not an error.
"""

from __future__ import annotations

import platform
import tomllib
from collections.abc import Callable, Mapping
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from statistics import mean
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from fabula._version import __version__
from fabula.errors import FabulaError, hint


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Row(_Strict):
    """What a model is trained and tested on."""

    name: str
    train: tuple[str, ...]
    test: tuple[str, ...] = ()
    changes: dict[str, Any] = {}
    train_size: int | None = None
    by: str | None = None
    """Show the test by the values of this feature, one line each."""


class Column(_Strict):
    """A model with settings."""

    name: str
    model: str
    settings: Annotated[dict[str, Any], Field(alias="with")] = {}


class Claim(_Strict):
    """One mean is above another by a margin, in points."""

    better: str
    """A column, or 'column @ row'; 'chance' and 'majority' too."""
    than: str
    by: float
    rows: tuple[str, ...] = ()


class Scale(_Strict):
    """How much of everything."""

    train_size: int | None = None
    test_size: int | None = None
    seeds: Annotated[int, Field(ge=1)] = 1
    budget: float | None = None
    settings: Annotated[dict[str, Any], Field(alias="with")] = {}
    rows: tuple[str, ...] = ()
    """Only these rows; all, if none is named."""


class Experiment(_Strict):
    """One finding of one paper."""

    id: str
    title: str
    finding: str
    published: dict[str, float | dict[str, float]] = {}
    rows: tuple[Row, ...]
    columns: tuple[Column, ...]
    claims: tuple[Claim, ...] = ()
    scales: dict[str, Scale]

    @model_validator(mode="after")
    def _names(self) -> Experiment:
        rows = {row.name for row in self.rows}
        columns = {column.name for column in self.columns} | {"chance", "majority"}
        for claim in self.claims:
            for side in (claim.better, claim.than):
                column, _, row = side.partition(" @ ")
                if column not in columns:
                    raise ValueError(f"claims: no column '{column}'.{hint(column, columns)}")
                if row and row.split(" = ")[0] not in rows:
                    raise ValueError(f"claims: no row '{row}'.{hint(row, rows)}")
            for row in claim.rows:
                if row not in rows:
                    raise ValueError(f"claims: no row '{row}'.{hint(row, rows)}")
        return self


def load_experiment(path: Path) -> Experiment:
    """The experiment of a file."""
    try:
        return Experiment.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except tomllib.TOMLDecodeError as error:
        raise FabulaError(f"{path}: not valid TOML: {error}.") from None
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        raise FabulaError(f"{path}, {place or 'experiment'}: {first['msg']}.") from None


Cell = dict[str, float]
"""Of one row and column: mean, deviation, runs, majority, chance; all shares."""


def carry_out(
    experiment: Experiment,
    scale: str,
    folder: Path,
    workers: int = 1,
    report: Callable[[str], None] = lambda line: None,
) -> dict[str, Any]:
    """Train every cell that is missing, and judge the claims."""
    if scale not in experiment.scales:
        raise FabulaError(
            f"experiment {experiment.id}: no scale '{scale}'.{hint(scale, experiment.scales)}"
        )
    amount = experiment.scales[scale]
    rows = [row for row in experiment.rows if not amount.rows or row.name in amount.rows]
    jobs = [(row, column) for row in rows for column in experiment.columns]
    arguments = [
        (row, column, amount, folder / _slug(row.name) / _slug(column.name)) for row, column in jobs
    ]
    table: dict[str, dict[str, Cell]] = {}
    if workers > 1:
        with ProcessPoolExecutor(workers, get_context("spawn")) as pool:
            found = pool.map(_cell, *zip(*arguments, strict=True))
            results = [_told(job, cells, report) for job, cells in zip(jobs, found, strict=True)]
    else:
        results = [
            _told(job, _cell(*given), report) for job, given in zip(jobs, arguments, strict=True)
        ]
    for (_, column), cells in zip(jobs, results, strict=True):
        for name, cell in cells.items():
            table.setdefault(name, {})[column.name] = cell
    return {
        "id": experiment.id,
        "title": experiment.title,
        "finding": experiment.finding,
        "scale": scale,
        "seeds": amount.seeds,
        "published": experiment.published,
        "table": table,
        "claims": [judge(claim, table) for claim in experiment.claims],
        "version": __version__,
        "hardware": f"{platform.machine()}, {platform.system()}",
    }


def _told(
    job: tuple[Row, Column], cells: dict[str, Cell], report: Callable[[str], None]
) -> dict[str, Cell]:
    for name, cell in cells.items():
        report(f"{name}, {job[1].name}: {cell['mean']:.1%} ± {cell['deviation']:.1%}")
    return cells


def _cell(row: Row, column: Column, amount: Scale, folder: Path) -> dict[str, Cell]:
    """What came of a row and a column; several lines if the row is shown by a feature."""
    from dataclasses import fields

    from fabula.training.model import Regime
    from fabula.training.runs import Plan, train

    given = {**amount.settings, **column.settings}
    common = {field.name for field in fields(Regime)}
    plan = Plan(
        model=column.model,
        data=row.train,
        changes=row.changes,
        sizes={name: value for name, value in given.items() if name not in common},
        regime={name: value for name, value in given.items() if name in common},
        train_size=row.train_size or amount.train_size,
        test=row.test,
        test_size=amount.test_size,
        budget=amount.budget,
    )
    result = train(plan, folder, amount.seeds)
    names = row.test or row.train
    if row.by is None:
        tests = [result["tests"][name] for name in names]
        return {row.name: {key: mean(test[key] for test in tests) for key in tests[0]}}
    return _broken_down(row, result)


def _broken_down(row: Row, result: Mapping[str, Any]) -> dict[str, Cell]:
    """A line for each value of the row's feature."""
    counts: dict[str, list[tuple[int, int]]] = {}
    for restart in result["restarts"]:
        for test in restart["tests"].values():
            for value, (right, count) in test["by"].get(row.by, {}).items():
                counts.setdefault(value, []).append((right, count))
    first = next(iter(result["tests"].values()))
    return {
        f"{row.name} = {value}": {
            "mean": sum(r for r, _ in pairs) / sum(n for _, n in pairs),
            "deviation": 0.0,
            "runs": result["valid_accuracy"]["runs"],
            "majority": first["majority"],
            "chance": first["chance"],
        }
        for value, pairs in sorted(counts.items(), key=lambda item: (len(item[0]), item[0]))
    }


def judge(claim: Claim, table: Mapping[str, Mapping[str, Cell]]) -> dict[str, Any]:
    """Whether a claim holds in a table, and by how much."""
    one, other = (_value(side, claim.rows, table) for side in (claim.better, claim.than))
    by = 100 * (one - other)
    return {
        "better": claim.better,
        "than": claim.than,
        "by": claim.by,
        "found": round(by, 2),
        "holds": by >= claim.by,
    }


def _value(side: str, rows: tuple[str, ...], table: Mapping[str, Mapping[str, Cell]]) -> float:
    column, _, row = side.partition(" @ ")
    wanted = (row,) if row else rows
    lines = [cells for name, cells in table.items() if not wanted or name in wanted]
    if column in ("chance", "majority"):
        return mean(cell[column] for cells in lines for cell in cells.values())
    return mean(cells[column]["mean"] for cells in lines)


def _slug(name: str) -> str:
    return "".join(c if c.isalnum() or c in "-+" else "-" for c in name.lower())
