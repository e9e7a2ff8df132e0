"""Draws the content of a story: entities at places, links between them, and the pair to ask for.

Promises:
1. Chains are as long, and come out, as the recipe and the cell want; noise neither changes nor
   shortens the answer (see relations/noise.py).
2. Where the facts of the proof are known in advance and keep splits apart, a chain is drawn that
   belongs to the split: a name is exchanged until it does, instead of telling and reading stories
   for other splits. (The reader checks the result again.)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache, lru_cache
from typing import NamedTuple

from fabula.core.seeds import Draw, below, pick, shuffled
from fabula.core.split import content
from fabula.recipe.model import Cell
from fabula.world.relations import Link, Walks, branch, chain, detour, island
from fabula.world.relations.amounts import bounds, draw_amount, some
from fabula.world.space.grid import (
    CARDINAL,
    KING,
    LETTERS,
    Grid,
    label,
    length,
    stretched,
    vector,
    xyz,
)
from fabula.world.space.recipe import SpaceRecipe

COUNTED = 16
"""Longer chains with a wished outcome are drawn until one has it: counting would take longer."""
EXCHANGES = 64
"""Names exchanged at most to make a chain belong to its split."""

Admits = Callable[[str], bool]


class Draft(NamedTuple):
    """The content of a story."""

    links: list[Link[int]]
    places: dict[str, int]
    """Where everything is; each part has its own origin."""
    pair: tuple[str, str]
    """Whom a question about a chain names."""


class Drawer:
    """Draws the stories of one recipe."""

    def __init__(self, recipe: SpaceRecipe) -> None:
        self.recipe = recipe
        self.pool = list(recipe.pool)
        self.free = recipe.told == "phrases"
        self.reach = bounds(recipe.steps)
        self.dimensions = recipe.dimensions
        self.ends = recipe.asked == "ends"
        self.grid = stretched(*self.reach, self.dimensions) if self.free else CARDINAL
        self.labels = recipe.space.labels
        self.hops = bounds(recipe.hops)
        noise = recipe.noise
        self.noisy = noise.original or noise.newcomers() > 0
        self.words = {step: word for word, step in recipe.space.units.items()}
        self.told_early = (
            self.free
            and recipe.split_key == "facts"
            and recipe.kinds() == ("relation",)
            and not recipe.special
        )

    def draw(self, draw: Draw, cell: Cell | None, admits: Admits | None = None) -> Draft:
        """A new story; of the split if that can be told so early."""
        if self.recipe.shape == "chain":
            return self._chain(draw, cell, admits)
        return self._map(draw) if self.recipe.shape == "map" else self._line(draw)

    # --- chains ---------------------------------------------------------------------------

    def _chain(self, draw: Draw, cell: Cell | None, admits: Admits | None) -> Draft:
        hops, wish = self._goal(draw, cell)
        steps = self._steps(draw, hops, wish)
        noise = self.recipe.noise
        need, irrelevant, supporting, disconnected = hops + 1, 0, 0, 0
        if noise.original:
            need += noise.most(hops)
        elif self.noisy:
            supporting = draw_amount(draw, noise.supporting)
            irrelevant = draw_amount(draw, noise.irrelevant)
            disconnected = draw_amount(draw, noise.disconnected)
            need += irrelevant + max(0, supporting - 1) + (disconnected + 1) * (disconnected > 0)
        deck = _dealt(draw, self.pool, need)
        first, last = 0, hops
        if not self.ends:
            first = below(draw, hops + 1)
            last = below(draw, hops)
            last += last >= first
        # noise of the published kind may make another proof: what was admitted would depend on hops
        if admits is not None and self.told_early and not noise.original:
            self._exchange(draw, deck, steps, first, last, admits)
        names = deck[: hops + 1]
        links = chain(names, steps)
        places = {names[0]: 0}
        here = 0
        for i, step in enumerate(steps, 1):  # names[i - 1] lies `step` from names[i]
            here -= step
            places[names[i]] = here
        pair = (names[first], names[last])
        if self.noisy:
            fresh = iter(deck[hops + 1 : need])
            if noise.original:
                links += _original_noise(draw, names, pair, places, fresh)
            else:
                if supporting:
                    walks = _exact(self.grid)
                    links += detour(draw, walks, names, steps, fresh=fresh, links=supporting)
                links += branch(draw, names, fresh, self.grid.steps, irrelevant)
                links += island(draw, fresh, self.grid.steps, disconnected)
            _place(places, links[hops:])
        return Draft(shuffled(draw, links), places, pair)

    def _goal(self, draw: Draw, cell: Cell | None) -> tuple[int, str]:
        """How many hops, and how the ends are to lie to each other (empty: as it comes)."""
        recipe = self.recipe
        low, high = self.hops
        if cell is not None and self.ends:
            if recipe.quotas and "hops" in recipe.quotas:
                low = high = max(low, min(high, cell.support_size[1]))
            else:
                low = max(low, min(high, cell.support_size[0]))
                high = min(high, max(low, cell.support_size[1]))
        hops = low if low == high else low + below(draw, high - low + 1)
        if cell is not None and self.ends and cell.answers:
            wish = cell.answers[0] if len(cell.answers) == 1 else pick(draw, cell.answers)
            if wish in self.labels and (hops > 1 or wish != "overlap"):
                return hops, wish
        if recipe.balanced:
            return hops, pick(draw, self.labels if hops > 1 else self.labels[:-1])
        return hops, ""

    def _steps(self, draw: Draw, hops: int, wish: str) -> list[int]:
        """Any steps, or such that the first entity lies to the last as wished."""
        if not self.free:
            return _winding(draw, hops)
        if wish and self.dimensions == 2 and hops * self.reach[1] <= COUNTED:
            found = _by_sign(self.grid).draw(draw, hops, wish)
            assert found is not None
            return found
        choices = self.grid.steps
        while True:
            steps = [pick(draw, choices) for _ in range(hops)]
            if not wish or label(sum(steps)) == wish:
                return steps

    def _exchange(
        self,
        draw: Draw,
        deck: list[str],
        steps: Sequence[int],
        first: int,
        last: int,
        admits: Admits,
    ) -> None:
        """Exchange names of the chain until its facts belong to the split."""
        low, high = (first, last) if first < last else (last, first)
        words, size = self.words, len(deck)
        for _ in range(EXCHANGES):
            told = []
            for i in range(low, high):
                one, other = deck[i], deck[i + 1]
                if one <= other:
                    told.append(f"{words[steps[i]]} {one} {other}")
                else:
                    told.append(f"{words[-steps[i]]} {other} {one}")
            if admits(content(told, ("relation", deck[low], deck[high]))):
                return
            i = low + int(draw() * (high - low + 1))
            j = int(draw() * size)
            deck[i], deck[j] = deck[j], deck[i]

    # --- the maps of the bAbI tasks -------------------------------------------------------

    def _line(self, draw: Draw) -> Draft:
        """Three in a line: the middle one is the ground of a sentence in two thirds."""
        end, middle, other = some(draw, self.pool, 3)
        step = pick(draw, CARDINAL.steps)
        links = [Link(end, step, middle), Link(other, -step, middle)]
        links = [
            link if draw() < 2 / 3 else Link(link.object, -link.relation, link.subject)
            for link in links
        ]
        places = {end: 0, middle: -step, other: -2 * step}
        return Draft(shuffled(draw, links), places, (end, other))

    def _map(self, draw: Draw) -> Draft:
        recipe = self.recipe
        hops = draw_amount(draw, recipe.hops)
        count = draw_amount(draw, recipe.entities)
        names = some(draw, self.pool, count)
        plan = None
        while plan is None:
            plan = _hang(draw, names, _winding(draw, hops), recipe.crowded)
        links, places = plan
        return Draft(
            shuffled(draw, links), dict(zip(names, places, strict=True)), (names[0], names[hops])
        )


@lru_cache(maxsize=64)
def drawer_of(recipe: SpaceRecipe) -> Drawer:
    """The drawer of a recipe, made once."""
    return Drawer(recipe)


def _dealt(draw: Draw, names: Sequence[str], count: int) -> list[str]:
    """All names, the first `count` of them in random order."""
    deck = list(names)
    size = len(deck)
    for i in range(count):
        j = i + int(draw() * (size - i))
        deck[i], deck[j] = deck[j], deck[i]
    return deck


def _place(places: dict[str, int], links: Sequence[Link[int]]) -> None:
    """Place what noise adds; links come in an order in which one end is known, or none is."""
    for subject, relation, other, _ in links:
        if subject in places:
            places.setdefault(other, places[subject] - relation)
        else:
            places[subject] = places.setdefault(other, 0) + relation


def _original_noise(
    draw: Draw,
    names: Sequence[str],
    pair: tuple[str, str],
    places: dict[str, int],
    fresh: Iterator[str],
) -> list[Link[int]]:
    """Noise in the amounts, and built in the way, of the published StepGame."""
    hops = len(names) - 1
    most = (hops + 1) // 3 + 1
    links: list[Link[int]] = []
    if hops > 3:
        idle = [name for name in names if name not in pair]
        for _ in range(100):
            start, goal = shuffled(draw, idle)[:2]
            gap = places[start] - places[goal]
            if 2 <= sum(map(abs, xyz(gap))) <= 7:
                links += _aligned_route(draw, start, goal, gap, fresh)
                break
    islanders = 2 if most < 2 else 2 + below(draw, most - 1)
    hung = 1 + below(draw, most)
    links += island(draw, fresh, KING.steps, islanders - 1)
    links += branch(draw, names, fresh, KING.steps, hung)
    return links


def _aligned_route(
    draw: Draw, start: str, goal: str, gap: int, fresh: Iterator[str]
) -> list[Link[int]]:
    """A route from start to goal, `gap` away, in cardinal steps, none of them a detour."""
    dx, dy, _ = xyz(gap)
    across = [vector(1 if dx > 0 else -1, 0)] * abs(dx)
    upright = [vector(0, 1 if dy > 0 else -1)] * abs(dy)
    steps = []
    while across or upright:
        side = across if across and (not upright or draw() < 0.5) else upright
        steps.append(side.pop())
    stops = [start, *(next(fresh) for _ in steps[1:]), goal]
    return chain(stops, steps, "supporting")


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
            if spot in places or sum([spot + v in places for v in CARDINAL.steps]) > 1:
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


@cache
def _by_sign(grid: Grid) -> Walks[int]:
    """Chains by how their ends lie to each other."""
    return Walks(grid, label)


@cache
def _exact(grid: Grid) -> Walks[int]:
    """Chains by where they lead."""
    longest = max(map(length, grid.steps))

    def reachable(state: int, goal: object, left: int) -> bool:
        assert isinstance(goal, int)
        return length(goal - state) <= left * longest

    return Walks(grid, reachable=reachable)
