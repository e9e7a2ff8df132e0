"""Draws the content of a story: entities at positions, links between them, and the pair to ask
about.

Promises:
1. Chains have the length and the outcome that recipe and cell ask for; noise neither changes nor
   shortens the answer (see relations/noise.py).
2. If the facts of the proof are known in advance and decide the split, the chain is drawn for the
   split: names are swapped until it fits, instead of telling and reading stories for other splits.
   (The reader checks the result again.)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, lru_cache

from fabula.core.seeds import Draw, below, pick
from fabula.core.split import content
from fabula.core.supports import mask_of, numbers_of, preference
from fabula.recipe.model import Cell
from fabula.world.relations import Link, Walks
from fabula.world.relations.amounts import bounds, draw_amount
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
from fabula.world.space.pattern import Pattern
from fabula.world.space.recipe import SpaceRecipe

COUNTED = 16
"""Longer chains with a given outcome are drawn until one has it: counting would take longer."""
EXCHANGES = 64
"""Maximum number of swaps to make a chain fit its split."""

Admits = Callable[[str], bool]


class Draft:
    """The content of a story: numbered entities, and links between them in the order of telling.

    Entity `subjects[i]` lies `steps[i]` from entity `objects[i]`.
    """

    def __init__(self) -> None:
        self.subjects: list[int] = []
        self.steps: list[int] = []
        self.objects: list[int] = []
        self.roles: list[str] = []
        """The role of each link (see relations/noise.py)."""
        self.places: list[int] = []
        """The position of each entity; each part has its own origin."""
        self.names: list[str] = []
        """Names of the entities, followed by unused names."""
        self.told: list[Pattern] = []
        """The sentences told so far, and the entities in their slots."""
        self.figures: list[int] = []
        self.grounds: list[int] = []
        self.first = 0
        """The entity that a question about a chain names first."""
        self.last = 0

    def link(self, subject: int, step: int, other: int, role: str = "chain") -> None:
        """Add a link; the position of one end is known, that of the other follows."""
        places = self.places
        if subject == len(places):
            places.append(places[other] + step)
        elif other == len(places):
            places.append(places[subject] - step)
        self.subjects.append(subject)
        self.steps.append(step)
        self.objects.append(other)
        self.roles.append(role)

    def chain(self, steps: list[int]) -> None:
        """Begin with a chain of these steps."""
        here = 0
        self.places.append(0)
        for step in steps:
            here -= step
            self.places.append(here)
        self.subjects = list(range(len(steps)))
        self.steps = list(steps)
        self.objects = list(range(1, len(steps) + 1))
        self.roles = ["chain"] * len(steps)

    def shuffle(self, draw: Draw) -> list[int]:
        """Put the links in random order; returns the new position of each."""
        count = len(self.steps)
        order = list(range(count))
        for i in range(count - 1, 0, -1):
            j = int(draw() * (i + 1))
            order[i], order[j] = order[j], order[i]
        subjects, steps, objects, roles = self.subjects, self.steps, self.objects, self.roles
        self.subjects = [subjects[i] for i in order]
        self.steps = [steps[i] for i in order]
        self.objects = [objects[i] for i in order]
        self.roles = [roles[i] for i in order]
        gone = [0] * count
        for at in range(count):
            gone[order[at]] = at
        return gone

    @property
    def pair(self) -> tuple[str, str]:
        """The two entities that a question about a chain names."""
        return self.names[self.first], self.names[self.last]

    def links(self) -> list[Link[int]]:
        """The links, with names."""
        names = self.names
        return [
            Link(names[self.subjects[i]], step, names[self.objects[i]], self.roles[i])
            for i, step in enumerate(self.steps)
        ]

    def located(self) -> dict[str, int]:
        """The position of everything, by name."""
        return dict(zip(self.names, self.places, strict=False))


class Drawer:
    """Draws the stories of one recipe."""

    def __init__(self, recipe: SpaceRecipe) -> None:
        self.recipe = recipe
        self.pool = list(recipe.pool)
        self.free = recipe.wording == "phrases"
        self.reach = bounds(recipe.steps)
        self.dimensions = recipe.dimensions
        self.ends = recipe.ask_about == "ends"
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
        """Draw a story; one of the split, if that can be decided this early."""
        if self.recipe.shape == "chain":
            return self._chain(draw, cell, admits)
        return self._map(draw) if self.recipe.shape == "map" else self._line(draw)

    # --- chains ---------------------------------------------------------------------------

    def _chain(self, draw: Draw, cell: Cell | None, admits: Admits | None) -> Draft:
        hops, wish = self._goal(draw, cell)
        steps = self._steps(draw, hops, wish)
        draft = Draft()
        draft.chain(steps)
        first, last = 0, hops
        if not self.ends:
            first = below(draw, hops + 1)
            last = below(draw, hops)
            last += last >= first
        draft.first, draft.last = first, last
        around: list[int] = []
        if self.noisy:
            around = self._add_noise(draw, draft, hops)
        gone = draft.shuffle(draw)
        draft.names = _dealt(draw, self.pool, len(draft.places))
        if admits is not None and self.told_early:
            low, high = (first, last) if first < last else (last, first)
            proof = [gone[i] for i in range(low, high)]
            if around:
                proof = _shorter(proof, [gone[i] for i in around])
            self._exchange(draw, draft, proof, admits)
        return draft

    def _add_noise(self, draw: Draw, draft: Draft, hops: int) -> list[int]:
        """Add noise to a chain; returns the cycle that a second route closes with the chain, if a
        proof may use that route.
        """
        noise, steps = self.recipe.noise, self.grid.steps
        if noise.original:
            return _original_noise(draw, draft, hops)
        supporting = draw_amount(draw, noise.supporting)
        irrelevant = draw_amount(draw, noise.irrelevant)
        disconnected = draw_amount(draw, noise.disconnected)
        if supporting > 1:
            _detour(draw, draft, hops, _exact(self.grid), supporting)
        _branch(draw, draft, hops, steps, irrelevant)
        _island(draw, draft, steps, disconnected)
        return []  # the detour is longer than the chain

    def _goal(self, draw: Draw, cell: Cell | None) -> tuple[int, str]:
        """The number of hops, and the relation of the two ends (empty: any)."""
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
        """Random steps, or steps whose ends have the requested relation."""
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

    def _exchange(self, draw: Draw, draft: Draft, proof: list[int], admits: Admits) -> None:
        """Swap names of the proof until its facts belong to the split."""
        names = draft.names
        size = len(names)
        one, other = draft.first, draft.last
        subjects = [draft.subjects[at] for at in proof]
        objects = [draft.objects[at] for at in proof]
        ends = subjects + objects
        steps = [draft.steps[at] for at in proof]
        for _ in range(EXCHANGES):
            query = ("relation", names[one], names[other])
            if admits(self.content(subjects, steps, objects, names, query)):
                return
            i = ends[int(draw() * len(ends))]
            j = int(draw() * size)
            names[i], names[j] = names[j], names[i]

    def content(
        self,
        subjects: list[int],
        steps: list[int],
        objects: list[int],
        names: list[str],
        query: tuple[str, ...],
    ) -> str:
        """Facts and a question in the form that other splits must not have, in any wording."""
        words = self.words
        told = []
        for i, step in enumerate(steps):
            one, other = names[subjects[i]], names[objects[i]]
            if one <= other:
                told.append(f"{words[step]} {one} {other}")
            else:
                told.append(f"{words[-step]} {other} {one}")
        return content(told, query)

    # --- the maps of the bAbI tasks -------------------------------------------------------

    def _line(self, draw: Draw) -> Draft:
        """Three in a line: the middle one is the ground of a sentence in two thirds of the
        cases.
        """
        draft = Draft()
        step = pick(draw, CARDINAL.steps)
        draft.places += [0, -step, -2 * step]
        for end, side in ((0, step), (2, -step)):
            if draw() < 2 / 3:
                draft.link(end, side, 1)
            else:
                draft.link(1, -side, end)
        draft.last = 2
        draft.shuffle(draw)
        draft.names = _dealt(draw, self.pool, 3)
        return draft

    def _map(self, draw: Draw) -> Draft:
        recipe = self.recipe
        hops = draw_amount(draw, recipe.hops)
        count = draw_amount(draw, recipe.entities)
        draft = None
        while draft is None:
            draft = _hang(draw, count, _winding(draw, hops), recipe.crowded)
        draft.last = hops
        draft.shuffle(draw)
        draft.names = _dealt(draw, self.pool, count)
        return draft


@lru_cache(maxsize=64)
def drawer_of(recipe: SpaceRecipe) -> Drawer:
    """The drawer of a recipe; cached."""
    return Drawer(recipe)


def _dealt(draw: Draw, names: Sequence[str], count: int) -> list[str]:
    """All names, the first `count` of them in random order."""
    deck = list(names)
    size = len(deck)
    for i in range(count):
        j = i + int(draw() * (size - i))
        deck[i], deck[j] = deck[j], deck[i]
    return deck


def _branch(draw: Draw, draft: Draft, hops: int, steps: Sequence[int], links: int) -> None:
    """Add `links` irrelevant links, each attaching a new entity to the chain or an earlier new
    entity.
    """
    fresh = len(draft.places)
    for added in range(links):
        step = steps[int(draw() * len(steps))]
        host = int(draw() * (hops + 1 + added))
        if host > hops:
            host += fresh - hops - 1
        draft.link(len(draft.places), step, host, "irrelevant")


def _island(draw: Draw, draft: Draft, steps: Sequence[int], links: int) -> None:
    """Add `links` links in a chain of new entities."""
    if links:
        draft.places.append(0)
    for _ in range(links):
        here = len(draft.places) - 1
        draft.link(here, steps[int(draw() * len(steps))], here + 1, "disconnected")


def _detour(draw: Draw, draft: Draft, hops: int, walks: Walks[int], links: int) -> None:
    """Another route of `links` links between two entities of the chain, if there is one.

    It is longer than the stretch it bypasses, so the chain stays the only shortest proof.
    """
    spans = [(i, j) for i in range(hops) for j in range(i + 1, min(i + links, hops + 1))]
    while spans:
        i, j = spans.pop(int(draw() * len(spans)))
        way = walks.draw(draw, links, draft.places[i] - draft.places[j])
        if way is not None:
            _route(draft, i, j, way)
            return


def _route(draft: Draft, start: int, goal: int, steps: Sequence[int]) -> None:
    """Another route from start to goal, over new entities."""
    here = start
    for step in steps[:-1]:
        ahead = len(draft.places)
        draft.link(here, step, ahead, "supporting")
        here = ahead
    draft.link(here, steps[-1], goal, "supporting")


def _original_noise(draw: Draw, draft: Draft, hops: int) -> list[int]:
    """Noise with the amounts and the construction of the published StepGame.

    Returns the cycle that a second route closes with the chain.
    """
    most = (hops + 1) // 3 + 1
    ring: list[int] = []
    if hops > 3:
        places = draft.places
        idle = [i for i in range(hops + 1) if i not in (draft.first, draft.last)]
        for _ in range(100):
            i = int(draw() * len(idle))
            j = int(draw() * (len(idle) - 1))
            start, goal = idle[i], idle[j + (j >= i)]
            dx, dy, _ = xyz(places[start] - places[goal])
            if 2 <= abs(dx) + abs(dy) <= 7:
                _route(draft, start, goal, _aligned(draw, dx, dy))
                ring = [*range(min(start, goal), max(start, goal)), *range(hops, len(draft.steps))]
                break
    islanders = 2 if most < 2 else 2 + int(draw() * (most - 1))
    hung = 1 + int(draw() * most)
    _island(draw, draft, KING.steps, islanders - 1)
    _branch(draw, draft, hops, KING.steps, hung)
    return ring


def _aligned(draw: Draw, dx: int, dy: int) -> list[int]:
    """Cardinal steps that add up to a vector, without detours."""
    across, upright = abs(dx), abs(dy)
    aside, aloft = vector(1 if dx > 0 else -1, 0), vector(0, 1 if dy > 0 else -1)
    steps = []
    while across or upright:
        if across and (not upright or draw() < 0.5):
            across -= 1
            steps.append(aside)
        else:
            upright -= 1
            steps.append(aloft)
    return steps


def _shorter(proof: list[int], ring: list[int]) -> list[int]:
    """The one of a proof and the other way around a cycle that readers prefer, as indices of
    sentences.
    """
    one, both = mask_of(proof), mask_of(ring)
    if not one & both:
        return proof
    other = one ^ both
    if preference(one) <= preference(other):
        return proof
    return list(numbers_of(other))


def _winding(draw: Draw, hops: int) -> list[int]:
    """Cardinal steps that never turn straight back."""
    steps = [pick(draw, CARDINAL.steps)]
    while len(steps) < hops:
        step = pick(draw, CARDINAL.steps)
        if step != -steps[-1]:
            steps.append(step)
    return steps


def _hang(draw: Draw, count: int, way: list[int], crowded: bool) -> Draft | None:
    """A map: a path, with other entities attached to it, `count` in all; None if it fails.

    Each free side of a position is equally likely. Unless `crowded`, no two share a position, and
    all neighbours have a link that says so.
    """
    draft = Draft()
    draft.chain(way)
    places = draft.places
    if not crowded and not _spread(places):
        return None
    hosts: list[int] = []
    sides: list[int] = []
    for host in range(len(places)):
        for side in CARDINAL.steps:
            ahead = host < len(way) and side == -way[host]
            if not ahead and not (host and side == way[host - 1]):
                hosts.append(host)
                sides.append(side)
    while len(places) < count:
        if not hosts:
            return None
        at = int(draw() * len(hosts))
        host, side = hosts.pop(at), sides.pop(at)
        spot = places[host] + side
        if not crowded:
            if spot in places or _touching(places, spot) > 1:
                continue
            for free in CARDINAL.steps:
                if free != -side:
                    hosts.append(len(places))
                    sides.append(free)
        draft.link(len(places), side, host, "irrelevant")
    return draft


def _touching(places: Sequence[int], spot: int) -> int:
    """The number of positions right next to a spot."""
    count = 0
    for step in CARDINAL.steps:
        if spot + step in places:
            count += 1
    return count


def _spread(places: Sequence[int]) -> bool:
    """Whether a path visits no position twice and never runs beside itself."""
    for i, place in enumerate(places):
        for j in range(i):
            if place == places[j] or (j < i - 1 and place - places[j] in LETTERS):
                return False
    return True


@cache
def _by_sign(grid: Grid) -> Walks[int]:
    """Chains by the relation of their ends."""
    return Walks(grid, label)


@cache
def _exact(grid: Grid) -> Walks[int]:
    """Chains by where they lead."""
    longest = max(map(length, grid.steps))

    def reachable(state: int, goal: object, left: int) -> bool:
        assert isinstance(goal, int)
        return length(goal - state) <= left * longest

    return Walks(grid, reachable=reachable)
