"""The recipe keys of the world of sizes, in addition to those of every recipe."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import model_validator

from fabula.errors import FabulaError
from fabula.recipe.model import Recipe, Weight
from fabula.world.keys import among, amount, twice
from fabula.world.relations.amounts import Amount, Noise, bounds
from fabula.world.sizes.language import language

KINDS = ("bigger", "fits")


class SizesRecipe(Recipe):
    """A recipe of the world of sizes."""

    asks: Annotated[dict[str, Weight], among(KINDS)]
    length: int | tuple[int, int] = 1
    """For facts = 'batches': sentences per batch. Otherwise not used: the length follows from chain
    and noise.
    """
    things: tuple[str, ...]
    """Names of the things that are compared."""
    smallest: tuple[str, ...] = ()
    """Things that are smaller than all others, the smallest first."""
    facts: Literal["chain", "batches"] = "chain"
    """The content of a story: a chain with noise; or, as in the release, random pairs, `length` at
    a time, until a question can be asked.
    """
    steps: Annotated[Amount, amount(1, "steps")] = 2
    """Sentences between the two things in the question."""
    noise: Noise = Noise()
    labels: Literal["proof", "release"] = "proof"
    """Which support is written: the best minimal proof, or the release's own list and order."""
    balance: tuple[str, ...] = KINDS

    @model_validator(mode="after")
    def _tellable(self) -> SizesRecipe:
        everything = (*self.smallest, *self.things)
        twice(everything, "things")
        if self.facts == "chain":
            need = bounds(self.steps)[1] + 1 + self.noise.newcomers()
            if need > len(everything):
                raise ValueError(
                    f"things: up to {need} are needed, but there are only {len(everything)}; "
                    "add things, or ask for fewer steps or less noise"
                )
            if self.smallest:
                raise ValueError("smallest: only for facts = 'batches'; a chain is drawn freely")
        elif len(everything) < 3:
            raise ValueError("things: at least three are needed")
        elif bounds(self.steps) != (2, 2):
            raise ValueError(
                "steps: facts = 'batches' asks about chains of two; use facts = 'chain'"
            )
        tongue = language(self.native)
        for name in everything:
            other = everything[0] if name != everything[0] else everything[-1]
            try:
                understood = tongue.parse(tongue.say(name, other, lambda: 0.0)) == (name, other)
            except FabulaError:
                understood = False
            if not understood:
                raise ValueError(f"things: '{name}' cannot be parsed back; choose another name")
        return self
