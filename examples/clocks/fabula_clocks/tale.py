"""The simulator: draws a timetable, states it in random order, and knows the truth."""

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
        self.sentences: list[str] = []
        self.reading = ClocksReading(words(recipe.native))
        self._recipe, self._unfold, self._tell = recipe, unfold, tell
        self._leaves: dict[str, int] = {}
        self._takes: dict[str, int] = {}
        self._walk: dict[str, int] = {}
        names = shuffled(unfold, recipe.trips)
        chain = draw_amount(unfold, recipe.chain)
        apart = draw_amount(unfold, recipe.unrelated)
        self._chain = frozenset(names[:chain])
        facts: list[Fact] = []
        for number, trip in enumerate(names[: chain + apart]):
            before = names[:number] if number < chain else []
            facts += [self._departure(trip, before), self._duration(trip, before)]
            if unfold() < 0.4:
                self._walk[trip] = self._minutes(6)
                facts.append(("walk", trip, str(self._walk[trip])))
        self._facts = shuffled(unfold, facts)

    def _minutes(self, steps: int) -> int:
        """A random number of minutes, from one step up to this many."""
        return STEP * (1 + below(self._unfold, steps))

    def _departure(self, trip: str, before: list[str]) -> Fact:
        if not before:
            self._leaves[trip] = self._recipe.hours[0] * 60 + self._minutes(12) - STEP
            return ("leaves", trip, clock(self._leaves[trip]))
        other, shift = pick(self._unfold, before), self._minutes(6)
        after_departure = self._unfold() < 0.5
        wait = shift if after_departure else self._takes[other] + shift
        self._leaves[trip] = self._leaves[other] + wait
        return ("leaves-after" if after_departure else "follows", trip, other, str(shift))

    def _duration(self, trip: str, before: list[str]) -> Fact:
        self._takes[trip] = 10 + self._minutes(14)
        other = pick(self._unfold, before) if before and self._unfold() < 0.7 else trip
        shift = self._takes[trip] - self._takes[other]
        if not shift:
            return ("takes", trip, str(self._takes[trip]))
        return ("takes-more" if shift > 0 else "takes-less", trip, other, str(abs(shift)))

    def advance(self, goal: int, pause: int | None = None) -> bool:
        """State the whole timetable; its length follows from its facts."""
        for fact in self._facts[len(self.sentences) : pause]:
            self.sentences.append(self.reading.language.say(fact, self._tell))
            self.reading.hear(self.sentences[-1])
        return True

    def candidates(self, kind: str, draw: Draw) -> list[Candidate]:
        """The questions of a kind that can be answered."""
        trips, queries = list(self._leaves), list[Query]()
        for trip in trips:
            if kind in ("leave", "arrive", "how-long", "set-off"):
                queries.append((kind, trip))
            else:
                queries += [(kind, trip, other) for other in trips if other != trip]
        known = [query for query in queries if self.reading.value(query) is not None]
        return [Candidate(query, self.truth(query)) for query in known]

    def truth(self, query: Query) -> tuple[str, ...]:
        """The answer in this timetable; empty if there is none."""
        kind, trip, *others = query
        leaves, takes = self._leaves, self._takes
        if kind == "set-off":
            return (clock(leaves[trip] - self._walk[trip]),) if trip in self._walk else ()
        if kind == "leave":
            return (clock(leaves[trip]),)
        if kind == "how-long":
            return (str(takes[trip]),)
        if kind == "arrive":
            return (clock(leaves[trip] + takes[trip]),)
        (other,) = others
        if kind == "leaves-first":
            earlier = min(trip, other, key=leaves.__getitem__)
            return (earlier,) if leaves[trip] != leaves[other] else ()
        gap = leaves[trip] + takes[trip] - leaves[other] - takes[other]
        if kind == "minutes-after":
            return (str(gap),) if gap > 0 else ()
        return ("yes" if gap < 0 else "no",)

    def annotate(self, query: Query, mask: int, position: int) -> Annotation:
        """Roles of the sentences: those about trips with no link to the question are noise."""
        asked = self._chain if query[1] in self._chain else {query[1]}
        roles = (
            "support" if mask >> number & 1 else
            "irrelevant" if fact[1] in asked else "disconnected"
            for number, fact in enumerate(self._facts[:position], 1)
        )  # fmt: skip
        return Annotation(tuple(roles), {})
