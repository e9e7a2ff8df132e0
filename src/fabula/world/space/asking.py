"""The questions that can be asked about a map, and the map's answers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from fabula.core.seeds import Draw, pick
from fabula.world.base import Candidate, Query
from fabula.world.relations.amounts import bounds
from fabula.world.space import release
from fabula.world.space.drawing import Draft
from fabula.world.space.grid import (
    INVERSE,
    LETTERS,
    REGIONS,
    WAYS,
    WORDS,
    along,
    label,
    length,
    lies,
    parted,
)
from fabula.world.space.reading import SpaceReading
from fabula.world.space.recipe import SpaceRecipe


class Asker:
    """The questions about one story."""

    def __init__(self, recipe: SpaceRecipe, draft: Draft, reading: SpaceReading) -> None:
        self.recipe = recipe
        self.links, self.places, self.pair = draft.links(), draft.located(), draft.pair
        self.reading = reading
        self._known: dict[str, list[Candidate]] = {}

    def candidates(self, kind: str, draw: Draw, fixed: bool = False) -> list[Candidate]:
        """The questions of a kind; with `fixed`, about the first of the pair."""
        if kind == "relation":
            return self._relations(fixed)
        if self.recipe.wording == "phrases":
            return self._agents(kind, draw)
        if kind == "path" and self.recipe.labels == "release":
            query, answer = pick(draw, list(self._ways()))
            citation = release.cite(self.reading, query)
            assert citation is not None
            return [Candidate(query, answer, citation.numbers)]
        known = self._known.get(kind)
        if known is None:
            known = self._known[kind] = list(self._survey(kind))
        return list(known)

    def _relations(self, fixed: bool) -> list[Candidate]:
        first, second = self.pair
        answer = label(self.places[first] - self.places[second])
        found = [Candidate(("relation", first, second), (answer,))]
        if self.recipe.ask_about == "ends" and not fixed:
            back = INVERSE.get(answer, answer)
            found.append(Candidate(("relation", second, first), (back,)))
        return found

    # --- stories told with the phrase bank --------------------------------------------------

    def _agents(self, kind: str, draw: Draw) -> list[Candidate]:
        """Questions other than those for a relation.

        Of questions that differ only in a word, one is drawn, with equal chances for 'yes' and
        'no'. Otherwise kinds with many such questions would be asked more often, since one of them
        always fits the split.
        """
        pairs = [self.pair, self.pair[::-1]]
        if kind == "path":
            ways = [(pair, self._route(*pair)) for pair in pairs]
            return [Candidate(("path", "steps", *pair), way) for pair, way in ways if way]
        queries: list[Query]
        space = self.recipe.space
        if kind == "yes-no":
            queries = [(kind, word, *pair) for pair in pairs for word in space.tested]
        elif kind == "which":
            queries = [(kind, word, name) for name in self.pair for word in space.listed]
        else:
            queries = [(kind, *pair) for pair in pairs]
        truths = [(query, self.truth(query)) for query in queries]
        found = [Candidate(query, answer) for query, answer in truths if answer]
        if kind == "how-far" or not found or self.recipe.questions == "all":
            return found
        if kind == "yes-no":
            wanted = "yes" if draw() < 0.5 else "no"
            found = [candidate for candidate in found if candidate.answer == (wanted,)] or found
        return [pick(draw, found)]

    def _near(self) -> dict[str, list[tuple[str, int]]]:
        """For each entity, those it is linked with and the step that leads there."""
        near: dict[str, list[tuple[str, int]]] = {name: [] for name in self.places}
        for subject, relation, other, _ in self.links:
            near[subject].append((other, -relation))
            near[other].append((subject, relation))
        return near

    def _part(self, name: str) -> list[str]:
        """All entities connected to an entity, nearest first."""
        near = self._near()
        found = [name]
        for here in found:
            found += dict.fromkeys(n for n, _ in near[here] if n not in found)
        return found

    def _route(self, start: str, goal: str, by_letter: bool = False) -> tuple[str, ...] | None:
        """The steps over the fewest links, if there is exactly one such path."""
        near = self._near()
        ways: dict[str, list[tuple[int, ...]]] = {start: [()]}
        edge = [start]
        while goal not in ways:
            ahead: dict[str, list[tuple[int, ...]]] = {}
            for here in edge:
                for there, step in near[here]:
                    if there not in ways:
                        ahead.setdefault(there, []).extend([(*way, step) for way in ways[here]])
            ways |= ahead
            edge = list(ahead)
        if len(set(ways[goal])) != 1:
            return None
        if by_letter:
            return tuple(LETTERS[step] for step in ways[goal][0])
        steps = [parted(step) for step in ways[goal][0]]
        return tuple(WAYS[unit] for unit, count in steps for _ in range(count))

    # --- the bAbI tasks ---------------------------------------------------------------------

    def _survey(self, kind: str) -> Iterator[Candidate]:
        asked: Iterable[tuple[Query, tuple[str, ...] | None]]
        if kind == "path":
            asked = self._ways()
        elif kind == "yes-no":
            asked = [(query, self.truth(query)) for query in self._yes_no()]
        else:
            asked = [(query, self.truth(query)) for query in self._neighbours(kind)]
        released = self.recipe.labels == "release"
        cited: dict[Query, tuple[int, ...]] = {}
        for query, answer in asked:
            if answer is None or (kind != "path" and len(answer) != 1):
                continue
            # the relation in the question is not cited
            names = query[2:] if kind == "yes-no" else query
            if released and names not in cited:
                citation = release.cite(self.reading, query)
                cited[names] = () if citation is None else citation.numbers
            yield Candidate(query, answer, cited.get(names, ()))

    def _yes_no(self) -> list[Query]:
        first, second = self.pair
        return [
            ("yes-no", word, a, b)
            for a, b in ((first, second), (second, first))
            for word in self.recipe.words
            if self.recipe.ask_aligned or along(self.places[a] - self.places[b], WORDS[word])
        ]

    def _ways(self) -> Iterator[tuple[Query, tuple[str, ...]]]:
        """Ordered pairs as many stated steps apart as the recipe asks for, with the path.

        A map is a tree, so there is exactly one path.
        """
        low, high = bounds(self.recipe.hops)
        near = self._near()
        for first in self.places:
            edge: list[tuple[str, str, tuple[str, ...]]] = [(first, "", ())]
            for hops in range(1, high + 1):
                edge = [
                    (there, here, (*way, LETTERS[step]))
                    for here, before, way in edge
                    for there, step in near[here]
                    if there != before
                ]
                if hops >= low:
                    for there, _, way in edge:
                        yield ("path", first, there), way

    def _neighbours(self, kind: str) -> list[Query]:
        """Questions about one end of a stated link."""
        queries: list[Query] = []
        for word, figure, ground, _ in self.reading.told:
            sides = [(word, ground)]
            if not self.recipe.subject_only:
                sides.append((INVERSE[word], figure))
            for relation, asked in sides:
                if self.recipe.unambiguous and self._crowd(asked, WORDS[relation]) != 1:
                    continue
                if kind == "what-is":
                    queries.append((kind, relation, asked))
                else:
                    queries.append((kind, asked, INVERSE[relation]))
        return queries

    def _crowd(self, name: str, direction: int) -> int:
        """The number of entities on that side at any distance, straight or not."""
        here = self.places[name]
        region = REGIONS[label(direction)]
        return sum([lies(place - here, region) for place in self.places.values()])

    # --- answers ----------------------------------------------------------------------------

    def truth(self, query: Query) -> tuple[str, ...]:
        """The map's answer: from positions, and for a path from links."""
        places = self.places
        if query[0] == "relation":
            return (label(places[query[1]] - places[query[2]]),)
        if query[0] == "yes-no":
            gap = places[query[2]] - places[query[3]]
            return ("yes" if lies(gap, REGIONS[query[1]]) else "no",)
        if query[0] == "which":
            origin, region = places[query[2]], REGIONS[query[1]]
            part = self._part(query[2])[1:]
            return tuple(sorted([n for n in part if lies(places[n] - origin, region)]))
        if query[0] == "how-far":
            return (str(length(places[query[1]] - places[query[2]])),)
        if query[0] == "path":
            return self._route(query[-2], query[-1], by_letter=query[1] != "steps") or ()
        spot = (
            places[query[2]] + WORDS[query[1]]
            if query[0] == "what-is"
            else places[query[1]] - WORDS[query[2]]
        )
        return tuple([name for name, place in places.items() if place == spot])
