"""Tells the drawn content: which sentence says what, and in which words.

In most recipes a sentence states one link. If a recipe has other sentences (that join two links or
deny something), a *plan* says what each sentence states.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from fabula.core.seeds import Draw, below, pick
from fabula.world.relations import Link
from fabula.world.relations.amounts import draw_amount
from fabula.world.space.drawing import Draft
from fabula.world.space.grid import COMPASS, REGIONS, lies, parted
from fabula.world.space.language import capitalised, language
from fabula.world.space.pattern import Pattern
from fabula.world.space.recipe import SpaceRecipe


class Denial(NamedTuple):
    """A relation that two entities do not have."""

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
        units = COMPASS if recipe.wording == "compass" else recipe.space.units
        self.words = {step: word for word, step in units.items()}
        self._turned = recipe.shape != "line"
        self._capital = recipe.pool[0][0].isupper()
        self.patterns: dict[int, list[list[Pattern]]] = {}
        """For each step the sentences of each kind, or all in one list where any will do."""
        for step, word in self.words.items():
            if recipe.wording == "phrases":
                kinds = [tongue.texts(word, k, dimensions) for k in recipe.phrases or ("",)]
                texts = [[self._filled(text) for text in found] for found in kinds if found]
            else:
                texts = [list(tongue.plain(word))]
            self.patterns[step] = [[Pattern(text) for text in found] for found in texts]
        self._halves: dict[int, tuple[str, ...]] = {}

    def _filled(self, text: str) -> str:
        """A phrase for the recipe's names, with the slots {0} and {1}."""
        return text if self._capital else capitalised(text.format("the {0}", "the {1}"))

    # --- one link per sentence ------------------------------------------------------------

    def tell(self, draft: Draft, start: int, end: int, draw: Draw) -> list[str]:
        """A sentence for each of some links, from either side."""
        sentences = []
        names, turned, patterns = draft.names, self._turned, self.patterns
        subjects, objects, steps = draft.subjects, draft.objects, draft.steps
        told, figures, grounds = draft.told, draft.figures, draft.grounds
        for at in range(start, end):
            subject, other, step = subjects[at], objects[at], steps[at]
            if turned and draw() < 0.5:
                subject, other, step = other, subject, -step
            kinds = patterns[step]
            texts = kinds[0] if len(kinds) == 1 else kinds[int(draw() * len(kinds))]
            pattern = texts[0] if len(texts) == 1 else texts[int(draw() * len(texts))]
            told.append(pattern)
            figures.append(subject)
            grounds.append(other)
            sentences.append(pattern.fill(names[subject], names[other]))
        return sentences

    def pattern(self, step: int, draw: Draw) -> Pattern:
        """A sentence for one step."""
        kinds = self.patterns[step]
        texts = kinds[0] if len(kinds) == 1 else kinds[int(draw() * len(kinds))]
        return texts[0] if len(texts) == 1 else texts[int(draw() * len(texts))]

    # --- plans ----------------------------------------------------------------------------

    def plan(self, draft: Draft, draw: Draw) -> list[Content]:
        """The content of each sentence."""
        recipe = self.recipe
        plan: list[Content] = []
        links, places = draft.links(), draft.located()
        rest = list(links)
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
        chain = [link for link in links if link.role == "chain"]
        members = list(dict.fromkeys(name for k in chain for name in (k.subject, k.object)))
        denied: set[Denial] = set()
        for _ in range(draw_amount(draw, recipe.noise.negation)):
            denial = self._deny(draw, members, places)
            while denial in denied:
                denial = self._deny(draw, members, places)
            denied.add(denial)
            plan.insert(below(draw, len(plan) + 1), denial)
        return plan

    def _deny(self, draw: Draw, members: list[str], places: dict[str, int]) -> Denial:
        """A denial that is true in the map."""
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
            return self.pattern(unit, draw).fill(subject, other)
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
    """The teller of a recipe; cached."""
    return Teller(recipe)


def _turned(link: Link[int], draw: Draw) -> tuple[str, int, str]:
    """A link as it will be told, from either side."""
    subject, relation, other, _ = link
    return (other, -relation, subject) if draw() < 0.5 else (subject, relation, other)
