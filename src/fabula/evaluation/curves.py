"""Curves: how many examples does a model need, and does a dose of hard cases cure a failure?

Promises:
1. Doses are nested: a larger one contains the smaller ones, so a curve shows the effect of the dose
   alone.
2. A dose never contains test questions: if it does, it is rejected.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import exp, log
from pathlib import Path
from typing import NamedTuple

from fabula.core.instance import Instance
from fabula.core.seeds import shuffled, stream
from fabula.datasets.engines.local import check_free
from fabula.datasets.sources import evaluation_split, instances
from fabula.datasets.writing import write_records
from fabula.errors import FabulaError
from fabula.evaluation.statistics import Interval, wilson

GOAL = 0.95
"""The accuracy at which a task counts as solved."""


class Point(NamedTuple):
    """The accuracy of a model after a number of training examples."""

    examples: int
    right: int
    asked: int
    worth: float | None = None
    """The number of independent cases that the questions are worth, if some share a story."""

    @property
    def accuracy(self) -> Interval:
        """The accuracy, with its interval."""
        worth = self.asked if self.worth is None else self.worth
        return wilson(self.right / self.asked * worth if self.asked else 0, worth)


def examples_needed(points: Iterable[Point], goal: float = GOAL) -> float | None:
    """The number of examples at which a learning curve first reaches the goal; None if it never
    does.

    Between two points, accuracy is assumed to grow with the logarithm of the examples.
    """
    before: Point | None = None
    for point in sorted(points):
        reached = point.accuracy.value
        if reached >= goal:
            if before is None or before.examples < 1 or before.accuracy.value >= reached:
                return float(point.examples)
            start = before.accuracy.value
            part = (goal - start) / (reached - start)
            low, high = log(before.examples), log(point.examples)
            return exp(low + part * (high - low))
        before = point
    return None


def doses(
    source: Sequence[Instance], sizes: Iterable[int], test: Iterable[Instance], seed: int = 0
) -> dict[int, list[Instance]]:
    """Nested doses of a split, as additional training data; disjoint from the test.

    Train once with each dose and measure on both the old and the new test: if accuracy on the new
    one rises while that on the old one stays, the training data lacked the cases; if it does not
    rise, the model cannot learn them (Liu, Schwartz and Smith 2019).
    """
    wanted = sorted(set(sizes))
    if wanted and wanted[-1] > len(source):
        raise FabulaError(
            f"a dose of {wanted[-1]} is too large: there are only {len(source)} examples."
        )
    asked = {_content(each): each.id for each in test}
    for each in source:
        if _content(each) in asked:
            raise FabulaError(
                f"{each.id} is also in the test, as {asked[_content(each)]}; take the doses from "
                "a split that is disjoint from it."
            )
    draw = stream("doses", seed, "", len(source), "order")
    order = shuffled(draw, range(len(source)))
    return {size: [source[at] for at in order[:size]] for size in wanted}


def write_doses(
    data: str,
    out: str | Path,
    sizes: Iterable[int],
    test: Sequence[str] = (),
    seed: int | None = None,
    force: bool = False,
) -> list[Path]:
    """Write nested doses of training examples, a data set for each size, and return the folders.

    Args:
        data: the recipe or data set that the doses are taken from.
        out: the folder of the doses, `dose-10` and so on.
        sizes: the number of examples in each; a larger dose contains the smaller ones.
        test: the test data, which must be disjoint from the doses; by default the test split of
            `data`.
        seed: the seed of a recipe, and of the draw.
        force: replace existing doses.
    """
    asked = [
        instance
        for source in test or [data]
        for instance in instances(source, evaluation_split(source), None if test else seed)
    ]
    found = doses(list(instances(data, "train", seed)), sizes, asked, seed or 0)
    folders = {size: Path(out) / f"dose-{size}" for size in found}
    for folder in folders.values():
        check_free(folder, str(folder), force)
    for size, folder in folders.items():
        write_records({"train": found[size]}, folder, force=force, about=lambda: {"of": data})
    return list(folders.values())


def _content(each: Instance) -> tuple[tuple[str, ...], str]:
    return each.story, each.question


class Cure(NamedTuple):
    """The effect of a series of doses."""

    outcome: str
    """'cured' (the gap closes), 'immune' (it stays), 'harmed' (the old test suffers)."""
    gap_before: float
    gap_after: float
    loss: float
    """The loss of accuracy on the old test."""


def inoculation(old: Sequence[Point], new: Sequence[Point], much: float = 0.05) -> Cure:
    """The effect of doses, from accuracies on both tests by dose; the first is without a dose."""
    if (
        len(old) != len(new)
        or len(old) < 2
        or [p.examples for p in old] != [p.examples for p in new]
    ):
        raise FabulaError("inoculation: needs both tests at the same doses, at least two.")
    first_old, last_old = (sorted(old)[at].accuracy.value for at in (0, -1))
    first_new, last_new = (sorted(new)[at].accuracy.value for at in (0, -1))
    before, after, loss = first_old - first_new, last_old - last_new, first_old - last_old
    if loss > much:
        outcome = "harmed"
    elif after <= max(much, before / 2):
        outcome = "cured"
    else:
        outcome = "immune"
    return Cure(outcome, before, after, loss)
