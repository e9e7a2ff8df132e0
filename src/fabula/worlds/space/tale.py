"""A story about positions in the making: a plan of the grid is drawn, then told in any order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import Any

from fabula.recipe import Cell
from fabula.relations import Link, Walks, branch, chain, detour, island
from fabula.relations.amounts import bounds, draw_amount
from fabula.seeds import Draw, below, pick, shuffled
from fabula.worlds.base import Annotation, Candidate, Query, Reading
from fabula.worlds.space import release
from fabula.worlds.space.grid import (
    CARDINAL,
    COMPASS,
    INVERSE,
    KING,
    LABELS,
    LETTERS,
    UNITS,
    WORDS,
    along,
    label,
    vector,
    xy,
)
from fabula.worlds.space.language import language
from fabula.worlds.space.reading import SpaceReading
from fabula.worlds.space.recipe import SpaceRecipe

BY_SIGN = Walks(KING, label)
"""Chains of any steps, by how their ends lie to each other."""
COUNTED = 16
"""Longer chains with a wished outcome are drawn until one has it: counting would take longer."""
EXACT = Walks(KING)
"""Chains of any steps, by where they lead."""
SAID = {
    "compass": {v: word for word, v in COMPASS.items()},
    "sides": {v: word for word, v in UNITS.items()},
    "phrases": {v: word for word, v in UNITS.items()},
}
"""The word for a step, by how a recipe tells it."""


class SpaceTale:
    """One story: entities at places, and links told one after another."""

    def __init__(
        self, recipe: SpaceRecipe, unfold: Draw, tell: Draw, cell: Cell | None = None
    ) -> None:
        self.recipe = recipe
        self.language = language(recipe.language)
        self.sentences: list[str] = []
        self._reading = SpaceReading(self.language)
        self.reading: Reading = self._reading
        self._tell = tell
        self.places: dict[str, int] = {}
        """Where everything is; each component has its own origin."""
        self.pair = ("", "")
        """Whom a question about a chain names, in either order."""
        self._spots: dict[str, tuple[int, int]] = {}
        self._known: dict[str, list[Candidate]] = {}
        if recipe.shape == "chain":
            self.links = self._chain(unfold, cell)
        elif recipe.shape == "map":
            self.links = self._map(unfold)
        else:
            self.links = self._line(unfold)

    # --- drawing --------------------------------------------------------------------------

    def _names(self, draw: Draw) -> Iterator[str]:
        """The names in random order, as they are needed."""
        names = list(self.recipe.pool)
        left = len(names)
        while left:
            at = int(draw() * left)
            left -= 1
            name = names[at]
            names[at] = names[left]
            yield name

    def _chain(self, draw: Draw, cell: Cell | None) -> list[Link[int]]:
        recipe = self.recipe
        hops, wish = self._goal(draw, cell)
        fresh = self._names(draw)
        names = [next(fresh) for _ in range(hops + 1)]
        free = recipe.told == "phrases"
        steps = _steps(draw, hops, wish) if free else _winding(draw, hops)
        links = chain(names, steps)
        self._place(names, steps)
        if recipe.asked == "ends":
            self.pair = (names[0], names[-1])
        else:
            first = below(draw, hops + 1)
            second = below(draw, hops)
            self.pair = (names[first], names[second + (second >= first)])
        noise = recipe.noise
        if noise.original:
            links += self._original_noise(draw, names, fresh)
        else:
            grid = KING if free else CARDINAL
            walks = EXACT if free else _cardinal()
            around = draw_amount(draw, noise.supporting)
            if around:
                links += detour(draw, walks, names, steps, fresh=fresh, links=around)
            hung = draw_amount(draw, noise.irrelevant)
            if hung:
                links += branch(draw, names, fresh, grid.steps, hung)
            apart = draw_amount(draw, noise.disconnected)
            if apart:
                links += island(draw, fresh, grid.steps, apart)
        if len(links) > hops:
            self._place_links(links[hops:])
        return shuffled(draw, links)

    def _goal(self, draw: Draw, cell: Cell | None) -> tuple[int, str | None]:
        """How many hops, and how the ends are to lie to each other (None: as it comes)."""
        recipe = self.recipe
        low, high = bounds(recipe.hops)
        if cell is not None and recipe.asked == "ends":
            low = max(low, min(high, cell.support_size[0]))
            high = min(high, max(low, cell.support_size[1]))
        hops = draw_amount(draw, (low, high))
        if cell is not None and recipe.asked == "ends" and cell.answers:
            wish = pick(draw, cell.answers)
            if wish in LABELS and (hops > 1 or wish != "overlap"):
                return hops, wish
        if recipe.balanced:
            return hops, pick(draw, LABELS if hops > 1 else LABELS[:-1])
        return hops, None

    def _place(self, names: Sequence[str], steps: Sequence[int]) -> None:
        places, here = self.places, 0
        places[names[0]] = 0
        for i, step in enumerate(steps, 1):  # names[i - 1] lies `step` from names[i]
            here -= step
            places[names[i]] = here

    def _place_links(self, links: Sequence[Link[int]]) -> None:
        """Place what noise adds; links come in an order in which one end is known, or none is."""
        places = self.places
        for subject, relation, other, _ in links:
            if subject in places:
                places.setdefault(other, places[subject] - relation)
            else:
                places[subject] = places.setdefault(other, 0) + relation

    def _line(self, draw: Draw) -> list[Link[int]]:
        """Three in a line: the middle one is the ground of a sentence in two thirds."""
        fresh = self._names(draw)
        end, middle, other = next(fresh), next(fresh), next(fresh)
        step = pick(draw, CARDINAL.steps)
        self._place([end, middle, other], [step, step])
        self.pair = (end, other)
        links = [Link(end, step, middle), Link(other, -step, middle)]
        links = [
            link if draw() < 2 / 3 else Link(link.object, -link.relation, link.subject)
            for link in links
        ]
        return shuffled(draw, links)

    def _map(self, draw: Draw) -> list[Link[int]]:
        recipe = self.recipe
        hops = draw_amount(draw, recipe.hops)
        count = draw_amount(draw, recipe.entities)
        fresh = self._names(draw)
        names = [next(fresh) for _ in range(count)]
        plan = None
        while plan is None:
            plan = _hang(draw, names, _winding(draw, hops), recipe.crowded)
        links, places = plan
        self.places = dict(zip(names, places, strict=True))
        self.pair = (names[0], names[hops])
        return shuffled(draw, links)

    def _original_noise(
        self, draw: Draw, names: Sequence[str], fresh: Iterator[str]
    ) -> list[Link[int]]:
        """Noise in the amounts, and built in the way, of the published StepGame."""
        hops = len(names) - 1
        most = (hops + 1) // 3 + 1
        links: list[Link[int]] = []
        if hops > 3:
            idle = [name for name in names if name not in self.pair]
            for _ in range(100):
                start, goal = shuffled(draw, idle)[:2]
                gap = self.places[start] - self.places[goal]
                if 2 <= sum(map(abs, xy(gap))) <= 7:
                    links += _aligned_route(draw, start, goal, gap, fresh)
                    break
        islanders = 2 if most < 2 else 2 + below(draw, most - 1)
        hung = 1 + below(draw, most)
        links += island(draw, fresh, KING.steps, islanders - 1)
        links += branch(draw, names, fresh, KING.steps, hung)
        return links

    # --- telling --------------------------------------------------------------------------

    def advance(self, goal: int, pause: int | None = None) -> bool:
        """Tell the plan; a story is as long as its plan, so there is no other goal."""
        sentences, links = self.sentences, self.links
        end = len(links) if pause is None else min(pause, len(links))
        recipe, draw, hear = self.recipe, self._tell, self._reading.hear
        words = SAID[recipe.told]
        for at in range(len(sentences), end):
            subject, relation, other, _ = links[at]
            if recipe.shape != "line" and draw() < 0.5:
                subject, relation, other = other, -relation, subject
            word = words[relation]
            if recipe.told == "phrases":
                kind = pick(draw, self._kinds(word)) if recipe.phrases else ""
                sentence = self.language.say(word, subject, other, draw, kind)
            else:
                sentence = self.language.tell(word, subject, other, draw)
            sentences.append(sentence)
            hear(sentence)
        return True

    def _kinds(self, relation: str) -> tuple[str, ...]:
        return _kinds_of(self.recipe.language, relation, self.recipe.phrases)

    # --- asking ---------------------------------------------------------------------------

    def candidates(self, kind: str, draw: Draw) -> list[Candidate]:
        """The questions of a kind that may be asked, with the answer that the places give."""
        if kind == "relation":
            return self._relations()
        if kind == "path" and self.recipe.labels == "release":
            query, answer = pick(draw, list(self._ways()))
            citation = release.cite(self._reading, query)
            assert citation is not None
            return [Candidate(query, answer, citation.numbers)]
        known = self._known.get(kind)
        if known is None:
            known = self._known[kind] = list(self._survey(kind))
        return list(known)

    def _relations(self) -> list[Candidate]:
        first, second = self.pair
        answer = label(self.places[first] - self.places[second])
        found = [Candidate(("relation", first, second), (answer,))]
        if self.recipe.asked == "ends":
            back = INVERSE.get(answer, answer)
            found.append(Candidate(("relation", second, first), (back,)))
        return found

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
            names = query[2:] if kind == "yes-no" else query  # the relation asked is not cited
            if released and names not in cited:
                citation = release.cite(self._reading, query)
                cited[names] = () if citation is None else citation.numbers
            yield Candidate(query, answer, cited.get(names, ()))

    def _yes_no(self) -> list[Query]:
        first, second = self.pair
        return [
            ("yes-no", word, a, b)
            for a, b in ((first, second), (second, first))
            for word in self.recipe.words
            if self.recipe.aligned or along(self.places[a] - self.places[b], WORDS[word])
        ]

    def _ways(self) -> Iterator[tuple[Query, tuple[str, ...]]]:
        """Ordered pairs as many told steps apart as the recipe asks for, with the way.

        A map is a tree, so there is just one way.
        """
        low, high = bounds(self.recipe.hops)
        near: dict[str, list[tuple[str, str]]] = {}
        for subject, relation, other, _ in self.links:
            near.setdefault(subject, []).append((other, LETTERS[-relation]))
            near.setdefault(other, []).append((subject, LETTERS[relation]))
        for first in self.places:
            edge: list[tuple[str, str, tuple[str, ...]]] = [(first, "", ())]
            for hops in range(1, high + 1):
                edge = [
                    (there, here, (*way, letter))
                    for here, before, way in edge
                    for there, letter in near[here]
                    if there != before
                ]
                if hops >= low:
                    for there, _, way in edge:
                        yield ("path", first, there), way

    def _neighbours(self, kind: str) -> list[Query]:
        """Questions for one end of a told link."""
        queries: list[Query] = []
        for word, figure, ground, _ in self._reading.told:
            sides = [(figure, word, ground)]
            if not self.recipe.subject_only:
                sides.append((ground, INVERSE[word], figure))
            for _answer, relation, asked in sides:
                if self.recipe.sure and self._crowd(asked, WORDS[relation]) != 1:
                    continue
                if kind == "what-is":
                    queries.append((kind, relation, asked))
                else:
                    queries.append((kind, asked, INVERSE[relation]))
        return queries

    def _crowd(self, name: str, direction: int) -> int:
        """How many entities lie on that side at any distance, straight or not."""
        if not self._spots:
            self._spots = {other: xy(place) for other, place in self.places.items()}
        x, y = self._spots[name]
        dx, dy = xy(direction)
        if dx:
            return sum((spot[0] - x) * dx > 0 for spot in self._spots.values())
        return sum((spot[1] - y) * dy > 0 for spot in self._spots.values())

    def truth(self, query: Query) -> tuple[str, ...] | None:
        """The answer that the places give."""
        places = self.places
        if query[0] == "relation":
            return (label(places[query[1]] - places[query[2]]),)
        if query[0] == "yes-no":
            ahead = along(places[query[2]] - places[query[3]], WORDS[query[1]])
            return ("yes" if ahead > 0 else "no",)
        if query[0] == "path":
            return None  # the told neighbours decide, not the places
        spot = (
            places[query[2]] + WORDS[query[1]]
            if query[0] == "what-is"
            else places[query[1]] - WORDS[query[2]]
        )
        return tuple(name for name, place in places.items() if place == spot)

    def annotate(self, query: Query, mask: int, position: int) -> Annotation:
        """Roles of the sentences, and where everything is."""
        roles = []
        for number, link in enumerate(self.links[:position], 1):
            if mask >> number & 1:
                roles.append("support")
            else:
                roles.append("irrelevant" if link.role == "chain" else link.role)
        features: dict[str, Any] = {
            "chain": sum(link.role == "chain" for link in self.links),
            "coordinates": {name: list(xy(place)) for name, place in self.places.items()},
        }
        return Annotation(tuple(roles), features)


# --- helpers --------------------------------------------------------------------------------


def _steps(draw: Draw, hops: int, wish: str | None) -> list[int]:
    """Any steps, or such that the first entity lies to the last as wished."""
    if wish is not None and hops <= COUNTED:
        steps = BY_SIGN.draw(draw, hops, wish)
        assert steps is not None
        return steps
    while True:
        steps = [pick(draw, KING.steps) for _ in range(hops)]
        if wish is None or label(sum(steps)) == wish:
            return steps


def _winding(draw: Draw, hops: int) -> list[int]:
    """Cardinal steps that never turn straight back."""
    steps = [pick(draw, CARDINAL.steps)]
    while len(steps) < hops:
        step = pick(draw, CARDINAL.steps)
        if step != -steps[-1]:
            steps.append(step)
    return steps


def _hang(
    draw: Draw, names: Sequence[str], way: Sequence[int], crowded: bool
) -> tuple[list[Link[int]], list[int]] | None:
    """The links and places of a map: a way, and the other names hung on it; None if it fails.

    Each free side of a place is as likely as any other. Unless it may be crowded, no two share a
    place, and neighbours are told to be neighbours.
    """
    places = [0]
    for step in way:
        places.append(places[-1] - step)
    if not crowded and not _spread(places):
        return None
    links = chain(names, way)
    slots = [
        (host, side)
        for host in range(len(places))
        for side in CARDINAL.steps
        if not (host < len(way) and side == -way[host]) and not (host and side == way[host - 1])
    ]
    while len(places) < len(names):
        if not slots:
            return None
        host, side = slots.pop(below(draw, len(slots)))
        spot = places[host] + side
        if not crowded:
            if spot in places or sum(spot + v in places for v in CARDINAL.steps) > 1:
                continue
            slots += [(len(places), v) for v in CARDINAL.steps if v != -side]
        links.append(Link(names[len(places)], side, names[host], "irrelevant"))
        places.append(spot)
    return links, places


def _spread(places: Sequence[int]) -> bool:
    """Whether a way visits no place twice and passes by none of its own."""
    for i, place in enumerate(places):
        for j in range(i):
            if place == places[j] or (j < i - 1 and place - places[j] in LETTERS):
                return False
    return True


def _aligned_route(
    draw: Draw, start: str, goal: str, gap: int, fresh: Iterator[str]
) -> list[Link[int]]:
    """A route from start to goal, `gap` away, in cardinal steps, none of them a detour."""
    dx, dy = xy(gap)
    across = [vector(1 if dx > 0 else -1, 0)] * abs(dx)
    upright = [vector(0, 1 if dy > 0 else -1)] * abs(dy)
    steps = []
    while across or upright:
        side = across if across and (not upright or draw() < 0.5) else upright
        steps.append(side.pop())
    stops = [start, *(next(fresh) for _ in steps[1:]), goal]
    return chain(stops, steps, "supporting")


@cache
def _cardinal() -> Walks[int]:
    return Walks(CARDINAL)


@cache
def _kinds_of(code: str, relation: str, kinds: tuple[str, ...]) -> tuple[str, ...]:
    known = {p.kind for p in language(code).phrases if p.relation == relation}
    return tuple(kind for kind in kinds if kind in known)
