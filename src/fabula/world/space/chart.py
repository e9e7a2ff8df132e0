"""The map that the reader draws from stated vectors: what lies where, and by which sentences.

Promises:
1. The results equal those of relations/graph.py on this algebra: the simple paths between two
   entities, and what they fold to. (Any two relations compose here, so positions can be stored
   instead of searched.)
2. `sound` is False as soon as sentences contradict each other, through any chain.
3. `alone` reads only the sentences it is given.

A *part* is a connected component. Each entity stores its position in its part and, as a mask, the
sentences that lead to it from one entity there. As long as there is only one path, the sentences
between any two are where their masks differ. A sentence that closes a cycle stores the cycle. With
one cycle there are two paths between entities on either side of it; with more, paths are searched.
"""

from __future__ import annotations

from fabula.core.supports import minimal
from fabula.world.relations.graph import WORK

Told = tuple[int, str, int, str]
"""(bit of the sentence, figure, relation, ground)."""


class Chart:
    """The vectors stated so far."""

    __slots__ = ("_near", "parts", "paths", "places", "rings", "shared", "sound", "told")

    def __init__(self) -> None:
        self.told: list[Told] = []
        self.places: dict[str, int] = {}
        """The position of everything, each part with its own origin; in order of first mention."""
        self.paths: dict[str, int] = {}
        self.parts: dict[str, list[str]] = {}
        """The members of an entity's part."""
        self.rings: list[int] = []
        """The sentences of every cycle, as masks."""
        self.shared = False
        """Whether a sentence states more than one vector, so that masks do not determine paths."""
        self.sound = True
        self._near: dict[str, list[tuple[str, int, int]]] = {}

    def add(self, bit: int, subject: str, relation: int, other: str) -> None:
        """Add a vector that a sentence states."""
        if self.told:
            if self.told[-1][0] == bit:
                self.shared = True
            if self._near:
                self._near = {}
        self.told.append((bit, subject, relation, other))
        places, paths, parts = self.places, self.paths, self.parts
        mine, yours = parts.get(subject), parts.get(other)
        if mine is None:
            if yours is None:
                parts[subject] = parts[other] = [subject, other]
                places[subject] = relation
                paths[subject] = bit
                places[other] = paths[other] = 0
            else:
                yours.append(subject)
                parts[subject] = yours
                places[subject] = places[other] + relation
                paths[subject] = paths[other] | bit
        elif yours is None:
            mine.append(other)
            parts[other] = mine
            places[other] = places[subject] - relation
            paths[other] = paths[subject] | bit
        elif mine is yours:
            self.rings.append(paths[subject] ^ paths[other] | bit)
            if places[subject] - places[other] != relation:
                self.sound = False
        else:
            turn = paths[subject] ^ paths[other] ^ bit
            shift = places[other] + relation - places[subject]
            if len(mine) > len(yours):
                mine, yours, shift = yours, mine, -shift
            for name in mine:
                places[name] += shift
                paths[name] ^= turn
                parts[name] = yours
            yours += mine

    def gap(self, first: str, second: str) -> int | None:
        """The position of the first relative to the second; None if the sentences do not say."""
        part = self.parts.get(first)
        if part is None or part is not self.parts.get(second) or first == second:
            return None
        return self.places[first] - self.places[second]

    def ways(self, start: str, goal: str) -> list[int]:
        """The sentences of every simple path from start to goal, best first."""
        if self.gap(start, goal) is None:
            return []
        if self.shared or len(self.rings) > 1:
            return minimal(self._search(start, goal))
        way = self.paths[start] ^ self.paths[goal]
        if self.rings and way & self.rings[0]:
            return minimal([way, way ^ self.rings[0]])
        return [way]

    def near(self) -> dict[str, list[tuple[str, int, int]]]:
        """For each entity, its stated neighbours: (other, relation to it, bit)."""
        if not self._near:
            near: dict[str, list[tuple[str, int, int]]] = {name: [] for name in self.places}
            for bit, subject, relation, other in self.told:
                near[subject].append((other, relation, bit))
                near[other].append((subject, -relation, bit))
            self._near = near
        return self._near

    def _search(self, start: str, goal: str) -> list[int]:
        near = self.near()
        found: list[int] = []
        stack: list[tuple[str, int, frozenset[str]]] = [(start, 0, frozenset([start]))]
        work = WORK
        while stack and work:
            work -= 1
            node, mask, seen = stack.pop()
            for other, _, bit in near[node]:
                if other == goal:
                    found.append(mask | bit)
                elif len(near[other]) > 1 and other not in seen:  # a leaf leads nowhere
                    stack.append((other, mask | bit, seen | {other}))
        return found

    def only(self, mask: int) -> Chart:
        """The chart of these sentences alone."""
        part = Chart()
        for bit, subject, relation, other in self.told:
            if bit & mask:
                part.add(bit, subject, relation, other)
        return part

    def alone(self, mask: int, start: str, goal: str) -> int | None:
        """The position of start relative to goal if these sentences are one path between them, else
        None.
        """
        part = self.only(mask)
        return part.gap(start, goal) if part.sound and part.ways(start, goal) == [mask] else None

    def path(self, mask: int, start: str, goal: str) -> list[tuple[int, int]] | None:
        """The numbers of the sentences of a path, in the order of a walk from start to goal.

        Each comes with the relation of the current entity to the next one. None unless the
        sentences together are exactly one path, with one link each.
        """
        if self.shared or start not in self.places or goal not in self.places:
            return None
        near, here, left = self.near(), start, mask
        steps: list[tuple[int, int]] = []
        # at every entity exactly one unused link must lead on, until none is left
        while here != goal:
            links = [link for link in near[here] if link[2] & left]
            if len(links) != 1:
                return None
            here, step, bit = links[0]
            left ^= bit
            steps.append((bit.bit_length() - 1, step))
        return None if left else steps
