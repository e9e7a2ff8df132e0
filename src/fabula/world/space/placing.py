"""Decides what sentences about positions entail, by placing things and looking for counterexamples.

It shares no rule with the reader, which adds up steps along chains and keeps every set of sentences
that shows something. Here the sentences are given:

- Things at a stated distance from each other form *pieces*: positions within a piece are fixed.
  Pieces can be moved against each other.
- A denial between two pieces is a choice of inequalities, such as 'not further left, or not in the
  same row', each between the positions of two pieces on one axis. The search satisfies the
  inequalities so far and branches at a denial that the resulting placement violates. No placement
  fits if every branch ends in a negative cycle of inequalities.
- Something follows if no placement denies it. Only denials that connect the pieces in question can
  matter: all others can be satisfied in any case.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import product
from typing import NamedTuple

from fabula.world.base import Claim, Fact, Query
from fabula.world.proving import examine
from fabula.world.space.words import (
    DEPTH,
    LABELS,
    LETTERS,
    OFFSETS,
    REGIONS,
    Signs,
    step_word,
)

LABEL = {OFFSETS[word]: word for word in LABELS if word != "overlap"} | {(0, 0, 0): "overlap"}
AXES = range(3)

Literal = tuple[int, int, int, int]
"""(u, v, axis, c): piece u lies at most c beyond piece v along the axis."""
Clause = list[Literal]
"""Inequalities at least one of which holds."""


class Link(NamedTuple):
    """A stated position: how far the figure lies from the ground."""

    number: int
    figure: str
    ground: str
    vector: Signs


class Denial(NamedTuple):
    """A stated denial: the figure does not lie in a region of the ground."""

    number: int
    region: str
    figure: str
    ground: str


class Pieces:
    """Things with fixed relative positions, by some of the links."""

    def __init__(self, links: Sequence[Link]) -> None:
        near: dict[str, list[tuple[str, Signs]]] = {}
        for _, figure, ground, (x, y, z) in links:
            near.setdefault(ground, []).append((figure, (x, y, z)))
            near.setdefault(figure, []).append((ground, (-x, -y, -z)))
        self.piece: dict[str, int] = {}
        self.place: dict[str, Signs] = {}
        self.count = 0
        self.consistent = True
        for first in near:
            if first not in self.piece:
                self._gather(first, near)
                self.count += 1

    def _gather(self, first: str, near: dict[str, list[tuple[str, Signs]]]) -> None:
        piece, place = self.piece, self.place
        piece[first], place[first] = self.count, (0, 0, 0)
        todo = [first]
        for name in todo:  # grows during iteration
            x, y, z = place[name]
            for other, (a, b, c) in near[name]:
                there = (x + a, y + b, z + c)
                if other not in piece:
                    piece[other], place[other] = self.count, there
                    todo.append(other)
                elif place[other] != there:
                    self.consistent = False

    def of(self, name: str) -> int:
        """The piece of a thing, which may be a piece by itself."""
        known = self.piece.get(name)
        if known is None:
            known = self.piece[name] = self.count
            self.place[name] = (0, 0, 0)
            self.count += 1
        return known

    def apart(self, figure: str, ground: str) -> Signs:
        """How far the figure would lie from the ground if the origins of their pieces coincided."""
        self.of(figure), self.of(ground)
        (a, b, c), (x, y, z) = self.place[figure], self.place[ground]
        return a - x, b - y, c - z


class Placing:
    """A story that can be queried for what its parts entail."""

    def __init__(self, facts: Sequence[Sequence[Fact]], queries: Sequence[Query] = ()) -> None:
        self._count = len(facts)
        self._links: list[list[Link]] = [[] for _ in range(self._count + 1)]
        self._denials: list[list[Denial]] = [[] for _ in range(self._count + 1)]
        self._things: set[str] = set()
        deep = any(query[1] in DEPTH for query in queries)
        for number, told in enumerate(facts, 1):
            for fact in told:
                if fact[0] == "not":
                    _, region, figure, ground = fact
                    self._denials[number].append(Denial(number, region, figure, ground))
                    deep = deep or region in DEPTH
                else:
                    relation, figure, ground, *more = fact
                    steps = int(more[0]) if more else 1
                    x, y, z = OFFSETS[relation]
                    vector = (x * steps, y * steps, z * steps)
                    self._links[number].append(Link(number, figure, ground, vector))
                    deep = deep or z != 0
                self._things |= {figure, ground}
        self._axes = 3 if deep else 2  # without a word about depth, everything is in one plane

    # --- placements -------------------------------------------------------------------------

    def _told(self, numbers: Collection[int]) -> tuple[list[Link], list[Denial]]:
        links = [link for number in numbers for link in self._links[number]]
        return links, [denial for number in numbers for denial in self._denials[number]]

    def consistent(self) -> bool:
        """Whether some placement fits the whole story."""
        links, denials = self._told(range(1, self._count + 1))
        pieces = Pieces(links)
        if not pieces.consistent:
            return False
        clauses = [self._excluded(pieces, *denial[1:]) for denial in denials]
        return [] not in clauses and _solved([], [c for c in clauses if c is not None]) is not None

    def _signs(self, region: str) -> tuple[int | None, ...] | None:
        """For each axis the sign of a region, None for any; None if this space has no such
        region.
        """
        patterns = [signs for signs in REGIONS[region] if self._axes == 3 or not signs[2]]
        if not patterns:
            return None
        sides = [{signs[axis] for signs in patterns} for axis in AXES]
        assert set(product(*sides)) == set(patterns)
        return tuple(next(iter(side)) if len(side) == 1 else None for side in sides)

    def _excluded(self, pieces: Pieces, region: str, figure: str, ground: str) -> Clause | None:
        """Clause for 'the figure is not in a region of the ground'; None if it cannot be
        satisfied.
        """
        signs = self._signs(region)
        if signs is None:
            return None
        one, other = pieces.of(figure), pieces.of(ground)
        apart = pieces.apart(figure, ground)
        if one == other:
            inside = all(s is None or _sign(d) == s for s, d in zip(signs, apart, strict=True))
            return [] if inside else None
        clause: Clause = []
        for axis, sign in enumerate(signs[: self._axes]):
            if sign is not None:
                if sign <= 0:  # at the ground or beyond; one step beyond if it must not be level
                    clause.append((other, one, axis, apart[axis] - (sign == 0)))
                if sign >= 0:
                    clause.append((one, other, axis, -apart[axis] - (sign == 0)))
        return clause

    def _included(
        self, pieces: Pieces, signs: Sequence[int | None], figure: str, ground: str
    ) -> Clause:
        """Inequalities, all required, for 'the figure is on these sides of the ground'."""
        one, other = pieces.of(figure), pieces.of(ground)
        apart = pieces.apart(figure, ground)
        units: Clause = []
        for axis, sign in enumerate(signs[: self._axes]):
            if sign is not None:
                if sign <= 0:
                    units.append((one, other, axis, sign - apart[axis]))
                if sign >= 0:
                    units.append((other, one, axis, apart[axis] - sign))
        return units

    def _between(
        self, told: Collection[int], figure: str, ground: str
    ) -> tuple[Pieces, list[Clause]]:
        """The pieces by these sentences, and the denials that may connect the pieces of two
        things.
        """
        links, denials = self._told(told)
        pieces = Pieces(links)
        if pieces.of(figure) == pieces.of(ground) or not denials:
            return pieces, []
        clauses = [self._excluded(pieces, *denial[1:]) for denial in denials]
        left = [clause for clause in clauses if clause]
        reached, joined, grows = {pieces.of(figure)}, list[Clause](), True
        while grows:
            grows = False
            for clause in list(left):
                if not reached.isdisjoint(clause[0][:2]):
                    reached |= set(clause[0][:2])
                    joined.append(clause)
                    left.remove(clause)
                    grows = True
        return pieces, joined if pieces.of(ground) in reached else []

    def _gap(self, told: Collection[int], figure: str, ground: str) -> Signs | None:
        """The position of the figure relative to the ground in all placements; None if it
        varies.
        """
        pieces, clauses = self._between(told, figure, ground)
        if pieces.of(figure) == pieces.of(ground):
            return pieces.apart(figure, ground)
        at = _solved([], clauses) if clauses else None
        if at is None:
            return None
        one, other = pieces.of(figure), pieces.of(ground)
        apart = list(pieces.apart(figure, ground))
        for axis in range(self._axes):
            off = at[axis].get(one, 0) - at[axis].get(other, 0)
            elsewhere = ((one, other, axis, off - 1), (other, one, axis, -off - 1))
            if any(_solved([literal], clauses) is not None for literal in elsewhere):
                return None
            apart[axis] += off
        return apart[0], apart[1], apart[2]

    def _lies(self, told: Collection[int], region: str, figure: str, ground: str) -> bool | None:
        """Whether the figure is in a region of the ground in all placements, or in none."""
        if figure not in self._things or ground not in self._things:
            return None
        signs = self._signs(region)
        if signs is None:
            return False
        pieces, clauses = self._between(told, figure, ground)
        outside = self._excluded(pieces, region, figure, ground)
        if pieces.of(figure) == pieces.of(ground):
            return outside == []
        if not clauses:
            return None
        assert outside is not None
        can_be = _solved(self._included(pieces, signs, figure, ground), clauses) is not None
        can_not = _solved([], [*clauses, outside]) is not None
        return None if can_be == can_not else can_be

    # --- conclusions ------------------------------------------------------------------------

    def conclude(self, query: Query, told: Collection[int]) -> object:
        """The answer of these sentences to a query; None if none follows."""
        kind = query[0]
        if kind == "relation":
            return self._relation(told, query[1], query[2])
        if kind == "yes-no":
            lies = self._lies(told, *query[1:])
            return None if lies is None else ("yes" if lies else "no",)
        if kind == "path":
            return self._way(query, told)
        if kind == "how-far":
            if not {query[1], query[2]} <= self._things:
                return None
            gap = self._gap(told, query[1], query[2])
            return None if gap is None else (str(max(map(abs, gap))),)
        if kind == "which":
            names = sorted(self._things - {query[2]})
            found = [name for name in names if self._lies(told, query[1], name, query[2])]
            return tuple(found) or None
        ground = query[2] if kind == "what-is" else query[1]
        x, y, z = OFFSETS[query[1] if kind == "what-is" else query[2]]
        wanted = (x, y, z) if kind == "what-is" else (-x, -y, -z)
        found = [name for name, gap in self._gaps(told, ground) if gap == wanted]
        return tuple(found) if len(found) == 1 else None

    def _gaps(self, told: Collection[int], ground: str) -> Iterator[tuple[str, Signs]]:
        """Everything whose position relative to the ground is settled, with that position, by
        name.
        """
        if ground not in self._things:
            return
        links, denials = self._told(told)
        pieces = Pieces(links)
        for name in sorted(self._things - {ground}):
            if pieces.of(name) == pieces.of(ground):
                yield name, pieces.apart(name, ground)
            elif denials:
                gap = self._gap(told, name, ground)
                if gap is not None:
                    yield name, gap

    def _relation(self, told: Collection[int], figure: str, ground: str) -> tuple[str, ...] | None:
        if figure not in self._things or ground not in self._things:
            return None
        pieces, clauses = self._between(told, figure, ground)
        one, other = pieces.of(figure), pieces.of(ground)
        x, y, z = pieces.apart(figure, ground)
        if one != other:
            at = _solved([], clauses) if clauses else None
            if at is None:
                return None
            x, y, z = (
                d + at[axis].get(one, 0) - at[axis].get(other, 0)
                for axis, d in enumerate((x, y, z))
            )
            label = LABEL[_sign(x), _sign(y), _sign(z)]
            region = f"directly-{label}" if f"directly-{label}" in REGIONS else label
            outside = self._excluded(pieces, region, figure, ground)
            if outside is None or _solved([], [*clauses, outside]) is not None:
                return None
        return (LABEL[_sign(x), _sign(y), _sign(z)],)

    def _way(self, query: Query, told: Collection[int]) -> tuple[str, ...] | None:
        """The steps of the shortest paths over stated links, if all agree."""
        near: dict[str, list[tuple[str, Signs]]] = {}
        for _, figure, ground, (x, y, z) in self._told(told)[0]:
            near.setdefault(ground, []).append((figure, (x, y, z)))
            near.setdefault(figure, []).append((ground, (-x, -y, -z)))
        start, goal = query[-2:]
        far, back = _distances(near, start), _distances(near, goal)
        if start == goal or goal not in far:
            return None
        found: list[str] = []
        for step in range(far[goal]):
            vectors = {
                vector
                for name, distance in far.items()
                if distance == step and back.get(name) == far[goal] - step
                for other, vector in near[name]
                if back.get(other) == far[goal] - step - 1
            }
            if len(vectors) != 1:
                return None
            ((x, y, z),) = vectors
            count = max(abs(x), abs(y), abs(z))
            unit = (x // count, y // count, z // count)
            found += [step_word(unit) if len(query) > 3 else LETTERS.get(unit, "?")] * count
        return tuple(found)

    # --- proofs -----------------------------------------------------------------------------

    def prove(self, claim: Claim) -> list[str]:
        """Objections to a claim, in English; empty if it is proven."""
        if not self.consistent():
            return ["the story is contradictory"]
        query = claim.query
        return examine(
            claim,
            self._count,
            lambda told: self.conclude(query, told),
            tuple(sorted(claim.answer) if query[0] == "which" else claim.answer),
            lambda support: self._one_chain(query, support),
        )

    def _one_chain(self, query: Query, support: Sequence[int]) -> bool:
        """Whether a support is one chain between the two things, with every sentence on it.

        Without any of its sentences the two are then in different pieces, and nothing is denied, so
        nothing follows: it is minimal, and need not be tried sentence by sentence.
        """
        if query[0] not in ("relation", "yes-no", "how-far"):
            return False
        links, denials = self._told(support)
        if denials:
            return False
        near: dict[str, list[Link]] = {}
        for link in links:
            near.setdefault(link.figure, []).append(link)
            near.setdefault(link.ground, []).append(link)
        at, goal, used = query[-2], query[-1], set[int]()
        before: Link | None = None
        for _ in links:
            onward = [link for link in near.get(at, ()) if link is not before]
            if len(onward) != 1:
                return False
            before = onward[0]
            at = before.ground if before.figure == at else before.figure
            used.add(before.number)
        return at == goal and len(near) == len(links) + 1 and used == set(support)


def prove(facts: Sequence[Sequence[Fact]], claims: Sequence[Claim]) -> list[list[str]]:
    """Objections to each claim, in English; empty if it is proven."""
    placing = Placing(facts, [claim.query for claim in claims])
    return [placing.prove(claim) for claim in claims]


def _sign(number: int) -> int:
    return (number > 0) - (number < 0)


def _distances(near: dict[str, list[tuple[str, Signs]]], start: str) -> dict[str, int]:
    """The number of links to each thing."""
    far = {start: 0} if start in near else {}
    todo = list(far)
    for name in todo:  # grows during iteration
        for other, _ in near[name]:
            if other not in far:
                far[other] = far[name] + 1
                todo.append(other)
    return far


# --- inequalities ---------------------------------------------------------------------------------


def _solved(units: Clause, clauses: Sequence[Clause]) -> list[dict[int, int]] | None:
    """For each axis, positions of pieces that satisfy all units and one literal of each clause."""
    at = [_potentials([unit for unit in units if unit[2] == axis]) for axis in AXES]
    places = [place for place in at if place is not None]
    if len(places) < len(at):
        return None
    for clause in clauses:
        if not any(
            places[axis].get(u, 0) - places[axis].get(v, 0) <= c for u, v, axis, c in clause
        ):
            for literal in clause:
                found = _solved([*units, literal], clauses)
                if found is not None:
                    return found
            return None
    return places


def _potentials(units: Clause) -> dict[int, int] | None:
    """Positions on one axis that satisfy the inequalities; None if there are none
    (Bellman-Ford).
    """
    at = {piece: 0 for u, v, _, _ in units for piece in (u, v)}
    for _ in range(len(at) + 1):
        changed = False
        for u, v, _, c in units:
            if at[u] > at[v] + c:
                at[u] = at[v] + c
                changed = True
        if not changed:
            return at
    return None
