"""A story about sizes in progress."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fabula.core.seeds import Draw, pick, shuffled
from fabula.world.base import Annotation, Brief, Candidate, OneWording, Query, Reading
from fabula.world.relations import Link, Walks, branch, chain, detour, island
from fabula.world.relations.amounts import bounds, draw_amount
from fabula.world.sizes import release
from fabula.world.sizes.language import bigger_first, language
from fabula.world.sizes.reading import BIGGER, ORDER, SizesReading
from fabula.world.sizes.recipe import SizesRecipe

WALKS = Walks(ORDER)


class SizesTale(OneWording):
    """One story: things in an order, compared one after another."""

    def __init__(
        self, recipe: SizesRecipe, unfold: Draw, tell: Draw, brief: Brief | None = None
    ) -> None:
        self.recipe = recipe
        self.language = language(recipe.native)
        self.sentences: list[str] = []
        self._reading = SizesReading(self.language)
        self.reading: Reading = self._reading
        self._unfold = unfold
        self._tell = tell
        self.links: list[Link[int]] = []
        self._age, self._pairs = 0, list[tuple[str, str]]()
        """The questions that can be asked after a number of sentences."""
        self.sizes: dict[str, float] = {}
        """The size of each thing."""
        if recipe.facts == "chain":
            self.links = self._chain()
        else:
            everything = (*recipe.smallest, *shuffled(unfold, recipe.things))
            self.sizes = {name: size for size, name in enumerate(everything)}

    def _chain(self) -> list[Link[int]]:
        recipe, draw = self.recipe, self._unfold
        fresh: Iterator[str] = iter(shuffled(draw, recipe.things))
        steps = [BIGGER] * draw_amount(draw, recipe.steps)
        names = [next(fresh) for _ in range(len(steps) + 1)]
        links = chain(names, steps)
        around = draw_amount(draw, recipe.noise.supporting)
        if around:
            links += detour(draw, WALKS, names, steps, fresh=fresh, links=around)
        links += branch(draw, names, fresh, ORDER.steps, draw_amount(draw, recipe.noise.irrelevant))
        links += island(draw, fresh, ORDER.steps, draw_amount(draw, recipe.noise.disconnected))
        self._measure(links)
        return shuffled(draw, links)

    def _measure(self, links: Sequence[Link[int]]) -> None:
        """Assign sizes: the chain decreases by ones, a detour in equal parts."""
        sizes = self.sizes
        around = [link for link in links if link.role == "supporting"]
        for link in links:
            if link.role == "chain":
                sizes[link.object] = sizes.setdefault(link.subject, 0.0) - 1
        if around:
            fall = (sizes[around[0].subject] - sizes[around[-1].object]) / len(around)
            for link in around[:-1]:
                sizes[link.object] = sizes[link.subject] - fall
        for subject, relation, other, role in links:
            if role in ("irrelevant", "disconnected"):
                if subject in sizes:
                    sizes[other] = sizes[subject] - relation / 2
                else:
                    sizes[subject] = sizes.setdefault(other, 0.0) + relation / 2

    def advance(self, goal: int, pause: int | None = None) -> bool:
        """Tell the chain, or batches of pairs until a question can be asked."""
        recipe, links = self.recipe, self.links
        if recipe.facts == "chain":
            end = len(links)
        elif self.sentences and pause is None and len(self.sentences) >= recipe.lengths[0]:
            end = len(links) if next(release.chains(self._reading), None) else goal
        else:
            end = goal
        while len(links) < end:
            self.compare()
        if pause is not None:
            end = min(end, pause)
        for at in range(len(self.sentences), end):
            subject, relation, other, _ = links[at]
            pair = (subject, other) if relation == BIGGER else (other, subject)
            sentence = self.language.say(*pair, self._tell)
            self.sentences.append(sentence)
            self._reading.hear(sentence)
        return True

    def compare(self) -> None:
        """Compare two random things, as in the release: perhaps again."""
        names, draw = list(self.sizes), self._unfold
        first = pick(draw, names)
        names.remove(first)
        second = pick(draw, names)
        if self.sizes[first] < self.sizes[second]:
            first, second = second, first
        self.links.append(Link(first, BIGGER, second, "irrelevant"))

    def candidates(self, kind: str, draw: Draw) -> list[Candidate]:
        """The questions of a kind that could be asked now."""
        if self.recipe.labels == "release":
            return [
                Candidate(_query(kind, first, other), cited.answer, cited.numbers)
                for first, other, cited in release.chains(self._reading)
            ]
        if self._age != len(self.sentences):
            self._age, self._pairs = len(self.sentences), self._ordered()
        found = []
        for first, second in self._pairs:
            found.append(Candidate(_query(kind, first, second), ("yes",)))
            found.append(Candidate(_query(kind, second, first), ("no",)))
        return found

    def _ordered(self) -> list[tuple[str, str]]:
        """(bigger, smaller) for all pairs as many steps apart as the recipe asks for.

        Pairs stated directly need no reasoning, so they count only if the recipe asks for one step.
        """
        low, most = bounds(self.recipe.steps)
        lower: dict[str, list[str]] = {}
        for bigger, smaller in self._reading.told:
            lower.setdefault(bigger, []).append(smaller)
        pairs: list[tuple[str, str]] = []
        for name, direct in lower.items():
            seen, edge = {name}, [name]
            for hops in range(1, most + 1):
                ahead: list[str] = []
                for here in edge:
                    for other in lower.get(here, ()):
                        if other not in seen:
                            seen.add(other)
                            ahead.append(other)
                edge = ahead
                if hops >= low:
                    pairs += [(name, other) for other in edge if hops == 1 or other not in direct]
        return pairs

    def truth(self, query: Query) -> tuple[str, ...]:
        """The answer by the sizes."""
        first, second = bigger_first(query)
        return ("yes" if self.sizes[first] > self.sizes[second] else "no",)

    def annotate(self, query: Query, mask: int, position: int) -> Annotation:
        """Roles of the sentences."""
        roles = []
        for number, link in enumerate(self.links[:position], 1):
            role = "irrelevant" if link.role == "chain" else link.role
            roles.append("support" if mask >> number & 1 else role)
        return Annotation(tuple(roles), {})


def _query(kind: str, first: str, second: str) -> Query:
    return (kind, first, second) if kind == "bigger" else (kind, second, first)
