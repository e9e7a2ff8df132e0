"""The results of experiments as Markdown pages, next to the published results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isnan
from typing import Any

from fabula.training.experiments.spec import Column, Experiment


def page(experiment: Experiment, result: Mapping[str, Any]) -> str:
    """One experiment in Markdown: the finding, the table, the claims."""
    minutes = result["seconds"] / 60
    parts = [
        f"# {experiment.id}. {experiment.title}",
        f"{experiment.paper}: {experiment.finding}",
        *([experiment.note] if experiment.note else []),
        _table(experiment, result),
        "Percent correct: the mean ± the standard deviation over seeds (none for a single run); "
        "published figures in brackets.",
        "\n".join(_claim(claim) for claim in result["claims"]),
        f"Scale `{result['scale']}`, {minutes:.0f} minutes of CPU time for training, "
        f"{result['machine']}, Fabula {result['version']}.",
    ]
    return "\n\n".join(parts) + "\n"


def _table(experiment: Experiment, result: Mapping[str, Any]) -> str:
    place = {line.name: at for at, line in enumerate(experiment.lines)}
    used = [c for c in experiment.columns if any(c.name in r["cells"] for r in result["lines"])]
    measured = any("measured" in row for row in result["lines"])
    head = [
        "",
        *(column.name for column in used),
        *(["majority", "chance"] if used else []),
        *(["measured"] if measured else []),
    ]
    rows = [head, ["---", *["---:"] * (len(head) - 1)]]
    for row in result["lines"]:
        cells = row["cells"]
        line = [row["name"], *(_cell(c, cells, place[row["name"]]) for c in used)]
        if used:
            line += [_mean(cells, "majority"), _mean(cells, "chance")]
        if measured:
            line.append(f"{row['measured']:.1f}" if "measured" in row else "")
        rows.append(line)
    if len(result["lines"]) > 1 and used:
        rows.append(_means(used, result["lines"], len(head)))
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _cell(column: Column, cells: Mapping[str, Any], at: int) -> str:
    if column.name not in cells:
        return ""
    found = cells[column.name]
    text = f"{found['mean']:.1f}"
    if len(found["runs"]) > 1:
        text += f" ± {found['deviation']:.1f}"
    if column.published and not isnan(column.published[at]):
        text += f" ({column.published[at]:g})"
    return text


def _mean(cells: Mapping[str, Any], key: str) -> str:
    values = [cell[key] for cell in cells.values()]
    return f"{sum(values) / len(values):.1f}" if values else ""


def _means(columns: Sequence[Column], rows: Sequence[Mapping[str, Any]], wide: int) -> list[str]:
    found = ["**mean**"]
    for column in columns:
        values = [r["cells"][column.name]["mean"] for r in rows if column.name in r["cells"]]
        found.append(f"**{sum(values) / len(values):.1f}**")
    return found + [""] * (wide - len(found))


def _claim(claim: Mapping[str, Any]) -> str:
    """A claim, and the columns in which it holds."""
    told = []
    for case in claim["cases"]:
        against = f" vs {case['other']:g}" if case.get("other") is not None else ""
        sign = "" if case["holds"] else " ✗"
        told.append(f"{case['column']} {case['found']:g}{against}{sign}")
    mark = "holds" if claim["holds"] else "**does not hold**"
    return f"- {claim['says']}: {mark} ({'; '.join(told) or 'no figures'})"


def file_name(experiment: str, scale: str) -> str:
    """The stem of a result's files: the id, and the scale if it is not small."""
    return experiment if scale == "small" else f"{experiment}.{scale}"  # ids contain no dots


def overview(results: Sequence[tuple[Experiment, Mapping[str, Any]]]) -> str:
    """All experiments in one table, each with the number of its claims that hold."""
    rows = ["| | finding | claims that hold | minutes | scale |", "|---|---|---:|---:|---|"]
    for experiment, result in results:
        held = sum(claim["holds"] for claim in result["claims"])
        rows.append(
            f"| [{experiment.id}]({file_name(experiment.id, result['scale'])}.md) "
            f"| {experiment.title} | {held} of {len(result['claims'])} "
            f"| {result['seconds'] / 60:.0f} | {result['scale']} |"
        )
    return "\n".join(rows) + "\n"
