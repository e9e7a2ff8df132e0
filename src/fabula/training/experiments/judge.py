"""Decides which claims hold."""

from __future__ import annotations

from collections.abc import Mapping
from statistics import mean
from typing import Any

from fabula.training.experiments.spec import Expectation, matches

SOLVED = 95.0
Figures = Mapping[str, Mapping[str, Mapping[str, Any]]]
"""Line to column to cell; a cell has a mean in percent."""


def judge(claim: Expectation, figures: Figures) -> dict[str, Any]:
    """Whether a claim holds in each of its columns; without results, it does not."""
    cases = [_case(claim, column, figures) for column in _columns(claim, figures)]
    return {
        "says": claim.says,
        "holds": bool(cases) and all(case["holds"] for case in cases),
        "cases": cases,
    }


def _columns(claim: Expectation, figures: Figures) -> list[str]:
    """The columns that a claim is about; by default all models."""
    known = dict.fromkeys(
        column for line, cells in figures.items() if matches(line, claim.lines) for column in cells
    )
    plain = [column for column in known if column not in ("majority", "chance")]
    return [column for column in plain if matches(column, claim.columns)] or [
        column for column in known if column in claim.columns
    ]


def _case(claim: Expectation, column: str, figures: Figures) -> dict[str, Any]:
    ours = _values(claim.lines, (column,), figures)
    case: dict[str, Any] = {"column": column, "lines": len(ours)}
    if claim.solves_at_least is not None or claim.solves_at_most is not None:
        solved = sum(value >= SOLVED for value in ours)
        case |= {"found": solved}
        case["holds"] = (
            solved >= claim.solves_at_least
            if claim.solves_at_least is not None
            else solved <= (claim.solves_at_most or 0)
        )
        return case
    found = mean(ours)
    case["found"] = round(found, 2)
    if claim.at_least is not None:
        case["holds"] = found >= claim.at_least
    elif claim.at_most is not None:
        case["holds"] = found <= claim.at_most
    else:
        others = _others(claim, column, figures)
        case["other"] = round(max(others), 2) if others else None
        case["holds"] = bool(others) and found - max(others) >= claim.by
    return case


def _others(claim: Expectation, column: str, figures: Figures) -> list[float]:
    """The values a column must exceed: the mean of the other lines, in each of the other
    columns.
    """
    above = claim.above or {}
    lines, named = above.get("lines", claim.lines), above.get("columns", (column,))
    known = dict.fromkeys(other for cells in figures.values() for other in cells)
    found = []
    for other in known:
        if matches(other, named) and (other not in ("majority", "chance") or other in named):
            values = _values(lines, (other,), figures)
            if values and (other != column or "lines" in above):
                found.append(mean(values))
    return found


def _values(lines: tuple[str, ...], columns: tuple[str, ...], figures: Figures) -> list[float]:
    return [
        cell["mean"]
        for line, cells in figures.items()
        if matches(line, lines)
        for column, cell in cells.items()
        if matches(column, columns) and (column not in ("majority", "chance") or column in columns)
    ]
