"""Denials as inequalities: what they settle, alone or together, and by which sentences.

    1 Otto is not anywhere behind Vera.           depth: Otto is at least as near as Vera
    2 Vera is one step in front of Hugo.          depth: Vera = Hugo + 1
    Is Otto anywhere in front of Hugo?            yes: 1, 2

A *bound* is an upper limit on how far one thing lies beyond another along one axis. A *case* is a
tuple of bounds that hold together. A region (see grid.py) is one case, with a bound or two for each
axis it names. Its denial is several cases of one bound each, at least one of which holds: what is
not to the upper left is at least as far right, or at most as high.

Promises:
1. Sound and complete: sentences contradict a case if and only if, whichever case of each denial
   holds, bounds and stated links form a cycle with a negative sum. (Positions are whole numbers and
   the axes are independent, so a system of differences without such a cycle has a solution.) All
   minimal sets of sentences that do so are found.
2. Denials are combined in all ways, few before many, up to WORK combinations: those of eight
   denials. (A recipe states at most two.)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, combinations, islice
from itertools import product as choices
from typing import NamedTuple

from fabula.core.supports import minimal, product
from fabula.world.space.chart import Chart
from fabula.world.space.grid import Region, xyz

WORK = 500


class Bound(NamedTuple):
    """An upper bound along an axis: low - high <= most."""

    axis: int
    low: str
    high: str
    most: int
    bit: int = 0
    """The sentence that says so; 0: it is assumed."""


Case = tuple[Bound, ...]


class Denial(NamedTuple):
    """A sentence says that the figure does not lie in this region of the ground."""

    bit: int
    region: Region
    figure: str
    ground: str


def inside(region: Region, figure: str, ground: str) -> list[Case]:
    """The one case in which the figure lies in the region of the ground."""
    bounds = []
    for axis, sign in enumerate(region):
        if sign is not None and sign <= 0:
            bounds.append(Bound(axis, figure, ground, sign))
        if sign is not None and sign >= 0:
            bounds.append(Bound(axis, ground, figure, -sign))
    return [tuple(bounds)]


def outside(region: Region, figure: str, ground: str, axes: int, bit: int = 0) -> list[Case]:
    """The cases in which the figure does not lie in the region of the ground.

    There are no differences along axes beyond the first `axes`.
    """
    cases: list[Case] = []
    for axis, sign in enumerate(region[:axes]):
        if sign is not None and sign >= 0:
            cases.append((Bound(axis, figure, ground, sign - 1, bit),))
        if sign is not None and sign <= 0:
            cases.append((Bound(axis, ground, figure, -sign - 1, bit),))
    return cases


class Refuter:
    """Finds the sentences of one story that contradict an assumption."""

    def __init__(self, chart: Chart, denials: Sequence[Denial], axes: int) -> None:
        self.axes = axes
        """Two, or three if the story mentions depth."""
        self._chart = chart
        self._denied = [outside(d.region, d.figure, d.ground, axes, d.bit) for d in denials]
        self._ways: dict[tuple[str, str], list[int]] = {}

    def refutations(self, cases: Sequence[Case]) -> list[int]:
        """The minimal sets of sentences that contradict every case, with at least one denial.

        All cases are about the same two entities. A path of links between these settles all cases
        without a denial, so proofs by links alone are not searched here.
        """
        sizes = range(1, len(self._denied) + 1)
        groups = chain.from_iterable(combinations(self._denied, size) for size in sizes)
        found: list[int] = []
        for group in islice(groups, WORK):
            found += self._together(cases, group)
        return minimal(found)

    def _together(self, cases: Sequence[Case], group: Sequence[list[Case]]) -> list[int]:
        """The same, by links and these denials only."""
        found = [0]
        for parts in choices(cases, *group):
            rings = list(self._rings(tuple(chain.from_iterable(parts))))
            if not rings:
                return []
            found = product(found, minimal(rings))
        return found

    def _rings(self, bounds: Sequence[Bound]) -> Iterator[int]:
        """Sets of sentences by which some of the bounds, including a denial's, form a negative
        cycle.
        """
        # a bound leads from its low end to its high end, and stated links from there to the next
        for at, first in enumerate(bounds):
            later = [bound for bound in bounds[at + 1 :] if bound.axis == first.axis]
            stack = [(first, first.most, [first.bit], later, first.bit > 0)]
            while stack:
                last, total, label, rest, denied = stack.pop()
                gap = self._gap(last.high, first.low, first.axis)
                if gap is not None and total + gap < 0 and denied:
                    yield from product(label, self._between(last.high, first.low))
                for bound in rest:
                    gap = self._gap(last.high, bound.low, bound.axis)
                    if gap is not None:
                        ways = product(label, self._between(last.high, bound.low))
                        ways = [mask | bound.bit for mask in ways]
                        left = [other for other in rest if other is not bound]
                        reached = total + gap + bound.most
                        stack.append((bound, reached, ways, left, denied or bound.bit > 0))

    def _gap(self, first: str, second: str, axis: int) -> int | None:
        """How far the first lies beyond the second along an axis, if links determine it."""
        if first == second:
            return 0
        gap = self._chart.gap(first, second)
        return None if gap is None else xyz(gap)[axis]

    def _between(self, first: str, second: str) -> list[int]:
        """The sentences of every path of links between two; nothing leads from one to itself."""
        if first == second:
            return [0]
        found = self._ways.get((first, second))
        if found is None:
            found = self._ways[first, second] = self._chart.ways(first, second)
        return found
