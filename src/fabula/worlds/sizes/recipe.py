"""The keys that recipes of the world of sizes have besides those of every recipe."""

from __future__ import annotations

from typing import Literal

from pydantic import field_validator, model_validator

from fabula.errors import FabulaError, hint
from fabula.recipe import Recipe
from fabula.relations.amounts import Amount, Noise, bounds, within
from fabula.worlds.sizes.language import language

KINDS = ("bigger", "fits")


class SizesRecipe(Recipe):
    """A recipe of the world of sizes."""

    length: int | tuple[int, int] = 1
    """For facts = 'batches': sentences told at once. Else a story is as long as chain and noise."""
    things: tuple[str, ...]
    """What is compared."""
    smallest: tuple[str, ...] = ()
    """Things that are smaller than all others, the smallest first."""
    facts: Literal["chain", "batches"] = "chain"
    """What is told: a chain with noise; or, as in the release, any pairs, `length` at a time, until
    a question can be asked."""
    steps: Amount = 2
    """Sentences between the two things asked about."""
    noise: Noise = Noise()
    labels: Literal["proof", "release"] = "proof"
    """Which support is written: the best minimal proof, or the release's own list and order."""
    balance: tuple[str, ...] = KINDS

    @field_validator("asks")
    @classmethod
    def _known_questions(cls, weights: dict[str, float]) -> dict[str, float]:
        for kind in weights:
            if kind not in KINDS:
                raise ValueError(f"unknown question '{kind}'.{hint(kind, KINDS)}")
        return weights

    @field_validator("steps")
    @classmethod
    def _range(cls, amount: Amount) -> Amount:
        return within(amount, 1, "steps")

    @model_validator(mode="after")
    def _tellable(self) -> SizesRecipe:
        everything = (*self.smallest, *self.things)
        twice = sorted({name for name in everything if everything.count(name) > 1})
        if twice:
            raise ValueError(f"things: {', '.join(twice)} named twice")
        if self.facts == "chain":
            need = bounds(self.steps)[1] + 1 + self.noise.newcomers()
            if need > len(everything):
                raise ValueError(
                    f"things: up to {need} are needed and there are {len(everything)}; "
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
        tongue = language(self.language)
        for name in everything:
            other = everything[0] if name != everything[0] else everything[-1]
            try:
                understood = tongue.parse(tongue.say(name, other, lambda: 0.0)) == (name, other)
            except FabulaError:
                understood = False
            if not understood:
                raise ValueError(f"things: '{name}' is not understood in a sentence")
        return self
