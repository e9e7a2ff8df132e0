"""Chains of relations, drawn freely or with a given outcome.

Promises:
1. All sequences of n steps with the requested outcome are equally likely.
2. There are no failed attempts: the outcomes that can still be reached are counted once and cached,
   so a rare outcome costs as little as a common one.
3. A chain is simple: each entity occurs once, so its ends are exactly as many hops apart as it has
   links, and no part of it settles how they are related.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Callable, Hashable, Sequence
from typing import Generic

from fabula.core.seeds import Draw
from fabula.world.relations.algebra import Algebra, Link, R

TABLES = 100_000  # maximum number of cached tables, so that memory stays flat

ANY = None
"""The outcome of a walk that may have any defined outcome."""


class Walks(Generic[R]):
    """Sequences of steps of one algebra, by the outcome of their composition."""

    def __init__(
        self,
        algebra: Algebra[R],
        outcome: Callable[[R], Hashable] = lambda relation: relation,
        reachable: Callable[[R, Hashable, int], bool] = lambda state, wish, left: True,
    ) -> None:
        """`reachable` may report that a state cannot reach an outcome in n steps: less to count."""
        self.algebra = algebra
        self._outcome = outcome
        self._reachable = reachable
        self._tables: dict[tuple[int, R | None, Hashable], tuple[list[int], list[R], list[R]]] = {}

    def count(self, length: int, wish: Hashable = ANY, start: R | None = None) -> int:
        """The number of sequences of this length, after a start, with the requested outcome."""
        if length == 0:
            if start is None:
                return 0
            return int(wish is ANY or self._outcome(start) == wish)
        if start is not None and wish is not ANY and not self._reachable(start, wish, length):
            return 0
        totals = self._table(length, start, wish)[0]
        return totals[-1] if totals else 0

    def draw(self, draw: Draw, length: int, wish: Hashable = ANY) -> list[R] | None:
        """A random sequence with the requested outcome, or None if there is none."""
        if len(self._tables) > TABLES:
            self._tables.clear()
        steps = []
        state: R | None = None
        known = self._tables.get
        for left in range(length, 0, -1):
            totals, choices, states = known((left, state, wish)) or self._table(left, state, wish)
            if not totals:
                return None
            at = bisect(totals, int(draw() * totals[-1]))
            steps.append(choices[at])
            state = states[at]
        return steps

    def _table(
        self, length: int, start: R | None, wish: Hashable
    ) -> tuple[list[int], list[R], list[R]]:
        """For each possible next step: the running count of sequences, the step, the state after
        it.
        """
        key = (length, start, wish)
        table = self._tables.get(key)
        if table is None:
            totals: list[int] = []
            choices: list[R] = []
            states: list[R] = []
            total = 0
            for step in self.algebra.steps:
                state = step if start is None else self.algebra.compose(start, step)
                if state is None:
                    continue
                ways = self.count(length - 1, wish, state)
                if ways:
                    total += ways
                    totals.append(total)
                    choices.append(step)
                    states.append(state)
            table = self._tables[key] = (totals, choices, states)
        return table


def chain(names: Sequence[str], steps: Sequence[R], role: str = "chain") -> list[Link[R]]:
    """The links from the first name to the last: names[i] steps[i] names[i + 1]."""
    return [Link(names[i], step, names[i + 1], role) for i, step in enumerate(steps)]


def folded(algebra: Algebra[R], steps: Sequence[R]) -> R | None:
    """The composition of a sequence of steps, or None if nothing follows."""
    state: R | None = steps[0]
    for step in steps[1:]:
        if state is None:
            return None
        state = algebra.compose(state, step)
    return state
