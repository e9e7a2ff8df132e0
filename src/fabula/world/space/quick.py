"""The fast path of positions (see world/fast.py): stories read and proven on numbers.

Entities are numbers, and a sentence is a pattern with two of them. `read` of a pattern is the
reader's result for that sentence: it has read it with every name of the recipe in either slot.
"""

from __future__ import annotations

from typing import Final

from fabula.core.instance import Asked
from fabula.core.seeds import Draw
from fabula.core.split import Splitter
from fabula.core.supports import minimal, numbers_of
from fabula.errors import ParseError
from fabula.recipe.cells import ANYTHING
from fabula.world.base import Query
from fabula.world.fast import FastPath, Page, UncommonError, disagreement
from fabula.world.space import conventions
from fabula.world.space.drawing import Draft, drawer_of
from fabula.world.space.grid import KING, WORDS, label, xyz
from fabula.world.space.pattern import UNREAD, Pattern
from fabula.world.space.reading import SpaceReading
from fabula.world.space.recipe import SpaceRecipe
from fabula.world.space.telling import teller_of

MIXED: Final = 0  # the entry of a pattern that the reader does not read alike for all names


def _signs(step: int) -> int:
    """For each axis one of three bits: whether a step goes ahead, back, or neither."""
    x, y, _ = xyz(step)
    return 1 << (x + 1) | 8 << (y + 1)


SIGNS: Final = {step: _signs(step) for step in KING.steps}


class Links:
    """The reader's knowledge from sentences: links between numbered entities, and what follows."""

    def __init__(self, draft: Draft) -> None:
        self.figures: list[int] = draft.figures
        self.grounds: list[int] = draft.grounds
        self.steps: list[int] = [pattern.read for pattern in draft.told]
        count = len(draft.places)
        heads: list[int] = [-1] * count
        after: list[int] = []
        for at in range(len(self.steps)):
            figure, ground = self.figures[at], self.grounds[at]
            after.append(heads[figure])
            after.append(heads[ground])
            heads[figure] = 2 * at
            heads[ground] = 2 * at + 1
        self.heads = heads
        """For each entity an end of a link that names it: twice the link, plus 1 for the ground; -1
        if there is none.
        """
        self.after = after
        """For each end of a link, the next one that names the same entity."""
        self.places: list[int] = [0] * count
        self.masks: list[int] = [-1] * count
        """For each entity, the sentences that lead to it from the origin of its part."""
        self.signs: list[int] = [0] * count
        """For each entity, the signs of the steps that lead to it (see SIGNS)."""
        self.parts = 0
        self.rings: list[int] = []
        self.sound = True
        self.walked: list[int] = []
        """The steps of the last walk, each from the next entity to the previous one."""
        self.passed: list[int] = []
        """The numbers of the sentences of the last walk."""

    def frame(self, root: int) -> None:
        """Find the position of everything; `root` is the origin of its part."""
        self._spread(root)
        for other in range(len(self.places)):
            if self.masks[other] < 0:
                self._spread(other)

    def _spread(self, root: int) -> None:
        figures, grounds, steps = self.figures, self.grounds, self.steps
        heads, after = self.heads, self.after
        places, masks, signs = self.places, self.masks, self.signs
        self.parts += 1
        masks[root] = 0
        todo = [root]
        for node in todo:  # grows during iteration
            mask, place = masks[node], places[node]
            end = heads[node]
            while end >= 0:
                at = end >> 1
                if end & 1:
                    other = figures[at]
                    there = place + steps[at]
                else:
                    other = grounds[at]
                    there = place - steps[at]
                end = after[end]
                known = masks[other]
                if known < 0:
                    masks[other] = mask | 2 << at
                    signs[other] = signs[node] | SIGNS[there - place]
                    places[other] = there
                    todo.append(other)
                elif not (mask | known) >> at & 2:
                    if places[other] != there:
                        self.sound = False
                    ring = mask ^ known | 2 << at
                    if ring not in self.rings:
                        self.rings.append(ring)

    def ways(self, start: int, goal: int) -> list[int]:
        """The sentences of every simple path between two entities of a part, best first.

        For stories with at most one cycle.
        """
        way = self.masks[start] ^ self.masks[goal]
        if self.rings and way & self.rings[0]:
            return minimal([way, way ^ self.rings[0]])
        return [way]

    def walk(self, mask: int, start: int, goal: int) -> bool:
        """Whether these sentences, and no fewer, are a path from start to goal; walks it."""
        figures, grounds, heads, after = self.figures, self.grounds, self.heads, self.after
        walked: list[int] = []
        passed: list[int] = []
        here = start
        # at every entity exactly one unused link must lead on, until none is left
        while here != goal:
            way = -1
            end = heads[here]
            while end >= 0:
                if mask >> (end >> 1) & 2:
                    if way >= 0:
                        return False
                    way = end >> 1
                end = after[end]
            if way < 0:
                return False
            if figures[way] == here:
                walked.append(self.steps[way])
                here = grounds[way]
            else:
                walked.append(-self.steps[way])
                here = figures[way]
            mask ^= 2 << way
            passed.append(way + 1)
        self.walked, self.passed = walked, passed
        return mask == 0


class QuickSpace(FastPath):
    """The common part of the fast paths of positions."""

    def __init__(self, recipe: SpaceRecipe, seed: int, split: str, splitter: Splitter) -> None:
        super().__init__(recipe, seed, split, splitter)
        self.recipe = recipe
        self.drawer = drawer_of(recipe)
        self.teller = teller_of(recipe)
        self.language = self.teller.language
        self.pool = self.drawer.pool
        self.early = self.admits if self.sorted_out else None
        self._questions: dict[Query, str] = {}

    def question(self, query: Query) -> str:
        """The question in words."""
        known = self._questions.get(query)
        if known is None:
            known = self._questions[query] = self.language.ask(query)
        return known

    def hear(self, draft: Draft) -> None:
        """Let the reader read every sentence that it has not read before."""
        for pattern in draft.told:
            if pattern.read == UNREAD:
                pattern.read = self._read(pattern)
            if pattern.read == MIXED:
                raise UncommonError

    def _read(self, pattern: Pattern) -> int:
        """The reader's result for a sentence, with each name of the recipe in either slot."""
        found = UNREAD
        pool = self.pool
        for at, name in enumerate(pool):
            other = pool[at - 1]
            try:
                reading = SpaceReading(self.language, [pattern.fill(name, other)])
            except ParseError:
                return MIXED
            if reading.more or len(reading.told) != 1:
                return MIXED
            relation, figure, ground, _ = reading.told[0]
            step = WORDS[relation]
            if (figure, ground) == (other, name):
                step = -step
            elif (figure, ground) != (name, other):
                return MIXED
            if found not in (UNREAD, step):
                return MIXED
            found = step
        return found


class QuickRelations(QuickSpace):
    """Stories of the phrase bank with one question: the relation of two agents."""

    def __init__(self, recipe: SpaceRecipe, seed: int, split: str, splitter: Splitter) -> None:
        super().__init__(recipe, seed, split, splitter)
        self._relied: dict[int, tuple[str, ...]] = {}

    def attempt(self, unfold: Draw, tell: Draw, ask: Draw) -> Page | None:
        """A story with its questions; None if none belongs to the split."""
        draft = self.drawer.draw(unfold, ANYTHING, self.early)
        sentences = self.teller.tell(draft, 0, len(draft.steps), unfold)
        self.hear(draft)
        first, last = draft.first, draft.last
        names = draft.names
        links = Links(draft)
        links.frame(first)
        if not links.sound or len(links.rings) > 1:
            raise UncommonError
        # the first lies as far from the last as the origin from the position of the last
        answer = label(-links.places[last])
        query = ("relation", names[first], names[last])
        if answer != label(draft.places[first] - draft.places[last]) or links.masks[last] < 0:
            raise disagreement(sentences, query)
        masks: list[int] = []
        chains: list[list[int]] = []
        for mask in links.ways(first, last):
            if links.walk(mask, first, last) and label(sum(links.walked)) == answer:
                masks.append(mask)
                chains.append(links.walked)
        if not masks:
            raise UncommonError
        if self.sorted_out and not self.admits(self._content(draft, masks[0], query)):
            return None
        asked = Asked(
            len(sentences),
            query,
            self.question(query),
            (answer,),
            numbers_of(masks[0]),
            masks,
            self._conventions(query, answer, chains),
        )
        return Page(sentences, [asked], draft.roles.count("chain"))

    def _content(self, draft: Draft, mask: int, query: Query) -> str:
        """The content of a proof that other splits must not have."""
        proof = [number - 1 for number in numbers_of(mask)]
        return self.drawer.content(
            [draft.figures[at] for at in proof],
            [draft.told[at].read for at in proof],
            [draft.grounds[at] for at in proof],
            draft.names,
            query,
        )

    def _conventions(self, query: Query, answer: str, chains: list[list[int]]) -> tuple[str, ...]:
        """The conventions that an answer relies on: they follow from its sign and those of the
        steps.
        """
        key = WORDS.get(answer, 0)
        for chain in chains:
            signs = 0
            for step in chain:
                signs |= SIGNS[step]
            key = key << 6 | signs
        found = self._relied.get(key)
        if found is None:
            found = self._relied[key] = conventions.of_chains(query, (answer,), chains)
        return found
