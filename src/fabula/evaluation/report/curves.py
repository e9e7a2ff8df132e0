"""Curves over runs: accuracy against training examples, and against the dose of an inoculation.

Runs of one kind of model on the same questions belong together. If all were trained on the same
sources, in different amounts, they form a learning curve. If the others had the sources of the
smallest and something in addition, that is their dose (Liu, Schwartz and Smith 2019).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

from fabula.errors import FabulaError
from fabula.evaluation.curves import GOAL, Cure, Point, examples_needed, inoculation
from fabula.evaluation.report.cases import Case, Run, read_runs
from fabula.evaluation.report.numbers import Row, by_story, shown
from fabula.evaluation.seen import Seen
from fabula.evaluation.statistics import effective


class Curve(NamedTuple):
    """Accuracy of a kind of model on a test, by training examples or dose."""

    model: str
    test: str
    trained: str
    """The training data that all of its runs share."""
    points: list[Point]

    def needed(self, goal: float = GOAL) -> float | None:
        """The number of training examples at which it counts as solved."""
        return examples_needed(self.points, goal)

    def to_dict(self) -> dict[str, Any]:
        """The curve as plain values."""
        return {**self._asdict(), "points": [_row(point) for point in self.points]}


class Inoculation(NamedTuple):
    """The effect of doses on a model: one curve on the old test, one on the new."""

    old: Curve
    new: Curve
    cure: Cure


class Curves(NamedTuple):
    """The curves that some runs form together."""

    learning: list[Curve]
    doses: list[Curve]
    inoculations: list[Inoculation]


def curves(folders: Sequence[Path]) -> Curves:
    """The curves of runs on disk; an error if there are none."""
    runs = read_runs(folders)
    found = Curves(learning(runs), dosed := doses(runs), inoculations(dosed))
    if not found.learning and not found.doses:
        raise FabulaError(
            "no curve: give at least two runs of the same model on the same questions, trained on "
            "different numbers of examples."
        )
    return found


def learning(runs: Sequence[Run]) -> list[Curve]:
    """All learning curves with at least two points."""
    found = []
    for model, test, members in _together(runs):
        by_source: dict[str, list[tuple[Seen, Run]]] = defaultdict(list)
        for seen, run in members:
            by_source[seen.source].append((seen, run))
        for source, same in by_source.items():
            if any(_sources(other) < _sources(source) for other in by_source):
                continue  # these are doses
            curve = Curve(model, test, source, _points((s.examples, r) for s, r in same))
            if len(curve.points) > 1:
                found.append(curve)
    return found


def doses(runs: Sequence[Run]) -> list[Curve]:
    """Every curve against the dose; the first point is without one."""
    found = []
    for model, test, members in _together(runs):
        for source in dict.fromkeys(seen.source for seen, _ in members):
            base = _sources(source)
            dosed = [(seen, run) for seen, run in members if _sources(seen.source) > base]
            least = min((seen.examples for seen, _ in dosed), default=0)
            plain = [(s, run) for s, run in members if s.source == source and s.examples < least]
            if not plain:
                continue
            before = max(seen.examples for seen, _ in plain)
            points = _points(
                (seen.examples - before, run)
                for seen, run in (*plain, *dosed)
                if seen.examples >= before
            )
            found.append(Curve(model, test, source, points))
    return found


def inoculations(curves: Sequence[Curve]) -> list[Inoculation]:
    """The effect of doses for each pair of tests; the old test is the one that needed less of a
    cure.
    """
    found = []
    for pair in combinations(curves, 2):
        first, second = pair
        if (first.model, first.trained) != (second.model, second.trained):
            continue
        if [p.examples for p in first.points] != [p.examples for p in second.points]:
            continue
        new, old = sorted(pair, key=lambda curve: curve.points[0].accuracy.value)
        found.append(Inoculation(old, new, inoculation(old.points, new.points)))
    return found


def rows(curves: Iterable[Curve]) -> list[Row]:
    """The points of curves as rows with intervals, each curve with a unique name."""
    curves = list(curves)
    return [
        {"run": name, **_row(point)}
        for name, curve in zip(names(curves), curves, strict=True)
        for point in curve.points
    ]


def names(curves: Sequence[Curve]) -> list[str]:
    """Names of curves: what differs between them."""
    parts = [(curve.model, f"on {curve.test}", f"after {curve.trained}") for curve in curves]
    differ = [len({part[at] for part in parts}) > 1 for at in range(3)]
    kept = [
        " ".join(word for word, wanted in zip(part, differ, strict=True) if wanted)
        for part in parts
    ]
    return [name.removeprefix("on ") or part[0] for name, part in zip(kept, parts, strict=True)]


def _together(runs: Sequence[Run]) -> list[tuple[str, str, list[tuple[Seen, Run]]]]:
    """(model, test, runs) of one kind of model on the same questions, with what each has seen."""
    found: dict[tuple[str, Any], list[tuple[Seen, Run]]] = defaultdict(list)
    for run in runs:
        if run.seen is None:
            continue
        about = run.manifest.get("about", {})
        model = about.get("architecture") or about.get("model") or run.manifest["model"]
        found[str(model), run.manifest.get("digest")].append((run.seen, run))
    return [
        (model, str(members[0][1].manifest["data"]), members)
        for (model, _), members in found.items()
    ]


def _sources(source: str) -> set[str]:
    return set(source.split(", "))


def _row(point: Point) -> Row:
    counts = {"count": point.asked, "right": point.right}
    return {"examples": point.examples, **counts, **shown(point.accuracy)}


def _points(members: Iterable[tuple[int, Run]]) -> list[Point]:
    """Points of a curve; runs with the same number of examples are merged, story by story."""
    cells: dict[int, list[Case]] = defaultdict(list)
    for examples, run in members:
        cells[examples] += run.cases
    return [
        Point(examples, sum(case.right for case in cases), len(cases), effective(by_story(cases)))
        for examples, cases in sorted(cells.items())
    ]
