"""A story about positions in progress: a map is drawn, then told in random order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fabula.core.seeds import Draw
from fabula.world.base import Annotation, Brief, Candidate, OneWording, Query, Reading
from fabula.world.relations import Link
from fabula.world.space.asking import Asker
from fabula.world.space.drawing import drawer_of
from fabula.world.space.grid import xyz
from fabula.world.space.reading import SpaceReading
from fabula.world.space.recipe import SpaceRecipe
from fabula.world.space.telling import Content, Denial, teller_of


class SpaceTale(OneWording):
    """One story: entities at positions, and links told one after another."""

    def __init__(self, recipe: SpaceRecipe, draw: Draw, brief: Brief | None = None) -> None:
        self.recipe = recipe
        self._draw = draw
        self._teller = teller_of(recipe)
        cell, admits = (None, None) if brief is None else (brief.cell, brief.admits)
        self.draft = drawer_of(recipe).draw(draw, cell, admits)
        self.sentences: list[str] = []
        self._reading = SpaceReading(self._teller.language)
        self.reading: Reading = self._reading
        self.plan: list[Content] = self._teller.plan(self.draft, draw) if recipe.special else []
        """The content of each sentence, if that is not one link each."""
        self._fixed = cell is not None and bool(cell.answers)
        self._asker: Asker | None = None

    def advance(self, goal: int, pause: int | None = None) -> bool:
        """Tell the plan; a story is as long as its plan, so `goal` does not matter."""
        draw, teller, start = self._draw, self._teller, len(self.sentences)
        end = len(self.plan) or len(self.draft.steps)
        if pause is not None and self.recipe.split_key == "story":
            end = min(pause, end)
        if start >= end:
            return True
        if self.plan:
            new = [teller.express(content, draw) for content in self.plan[start:end]]
        else:
            new = teller.tell(self.draft, start, end, draw)
        self.sentences += new
        self._reading.hear_all(new)
        return True

    @property
    def chain_length(self) -> int:
        """How many links the chain has that the story is made of."""
        return self.draft.roles.count("chain")

    def _ask(self) -> Asker:
        if self._asker is None:
            self._asker = Asker(self.recipe, self.draft, self._reading)
        return self._asker

    def candidates(self, kind: str, draw: Draw) -> list[Candidate]:
        """The questions of a kind that may be asked, with the map's answers."""
        return self._ask().candidates(kind, draw, self._fixed)

    def truth(self, query: Query) -> tuple[str, ...]:
        """The map's answer."""
        return self._ask().truth(query)

    def annotate(self, query: Query, mask: int, position: int) -> Annotation:
        """Roles of the sentences, and the position of everything."""
        parts = self.recipe.dimensions
        places = self.draft.located()
        features: dict[str, Any] = {
            "chain": self.chain_length,
            "coordinates": {name: list(xyz(place)[:parts]) for name, place in places.items()},
        }
        return Annotation(tuple(self._roles(query, mask, position)), features)

    def _roles(self, query: Query, mask: int, position: int) -> list[str]:
        told: list[Any] = self.plan or [(link,) for link in self.draft.links()]
        planned: list[Link[int]] | None = None
        roles = []
        for number, content in enumerate(told[:position], 1):
            if mask >> number & 1:
                roles.append("support")
            elif isinstance(content, Denial):
                roles.append("negation")
            else:
                if planned is None:
                    asked = set(query[-2:]) == set(self.draft.pair)
                    planned = self._planned() if asked else []
                roles.append(_role(content, planned))
        return roles

    def _planned(self) -> list[Link[int]]:
        """The links of the chain between the two entities in the question."""
        first, last = self.draft.pair
        chain = [link for link in self.draft.links() if link.role == "chain"]
        ways: list[tuple[str, list[Link[int]]]] = [(first, [])]
        for here, way in ways:
            if here == last:
                return way
            for link in chain:
                if here in (link.subject, link.object) and link not in way:
                    other = link.object if here == link.subject else link.subject
                    ways.append((other, [*way, link]))
        return []


def _role(content: Sequence[Link[int]], planned: Sequence[Link[int]]) -> str:
    """The role of a sentence outside the support, by its links: that of the link closest to the
    proof.

    A link of the planned chain that the proof does not use is another route. Only sentences that
    say nothing about the rest of the story are 'disconnected'.
    """
    roles = {"supporting" if link in planned else link.role for link in content}
    if "supporting" in roles:
        return "supporting"
    return "irrelevant" if roles - {"disconnected"} else "disconnected"
