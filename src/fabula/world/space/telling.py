"""Tells what was drawn: which sentence says what, and in which words.

Most recipes tell one link a sentence. Where a recipe wants more (sentences that join two links or
deny something), a *plan* says what each sentence tells.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from fabula.core.seeds import Draw, below, pick
from fabula.world.relations import Link
from fabula.world.relations.amounts import draw_amount
from fabula.world.space.drawing import Draft
from fabula.world.space.grid import COMPASS, REGIONS, lies, parted
from fabula.world.space.language import language
from fabula.world.space.recipe import SpaceRecipe


class Denial(NamedTuple):
    """How two entities do not lie to each other."""

    subject: str
    region: str
    object: str


Content = tuple[Link[int], ...] | Denial
"""The facts of a sentence."""


class Teller:
    """Finds the words for the stories of one recipe."""

    def __init__(self, recipe: SpaceRecipe) -> None:
        self.recipe = recipe
        self.language = tongue = language(recipe.native)
        dimensions = recipe.dimensions
        units = COMPASS if recipe.told == "compass" else recipe.space.units
        self.words = {step: word for word, step in units.items()}
        self._turned = recipe.shape != "line"
        self._capital = recipe.pool[0][0].isupper()
        self._texts: dict[int, list[tuple[str, ...]]] = {}
        """For each step the expressions of each kind, or all in one where any will do."""
        if recipe.told == "phrases":
            for step, word in self.words.items():
                texts = [tongue.texts(word, k, dimensions) for k in recipe.phrases or ("",)]
                self._texts[step] = [found for found in texts if found]
        self._halves: dict[int, tuple[str, ...]] = {}

    # --- one link a sentence --------------------------------------------------------------

    def tell(self, links: list[Link[int]], draw: Draw) -> list[str]:
        """A sentence for each link, from either side."""
        sentences = []
        for subject, relation, other, _ in links:
            if self._turned and draw() < 0.5:
                sentences.append(self.say(other, -relation, subject, draw))
            else:
                sentences.append(self.say(subject, relation, other, draw))
        return sentences

    def say(self, subject: str, relation: int, other: str, draw: Draw) -> str:
        """A sentence for one step."""
        if not self._texts:
            return self.language.tell(self.words[relation], subject, other, draw)
        kinds = self._texts[relation]
        texts = kinds[0] if len(kinds) == 1 else pick(draw, kinds)
        text = texts[int(draw() * len(texts))]
        if self._capital:
            return text.format(subject, other)
        return self.language.fill(text, subject, other)

    # --- plans ----------------------------------------------------------------------------

    def plan(self, draft: Draft, draw: Draw) -> list[Content]:
        """The facts of each sentence."""
        recipe = self.recipe
        plan: list[Content] = []
        rest = list(draft.links)
        while rest:
            link = rest.pop(0)
            joins = [i for i, other in enumerate(rest) if self.halves(link) and self.halves(other)]
            if joins and draw() < recipe.joined:
                ends = {link.subject, link.object}
                near = [i for i in joins if ends & {rest[i].subject, rest[i].object}]
                at = near[0] if near and draw() < 0.5 else joins[0]
                plan.append((link, rest.pop(at)))
            else:
                plan.append((link,))
        chain = [link for link in draft.links if link.role == "chain"]
        members = list(dict.fromkeys(name for k in chain for name in (k.subject, k.object)))
        denied: set[Denial] = set()
        for _ in range(draw_amount(draw, recipe.noise.negation)):
            denial = self._deny(draw, members, draft.places)
            while denial in denied:
                denial = self._deny(draw, members, draft.places)
            denied.add(denial)
            plan.insert(below(draw, len(plan) + 1), denial)
        return plan

    def _deny(self, draw: Draw, members: list[str], places: dict[str, int]) -> Denial:
        """Something that is not so in the map."""
        names = list(members)
        first = names.pop(below(draw, len(names)))
        second = pick(draw, names)
        gap = places[first] - places[second]
        regions = [word for word in self.recipe.space.tested if not lies(gap, REGIONS[word])]
        return Denial(first, pick(draw, regions), second)

    def halves(self, link: Link[int]) -> tuple[str, ...]:
        """The phrases for a link that can be half of a sentence."""
        return self._halves_of(link.relation)

    def _halves_of(self, relation: int) -> tuple[str, ...]:
        found = self._halves.get(relation)
        if found is None:
            unit, count = parted(relation)
            found = self._halves[relation] = self.language.joins(
                self.words[unit], self.recipe.phrases, count, self.recipe.dimensions
            )
        return found

    def express(self, told: Content, draw: Draw) -> str:
        """The sentence for one item of a plan."""
        tongue, dimensions = self.language, self.recipe.dimensions
        if isinstance(told, Denial):
            texts = tongue.texts(f"not {told.region}", "", dimensions)
            return tongue.fill(pick(draw, texts), told.subject, told.object)
        if len(told) > 1:
            return self._both(told[0], told[1], draw)
        subject, relation, other = _turned(told[0], draw)
        unit, count = parted(relation)
        if count == 1:
            return self.say(subject, unit, other, draw)
        texts = tongue.texts(f"{self.words[unit]} {count}", "", dimensions)
        return tongue.fill(pick(draw, texts), subject, other)

    def _both(self, first: Link[int], second: Link[int], draw: Draw) -> str:
        """Two links in one sentence."""
        tongue, recipe = self.language, self.recipe
        shared = {first.subject, first.object} & {second.subject, second.object}
        plain = not recipe.phrases or "plain" in recipe.phrases
        if len(shared) == 1 and plain and draw() < 0.5:
            (figure,) = shared
            places = []
            for link in (first, second):
                own = link.subject == figure
                unit, count = parted(link.relation if own else -link.relation)
                other = link.object if own else link.subject
                places.append((self.words[unit], count, other))
            if all(tongue.shares(*place[:2], recipe.dimensions) for place in places):
                return tongue.share(figure, places[0], places[1], recipe.dimensions)
        halves = []
        for link in (first, second):
            subject, relation, other = _turned(link, draw)
            texts = self._halves_of(relation)
            halves.append(tongue.fill(pick(draw, texts), subject, other))
        return tongue.both(halves[0], halves[1])


@lru_cache(maxsize=64)
def teller_of(recipe: SpaceRecipe) -> Teller:
    """The teller of a recipe, made once."""
    return Teller(recipe)


def _turned(link: Link[int], draw: Draw) -> tuple[str, int, str]:
    """A link as it is told, from either side."""
    subject, relation, other, _ = link
    return (other, -relation, subject) if draw() < 0.5 else (subject, relation, other)
