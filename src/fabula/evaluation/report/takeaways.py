"""The sentences at the top of the page: the main results, made from the numbers.

Promise: nothing is called better, worse, strongest or weakest unless the intervals or tests say so.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from fabula.evaluation.report.cases import Run
from fabula.evaluation.report.numbers import DIMENSIONS, FEW, Row
from fabula.evaluation.report.page import p_value, percent, points

BELIEVED = 0.05
TITLES = {dimension.name: dimension.title for dimension in DIMENSIONS}
PAIRS = 4
"""Differences between runs that are told."""


def takeaways(
    runs: Sequence[Run], rows: Sequence[Row], numbers: Mapping[str, Any], extras: Sequence[str]
) -> list[str]:
    """The sentences; `rows` are the main numbers of each run."""
    found: list[str] = []
    if len(runs) > 1:
        found += _compared(runs, rows, numbers)
    for run, row in zip(runs, rows, strict=True):
        found += _overall(run, row, len(runs) > 1)
    if len(runs) == 1:
        found += _extremes(numbers)
    found += extras
    return found


# --- one run --------------------------------------------------------------------------------------


def _overall(run: Run, row: Row, brief: bool) -> Iterator[str]:
    asked = f"{row['count']:,} questions"
    total = int(run.manifest["instances"])
    if len(run.cases) < total:
        asked = f"{row['count']:,} of {total:,} questions so far"
    above = row["above_baseline"]
    beside = f"; the best trivial baseline gets {percent(above['accuracy'])}" if above else ""
    yield (
        f"{run.name} answers {percent(row['accuracy'])} of {asked} right "
        f"(95%: {percent(row['low'])} to {percent(row['high'])}){beside if brief else ''}."
    )
    silent = row["count"] - row["correct"] - row["wrong"]
    if silent and not brief:
        yield f"{percent(silent / row['count'])} of the replies give no answer that could be read."
    if above and not brief:
        start = f"The best trivial baseline, {above['baseline']}, gets {percent(above['accuracy'])}"
        if above["p"] >= BELIEVED:
            yield f"{start}: the model cannot be told apart from it (p = {p_value(above['p'])})."
        else:
            better = "better" if above["difference"] > 0 else "worse"
            yield f"{start}: the model is {_points(above['difference'])} points {better}."


def _extremes(numbers: Mapping[str, Any]) -> Iterator[str]:
    """The strongest and the weakest cell, if they differ."""
    cells = [
        (name, row)
        for name, rows in numbers.get("by", {}).items()
        for row in rows
        if row["count"] >= FEW and name != "recipe"
    ]
    if len(cells) < 2:
        return
    # by the ends of the intervals, so that a lucky small cell is not the strongest
    best, worst = max(cells, key=lambda cell: cell[1]["low"]), min(
        cells, key=lambda cell: cell[1]["high"]
    )  # fmt: skip
    if worst[1]["high"] >= best[1]["low"]:
        yield "No kind of question or story is clearly easier or harder for it than the others."
        return
    yield f"It is strongest on {_cell(*best)} and weakest on {_cell(*worst)}."


def _cell(name: str, row: Row) -> str:
    what = f"“{row['value']}”" if name == "kind" else f"{TITLES[name].lower()} {row['value']}"
    what = f"questions of the kind {what}" if name == "kind" else what
    return f"{what} ({percent(row['accuracy'])}, {percent(row['low'])} to {percent(row['high'])})"


# --- several runs ---------------------------------------------------------------------------------


def _compared(
    runs: Sequence[Run], rows: Sequence[Row], numbers: Mapping[str, Any]
) -> Iterator[str]:
    """Differences: overall, and where they are largest."""
    whole = numbers.get("differences") or []
    if not whole:
        yield "These runs have no question in common, so they are not compared."
        return
    best = max(zip(runs, rows, strict=True), key=lambda pair: pair[1]["accuracy"])[0].name
    told = sorted(whole, key=lambda row: (best not in (row["first"], row["second"]), row["p_holm"]))
    for row in told[:PAIRS]:
        yield f"{_difference(row)}."
    by_kind = [row for row in numbers.get("differences_by_kind") or [] if row["p_holm"] < BELIEVED]
    if by_kind:
        most = max(by_kind, key=lambda row: abs(row["difference"]))
        yield f"The difference is largest on questions of the kind “{most['kind']}”: " + (
            f"{_difference(most)}."
        )


def _difference(row: Row) -> str:
    first, second = row["first"], row["second"]
    if row["difference"] < 0:
        first, second = second, first
    if row["p_holm"] >= BELIEVED:
        return (
            f"{first} and {second} cannot be told apart on the {row['count']:,} questions that "
            f"both were asked ({_points(row['difference'])} points, p = {p_value(row['p_holm'])})"
        )
    low, high = row["low"], row["high"]
    if row["difference"] < 0 and low is not None:
        low, high = -high, -low
    interval = "" if low is None else f" (95%: {_signed(low)} to {_signed(high)} points)"
    return (
        f"{first} is {_points(row['difference'])} points better than {second} on the "
        f"{row['count']:,} questions that both were asked{interval}"
    )


def _points(value: float) -> str:
    return points(abs(value)).removeprefix("+")


def _signed(value: float) -> str:
    return points(value).removeprefix("+")
