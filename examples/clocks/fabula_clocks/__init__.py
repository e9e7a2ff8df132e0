"""Timetables: trips that leave, take their time and arrive.

    1 The ferry leaves at 9:40.
    2 The bus takes 20 minutes longer than the ferry.
    3 The bus leaves 10 minutes after the ferry arrives.
    4 The ferry takes 35 minutes.

    When does the bus arrive?             11:20: sentences 1, 2, 3, 4
    Does the bus arrive before the ferry? no: sentence 3

Timetables go by steps of five minutes and never pass midnight. At most one sentence tells when a
trip leaves, and one how long it takes. Of a trip whose duration is not told one knows only that it
takes five minutes or more.
"""

from __future__ import annotations

from collections.abc import Sequence

from fabula.core.seeds import Draw
from fabula.world.base import Brief, Claim, Query, World
from fabula_clocks.reading import ClocksReading
from fabula_clocks.recipe import ClocksRecipe
from fabula_clocks.tale import ClocksTale
from fabula_clocks.words import clock, words


class Clocks(World):
    """Trips that leave, take their time and arrive."""

    name = "clocks"
    recipe = ClocksRecipe

    def begin(self, recipe: ClocksRecipe, unfold: Draw, tell: Draw, brief: Brief) -> ClocksTale:
        """A new story."""
        return ClocksTale(recipe, unfold, tell)

    def read(self, code: str, sentences: Sequence[str]) -> ClocksReading:
        """What the reader makes of sentences."""
        return ClocksReading(words(code), sentences)

    def ask(self, code: str, query: Query) -> str:
        """A query in words."""
        return words(code).ask(query)

    def parse_question(self, code: str, question: str) -> Query:
        """The query behind a question."""
        return words(code).parse_question(question)

    def choices(self, recipe: ClocksRecipe, query: Query) -> list[str]:
        """All answers that a question can have."""
        if query[0] == "arrives-before":
            return ["yes", "no"]
        if query[0] == "leaves-first":
            return list(query[1:])
        if query[0] in ("how-long", "minutes-after"):
            return [str(minutes) for minutes in range(5, recipe.longest + 1, 5)]
        first, last = recipe.hours
        return [clock(minutes) for minutes in range((first - 1) * 60, last * 60 + 1, 5)]

    def prove(
        self, code: str, sentences: Sequence[str], claims: Sequence[Claim]
    ) -> list[list[str]]:
        """The logic program's objections to each claim."""
        from fabula_clocks import oracle

        return oracle.prove(code, sentences, claims)


CLOCKS = Clocks()
