"""Timetables: trips that leave, take some time and arrive.

    1 The ferry leaves at 9:40.
    2 The bus takes 20 minutes longer than the ferry.
    3 The bus leaves 10 minutes after the ferry arrives.
    4 The ferry takes 35 minutes.

    When does the bus arrive?             11:20: sentences 1, 2, 3, 4
    Does the bus arrive before the ferry? no: sentence 3

All times are multiples of five minutes, and no trip passes midnight. At most one sentence states
when a trip leaves, and one how long it takes. A trip whose duration is not stated takes at least
five minutes.
"""

from __future__ import annotations

from collections.abc import Sequence

from fabula.core.seeds import Draw
from fabula.world.base import Brief, Query
from fabula.world.small import SmallWorld
from fabula_clocks.reading import ClocksReading
from fabula_clocks.recipe import ClocksRecipe
from fabula_clocks.tale import ClocksTale
from fabula_clocks.words import STEP, clock, words


class Clocks(SmallWorld):
    """Trips that leave, take some time and arrive."""

    name = "clocks"
    recipe = ClocksRecipe
    language = staticmethod(words)

    def begin(self, recipe: ClocksRecipe, unfold: Draw, tell: Draw, brief: Brief) -> ClocksTale:
        """A new timetable."""
        return ClocksTale(recipe, unfold, tell)

    def read(self, code: str, sentences: Sequence[str]) -> ClocksReading:
        """The reader's view of sentences."""
        return ClocksReading(words(code), sentences)

    def choices(self, recipe: ClocksRecipe, query: Query) -> list[str]:
        """All answers that a question can have."""
        if query[0] == "arrives-before":
            return ["yes", "no"]
        if query[0] == "leaves-first":
            return list(query[1:])
        if query[0] in ("how-long", "minutes-after"):
            return [str(minutes) for minutes in range(STEP, recipe.longest + 1, STEP)]
        first, last = recipe.hours
        return [clock(minutes) for minutes in range((first - 1) * 60, last * 60 + 1, STEP)]


CLOCKS = Clocks()
