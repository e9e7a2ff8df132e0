"""The simulator: draws a timetable, tells it in any order, and knows the truth."""

from __future__ import annotations

from fabula.core.seeds import Draw, below, pick, shuffled
from fabula.world.base import Annotation, Candidate, Fact, OneWording, Query
from fabula.world.relations.amounts import draw_amount
from fabula_clocks.reading import ClocksReading
from fabula_clocks.recipe import ClocksRecipe
from fabula_clocks.words import STEP, clock, words


class ClocksTale(OneWording):
    """One timetable."""

    def __init__(self, recipe: ClocksRecipe, unfold: Draw, tell: Draw) -> None:
        self.recipe = recipe
        self.sentences: list[str] = []
        self.reading = ClocksReading(words(recipe.native))
        self._unfold, self._tell = unfold, tell
        self.leaves: dict[str, int] = {}
        self.takes: dict[str, int] = {}
        self.walk: dict[str, int] = {}
        names = shuffled(unfold, recipe.trips)
        related = draw_amount(unfold, recipe.chain)
        apart = draw_amount(unfold, recipe.unrelated)
        self._related = frozenset(names[:related])
        facts: list[Fact] = []
        for number, trip in enumerate(names[: related + apart]):
            before = names[:number] if number < related else []
            facts += [self._departure(trip, before), self._duration(trip, before)]
            if unfold() < 0.4:
                self.walk[trip] = self._some(6)
                facts.append(("walk", trip, str(self.walk[trip])))
        self._facts = shuffled(unfold, facts)

    def _some(self, most: int) -> int:
        """So many steps at most, in minutes."""
        return STEP * (1 + below(self._unfold, most))

    def _departure(self, trip: str, before: list[str]) -> Fact:
        if not before:
            self.leaves[trip] = self.recipe.hours[0] * 60 + self._some(12) - STEP
            return ("leaves", trip, clock(self.leaves[trip]))
        other, shift = pick(self._unfold, before), self._some(6)
        if self._unfold() < 0.5:
            self.leaves[trip] = self.leaves[other] + shift
            return ("leaves-after", trip, other, str(shift))
        self.leaves[trip] = self.leaves[other] + self.takes[other] + shift
        return ("follows", trip, other, str(shift))

    def _duration(self, trip: str, before: list[str]) -> Fact:
        self.takes[trip] = 10 + self._some(14)
        other = pick(self._unfold, before) if before and self._unfold() < 0.7 else trip
        shift = self.takes[trip] - self.takes[other]
        if not shift:
            return ("takes", trip, str(self.takes[trip]))
        return ("takes-more" if shift > 0 else "takes-less", trip, other, str(abs(shift)))

    def advance(self, goal: int, pause: int | None = None) -> bool:
        """Tell the whole timetable; its length is that of its facts."""
        for fact in self._facts[len(self.sentences) : pause]:
            self.sentences.append(words(self.recipe.native).say(fact, self._tell))
            self.reading.hear(self.sentences[-1])
        return True

    def candidates(self, kind: str, draw: Draw) -> list[Candidate]:
        """The questions of a kind that can be answered."""
        trips = list(self.leaves)
        single = kind in ("leave", "arrive", "how-long", "set-off")
        everything = range(1, len(self.sentences) + 1)
        found = []
        for query in [(kind, a, *b) for a in trips for b in ([()] if single else
                      [(other,) for other in trips if other != a])]:  # fmt: skip
            answer = self.truth(query)
            if answer is not None and self.reading.value(query, everything) is not None:
                found.append(Candidate(query, answer))
        return found

    def truth(self, query: Query) -> tuple[str, ...] | None:
        """The answer by the clock."""
        kind, trip, *rest = query
        leaves, takes = self.leaves, self.takes
        if kind == "set-off":
            return (clock(leaves[trip] - self.walk[trip]),) if trip in self.walk else None
        if kind == "leave":
            return (clock(leaves[trip]),)
        if kind == "how-long":
            return (str(takes[trip]),)
        arrives = leaves[trip] + takes[trip]
        if kind == "arrive":
            return (clock(arrives),)
        (other,) = rest
        later = arrives - leaves[other] - takes[other]
        if kind == "minutes-after":
            return (str(later),) if later > 0 else None
        if kind == "arrives-before":
            return ("yes" if later < 0 else "no",)
        if leaves[trip] == leaves[other]:
            return None
        return (trip if leaves[trip] < leaves[other] else other,)

    def annotate(self, query: Query, mask: int, position: int) -> Annotation:
        """Roles of the sentences: those about other trips are noise."""
        mine = query[1] in self._related
        roles = (
            "support" if mask >> number & 1
            else "irrelevant" if (mine and fact[1] in self._related) or fact[1] == query[1]
            else "disconnected"
            for number, fact in enumerate(self._facts[:position], 1)
        )  # fmt: skip
        return Annotation(tuple(roles), {})
