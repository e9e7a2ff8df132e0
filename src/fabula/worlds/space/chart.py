"""The graph of told vectors: what relations/graph.py does, with plain sums.

Promise: the same values as Graph(KING); composing and inverting are just written out, because a
reader of positions spends most of its time with them.
"""

from __future__ import annotations

from fabula.relations import Graph, Route
from fabula.relations.graph import WORK
from fabula.worlds.space.grid import KING


class Chart(Graph[int]):
    """The vectors told so far."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__(KING)

    def add(self, number: int, subject: str, relation: int, other: str) -> None:
        """Take in what a sentence tells."""
        index, near, part = self.index, self.near, self._part
        first = index.get(subject)
        if first is None:
            first = index[subject] = len(near)
            near.append([])
            part.append(first)
        second = index.get(other)
        if second is None:
            second = index[other] = len(near)
            near.append([])
            part.append(second)
        one, two = first, second
        while part[one] != one:
            one = part[one] = part[part[one]]
        while part[two] != two:
            two = part[two] = part[part[two]]
        if one == two:
            self.woven = True
        else:
            part[one] = two
        bit = 1 << number
        self.links[number] = (subject, relation, other)
        near[first].append((second, relation, bit))
        near[second].append((first, -relation, bit))

    def routes(self, start: str, goal: str) -> list[Route[int]]:
        """Every simple path from start to goal."""
        index, near = self.index, self.near
        if start not in index or goal not in index:
            return []
        first, last = index[start], index[goal]
        found: list[Route[int]] = []
        stack = [(first, 0, 0, 1 << first)]
        work = WORK
        while stack and work:
            work -= 1
            node, mask, relation, seen = stack.pop()
            for other, step, bit in near[node]:
                if other == last:
                    found.append(Route(mask | bit, relation + step))
                elif not seen >> other & 1 and len(near[other]) > 1:  # from a leaf nothing goes on
                    stack.append((other, mask | bit, relation + step, seen | 1 << other))
        return found

    def alone(self, mask: int, start: str, goal: str) -> int | None:
        """The relation of start to goal if these sentences are one path between them, else None."""
        steps = self.path(mask, start, goal)
        return sum([step for _, step in steps]) if steps else None

    def frame(self, origin: int) -> list[tuple[int, int]] | None:
        """For each entity, by index: its component, and its place there; None if contradictory."""
        near = self.near
        parts = [-1] * len(near)
        places = [origin] * len(near)
        for root in range(len(near)):
            if parts[root] >= 0:
                continue
            parts[root] = root
            todo = [root]
            for node in todo:
                here = places[node]
                for other, step, _ in near[node]:
                    if parts[other] < 0:
                        parts[other] = root
                        places[other] = here - step
                        todo.append(other)
                    elif places[other] != here - step:
                        return None
        return list(zip(parts, places, strict=True))
