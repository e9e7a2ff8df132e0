"""All numbers of a report: accuracy with intervals, by every measured feature.

Promises:
1. Every accuracy comes with its count, its 95% interval by stories (questions about one story are
   not independent), and the best trivial baseline on the same questions.
2. Sections without data are omitted, with a line that says why; so is a breakdown that shows the
   same groups as another one.
"""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from hashlib import blake2b
from operator import attrgetter
from typing import Any, NamedTuple

from fabula.evaluation import statistics
from fabula.evaluation.report.cases import Case, Run, outcomes_of
from fabula.evaluation.statistics import Interval, Story, sign_flip
from fabula.generation.composition import composition_name
from fabula.scoring import Outcome

Row = dict[str, Any]

FEW = 10
"""Minimum number of cases for a cell to have a colour."""
BARS = 10
"""Numbers with more values than this are grouped into ranges."""
EXAMPLES = 2


class Dimension(NamedTuple):
    """A feature that accuracy is broken down by."""

    name: str
    title: str
    value: Callable[[Case], Any]


DIMENSIONS = (
    Dimension("kind", "Kind of question", attrgetter("kind")),
    Dimension("support_size", "Sentences in the support", attrgetter("support_size")),
    Dimension("hops", "Hops of the proof", attrgetter("hops")),
    Dimension("sentences", "Length of the story, in sentences", attrgetter("sentences")),
    Dimension("distractors", "Distractors", attrgetter("distractors")),
    Dimension("recency", "Sentences after the deciding fact", attrgetter("recency")),
    Dimension("reach", "Sentences back to the earliest of the support", attrgetter("reach")),
    Dimension("noise", "Kind of noise", attrgetter("noise")),
    Dimension("language", "Language", attrgetter("language")),
    Dimension("recipe", "Recipe", attrgetter("recipe")),
)


# --- one group of cases -------------------------------------------------------------------------


def by_story(
    cases: Iterable[Case], value: Callable[[Case], float] = attrgetter("right")
) -> list[Story]:
    """A value summed over the questions of each story."""
    found: dict[str, list[float]] = defaultdict(lambda: [0, 0])
    for case in cases:
        cell = found[case.story]
        cell[0] += value(case)
        cell[1] += 1
    return [Story(value, int(count)) for value, count in found.values()]


def measure(cases: Sequence[Case]) -> Row:
    """A group of cases as a row: accuracy, interval, and the best baseline."""
    stories = by_story(cases)
    value, low, high = statistics.share(stories)
    guessed = baselines_of(cases)
    best = max(guessed, key=lambda name: guessed[name], default=None)
    return {
        "count": len(cases),
        "right": sum(case.right for case in cases),
        "stories": len(stories),
        "accuracy": value,
        "low": low,
        "high": high,
        "baseline": best,
        "baseline_accuracy": None if best is None else guessed[best] / len(cases),
    }


def baselines_of(cases: Iterable[Case]) -> Counter[str]:
    """The number of cases that each trivial baseline gets right."""
    found: Counter[str] = Counter()
    for names, count in Counter(case.guessed for case in cases).items():
        for name in names:
            found[name] += count
    return found


def grouped(cases: Iterable[Case], key: Callable[[Case], Hashable]) -> dict[Any, list[Case]]:
    """The cases for each value of a key, except None."""
    found: dict[Any, list[Case]] = defaultdict(list)
    for case in cases:
        value = key(case)
        if value is not None:
            found[value].append(case)
    return found


def overall(run: Run) -> Row:
    """The main numbers of a run."""
    counts = outcomes_of(run)
    return {
        "run": run.name,
        **measure(run.cases),
        "above_baseline": above_baseline(run.cases),
        **{str(outcome): counts.get(str(outcome), 0) for outcome in Outcome},
    }


def above_baseline(cases: Sequence[Case]) -> Row | None:
    """The difference from the best trivial baseline, with interval and p-value."""
    guessed = baselines_of(cases)
    if not guessed:
        return None
    name = max(guessed, key=lambda each: guessed[each])
    return {
        "baseline": name,
        "accuracy": guessed[name] / len(cases),
        **difference(by_story(cases, lambda case: case.right - (name in case.guessed))),
    }


def difference(stories: Sequence[Story]) -> Row:
    """The difference of two models on the same questions, as a row."""
    value, low, high = statistics.difference(stories)
    return {
        "difference": value,
        "low": _number(low),
        "high": _number(high),
        "p": sign_flip(int(story.value) for story in stories),
    }


def _number(value: float) -> float | None:
    return None if value != value else value


def shown(interval: Interval) -> Row:
    """An interval as a row."""
    return {"accuracy": interval.value, "low": interval.low, "high": interval.high}


# --- by one dimension ---------------------------------------------------------------------------


def breakdowns(runs: Sequence[Run]) -> tuple[dict[str, list[Row]], list[str]]:
    """Rows for each dimension that varies, and lines for those that do not or add nothing new."""
    found: dict[str, list[Row]] = {}
    told: dict[bytes, str] = {}
    same, missing, notes = [], [], []
    for dimension in DIMENSIONS:
        groups = [grouped(run.cases, dimension.value) for run in runs]
        values = {value for group in groups for value in group}
        if len(values) < 2:
            if values:
                same.append(f"{dimension.title.lower()} ({values.pop() or 'none'})")
            else:
                missing.append(dimension.title.lower())
            continue
        parted = _partition(runs, dimension)
        if parted in told:
            notes.append(
                f"{dimension.title}: divides the questions exactly as "
                f"{told[parted].lower()} does, so it is shown once."
            )
            continue
        told[parted] = dimension.title
        label = _labels(values)
        rows: list[Row] = []
        for run, group in zip(runs, groups, strict=True):
            cells: dict[tuple[int, str], list[Case]] = defaultdict(list)
            for value, cases in group.items():
                cells[label(value)] += cases
            for (order, name), cases in sorted(cells.items(), key=lambda item: item[0]):
                rows.append({"run": run.name, "value": name, "order": order, **measure(cases)})
        found[dimension.name] = rows
    if same:
        notes.append(f"The same for all questions: {', '.join(same)}.")
    if missing:
        notes.append(f"Not measured here: {', '.join(missing)}.")
    return found, notes


def _partition(runs: Sequence[Run], dimension: Dimension) -> bytes:
    """A fingerprint of how a dimension groups the cases, whatever it calls the groups."""
    numbers: dict[Any, int] = {}
    groups = (
        numbers.setdefault(dimension.value(case), len(numbers))
        for run in runs
        for case in run.cases
    )
    return blake2b(array("I", groups).tobytes(), digest_size=16).digest()


def _labels(values: set[Any]) -> Callable[[Any], tuple[int, str]]:
    """A function that sorts and names values; many numbers are grouped into ranges."""
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


# --- composition of the support -----------------------------------------------------------------

Cell = tuple[int, str, str]


def cell_of(case: Case) -> Cell | None:
    """The cell of the heatmap: size of the support, composition, question kind."""
    if case.support_size is None:
        return None
    return case.support_size, case.composition, case.kind


def heatmap(run: Run) -> list[Row]:
    """A row for each composition, question kind and size of support."""
    rows = []
    for cell, cases in sorted(grouped(run.cases, cell_of).items()):
        wrong = [case.example for case in cases if not case.right]
        rows.append(
            {
                "run": run.name,
                **_cell(cell),
                **measure(cases),
                "few": len(cases) < FEW,
                "seen": was_seen(run, cell),
                "examples": (wrong or [case.example for case in cases])[:EXAMPLES],
            }
        )
    return rows


def _cell(cell: Cell) -> Row:
    return {"support_size": cell[0], "composition": cell[1], "kind": cell[2]}


def was_seen(run: Run, cell: Cell) -> bool | None:
    """Whether training had this composition with this question kind, if known."""
    if run.seen is None:
        return None
    parts = () if cell[1] == "nothing" else cell[1].split(" + ")
    return composition_name(cell[2], parts) in run.seen.compositions


def steps(run: Run) -> list[Row]:
    """Accuracy against k, for chains that have one."""
    found = grouped(run.cases, lambda case: case.steps)
    known = set(run.seen.steps) if run.seen else set()
    return [
        {"run": run.name, "k": k, **measure(found[k]), "trained": k in known if known else None}
        for k in sorted(found)
    ] if len(found) > 1 else []  # fmt: skip


def noise(runs: Sequence[Run]) -> list[Row]:
    """Kind of noise in training (or the run) against kind of noise in the test."""
    rows = []
    for run in runs:
        trained = run.seen.noise if run.seen else "not known"
        for kind, cases in sorted(grouped(run.cases, lambda case: case.noise).items()):
            rows.append({"run": run.name, "trained": trained, "tested": kind, **measure(cases)})
    tested = {row["tested"] for row in rows}
    return rows if len(tested) > 1 or (len(rows) > 1 and tested - {"none"}) else []


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
            **measure(cases),
        }
        for (size, give), cases in sorted(cells.items(), key=lambda item: str(item[0]))
        if size is not None
    ]


def phrasing(run: Run) -> Row | None:
    """Is a person's place known however the question is phrased? where-person against yes-no."""
    asked: dict[tuple[str, int, str], dict[str, list[bool]]] = defaultdict(dict)
    for case in run.cases:
        if case.kind in ("where-person", "yes-no"):
            place = asked[case.story, case.position, case.subject]
            place.setdefault(case.kind, []).append(case.right)
    table = [[0, 0], [0, 0]]
    stories: Counter[str] = Counter()
    for (story, _, _), both in asked.items():
        for where in both.get("where-person", ()):
            for yes_no in both.get("yes-no", ()):
                table[not where][not yes_no] += 1
                stories[story] += where - yes_no
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
        "p": sign_flip(stories.values()),
    }


# --- seen in training ---------------------------------------------------------------------------


def leakage(run: Run) -> list[Row]:
    """Accuracy on content seen and not seen in training: signatures, compositions."""
    if run.seen is None:
        return []
    seen = run.seen
    kinds: tuple[tuple[str, Callable[[Case], bool]], ...] = (
        ("signature", lambda case: case.signature in seen.signatures),
        ("composition", lambda case: f"{case.kind}: {case.composition}" in seen.compositions),
    )
    rows = []
    for name, known in kinds:
        for value, cases in sorted(grouped(run.cases, known).items(), reverse=True):
            rows.append(
                {"run": run.name, "of": name, "value": "seen" if value else "unseen",
                 **measure(cases)}
            )  # fmt: skip
    return rows


# --- trivial baselines --------------------------------------------------------------------------


def baselines(run: Run) -> list[Row]:
    """Accuracy of trivial baselines, overall and by question kind; the best first."""
    total = baselines_of(run.cases)
    kinds = sorted(grouped(run.cases, attrgetter("kind")).items())
    groups = [("all", run.cases), *(kinds if len(kinds) > 1 else ())]
    rows = []
    for name in sorted(total, key=lambda each: (-total[each], each)):
        for kind, cases in groups:
            stories = by_story(cases, lambda case: name in case.guessed)  # noqa: B023
            rows.append(
                {
                    "run": run.name,
                    "baseline": name,
                    "kind": kind,
                    "count": len(cases),
                    "right": int(sum(story.value for story in stories)),
                    **shown(statistics.share(stories)),
                }
            )
    return rows
