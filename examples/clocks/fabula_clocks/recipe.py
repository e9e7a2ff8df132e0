"""The keys that recipes of this world have besides those of every recipe."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, model_validator

from fabula.recipe.model import Recipe, Weight
from fabula.world.keys import among, amount, twice
from fabula.world.relations.amounts import Amount, bounds
from fabula_clocks.words import KINDS

Hour = Annotated[int, Field(ge=1, le=23)]


class ClocksRecipe(Recipe):
    """A recipe of the world of timetables."""

    asks: Annotated[dict[str, Weight], among(KINDS)]
    trips: tuple[str, ...]
    """What can leave and arrive: 'ferry', 'night train'."""
    chain: Annotated[Amount, amount(1, "trips", 20)] = (2, 3)
    """Trips that are told relative to each other; the first has its own times."""
    unrelated: Annotated[Amount, amount(0, "trips", 20)] = 1
    """Trips that have nothing to do with the others."""
    hours: tuple[Hour, Hour] = (7, 19)
    """The hours between which everything happens."""

    @property
    def longest(self) -> int:
        """No answer in minutes is larger."""
        return (self.hours[1] - self.hours[0]) * 60

    @model_validator(mode="after")
    def _tellable(self) -> ClocksRecipe:
        twice(self.trips, "trips")
        need = bounds(self.chain)[1] + bounds(self.unrelated)[1]
        if need > len(self.trips):
            raise ValueError(f"trips: up to {need} are needed and there are {len(self.trips)}")
        if self.hours[1] - self.hours[0] < 2 * bounds(self.chain)[1] + 2:
            raise ValueError("hours: too short a day for so many trips; widen it")
        return self
