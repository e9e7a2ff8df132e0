"""Do two benchmarks rank models alike? Concurrence (Liu et al. 2021), as Dyna-bAbI measures it."""

from __future__ import annotations

import csv
from importlib import resources
from pathlib import Path
from typing import NamedTuple

from fabula.errors import FabulaError, hint
from fabula.evaluation.statistics import Interval, kendall, pearson

FEWEST = 3
"""Minimum number of models for a correlation."""


class Concurrence(NamedTuple):
    """The correlation of two columns of a table."""

    first: str
    second: str
    models: int
    """Number of models with both scores."""
    pearson: Interval
    kendall: Interval


def read_table(path: Path) -> tuple[list[str], list[dict[str, float | None]]]:
    """The columns of scores, and a row for each model, of a CSV file whose first column names
    models.
    """
    try:
        with path.open(encoding="utf-8", newline="") as file:
            # in some countries, spreadsheets separate cells by semicolons
            parted = max(",;\t", key=file.readline().count)
            file.seek(0)
            rows = list(csv.reader(file, delimiter=parted))
    except UnicodeDecodeError:
        raise FabulaError(f"{path}: is not UTF-8 text; save the table as CSV.") from None
    if len(rows) < 2 or len(rows[0]) < 3:
        raise FabulaError(
            f"{path}: expected CSV with a header, and rows of a model name and at least two scores."
        )
    head = [name.strip() for name in rows[0][1:]]
    for name in head:
        if head.count(name) > 1:
            raise FabulaError(f"{path}: two columns have the name '{name}'; rename one.")
    scores: list[dict[str, float | None]] = []
    for number, row in enumerate(rows[1:], 2):
        if not any(cell.strip() for cell in row):
            continue
        if len(row) != len(head) + 1:
            raise FabulaError(
                f"{path}, line {number}: {len(row)} cells, but the header has {len(head) + 1}."
            )
        scores.append(
            {name: _score(cell, path, number) for name, cell in zip(head, row[1:], strict=True)}
        )
    return head, scores


def _score(cell: str, path: Path, number: int) -> float | None:
    text = cell.strip().removesuffix("%")
    if text in ("", "-"):
        return None
    try:
        return float(text)
    except ValueError:
        raise FabulaError(f"{path}, line {number}: '{cell}' is not a number.") from None


def concurrence(path: Path, against: str | None = None) -> list[Concurrence]:
    """The correlation of each column with one of them, by default the first."""
    head, rows = read_table(path)
    reference = head[0] if against is None else against
    if reference not in head:
        raise FabulaError(f"{path}: no column '{reference}'.{hint(reference, head)}")
    found = []
    for name in head:
        if name == reference:
            continue
        pairs = [
            (a, b)
            for row in rows
            if (a := row[reference]) is not None and (b := row[name]) is not None
        ]
        first, second = [a for a, _ in pairs], [b for _, b in pairs]
        found.append(
            Concurrence(reference, name, len(pairs), pearson(first, second), kendall(first, second))
        )
    return found


def published() -> Path:
    """The scores of twenty models in the Dyna-bAbI paper (Table 8)."""
    return Path(str(resources.files("fabula.evaluation") / "dyna_table8.csv"))
