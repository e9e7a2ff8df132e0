"""The reader of relation graphs: from the stated links, how two entities are related, and why.

Promises:
1. Complete: a set of sentences settles a pair if it contains a path between the two that folds to
   one relation. The minimal sets are the simple paths, and `routes` finds all of them (up to a
   bound on the work that only adversarial stories reach).
2. A sentence that occurs twice counts as two sentences: each can be cited.
3. `alone` reads only the sentences it is given.
"""

from __future__ import annotations

from typing import Generic, NamedTuple

from fabula.core.supports import minimal
from fabula.world.relations.algebra import Algebra, R

WORK = 200_000  # maximum number of partial paths per pair: a bound for adversarial stories


class Route(NamedTuple, Generic[R]):
    """A simple path: its sentences and the relation it folds to."""

    mask: int
    relation: R


class Graph(Generic[R]):
    """The links stated so far."""

    __slots__ = ("_invert", "algebra", "index", "links", "near")

    def __init__(self, algebra: Algebra[R]) -> None:
        self.algebra = algebra
        self.index: dict[str, int] = {}
        """Entity to its number, in order of first mention."""
        self.links: dict[int, tuple[str, R, str]] = {}
        """Sentence number to its link."""
        self.near: list[list[tuple[int, R, int]]] = []
        """For each entity: (other entity, relation to it, bit of the sentence)."""
        self._invert = algebra.invert

    def add(self, number: int, subject: str, relation: R, other: str) -> None:
        """Add the link that a sentence states."""
        first, second = self._number(subject), self._number(other)
        bit = 1 << number
        self.links[number] = (subject, relation, other)
        self.near[first].append((second, relation, bit))
        self.near[second].append((first, self._invert(relation), bit))

    def _number(self, name: str) -> int:
        number = self.index.get(name)
        if number is None:
            number = self.index[name] = len(self.near)
            self.near.append([])
        return number

    def routes(self, start: str, goal: str) -> list[Route[R]]:
        """Every simple path from start to goal that folds to a relation."""
        if start not in self.index or goal not in self.index:
            return []
        near, compose = self.near, self.algebra.compose
        first, last = self.index[start], self.index[goal]
        found: list[Route[R]] = []
        stack: list[tuple[int, int, R | None, int]] = [(first, 0, None, 1 << first)]
        work = WORK
        while stack and work:
            work -= 1
            node, mask, relation, seen = stack.pop()
            for other, step, bit in near[node]:
                if seen >> other & 1:
                    continue
                reached = step if relation is None else compose(relation, step)
                if reached is None:
                    continue
                if other == last:
                    found.append(Route(mask | bit, reached))
                else:
                    stack.append((other, mask | bit, reached, seen | 1 << other))
        return found

    def settled(self, start: str, goal: str) -> tuple[R, list[int]] | None:
        """The relation of start to goal and its minimal supports; None if it is not settled."""
        routes = self.routes(start, goal)
        if not routes:
            return None
        relation = routes[0].relation
        if len(routes) == 1:
            return relation, [routes[0].mask]
        if any(route.relation != relation for route in routes):
            return None
        return relation, minimal([route.mask for route in routes])

    def path(self, mask: int, start: str, goal: str) -> list[tuple[int, R]] | None:
        """The sentences of a mask in the order of a walk from start to goal.

        Each comes with the relation of the current entity to the next one. None unless the
        sentences together are exactly one simple path: no sentence of a path can be dropped, and
        only paths are minimal.
        """
        here, last = self.index.get(start, -1), self.index.get(goal, -1)
        if here < 0 or last < 0:
            return None
        near = self.near
        steps: list[tuple[int, R]] = []
        # at every entity exactly one unused link must lead on, until none is left
        while here != last:
            way = None
            for link in near[here]:
                if link[2] & mask:
                    if way is not None:
                        return None
                    way = link
            if way is None:
                return None
            here, step, bit = way
            mask ^= bit
            steps.append((bit.bit_length() - 1, step))
        return None if mask else steps

    def alone(self, mask: int, start: str, goal: str) -> R | None:
        """The relation of start to goal if these sentences are one path between them, else None."""
        steps = self.path(mask, start, goal)
        if not steps:
            return None
        state = steps[0][1]
        for _, step in steps[1:]:
            reached = self.algebra.compose(state, step)
            if reached is None:
                return None
            state = reached
        return state

    def frame(self, origin: R) -> list[tuple[int, R]] | None:
        """For each entity, by index: its component, and its relation to the first entity of that
        component.

        `origin` is the relation of an entity to itself. None if the story contradicts itself. Only
        for algebras in which any two relations compose.
        """
        near, compose, invert = self.near, self.algebra.compose, self.algebra.invert
        states: list[tuple[int, R] | None] = [None] * len(near)
        for root in range(len(near)):
            if states[root] is not None:
                continue
            states[root] = (root, origin)
            todo = [root]
            for node in todo:
                here = states[node]
                assert here is not None
                for other, step, _ in near[node]:
                    reached = compose(invert(step), here[1])
                    assert reached is not None
                    known = states[other]
                    if known is None:
                        states[other] = (root, reached)
                        todo.append(other)
                    elif known[1] != reached:
                        return None
        return [state for state in states if state is not None]
