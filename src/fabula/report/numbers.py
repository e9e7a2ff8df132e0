"""All numbers of a report: accuracy with intervals, by everything that was measured.

Promises:
1. Every share comes with its count and its 95 % interval (Wilson); the overall one also with an
   interval by stories, because questions of one story are not independent.
2. What there are no data for is left out, with a line that says why.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Sequence
from math import isnan
from operator import attrgetter
from typing import Any, NamedTuple

from fabula.compose import composition_name
from fabula.evaluate.statistics import Story, bootstrap, mcnemar, wilson
from fabula.report.cases import Case, Run, outcomes_of
from fabula.score import Outcome

Row = dict[str, Any]

FEW = 10
"""Cases below which a cell is too uncertain to have a colour."""
BARS = 10
"""Bars of a number that has more values than these are ranges."""
EXAMPLES = 2
_RIGHT = attrgetter("right")


class Dimension(NamedTuple):
    """Something that accuracy is broken down by."""

    name: str
    title: str
    value: Callable[[Case], Any]


DIMENSIONS = (
    Dimension("kind", "Kind of question", attrgetter("kind")),
    Dimension("support_size", "Sentences in the support", attrgetter("support_size")),
    Dimension("hops", "Hops of the proof", attrgetter("hops")),
    Dimension("sentences", "Length of the story, in sentences", attrgetter("sentences")),
    Dimension("distractors", "Sentences that do not matter", attrgetter("distractors")),
    Dimension("recency", "Sentences after the deciding fact", attrgetter("recency")),
    Dimension("reach", "Sentences back to the earliest of the support", attrgetter("reach")),
    Dimension("noise", "Kind of noise", attrgetter("noise")),
    Dimension("language", "Language", attrgetter("language")),
    Dimension("recipe", "Recipe", attrgetter("recipe")),
)


def share(right: int, count: int) -> Row:
    """A share with its interval, as a row."""
    value, low, high = wilson(right, count)
    return {"count": count, "right": right, "accuracy": value, "low": low, "high": high}


def overall(run: Run) -> Row:
    """The main numbers of a run."""
    stories: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for case in run.cases:
        cell = stories[case.story]
        cell[0] += case.right
        cell[1] += 1
    by_story = bootstrap([Story(*cell) for cell in stories.values()], "accuracy")
    counts = outcomes_of(run)
    return {
        "run": run.name,
        **share(run.right, len(run.cases)),
        "stories": len(stories),
        "story_low": _number(by_story.low),
        "story_high": _number(by_story.high),
        **{str(outcome): counts.get(str(outcome), 0) for outcome in Outcome},
    }


def _number(value: float) -> float | None:
    return None if isnan(value) else value


def grouped(cases: Sequence[Case], key: Callable[[Case], Hashable]) -> dict[Any, list[int]]:
    """Right answers and cases for each value of a key; None is no value."""
    found: dict[Any, list[int]] = defaultdict(lambda: [0, 0])
    # counted before it is added up: there are few different values, and many cases
    counted = Counter(zip(map(key, cases), map(_RIGHT, cases), strict=True))
    for (value, right), count in counted.items():
        if value is not None:
            cell = found[value]
            cell[0] += right * count
            cell[1] += count
    return found


# --- by one dimension ---------------------------------------------------------------------------


def breakdowns(runs: Sequence[Run]) -> tuple[dict[str, list[Row]], list[str]]:
    """Rows for each dimension that varies, and a line for those that do not."""
    found: dict[str, list[Row]] = {}
    same, missing = [], []
    for dimension in DIMENSIONS:
        counts = [grouped(run.cases, dimension.value) for run in runs]
        values = {value for count in counts for value in count}
        if len(values) < 2:
            if values:
                same.append(f"{dimension.title.lower()} ({values.pop() or 'none'})")
            else:
                missing.append(dimension.title.lower())
            continue
        label = _labels(values)
        rows = []
        for run, count in zip(runs, counts, strict=True):
            cells: dict[tuple[int, str], list[int]] = defaultdict(lambda: [0, 0])
            for value, (right, number) in count.items():
                cell = cells[label(value)]
                cell[0] += right
                cell[1] += number
            for (order, name), (right, number) in sorted(cells.items()):
                rows.append(
                    {"run": run.name, "value": name, "order": order, **share(right, number)}
                )
        found[dimension.name] = rows
    notes = []
    if same:
        notes.append(f"The same for all questions: {', '.join(same)}.")
    if missing:
        notes.append(f"Not measured here: {', '.join(missing)}.")
    return found, notes


def _labels(values: set[Any]) -> Callable[[Any], tuple[int, str]]:
    """What puts a value in order and names it; many numbers are put into ranges."""
    if not all(isinstance(value, int) for value in values):
        ranked = {value: at for at, value in enumerate(sorted(values, key=str))}
        return lambda value: (ranked[value], str(value))
    low, high = min(values), max(values)
    if high - low < BARS:
        return lambda value: (value, str(value))
    width = next(w for w in (2, 5, 10, 20, 50, 100, 200, 500, 1000, 10**4, 10**6)
                 if high // w - low // w < BARS)  # fmt: skip
    return lambda value: (
        value // width,
        f"{value // width * width}–{(value // width + 1) * width - 1}",
    )


# --- what the support consists of ---------------------------------------------------------------


def heatmap(run: Run) -> list[Row]:
    """A row for each composition, kind of question and size of support."""
    cells: dict[tuple[Any, str, str], list[Any]] = {}
    for case in run.cases:
        if case.support_size is None:
            continue
        cell = cells.setdefault((case.support_size, case.composition, case.kind), [0, 0, []])
        cell[0] += case.right
        cell[1] += 1
        if len(cell[2]) < EXAMPLES and (not case.right or cell[1] > 5):
            cell[2].append(case.example)
    seen = run.seen.compositions if run.seen else None
    rows = []
    for (size, composition, kind), (right, count, examples) in sorted(cells.items()):
        parts = () if composition == "nothing" else composition.split(" + ")
        rows.append(
            {
                "run": run.name,
                "support_size": size,
                "composition": composition,
                "kind": kind,
                **share(right, count),
                "few": count < FEW,
                "seen": None if seen is None else composition_name(kind, parts) in seen,
                "examples": examples,
            }
        )
    return rows


def steps(run: Run) -> list[Row]:
    """Accuracy against k, where chains have one."""
    found = grouped(run.cases, lambda case: case.steps)
    known = set(run.seen.steps) if run.seen else set()
    return [
        {"run": run.name, "k": k, **share(*found[k]), "trained": k in known if known else None}
        for k in sorted(found)
    ] if len(found) > 1 else []  # fmt: skip


def noise(runs: Sequence[Run]) -> list[Row]:
    """Kind of noise in training (or the run) against kind of noise in the test."""
    rows = []
    for run in runs:
        trained = run.seen.noise if run.seen else "not known"
        for kind, cell in sorted(grouped(run.cases, lambda case: case.noise).items()):
            rows.append({"run": run.name, "trained": trained, "tested": kind, **share(*cell)})
    tested = {row["tested"] for row in rows}
    return rows if len(tested) > 1 or tested - {"none"} else []


def giving(run: Run) -> list[Row]:
    """Accuracy by size of support, with and without GIVE in it (Dyna-bAbI, Table 9)."""
    if not any(case.give for case in run.cases) or all(case.give for case in run.cases):
        return []
    cells = grouped(run.cases, lambda case: (case.support_size, case.give))
    return [
        {
            "run": run.name,
            "support_size": size,
            "give": "with GIVE" if give else "without GIVE",
            **share(*cell),
        }
        for (size, give), cell in sorted(cells.items(), key=lambda item: str(item[0]))
        if size is not None
    ]


def phrasing(run: Run) -> Row | None:
    """Is a person's place known however it is asked for? where-person against yes-no."""
    asked: dict[tuple[str, int, str], dict[str, list[bool]]] = defaultdict(dict)
    for case in run.cases:
        if case.kind in ("where-person", "yes-no"):
            place = asked[case.story, case.position, case.subject]
            place.setdefault(case.kind, []).append(case.right)
    table = [[0, 0], [0, 0]]
    for both in asked.values():
        for where in both.get("where-person", ()):
            for yes_no in both.get("yes-no", ()):
                table[not where][not yes_no] += 1
    pairs = sum(map(sum, table))
    if not pairs:
        return None
    return {
        "run": run.name,
        "pairs": pairs,
        "both_right": table[0][0],
        "only_where": table[0][1],
        "only_yes_no": table[1][0],
        "both_wrong": table[1][1],
        "consistent": (table[0][0] + table[1][1]) / pairs,
        "p": mcnemar(table[0][1], table[1][0]),
    }


# --- what was seen in training ------------------------------------------------------------------


def leakage(run: Run) -> list[Row]:
    """Accuracy on what training had and on what it had not: signatures, compositions."""
    if run.seen is None:
        return []
    seen = run.seen
    kinds: tuple[tuple[str, Callable[[Case], bool]], ...] = (
        ("signature", lambda case: case.signature in seen.signatures),
        ("composition", lambda case: f"{case.kind}: {case.composition}" in seen.compositions),
    )
    rows = []
    for name, known in kinds:
        for value, cell in sorted(grouped(run.cases, known).items(), reverse=True):
            rows.append(
                {"run": run.name, "of": name, "value": "seen" if value else "unseen",
                 **share(*cell)}
            )  # fmt: skip
    return rows


def baselines(run: Run) -> list[Row]:
    """What one gets without understanding, as measured when the run was made."""
    total: dict[str, int] = defaultdict(int)
    for scored in run.manifest.get("baselines", {}).values():
        for name, right in scored.items():
            total[name] += right
    return [
        {"run": run.name, "baseline": name, **share(right, run.manifest["instances"])}
        for name, right in sorted(total.items(), key=lambda item: -item[1])
    ]
