"""A story about positions in the making: a plan of the grid is drawn, then told in any order.

Most recipes tell one link a sentence. Where a recipe wants more (sentences that join two links,
that deny something, or state the convention), a *plan* says what each sentence tells.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import Any, NamedTuple

from fabula.recipe import Cell
from fabula.relations import Link, Walks, branch, chain, detour, island
from fabula.relations.amounts import bounds, draw_amount
from fabula.seeds import Draw, below, pick, shuffled
from fabula.worlds.base import Annotation, Candidate, Query, Reading
from fabula.worlds.space import release
from fabula.worlds.space.grid import (
    CARDINAL,
    COMPASS,
    DIAGONALS,
    INVERSE,
    KING,
    LABELS,
    LETTERS,
    PATTERNS,
    REGIONS,
    SIDES,
    UNITS,
    WAYS,
    WORDS,
    along,
    label,
    length,
    lies,
    parted,
    stretched,
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


class Denial(NamedTuple):
    """How two entities do not lie to each other."""

    subject: str
    pattern: str
    object: str


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
        self.plan: list[tuple[Link[int], ...] | Denial] = []
        """What each sentence tells, where that is not one link each; () is the convention."""
        if recipe.special:
            self.plan = self._plan(unfold)

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
        reach = bounds(recipe.steps)
        steps = _steps(draw, hops, wish, reach) if free else _winding(draw, hops)
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
            grid = stretched(*reach) if free else CARDINAL
            walks = _exact(*reach) if free else _cardinal()
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
        if cell is not None and recipe.asked == "ends" and "hops" in recipe.quotas:
            low = high = max(low, min(high, cell.support_size[1]))
        elif cell is not None and recipe.asked == "ends":
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

    def _plan(self, draw: Draw) -> list[tuple[Link[int], ...] | Denial]:
        """What each sentence tells."""
        recipe = self.recipe
        plan: list[tuple[Link[int], ...] | Denial] = []
        rest = list(self.links)
        while rest:
            link = rest.pop(0)
            joins = [i for i, other in enumerate(rest) if self._joins(link) and self._joins(other)]
            if joins and draw() < recipe.joined:
                ends = {link.subject, link.object}
                near = [i for i in joins if ends & {rest[i].subject, rest[i].object}]
                at = near[0] if near and draw() < 0.5 else joins[0]
                plan.append((link, rest.pop(at)))
            else:
                plan.append((link,))
        members = list(dict.fromkeys(n for k in self.links if k.role == "chain" for n in k[::2]))
        denied: set[Denial] = set()
        for _ in range(draw_amount(draw, recipe.noise.negation)):
            denial = self._deny(draw, [str(name) for name in members])
            while denial in denied:
                denial = self._deny(draw, [str(name) for name in members])
            denied.add(denial)
            plan.insert(below(draw, len(plan) + 1), denial)
        return [(), *plan] if recipe.state_convention else plan

    def _deny(self, draw: Draw, names: list[str]) -> Denial:
        """Something that is not so in the map."""
        first = names.pop(below(draw, len(names)))
        second = pick(draw, names)
        gap = self.places[first] - self.places[second]
        words = [word for word, region in PATTERNS.items() if not lies(gap, region)]
        return Denial(first, pick(draw, words), second)

    def _joins(self, link: Link[int]) -> bool:
        return bool(self._halves(link.relation))

    def _halves(self, relation: int) -> tuple[str, ...]:
        """The phrases for a relation that can be half of a sentence."""
        recipe = self.recipe
        unit, count = parted(relation)
        return _joins_of(recipe.language, SAID["phrases"][unit], recipe.phrases, count)

    # --- telling --------------------------------------------------------------------------

    def _advance_plan(self, pause: int | None) -> bool:
        end = len(self.plan) if pause is None else min(pause, len(self.plan))
        for at in range(len(self.sentences), end):
            told = self.plan[at]
            if isinstance(told, Denial):
                sentence = self.language.deny(told.pattern, told.subject, told.object, self._tell)
            elif not told:
                key = "counted" if self.recipe.longest > 1 else "units"
                sentence = self.language.conventions[key]
            elif len(told) == 1:
                sentence = self._say(told[0])
            else:
                sentence = self._say_both(told[0], told[1])
            self.sentences.append(sentence)
            self._reading.hear(sentence)
        return True

    def _turned(self, link: Link[int]) -> tuple[str, int, str]:
        """A link as it is told, from either side."""
        subject, relation, other, _ = link
        return (other, -relation, subject) if self._tell() < 0.5 else (subject, relation, other)

    def _say(self, link: Link[int]) -> str:
        subject, relation, other = self._turned(link)
        unit, count = parted(relation)
        word, draw = SAID["phrases"][unit], self._tell
        if count > 1:
            return self.language.count(word, subject, other, count, draw)
        kind = pick(draw, self._kinds(word)) if self.recipe.phrases else ""
        return self.language.say(word, subject, other, draw, kind)

    def _say_both(self, first: Link[int], second: Link[int]) -> str:
        draw, tongue = self._tell, self.language
        shared = {first.subject, first.object} & {second.subject, second.object}
        plain = not self.recipe.phrases or "plain" in self.recipe.phrases
        if shared and plain and draw() < 0.5:
            (figure,) = shared
            places = []
            for link in (first, second):
                own = link.subject == figure
                unit, count = parted(link.relation if own else -link.relation)
                other = link.object if own else link.subject
                places.append((SAID["phrases"][unit], count, other))
            if all(tongue.shares(*place[:2]) for place in places):
                return tongue.share(figure, places[0], places[1])
        halves = []
        for link in (first, second):
            subject, relation, other = self._turned(link)
            halves.append(tongue.fill(pick(draw, self._halves(relation)), subject, other))
        return tongue.both(halves[0], halves[1])

    def advance(self, goal: int, pause: int | None = None) -> bool:
        """Tell the plan; a story is as long as its plan, so there is no other goal."""
        if self.plan:
            return self._advance_plan(pause)
        sentences, links = self.sentences, self.links
        end = len(links) if pause is None else min(pause, len(links))
        recipe, draw, hear = self.recipe, self._tell, self._reading.hear
        words = SAID[recipe.told]
        turned = recipe.shape != "line"
        bank = _bank(recipe.language) if recipe.told == "phrases" and not recipe.phrases else None
        for at in range(len(sentences), end):
            subject, relation, other, _ = links[at]
            if turned and draw() < 0.5:
                subject, relation, other = other, -relation, subject
            if bank is not None and subject[0].isupper():
                texts = bank[relation]
                sentence = texts[int(draw() * len(texts))].format(subject, other)
            elif recipe.told == "phrases":
                word = words[relation]
                kind = pick(draw, self._kinds(word)) if recipe.phrases else ""
                sentence = self.language.say(word, subject, other, draw, kind)
            else:
                sentence = self.language.tell(words[relation], subject, other, draw)
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
        if self.recipe.told == "phrases":
            return self._agents(kind, draw)
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

    def _agents(self, kind: str, draw: Draw) -> list[Candidate]:
        """Questions about a story told with the phrase bank, other than for a relation.

        Of those that differ in a word one is drawn, for 'yes' or 'no' alike: a kind with many
        questions would else be asked more often, as one of them always suits the split.
        """
        pairs = [self.pair, self.pair[::-1]]
        if kind == "path":
            ways = [(pair, self._route(*pair)) for pair in pairs]
            return [Candidate(("path", "steps", *pair), way) for pair, way in ways if way]
        queries: list[Query]
        if kind == "yes-no":
            queries = [(kind, word, *pair) for pair in pairs for word in PATTERNS]
        elif kind == "which":
            queries = [(kind, word, name) for name in self.pair for word in (*SIDES, *DIAGONALS)]
        else:
            queries = [(kind, *pair) for pair in pairs]
        truths = [(query, self.truth(query)) for query in queries]
        found = [Candidate(query, answer) for query, answer in truths if answer]
        if kind == "how-far" or not found or self.recipe.questions == "all":
            return found
        if kind == "yes-no":
            wanted = "yes" if draw() < 0.5 else "no"
            found = [candidate for candidate in found if candidate.answer == (wanted,)]
        return [pick(draw, found)]

    def _near(self) -> dict[str, list[tuple[str, int]]]:
        """For each entity those it is linked with, and the step that leads there."""
        near: dict[str, list[tuple[str, int]]] = {}
        for subject, relation, other, _ in self.links:
            near.setdefault(subject, []).append((other, -relation))
            near.setdefault(other, []).append((subject, relation))
        return near

    def _part(self, name: str) -> list[str]:
        """All that hang together with an entity, nearest first."""
        near = self._near()
        found = [name]
        for here in found:
            found += dict.fromkeys(n for n, _ in near[here] if n not in found)
        return found

    def _route(self, start: str, goal: str) -> tuple[str, ...] | None:
        """The steps over the fewest links, if there is just one such way."""
        near = self._near()
        ways: dict[str, list[tuple[int, ...]]] = {start: [()]}
        edge = [start]
        while goal not in ways:
            ahead: dict[str, list[tuple[int, ...]]] = {}
            for here in edge:
                for there, step in near[here]:
                    if there not in ways:
                        ahead.setdefault(there, []).extend((*way, step) for way in ways[here])
            ways |= ahead
            edge = list(ahead)
        if len(set(ways[goal])) != 1:
            return None
        steps = [parted(step) for step in ways[goal][0]]
        return tuple(WAYS[unit] for unit, count in steps for _ in range(count))

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
            gap = places[query[2]] - places[query[3]]
            return ("yes" if lies(gap, REGIONS[query[1]]) else "no",)
        if query[0] == "which":
            origin, region = places[query[2]], REGIONS[query[1]]
            part = self._part(query[2])[1:]
            return tuple(sorted(n for n in part if lies(places[n] - origin, region)))
        if query[0] == "how-far":
            return (str(length(places[query[1]] - places[query[2]])),)
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
        roles = self._roles(mask, position)
        features: dict[str, Any] = {
            "chain": sum(link.role == "chain" for link in self.links),
            "coordinates": {name: list(xy(place)) for name, place in self.places.items()},
        }
        if self.plan:
            counted = self.recipe.longest > 1
            features["convention"] = "unit steps unless told" if counted else "unit steps"
        return Annotation(tuple(roles), features)

    def _roles(self, mask: int, position: int) -> list[str]:
        roles = []
        if not self.plan:
            for number, link in enumerate(self.links[:position], 1):
                if mask >> number & 1:
                    roles.append("support")
                else:
                    roles.append("irrelevant" if link.role == "chain" else link.role)
            return roles
        for number, told in enumerate(self.plan[:position], 1):
            if mask >> number & 1:
                roles.append("support")
            elif isinstance(told, Denial):
                roles.append("negation")
            elif not told:
                roles.append("convention")
            else:
                noise = [link.role for link in told if link.role != "chain"]
                roles.append(noise[0] if noise else "irrelevant")
        return roles


# --- helpers --------------------------------------------------------------------------------


def _steps(draw: Draw, hops: int, wish: str | None, reach: tuple[int, int]) -> list[int]:
    """Any steps, or such that the first entity lies to the last as wished."""
    if wish is not None and hops * reach[1] <= COUNTED:
        steps = _by_sign(*reach).draw(draw, hops, wish)
        assert steps is not None
        return steps
    grid = stretched(*reach)
    while True:
        steps = [pick(draw, grid.steps) for _ in range(hops)]
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
def _by_sign(low: int, high: int) -> Walks[int]:
    return BY_SIGN if high == 1 else Walks(stretched(low, high), label)


@cache
def _exact(low: int, high: int) -> Walks[int]:
    return EXACT if high == 1 else Walks(stretched(low, high))


@cache
def _bank(code: str) -> dict[int, tuple[str, ...]]:
    """All phrases by the step they tell."""
    return {step: language(code).texts(word) for word, step in UNITS.items()}


@cache
def _joins_of(code: str, relation: str, kinds: tuple[str, ...], steps: int) -> tuple[str, ...]:
    return language(code).joins(relation, kinds, steps)


@cache
def _cardinal() -> Walks[int]:
    return Walks(CARDINAL)


@cache
def _kinds_of(code: str, relation: str, kinds: tuple[str, ...]) -> tuple[str, ...]:
    known = {p.kind for p in language(code).phrases if p.relation == relation}
    return tuple(kind for kind in kinds if kind in known)
