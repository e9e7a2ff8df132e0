"""The fast path of bAbI tasks 4, 17 and 19 (see quick.py)."""

from __future__ import annotations

from typing import Final

from fabula.core.instance import Asked
from fabula.core.seeds import Draw, pick, pick_weighted
from fabula.core.split import Splitter, proof_content
from fabula.core.supports import numbers_of
from fabula.recipe.cells import ANYTHING, Cell
from fabula.world.base import Query
from fabula.world.fast import FastPath, Page, UncommonError, disagreement
from fabula.world.relations.amounts import bounds
from fabula.world.space import conventions
from fabula.world.space.drawing import Draft
from fabula.world.space.grid import (
    CARDINAL,
    LETTERS,
    REGIONS,
    WORDS,
    Region,
    along,
    label,
    lies,
    xyz,
)
from fabula.world.space.quick import SIGNS, Links, QuickRelations, QuickSpace
from fabula.world.space.recipe import SpaceNoise, SpaceRecipe

YES: Final = ("yes",)
NO: Final = ("no",)
STEPS: Final = ("unit-step", "straight")
STEPS_AND_WAYS: Final = ("unit-step", "straight", "told-ways")
TURNS: Final = {step: number for number, step in enumerate(CARDINAL.steps, 1)}
WAY: Final = 5  # one more than the number of directions


class QuickBabi(QuickSpace):
    """The common part of the three tasks."""

    def __init__(self, recipe: SpaceRecipe, seed: int, split: str, splitter: Splitter) -> None:
        super().__init__(recipe, seed, split, splitter)
        self.released = recipe.labels == "release"
        self.sizes = recipe.keep.support_size

    def told(self, draft: Draft, draw: Draw) -> list[str]:
        """The sentences of a story, read by the reader."""
        sentences = self.teller.tell(draft, 0, len(draft.steps), draw)
        self.hear(draft)
        return sentences

    def belongs(self, sentences: list[str], numbers: tuple[int, ...], query: Query) -> bool:
        """Whether the split may have a proof."""
        if not self.sorted_out:
            return True
        return self.admits(proof_content([sentences[number - 1] for number in numbers], query))


# --- task 17 --------------------------------------------------------------------------------------


class QuickSides(QuickBabi):
    """Whether one figure lies left of another: a chain, and all questions or some."""

    def __init__(self, recipe: SpaceRecipe, seed: int, split: str, splitter: Splitter) -> None:
        super().__init__(recipe, seed, split, splitter)
        self._words = recipe.words
        self._aligned = recipe.ask_aligned
        self._balanced = "yes-no" in recipe.balance
        self._count = recipe.questions if isinstance(recipe.questions, int) else 0
        """Questions per story; 0: all."""
        self._asks: dict[int, list[tuple[str, tuple[str, ...], tuple[str, ...]]]] = {}
        """The questions, answers and conventions for each relative position of two figures."""

    def attempt(self, unfold: Draw, tell: Draw, ask: Draw) -> Page | None:
        """A story with its questions; None if none belongs to the split."""
        draft = self.drawer.draw(unfold, ANYTHING)
        sentences = self.told(draft, unfold)
        links = Links(draft)
        first, last = draft.first, draft.last
        links.frame(first)
        if not links.sound or links.rings:
            raise UncommonError
        (mask,) = links.ways(first, last)
        if not links.walk(mask, first, last):
            raise UncommonError
        numbers = numbers_of(mask)
        if not self.sizes[0] <= len(numbers) <= self.sizes[1]:
            return None
        there, back = links.walked, [-step for step in links.walked[::-1]]
        query = ("yes-no", draft.names[first], draft.names[last])
        if sum(there) != draft.places[first] - draft.places[last]:
            raise disagreement(sentences, query)
        proof = "\n".join(sorted([sentences[number - 1] for number in numbers]))
        found: list[Asked] = []
        cited = tuple(links.passed) if self.released else numbers
        self._survey(draft, first, last, there, proof, mask, cited, found)
        cited = tuple(links.passed[::-1]) if self.released else numbers
        self._survey(draft, last, first, back, proof, mask, cited, found)
        if not found:
            return None
        if self._count:
            found = self._drawn(ask, found)
        return Page(sentences, found)

    def _survey(
        self,
        draft: Draft,
        figure: int,
        ground: int,
        way: list[int],
        proof: str,
        mask: int,
        cited: tuple[int, ...],
        found: list[Asked],
    ) -> None:
        """Find the questions that may be asked about a pair."""
        key = 0
        for step in way:
            key = key * 64 + SIGNS[step]
        asks = self._asks.get(key)
        if asks is None:
            asks = self._asks[key] = self._askable(way)
        one, other, count = draft.names[figure], draft.names[ground], len(draft.told)
        for word, answer, relied in asks:
            # the content of a proof (see core/split.py)
            if self.sorted_out and not self.admits(f"{proof}\nyes-no\n{word}\n{one}\n{other}"):
                continue
            query = ("yes-no", word, one, other)
            question = self.question(query)
            found.append(Asked(count, query, question, answer, cited, [mask], relied))

    def _askable(self, way: list[int]) -> list[tuple[str, tuple[str, ...], tuple[str, ...]]]:
        """The questions for steps that lead from the figure to the ground."""
        found: list[tuple[str, tuple[str, ...], tuple[str, ...]]] = []
        gap = sum(way)
        for word in self._words:
            if self._aligned or along(gap, WORDS[word]):
                answer = YES if lies(gap, REGIONS[word]) else NO
                query = ("yes-no", word, "", "")
                found.append((word, answer, conventions.of_chains(query, answer, [way])))
        return found

    def _drawn(self, draw: Draw, found: list[Asked]) -> list[Asked]:
        """`count` of the questions, drawn with replacement."""
        pools = [found]
        if self._balanced:  # all answers are equally likely
            first = found[0].answer
            own = [asked for asked in found if asked.answer == first]
            rest = [asked for asked in found if asked.answer != first]
            pools = [own, rest] if rest else [own]
        chosen = []
        for _ in range(self._count):
            pool = pools[0] if len(pools) == 1 else pick(draw, pools)
            chosen.append(pick(draw, pool))
        return chosen


# --- task 4 ---------------------------------------------------------------------------------------


class QuickNeighbours(QuickBabi):
    """Questions such as: what is north of a place, or what is a place north of?"""

    def __init__(self, recipe: SpaceRecipe, seed: int, split: str, splitter: Splitter) -> None:
        super().__init__(recipe, seed, split, splitter)
        self._kinds = list(recipe.kinds())
        self._weights = dict(recipe.asks)
        self._sure = recipe.unambiguous
        self._opened: dict[int, bool | None] = {}
        self._subject_only = recipe.subject_only
        self._words = self.teller.words
        self._sides: dict[int, Region] = {step: REGIONS[label(step)] for step in self._words}

    def attempt(self, unfold: Draw, tell: Draw, ask: Draw) -> Page | None:
        """A story with its questions; None if none belongs to the split."""
        draft = self.drawer.draw(unfold, ANYTHING)
        sentences = self.told(draft, unfold)
        links = Links(draft)
        links.frame(0)
        if not links.sound or links.rings or links.parts > 1:
            raise UncommonError
        kinds = self._kinds
        sides = self._askable(draft)
        while kinds:
            kind = kinds[0]
            if len(kinds) > 1:
                kind = pick_weighted(ask, kinds, [self._weights[k] for k in kinds])
            pool = sides
            while pool:
                at = int(ask() * len(pool))
                place, step, spot = pool[at]
                asked = self._asked(draft, links, sentences, kind, place, step, spot)
                if asked is not None:
                    return Page(sentences, [asked])
                pool = list(pool)
                pool.remove(pool[at])
            kinds = [other for other in kinds if other != kind]
        return None

    def _askable(self, draft: Draft) -> list[tuple[int, int, int]]:
        """For every question a place, a direction, and the next place in that direction."""
        found = []
        places = draft.places
        for at, pattern in enumerate(draft.told):
            figure, ground, step = draft.figures[at], draft.grounds[at], pattern.read
            for place, side in ((ground, step), (figure, -step)):
                if self._sure and self._crowd(places, place, side) != 1:
                    continue
                spot = places[place] + side
                if places.count(spot) == 1:
                    found.append((place, side, places.index(spot)))
                if self._subject_only:
                    break
        return found

    def _crowd(self, places: list[int], place: int, side: int) -> int:
        """The number of places on a side of a place, near or far."""
        region, here, count = self._sides[side], places[place], 0
        for other in places:
            if lies(other - here, region):
                count += 1
        return count

    def _asked(
        self,
        draft: Draft,
        links: Links,
        sentences: list[str],
        kind: str,
        place: int,
        step: int,
        spot: int,
    ) -> Asked | None:
        """A question, if it belongs to the split and is proven."""
        name = draft.names[place]
        query = (
            ("what-is", self._words[step], name)
            if kind == "what-is"
            else ("what-of", name, self._words[-step])
        )
        there = links.places[place] + step
        if links.places.count(there) != 1 or links.places.index(there) != spot:
            raise disagreement(sentences, query)
        (mask,) = links.ways(spot, place)
        numbers = numbers_of(mask)
        if not self.sizes[0] <= len(numbers) <= self.sizes[1]:
            return None
        if not self.belongs(sentences, numbers, query):
            return None
        if not links.walk(mask, spot, place) or sum(links.walked) != step:
            raise UncommonError
        answer = (draft.names[spot],)
        links = Links(draft)
        links.frame(place)
        relied = self._conventions(links, place, step, spot)
        question = self.question(query)
        return Asked(len(sentences), query, question, answer, numbers, [mask], relied)

    def _opens(self, signs: int, wanted: int) -> bool | None:
        """Whether steps with these signs, of any length, lead where one step does; None:
        perhaps.
        """
        key = signs << 6 | wanted
        if key not in self._opened:
            self._opened[key] = _open(signs, wanted)
        return self._opened[key]

    def _conventions(self, links: Links, place: int, step: int, spot: int) -> tuple[str, ...]:
        """The conventions that an answer relies on.

        Without one of them, another place may be the answer too, or this one may not be.
        """
        wanted = SIGNS[step]
        units, straight = True, True
        for other, place_there in enumerate(links.places):
            if other == place:
                continue
            signs = links.signs[other]
            if units and self._opens(signs, wanted) is not (other == spot):
                units = False
            if straight and _aside(signs, place_there, step) is not (other == spot):
                straight = False
        return (() if units else ("unit-step",)) + (() if straight else ("straight",))


def _open(signs: int, wanted: int) -> bool | None:
    """Whether steps with these signs, of any length, lead where one step does; None if they may."""
    sure = True
    for _ in range(2):
        # for each axis: 1 back, 2 neither, 4 ahead
        back, ahead = signs & 1, signs & 4
        sign = (wanted & 7) >> 1 if wanted & 7 != 4 else 2  # 0 back, 1 neither, 2 ahead
        low = 0 if back else 2 if ahead else 1
        high = 2 if ahead else 0 if back else 1
        if not low <= sign <= high:
            return False
        sure = sure and low == high
        signs, wanted = signs >> 3, wanted >> 3
    return True if sure else None


def _aside(signs: int, place: int, step: int) -> bool | None:
    """Whether a place may be the next along the axis of a step, if links may go sideways."""
    x, y, _ = xyz(place)
    dx, dy, _ = xyz(step)
    if signs & (2 if dx else 16):
        return None
    return x == dx if dx else y == dy


# --- task 19 --------------------------------------------------------------------------------------


class QuickPaths(QuickBabi):
    """Questions about how to go from one place to another."""

    def __init__(self, recipe: SpaceRecipe, seed: int, split: str, splitter: Splitter) -> None:
        super().__init__(recipe, seed, split, splitter)
        self._hops = bounds(recipe.hops)
        self._balanced = "path" in recipe.balance
        self._answers: dict[int, tuple[str, ...]] = {}

    def attempt(self, unfold: Draw, tell: Draw, ask: Draw) -> Page | None:
        """A story with its questions; None if none belongs to the split."""
        draft = self.drawer.draw(unfold, ANYTHING)
        sentences = self.told(draft, unfold)
        links = Links(draft)
        links.frame(0)
        if not links.sound or links.rings or links.parts > 1:
            raise UncommonError
        starts, goals, ways = self._ways(draft)
        while ways:
            at = self._drawn(ask, ways)
            asked = self._asked(draft, links, sentences, starts[at], goals[at], ways[at])
            if asked is not None:
                return Page(sentences, [asked])
            if self.released:
                raise UncommonError
            del starts[at], goals[at], ways[at]
        return None

    def _drawn(self, draw: Draw, ways: list[int]) -> int:
        """One of the questions; if answers are balanced, every path is equally likely."""
        count = len(ways)
        if not self._balanced or self.released or count == 1:
            return int(draw() * count)
        answers: list[int] = []
        for way in ways:
            if way not in answers:
                answers.append(way)
        if len(answers) == 1:
            return int(draw() * count)
        answer = answers[int(draw() * len(answers))]
        skip = int(draw() * ways.count(answer))
        at = -1
        for _ in range(skip + 1):
            at = ways.index(answer, at + 1)
        return at

    def _ways(self, draft: Draft) -> tuple[list[int], list[int], list[int]]:
        """Ordered pairs as many links apart as the recipe asks for, with the path, by the map.

        A path is a number whose digits in base WAY are its steps (see TURNS).
        """
        low, high = self._hops
        subjects, steps, objects = draft.subjects, draft.steps, draft.objects
        count = len(draft.places)
        near: list[list[int]] = [[] for _ in range(count)]
        for at in range(len(steps)):
            near[subjects[at]].append(at)
            near[objects[at]].append(at)
        starts: list[int] = []
        goals: list[int] = []
        ways: list[int] = []
        for first in range(count):
            edge, before, passed = [first], [-1], [0]
            for hops in range(1, high + 1):
                ahead: list[int] = []
                behind: list[int] = []
                further: list[int] = []
                for i in range(len(edge)):
                    here = edge[i]
                    for at in near[here]:
                        there = objects[at]
                        if there != here:
                            turn = TURNS[-steps[at]]
                        else:
                            there = subjects[at]
                            turn = TURNS[steps[at]]
                        if there != before[i]:
                            ahead.append(there)
                            behind.append(here)
                            further.append(passed[i] * WAY + turn)
                edge, before, passed = ahead, behind, further
                if hops >= low:
                    starts += [first] * len(edge)
                    goals += edge
                    ways += passed
        return starts, goals, ways

    def _asked(
        self,
        draft: Draft,
        links: Links,
        sentences: list[str],
        start: int,
        goal: int,
        way: int,
    ) -> Asked | None:
        """A question, if it belongs to the split and is proven."""
        query = ("path", draft.names[start], draft.names[goal])
        (mask,) = links.ways(start, goal)
        numbers = numbers_of(mask)
        if not self.sizes[0] <= len(numbers) <= self.sizes[1]:
            return None
        if not self.belongs(sentences, numbers, query):
            return None
        if not links.walk(mask, start, goal):
            raise UncommonError
        read = 0
        for step in links.walked:
            read = read * WAY + TURNS[-step]
        if read != way:
            raise disagreement(sentences, query)
        answer = self._answers.get(way)
        if answer is None:
            answer = self._answers[way] = tuple([LETTERS[-step] for step in links.walked])
        # a compass word is one step and straight; if the steps differ, there is another path over
        # the grid
        relied = STEPS if len(set(answer)) == 1 else STEPS_AND_WAYS
        cited = tuple(links.passed) if self.released else numbers
        question = self.question(query)
        return Asked(len(sentences), query, question, answer, cited, [mask], relied)


def fast_path(recipe: SpaceRecipe, seed: int, split: str, splitter: Splitter) -> FastPath | None:
    """The fast path of a plain recipe; None if only the general path applies."""
    if recipe.special or recipe.dimensions > 2 or recipe.max_extensions:
        return None
    kinds = set(recipe.kinds())
    one = recipe.questions == 1
    quiet = recipe.noise == SpaceNoise()
    if recipe.wording == "phrases":
        proven = recipe.labels == "proof" and recipe.split_key != "proof"
        free = recipe.ask_about == "any" and recipe.keep == Cell()
        if kinds == {"relation"} and one and proven and free:
            return QuickRelations(recipe, seed, split, splitter)
        return None
    if recipe.split_key == "facts" or not quiet:
        return None
    if kinds == {"yes-no"} and recipe.allow_repeats and recipe.shape == "chain":
        return QuickSides(recipe, seed, split, splitter)
    free = recipe.wording == "compass" and not recipe.balance
    if kinds <= {"what-is", "what-of"} and one and free:
        return QuickNeighbours(recipe, seed, split, splitter)
    if kinds == {"path"} and one and recipe.wording == "compass" and recipe.shape == "map":
        return QuickPaths(recipe, seed, split, splitter)
    return None
