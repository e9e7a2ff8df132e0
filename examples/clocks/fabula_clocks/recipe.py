"""The keys that recipes of this world have in addition to those of every recipe."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, model_validator

from fabula.recipe.model import Recipe, Weight
from fabula.world.keys import among, amount, twice
from fabula.world.relations.amounts import Amount, bounds
from fabula_clocks.words import KINDS

Hour = Annotated[int, Field(ge=1, le=23)]


class ClocksRecipe(Recipe):
    """A recipe for timetables."""

    asks: Annotated[dict[str, Weight], among(KINDS)]
    trips: tuple[str, ...]
    """Names of trips: 'ferry', 'night train'."""
    chain: Annotated[Amount, amount(1, "trips", 20)] = (2, 3)
    """Number of trips whose times are stated relative to each other, after the first."""
    unrelated: Annotated[Amount, amount(0, "trips", 20)] = 1
    """Number of trips with times of their own."""
    hours: tuple[Hour, Hour] = (7, 19)
    """The hours between which all trips take place."""

    @property
    def longest(self) -> int:
        """No answer in minutes is larger."""
        return (self.hours[1] - self.hours[0]) * 60

    @model_validator(mode="after")
    def _check(self) -> ClocksRecipe:
        twice(self.trips, "trips")
        need = bounds(self.chain)[1] + bounds(self.unrelated)[1]
        if need > len(self.trips):
            raise ValueError(f"trips: {need} are needed, {len(self.trips)} are given. Add names")
        if self.hours[1] - self.hours[0] < 2 * bounds(self.chain)[1] + 2:
            raise ValueError("hours: the day is too short for the chain. Widen it")
        return self
