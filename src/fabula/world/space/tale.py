"""A story about positions in the making: a map is drawn, then told in any order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fabula.core.seeds import Draw
from fabula.world.base import Annotation, Brief, Candidate, OneWording, Query, Reading
from fabula.world.relations import Link
from fabula.world.space.asking import Asker
from fabula.world.space.grid import xyz
from fabula.world.space.reading import SpaceReading
from fabula.world.space.recipe import SpaceRecipe
from fabula.world.space.telling import Content, Denial


class SpaceTale(OneWording):
    """One story: entities at places, and links told one after another."""

    def __init__(self, recipe: SpaceRecipe, draw: Draw, brief: Brief | None = None) -> None:
        self.recipe = recipe
        self._draw = draw
        teller = recipe.teller
        cell, admits = (None, None) if brief is None else (brief.cell, brief.admits)
        self.draft = recipe.drawer.draw(draw, cell, admits)
        self.sentences: list[str] = []
        self._reading = SpaceReading(teller.language)
        self.reading: Reading = self._reading
        self.plan: list[Content] = teller.plan(self.draft, draw) if recipe.special else []
        """The facts of each sentence, where they are not one link each."""
        self._fixed = cell is not None and bool(cell.answers)
        self._asker: Asker | None = None

    def advance(self, goal: int, pause: int | None = None) -> bool:
        """Tell the plan; a story is as long as its plan, so there is no other goal."""
        draw, teller, start = self._draw, self.recipe.teller, len(self.sentences)
        told: list[Any] = self.plan or self.draft.links
        end = len(told)
        if pause is not None and self.recipe.split_key == "story":
            end = min(pause, end)
        if start >= end:
            return True
        told = told[start:end]
        if self.plan:
            new = [teller.express(content, draw) for content in told]
        else:
            new = teller.tell(told, draw)
        self.sentences += new
        self._reading.hear_all(new)
        return True

    def _ask(self) -> Asker:
        if self._asker is None:
            self._asker = Asker(self.recipe, self.draft, self._reading)
        return self._asker

    def candidates(self, kind: str, draw: Draw) -> list[Candidate]:
        """The questions of a kind that may be asked, with the answer that the places give."""
        return self._ask().candidates(kind, draw, self._fixed)

    def truth(self, query: Query) -> tuple[str, ...]:
        """The answer that the places give."""
        return self._ask().truth(query)

    def annotate(self, query: Query, mask: int, position: int) -> Annotation:
        """Roles of the sentences, and where everything is."""
        parts = self.recipe.dimensions
        places = self.draft.places
        features: dict[str, Any] = {
            "chain": sum([link.role == "chain" for link in self.draft.links]),
            "coordinates": {name: list(xyz(place)[:parts]) for name, place in places.items()},
        }
        return Annotation(tuple(self._roles(query, mask, position)), features)

    def _roles(self, query: Query, mask: int, position: int) -> list[str]:
        told: list[Any] = self.plan or [(link,) for link in self.draft.links]
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
        """The links of the chain between the two that a question names."""
        first, last = self.draft.pair
        chain = [link for link in self.draft.links if link.role == "chain"]
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
    """The role of a sentence outside the support, by its links: that of the closest to the proof.

    A link of the chain that was planned as the proof is another route. 'Disconnected' is said only
    of sentences that tell nothing of the rest of the story.
    """
    roles = {"supporting" if link in planned else link.role for link in content}
    if "supporting" in roles:
        return "supporting"
    return "irrelevant" if roles - {"disconnected"} else "disconnected"
